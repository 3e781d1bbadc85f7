"""Backwards: can this count of samples or frames come out of a route at all, by which request, and what lies beside it.

The counts of a route grow with its driver variable, so that a bisection over the driver's domain finds a count among
10**12 requests in some fifty evaluations. Growing need not be strict, and a formula may step back a little (a loss per
chunk, a double that lands under an integer): around the place found, every request of a small window is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from mediacheck.contracts.routes import Outcome, Route
from mediacheck.errors import ContractError
from mediacheck.facts import Struct

# Wide enough for a formula that steps back once in a chunk; 65 evaluations of some 20 microseconds.
_WINDOW = 32


class Reachability(Struct, frozen=True, kw_only=True):
    """The answer to a backward question."""

    reachable: bool
    outcome: Outcome | None = None
    """The request that gives it, and all that this request gives; None where it is not reachable."""
    below: Outcome | None = None
    """The nearest lower count that can be reached: of frames where those asked for are none of the model's, else of
    samples (the asked count itself, where other frames give it). None where all is reachable, or nothing lies below."""
    above: Outcome | None = None
    at_frames: Outcome | None = None
    """What exactly the asked frames give, on the grid or off it; None where frames were not asked or decide nothing."""


class Question(Struct, frozen=True, kw_only=True):
    """A count of samples (``low`` to ``high``, ``samples`` the likeliest) and of frames; None: not asked."""

    samples: int | None
    low: int
    high: int
    frames: int | None
    fps: Fraction | None


class _Line:
    """The outcomes of a route along its driver, by index."""

    def __init__(self, route: Route, known: Mapping[str, Fraction]) -> None:
        self.route = route
        self.driver = route.driver
        self.last = 0 if self.driver is None else self.driver.last
        assumed = {v.name: v.assumed for v in route.variables if v.assumed is not None}
        self.fixed = {name: known.get(name, value) for name, value in assumed.items()}
        self._seen: dict[int, Outcome] = {}

    def at(self, index: int) -> Outcome:
        if index not in self._seen:
            self._seen[index] = self.of(None if self.driver is None else self.driver.at(index))
        return self._seen[index]

    def of(self, value: Fraction | None, *, check: bool = False) -> Outcome:
        request = dict(self.fixed)
        if self.driver is not None and value is not None:
            request[self.driver.name] = value
        return self.route.evaluate(request, check=check)

    def first(self, reached: Callable[[Outcome], bool], start: int, end: int) -> int | None:
        """The least index in [start, end] whose outcome has ``reached``, which must stay true once it is."""
        step, low = 1, start
        while not reached(self.at(min(low + step - 1, end))):
            if low + step - 1 >= end:
                return None
            low, step = low + step, step * 2
        high = min(low + step - 1, end)
        while low < high:
            middle = (low + high) // 2
            if reached(self.at(middle)):
                high = middle
            else:
                low = middle + 1
        return low


def reach(route: Route, question: Question) -> Reachability:
    """Answer ``question`` for one route; what the route does not give is left out of account.

    Raises:
        ContractError: if the route's formulas fail on a request that it allows.
    """
    line = _Line(route, {} if question.fps is None else {"fps": question.fps})
    start, end = 0, line.last
    at_frames: Outcome | None = None
    if question.frames is not None and route.gives("frames"):
        asked = question.frames
        if line.driver is not None and line.driver.name == "frames":
            at_frames = _off_grid(line, asked)
        first = line.first(lambda outcome: _count(outcome.frames) >= asked, start, end)
        if first is None or line.at(first).frames != asked:
            below = end if first is None else first - 1
            return Reachability(
                reachable=False,
                below=line.at(below) if below >= start else None,
                above=None if first is None else line.at(first),
                at_frames=at_frames,
            )
        at_frames = at_frames or _plain(line, first)
        beyond = line.first(lambda outcome: _count(outcome.frames) > asked, first, end)
        start, end = first, end if beyond is None else beyond - 1
    if question.samples is None or not route.gives("samples"):
        return Reachability(reachable=True, outcome=_plain(line, start), at_frames=at_frames)
    return _reach_samples(line, question, start, end, at_frames)


def _reach_samples(line: _Line, question: Question, start: int, end: int, at_frames: Outcome | None) -> Reachability:
    samples = _count(question.samples)
    below, above = _beside(line, samples, start, end)
    found = [
        index
        for index in (below, above)
        if index is not None and max(1, question.low) <= _count(line.at(index).samples) <= question.high
    ]
    if found:
        best = min(found, key=lambda index: abs(_count(line.at(index).samples) - samples))
        return Reachability(reachable=True, outcome=_plain(line, best), at_frames=at_frames)
    # The neighbours told are those of samples alone: which other request would have given nearly this length.
    below, above = _beside(line, samples, 0, line.last)
    return Reachability(
        reachable=False,
        below=None if below is None else _plain(line, below),
        above=None if above is None else _plain(line, above),
        at_frames=at_frames,
    )


def _beside(line: _Line, samples: int, start: int, end: int) -> tuple[int | None, int | None]:
    """Indices of the greatest count not above ``samples`` and the least not below it; the same one where it is met."""

    def count(index: int) -> int:
        return _count(line.at(index).samples)

    # Nobody means a request for an empty track, so none counts as reachable.
    least = max(1, samples)
    first = line.first(lambda outcome: _count(outcome.samples) >= least, start, end)
    if first is None:
        # The counts end below: name the least request that gives the greatest of them.
        most = count(end)
        first = line.first(lambda outcome: _count(outcome.samples) >= most, start, end) or start
    window = range(max(start, first - _WINDOW), min(end, first + _WINDOW) + 1)
    above = min((i for i in window if count(i) >= least), key=lambda i: (count(i), i), default=None)
    below = max((i for i in window if 0 < count(i) <= samples), key=lambda i: (count(i), -i), default=None)
    return below, above


def solve(route: Route, request: Mapping[str, Fraction]) -> Outcome:
    """The outcome of a request that names a result (latents, say) in place of the route's driver.

    Raises:
        ContractError: no request gives it, or several do and their lengths differ.
    """
    line = _Line(route, request)
    variables = {variable.name for variable in route.variables}
    name = next(name for name in request if name not in variables)
    wanted = request[name]

    def value(index: int) -> Fraction:
        return line.at(index).value(name) or Fraction(0)

    first = line.first(lambda outcome: (outcome.value(name) or 0) >= wanted, 0, line.last)
    if first is None or value(first) != wanted:
        beside = [] if first is None else [index for index in (first - 1, first) if index >= 0]
        nearest = " and ".join(str(value(index)) for index in beside)
        raise ContractError(f"no request gives {name} = {wanted}" + (f"; the nearest are {nearest}" if nearest else ""))
    after = line.first(lambda outcome: (outcome.value(name) or 0) > wanted, first, line.last)
    final = line.at(line.last if after is None else after - 1)
    outcome = line.at(first)
    if (final.samples, final.frames) != (outcome.samples, outcome.frames):
        driver = "" if line.driver is None else line.driver.name
        raise ContractError(f"several requests give {name} = {wanted}, and their lengths differ; give {driver}")
    outcome = _plain(line, first)
    driven = {} if line.driver is None else {line.driver.name: outcome.value(line.driver.name) or Fraction(0)}
    return route.evaluate({**request, **driven})


def _off_grid(line: _Line, frames: int) -> Outcome | None:
    """What the formulas make of ``frames``; None where they cannot (too few for a first latent)."""
    try:
        return line.of(Fraction(frames)) if frames > 0 else None
    except ContractError:
        return None


def _plain(line: _Line, index: int) -> Outcome:
    """The outcome at ``index``, by the simplest request that gives the same counts: 10 s, not 167772161/16777216 s."""
    outcome = line.at(index)
    if line.driver is None or line.driver.domain in ("grid", "count"):
        return outcome

    def beyond(other: Outcome) -> bool:
        return _count(other.samples) > _count(outcome.samples) or _count(other.frames) > _count(outcome.frames)

    def arrived(other: Outcome) -> bool:
        return _count(other.samples) >= _count(outcome.samples) and _count(other.frames) >= _count(outcome.frames)

    first = line.first(arrived, 0, index)
    after = line.first(beyond, index, line.last)
    last = line.last if after is None else after - 1
    value = simplest_between(line.driver.at(index if first is None else first), line.driver.at(last))
    plainer = line.of(value)
    same = (plainer.samples, plainer.frames) == (outcome.samples, outcome.frames)
    return plainer if same else outcome


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the least denominator in [low, high], 0 < low <= high, by the Stern-Brocot tree."""
    whole = low.numerator // low.denominator
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


def _count(value: int | None) -> int:
    return 0 if value is None else value
