"""The contracts that are shipped, and the user's own files."""

from __future__ import annotations

from pathlib import Path

from mediacheck.contracts.build import ID, ROUTE, build
from mediacheck.contracts.contract import Contract
from mediacheck.contracts.file import read_contract_file
from mediacheck.errors import ContractError
from mediacheck.resources import validators_root


def list_contracts() -> tuple[Contract, ...]:
    """Every contract that is shipped, by id.

    Raises:
        ContractError: if one of them is malformed.
    """
    return tuple(load_contract(name) for name in _shipped())


def load_contract(name_or_path: str | Path) -> Contract:
    """A shipped contract by its id, or the user's own by its path.

    ``id:route`` and ``file.toml:route`` hold a file to one route only.

    Raises:
        ContractError: unknown (naming near matches), unreadable or malformed.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, str) and _is_id(text):
        name, _, route = text.partition(":")
        shipped = _shipped()
        if name not in shipped:
            import difflib

            near = difflib.get_close_matches(name, shipped, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "'mediacheck contracts list' names them all"
            raise ContractError(f"there is no contract {name!r}; {hint}")
        data, where = (validators_root() / "contracts" / f"{name}.toml").read_bytes(), f"{name}.toml"
    else:
        path, route = _split_path(text)
        try:
            data, where = path.read_bytes(), path.name
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ContractError(f"the contract file {path} cannot be read: {reason}") from None
    contract = build(read_contract_file(data, where), where)
    return contract.only(route) if route else contract


def _is_id(text: str) -> bool:
    name, _, route = text.partition(":")
    return bool(ID.fullmatch(name)) and not name.endswith(".toml") and (not route or bool(ROUTE.fullmatch(route)))


def _split_path(text: str) -> tuple[Path, str]:
    # A drive letter has a colon too: only what follows .toml is a route.
    file, separator, route = text.rpartition(".toml:")
    return (Path(file + ".toml"), route) if separator else (Path(text), "")


def _shipped() -> list[str]:
    folder = validators_root() / "contracts"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
