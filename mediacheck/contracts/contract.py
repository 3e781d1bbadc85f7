"""A contract as it is held against files: ``forward`` from a request to a length, ``backward`` from a length to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from mediacheck.contracts.file import DurationLimit, Status
from mediacheck.contracts.reachability import Question, Reachability, reach, solve
from mediacheck.contracts.routes import FrameGrid, Outcome, Quantity, Route
from mediacheck.errors import ContractError
from mediacheck.facts import Struct
from mediacheck.serialise import to_compact_json

Presence = Literal["required", "optional", "absent"]

_PROMISED: dict[Presence, bool | None] = {"required": True, "optional": None, "absent": False}


class Example(Struct, frozen=True, kw_only=True):
    """A request and what it must give; checked whenever the contract is loaded."""

    route: str | None
    request: tuple[Quantity, ...]
    gives: tuple[Quantity, ...]


class Contract(Struct, frozen=True, kw_only=True):
    """What a model or codec can produce. ``None`` stands for what its source does not say."""

    id: str
    title: str
    status: Status
    source: tuple[str, ...]
    notes: str
    container: str
    """How the reference implementation writes its files."""
    audio: Presence
    sample_rates: tuple[int, ...]
    """Hz; several where a route resamples."""
    channels: int | None
    hop: Fraction | None
    """Samples of one latent."""
    latent_rate: Fraction | None
    """Audio latents per second."""
    video: Presence
    fps: Fraction | None
    """Frames per second: the model's, or the default."""
    fps_fixed: bool
    """False where the rate is the caller's argument and ``fps`` only its default."""
    frame_grid: FrameGrid | None
    routes: tuple[Route, ...]
    duration_limits: tuple[DurationLimit, ...]
    examples: tuple[Example, ...]

    @property
    def enforceable(self) -> bool:
        """Whether a file may fail by it: read in source, or the user's own word."""
        return self.status in ("verified-in-source", "user")

    @property
    def digest(self) -> str:
        """``"sha256:…"`` of the content; comments and layout of the file do not count."""
        return "sha256:" + hashlib.sha256(to_compact_json(self)).hexdigest()

    @property
    def sample_rate(self) -> int | None:
        """Hz; None where it is not known or differs between routes (see ``sample_rates``)."""
        return self.sample_rates[0] if len(self.sample_rates) == 1 else None

    @property
    def has_audio(self) -> bool | None:
        """Whether a file of this model has an audio stream; None where it may have one that is not the model's."""
        return _PROMISED[self.audio]

    @property
    def has_video(self) -> bool | None:
        """Whether a file of this model has a video stream; None where it may have one that is not the model's."""
        return _PROMISED[self.video]

    @property
    def decides_samples(self) -> bool:
        """Whether it says anything about the count of samples."""
        return any(route.gives("samples") for route in self.routes)

    @property
    def decides_frames(self) -> bool:
        return any(route.gives("frames") for route in self.routes)

    def routes_at(self, sample_rate: int | None) -> tuple[Route, ...]:
        """The routes that give this rate (Hz) or state none; all of them for None."""
        return tuple(r for r in self.routes if sample_rate is None or r.sample_rate in (None, sample_rate))

    def only(self, route: str) -> Contract:
        """The same contract, held to one of its routes; its id becomes ``id:route``.

        Raises:
            ContractError: naming the routes that there are.
        """
        kept = tuple(r for r in self.routes if r.name == route)
        if not kept:
            raise ContractError(f"contract {self.id} has no route {route!r}; it has {self._route_names()}")
        return Contract(
            **{
                **{name: getattr(self, name) for name in self.__struct_fields__},
                "id": f"{self.id}:{route}",
                "routes": kept,
                "sample_rates": tuple(r.sample_rate for r in kept if r.sample_rate is not None),
                "examples": tuple(e for e in self.examples if self._answering(e.request, e.route).name == route),
            }
        )

    def forward(
        self,
        request: Mapping[str, int | Fraction] | None = None,
        /,
        *,
        route: str | None = None,
        sample_rate: int | None = None,
        **values: int | Fraction,
    ) -> Outcome:
        """What a request gives: ``contract.forward(frames=362)``.

        A result may stand in for what is asked for, where one request only gives it: ``contract.forward(latents=603)``.

        Args:
            request: values by name, as a mapping; more may be given by keyword.
            route: which way to take; by default the first that takes these names.
            sample_rate: Hz; leaves out the routes that give another rate.

        Raises:
            ContractError: names that no route takes, or a value outside of its domain (naming the nearest allowed).
        """
        asked = tuple(Quantity(name, Fraction(value)) for name, value in {**(request or {}), **values}.items())
        chosen = self._answering(asked, route, sample_rate)
        named = {quantity.name: quantity.value for quantity in asked}
        try:
            if chosen.takes(frozenset(named)):
                return chosen.evaluate(named)
            return solve(chosen, named)
        except ContractError as error:
            raise ContractError(f"contract {self.id}: {error}") from None

    def backward(
        self,
        samples: int | None = None,
        frames: int | None = None,
        fps: Fraction | None = None,
        samples_low: int | None = None,
        samples_high: int | None = None,
        *,
        sample_rate: int | None = None,
    ) -> Reachability:
        """Whether any request gives this length, and what the nearest lengths are.

        With ``frames`` on the contract's own video, the samples must be those of exactly these frames. What the
        contract does not decide (see ``decides_samples``, ``decides_frames``) is left out of account.

        Args:
            samples: per channel.
            frames: of the video stream.
            fps: the file's rate, used where the contract leaves the rate to the caller.
            samples_low: with ``samples_high``, any count between them will do: the container cannot say exactly.
            samples_high: see ``samples_low``.
            sample_rate: Hz; leaves out the routes that give another rate.

        Raises:
            ContractError: nothing that the contract decides was asked.
        """
        low = samples_low if samples_low is not None else samples
        high = samples_high if samples_high is not None else samples
        likely = samples if samples is not None else low if low is not None else high
        if not ((likely is not None and self.decides_samples) or (frames is not None and self.decides_frames)):
            raise ContractError(f"contract {self.id} does not decide the length that was asked for")
        question = Question(
            samples=likely,
            low=low if low is not None else 0,
            high=high if high is not None else likely or 0,
            frames=frames if self.decides_frames else None,
            fps=fps,
        )
        answers = []
        for route in self.routes_at(sample_rate):
            try:
                answer = reach(route, question)
            except ContractError as error:
                raise ContractError(f"contract {self.id}: {error}") from None
            if answer.reachable:
                return answer
            answers.append(answer)
        return _nearest(answers)

    def _answering(self, asked: tuple[Quantity, ...], route: str | None, sample_rate: int | None = None) -> Route:
        names = frozenset(quantity.name for quantity in asked)
        routes = [r for r in self.routes_at(sample_rate) if route in (None, r.name)]
        if self.routes and not self.routes_at(sample_rate):
            rates = " or ".join(map(str, self.sample_rates))
            raise ContractError(f"contract {self.id} has no route at {sample_rate} Hz; it gives {rates} Hz")
        if not routes:
            missing = (
                f"route {route!r}; it has {self._route_names()}" if route else "formulas: too little is known of it"
            )
            raise ContractError(f"contract {self.id} has no {missing}")
        fitting = [r for r in routes if r.takes(names)] or [r for r in routes if r.can_solve(names)]
        if not fitting:
            takes = " or ".join(sorted({", ".join(v.name for v in r.variables) or "nothing" for r in routes}))
            got = ", ".join(sorted(names)) or "nothing"
            raise ContractError(f"contract {self.id} takes {takes}; it got {got}")
        return next((r for r in fitting if names <= {v.name for v in r.variables}), fitting[0])

    def _route_names(self) -> str:
        return ", ".join(r.name for r in self.routes) or "none"


def _nearest(answers: list[Reachability]) -> Reachability:
    def size(outcome: Outcome) -> tuple[int, int]:
        return outcome.samples or 0, outcome.frames or 0

    below = [answer.below for answer in answers if answer.below is not None]
    above = [answer.above for answer in answers if answer.above is not None]
    return Reachability(
        reachable=False,
        below=max(below, key=size, default=None),
        above=min(above, key=size, default=None),
        at_frames=next((answer.at_frames for answer in answers if answer.at_frames is not None), None),
    )
