"""A whole benchmark's outputs: every item of a manifest validated and scored, durably, and summed up with coverage.

In the order in which data flows: ``manifest`` (what is asked), ``ledger`` (what was found, item by item), ``engines``
(where the work is done), ``driver`` (one run from start to end), ``results`` and ``summary`` (what it amounts to).
"""
