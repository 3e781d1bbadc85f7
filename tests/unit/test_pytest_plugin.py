"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import ROOT, environment, mediacheck, write_cut_wav, write_wav
from tests.junit_rules import checked

pytest_plugins = ["pytester"]

SUITE = """
import pytest
from mediacheck.pytest_plugin import assert_media

def test_good():
    assert assert_media("good.wav", expect={"samples": 8000}).verdict == "pass"

def test_cut(mediacheck):
    mediacheck.assert_media("cut.wav")

@pytest.mark.parametrize("samples", [8000, 9000])
def test_asked(samples):
    assert_media("good.wav", expect={"samples": samples})

def test_open():
    assert_media("good.wav", expect={"latents": 3})
"""


@pytest.fixture
def media(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with media, in which pytest runs with this plugin and no other that happens to be installed."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    write_wav(pytester.path / "good.wav")
    write_cut_wav(pytester.path / "cut.wav")
    return pytester


def run(media: pytest.Pytester, *arguments: str | Path) -> pytest.RunResult:
    return media.runpytest_subprocess("-p", "mediacheck.pytest_plugin", *arguments, timeout=60)


def suites(path: Path) -> dict[str, str]:
    """Names of the suites, with their failures and errors."""
    root = checked(path.read_bytes())
    assert len({suite.get("name") for suite in root}) == len(root)
    return {suite.get("name", ""): f"{suite.get('failures')} {suite.get('errors')}" for suite in root}


def test_the_message_of_a_failure_is_the_report(media: pytest.Pytester) -> None:
    media.makepyfile(test_it=SUITE)
    done = run(media, "--tb=long")
    done.assert_outcomes(passed=2, failed=3)
    report = mediacheck("validate", "cut.wav", cwd=media.path).text
    first, *rest = report.splitlines()
    done.stdout.fnmatch_lines(
        [">       mediacheck.assert_media(*cut.wav*)", f"E       AssertionError: {first}"]
        + [f"E       {line}".replace("[", "[[]") for line in rest],
        consecutive=True,
    )
    # The test's own lines are all that is shown of the code.
    assert "pytest_plugin.py" not in done.stdout.str()
    assert "def _validated" not in done.stdout.str()
    done.stdout.fnmatch_lines(["FAILED test_it.py::test_cut - AssertionError: FAIL  cut.wav"])


def test_what_could_not_be_determined_fails_and_says_so(media: pytest.Pytester) -> None:
    media.makepyfile(test_it=SUITE)
    done = run(media, "-k", "open", "--tb=short")
    done.assert_outcomes(failed=1, deselected=4)
    said = ["E   AssertionError: INCONCLUSIVE  good.wav", "E     inconclusive  duration.expected: *"]
    done.stdout.fnmatch_lines(said)


@pytest.mark.parametrize("spread", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "spread"])
def test_all_reports_as_junit(media: pytest.Pytester, spread: tuple[str, ...]) -> None:
    media.makepyfile(test_it=SUITE)
    done = run(media, "--mediacheck-junit", "made.xml", *spread)
    done.assert_outcomes(passed=2, failed=3)
    done.stdout.fnmatch_lines(["*mediacheck: 5 reports in *made.xml*"])
    found = suites(media.path / "made.xml")
    assert list(found) == [
        "test_it.py::test_asked[8000] good.wav",
        "test_it.py::test_asked[9000] good.wav",
        "test_it.py::test_cut cut.wav",
        "test_it.py::test_good good.wav",
        "test_it.py::test_open good.wav",
    ]
    assert list(found.values()) == ["0 0", "1 0", "1 0", "0 0", "0 1"]


def test_a_file_is_written_without_reports_too(media: pytest.Pytester) -> None:
    media.makepyfile(test_it="def test_nothing(): pass")
    (media.path / "made.xml").write_text("of an earlier run")
    run(media, "--mediacheck-junit=made.xml", "--collect-only")
    assert (media.path / "made.xml").read_text() == "of an earlier run"
    run(media, "--mediacheck-junit=made.xml").assert_outcomes(passed=1)
    assert suites(media.path / "made.xml") == {}


