"""Text normalisation: what each protocol does to the same sentences, and that doing it twice changes nothing."""

from __future__ import annotations

import doctest
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.errors import UsageError
from mediacheck.scoring.protocols import PROTOCOLS, get_protocol, openai_english, plain, seed_tts_eval
from tests.needs import needs_module

SENTENCES = [
    "Hello, World!",
    "Don't  you'd we're o'clock.",
    "It costs $5.50, or 20% of £27; twenty-two in all.",
    "[noise] uh (aside) the colour's grey...",
    "¿Qué hora es? — ¡Las dos!",
    "Straße ÆGIR ﬁne ½ №5",
    "  leading\tand\ntrailing  ",
    "...",
    "",
    "你好，世界！Hello 世界。",
    "開放時間：上午九點",
    "ｆｕｌｌ　ｗｉｄｔｈ！？",
]
WORDS = st.lists(
    st.sampled_from(
        ["one", "two", "twenty", "hundred", "thousand", "point", "oh", "zero", "double", "dollars", "cents", "percent",
         "minus", "first", "half", "mr.", "dr.", "st", "won't", "i'm", "colour", "5", "3.5", "$5", "£3", "20%", "1st",
         "007", "1,000", "hmm", "(aside)", "[noise]", "fox", "-", "'", "o'clock", "€", "1/2", "...", "a.", "b"]
    ),
    max_size=8,
).map(" ".join)  # fmt: skip
LANGUAGES = st.sampled_from(["en", "zh"])


def test_doctests_of_those_without_libraries() -> None:
    result = doctest.testmod(plain)
    assert result.attempted
    assert result.failed == 0


@needs_module("whisper", "zhconv")
@pytest.mark.parametrize("module", [openai_english, seed_tts_eval])
def test_doctests_of_those_with_libraries(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert result.failed == 0


@given(st.text(max_size=60))
def test_basic_twice_is_once(text: str) -> None:
    once = plain.whisper_basic(text)
    assert plain.whisper_basic(once) == once


@given(st.text(max_size=60))
def test_none_twice_is_once(text: str) -> None:
    assert plain.none(plain.none(text)) == plain.none(text)


@given(st.text(alphabet=st.characters() | st.sampled_from("，。！' \t你好Aa"), max_size=60), LANGUAGES)
def test_seed_tts_twice_is_once(text: str, language: str) -> None:
    once = seed_tts_eval.seed_tts(text, language)
    assert seed_tts_eval.seed_tts(once, language) == once


@needs_module("whisper")
@given(WORDS | st.text(max_size=40))
def test_english_twice_is_once(text: str) -> None:
    once = openai_english.whisper_en(text)
    assert openai_english.whisper_en(once) == once


@needs_module("zhconv")
@pytest.mark.parametrize("text", SENTENCES)
def test_chinese_hypotheses_twice_are_once(text: str) -> None:
    once = seed_tts_eval.seed_tts_hypothesis(text, "zh")
    assert seed_tts_eval.seed_tts_hypothesis(once, "zh") == once


@needs_module("whisper")
@pytest.mark.parametrize("text", SENTENCES)
def test_whisper_protocols_are_openais(text: str) -> None:
    """Ours are one pass of OpenAI's, but for white space, and for full stops and capitals that one pass leaves over."""
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    def words(normalised: str) -> list[str]:
        return [word for word in normalised.lower().split() if word != "."]

    assert plain.whisper_basic(text).split() == BasicTextNormalizer()(text).split()
    assert words(openai_english.whisper_en(text)) == words(EnglishTextNormalizer()(text))


@needs_module("whisper")
def test_openais_stray_full_stop_is_no_word() -> None:
    assert openai_english.whisper_en("the time will be exactly...") == "the time will be exactly"


@needs_module("zhon")
def test_deleted_punctuation_is_that_of_zhon_and_ascii_but_the_apostrophe() -> None:
    from zhon.hanzi import punctuation

    assert set(seed_tts_eval.CHINESE_PUNCTUATION) == set(punctuation)
    assert {chr(code) for code in seed_tts_eval._DELETED} == (set(punctuation) | set(string.punctuation)) - {"'"}


def test_every_protocol_has_a_version_and_a_name() -> None:
    for id, protocol in PROTOCOLS.items():
        assert protocol.id == id
        assert protocol.version >= 1


def test_default_protocols() -> None:
    assert get_protocol(None, "en").id == "whisper-en"
    assert get_protocol(None, "it").id == "whisper-basic"


@pytest.mark.parametrize(
    ("id", "language", "said"),
    [("wisper", "en", "known: whisper-en"), ("seed-tts", "it", "en and zh"), ("whisper-en", "zh", "not for 'zh'")],
)
def test_a_protocol_that_does_not_fit_is_refused(id: str, language: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        get_protocol(id, language)
