from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from mediacheck.checks.asked import Answer, ask_contract, contract_severity, range_note, sample_range, video_rate
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    failed,
    inconclusive,
    lowered,
    not_applicable,
    passed,
)
from mediacheck.checks.wording import counted, exact, noun, signed
from mediacheck.facts import AudioStream, VideoStream

if TYPE_CHECKING:
    from mediacheck.contracts import Contract, Outcome, Reachability


@check("duration.contract", 1, NoParameters)
def duration_contract(case: Case, parameters: NoParameters) -> Result:
    """Samples and frames are exactly what the contract gives."""
    contract = case.contract
    if contract is None:
        return not_applicable("no contract")
    if not contract.decides_samples and not contract.decides_frames:
        return not_applicable(f"contract {contract.id} decides no length")
    audio = case.facts.audio[0] if case.facts.audio and contract.decides_samples else None
    video = case.facts.video[0] if case.facts.video and contract.decides_frames else None
    if audio is None and video is None:
        return not_applicable("no stream whose length the contract decides")
    answer = ask_contract(case, contract)
    result = _judge(case, contract, answer, audio, video)
    return lowered(result, contract_severity(contract))


def _judge(
    case: Case, contract: Contract, answer: Answer, audio: AudioStream | None, video: VideoStream | None
) -> Result:
    if answer.unanswered is not None:
        return inconclusive(answer.unanswered)
    if answer.impossible is not None:
        return failed(f"it is not what was asked for: {answer.impossible}")
    if answer.outcome is not None:
        return _against(case, contract, answer.outcome, audio, video)
    if answer.reach is None:
        return inconclusive(f"contract {contract.id} gives no answer")
    return _reachable(case, contract, answer.reach, audio, video)


def _reachable(
    case: Case, contract: Contract, reach: Reachability, audio: AudioStream | None, video: VideoStream | None
) -> Result:
    if reach.reachable and reach.outcome is not None:
        return _against(case, contract, reach.outcome, audio, video)
    near = _nearest(reach, audio, video)
    if reach.at_frames is not None:
        given = _against(case, contract, reach.at_frames, audio, video)
        if given.outcome == "fail":
            return failed(given.message + near, measured=given.measured, expected=given.expected, unit=given.unit)
    if audio is not None and (video is None or reach.at_frames is None):
        measured, unit = audio.samples, "samples"
        what = f"{counted(audio.samples, 'sample')}{range_note(audio)}"
        if video is not None:
            what += f" with {counted(video.frames, 'frame')}"
    elif video is not None:
        measured, unit, what = video.frames, "frames", counted(video.frames, "frame")
    else:
        return inconclusive(f"contract {contract.id} gives no answer")
    return failed(
        f"no request of contract {contract.id} gives {what}{near}",
        measured=measured,
        expected=_nearest_counts(reach, unit),
        unit=unit,
    )


