"""What can be wrong with a manifest or a run folder."""

from __future__ import annotations

from mediacheck.errors import MediacheckError


class ManifestError(MediacheckError, ValueError):
    """A manifest cannot be read, or has lines that cannot be used."""


class RunError(MediacheckError, ValueError):
    """A run folder is none, is of another identity, or is being written by another process."""


class RemoteError(MediacheckError):
    """URLs of a scheme cannot be read here: a library is missing, or nothing knows the scheme."""
