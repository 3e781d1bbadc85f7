"""A calibration as text, and as the policy that it proposes."""

from __future__ import annotations

import json

from mediacheck.gate.calibrate import rules_of
from mediacheck.gate.calibration import Calibration, MetricEvidence, Proposal
from mediacheck.gate.policy import POLICY_SCHEMA
from mediacheck.report.escape import printable


def render(found: Calibration) -> str:
    """What the runs show, metric by metric."""
    lines = [f"{len(found.runs)} runs: {', '.join(printable(run.name) for run in found.runs)}"]
    for evidence in found.metrics:
        items = f"{evidence.items} of {evidence.expected} items in every run"
        lines.append(f"{evidence.metric}, {evidence.statistic}, {items}")
        if evidence.reason is not None:
            lines.append(f"  no proposal: {evidence.reason}")
            continue
        lines += [f"  {line}" for line in _spread(evidence)]
        lines += [f"  {proposal.bound} = {proposal.margin:g} {evidence.unit}: {_meaning(proposal, evidence)}"
                  for proposal in evidence.proposals]  # fmt: skip
    return "\n".join(lines) + "\n"


def policy_toml(found: Calibration, *, id: str, evidence: str, sha256: str) -> bytes:
    """The proposal: a policy that nobody approved yet, with a word on each of its margins.

    Args:
        found: the evidence.
        id: of the policy.
        evidence: file name of the evidence, beside the policy.
        sha256: of its bytes.
    """
    import tomli_w

    runs = ", ".join(run.name for run in found.runs)
    head = {
        "schema": POLICY_SCHEMA,
        "id": id,
        "summary": printable(f"Proposed from {len(found.runs)} runs: {runs}."),
        "evidence": {"file": evidence, "sha256": sha256},
    }
    # Commented out: thresholds count for nothing until someone answers for them.
    lines = [
        tomli_w.dumps(head).rstrip(),
        "",
        "# Not approved: every rule is inconclusive. Who answers for these thresholds takes the marks away, and",
        "# fills in who and when:",
        "# [approval]",
        '# by = "…"',
        "# date = 2000-01-01",
        f"# workload = {json.dumps(found.asked)}",
    ]
    for metric in found.metrics:
        for proposal, rule in zip(metric.proposals, rules_of(metric), strict=True):
            lines += ["", *(f"# {line}" for line in _spread(metric)), f"# {_meaning(proposal, metric)}", "[[rules]]"]
            lines.append(tomli_w.dumps(rule).rstrip())
    return ("\n".join(lines) + "\n").encode()


def _spread(evidence: MetricEvidence) -> list[str]:
    values = ", ".join(f"{printable(run.run)} {run.value:g}" for run in evidence.runs)
    lines = [
        f"{values} {evidence.unit}",
        f"standard deviation between items {evidence.within:g}, between runs {evidence.between:g}, of an item between "
        f"two runs {evidence.paired:g}",
    ]
    if evidence.run_effect:
        lines.append(f"whole runs differ by {evidence.run_effect:g} beyond what their items explain")
    if evidence.remark:
        lines.append(evidence.remark)
    far = [f"{printable(run.run)} (z {run.z})" for run in evidence.runs if run.outlier]
    if far:
        lines.append(f"runs unlike the others: {', '.join(far)}")
    if evidence.outliers:
        shown = ", ".join(f"{printable(item.id)} {item.value:g}" for item in evidence.outliers[:5])
        lines.append(f"items unlike the others: {len(evidence.outliers)}, first {shown}")
    return lines


def _meaning(proposal: Proposal, evidence: MetricEvidence) -> str:
    return (
        f"an equal candidate is stopped in {100 * proposal.false_alarm:.1f} % of gates and fails in "
        f"{100 * proposal.false_fail:.1f} %; a worsening of {proposal.blocked:.3g} {evidence.unit} is not promoted in "
        f"80 %, one of {proposal.failed:.3g} fails in 80 %"
    )