def test_a_file_that_cannot_be_written_is_refused_at_once(media: pytest.Pytester) -> None:
    media.makepyfile(test_it=SUITE)
    done = run(media, "--mediacheck-junit", "missing/made.xml")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["ERROR: --mediacheck-junit missing/made.xml: cannot write into*"])


def test_a_process_that_crashes_takes_its_reports_along_and_that_is_said(media: pytest.Pytester) -> None:
    media.makepyfile(
        test_it="""
        import os
        from mediacheck.pytest_plugin import assert_media
        def test_crash():
            assert_media("good.wav")
            os._exit(3)
        """
    )
    done = run(media, "--mediacheck-junit", "made.xml", "-p", "xdist", "-n", "1", "--max-worker-restart", "0")
    assert done.ret != 0
    done.stdout.fnmatch_lines(["mediacheck: 1 test process(es) crashed, *not in the file"])


def test_a_crash_of_the_decoder_fails_one_test(media: pytest.Pytester) -> None:
    write_wav(media.path / "crash.wav")
    media.makeconftest(
        """
        from mediacheck import isolated
        from tests.unit import breaking
        isolated._answer = breaking.answer
        """
    )
    media.makepyfile(
        test_it="""
        from mediacheck.pytest_plugin import assert_media
        def test_crash(): assert_media("crash.wav")
        def test_next(): assert_media("good.wav")
        """
    )
    done = run(media)
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["E*AssertionError: FAIL  crash.wav", "E*the decoder crashed (signal 11, SIGSEGV)*"])


def test_the_fixture_and_the_configuration_of_the_project(media: pytest.Pytester) -> None:
    media.makepyprojecttoml('[tool.mediacheck]\nvalidator = "rules/validator.toml"\ncontract = "kokoro-82m"\n')
    rules = (ROOT / "validators" / "v1" / "validator.toml").read_text().replace('id = "v1"', 'id = "mine"')
    media.mkdir("rules").joinpath("validator.toml").write_text(rules)
    media.mkdir("elsewhere")
    media.makepyfile(
        test_it="""
        import os
        import pytest
        import mediacheck as package
        def test_configured(mediacheck, monkeypatch):
            facts = mediacheck.measure("good.wav")
            assert facts.audio[0].samples == 8000
            report = mediacheck.validate("good.wav")
            assert (report.validator.id, report.contract.id) == ("mine", "kokoro-82m")
            assert mediacheck.judge(facts) == report
            assert mediacheck.validate("cut.wav", validator="v2").verdict == "fail"
            monkeypatch.chdir("elsewhere")
            assert mediacheck.judge(facts).validator.id == "mine"
        def test_wrong(mediacheck):
            with pytest.raises(package.ValidatorError) as error:
                mediacheck.validate("good.wav", validator="v9")
            assert "isolated" not in str(error.getrepr())
        """
    )
    run(media).assert_outcomes(passed=2)


def test_outside_of_a_test_it_is_a_plain_assertion(tmp_path: Path) -> None:
    write_cut_wav(tmp_path / "cut.wav")
    code = "from mediacheck.pytest_plugin import assert_media\nassert_media('cut.wav')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert "AssertionError: FAIL  cut.wav" in done.stderr


