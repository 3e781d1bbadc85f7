"""What a check or a rule of a gate does, why it matters, how it is computed, an example, and how to mend the cause.

The texts are Markdown beside the code that they speak of (``checks/explained/audio.finite@1.md``,
``gate/explained/metrics/speaker.md``), with the same sections everywhere. ``mediacheck explain`` prints them, and
docs/reference/checks.md and rules.md are made from them. Each kind of thing that can be explained is a ``Kind`` in
``catalogue``.
"""

from mediacheck.explain.catalogue import ExplainError, Group, Kind, explanations, find, groups
from mediacheck.explain.explanation import Example, Explanation, Parameter, Property, Use

__all__ = [
    "Example", "ExplainError", "Explanation", "Group", "Kind", "Parameter", "Property", "Use", "explanations", "find",
    "groups",
]  # fmt: skip
