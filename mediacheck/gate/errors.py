"""What can be wrong with a policy or with what it is applied to."""

from __future__ import annotations

from mediacheck.errors import MediacheckError


class PolicyError(MediacheckError, ValueError):
    """A policy is malformed, asks for what there is not, or belongs to another workload."""


class GateError(MediacheckError, ValueError):
    """Runs that cannot be put before a gate: one folder named twice, too few for a calibration."""
