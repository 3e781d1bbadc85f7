from __future__ import annotations

from mediacheck.checks.registry import Case, Result, check, every_audio, failed, inconclusive, not_applicable, passed
from mediacheck.checks.silence import SilenceLevel, not_judged
from mediacheck.checks.wording import level, number
from mediacheck.facts import AudioStream

# Places of the low-frequency channels in FFmpeg's layouts, which order channels by their bit.
_LFE = {
    "2.1": (2,),
    "3.1": (3,),
    "4.1": (3,),
    "5.1": (3,),
    "5.1(side)": (3,),
    "6.1": (3,),
    "6.1(back)": (3,),
    "6.1(front)": (2,),
    "7.1": (3,),
    "7.1(wide)": (3,),
    "7.1(wide-side)": (3,),
    "7.1(top)": (3,),
    "3.1.2": (3,),
    "5.1.2": (3,),
    "5.1.2(back)": (3,),
    "5.1.4": (3,),
    "7.1.2": (3,),
    "7.1.4": (3,),
    "9.1.4": (3,),
    "22.2": (3, 18),
}


class AudioDeadChannel(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.dead_channel@1``."""


@check("audio.dead_channel", 1, AudioDeadChannel)
def audio_dead_channel(case: Case, parameters: AudioDeadChannel) -> Result:
    """Every channel carries sound."""

    def judge(stream: AudioStream) -> Result:
        if stream.channels < 2:
            return not_applicable("one channel")
        if (reason := not_judged(stream, parameters.threshold_dbfs)) is not None:
            return reason
        if len(stream.channel_levels) != stream.channels:
            return inconclusive("the levels of the channels were not measured")
        if any(
            one.loudest_window_dbfs is not None and number(one.loudest_window_dbfs) is None
            for one in stream.channel_levels
        ):
            return inconclusive("the level of a channel could not be measured")
        skip = _low_frequency(stream.layout)
        dead = [
            index
            for index, one in enumerate(stream.channel_levels)
            if index not in skip
            and (one.loudest_window_dbfs is None or one.loudest_window_dbfs < parameters.threshold_dbfs)
        ]
        if not dead:
            return passed("every channel carries sound", measured=0, expected=0, unit="channels")
        names = ", ".join(
            f"channel {index} is silent throughout ({level(stream.channel_levels[index].loudest_window_dbfs)})"
            for index in dead
        )
        return failed(
            f"{names}, while another reaches {level(stream.loudest_window_dbfs)}; "
            f"limit {level(parameters.threshold_dbfs)}",
            measured=len(dead),
            expected=0,
            unit="channels",
        )

    return every_audio(case, judge)


def _low_frequency(layout: str | None) -> tuple[int, ...]:
    if layout is None:
        return ()
    if "+" in layout:
        names = layout.rpartition("(")[2].rstrip(")").split("+")
        return tuple(index for index, name in enumerate(names) if name.startswith("LFE"))
    return _LFE.get(layout, ())
