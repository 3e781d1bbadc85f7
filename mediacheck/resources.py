"""Where the data files of mediacheck lie: inside the installed package, or beside it in a source checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from mediacheck.errors import MediacheckError


def validators_root() -> Traversable:
    """The folder of validators and contracts: ``v1/``, ``v2/``, ``contracts/``, ``LOCK``.

    Raises:
        MediacheckError: if the installation lacks its data files.
    """
    return _data("validators")


def references_root() -> Traversable:
    """The folder of reference sets, one folder each.

    Raises:
        MediacheckError: if the installation lacks its data files.
    """
    return _data("references")


def _data(name: str) -> Traversable:
    installed = files("mediacheck") / "data" / name
    if installed.is_dir():
        return installed
    checkout = Path(__file__).resolve().parent.parent / name
    if checkout.is_dir():
        return checkout
    raise MediacheckError(f"the data files of mediacheck ({name}/) are missing; install the package again")
