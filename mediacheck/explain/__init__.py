"""What a check does, why it matters, how it is computed, an example, and how to mend the cause.

The texts are Markdown beside the code that they speak of (``checks/explained/audio.finite@1.md``), with the same
sections everywhere. ``mediacheck explain`` prints them, and docs/reference/checks.md is made from them. Each kind of
thing that can be explained is a ``Kind`` in ``catalogue``.
"""

from mediacheck.explain.catalogue import ExplainError, Kind, explanations, find
from mediacheck.explain.explanation import Example, Explanation, Parameter, Use

__all__ = ["Example", "ExplainError", "Explanation", "Kind", "Parameter", "Use", "explanations", "find"]
