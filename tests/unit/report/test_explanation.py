"""Explanations as text and as a page."""

from __future__ import annotations

from click import unstyle

from mediacheck.explain import explanations, find, groups
from mediacheck.report.explanation import markdown, render, render_list


def test_the_text_of_one_check() -> None:
    told = find("audio.stuck")
    shown = unstyle(render(told))
    lines = shown.splitlines()
    assert lines[0] == "audio.stuck@1"
    assert lines[1] == f"{told.title} (v2: error)"
    headings = [line for line in lines[2:] if line and not line.startswith(" ")]
    assert headings == [
        "What it does", "Why it matters", "How it is computed", "Parameters", "Example", "How to fix", "Source",
    ]  # fmt: skip
    assert "  - `min_run` (s; default 0.02, v2 0.02): a run exactly as long fails; shorter" in lines
    assert all(f"    {line}" in lines for line in told.example.printed.splitlines())
    assert " ".join(told.fix.split()) in " ".join(shown.split())


def test_no_line_is_broken_but_prose() -> None:
    for told in explanations():
        printed = {f"    {line}" for line in told.example.printed.splitlines()}
        long = [line for line in unstyle(render(told)).splitlines()[2:] if len(line) > 80]
        assert set(long) <= printed, told.name


def test_a_check_without_parameters_has_no_such_section() -> None:
    assert "Parameters" not in render(find("audio.finite"))
    assert "| --- |" not in markdown(find("audio.finite"))


def test_the_list_has_a_line_for_each() -> None:
    listed = groups()
    parts = unstyle(render_list(listed)).removesuffix("\n").split("\n\n")
    for group, part in zip(listed, parts, strict=True):
        title, *lines = part.splitlines()
        assert title == group.title
        assert [line.split()[0] for line in lines] == [one.name for one in group.explanations]
        assert all(line.endswith(one.title) for line, one in zip(lines, group.explanations, strict=True))
    assert render_list(()) == ""


def test_the_text_of_a_rule_tells_what_the_code_says_of_it() -> None:
    lines = unstyle(render(find("wer"))).splitlines()
    assert lines[1].endswith("(metric)")
    assert lines[3:5] == ["In short", "  - unit: errors/word"]
    assert "  - better: lower" in lines
    assert "- better: lower\n" in markdown(find("wer"))
    assert "In short" not in render(find("audio.finite"))


def test_a_section_of_the_page_has_the_values_of_every_validator() -> None:
    page = markdown(find("audio.dropout"))
    assert "| parameter | unit | default | v2 | meaning |" in page
    assert "| `warn_dbfs` | dBFS RMS | -30.0 | -25.0 | likewise, a warning. |" in page
    assert "| `max_run` | s | 3 | 3 |" in page
