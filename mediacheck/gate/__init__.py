"""May this candidate replace the baseline? A policy's rules over runs, decided once, with what the numbers can carry.

In the order in which data flows: ``policy`` (what is asked), ``metrics`` (numbers of an item), ``runs`` (the numbers
of a run), ``statistics`` (intervals), ``decide`` (outcomes), ``decision`` (the types of the result). ``calibrate``
proposes a policy from runs of one and the same system.
"""
