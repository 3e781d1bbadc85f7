"""The texts: every check has one, whole, and its example is what a report prints today."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from mediacheck.checks import Check, Parameters, all_checks
from mediacheck.errors import InstallationError
from mediacheck.explain import checks, text
from mediacheck.validators import load_validator, plain
from tests.unit.explain.cases import CASES, ROOT, TEXTS, printed

GOOD = (TEXTS / "audio.stuck@1.md").read_text(encoding="utf-8")


def test_every_check_has_a_text_and_every_text_a_check() -> None:
    names = {check.name for check in all_checks()}
    assert {path.stem for path in TEXTS.iterdir()} == names == set(CASES)
    assert checks.names() == tuple(sorted(names))


def test_every_text_is_in_the_wheel() -> None:
    """Hatchling takes the package whole, but for what is excluded or git ignores."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["mediacheck"]
    for table in (build, build["targets"]["wheel"]):
        assert not {"exclude", "include", "only-include"} & table.keys()
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [line.strip("/") for line in lines if line and not line.startswith("#")]
    for path in (ROOT / "mediacheck").rglob("explained/**/*.md"):
        parts = path.relative_to(ROOT).parts
        assert not any(fnmatch(part, pattern) for part in parts for pattern in ignored), path


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_example_is_what_a_report_prints(name: str) -> None:
    lines = printed(name)
    assert lines, "the case of the example does not fail"
    assert checks.explain(name).example.printed == lines


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_the_code_and_the_text_have_one_title(check: Check[Parameters]) -> None:
    told = checks.explain(check.name)
    assert check.run.__doc__ == told.title
    assert told.title.endswith((".", ")."))


@pytest.mark.parametrize("path", sorted(TEXTS.iterdir()), ids=lambda path: path.stem)
def test_lines_are_no_longer_than_elsewhere(path: Path) -> None:
    prose = path.read_text(encoding="utf-8").partition("```text")[0]
    assert max(map(len, prose.splitlines())) <= 120


def test_parameters_have_the_values_of_the_validators() -> None:
    told = checks.explain("audio.dropout@1")
    warn = next(one for one in told.parameters if one.name == "warn_dbfs")
    pinned = next(one for one in load_validator("v2").checks if one.check == "audio.dropout@1")
    in_v2 = next(setting.value for setting in pinned.settings if setting.name == "warn_dbfs")
    assert [(value.name, value.value) for value in warn.values] == [("v2", in_v2)]
    assert (warn.default, in_v2) == ("-30.0", "-25.0")


def test_uses_are_those_of_the_validators() -> None:
    uses = {name: [(use.validator, use.severity) for use in checks.explain(name).uses] for name in checks.names()}
    assert uses["audio.finite@1"] == [("v1", "error"), ("v2", "error")]
    assert uses["duration.av_match@1"] == [("v1", "error")]
    assert uses["video.rate@1"] == [("v2", "warning")]


@pytest.mark.parametrize(
    ("cut", "instead"),
    [
        ("## How to fix", "## Remedy"),
        ("## Why it matters", "Why it matters"),
        ("# The signal", "The signal"),
        ("```text", "```"),
        ("- `min_run` (s)", "- min_run"),
        ("## Source\n\nComfy-Org/ComfyUI#15799.", "## Source"),
    ],
)
def test_a_text_that_lacks_something_is_refused(cut: str, instead: str) -> None:
    assert GOOD.count(cut) == 1
    text.parse(GOOD, "the text")
    with pytest.raises(InstallationError, match=r"the text (has a section|does not have the sections)"):
        text.parse(GOOD.replace(cut, instead), "the text")


@pytest.mark.parametrize(("value", "shown"), [("1/1000", "0.001"), ("3/1", "3"), ("1/3", "1/3"), ("-20.0", "-20.0")])
def test_a_setting_for_people(value: str, shown: str) -> None:
    assert plain(value) == shown
