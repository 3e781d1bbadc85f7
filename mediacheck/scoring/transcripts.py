"""The transcript of a candidate: one recogniser for all scorers of a run, silence decided before it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from mediacheck.scoring.backends import make_transcriber
from mediacheck.scoring.backends.transcriber import RATE, Transcriber
from mediacheck.scoring.scorer import Item, ScoringOptions


@dataclass(frozen=True)
class Transcript:
    text: str
    silent: bool
    """Whether the text is empty by rule, and no recogniser was asked."""


@dataclass
class Listener:
    """A loaded recogniser, with the last transcript: words and characters are counted in the same one."""

    transcriber: Transcriber
    _last: tuple[Item, Transcript] | None = field(default=None)

    def hear(self, item: Item) -> Transcript:
        """What is said in the candidate.

        Where no 10 ms window of any channel reaches -60 dBFS RMS, nothing is said: recognisers make words of silence.

        Raises:
            Unmeasurable: the file cannot be decoded, or the recogniser has no answer.
        """
        if self._last is None or self._last[0] is not item:
            self._last = (item, self._hear(item))
        return self._last[1]

    def _hear(self, item: Item) -> Transcript:
        # A silent file may hold no sample at all: it is not opened again.
        if item.silent or item.candidate.sound.silent:
            return Transcript("", silent=True)
        return Transcript(self.transcriber.transcribe(item.candidate.sound.mono(RATE)), silent=False)


@lru_cache(maxsize=1)
def listener(options: ScoringOptions) -> Listener:
    """The loaded recogniser of these options: one model a process, however many scorers and files.

    Raises:
        ModelError: a library or the model is missing.
        UsageError: the options do not fit.
    """
    transcriber = make_transcriber(options)
    transcriber.load()
    return Listener(transcriber)
