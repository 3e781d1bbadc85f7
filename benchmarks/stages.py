"""Where one measurement spends its time: functions of mediacheck are wrapped, and each second goes to one stage."""

from __future__ import annotations

import builtins
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from benchmarks.report import table

# A stage owns what its functions take themselves, less what functions of other stages take inside them.
# Names are patterns over "module:function" and "module:Class.method"; a test holds that each finds something.
STAGES: dict[str, tuple[str, ...]] = {
    "sha256 of the file": ("media.files:file_facts",),
    "header reading": ("media.headers:read_container",),
    "opening (FFmpeg)": ("media.container:open_container", "media.container:describe"),
    "demuxing (FFmpeg)": ("media.ffmpeg:_decode_streams",),
    "decoding (FFmpeg)": ("media.tracks:Track.decode",),
    "reading PCM, Vorbis (libsndfile)": ("media.pcm:*", "media.vorbis:decode_vorbis"),
    "packets and timestamps": ("media.timeline:*Timeline.packet", "media.timeline:*Timeline.frame"),
    "gathering, scaling": ("media.tracks:*.take", "media.blocks:BlockGatherer.*", "media.scales:SampleScale.read"),
    "finding non-finite, handing on": ("media.audio_meter:AudioMeter._measure", "media.runs:NonFiniteMeter.*"),
    "digest of the samples": ("media.digest:SampleDigest.*",),
    "levels, runs, K-weighting, true peak (kernel)": ("media.kernel.sound:BlockKernel.*",),
    "envelope": ("media.levels:LevelMeter.*",),
    "zero and constant runs": ("media.runs:ChannelRuns.*",),
    "clipping": ("media.runs:ClippingMeter.*",),
    "loudness": ("media.loudness:LoudnessMeter.*",),
    "black, change between frames (kernel)": ("media.kernel.pictures:compare_pictures",),
    "luma": ("media.video_meter:VideoMeter.update", "media.luma:luma_of", "media.luma:LumaMeter.*"),
    "digest of the frames": ("media.video_meter:VideoMeter._hash", "media.digest:FrameDigest.*"),
    "finishing the facts": ("media.*:*.finish", "media.audio_meter:AudioMeter.flush", "media.completeness:conclude"),
    "loading the validator": ("validators:load_validator",),
    "judging": ("judge:judge",),
    "writing JSON": ("serialise:to_json",),
}
IMPORTS = "imports"
OTHER = "everything else"


@dataclass
class Clock:
    """Adds up the time of stages that call one another; each thread has its own."""

    seconds: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    _stack: list[str] = field(default_factory=list)
    _since: float = 0.0

    def enter(self, stage: str) -> None:
        self._charge()
        self.calls[stage] = self.calls.get(stage, 0) + 1
        self._stack.append(stage)

    def leave(self) -> None:
        self._charge()
        self._stack.pop()

    def _charge(self) -> None:
        now = time.perf_counter()
        if self._stack:
            stage = self._stack[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now


@dataclass(frozen=True)
class StageTime:
    name: str
    seconds: float
    calls: int
    beside: bool = False
    """In a thread of its own, while the others go on."""


class Clocks:
    """One ``Clock`` a thread."""

    def __init__(self) -> None:
        self.main = Clock()
        self.beside: list[Clock] = []
        self._local = threading.local()
        self._local.clock = self.main

    @property
    def here(self) -> Clock:
        clock: Clock | None = getattr(self._local, "clock", None)
        if clock is None:
            clock = self._local.clock = Clock()
            self.beside.append(clock)
        return clock

    def wrap(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        """The function, with its time charged to ``stage``."""

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            clock = self.here
            clock.enter(stage)
            try:
                return function(*args, **kwargs)
            finally:
                clock.leave()

        return timed


def find(pattern: str) -> Iterator[tuple[Any, str, FunctionType]]:
    """Where each function of the loaded modules that fits a pattern hangs: (module or class, name, function)."""
    module_pattern, _, name_pattern = pattern.partition(":")
    for module in [m for name, m in sys.modules.items() if fnmatchcase(name, f"mediacheck.{module_pattern}")]:
        for owner, name, function in _functions(module):
            full = f"{owner.__name__}.{name}" if isinstance(owner, type) else name
            if fnmatchcase(full, name_pattern):
                yield owner, name, function


def _functions(module: ModuleType) -> Iterator[tuple[Any, str, FunctionType]]:
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            yield module, name, value
        elif isinstance(value, type):
            yield from ((value, key, item) for key, item in list(vars(value).items()) if isinstance(item, FunctionType))


def install(clocks: Clocks) -> None:
    """Wrap the functions of every stage, the first stage that names one keeping it."""
    wrapped: set[FunctionType] = set()
    for stage, patterns in STAGES.items():
        for pattern in patterns:
            for owner, name, function in find(pattern):
                if function in wrapped or name == "__init__":
                    continue
                wrapped.add(function)
                timed = clocks.wrap(function, stage)
                setattr(owner, name, timed)
                if isinstance(owner, ModuleType):
                    _replace_imported(function, timed)


def _replace_imported(function: FunctionType, timed: Callable[..., Any]) -> None:
    """``from module import function`` has put the function into other modules too."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mediacheck"):
            for key, value in list(vars(module).items()):
                if value is function:
                    setattr(module, key, timed)


def profile(path: Path) -> list[StageTime]:
    """Measure and judge one file twice in this process, which must not have imported mediacheck yet.

    The first time shows what is imported for such a file, the second where the time goes then.
    """
    imports = StageTime(IMPORTS, _time_of_imports(path), 1)
    clocks = Clocks()
    install(clocks)
    clocks.main.enter(OTHER)
    _validate(path)
    clocks.main.leave()
    times = [imports, *_times(clocks.main, beside=False)]
    for clock in clocks.beside:
        times.extend(_times(clock, beside=True))
    return times


def _validate(path: Path) -> None:
    import mediacheck
    from mediacheck import serialise

    serialise.to_json(mediacheck.validate(path))


def _time_of_imports(path: Path) -> float:
    """Seconds that import statements take, wherever they stand."""
    clock = Clock()
    plain = builtins.__import__

    def timed(*args: Any, **kwargs: Any) -> Any:
        # Other threads go on beside; what they import is not waited for.
        if threading.current_thread() is not threading.main_thread():
            return plain(*args, **kwargs)
        clock.enter(IMPORTS)
        try:
            return plain(*args, **kwargs)
        finally:
            clock.leave()

    builtins.__import__ = timed
    try:
        _validate(path)
    finally:
        builtins.__import__ = plain
    return clock.seconds[IMPORTS]


def _times(clock: Clock, *, beside: bool) -> list[StageTime]:
    order = [*STAGES, OTHER]
    return [StageTime(s, clock.seconds[s], clock.calls[s], beside) for s in order if s in clock.seconds]


def render(times: list[StageTime]) -> str:
    """A table; shares are of the main thread's time."""
    whole = sum(stage.seconds for stage in times if not stage.beside)
    rows = []
    for stage in times:
        name = f"{stage.name} (in a thread beside)" if stage.beside else stage.name
        share = "" if stage.beside else f"{stage.seconds / whole:.1%}"
        rows.append((name, f"{stage.seconds * 1000:.1f}", share, str(stage.calls)))
    rows.append(("whole", f"{whole * 1000:.1f}", "100.0%", ""))
    return table(("stage", "ms", "share", "calls"), rows, right=3)
