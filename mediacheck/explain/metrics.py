"""The metrics of a gate, explained by the texts in ``mediacheck/gate/explained/metrics``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain import checks
from mediacheck.explain.entries import Entry, EntryKind, Words
from mediacheck.explain.explanation import Property
from mediacheck.gate.metrics import Metric, find_metric, findings, scores, statuses, verdicts
from mediacheck.scoring.registry import BUILT_IN, scorer_ids, scorer_type

_TEXT_OF: Final = {"wer": "errors", "cer": "errors", "pesq_nb": "pesq"}
"""Scorers that share a text; the others have one of their own name."""
_OTHER: Final = "SCORER"
_PART: Final = "SCORER.PART"
_PESQ: Final = {
    "pesq": {"STANDARD": "P.862.2", "BAND": "wide band"},
    "pesq_nb": {"STANDARD": "P.862.1", "BAND": "narrow band"},
}


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
            "metrics/error_parts", _PART, members=parts, sample=parts[0], words=_words_of_part, properties=_properties,
        ),
        Entry("metrics/scorer", _OTHER, members=others, words=_words_of_scorer, properties=_properties),
    )  # fmt: skip


def _family(file: str, prefix: str, placeholder: str, members: tuple[str, ...], sample: str | None = None) -> Entry:
    pattern, shown = f"{prefix}{placeholder}", sample or members[0]
    return Entry(
        file,
        pattern,
        members=members,
        sample=shown,
        words=lambda name: {placeholder: name.removeprefix(prefix)},
        # What yes or no is counted has the same unit and range in all of a family.
        properties=lambda name: _of_metric(find_metric(shown)) if name == pattern else _properties(name),
    )


def _words_of_scorer(name: str) -> Words:
    if name in scores.COUNTED:
        unit = scores.COUNTED[name]
        return {"SCORER": name, "UNIT": unit, "UNITS": f"{unit}s", "Units": f"{unit.capitalize()}s"}
    if name in _PESQ:
        return {"SCORER": name, **_PESQ[name]}
    return {} if name in BUILT_IN or name == _OTHER else {"SCORER": name}


def _words_of_part(name: str) -> Words:
    scorer, _, part = name.partition(".")
    return {"SCORER": scorer, "PART": part, "UNIT": scores.COUNTED[scorer]}


def _properties(name: str) -> tuple[Property, ...]:
    if name in (_OTHER, _PART):
        # Their members differ.
        return ()
    scorer = name if name in scorer_ids() else None
    if scorer is None:
        own = _of_metric(find_metric(name))
        if not name.startswith("findings:"):
            return own
        return (Property(name="the check", value=_check(name.removeprefix("findings:"))), *own)
    # Before the register of metrics, to which a package that cannot be imported offers nothing: here it is named.
    info = scorer_type(scorer).info
    needs = Property(name="computed from", value=", ".join(("the file", *info.needs)))
    if scorer in BUILT_IN:
        install = "nothing more" if info.extra is None else f"pip install 'mediacheck[{info.extra}]'"
        return (*_of_metric(find_metric(name)), needs, Property(name="install", value=install))
    return (Property(name="says", value=info.summary), *_of_metric(find_metric(name)), needs)


def _of_metric(metric: Metric) -> tuple[Property, ...]:
    unit = metric.unit
    if metric.kind == "indicator":
        unit = ", ".join(f"{metric.unit_of(one)} ({one})" for one in metric.statistics)
    found = {
        "unit": unit,
        "better": metric.better or "neither: hold it between two bounds",
        "range": _range(metric),
        "worst case": "none: a rule states it" if metric.worst_case is None else f"{metric.worst_case:g}",
        "statistics": ", ".join(metric.statistics),
    }
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


KIND: Final = EntryKind("Metrics", _entries, lambda name: "metric")
