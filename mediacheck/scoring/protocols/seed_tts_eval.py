"""Protocol ``seed-tts``: the text rules of the public seed-tts-eval, for English and Chinese.

Its arithmetic: every character of the punctuation sets of Python (ASCII) and of the package zhon (Chinese) is deleted,
except the apostrophe. English is lower-cased and counted in words; Chinese is counted in characters, white space left
out, and the recogniser's text is converted to the simplified characters of mainland China first (the reference is taken
as it is). The published figure is the mean over utterances.
"""

from __future__ import annotations

import string
from typing import Final

from mediacheck.scoring.registry import require_library

CHINESE_PUNCTUATION: Final = (
    # Full-width forms of ASCII punctuation, the apostrophe among them; ! and ? stand below.
    "＂＃＄％＆＇（）＊＋，－．／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠"
    # Half-width brackets and comma of Japanese.
    "｢｣､"
    # The ideographic space, comma and ditto mark; brackets of all kinds; the wave dash and its like.
    "\u3000、〃〈〉《》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰\u303e\u303f"
    # Dashes, quotation marks, ellipsis, hyphenation point, wavy low line, small comma and semicolon, middle dot.
    "–—‘’‛“”„‟…‧﹏﹑﹔·"
    # What ends a sentence.
    "！？｡。"
)
"""The characters of ``zhon.hanzi.punctuation``; a test compares."""

_DELETED: Final = {ord(c): None for c in CHINESE_PUNCTUATION + string.punctuation if c != "'"}


def seed_tts(text: str, language: str) -> str:
    """A reference, or a hypothesis in English.

    The published code deletes and never puts a space in the place of what it deletes: "well-known" is one word.

    Args:
        text: as it was given.
        language: ``en`` or ``zh``.

    >>> seed_tts("Well-known? Don't!  It's £5.", "en")
    "wellknown don't it's £5"
    >>> seed_tts("你好，世界 OK！", "zh")
    '你好世界OK'
    """
    kept = text.translate(_DELETED)
    return "".join(kept.split()) if language == "zh" else " ".join(kept.lower().split())


def seed_tts_hypothesis(text: str, language: str) -> str:
    """What a recogniser heard: Chinese in the simplified characters of mainland China.

    Converted once, as the public rules do. A few phrases of zhconv's own tables (such as the name 博和託) would change
    once more in a second conversion.

    Raises:
        ModelError: zhconv is not installed, for Chinese.

    >>> seed_tts_hypothesis("開放時間，", "zh")
    '开放时间'
    """
    return seed_tts(zh_cn(text) if language == "zh" else text, language)


def zh_cn(text: str) -> str:
    """Chinese in the simplified characters and words of mainland China, by zhconv.

    Raises:
        ModelError: zhconv is not installed.
    """
    require_zhconv()
    import warnings

    with warnings.catch_warnings():
        # It imports pkg_resources, which says on every start that it is old.
        warnings.simplefilter("ignore")
        import zhconv

    converted: str = zhconv.convert(text, "zh-cn")
    return converted


def require_zhconv() -> None:
    """Raise where the converter is missing.

    Raises:
        ModelError: zhconv is not installed.
    """
    require_library("zhconv", extra="chinese", wanted_by="the protocol seed-tts for Chinese")
