"""Timestamps as the decoder gives them: what goes back, what is missing, what overlaps, and the frame rate."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from fractions import Fraction

from mediacheck.facts import NonMonotonic, Span, Timeline, totals

REGULAR_SHARE = Fraction(9, 10)
"""From this share of equal steps on, a longer step is a hole in a constant rate; below, the rate varies."""

MAX_STRETCH = Fraction(1, 5)
"""Seconds by which a writer may stretch a stream's first frame to let the others catch up: two frames at 10 fps."""

# Rates that cameras, displays and models use; a clock too coarse to tell them apart is read as the nearest.
NAMED_RATES = tuple(
    sorted({Fraction(n) for n in (*range(1, 61), 72, 75, 90, 100, 120, 144, 240)})
    + [Fraction(n * 1000, 1001) for n in (24, 30, 48, 60, 120)]
)


class AudioTimeline:
    """Frames of known length on the container's clock: gaps and overlaps are found as they come."""

    def __init__(self, time_base: Fraction, precision: Fraction) -> None:
        self._base = time_base
        self._precision = precision
        # A frame is judged in whole numbers of 1 / (units a second), which ticks and samples both divide: fractions
        # would cost more than decoding the frame does.
        self._unit = Fraction(0)
        self._units_per_tick = 0
        self._units_per_sample = 0
        self._tolerance = 0
        self._first: int | None = None
        self._end = 0
        self._gaps: list[Span] = []
        self._overlaps: list[Span] = []
        self._last_packet: int | None = None
        self._first_packet_end: int | None = None
        self._frames = 0
        self._non_monotonic: list[Span] = []
        self.missing = 0

    def packet(self, pts: int | None, duration: int) -> None:
        """Note a packet's timestamp and declared duration, in ticks, in the order of demuxing."""
        if pts is None:
            self.missing += 1
            return
        if self._first_packet_end is None:
            self._first_packet_end = pts + duration
        if self._last_packet is not None and pts <= self._last_packet:
            self._non_monotonic.append(Span(start=self._last_packet * self._base, end=pts * self._base))
        self._last_packet = pts

    def start(self, sample_rate: int) -> None:
        """Say how long a sample lasts; before the first frame."""
        units = math.lcm(self._base.denominator, sample_rate)
        self._unit = Fraction(1, units)
        self._units_per_tick = self._base.numerator * (units // self._base.denominator)
        self._units_per_sample = units // sample_rate
        # On a clock coarser than a sample both ends of a step are rounded, the first frame's twice where priming was
        # taken off: two ticks. No codec frame is that short.
        ticks = 2 if self._base * sample_rate > 1 else 1
        self._tolerance = math.floor(max(self._precision, ticks * self._base) * units)

    def frame(self, pts: int | None, samples: int) -> None:
        """Note a decoded frame: its timestamp and its length after trimming."""
        length = samples * self._units_per_sample
        if pts is None:
            self._end += length
            return
        start = pts * self._units_per_tick
        self._frames += 1
        if self._first is None:
            self._first = start
        elif start > self._end + self._tolerance:
            stretch = start - self._end
            if self._frames == 2 and pts == self._first_packet_end and stretch * self._unit <= MAX_STRETCH:
                # Fragmented MP4 without an edit list: the writer stretches the first frame, all encoder priming, over
                # the time by which the video is late. Nothing is missing: the sound begins where the second frame
                # says.
                self._first += stretch
            else:
                self._gaps.append(Span(start=self._end * self._unit, end=start * self._unit))
        elif start < self._end - self._tolerance:
            self._overlaps.append(Span(start=start * self._unit, end=self._end * self._unit))
        self._end = start + length

    def finish(self, dropped: Fraction) -> Timeline:
        """``dropped``: seconds of padding that the caller took off the end."""
        timed = self._first is not None
        return Timeline(
            first=None if self._first is None else self._first * self._unit,
            end=self._end * self._unit - dropped if timed else None,
            precision=self._precision,
            gaps=tuple(self._gaps),
            gaps_totals=totals(tuple(self._gaps)),
            overlaps=tuple(self._overlaps),
            overlaps_totals=totals(tuple(self._overlaps)),
            non_monotonic=NonMonotonic(count=len(self._non_monotonic), spans=tuple(self._non_monotonic)),
        )


class VideoTimeline:
    """Frame times in the order of the decoder; kept, since a step is a gap or not only beside all the others."""

    def __init__(self, time_base: Fraction, precision: Fraction) -> None:
        self._base = time_base
        self._precision = precision
        self._stamps = array("q")
        self._first_duration = 0
        self._last_duration = 0
        self.missing = 0

    def frame(self, pts: int | None, duration: int) -> None:
        """``pts``, ``duration``: ticks; a duration of 0 is one that the container does not state."""
        if pts is None:
            self.missing += 1
            return
        if not self._stamps:
            self._first_duration = duration
        self._stamps.append(pts)
        self._last_duration = duration

    def _steps(self) -> list[int]:
        return [b - a for a, b in zip(self._stamps, self._stamps[1:], strict=False)]

    def nominal_step(self) -> int | None:
        """The commonest step above zero, in ticks."""
        counted = Counter(step for step in self._steps() if step > 0)
        return min(counted, key=lambda step: (-counted[step], step)) if counted else None

    def settle(self) -> None:
        """Undo the stretch of a first frame.

        Fragmented MP4 without an edit list has the first picture last until the sound's priming is over: by the file's
        own durations nothing is missing. Its place is one step before the second frame's.
        """
        nominal = self.nominal_step()
        if nominal is None or len(self._stamps) < 3 or not self._is_regular(nominal):
            return
        step = self._stamps[1] - self._stamps[0]
        stretch = (step - nominal) * self._base
        if step == self._first_duration and self._precision < stretch <= MAX_STRETCH:
            self._stamps[0] = self._stamps[1] - nominal

    def finish(self) -> Timeline:
        """The timeline; ``settle`` comes first."""
        if not self._stamps:
            return Timeline(precision=self._precision)
        nominal = self.nominal_step()
        gaps: list[Span] = []
        overlaps: list[Span] = []
        back: list[Span] = []
        regular = nominal is not None and self._is_regular(nominal)
        for before, stamp in zip(self._stamps, self._stamps[1:], strict=False):
            step = stamp - before
            if step <= 0:
                back.append(Span(start=before * self._base, end=stamp * self._base))
            elif regular and nominal is not None:
                expected = (before + nominal) * self._base
                if stamp * self._base > expected + self._precision:
                    gaps.append(Span(start=expected, end=stamp * self._base))
                elif stamp * self._base < expected - self._precision:
                    overlaps.append(Span(start=stamp * self._base, end=expected))
        return Timeline(
            first=min(self._stamps) * self._base,
            end=(max(self._stamps) + (self._last_duration or nominal or 0)) * self._base,
            precision=self._precision,
            gaps=tuple(gaps),
            gaps_totals=totals(tuple(gaps)),
            overlaps=tuple(overlaps),
            overlaps_totals=totals(tuple(overlaps)),
            non_monotonic=NonMonotonic(count=len(back), spans=tuple(back)),
        )

    def _is_regular(self, nominal: int) -> bool:
        """Whether the rate is constant but for holes."""
        steps = self._steps()
        near = sum(1 for step in steps if abs(step - nominal) * self._base <= self._precision)
        return near >= REGULAR_SHARE * len(steps)

    def rate(self, declared: Fraction | None) -> tuple[Fraction | None, bool | None]:
        """Frames per second and whether every timestamp fits that rate; (None, None) below two frames.

        A candidate fits where frame k lies within the precision of first + k / rate. The declared rate is tried
        first, then the rates that exist, nearest first: with a clock in milliseconds many rates fit a short clip.
        """
        if len(self._stamps) < 2:
            return None, None
        first, last = self._stamps[0], self._stamps[-1]
        if last <= first:
            return None, False
        mean = (len(self._stamps) - 1) / ((last - first) * self._base)
        candidates = [declared] if declared else []
        candidates += sorted(NAMED_RATES, key=lambda rate: (abs(rate - mean), rate))[:3]
        candidates.append(mean)
        for rate in candidates:
            if rate > 0 and self._fits(rate):
                return rate, True
        return mean.limit_denominator(1_000_000), False

    def _fits(self, rate: Fraction) -> bool:
        # |stamp_k - origin - k/rate| <= precision for one common origin: the spread of the differences is at most
        # twice the precision. In whole numbers: all over the common denominator.
        period = 1 / (rate * self._base)
        scale = period.denominator
        residues = [stamp * scale - k * period.numerator for k, stamp in enumerate(self._stamps)]
        allowed = 2 * self._precision / self._base * scale
        if self._precision <= self._base:
            # Rounding moves a stamp by half a tick either way, cutting by one tick one way: a spread of one tick.
            allowed = Fraction(scale)
        return max(residues) - min(residues) <= allowed

    def times(self) -> list[Fraction]:
        """Seconds from the first frame."""
        return [(stamp - self._stamps[0]) * self._base for stamp in self._stamps]
