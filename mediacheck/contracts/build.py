"""From the tables of a file to a contract whose formulas, growth and examples are checked."""

from __future__ import annotations

import re
from fractions import Fraction

from mediacheck.arithmetic import compile_expression, is_name, parse_number
from mediacheck.contracts.contract import Contract, Example, Presence
from mediacheck.contracts.file import (
    AudioTable,
    ContractFile,
    ExampleTable,
    Number,
    RouteTable,
    VariableTable,
    VideoTable,
)
from mediacheck.contracts.routes import Domain, Formula, FrameGrid, Outcome, Quantity, Route, Variable
from mediacheck.errors import ContractError

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
ROUTE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

# Indices of the driver at which a new contract must not have fallen back: enough to catch a formula that shrinks.
_GROWTH = (0, 1, 2, 3, 7, 15, 63, 255, 1023, 4095, 2**14, 2**16, 2**18, 2**20, 2**24, 2**28, 2**31, 2**34)


def build(file: ContractFile, where: str) -> Contract:
    """The contract that ``file`` describes, its formulas and examples checked.

    Args:
        file: the parsed tables.
        where: the file's name, for messages.

    Raises:
        ContractError: saying what is malformed.
    """
    if not ID.fullmatch(file.id):
        raise ContractError(f"{where}: id = {file.id[:40]!r} must be letters, digits, '.', '_' and '-'")
    try:
        return _assemble(file)
    except ContractError as error:
        raise ContractError(f"contract {file.id} ({where}): {error}") from None


def _assemble(file: ContractFile) -> Contract:
    audio, video = file.audio or AudioTable(), file.video or VideoTable()
    for name, value in (("sample_rate", audio.sample_rate), ("channels", audio.channels)):
        if value is not None and value < 1:
            raise ContractError(f"[audio] {name} = {value} must be 1 or more")
    grid = _grid(video)
    fps = _number(video.fps)
    if fps is not None and fps <= 0:
        raise ContractError(f"[video] fps = {fps} must be greater than 0")
    # Without either table nothing is known of the streams, and neither may count as one too many.
    presence: Presence = "optional" if file.audio is None and file.video is None else "absent"
    has_video = _presence(file.video, presence) == "required"
    routes = tuple(_route(table, audio, video, fps, grid, has_video=has_video) for table in file.routes)
    if len({route.name for route in routes}) != len(routes):
        raise ContractError("two routes have the same name")
    rates = [route.sample_rate for route in routes] or [audio.sample_rate]
    contract = Contract(
        id=file.id,
        title=file.title,
        status=file.status,
        source=file.source,
        notes=file.notes.strip(),
        container=file.container,
        audio=_presence(file.audio, presence),
        sample_rates=tuple(dict.fromkeys(rate for rate in rates if rate is not None)),
        channels=audio.channels,
        hop=_number(audio.hop),
        latent_rate=_number(audio.latent_rate),
        video=_presence(file.video, presence),
        fps=fps,
        fps_fixed=video.fps_fixed,
        frame_grid=grid,
        routes=routes,
        duration_limits=file.duration_limit,
        examples=tuple(_example(table) for table in file.example),
    )
    if contract.enforceable and not routes:
        raise ContractError("it has no formulas, so no file can be held against it")
    for number, example in enumerate(contract.examples, start=1):
        _prove(contract, example, number)
    return contract


def _presence(table: AudioTable | VideoTable | None, without: Presence) -> Presence:
    if table is None:
        return without
    return "optional" if table.optional else "required"


def _grid(video: VideoTable) -> FrameGrid | None:
    if video.grid is None:
        return None
    table = video.grid
    if table.step < 1:
        raise ContractError(f"[video.grid] step = {table.step} must be 1 or more")
    # 4n + 0 starts at 4: nobody makes a picture of no frames.
    least = table.offset if table.offset >= 1 else (table.offset - 1) % table.step + 1
    minimum = table.minimum if table.minimum is not None else least
    if minimum < 1 or (minimum - table.offset) % table.step != 0:
        raise ContractError(f"[video.grid] minimum = {minimum} must be 1 or more, and on the grid")
    return FrameGrid(step=table.step, offset=table.offset, minimum=minimum)


def _number(value: Number | None) -> Fraction | None:
    return None if value is None else _fraction(value)


def _fraction(value: Number) -> Fraction:
    return Fraction(value) if isinstance(value, int) else parse_number(value)


