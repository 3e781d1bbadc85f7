"""Validators as data: loading, refusing, digests, comparing, copying, freezing and verifying."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from mediacheck.checks import all_checks, registry
from mediacheck.cli.validators import validators_group
from mediacheck.errors import ValidatorError
from mediacheck.resources import validators_root
from mediacheck.validators import (
    FILE_NAME,
    Validator,
    diff,
    list_validators,
    load_validator,
    new_validator,
    parse_validator,
    validator_ids,
)
from mediacheck.validators_lock import freeze, read_lock, record_sets, verify
from tests.frozen.record import FOLDER

HEAD = 'schema = "mediacheck.validator/1"\nid = "mine"\n'


def write(*checks: str, head: str = HEAD) -> bytes:
    return (head + "".join(f"[[checks]]\n{check}\n" for check in checks)).encode()


LEADING = 'check = "audio.leading_silence@1"\nseverity = "error"\n'


def test_the_shipped_ones() -> None:
    assert validator_ids() == ("v1", "v2")
    assert [one.id for one in list_validators()] == ["v1", "v2"]
    assert [len(one.checks) for one in list_validators()] == [6, 31]


def test_parameters_written_out_are_the_defaults() -> None:
    """What the files of v1 and v2 say in words is what the checks do by themselves, but for what v2 moved."""
    moved = {
        (validator.id, pinned.check)
        for validator in list_validators()
        for pinned in validator.checks
        if pinned.parameters != pinned.definition.parameters()
    }
    assert moved == {("v2", "audio.dropout@1")}


def test_the_columns_of_the_table() -> None:
    v1 = {pinned.check: pinned.severity for pinned in load_validator("v1").checks}
    assert set(v1) == {
        "media.decodable@1",
        "timeline.monotonic@1",
        "duration.av_match@1",
        "duration.expected@1",
        "audio.finite@1",
        "audio.silent@1",
    }
    v2 = {pinned.check: pinned.severity for pinned in load_validator("v2").checks}
    assert {check for check, severity in v2.items() if severity == "warning"} == {
        "media.header@1",
        "video.rate@1",
        "audio.truncated_end@1",
        "audio.dc_offset@1",
        "audio.loudness@1",
    }
    assert set(v2) == {check.name for check in all_checks()} - {"duration.av_match@1"}


def test_a_file_or_a_folder_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(write(LEADING))
    assert load_validator(path) == load_validator(tmp_path) == load_validator(str(path))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff", "malformed"),
        (b"nonsense", "malformed"),
        (write(LEADING, head='schema = "mediacheck.validator/2"\nid = "x"\n'), "malformed"),
        (write(LEADING, head='schema = "mediacheck.validator/1"\nid = "../x"\n'), "id '../x'"),
        (write(LEADING, head=HEAD + "surprise = 1\n"), "surprise"),
        (b'schema = "mediacheck.validator/1"\nid = "x"\nchecks = []\n', "no checks"),
        (write('check = "audio.finite@9"\nseverity = "error"'), "known: audio.finite@1"),
        (write('check = "audio.finte@1"\nseverity = "error"'), "known: audio.clipping@1"),
        (write('check = "audio.finite@1"\nseverity = "fatal"'), "severity"),
        (write(LEADING, LEADING), "twice"),
        (write(LEADING + "[checks.parameters]\nmaximum = 1"), "it has threshold_dbfs, max_silence"),
        (write('check = "audio.finite@1"\nseverity = "error"\n[checks.parameters]\nx = 1'), "it has none"),
        (write(LEADING + "[checks.parameters]\nmax_silence = nan"), "does not fit"),
        (write(LEADING + "[checks.parameters]\nmax_silence = inf"), "does not fit"),
        (write(LEADING + "[checks.parameters]\nmax_silence = -1"), "below zero"),
        (write(LEADING + "[checks.parameters]\nmax_silence = true"), "does not fit"),
        (write(LEADING + "[checks.parameters]\nthreshold_dbfs = nan"), "finite"),
        (write('check = "audio.stuck@1"\nseverity = "error"\n[checks.parameters]\nmin_run = 0.01'), "not measured"),
    ],
)
def test_what_is_malformed_is_refused_in_one_sentence(data: bytes, words: str) -> None:
    with pytest.raises(ValidatorError) as refusal:
        parse_validator(data, "my.toml")
    assert words in str(refusal.value)
    assert "my.toml" in str(refusal.value)


def test_an_unknown_one_names_the_known() -> None:
    with pytest.raises(ValidatorError, match=r"'v3'.*known: v1, v2"):
        load_validator("v3")


@pytest.mark.parametrize("text", ["0.001", '"1/1000"', '"0.001"'])
def test_a_decimal_means_what_it_says(text: str) -> None:
    one = parse_validator(write(LEADING + f"[checks.parameters]\nmax_silence = {text}"), "x")
    assert [setting.value for setting in one.checks[0].settings] == ["-60.0", "1/1000"]


class TestDigest:
    def test_layout_name_and_status_do_not_count(self) -> None:
        plain = parse_validator(write(LEADING), "x")
        spelt = write(LEADING + "[checks.parameters]\nmax_silence = 1\nthreshold_dbfs = -60")
        assert parse_validator(spelt, "x").digest == plain.digest
        assert msgspec.structs.replace(plain, id="other", status="stable", title="t").digest == plain.digest

    @pytest.mark.parametrize(
        "other",
        [
            write(LEADING.replace("error", "warning")),
            write(LEADING + "[checks.parameters]\nmax_silence = 1.1"),
            write('check = "audio.finite@1"\nseverity = "error"', LEADING),
        ],
    )
    def test_severity_parameters_and_checks_count(self, other: bytes) -> None:
        assert parse_validator(other, "x").digest != parse_validator(write(LEADING), "x").digest


def test_diff() -> None:
    v1, v2 = load_validator("v1"), load_validator("v2")
    assert diff(v1, v1) == ()
    gone = [one for one in diff(v1, v2) if one.after == "none"]
    assert [one.check for one in gone] == ["duration.av_match"]
    one = parse_validator(write(LEADING), "x")
    two = parse_validator(write(LEADING.replace("error", "warning") + "[checks.parameters]\nmax_silence = 2"), "x")
    assert [(d.what, d.before, d.after) for d in diff(one, two)] == [
        ("severity", "error", "warning"),
        ("max_silence", "1/1", "2/1"),
    ]


def test_every_difference_of_content_shows() -> None:
    one = parse_validator(write(LEADING, 'check = "audio.finite@1"\nseverity = "error"'), "x")
    two = msgspec.structs.replace(one, checks=one.checks[::-1])
    assert one.digest != two.digest
    assert [d.what for d in diff(one, two)] == ["order"]


class TestNew:
    def test_a_copy_says_the_same(self, tmp_path: Path) -> None:
        path = new_validator("mine", "v2", tmp_path / "mine")
        copy = load_validator(path)
        assert (copy.id, copy.status, copy.digest) == ("mine", "preview", load_validator("v2").digest)
        assert "# seconds" in path.read_text()

    def test_nothing_is_overwritten(self, tmp_path: Path) -> None:
        new_validator("mine", "v2", tmp_path)
        with pytest.raises(ValidatorError, match="there already"):
            new_validator("mine", "v1", tmp_path)

    @pytest.mark.parametrize(("id", "source"), [("v1", "v2"), ("a b", "v2"), ("mine", "v9")])
    def test_refusals(self, tmp_path: Path, id: str, source: str) -> None:
        with pytest.raises(ValidatorError):
            new_validator(id, source, tmp_path / "x")
        assert not (tmp_path / "x").exists()


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    """A folder with one frozen validator, ``mine``."""
    new_validator("mine", "v2", tmp_path / "mine")
    (tmp_path / "mine" / "README.md").write_text("why\n")
    (tmp_path / "LOCK").write_text("# head")
    freeze(tmp_path / "mine", FOLDER)
    return tmp_path


class TestFreezing:
    def test_what_is_locked(self, frozen: Path) -> None:
        lines = read_lock(frozen / "LOCK")
        assert (frozen / "LOCK").read_text().startswith("# head\nmine sha256:")
        assert lines[0].digest == load_validator("v2").digest
        assert [line.what for line in lines[1:3]] == ["README.md", "validator.toml"]
        assert len(lines) == 3 + 31
        assert load_validator(frozen / "mine").status == "stable"

    def test_untouched_it_verifies(self, frozen: Path) -> None:
        found = verify(frozen, FOLDER)
        assert (found.frozen, found.problems, found.not_replayed) == (("mine",), (), None)

    def test_twice_is_refused(self, frozen: Path) -> None:
        before = (frozen / "LOCK").read_bytes()
        with pytest.raises(ValidatorError, match="frozen already"):
            freeze(frozen / "mine", FOLDER)
        assert (frozen / "LOCK").read_bytes() == before

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("max_silence = 1.5", "max_silence = 1.6"),
            ('severity = "error"', 'severity = "warning"'),
            ('status = "stable"', 'status = "preview"'),
            ("# seconds", "# metres"),
        ],
    )
    def test_a_changed_file_is_found(self, frozen: Path, old: str, new: str) -> None:
        path = frozen / "mine" / FILE_NAME
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        assert verify(frozen, FOLDER).problems

    def test_a_changed_missing_or_added_file_is_found(self, frozen: Path) -> None:
        (frozen / "mine" / "README.md").write_text("why not\n")
        (frozen / "mine" / "more.txt").write_text("x")
        assert verify(frozen, FOLDER).problems == (
            "mine is frozen, but mine/README.md has changed",
            "mine is frozen, but mine/more.txt was added",
        )
        shutil.rmtree(frozen / "mine")
        assert verify(frozen, FOLDER).problems == ("mine is frozen, but mine/validator.toml is missing",)

    def test_a_changed_behaviour_is_found(self, frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        name = "audio.clipping@1"
        was = registry.get_check(name)

        def lenient(case: Any, parameters: Any) -> registry.Result:
            result = was.run(case, parameters)
            return registry.passed("fine") if result.outcome == "fail" else result

        changed = registry.Check(was.id, was.version, was.parameters, lenient)
        monkeypatch.setitem(registry._CHECKS, name, changed)
        problems = verify(frozen, FOLDER).problems
        assert len(problems) == 1
        assert problems[0].startswith("audio.clipping@1, which the frozen mine pins, finds something else")

    def test_a_changed_default_is_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A validator that leaves a parameter out is locked with the default that it had."""
        (tmp_path / "bare").mkdir()
        (tmp_path / "bare" / FILE_NAME).write_bytes(write(LEADING, head=HEAD.replace("mine", "bare")))
        freeze(tmp_path / "bare", FOLDER)
        was = registry.get_check("audio.leading_silence@1")

        class Wider(was.parameters):  # type: ignore[name-defined,misc]
            threshold_dbfs: float = -55.0

        monkeypatch.setitem(registry._CHECKS, was.name, registry.Check(was.id, 1, Wider, was.run))
        assert any("its digest is" in problem for problem in verify(tmp_path, FOLDER).problems)

    def test_a_check_that_is_gone_is_found(self, frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(registry._CHECKS, "audio.clipping@1")
        assert "cannot be loaded" in verify(frozen, FOLDER).problems[0]

    def test_stable_without_a_lock_is_found(self, tmp_path: Path) -> None:
        path = new_validator("mine", "v2", tmp_path / "mine")
        path.write_text(path.read_text().replace('"preview"', '"stable"'))
        assert verify(tmp_path, FOLDER).problems == ("mine says it is stable, but the LOCK does not hold it",)

    def test_without_records_it_is_told_not_passed(self, frozen: Path, tmp_path: Path) -> None:
        assert verify(frozen, tmp_path / "none").not_replayed
        new_validator("other", "v1", tmp_path / "other")
        with pytest.raises(ValidatorError, match="no recorded facts"):
            freeze(tmp_path / "other", tmp_path / "none")
        assert load_validator(tmp_path / "other").status == "preview"

    def test_a_later_set_of_records_changes_nothing_for_what_is_frozen(self, frozen: Path, tmp_path: Path) -> None:
        sets = tmp_path / "records"
        shutil.copytree(FOLDER / "1", sets / "1", ignore=shutil.ignore_patterns("findings"))
        shutil.copytree(FOLDER / "1", sets / "2", ignore=shutil.ignore_patterns("findings", "story*"))
        assert record_sets(sets) == (1, 2)
        assert verify(frozen, sets).problems == ()
        new_validator("later", "v1", frozen / "later")
        assert {line.record_set for line in freeze(frozen / "later", sets)} == {None, 2}
        assert verify(frozen, sets).problems == ()

    @pytest.mark.parametrize("line", ["mine", "mine md5:1", "mine audio.finite@1 x sha256:1", "a b 1 c sha256:1"])
    def test_a_broken_lock_is_refused(self, tmp_path: Path, line: str) -> None:
        (tmp_path / "LOCK").write_text(line + "\n")
        with pytest.raises(ValidatorError, match="line 1"):
            read_lock(tmp_path / "LOCK")


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(validators_group, arguments, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value), done.output


class TestCommands:
    def test_list_and_show(self) -> None:
        code, text = invoke("list")
        assert (code, text.splitlines()[0].split()[:3]) == (0, ["v1", "preview", "6"])
        code, text = invoke("show", "v2")
        assert code == 0
        assert load_validator("v2").digest in text
        assert "max_silence = 1.5" in text

    def test_diff(self) -> None:
        code, text = invoke("diff", "v1", "v2")
        assert code == 1
        assert "duration.av_match: duration.av_match@1 (error) -> none" in text
        assert invoke("diff", "v2", "v2") == (0, "v2 and v2 say the same\n")

    def test_new_freeze_verify(self, tmp_path: Path) -> None:
        folder = tmp_path / "mine"
        assert invoke("new", "mine", "--from", "v1", "--into", str(folder))[0] == 0
        assert invoke("freeze", str(folder), "--records", str(FOLDER))[0] == 0
        assert invoke("verify", "--root", str(tmp_path), "--records", str(FOLDER)) == (0, "mine: as frozen\n")
        assert invoke("verify", "--root", str(tmp_path), "--records", str(tmp_path / "no"))[0] == 3
        path = folder / FILE_NAME
        path.write_text(path.read_text().replace("0.001", "0.002"))
        code, text = invoke("verify", "--root", str(tmp_path), "--records", str(FOLDER))
        assert code == 1
        assert "what it says has changed" in text

    def test_the_shipped_ones_verify(self) -> None:
        assert invoke("verify")[0] == 0

    def test_errors_are_raised_for_main_to_print(self) -> None:
        with pytest.raises(ValidatorError, match="known: v1, v2"):
            invoke("show", "v9")


def test_a_validator_is_a_value() -> None:
    assert isinstance(load_validator("v1"), Validator)
    assert load_validator("v1") == load_validator("v1")


def test_a_file_cannot_pass_for_a_shipped_validator(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    head = 'schema = "mediacheck.validator/1"\nid = "v2"\n'
    path.write_text(head + '[[checks]]\ncheck = "audio.finite@1"\nseverity = "error"\n')
    with pytest.raises(ValidatorError, match="calls itself v2"):
        load_validator(path)
    path.write_text((validators_root() / "v2" / "validator.toml").read_text())
    assert load_validator(path).id == "v2"


def test_a_file_that_is_nested_too_deep(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("x = " + "[" * 100_000)
    with pytest.raises(ValidatorError, match="malformed"):
        load_validator(path)
