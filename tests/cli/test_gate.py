"""``mediacheck gate`` as a user runs it; runs are made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from mediacheck import schema
from mediacheck.batch.ledger import LEDGER
from mediacheck.batch.record import RECORD
from mediacheck.batch.run import EXPORTS
from mediacheck.cli.gate import KEPT
from mediacheck.gate.decision import Decision
from tests.cli.run import Ran, mediacheck, one_line
from tests.unit.gate.factory import APPROVED, CORPUS, policy_text, write_run
from tests.unit.gate.test_decide import ABSOLUTE, speech


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "base", speech(1))
    write_run(folder / "good", speech(2))
    write_run(folder / "bad", speech(3, rate=0.15))
    (folder / "policy.toml").write_text(policy_text(CORPUS))
    (folder / "open.toml").write_text(policy_text(CORPUS, approved=False))
    return folder


def gate(runs: Path, run: str, *arguments: str | Path, policy: str = "policy.toml", **variables: str) -> Ran:
    return mediacheck("gate", run, "--policy", policy, "--baseline", "base", *arguments, cwd=runs, **variables)


@pytest.mark.parametrize(
    ("run", "policy", "code", "word"),
    [
        ("good", "policy.toml", 0, "PASS"),
        ("bad", "policy.toml", 1, "FAIL"),
        ("good", "open.toml", 3, "INCONCLUSIVE"),
        ("bad", "open.toml", 3, "INCONCLUSIVE"),
    ],
)
def test_exit_code_and_every_format_agree(
    runs: Path, tmp_path: Path, run: str, policy: str, code: int, word: str
) -> None:
    ran = gate(runs, run, "--json", tmp_path / "d.json", "--junit", tmp_path / "d.xml", "--markdown", tmp_path / "d.md",
               policy=policy, GITHUB_ACTIONS="")  # fmt: skip
    assert (ran.code, ran.err) == (code, "")
    assert ran.text.startswith(f"{word}  {run}: ")
    document = json.loads((tmp_path / "d.json").read_bytes())
    jsonschema.Draft202012Validator(schema.schema_of(Decision)).validate(document)
    assert document["verdict"] == word.lower()
    root = ElementTree.parse(tmp_path / "d.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == {0: ("0", "0"), 1: ("1", "0"), 3: ("0", "1")}[code]
    assert word.lower() in (tmp_path / "d.md").read_text().splitlines()[0]
    assert str(runs) not in (tmp_path / "d.json").read_text()


def test_json_and_markdown_own_standard_output(runs: Path) -> None:
    assert gate(runs, "good", "--json", "-").json["schema"] == "mediacheck.gate/1"
    assert gate(runs, "good", "--markdown", "-").text.startswith("### ")
    assert gate(runs, "good", "-q").text == ""


def test_in_github_actions_it_annotates_and_adds_to_the_step_summary(runs: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    ran = gate(runs, "bad", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert ran.code == 1
    assert "\n::error title=gate test%3A fail::" in ran.text
    assert summary.read_text().startswith("before\n### ❌ fail")
    quiet = gate(runs, "bad", "--json", "-", GITHUB_ACTIONS="true")
    assert quiet.json["verdict"] == "fail"
    assert quiet.err.startswith("::error ")
    assert "::error" not in gate(runs, "bad", "--no-github", GITHUB_ACTIONS="true").text
    assert "::error" in gate(runs, "bad", "--github").text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json", "-", "--markdown", "-"), "both want standard output"),
        (("--summary", "-"), "appended to a file"),
        (("--markdown", ""), "empty name"),
        (("--json", "x", "--markdown", "x"), "named for two results"),
        (("--markdown", "base/results.jsonl"), "one of the files to read"),
        (("--json", "policy.toml"), "one of the files to read"),
        (("--json", "good/ledger.sqlite"), "one of the files to read"),
        (("--summary", "base/summary.json"), "one of the files to read"),
        (("--policy", "open.toml"), "--policy is given 2 times (policy.toml, open.toml); give it once"),
        (("--baseline", "bad"), "--baseline is given 2 times (base, bad); give it once"),
        (("--json", "a.json", "--json", "b.json"), "--json is given 2 times"),
        (("--markdown", "none/x.md"), "cannot write into none"),
        (("--validator", "v9"), "there is no validator 'v9'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(runs: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = gate(runs, "good", *arguments)
    assert ran.code == 2
    assert said in one_line(ran)


def test_a_baseline_that_is_none_is_one_sentence(runs: Path) -> None:
    for baseline, said in (("good", "as candidate and as baseline"), ("none", "none is no run folder")):
        ran = mediacheck("gate", "good", "--policy", "policy.toml", "--baseline", baseline, cwd=runs)
        assert ran.code == 2
        assert said in one_line(ran)


def test_every_file_of_a_run_folder_is_kept() -> None:
    assert set(KEPT) == {RECORD, LEDGER, *EXPORTS}


def test_a_policy_of_another_workload_is_refused(runs: Path) -> None:
    (runs / "other.toml").write_text(
        policy_text(ABSOLUTE).replace(APPROVED, APPROVED.replace("sha256:aaaa", "sha256:bbbb"))
    )
    (runs / "named.toml").write_text(
        policy_text(ABSOLUTE).replace(APPROVED, 'approval = { by = "Ada", date = 2026-11-30, workload = "tts" }\n')
    )
    assert "another workload" in one_line(gate(runs, "good", policy="other.toml"))
    assert "say --workload tts" in one_line(gate(runs, "good", policy="named.toml"))
    assert gate(runs, "good", "--workload", "tts", policy="named.toml").code == 0
