"""The one sentence of a figure."""

from __future__ import annotations

from mediacheck.gate.metrics import Metric
from mediacheck.gate.policy import ABSOLUTE, EXACT, RATIOS, UPPER, Rule


def number(value: float) -> str:
    """Four decimals at most: scores in exports have no more."""
    text = f"{value:.4g}" if abs(value) >= 1e6 else f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def signed(value: float) -> str:
    text = number(value)
    return text if text.startswith("-") or text == "0" else f"+{text}"


def limit_text(rule: Rule) -> str:
    """``at most 0.05 errors/word``, ``at most 1.1 x the baseline``."""
    limit = number(rule.limit)
    if rule.bound in RATIOS:
        return f"{'at most' if rule.bound == 'max_ratio' else 'at least'} {limit} × the baseline's"
    words = {"at_most": "at most", "at_least": "at least", "max_increase": "worse by at most",
             "max_decrease": "worse by at most"}  # fmt: skip
    word = words[rule.bound]
    if rule.bound in ("max_increase", "max_decrease"):
        word = f"{'up' if rule.bound == 'max_increase' else 'down'} by less than"
    return f"{word} {limit} {rule.unit}"


def measured_text(
    rule: Rule, metric: Metric, n: int, candidate: float, baseline: float | None, measured: float
) -> str:
    """What was found, without the interval."""
    unit = metric.unit_of(rule.statistic)
    what = "the worst item's" if rule.statistic == "each" else rule.statistic
    items = f"{n} {'pair' if baseline is not None else 'item'}{'' if n == 1 else 's'}"
    if baseline is None:
        return f"{what} {number(candidate)} {unit} over {items}"
    text = f"{what} {number(candidate)} {unit} against {number(baseline)} over {items}"
    if rule.bound in RATIOS:
        return f"{text}; candidate − {number(rule.limit)} × baseline is {signed(measured)}"
    return f"{text}, {signed(measured)}"


def interval_text(rule: Rule, low: float | None, high: float | None) -> str:
    """Both one-sided bounds."""
    if rule.statistic in EXACT:
        return ""
    if low is None or high is None:
        return ""
    show = number if rule.bound in ABSOLUTE else signed
    return f" (at {100 * rule.confidence:g} % not below {show(low)}, not above {show(high)})"


def beyond(rule: Rule) -> str:
    return "above" if rule.bound in UPPER else "below"
