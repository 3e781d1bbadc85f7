"""A report as the outputs take it: made where the file was judged, since one process writes for all workers."""

from __future__ import annotations

from dataclasses import dataclass

from mediacheck.report.table import Entry, entry
from mediacheck.serialise import nested, to_json
from mediacheck.verdict import Report


@dataclass(frozen=True)
class Finished:
    """What is kept of a report until all are there.

    The report itself is hundreds of objects, most of them fractions: sending it to the process that writes, and making
    JSON of it there, took six times as long as making JSON of it at once.
    """

    json: bytes
    """As it stands in the list of several: each worker lays its own out, so that the process that writes need not."""
    entry: Entry
    report: Report | None
    """Where more is made of it: JUnit, or the text of a single file."""


def finish(report: Report, *, whole: bool) -> Finished:
    """What to keep of ``report``; ``whole``: the report too."""
    return Finished(nested(to_json(report)), entry(report), report if whole else None)
