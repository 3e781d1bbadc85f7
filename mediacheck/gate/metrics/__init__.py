"""Numbers of an item that a rule may speak of; one file a family."""

from mediacheck.gate.metrics.metric import Metric, Reading, RunContext
from mediacheck.gate.metrics.registry import find_metric, metric_names

__all__ = ["Metric", "Reading", "RunContext", "find_metric", "metric_names"]
