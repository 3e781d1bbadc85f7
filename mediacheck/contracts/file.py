"""A contract as it stands in its TOML file, before anything is computed: schema ``mediacheck.contract/1``."""

from __future__ import annotations

import tomllib
from typing import Literal

import msgspec

from mediacheck.contracts.routes import Domain
from mediacheck.errors import ContractError
from mediacheck.facts import Struct
from mediacheck.serialise import convert

Status = Literal["verified-in-source", "reported-in-issue", "unverified", "user"]

# Whole numbers, decimals and "num/den": a decimal is kept as it is written and never becomes a float.
Number = int | str

_MOST_BYTES = 200_000
_MOST_ROUTES = 20
_MOST_FORMULAS = 50


class AudioTable(Struct, frozen=True, kw_only=True):
    sample_rate: int | None = None
    channels: int | None = None
    hop: Number | None = None
    latent_rate: Number | None = None
    optional: bool = False


class GridTable(Struct, frozen=True, kw_only=True):
    step: int
    offset: int
    minimum: int | None = None


class VideoTable(Struct, frozen=True, kw_only=True):
    fps: Number | None = None
    fps_fixed: bool = True
    grid: GridTable | None = None
    optional: bool = False


class VariableTable(Struct, frozen=True, kw_only=True):
    domain: Domain | None = None
    default: Number | None = None
    probe: Number | None = None
    minimum: Number | None = None
    maximum: Number | None = None
    multiple: int | None = None
    note: str = ""


class RouteTable(Struct, frozen=True, kw_only=True):
    name: str
    note: str = ""
    sample_rate: int | None = None
    request: dict[str, VariableTable] = msgspec.field(default_factory=dict)
    formulas: dict[str, str] = msgspec.field(default_factory=dict)


class ExampleTable(Struct, frozen=True, kw_only=True):
    route: str | None = None
    request: dict[str, Number] = msgspec.field(default_factory=dict)
    gives: dict[str, Number] = msgspec.field(default_factory=dict)


class DurationLimit(Struct, frozen=True, kw_only=True):
    """What an implementation or a model card admits: information, never a reason to fail a file."""

    by: str
    unit: Literal["seconds", "frames"]
    low: int | None = None
    high: int | None = None


class ContractFile(Struct, frozen=True, kw_only=True):
    """All tables of one file."""

    schema: Literal["mediacheck.contract/1"]
    id: str
    title: str = ""
    status: Status = "user"
    source: tuple[str, ...] = ()
    notes: str = ""
    container: str = ""
    audio: AudioTable | None = None
    video: VideoTable | None = None
    request: dict[str, VariableTable] = msgspec.field(default_factory=dict)
    formulas: dict[str, str] = msgspec.field(default_factory=dict)
    route: tuple[RouteTable, ...] = ()
    example: tuple[ExampleTable, ...] = ()
    duration_limit: tuple[DurationLimit, ...] = ()

    @property
    def routes(self) -> tuple[RouteTable, ...]:
        """The routes; the tables ``request`` and ``formulas`` at the top are one route named ``default``."""
        if self.route or not (self.request or self.formulas):
            return self.route
        return (RouteTable(name="default", request=self.request, formulas=self.formulas),)


def read_contract_file(data: bytes, where: str) -> ContractFile:
    """Parse the bytes of a contract.

    Args:
        data: TOML.
        where: the file's name, for messages.

    Raises:
        ContractError: not TOML, an unknown key, a value of the wrong kind, or more than a contract can need.
    """
    if len(data) > _MOST_BYTES:
        raise ContractError(f"{where}: {len(data)} bytes are too many for a contract")
    try:
        tables = tomllib.loads(data.decode("utf-8"), parse_float=str)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ContractError(f"{where}: not a TOML file: {error}") from None
    try:
        contract = convert(tables, ContractFile)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ContractError(f"{where}: {error}") from None
    if contract.route and (contract.request or contract.formulas):
        raise ContractError(f"{where}: write either [[route]] tables or one [request] and [formulas], not both")
    if len(contract.routes) > _MOST_ROUTES or any(len(route.formulas) > _MOST_FORMULAS for route in contract.routes):
        raise ContractError(f"{where}: more than {_MOST_ROUTES} routes or {_MOST_FORMULAS} formulas in one")
    return contract