def _against(
    case: Case,
    contract: Contract,
    outcome: Outcome,
    audio: AudioStream | None,
    video: VideoStream | None,
) -> Result:
    """Both counts against ``outcome``; what it does not decide is left out, what is missing in the file fails."""
    wrong: list[str] = []
    right: list[str] = []
    decisive: tuple[int, int, str] | None = None
    if audio is not None and outcome.samples is not None:
        low, high = sample_range(audio, case.expect.tolerance)
        wanted = outcome.samples
        if low <= wanted <= high:
            if (doubt := _also_fitting(case, contract, audio, wanted)) is not None:
                return inconclusive(doubt)
            seconds = exact(Fraction(wanted, audio.sample_rate))
            if audio.samples == wanted:
                right.append(f"{counted(wanted, 'sample')}{range_note(audio)} = {seconds}")
            else:
                right.append(f"{counted(audio.samples, 'sample')}{range_note(audio)}: {wanted} = {seconds} lies within")
        else:
            difference = audio.samples - wanted
            seconds = exact(Fraction(abs(difference), audio.sample_rate))
            wrong.append(
                f"{counted(audio.samples, 'sample')}{range_note(audio)}, expected {wanted}: "
                f"{signed(difference)} {noun(difference, 'sample')} = {seconds} "
                f"too {'long' if difference > 0 else 'short'}"
            )
            decisive = (audio.samples, wanted, "samples")
    if video is not None and outcome.frames is not None:
        rate = video_rate(video) or Fraction(0)
        difference = video.frames - outcome.frames
        if abs(difference) <= (case.expect.tolerance or 0) * rate:
            right.append(counted(video.frames, "frame"))
        else:
            wrong.append(
                f"{counted(video.frames, 'frame')}, expected {outcome.frames}: {signed(difference)} "
                f"{noun(difference, 'frame')} too {'many' if difference > 0 else 'few'}"
            )
            decisive = decisive or (video.frames, outcome.frames, "frames")
    if not right and not wrong:
        return inconclusive(f"contract {contract.id} gives no count for the streams of this file")
    gives = f"(contract {contract.id}{_request(outcome)})"
    if decisive is None:
        first = outcome.samples if audio is not None and outcome.samples is not None else outcome.frames
        unit = "samples" if audio is not None and outcome.samples is not None else "frames"
        return passed(
            f"{' and '.join(right)} {gives}",
            measured=audio.samples if audio and unit == "samples" else video.frames if video else None,
            expected=first,
            unit=unit,
        )
    measured, expected, unit = decisive
    return failed(f"{'; '.join(wrong)} {gives}", measured=measured, expected=expected, unit=unit)


def _also_fitting(case: Case, contract: Contract, audio: AudioStream, wanted: int) -> str | None:
    """Why ``wanted`` cannot be told from a latent more or less; None where it can, or where a tolerance was asked for.

    Where the container does not declare its end, up to a codec frame is padding; where it declares no priming either,
    another frame at the start may be the encoder's delay. A latent that is shorter than that could hide in it.
    """
    bounds, hop = audio.samples_bounds, contract.hop
    if bounds is None or bounds.declared or not hop or case.expect.tolerance is not None:
        return None
    low = bounds.low - (0 if audio.priming else audio.frame_size or 0)
    others = [math.ceil(wanted + step * hop) for step in (-1, 1) if low <= wanted + step * hop <= bounds.high]
    if not others:
        return None
    text = " and ".join(str(other) for other in others)
    return (
        f"{counted(audio.samples, 'sample')} decoded: {wanted} would fit, and so would {text}, since {bounds.reason}; "
        "mux into MP4 with an edit list, or use a lossless codec"
    )


def _request(outcome: Outcome) -> str:
    """``: 362 frames, 603 latents, 482400 samples``."""
    parts = [
        counted(count, name)
        for count, name in (
            (outcome.frames, "frame"),
            (outcome.latents, "latent"),
            (outcome.tokens, "token"),
            (outcome.samples, "sample"),
        )
        if count is not None
    ]
    return f": {', '.join(parts)}" if parts else ""


def _nearest(reach: Reachability, audio: AudioStream | None, video: VideoStream | None) -> str:
    """``; the nearest it can give are …``, each with its difference to the file."""
    parts = []
    for outcome in (reach.below, reach.above):
        if outcome is None:
            continue
        counts = []
        if audio is not None and outcome.samples is not None:
            counts.append(f"{outcome.samples} samples ({signed(audio.samples - outcome.samples)} in the file)")
        if outcome.frames is not None:
            more = f" ({signed(video.frames - outcome.frames)} in the file)" if video is not None else ""
            counts.append(f"{outcome.frames} frames{more}")
        if counts and " with ".join(counts) not in parts:
            parts.append(" with ".join(counts))
    return f"; the nearest it can give: {', '.join(parts)}" if parts else ""


def _nearest_counts(reach: Reachability, unit: str) -> str | None:
    counts = [
        outcome.samples if unit == "samples" else outcome.frames
        for outcome in (reach.below, reach.above)
        if outcome is not None
    ]
    known = sorted({count for count in counts if count is not None})
    return " or ".join(str(count) for count in known) or None