def test_loading_it_imports_nothing_else_and_it_is_silent(
    media: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Found by its entry point, as where mediacheck is installed: with the same name it cannot be loaded twice.
    info = media.mkdir("site") / "installed-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: installed\nVersion: 0\n")
    entry = (ROOT / "pyproject.toml").read_text().partition("[project.entry-points.pytest11]\n")[2].partition("\n\n")[0]
    (info / "entry_points.txt").write_text("[pytest11]\n" + entry.replace('"', ""))
    (info / "RECORD").write_text("mediacheck/__init__.py,,\nmediacheck/pytest_plugin.py,,\n")
    media.makepyfile(
        test_it="""
        import sys
        def test_loaded():
            ours = {name for name in sys.modules if name.partition(".")[0] == "mediacheck"}
            assert ours == {"mediacheck", "mediacheck.pytest_plugin"}
            assert not {"numpy", "av", "msgspec", "click"} & sys.modules.keys()
        """
    )
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{info.parent}")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    quiet = ["-W", "error", "-p", "no:anyio", "-p", "no:hypothesispytest"]
    done = media.runpytest_subprocess(*quiet, timeout=60)
    done.assert_outcomes(passed=1)
    assert "mediacheck:" not in done.stdout.str()
    imported_before = f"import mediacheck, pytest, sys; sys.exit(pytest.main({quiet!r}))"
    assert media.run(sys.executable, "-c", imported_before, timeout=60).ret == 0
    assert "--mediacheck-junit" in media.runpytest_subprocess("--help").stdout.str()


def test_the_example_of_the_documents(media: pytest.Pytester) -> None:
    document = (ROOT / "docs" / "how-to" / "pytest.md").read_text(encoding="utf-8")
    first, second = (part.split("```")[0] for part in document.split("```python\n")[1:])
    printed = document.split("```text\n", 1)[1].split("```")[0]
    media.makeconftest(
        """
        import builtins
        from tests.cli.run import write_wav
        builtins.synthesise = lambda text, path: write_wav(path, 1.5, 16000)
        """
    )
    media.makepyfile(test_it=first)
    done = run(media)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([line.replace("…", "*") for line in printed.splitlines()], consecutive=True)
    media.makepyprojecttoml(document.split("```toml\n")[1].split("```")[0])
    media.makepyfile(test_it=second)
    for name in ("one.wav", "other.wav"):
        write_wav(media.path / name)
    run(media).assert_outcomes(passed=1)


EVERY_KIND = """
import asyncio
import unittest
import pytest
from mediacheck.pytest_plugin import assert_media

@pytest.fixture
def broken():
    assert_media("cut.wav")

@pytest.fixture
def late():
    yield
    assert_media("cut.wav")

def test_setup_fails(broken): pass
def test_teardown_fails(late): pass
def test_expected():
    with pytest.raises(AssertionError, match="^FAIL  cut.wav"):
        assert_media("cut.wav")
def test_fails_elsewhere():
    assert_media("good.wav")
    assert False
@pytest.mark.skip
def test_skipped(): assert_media("cut.wav")
@pytest.mark.xfail(strict=True)
def test_known_to_fail(): assert_media("cut.wav")
def test_takes():
    for _ in range(3):
        assert_media("good.wav")

class Old(unittest.TestCase):
    def test_good(self):
        self.assertEqual(assert_media("good.wav").verdict, "pass")
    def test_bad(self):
        assert_media("good.wav")
        assert_media("cut.wav")

class Async(unittest.IsolatedAsyncioTestCase):
    async def test_bad(self):
        assert_media("cut.wav")
    async def test_several_at_once(self):
        reports = await asyncio.gather(*(asyncio.to_thread(assert_media, "good.wav") for _ in range(4)))
        assert {report.verdict for report in reports} == {"pass"}
"""


