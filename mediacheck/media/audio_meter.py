"""All that is measured of decoded audio, block by block, and the facts that come of it."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from mediacheck import spans
from mediacheck.facts import (
    AudioStream,
    ChannelLevels,
    ConstantRun,
    Loudness,
    NonFinite,
    SampleBounds,
    Series,
    Span,
    Tail,
    Timeline,
    ZeroRun,
    totals,
)
from mediacheck.media.blocks import BlockGatherer, block_seconds
from mediacheck.media.channels import layout_of
from mediacheck.media.digest import SampleDigest
from mediacheck.media.kernel import Block, BlockKernel, rms_of_finite, set_apart
from mediacheck.media.levels import LevelMeter, dbfs, window_edges
from mediacheck.media.loudness import MINIMUM_RATE, LoudnessMeter, filters, step_edges
from mediacheck.media.runs import ChannelRuns, ClippingMeter, NonFiniteMeter, least_run
from mediacheck.media.scales import SampleScale

MINIMUM_DC_SECONDS = Fraction(1, 10)
"""A mean over less than this is the phase of a tone, not an offset."""


@dataclass(frozen=True, kw_only=True)
class AudioHeader:
    """What is known of a stream besides its samples; the fields are those of ``AudioStream``."""

    index: int = 0
    codec: str | None = None
    profile: str | None = None
    time_base: Fraction
    declared_duration: Fraction | None = None
    packets: int | None = None
    decode_errors: int = 0
    decode_error_spans: tuple[Span, ...] = ()
    missing_timestamps: int = 0
    timeline: Timeline
    sample_format: str | None = None
    lossy: bool = False
    frame_size: int | None = None
    samples_bounds: SampleBounds | None = None
    priming: int = 0
    padding: int = 0


class AudioMeter:
    """Takes decoded samples in pieces of any size through ``input``; ``finish`` gives the measurement."""

    def __init__(self, names: tuple[str, ...], sample_rate: int, scale: SampleScale, limit: int | None = None) -> None:
        """``names``: one per channel, FFmpeg's; ``limit``: samples per channel after which padding begins."""
        channels = len(names)
        self._names = names
        self._rate = sample_rate
        self.input = BlockGatherer(channels, sample_rate, scale, limit, self._measure)
        seconds = block_seconds(channels, sample_rate)
        self._kernel = BlockKernel(channels, seconds * sample_rate, least_run(sample_rate), filters(sample_rate))
        self._windows, self._steps = window_edges(sample_rate, seconds), step_edges(sample_rate, seconds)
        self._levels = LevelMeter(channels)
        self._runs = [ChannelRuns(c, sample_rate) for c in range(channels)]
        self._clipping = [ClippingMeter(scale.low, scale.high) for _ in range(channels)]
        self._non_finite = NonFiniteMeter(sample_rate)
        self._loudness = LoudnessMeter(names, sample_rate) if sample_rate >= MINIMUM_RATE else None
        self._digest = SampleDigest(channels, sample_rate)
        self._tail = [b""] * channels

    def _measure(self, block: Block) -> None:
        windows, steps = self._edges(block.count)
        apart = None
        measured = self._kernel.measure(block, windows, steps)
        if measured is None:
            # Or their sum overflows, and all the same they are finite.
            apart = set_apart(block, windows)
            measured = self._kernel.measure(block, windows, steps, apart, sure=True)
            assert measured is not None
        clean = block if apart is None else apart.clean
        self._non_finite.update(block.count, apart)
        self._digest.update(block)
        self._levels.update(measured, block.count, apart)
        last = -(-self._rate // spans.WINDOWS_PER_SECOND)
        for channel, runs in enumerate(self._runs):
            row = block.row(channel)
            runs.update(row, measured.runs[channel])
            self._clipping[channel].update(clean, channel, measured.peaks[channel])
            self._tail[channel] = (self._tail[channel] + row[-last:].tobytes())[-last * row.itemsize :]
        if self._loudness is not None:
            self._loudness.update(measured.energy, block.count)

    def _edges(self, count: int) -> tuple[array[int], array[int]]:
        """The edges of the windows and of the steps of a block of ``count`` samples."""
        if count == self._windows[-1]:
            return self._windows, self._steps
        windows, steps = (edges[: bisect_left(edges, count)] for edges in (self._windows, self._steps))
        # Below 100 Hz a second has all its windows, with and without samples.
        missing = -(-count // self._rate) * spans.WINDOWS_PER_SECOND - len(windows)
        rest = 1 + missing if self._rate < spans.WINDOWS_PER_SECOND else 1
        return windows + array("q", [count]) * rest, steps + array("q", [count])

    def flush(self) -> None:
        """Measure what is left; after this, ``input`` takes no more and its counts are final."""
        self.input.finish()
        for runs in self._runs:
            runs.finish()
        for meter in self._clipping:
            meter.finish()

    def finish(self, header: AudioHeader) -> AudioStream:
        """The stream's facts. ``flush`` comes first."""
        samples = self.input.taken
        duration = Fraction(samples, self._rate)
        levels = self._levels.channels
        channel_levels, tail = self._channel_levels(duration), self._tail_facts()
        # An hour has thousands of spans, and nothing takes more: what needs memory for a while comes before them, and
        # the envelopes are freed one by one as they are packed.
        loudness = self._loudness_facts(duration)
        envelope = tuple(Series.pack(level.take_envelope()) for level in levels)
        silences = spans.silent_spans([series.values() for series in envelope], spans.SILENCE_DBFS, duration)
        if silences and silences[0].length == duration:
            loudness = Loudness()
        zero_runs = tuple(sorted((r for c in self._runs for r in c.zeros), key=_place))
        constant_runs = tuple(sorted((r for c in self._runs for r in c.constants), key=_place))
        squares, finite = sum(level.squares for level in levels), sum(level.finite for level in levels)
        offsets = [c.dc_offset for c in channel_levels if c.dc_offset is not None]
        bad = self._non_finite.spans()
        return AudioStream(
            index=header.index,
            codec=header.codec,
            profile=header.profile,
            time_base=header.time_base,
            start=header.timeline.first,
            declared_duration=header.declared_duration,
            packets=header.packets,
            decode_errors=header.decode_errors,
            decode_error_spans=header.decode_error_spans,
            missing_timestamps=header.missing_timestamps,
            timeline=header.timeline,
            sample_rate=self._rate,
            channels=len(self._names),
            layout=layout_of(self._names),
            sample_format=header.sample_format,
            lossy=header.lossy,
            frame_size=header.frame_size,
            samples=samples,
            samples_bounds=header.samples_bounds,
            priming=header.priming,
            padding=header.padding,
            duration=duration,
            duration_seconds=round(float(duration), 9),
            non_finite=NonFinite(
                nan=self._non_finite.nan, inf=self._non_finite.inf, spans=bad, spans_totals=totals(bad)
            ),
            peak_dbfs=_greatest([c.peak_dbfs for c in channel_levels]),
            rms_dbfs=dbfs((squares / finite) ** 0.5) if finite else None,
            dc_offset=max(offsets, key=abs, default=None),
            full_scale_samples=sum(c.full_scale_samples for c in channel_levels),
            clipped_samples=sum(c.clipped_samples for c in channel_levels),
            clipped_runs=sum(c.clipped_runs for c in channel_levels),
            loudest_window_dbfs=_greatest([c.loudest_window_dbfs for c in channel_levels]),
            channel_levels=channel_levels,
            leading_silence=silences[0].length if silences and silences[0].start == 0 else Fraction(0),
            trailing_silence=silences[-1].length if silences and silences[-1].end == duration else Fraction(0),
            silences=silences,
            silences_totals=totals(silences),
            zero_runs=zero_runs,
            zero_runs_totals=totals(zero_runs),
            constant_runs=constant_runs,
            constant_runs_totals=totals(constant_runs),
            tail=tail,
            loudness=loudness,
            envelope=envelope,
            digest=self._digest.finish(),
        )

    def _channel_levels(self, duration: Fraction) -> tuple[ChannelLevels, ...]:
        found = []
        for level, clipping in zip(self._levels.channels, self._clipping, strict=True):
            offset = level.mean if duration >= MINIMUM_DC_SECONDS else math.nan
            found.append(
                ChannelLevels(
                    peak_dbfs=dbfs(level.peak),
                    rms_dbfs=dbfs(level.rms),
                    dc_offset=round(offset, 9) + 0.0 if math.isfinite(offset) else None,
                    full_scale_samples=clipping.full_scale,
                    clipped_samples=clipping.clipped,
                    clipped_runs=clipping.runs,
                    loudest_window_dbfs=dbfs(level.loudest_window),
                )
            )
        return tuple(found)

    def _tail_facts(self) -> Tail:
        last = max(rms_of_finite(row) or 0.0 for row in self._tail)
        return Tail(last_dbfs=dbfs(last), loudest_second_dbfs=dbfs(self._levels.loudest_second()))

    def _loudness_facts(self, duration: Fraction) -> Loudness:
        if self._loudness is None or duration < Fraction(2, 5):
            return Loudness()
        self._kernel.finish_true_peak()
        return Loudness(
            integrated_lufs=self._loudness.integrated(),
            range_lu=self._loudness.range(),
            true_peak_dbtp=dbfs(self._kernel.true_peak),
        )


def _greatest(levels: list[float | None]) -> float | None:
    return max((level for level in levels if level is not None), default=None)


def _place(run: ZeroRun | ConstantRun) -> tuple[Fraction, int]:
    return run.start, run.channel
