"""The metrics of a gate, explained by the texts in ``mediacheck/gate/explained/metrics``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain import checks, entries
from mediacheck.explain.entries import Entry, Words
from mediacheck.explain.explanation import Explanation, Property
from mediacheck.gate.metrics import Metric, find_metric, findings, scores, statuses, verdicts
from mediacheck.scoring.registry import BUILT_IN, scorer_ids, scorer_type

TITLE: Final = "Metrics"

_TEXT_OF: Final = {"wer": "errors", "cer": "errors", "pesq_nb": "pesq"}
"""Scorers that share a text; the others have one of their own name."""
_PESQ: Final = {
    "pesq": {"STANDARD": "P.862.2", "BAND": "wide band"},
    "pesq_nb": {"STANDARD": "P.862.1", "BAND": "narrow band"},
}


def names() -> tuple[str, ...]:
    """Every metric; of families, the pattern: ``findings:CHECK``."""
    return tuple(entry.name for entry in _entries())


def more_names() -> tuple[str, ...]:
    """The members of families: ``findings:audio.silent``."""
    return entries.more_names(_entries())


def explain(name: str) -> Explanation:
    """The explanation of a metric. The scorer that computes it need not be installed.

    Raises:
        InstallationError: its text is missing or malformed.
        UsageError: it is a scorer of another package, which is broken.
    """
    return entries.explained(name, "metric", _entries())


def _entries() -> tuple[Entry, ...]:
    # Known by name only: the packages of other scorers are imported where one of them is asked for.
    others = tuple(id for id in scorer_ids() if id not in BUILT_IN)
    rate, *other_verdicts = verdicts.names()
    coverage = tuple(f"{scores.COVERAGE}{scorer}" for scorer in (*BUILT_IN, *others))
    parts = tuple(f"{scorer}.{part}" for scorer in scores.COUNTED for part in scores.PARTS)
    return (
        Entry("metrics/validity_rate", rate, properties=_properties),
        _family("metrics/verdict", "verdict:", "VERDICT", tuple(other_verdicts)),
        _family("metrics/status", "status:", "STATUS", statuses.names(), sample="status:crashed"),
        _family("metrics/findings", "findings:", "CHECK", findings.names(), sample="findings:audio.silent"),
        _family("metrics/coverage", scores.COVERAGE, "SCORER", coverage),
        *(
            Entry(f"metrics/{_TEXT_OF.get(id, id)}", id, words=_words_of_scorer, properties=_properties)
            for id in BUILT_IN
        ),
        Entry(
            "metrics/error_parts", "SCORER.PART", members=parts, sample=parts[0], words=_words_of_part,
            properties=_properties,
        ),
        Entry("metrics/scorer", "SCORER", members=others, words=_words_of_scorer, properties=_properties),
    )  # fmt: skip


def _family(file: str, prefix: str, placeholder: str, members: tuple[str, ...], sample: str | None = None) -> Entry:
    return Entry(
        file,
        f"{prefix}{placeholder}",
        members=members,
        sample=sample or members[0],
        words=lambda name: {placeholder: name.removeprefix(prefix)},
        properties=_properties,
    )


def _words_of_scorer(name: str) -> Words:
    if name in scores.COUNTED:
        unit = scores.COUNTED[name]
        return {"SCORER": name, "UNIT": unit, "UNITS": f"{unit}s", "Units": f"{unit.capitalize()}s"}
    if name in _PESQ:
        return {"SCORER": name, **_PESQ[name]}
    return {} if name in BUILT_IN or name == "SCORER" else {"SCORER": name}


def _words_of_part(name: str) -> Words:
    scorer, _, part = name.partition(".")
    return {"SCORER": scorer, "PART": part, "UNIT": scores.COUNTED[scorer]}


def _properties(name: str) -> tuple[Property, ...]:
    if name == "SCORER":
        return ()
    scorer = name if name in scorer_ids() else None
    if scorer is not None:
        # A package that cannot be imported is named here; the register of metrics would only not know the name.
        scorer_type(scorer)
    metric = find_metric(name)
    found = {
        "unit": metric.unit,
        "better": metric.better or "neither: hold it between two bounds",
        "range": _range(metric),
        "worst case": "none: a rule states it" if metric.worst_case is None else f"{metric.worst_case:g}",
        "statistics": ", ".join(metric.statistics),
    }
    if metric.kind == "indicator":
        found["unit"] = ", ".join(f"{metric.unit_of(one)} ({one})" for one in metric.statistics)
    if scorer is not None:
        info = scorer_type(scorer).info
        found["computed from"] = ", ".join(("the file", *info.needs))
        found["install"] = "nothing more" if info.extra is None else f"pip install 'mediacheck[{info.extra}]'"
        if scorer not in BUILT_IN:
            found = {"says": info.summary, **found, "install": "it comes with another package"}
    if name.startswith("findings:"):
        check = name.removeprefix("findings:")
        found = {"the check": _check(check), **found}
    return tuple(Property(name=key, value=value) for key, value in found.items())


def _check(id: str) -> str:
    newest = max((name for name in checks.names() if name.partition("@")[0] == id), key=checks.version)
    return f"{checks.explain(newest).title} ('mediacheck explain {id}')"


def _range(metric: Metric) -> str:
    low, high = metric.lowest, metric.highest
    if low is None and high is None:
        return "no bounds"
    if high is None:
        return f"{low:g} and above"
    return f"up to {high:g}" if low is None else f"{low:g} to {high:g}"