@pytest.mark.parametrize("spread", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "spread"])
def test_every_kind_of_test_and_outcome(media: pytest.Pytester, spread: tuple[str, ...]) -> None:
    media.makepyfile(test_it=EVERY_KIND)
    done = run(media, "--mediacheck-junit", "made.xml", *spread)
    done.assert_outcomes(passed=5, failed=3, errors=2, skipped=1, xfailed=1)
    assert suites(media.path / "made.xml") == {
        "test_it.py::Async::test_bad cut.wav": "1 0",
        "test_it.py::Async::test_several_at_once good.wav": "0 0",
        "test_it.py::Async::test_several_at_once good.wav (2)": "0 0",
        "test_it.py::Async::test_several_at_once good.wav (3)": "0 0",
        "test_it.py::Async::test_several_at_once good.wav (4)": "0 0",
        "test_it.py::Old::test_bad cut.wav": "1 0",
        "test_it.py::Old::test_bad good.wav": "0 0",
        "test_it.py::Old::test_good good.wav": "0 0",
        "test_it.py::test_expected cut.wav": "1 0",
        "test_it.py::test_fails_elsewhere good.wav": "0 0",
        "test_it.py::test_known_to_fail cut.wav": "1 0",
        "test_it.py::test_setup_fails cut.wav": "1 0",
        "test_it.py::test_takes good.wav": "0 0",
        "test_it.py::test_takes good.wav (2)": "0 0",
        "test_it.py::test_takes good.wav (3)": "0 0",
        "test_it.py::test_teardown_fails cut.wav": "1 0",
    }


def test_what_failed_last_time_is_run_again(media: pytest.Pytester) -> None:
    media.makepyfile(test_it=SUITE)
    run(media, "--mediacheck-junit", "made.xml").assert_outcomes(passed=2, failed=3)
    write_wav(media.path / "cut.wav")
    run(media, "--mediacheck-junit", "made.xml", "--lf").assert_outcomes(passed=1, failed=2)
    assert "test_it.py::test_good good.wav" not in suites(media.path / "made.xml")
    assert suites(media.path / "made.xml")["test_it.py::test_cut cut.wav"] == "0 0"


def test_without_the_plugin_the_function_still_fails_a_test(media: pytest.Pytester) -> None:
    media.makepyprojecttoml('[tool.mediacheck]\nvalidator = "v1"\n')
    media.makepyfile(
        test_it="""
        from mediacheck.pytest_plugin import assert_media
        def test_good(): assert assert_media("good.wav").validator.id == "v1"
        def test_cut(): assert_media("cut.wav", validator="v2")
        def test_fixture(mediacheck): pass
        """
    )
    done = media.runpytest_subprocess("-p", "no:mediacheck", timeout=60)
    done.assert_outcomes(passed=1, failed=1, errors=1)
    done.stdout.fnmatch_lines(["E       fixture 'mediacheck' not found", "E   AssertionError: FAIL  cut.wav"])


def test_several_runs_in_one_process(media: pytest.Pytester) -> None:
    media.makepyfile(test_it=SUITE)
    media.makepyfile(
        twice="""
        import sys
        import pytest
        from mediacheck import pytest_plugin
        for name in ("one.xml", "two.xml"):
            code = pytest.main(["-p", "mediacheck.pytest_plugin", "--mediacheck-junit", name, "-k", "good or cut"])
            assert code == 1, code
            assert not pytest_plugin._sessions
        """
    )
    done = media.run(sys.executable, "twice.py", timeout=60)
    assert done.ret == 0, done.stderr.str()
    assert suites(media.path / "one.xml") == suites(media.path / "two.xml")
    assert len(suites(media.path / "two.xml")) == 2


def test_what_a_source_may_be(media: pytest.Pytester) -> None:
    media.makepyfile(
        test_it="""
        from pathlib import Path
        import pytest
        import mediacheck
        from mediacheck.pytest_plugin import assert_media
        class Named:
            def __fspath__(self): return "good.wav"
        @pytest.mark.parametrize("source", ["good.wav", Path("good.wav"), Named(), Path("good.wav").absolute()])
        def test_path(source): assert assert_media(source).subject.name == "good.wav"
        def test_content(): assert_media(Path("good.wav").read_bytes(), expect={"samples": 8000})
        def test_open():
            with open("good.wav", "rb") as file:
                assert_media(file, name="take 1")
        def test_bytes_are_no_path():
            with pytest.raises(AssertionError, match="media.decodable"):
                assert_media(b"good.wav")
        def test_no_such_file():
            with pytest.raises(mediacheck.PathError):
                assert_media("gone.wav")
        """
    )
    run(media).assert_outcomes(passed=8)
