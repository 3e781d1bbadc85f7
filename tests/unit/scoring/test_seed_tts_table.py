"""``seed-tts`` against the public rules: expected counts by hand, and by a second reading of the rules with its own
alignment. 40 pairs and more."""

from __future__ import annotations

import string

import pytest

from mediacheck.scoring.counting import count_errors
from mediacheck.scoring.protocols import get_protocol
from tests.needs import needs_module

# language, reference, hypothesis, (substitutions, deletions, insertions, length of the reference): by hand.
PAIRS = [
    ("en", "Hello world.", "hello world", (0, 0, 0, 2)),
    ("en", "Hello, world!", "Hello word", (1, 0, 0, 2)),
    ("en", "It's fine.", "its fine", (1, 0, 0, 2)),
    ("en", "It's fine.", "It's fine!", (0, 0, 0, 2)),
    ("en", "It’s fine.", "It's fine", (1, 0, 0, 2)),
    ("en", "'Tis 'quoted'", "tis quoted", (2, 0, 0, 2)),
    ("en", "well-known fact", "well known fact", (1, 0, 1, 2)),
    ("en", "well-known fact", "wellknown fact", (0, 0, 0, 2)),
    ("en", "one two three", "one three", (0, 1, 0, 3)),
    ("en", "one two three", "one two two three", (0, 0, 1, 3)),
    ("en", "one two three", "", (0, 3, 0, 3)),
    ("en", "one two three", "...", (0, 3, 0, 3)),
    ("en", "a b c d", "a x c y z", (2, 0, 1, 4)),
    ("en", "22 ducks", "twenty two ducks", (1, 0, 1, 2)),
    ("en", "22 ducks", "22 ducks", (0, 0, 0, 2)),
    ("en", "3.5 metres", "35 metres", (0, 0, 0, 2)),
    ("en", "£5 and 20%", "5 and 20", (1, 0, 0, 3)),
    ("en", "$5 (five)", "5 five", (0, 0, 0, 2)),
    ("en", "e-mail me @ home", "email me home", (0, 0, 0, 3)),
    ("en", "under_score", "underscore", (0, 0, 0, 1)),
    ("en", "MiXeD CaSe", "mixed case", (0, 0, 0, 2)),
    ("en", "double  space", "double space", (0, 0, 0, 2)),
    ("en", "four    spaces", "four spaces", (0, 0, 0, 2)),
    ("en", " - dash - ", "dash", (0, 0, 0, 1)),
    ("en", "wait… what", "wait what", (0, 0, 0, 2)),
    ("en", "“quoted” text", "quoted text", (0, 0, 0, 2)),
    ("en", "ＦＵＬＬ width", "full width", (1, 0, 0, 2)),
    ("en", "tea，coffee", "teacoffee", (0, 0, 0, 1)),
    ("en", "no one, ever; none: ever?", "no one ever none ever", (0, 0, 0, 5)),
    ("zh", "你好世界", "你好世界", (0, 0, 0, 4)),
    ("zh", "你好，世界！", "你好世界", (0, 0, 0, 4)),
    ("zh", "你好世界", "您好世界", (1, 0, 0, 4)),
    ("zh", "你好世界", "你好世", (0, 1, 0, 4)),
    ("zh", "你好世界", "你好啊世界", (0, 0, 1, 4)),
    ("zh", "开放时间", "開放時間", (0, 0, 0, 4)),
    ("zh", "開放時間", "开放时间", (3, 0, 0, 4)),
    ("zh", "我有２个苹果", "我有2个苹果", (1, 0, 0, 6)),
    ("zh", "我有2个苹果", "我有两个苹果", (1, 0, 0, 6)),
    ("zh", "我 有 苹果", "我有苹果", (0, 0, 0, 4)),
    ("zh", "我　有苹果", "我有苹果", (0, 0, 0, 4)),
    ("zh", "用OK键", "用ok键", (2, 0, 0, 4)),
    ("zh", "用OK键", "用 OK 键。", (0, 0, 0, 4)),
    ("zh", "“你好”——他说：《书》", "你好他说书", (0, 0, 0, 5)),
    ("zh", "他说'好'", "他说好", (0, 2, 0, 5)),
    ("zh", "百分之5.5", "百分之55", (0, 0, 0, 5)),
    ("zh", "你好", "", (0, 2, 0, 2)),
    ("zh", "是吗？！", "是嗎", (0, 0, 0, 2)),
    ("zh", "软件和网络", "軟體和網路", (0, 0, 0, 5)),
]


def independent(language: str, text: str, heard: bool) -> list[str]:
    """The public rules read a second time: delete, put a space between Chinese characters, split at spaces."""
    import zhconv
    from zhon.hanzi import punctuation

    if language == "zh" and heard:
        text = zhconv.convert(text, "zh-cn")
    text = "".join(c for c in text if c == "'" or c not in punctuation + string.punctuation)
    return [c for c in text if not c.isspace()] if language == "zh" else text.lower().split()


def distance(reference: list[str], hypothesis: list[str]) -> int:
    """Levenshtein distance, by its recursion."""
    row = list(range(len(hypothesis) + 1))
    for i, said in enumerate(reference, 1):
        before, row[0] = row[0], i
        for j, heard in enumerate(hypothesis, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (said != heard))
    return row[-1]


@needs_module("jiwer", "zhconv", "zhon")
@pytest.mark.filterwarnings("ignore:pkg_resources is deprecated")
@pytest.mark.parametrize(("language", "reference", "hypothesis", "expected"), PAIRS)
def test_pairs(language: str, reference: str, hypothesis: str, expected: tuple[int, int, int, int]) -> None:
    protocol = get_protocol("seed-tts", language)
    counted = count_errors(
        protocol.reference(reference, language),
        protocol.hypothesis(hypothesis, language),
        "character" if language == "zh" else "word",
    ).counts
    assert (counted.substitutions, counted.deletions, counted.insertions, counted.reference) == expected
    said, heard = independent(language, reference, False), independent(language, hypothesis, True)
    assert counted.errors == distance(said, heard)
    assert counted.reference == len(said)


def test_the_table_is_long_enough() -> None:
    assert len(set(PAIRS)) >= 40
