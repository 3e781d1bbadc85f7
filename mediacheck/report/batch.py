"""What a run amounts to, as text."""

from __future__ import annotations

from mediacheck.batch.summary import Count, Group, Metric, RunSummary, Tally
from mediacheck.report.escape import printable
from mediacheck.report.scores import counts_text, estimate_text
from mediacheck.report.words import plural

_SHOWN = 10
"""Reasons and groups in the text; summary.json holds them all."""


def render(summary: RunSummary) -> str:
    """The summary of a run: the whole, then by groups."""
    shard = "" if summary.shard is None else f", shard {summary.shard.number}/{summary.shard.of}"
    lines = [f"{plural(summary.total.expected, 'item')}{shard}; manifest: {summary.manifest.format}"]
    lines += _tally(summary.total)
    if summary.extra_files:
        lines.append(f"extra: {plural(summary.extra_files, 'media file')} that no item names")
    for metric in summary.total.metrics:
        lines += ["", *_metric(metric)]
    if len(summary.groups) > 1:
        lines += ["", "by group (valid; then each scorer)"]
        lines += [f"  {_group(group)}" for group in summary.groups[:_SHOWN]]
        if len(summary.groups) > _SHOWN:
            lines.append(f"  … and {len(summary.groups) - _SHOWN} more; summary.json holds them all")
    for column in summary.groups_left_out:
        lines.append(f"the column {printable(column)} has too many values to sum up by")
    lines += ["", f"validator: {summary.validator}"]
    return "".join(f"{line}\n" for line in lines)


def _tally(tally: Tally) -> list[str]:
    lines = [
        f"present {tally.present}, valid {tally.valid}, failed {tally.failed}, inconclusive {tally.inconclusive}; "
        f"coverage {tally.coverage} valid"
    ]
    others = [count for count in tally.by_status if count.name != "judged"]
    if others:
        lines.append(f"not judged: {_counts(others)}")
    if tally.by_check:
        lines.append(f"failed by check: {_counts(tally.by_check)}")
    return lines


def _metric(metric: Metric) -> list[str]:
    name = metric.scorer if metric.language is None else f"{metric.scorer} ({metric.language})"
    head = f"{name}: {metric.coverage} scored"
    if metric.error is not None or metric.mean is None:
        lines = [f"{head}; {metric.error}"]
    else:
        figures = [("mean", metric.mean), ("corpus", metric.corpus)]
        if metric.headline == "corpus":
            figures.reverse()
        shown = "; ".join(f"{word} {estimate_text(figure)}" for word, figure in figures if figure is not None)
        lines = [f"{head}; {shown} {metric.unit}"]
        spread = [("p5", metric.p5), ("median", metric.median), ("p95", metric.p95)]
        lines.append("  " + ", ".join(f"{word} {figure.value:.4f}" for word, figure in spread if figure is not None))
        if metric.counts is not None:
            lines.append(f"  {counts_text(metric.counts)}")
        if metric.same is not None and metric.other is not None:
            lines.append(f"  same speaker {estimate_text(metric.same)}, others {estimate_text(metric.other)}")
        if metric.worst:
            worst = ", ".join(f"{printable(extreme.id)} {extreme.value:.4f}" for extreme in metric.worst[:3])
            lines.append(f"  worst: {worst}")
    if metric.not_measured:
        lines.append(f"  not measured: {_counts(metric.not_measured)}")
    return lines


def _group(group: Group) -> str:
    value = "none" if group.value is None else printable(group.value)
    parts = [f"{group.column} {value}: {group.tally.coverage}"]
    for metric in group.tally.metrics:
        figure = metric.corpus if metric.headline == "corpus" else metric.mean
        shown = "no value" if figure is None else f"{figure.value:.4f}"
        parts.append(f"{metric.scorer} {shown} ({metric.coverage})")
    return ", ".join(parts)


def _counts(counts: tuple[Count, ...] | list[Count]) -> str:
    shown = ", ".join(f"{printable(count.name)} {count.items}" for count in counts[:_SHOWN])
    return shown + (f", … and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else "")
