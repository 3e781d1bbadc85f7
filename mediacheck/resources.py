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
    installed = files("mediacheck") / "data" / "validators"
    if installed.is_dir():
        return installed
    checkout = Path(__file__).resolve().parent.parent / "validators"
    if checkout.is_dir():
        return checkout
    raise MediacheckError("the data files of mediacheck (validators/) are missing; install the package again")
