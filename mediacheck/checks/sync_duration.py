from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.asked import contract_decides_sync
from mediacheck.checks.registry import Case, Parameters, Result, check, failed, not_applicable, passed
from mediacheck.checks.wording import exact, fraction_text
from mediacheck.verdict import Severity


class SyncDuration(Parameters, frozen=True, kw_only=True):
    """Limits of ``sync.duration@1``."""

    warn_difference: Fraction = Fraction(1, 10)
    """Seconds, beyond which a warning is given."""
    fail_share: Fraction = Fraction(1, 4)
    """Share of the longer stream, beyond which the difference is an error."""


@check("sync.duration", 1, SyncDuration)
def sync_duration(case: Case, parameters: SyncDuration) -> Result:
    """Without a contract, audio and video last about equally long."""
    if not case.facts.audio or not case.facts.video:
        return not_applicable("no audio stream" if not case.facts.audio else "no video stream")
    if contract_decides_sync(case) and case.contract is not None:
        return not_applicable(f"contract {case.contract.id} decides the lengths")
    audio, video = max(
        ((a, v) for a in case.facts.audio for v in case.facts.video),
        key=lambda pair: abs(pair[0].duration - pair[1].duration),
    )
    difference = abs(audio.duration - video.duration)
    share_limit = parameters.fail_share * max(audio.duration, video.duration)
    measured = fraction_text(difference)
    if difference <= min(parameters.warn_difference, share_limit):
        expected = fraction_text(parameters.warn_difference)
        return passed(f"audio and video differ by {exact(difference)}", measured=measured, expected=expected, unit="s")
    severity: Severity = "error" if difference > share_limit else "warning"
    most = share_limit if severity == "error" else parameters.warn_difference
    share = f" ({100 * float(parameters.fail_share):g} % of the longer)" if severity == "error" else ""
    return failed(
        f"audio lasts {exact(audio.duration)}, video {exact(video.duration)}: they differ by {exact(difference)}, "
        f"limit {exact(most)}{share}",
        measured=measured,
        expected=fraction_text(most),
        unit="s",
        severity=severity,
    )
