"""Where the work is done: on this machine (``local``), or on a cluster (``on_ray``: nothing else knows of Ray)."""

from mediacheck.batch.engines.engine import Engine

__all__ = ["Engine"]
