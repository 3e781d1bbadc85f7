"""One way in which a contract's model gets from a request to a length: named variables, then ordered formulas."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from mediacheck.arithmetic import compile_expression
from mediacheck.errors import ContractError
from mediacheck.facts import Struct

Domain = Literal["grid", "count", "seconds", "number"]

# Seconds are searched on a grid this fine: some 350 points to a sample of 48 kHz.
SECONDS_GRID = 2**24
# Where a search gives up: 10**12 frames or tokens, 190 days.
_MOST_COUNTS = 2**40
_MOST_SECONDS = 2**24

_COUNTED = ("samples", "frames", "latents", "tokens")


class Quantity(Struct, frozen=True, kw_only=False):
    """A named value."""

    name: str
    value: Fraction


class FrameGrid(Struct, frozen=True, kw_only=True):
    """The frame counts that a video model can make: ``step`` · n + ``offset``, from ``minimum`` on."""

    step: int
    offset: int
    minimum: int

    def contains(self, frames: int) -> bool:
        return frames >= self.minimum and (frames - self.offset) % self.step == 0

    def nearest(self, frames: int) -> tuple[int | None, int]:
        """The greatest count on the grid not above ``frames`` (None below the minimum), and the least not below it."""
        if frames < self.minimum:
            return None, self.minimum
        below = frames - (frames - self.offset) % self.step
        return below, below if below == frames else below + self.step

    def __str__(self) -> str:
        return f"{self.step}n + {self.offset}" if self.offset else f"{self.step}n"


class Variable(Struct, frozen=True, kw_only=True):
    """What the caller of a model chooses.

    A ``grid`` variable is a count on a grid, a ``count`` any whole number, ``seconds`` and ``number`` any fraction.
    Without a ``minimum`` each must be greater than 0.
    """

    name: str
    domain: Domain
    grid: FrameGrid | None = None
    default: Fraction | None = None
    """What the reference implementation takes where the caller says nothing."""
    probe: Fraction | None = None
    """What a backward search takes where the caller's value is unknown, and there is no default to assume."""
    minimum: Fraction | None = None
    maximum: Fraction | None = None
    note: str = ""

    @property
    def assumed(self) -> Fraction | None:
        """The value of a backward search; None for the variable that the search is over."""
        return self.probe if self.probe is not None else self.default

    def check(self, value: Fraction) -> None:
        """Refuse a value that the caller could not have asked for.

        Raises:
            ContractError: naming the nearest that is allowed.
        """
        if self.domain in ("grid", "count") and value.denominator != 1:
            raise ContractError(f"{self.name} = {value} must be a whole number")
        if self.grid is not None and not self.grid.contains(int(value)):
            below, above = self.grid.nearest(int(value))
            nearest = f"the nearest is {above}" if below is None else f"the nearest are {below} and {above}"
            raise ContractError(f"{self.name} = {value} is not on the grid {self.grid}; {nearest}")
        if self.minimum is None and value <= 0:
            least = "; the least is 1" if self.domain == "count" else ""
            raise ContractError(f"{self.name} = {value} must be greater than 0{least}")
        if self.minimum is not None and value < self.minimum:
            raise ContractError(f"{self.name} = {value} is too small; the least is {self.minimum}")
        if self.maximum is not None and value > self.maximum:
            raise ContractError(f"{self.name} = {value} is too large; the greatest is {self.maximum}")

    @property
    def _first(self) -> Fraction:
        if self.grid is not None:
            return Fraction(self.grid.minimum)
        if self.minimum is not None:
            return self.minimum
        return Fraction(1) if self.domain == "count" else Fraction(1, SECONDS_GRID)

    @property
    def _step(self) -> Fraction:
        if self.grid is not None:
            return Fraction(self.grid.step)
        return Fraction(1) if self.domain == "count" else Fraction(1, SECONDS_GRID)

    def at(self, index: int) -> Fraction:
        """The value number ``index`` of the domain, counted from 0; fractions are taken 2**-24 apart."""
        return self._first + index * self._step

    @property
    def last(self) -> int:
        """The greatest index that a search looks at."""
        most = _MOST_COUNTS if self.domain in ("grid", "count") else _MOST_SECONDS
        greatest = Fraction(most) if self.maximum is None else min(self.maximum, Fraction(most))
        return max(0, int((greatest - self._first) // self._step))


class Formula(Struct, frozen=True, kw_only=True):
    name: str
    expression: str


class Outcome(Struct, frozen=True, kw_only=True):
    """What one request gives, exactly."""

    route: str
    values: tuple[Quantity, ...]
    """The request, then every formula's value, in their order."""
    samples: int | None = None
    """Per channel; None where the contract gives no count."""
    frames: int | None = None
    """Of the video stream; None where the contract describes none."""
    latents: int | None = None
    tokens: int | None = None
    audio_seconds: Fraction | None = None
    video_seconds: Fraction | None = None

    def value(self, name: str) -> Fraction | None:
        """The quantity of that name, None where there is none."""
        return next((quantity.value for quantity in self.values if quantity.name == name), None)


class Route(Struct, frozen=True, kw_only=True):
    """Variables, constants and formulas; the formulas are computed in order, each reading what stands before it."""

    name: str
    note: str = ""
    sample_rate: int | None = None
    """Hz."""
    has_video: bool = False
    constants: tuple[Quantity, ...] = ()
    variables: tuple[Variable, ...] = ()
    formulas: tuple[Formula, ...] = ()

    @property
    def driver(self) -> Variable | None:
        """The variable that a backward search runs over; None where the length is fixed."""
        return next((variable for variable in self.variables if variable.assumed is None), None)

    @property
    def names(self) -> frozenset[str]:
        """What the route takes or computes."""
        return frozenset(v.name for v in self.variables) | frozenset(f.name for f in self.formulas)

    def takes(self, names: frozenset[str]) -> bool:
        """Whether a request of these names can be answered."""
        needed = frozenset(v.name for v in self.variables if v.default is None)
        constants = frozenset(constant.name for constant in self.constants)
        return needed <= names <= self.names | constants

    def can_solve(self, names: frozenset[str]) -> bool:
        """Whether a request of these names can be answered by searching for the driver."""
        driver = self.driver
        results = frozenset(formula.name for formula in self.formulas)
        return (
            driver is not None
            and driver.name not in names
            and bool(names & results)
            and self.takes(names | {driver.name})
        )

    def gives(self, name: str) -> bool:
        """Whether an outcome of this route tells ``name`` of a file's own stream."""
        return name in self.names and (name != "frames" or self.has_video)

    def evaluate(self, request: Mapping[str, Fraction], *, check: bool = True) -> Outcome:
        """The outcome of a request.

        Args:
            request: values of variables; a formula or a constant may be named too, and must then come out as given.
            check: False computes a request that is outside of its domain, to tell what it would have given.

        Raises:
            ContractError: a value outside of its domain, or one that contradicts the formulas.
        """
        values = {constant.name: constant.value for constant in self.constants}
        taken: list[Quantity] = []
        for variable in self.variables:
            value = request.get(variable.name, variable.default)
            if value is None:
                raise ContractError(f"{variable.name} is needed: {variable.note or variable.domain}")
            if check:
                variable.check(value)
            values[variable.name] = value
            taken.append(Quantity(variable.name, value))
        for formula in self.formulas:
            values[formula.name] = compile_expression(formula.expression).evaluate(values)
            taken.append(Quantity(formula.name, values[formula.name]))
        for name, value in request.items():
            if values.get(name) != value:
                raise ContractError(f"{name} is {values.get(name)} by this contract, not {value}")
        return self._outcome(values, tuple(taken))

    def _outcome(self, values: Mapping[str, Fraction], taken: tuple[Quantity, ...]) -> Outcome:
        counts: dict[str, int | None] = {}
        for name in _COUNTED:
            value = values.get(name)
            if value is not None and (value.denominator != 1 or value < 0):
                raise ContractError(f"{name} comes out as {value}, which is no count; round it by name in its formula")
            counts[name] = None if value is None else int(value)
        samples, frames, fps = counts["samples"], counts["frames"], values.get("fps")
        if not self.has_video:
            frames = None
        return Outcome(
            route=self.name,
            values=taken,
            samples=samples,
            frames=frames,
            latents=counts["latents"],
            tokens=counts["tokens"],
            audio_seconds=Fraction(samples, self.sample_rate) if samples is not None and self.sample_rate else None,
            video_seconds=frames / fps if frames is not None and fps else None,
        )
