"""Which scorers there are: those of mediacheck, and those of other packages (entry points ``mediacheck.scorers``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from mediacheck.errors import UsageError
from mediacheck.scoring.score import ScorerInfo
from mediacheck.scoring.scorer import ModelError, Scorer

ENTRY_POINT_GROUP = "mediacheck.scorers"

# In the order in which a report shows them. Listing imports the scorer's own module, which imports nothing heavy.
BUILT_IN = {
    "wer": "mediacheck.scoring.wer:WordErrors",
    "cer": "mediacheck.scoring.cer:CharacterErrors",
    "speaker": "mediacheck.scoring.speaker:SpeakerSimilarity",
    "dnsmos": "mediacheck.scoring.dnsmos:NoiseSuppressionOpinion",
    "loudness": "mediacheck.scoring.loudness:IntegratedLoudness",
    "si_sdr": "mediacheck.scoring.si_sdr:ScaleInvariantDistortion",
    "stoi": "mediacheck.scoring.stoi:Intelligibility",
    "pesq": "mediacheck.scoring.pesq:PerceptualQuality",
    "pesq_nb": "mediacheck.scoring.pesq_nb:NarrowBandQuality",
    "mcd": "mediacheck.scoring.mcd:MelCepstralDistortion",
    "duration_ratio": "mediacheck.scoring.duration_ratio:DurationRatio",
}


@cache
def offers() -> tuple[EntryPoint, ...]:
    """What other packages offer. Finding it reads a file of every installed package: once is enough."""
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def scorer_ids() -> tuple[str, ...]:
    """Every scorer by id, mediacheck's own first."""
    others = {entry.name for entry in offers()} - BUILT_IN.keys()
    return (*BUILT_IN, *sorted(others))


def scorer_type(id: str) -> type[Scorer]:
    """The class of a scorer: call it with ``ScoringOptions``.

    Raises:
        UsageError: there is none of this id, or the package that offers it is broken.
    """
    if id in BUILT_IN:
        module, _, name = BUILT_IN[id].partition(":")
        found: Any = getattr(import_module(module), name)
    else:
        entries = [entry for entry in offers() if entry.name == id]
        if not entries:
            raise UsageError(f"there is no scorer {id!r}; known: {', '.join(scorer_ids())}")
        try:
            found = entries[0].load()
        except Exception as error:
            raise UsageError(
                f"the scorer {id!r} of {entries[0].value} cannot be imported ({type(error).__name__}: {error}); "
                "mend or remove that package"
            ) from error
    info = getattr(found, "info", None)
    if not isinstance(info, ScorerInfo) or info.id != id:
        raise UsageError(f"the scorer {id!r} states no info of that id; it must be a mediacheck.scoring.ScorerInfo")
    checked: type[Scorer] = found
    return checked


LONGER_CODES = frozenset({"haw", "yue"})
"""Of languages that ISO 639-1 has no code of two letters for, those that recognisers know."""
WITHOUT_SPACES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "yue", "zh"})
"""Languages that put no space between words: characters are counted, for what a word is, is not written down."""


def chosen_scorers(asked: Sequence[str], *, language: str, text: bool, reference: bool) -> tuple[str, ...]:
    """The scorers of a run.

    Args:
        asked: by id; empty: the default ones whose needs are given.
        language: where it puts no space between words, ``cer`` stands in for ``wer``.
        text: whether a text is given.
        reference: whether reference audio is.

    Raises:
        UsageError: a scorer is unknown, needs what is not given, or none can run on what is given; or the language is
            no code.
    """
    require_language(language)
    given = {"model"} | ({"text"} if text else set()) | ({"reference"} if reference else set())
    infos = [scorer_type(id).info for id in (asked or scorer_ids())]
    if not asked:
        infos = [info for info in infos if info.default and given.issuperset(info.needs)]
    for info in infos:
        for need, option in (("text", "--text or --text-file"), ("reference", "--reference")):
            if need in info.needs and need not in given:
                raise UsageError(f"the scorer {info.id} needs {option}")
    ids = ("cer" if info.id == "wer" and language in WITHOUT_SPACES else info.id for info in infos)
    chosen = tuple(dict.fromkeys(ids))
    if not chosen:
        raise UsageError("there is nothing to score by; give --text, --text-file, --reference or --scorer")
    return chosen


def require_language(language: str) -> None:
    """Raise where a language is not named by a bare code: ``zh-CN`` and ``zho`` would be counted in words.

    Raises:
        UsageError: it is none.
    """
    short = len(language) == 2 and language.isascii() and language.isalpha() and language.islower()
    if not short and language not in LONGER_CODES:
        raise UsageError(f"--language {language!r}: write a code of ISO 639-1 in lower case, such as en or zh, or yue")


def require_library(module: str, *, extra: str, wanted_by: str) -> None:
    """Raise where an optional library is not installed. It is not imported.

    Args:
        module: the name that is imported.
        extra: of mediacheck, which installs it.
        wanted_by: what needs it: ``the scorer wer``.

    Raises:
        ModelError: it is missing.
    """
    if find_spec(module) is None:
        raise ModelError(f"{wanted_by} needs the library {module}; install it with: pip install 'mediacheck[{extra}]'")
