"""What a model or codec can produce, sample for sample: contracts, read from TOML and computed exactly."""

from mediacheck.contracts.contract import Contract, Example
from mediacheck.contracts.file import DurationLimit
from mediacheck.contracts.library import list_contracts, load_contract
from mediacheck.contracts.reachability import Reachability
from mediacheck.contracts.routes import Formula, FrameGrid, Outcome, Quantity, Route, Variable

__all__ = [
    "Contract",
    "DurationLimit",
    "Example",
    "Formula",
    "FrameGrid",
    "Outcome",
    "Quantity",
    "Reachability",
    "Route",
    "Variable",
    "list_contracts",
    "load_contract",
]
