"""The errors that mediacheck raises. Media that cannot be decoded is a finding, never one of these."""


class MediacheckError(Exception):
    """Something the caller can put right: the message says what was wrong, where, and what to do."""


class UsageError(MediacheckError, ValueError):
    """A wrong option, argument or expectation."""


class PathError(MediacheckError, FileNotFoundError):
    """A named path is not there, or is not something that can be read."""

    # FileNotFoundError.__str__ speaks of errno; ours carry one sentence.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ValidatorError(MediacheckError, ValueError):
    """A validator is unknown, malformed, or differs from what was frozen."""


class ContractError(MediacheckError, ValueError):
    """A contract is unknown, malformed, or asked for something that it does not define."""


class FactsError(MediacheckError, ValueError):
    """A saved facts file is not one, or is of another schema."""


class InstallationError(MediacheckError):
    """A part of mediacheck itself is missing or does not fit the rest."""


class ScoringError(MediacheckError, ValueError):
    """Scores that cannot be put together: of different identities, or none at all."""