def _route(
    table: RouteTable,
    audio: AudioTable,
    video: VideoTable,
    fps: Fraction | None,
    grid: FrameGrid | None,
    *,
    has_video: bool,
) -> Route:
    if not ROUTE.fullmatch(table.name):
        raise ContractError(f"route name {table.name[:40]!r} must be small letters, digits and '-'")
    sample_rate = table.sample_rate if table.sample_rate is not None else audio.sample_rate
    known = {
        "sample_rate": None if sample_rate is None else Fraction(sample_rate),
        "hop": _number(audio.hop),
        "latent_rate": _number(audio.latent_rate),
        "fps": fps if video.fps_fixed else None,
    }
    constants = tuple(Quantity(name, value) for name, value in known.items() if value is not None)
    variables = [_variable(name, variable, grid) for name, variable in table.request.items()]
    if fps is not None and not video.fps_fixed and "fps" not in table.request:
        variables.append(Variable(name="fps", domain="number", default=fps, note="frames per second"))
    drivers = [variable.name for variable in variables if variable.assumed is None]
    if len(drivers) > 1:
        raise ContractError(
            f"{' and '.join(drivers)} have neither default nor probe; a backward search needs a value for all but one"
        )
    route = Route(
        name=table.name,
        note=table.note,
        sample_rate=sample_rate,
        has_video=has_video,
        constants=constants,
        variables=tuple(variables),
        formulas=tuple(Formula(name=name, expression=text) for name, text in table.formulas.items()),
    )
    _check_names(route)
    _check_growth(route)
    return route


def _variable(name: str, table: VariableTable, grid: FrameGrid | None) -> Variable:
    if table.multiple is not None:
        if table.multiple < 1 or table.domain not in (None, "grid"):
            raise ContractError(f"{name}: multiple must be 1 or more, and stand without another domain")
        grid = FrameGrid(step=table.multiple, offset=0, minimum=table.multiple)
    by_default: Domain = "grid" if grid is not None and (name == "frames" or table.multiple is not None) else "count"
    domain = table.domain or by_default
    if domain == "grid" and grid is None:
        raise ContractError(f"{name} is on the grid, but there is no [video.grid]")
    variable = Variable(
        name=name,
        domain=domain,
        grid=grid if domain == "grid" else None,
        default=_number(table.default),
        probe=_number(table.probe),
        minimum=_number(table.minimum),
        maximum=_number(table.maximum),
        note=table.note,
    )
    for value in (variable.default, variable.probe):
        if value is not None:
            variable.check(value)
    return variable


def _check_names(route: Route) -> None:
    known = {constant.name for constant in route.constants}
    for name in [*(v.name for v in route.variables), *(f.name for f in route.formulas)]:
        if not is_name(name) or name in known:
            raise ContractError(f"{name!r} cannot name a quantity: it is a word of the format or already given")
        formula = next((f for f in route.formulas if f.name == name), None)
        if formula is not None:
            unknown = sorted(compile_expression(formula.expression).names - known)
            if unknown:
                raise ContractError(
                    f"{name} = {formula.expression!r} reads {', '.join(unknown)}, which nothing above it gives"
                )
        known.add(name)


def _check_growth(route: Route) -> None:
    """A backward search bisects, so counts must grow with the driver."""
    if route.driver is None:
        return
    indices = [index for index in _GROWTH if index <= route.driver.last]
    assumed = {v.name: v.assumed for v in route.variables if v.assumed is not None}
    before: Outcome | None = None
    for index in indices:
        value = route.driver.at(index)
        outcome = route.evaluate({**assumed, route.driver.name: value}, check=False)
        for name in ("samples", "frames"):
            was, now = getattr(before, name, None), getattr(outcome, name)
            if was is not None and now is not None and now < was:
                raise ContractError(f"{name} falls from {was} to {now} as {route.driver.name} grows to {value}")
        before = outcome


def _example(table: ExampleTable) -> Example:
    return Example(
        route=table.route,
        request=tuple(Quantity(name, _fraction(value)) for name, value in table.request.items()),
        gives=tuple(Quantity(name, _fraction(value)) for name, value in table.gives.items()),
    )


def _prove(contract: Contract, example: Example, number: int) -> None:
    try:
        outcome = contract.forward({q.name: q.value for q in example.request}, route=example.route)
    except ContractError as error:
        raise ContractError(f"example {number}: {error}") from None
    for quantity in example.gives:
        value = outcome.value(quantity.name)
        if quantity.name in ("audio_seconds", "video_seconds"):
            value = getattr(outcome, quantity.name)
        if value != quantity.value:
            raise ContractError(f"example {number} says {quantity.name} = {quantity.value}; the formulas give {value}")
