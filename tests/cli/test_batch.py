"""``mediacheck batch`` as a user runs it: what is done again, what is refused, what the folder says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
import tomllib
from pathlib import Path

import jsonschema
import pytest

from mediacheck.batch.ledger import Ledger, Stage
from tests.batch.runs import children, export, results, start, write_manifest, write_tone
from tests.cli.run import ROOT, Ran, mediacheck, one_line, write_cut_wav

STAGES: tuple[Stage, ...] = ("validate", "score")
BY_LOUDNESS = ("--scorer", "loudness")


def batch(*arguments: str | Path, cwd: Path, **variables: str) -> Ran:
    return mediacheck("batch", *arguments, cwd=cwd, **variables)


def attempts(run: Path) -> dict[str, int]:
    return {result["id"]: result["attempts"] for result in results(run)}


def summary(run: Path) -> dict:
    return json.loads((run / "summary.json").read_text())


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return write_manifest(tmp_path / "media", 6, language=lambda number: ("en", "fr")[number % 2])


def test_a_good_run_passes_and_its_folder_says_by_what(tmp_path: Path, manifest: Path) -> None:
    ran = batch(
        manifest, "--run", tmp_path / "run", *BY_LOUDNESS, "--model-revision", "abc", "--source-revision", "v1.2",
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "the manifest is jsonl, of 6 items" in ran.err
    assert "valid 6" in ran.text
    assert "loudness: 6/6 scored; mean" in ran.text
    record = tomllib.loads((tmp_path / "run" / "run.toml").read_text())
    assert record["validator"]["id"] == "v2"
    assert record["model_revision"] == "abc"
    assert record["source_revision"] == "v1.2"
    assert record["scorers"][0]["scorer"] == "loudness"
    assert record["manifest"]["files"][0]["name"] == "manifest.jsonl"
    total = summary(tmp_path / "run")["total"]
    assert (total["expected"], total["present"], total["valid"], total["scored"]) == (6, 6, 6, 6)
    assert [group["value"] for group in summary(tmp_path / "run")["groups"]] == ["en", "fr"]
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {
        "ledger.sqlite", "run.toml", "results.jsonl", "summary.json",
    }  # fmt: skip


def test_the_documents_fit_their_schemas(tmp_path: Path, manifest: Path) -> None:
    write_cut_wav(tmp_path / "media" / "0001.wav")
    (tmp_path / "media" / "0002.wav").unlink()
    assert batch(manifest, "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path).code == 1
    schemas = ROOT / "docs" / "schemas"
    for result in results(tmp_path / "run"):
        jsonschema.validate(result, json.loads((schemas / "mediacheck.result-1.json").read_text()))
    jsonschema.validate(summary(tmp_path / "run"), json.loads((schemas / "mediacheck.run-summary-1.json").read_text()))
    jsonschema.validate(
        tomllib.loads((tmp_path / "run" / "run.toml").read_text()),
        json.loads((schemas / "mediacheck.run-1.json").read_text()),
    )


def test_scores_in_exports_have_four_decimals(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2, reference="reference.wav")
    write_tone(tmp_path / "media" / "reference.wav", 0, seconds=0.3)
    batch(manifest, "--run", tmp_path / "run", "--scorer", "duration_ratio", cwd=tmp_path)
    values = [result["scores"][0]["value"] for result in results(tmp_path / "run")]
    assert values == [1.6667, 1.6667]
    with Ledger(tmp_path / "run") as ledger:
        attempt = ledger.latest("score", 0)
    assert attempt is not None
    assert attempt.result is not None
    assert json.loads(attempt.result)["scores"][0]["value"] == 0.5 / 0.3, "the ledger keeps what was computed"


def test_a_second_start_does_nothing_again(tmp_path: Path, manifest: Path) -> None:
    batch(manifest, "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path)
    before = (tmp_path / "run" / "results.jsonl").read_bytes()
    assert batch(manifest, "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path).code == 0
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == before
    assert set(attempts(tmp_path / "run").values()) == {1}


def test_what_changed_is_done_again_and_nothing_else(tmp_path: Path, manifest: Path) -> None:
    run = tmp_path / "run"
    batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path)
    write_tone(tmp_path / "media" / "0003.wav", 99)
    os.utime(tmp_path / "media" / "0004.wav")
    before = {result["id"]: result["sha256"] for result in results(run)}
    assert batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path).code == 0
    assert attempts(run) == {f"item-{n}": 2 if n == 3 else 1 for n in range(6)}
    changed = {result["id"] for result in results(run) if result["sha256"] != before[result["id"]]}
    assert changed == {"item-3"}
    with Ledger(run) as ledger:
        assert len(ledger.history("score", 3)) == 2


def test_a_file_of_the_same_size_and_time_with_other_bytes_is_seen(tmp_path: Path, manifest: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "media" / "0003.wav"
    batch(manifest, "--run", run, cwd=tmp_path)
    status = path.stat()
    write_tone(path, 77)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    batch(manifest, "--run", run, cwd=tmp_path)
    assert attempts(run)["item-3"] == 2


def test_a_missing_file_is_a_failed_item_until_it_is_there(tmp_path: Path, manifest: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "media" / "0002.wav"
    path.rename(tmp_path / "away.wav")
    ran = batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path)
    assert ran.code == 1
    assert "not judged: missing 1" in ran.text
    missing = results(run)[2]
    assert (missing["status"], missing["verdict"], missing["where"]) == ("missing", None, "line 3")
    assert missing["scores"] == [
        {
            "status": "not_measured",
            "scorer": "loudness",
            "reason": "the file is not there",
            "transient": False,
        }
    ]
    assert summary(run)["total"]["coverage"] == "5/6"
    assert batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path).code == 1
    assert attempts(run)["item-2"] == 1, "nothing new was found"
    (tmp_path / "away.wav").rename(path)
    assert batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path).code == 0
    assert attempts(run)["item-2"] == 2
    with Ledger(run) as ledger:
        assert [attempt.status for attempt, _ in ledger.history("validate", 2)] == ["missing", "judged"]


def test_a_file_that_goes_away_is_a_failed_item_again(tmp_path: Path, manifest: Path) -> None:
    batch(manifest, "--run", tmp_path / "run", cwd=tmp_path)
    (tmp_path / "media" / "0002.wav").unlink()
    assert batch(manifest, "--run", tmp_path / "run", cwd=tmp_path).code == 1
    assert results(tmp_path / "run")[2]["status"] == "missing"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--validator", "v1"), "validator: v2"),
        (("--scorer", "loudness"), "options:"),
        (("--contract", "minimax-h3-ref2va"), "contract: none then"),
        (("--model-revision", "other"), "model revision: none then, other now"),
        (("--shard", "1/2"), "shard: none then, 1/2 now"),
    ],
)
def test_a_changed_identity_is_refused(tmp_path: Path, manifest: Path, options: tuple[str, ...], named: str) -> None:
    run = tmp_path / "run"
    batch(manifest, "--run", run, cwd=tmp_path)
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.name != "ledger.sqlite"}
    refused = batch(manifest, "--run", run, *options, "--quiet", cwd=tmp_path)
    assert refused.code == 2
    assert named in one_line(refused)
    assert "--run" in refused.err
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.name != "ledger.sqlite"} == before
    assert batch(manifest, "--run", run, cwd=tmp_path).code == 0


def test_a_changed_manifest_is_refused(tmp_path: Path, manifest: Path) -> None:
    run = tmp_path / "run"
    batch(manifest, "--run", run, cwd=tmp_path)
    lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join([*lines, lines[0].replace("item-0", "item-9")]))
    refused = batch(manifest, "--run", run, "--quiet", cwd=tmp_path)
    assert refused.code == 2
    assert "manifest: 6 items" in one_line(refused)


def test_media_that_moved_with_their_manifest_are_the_same(tmp_path: Path, manifest: Path) -> None:
    batch(manifest, "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path)
    (tmp_path / "media").rename(tmp_path / "moved")
    ran = batch(tmp_path / "moved" / "manifest.jsonl", "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert set(attempts(tmp_path / "run").values()) == {1}


def test_malformed_lines_refuse_the_run_and_leave_nothing(tmp_path: Path, manifest: Path) -> None:
    lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join([lines[0], "{broken", lines[1], lines[0], *lines[2:]]))
    refused = batch(manifest, "--run", tmp_path / "run", cwd=tmp_path)
    assert refused.code == 2
    assert "line 2" in refused.err
    assert "line 4: the id 'item-0' stands in line 1 already" in refused.err
    assert "2 lines that cannot be used" in refused.err
    assert not (tmp_path / "run").exists()


def test_malformed_lines_are_failed_items_where_that_is_asked_for(tmp_path: Path, manifest: Path) -> None:
    lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join([lines[0], "{broken", lines[1], lines[0], *lines[2:]]))
    run = tmp_path / "run"
    ran = batch(manifest, "--run", run, "--malformed", "record", *BY_LOUDNESS, cwd=tmp_path)
    assert ran.code == 1
    total = summary(run)["total"]
    assert (total["expected"], total["valid"]) == (8, 6)
    malformed = [result for result in results(run) if result["status"] == "malformed"]
    assert [result["id"] for result in malformed] == ["line 2", "line 4"]
    assert all(result["reason"].startswith(result["id"]) for result in malformed)
    assert batch(manifest, "--run", run, "--malformed", "record", *BY_LOUDNESS, cwd=tmp_path).code == 1


def test_a_run_without_a_valid_item_is_an_error(tmp_path: Path, manifest: Path) -> None:
    for path in (tmp_path / "media").glob("*.wav"):
        path.write_bytes(b"")
    ran = batch(manifest, "--run", tmp_path / "run", *BY_LOUDNESS, cwd=tmp_path)
    assert ran.code == 1
    assert "none of 6 items is valid" in ran.err
    assert summary(tmp_path / "run")["error"] == "none of 6 items is valid"
    assert summary(tmp_path / "run")["total"]["metrics"][0]["error"] == "none of 6 items has a value"


def test_extra_files_are_counted(tmp_path: Path, manifest: Path) -> None:
    write_tone(tmp_path / "media" / "nobody.wav", 1)
    ran = batch(manifest, "--run", tmp_path / "run", cwd=tmp_path)
    assert ran.code == 0
    assert "1 media files beside the outputs are named by no item: nobody.wav" in ran.err
    assert summary(tmp_path / "run")["extra_files"] == 1
    assert summary(tmp_path / "run")["first_extra_files"] == ["nobody.wav"]


def test_a_reference_is_no_extra_file(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2, reference="reference.wav")
    write_tone(tmp_path / "media" / "reference.wav", 1)
    batch(manifest, "--run", tmp_path / "run", cwd=tmp_path)
    assert summary(tmp_path / "run")["extra_files"] == 0


def test_items_are_judged_by_their_own_contracts_and_expectations(tmp_path: Path) -> None:
    media = tmp_path / "media"
    manifest = write_manifest(media, 3)
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    lines[0]["expect"] = {"samples": 4000}
    lines[1]["expect"] = {"samples": 4001}
    lines[2]["contract"] = "no-such-contract"
    manifest.write_text("\n".join(map(json.dumps, lines)))
    run = tmp_path / "run"
    assert batch(manifest, "--run", run, "--malformed", "record", cwd=tmp_path).code == 1
    found = results(run)
    assert [result["verdict"] for result in found] == ["pass", "fail", None]
    assert found[1]["findings"][0]["check"] == "duration.expected"
    assert "line 3" in found[2]["reason"]
    assert "no-such-contract" in found[2]["reason"]


def test_a_contract_by_its_path_stays_where_the_manifest_is(tmp_path: Path) -> None:
    media = tmp_path / "media"
    manifest = write_manifest(media, 5)
    own = (ROOT / "validators" / "contracts" / "minimax-h3-ref2va.toml").read_bytes()
    (media / "own.toml").write_bytes(own)
    (tmp_path / "secret.toml").write_text('password = "swordfish"')
    os.mkfifo(media / "pipe.toml")
    os.symlink("/dev/zero", media / "zero.toml")
    names = ["own.toml", "../secret.toml", "pipe.toml", "zero.toml", "gone.toml"]
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    manifest.write_text("\n".join(json.dumps({**line, "contract": n}) for line, n in zip(lines, names, strict=True)))
    run = tmp_path / "run"
    ran = batch(manifest, "--run", run, "--malformed", "record", cwd=tmp_path)
    assert ran.code == 1
    found = results(run)
    assert [result["status"] for result in found] == ["judged"] + ["malformed"] * 4
    assert "leads out of the allowed folders" in found[1]["reason"]
    text = (run / "results.jsonl").read_text()
    assert "password" not in text
    assert str(tmp_path) not in text


def test_a_line_without_an_id_takes_that_of_no_other(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 4)
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    for line, id in zip(lines, ["a", "a", "line 2", "line 5"], strict=True):
        line["id"] = id
    manifest.write_text("\n".join([*map(json.dumps, lines), "{broken"]))
    run = tmp_path / "run"
    batch(manifest, "--run", run, "--malformed", "record", cwd=tmp_path)
    assert [(result["id"], result["status"]) for result in results(run)] == [
        ("a", "judged"),
        ("line 2 (2)", "malformed"),
        ("line 2", "judged"),
        ("line 5", "judged"),
        ("line 5 (2)", "malformed"),
    ]


def test_items_without_a_group_are_a_group(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 4)
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    lines[0]["half"] = "left"
    (tmp_path / "media" / "0001.wav").unlink()
    manifest.write_text("\n".join([*map(json.dumps, lines), "{broken"]))
    batch(manifest, "--run", tmp_path / "run", "--group", "half", "--malformed", "record", cwd=tmp_path)
    groups = {group["value"]: group["tally"]["coverage"] for group in summary(tmp_path / "run")["groups"]}
    assert groups == {"left": "1/1", None: "2/4"}


def test_shards_merge_to_the_run_in_one_piece(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 20, reference="0000.wav")
    (tmp_path / "media" / "0005.wav").unlink()
    options = (*BY_LOUDNESS, "--scorer", "duration_ratio", "--quiet")
    whole = batch(manifest, "--run", tmp_path / "whole", *options, cwd=tmp_path)
    shards = []
    for number in (1, 2, 3):
        shards.append(tmp_path / f"shard{number}")
        batch(manifest, "--run", shards[-1], "--shard", f"{number}/3", *options, cwd=tmp_path)
    sizes = [len(results(shard)) for shard in shards]
    assert sum(sizes) == 20
    assert min(sizes) > 0
    merged = batch("merge", *reversed(shards), "--run", tmp_path / "merged", cwd=tmp_path)
    assert merged.code == whole.code == 1
    for name in ("results.jsonl", "summary.json", "run.toml"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    again = batch(manifest, "--run", tmp_path / "merged", *options, cwd=tmp_path)
    assert again.code == 1
    assert export(tmp_path / "merged") == export(tmp_path / "whole")


def test_a_merge_refuses_what_does_not_make_a_whole(tmp_path: Path, manifest: Path) -> None:
    for number in (1, 2):
        batch(manifest, "--run", tmp_path / f"s{number}", "--shard", f"{number}/2", cwd=tmp_path)
    batch(manifest, "--run", tmp_path / "other", "--shard", "2/2", "--validator", "v1", cwd=tmp_path)
    batch(manifest, "--run", tmp_path / "whole", cwd=tmp_path)

    def refused(*runs: str) -> str:
        ran = batch("merge", *(tmp_path / run for run in runs), "--run", tmp_path / "merged", cwd=tmp_path)
        assert ran.code == 2
        assert not (tmp_path / "merged").exists()
        return one_line(ran)

    assert "shard 2/2 is missing" in refused("s1")
    shutil.copytree(tmp_path / "s1", tmp_path / "s1 again")
    assert "shard 1/2 is named twice" in refused("s1", "s1 again", "s2")
    assert "s1 is named twice" in refused("s1", "s1", "s2")
    assert "made otherwise" in refused("s1", "other")
    assert "no shard" in refused("s1", "whole")
    assert "no run folder" in refused("s1", "media")


def test_a_merge_refuses_a_shard_that_was_killed(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 60)
    batch(manifest, "--run", tmp_path / "s1", "--shard", "1/2", *BY_LOUDNESS, cwd=tmp_path)
    process = start(manifest, "--run", tmp_path / "s2", "--shard", "2/2", *BY_LOUDNESS, cwd=tmp_path)
    end = time.monotonic() + 30
    while not (tmp_path / "s2" / "run.toml").exists() and time.monotonic() < end:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    merge = ("merge", tmp_path / "s1", tmp_path / "s2", "--run", tmp_path / "all")
    refused = batch(*merge, cwd=tmp_path)
    assert refused.code == 2
    assert "s2 is not finished" in one_line(refused)
    assert not (tmp_path / "all").exists()
    batch(manifest, "--run", tmp_path / "s2", "--shard", "2/2", *BY_LOUDNESS, cwd=tmp_path)
    assert batch(*merge, cwd=tmp_path).code == 0
    assert summary(tmp_path / "all")["total"]["metrics"][0]["coverage"] == "60/60"


def test_a_merge_that_is_killed_can_be_made_again(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 40)
    for number in (1, 2):
        batch(manifest, "--run", tmp_path / f"s{number}", "--shard", f"{number}/2", *BY_LOUDNESS, cwd=tmp_path)
    merge = ("merge", tmp_path / "s1", tmp_path / "s2", "--run", tmp_path / "all")
    for wait in (0.05, 0.15, 0.25, 0.3):
        process = start(*merge, cwd=tmp_path)
        time.sleep(wait)
        process.kill()
        process.communicate()
        if (tmp_path / "all" / "summary.json").exists():
            shutil.rmtree(tmp_path / "all")
    assert batch(*merge, cwd=tmp_path).code == 0
    assert summary(tmp_path / "all")["total"]["coverage"] == "40/40"
    assert batch(*merge, cwd=tmp_path).code == 2


def test_other_groups_are_no_other_run(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 4, half=lambda number: ("left", "right")[number % 2])
    run = tmp_path / "run"
    batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path)
    assert summary(run)["groups"] == []
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--group", "half", cwd=tmp_path).code == 0
    assert [group["value"] for group in summary(run)["groups"]] == ["left", "right"]
    assert set(attempts(run).values()) == {1}


def test_where_a_model_lies_is_no_identity(tmp_path: Path, manifest: Path) -> None:
    run = tmp_path / "run"
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--model", "here.pt", cwd=tmp_path).code == 0
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--model", "there.pt", cwd=tmp_path).code == 0


def test_closed_streams_are_no_bug(tmp_path: Path, manifest: Path) -> None:
    before = "import os\nos.close(2)\nsys.stderr = None"
    ran = mediacheck("batch", manifest, "--run", tmp_path / "run", cwd=tmp_path, before=before)
    assert ran.code == 0
    assert "valid 6" in ran.text
    before = "import os\nos.close(1)\nsys.stdout = None"
    assert mediacheck("batch", manifest, "--run", tmp_path / "r2", "--json", cwd=tmp_path, before=before).code == 2


def test_shards_of_few_items_know_what_the_whole_manifest_asks(tmp_path: Path) -> None:
    """Some are empty, and none has every language: they are made by the same scorers all the same."""
    manifest = write_manifest(
        tmp_path / "media", 3, text="hello", reference="0000.wav", language=lambda number: ("en", "fr", "de")[number]
    )
    write_tone(tmp_path / "media" / "nobody.wav", 9)
    options = ("--scorer", "duration_ratio", *BY_LOUDNESS, "--facts")
    assert batch(manifest, "--run", tmp_path / "whole", *options, cwd=tmp_path).code == 0
    shards = [tmp_path / f"s{number}" for number in range(1, 7)]
    for number, shard in enumerate(shards, 1):
        ran = batch(manifest, "--run", shard, "--shard", f"{number}/6", *options, cwd=tmp_path)
        assert ran.code == 0, ran.err
    assert 0 in {len(results(shard)) for shard in shards}
    assert batch("merge", *shards, "--run", tmp_path / "all", cwd=tmp_path).code == 0
    for name in ("results.jsonl", "summary.json", "run.toml"):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert facts_of(tmp_path / "all") == facts_of(tmp_path / "whole")


def facts_of(run: Path) -> set[str]:
    return {path.name for path in (run / "facts").rglob("*.facts.json")}


def test_facts_can_be_asked_for_later(tmp_path: Path, manifest: Path) -> None:
    batch(manifest, "--run", tmp_path / "run", cwd=tmp_path)
    assert batch(manifest, "--run", tmp_path / "run", "--facts", cwd=tmp_path).code == 0
    assert len(facts_of(tmp_path / "run")) == 6


def test_two_starts_into_one_new_folder_lose_nothing(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 40)
    for turn in range(4):
        run = tmp_path / f"run{turn}"
        both = [start(manifest, "--run", run, *BY_LOUDNESS, "--quiet", cwd=tmp_path) for _ in range(2)]
        codes = {process.wait() for process in both}
        assert 0 in codes
        assert codes <= {0, 2}
        assert len(results(run)) == 40


def test_a_score_that_failed_for_a_passing_reason_is_made_by_the_next_start(tmp_path: Path, manifest: Path) -> None:
    before = (
        "import os\nimport mediacheck.scoring.loudness as loudness\nfrom mediacheck.scoring import Unmeasurable\n"
        "score = loudness.IntegratedLoudness.score\n"
        "def fail(self, item):\n"
        "    if item.candidate.name == '0001.wav':\n        raise Unmeasurable('no answer', transient=True)\n"
        "    if item.candidate.name == '0002.wav':\n        raise RuntimeError('out of memory')\n"
        "    if item.candidate.name == '0003.wav':\n        raise Unmeasurable('too short')\n"
        "    return score(self, item)\n"
        "loudness.IntegratedLoudness.score = fail\n"
    )
    run = tmp_path / "run"
    for _ in range(2):
        ran = mediacheck("batch", manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path, before=before)
        assert ran.code == 3, ran.err
        assert set(attempts(run).values()) == {1}, "nothing new was found"
    assert batch(manifest, "--run", run, *BY_LOUDNESS, cwd=tmp_path).code == 3
    statuses = [result["scores"][0]["status"] for result in results(run)]
    assert statuses == ["measured"] * 3 + ["not_measured"] + ["measured"] * 2
    assert attempts(run) == {f"item-{n}": 2 if n in (1, 2) else 1 for n in range(6)}


def test_references_are_judged_once_and_refuse_only_what_needs_them(tmp_path: Path) -> None:
    manifest = write_manifest(
        tmp_path / "media", 4, reference=lambda number: ["0000.wav"] if number < 3 else ["gone.wav"]
    )
    run = tmp_path / "run"
    ran = batch(manifest, "--run", run, "--scorer", "duration_ratio", *BY_LOUDNESS, cwd=tmp_path)
    assert ran.code == 3, ran.text
    found = results(run)
    statuses = [[score["status"] for score in result["scores"]] for result in found]
    assert statuses[:3] == [["measured", "measured"]] * 3
    assert statuses[3] == ["not_measured", "measured"]
    assert "gone.wav" in found[3]["scores"][0]["reason"]
    assert found[0]["references"][0]["name"] == "0000.wav"
    write_tone(tmp_path / "media" / "gone.wav", 5)
    assert batch(manifest, "--run", run, "--scorer", "duration_ratio", *BY_LOUDNESS, cwd=tmp_path).code == 0
    with Ledger(run) as ledger:
        assert [len(ledger.history("score", position)) for position in range(4)] == [1, 1, 1, 2]


def test_facts_are_kept_where_that_is_asked_for(tmp_path: Path, manifest: Path) -> None:
    run = tmp_path / "run"
    batch(manifest, "--run", run, "--facts", cwd=tmp_path)
    first = results(run)[0]["sha256"]
    kept = run / "facts" / first[:2] / f"{first}.facts.json"
    judged = mediacheck("judge", kept, cwd=tmp_path)
    assert judged.code == 0
    assert len(list((run / "facts").rglob("*.facts.json"))) == 6


def test_ctrl_c_drains_and_the_run_goes_on(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 400)
    run = tmp_path / "run"
    process = start(manifest, "--run", run, "--quiet", "--jobs", "2", cwd=tmp_path)
    end = time.monotonic() + 30
    while not children(process.pid) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert b"interrupt once more" in err
    assert b"Traceback" not in err
    assert not (run / "results.jsonl").exists()
    assert batch(manifest, "--run", run, "--quiet", cwd=tmp_path).code == 0
    assert set(attempts(run).values()) == {1}, "what was under way was finished, not lost"
    assert len(results(run)) == 400


def test_sigterm_to_the_whole_group_drains_too(tmp_path: Path) -> None:
    """As ``timeout`` and schedulers send it: the workers must not take it for themselves."""
    manifest = write_manifest(tmp_path / "media", 300)
    run = tmp_path / "run"
    process = start(manifest, "--run", run, *BY_LOUDNESS, "--quiet", "--jobs", "2", cwd=tmp_path)
    end = time.monotonic() + 30
    while not (run / "run.toml").exists() and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode in (0, 130)
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--quiet", cwd=tmp_path).code == 0
    with Ledger(run) as ledger:
        statuses = [a.status for n in range(300) for stage in STAGES for a, _ in ledger.history(stage, n)]
    assert set(statuses) == {"judged", "scored"}, "nothing counts as crashed"


def test_a_crashing_file_costs_its_tries_and_no_more(tmp_path: Path, manifest: Path) -> None:
    before = (
        "import os\nimport mediacheck.batch.examining as examining\nmeasure = examining.measure_one\n"
        "def crash(work):\n    return os.abort() if work.name == '0003.wav' else measure(work)\n"
        "examining.measure_one = crash\n"
    )
    run = tmp_path / "run"
    ran = mediacheck("batch", manifest, "--run", run, *BY_LOUDNESS, "--tries", "2", cwd=tmp_path, before=before)
    assert ran.code == 1, ran.err
    crashed = results(run)[3]
    assert (crashed["status"], crashed["verdict"], crashed["attempts"]) == ("crashed", "fail", 2)
    assert "SIGABRT" in crashed["reason"]
    assert crashed["findings"][0]["check"] == "media.decodable"
    assert crashed["scores"][0]["status"] == "not_measured"
    assert [result["verdict"] for result in results(run)].count("pass") == 5
    # The fault is gone: by itself the run keeps what it found, with --retry it looks again.
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--tries", "2", cwd=tmp_path).code == 1
    assert batch(manifest, "--run", run, *BY_LOUDNESS, "--tries", "2", "--retry", cwd=tmp_path).code == 0
    assert attempts(run)["item-3"] == 3


def test_a_hanging_file_runs_out_of_its_time(tmp_path: Path, manifest: Path) -> None:
    before = (
        "import time\nimport mediacheck.batch.examining as examining\nmeasure = examining.measure_one\n"
        "def hang(work):\n    time.sleep(60 if work.name == '0003.wav' else 0)\n    return measure(work)\n"
        "examining.measure_one = hang\n"
    )
    run = tmp_path / "run"
    ran = mediacheck("batch", manifest, "--run", run, "--timeout", "3", cwd=tmp_path, before=before)
    assert ran.code == 1, ran.err
    assert results(run)[3]["status"] == "timeout"
    assert "3 s" in results(run)[3]["reason"]


def test_a_bug_of_ours_is_an_error_of_the_item_and_of_the_run(tmp_path: Path, manifest: Path) -> None:
    before = (
        "import mediacheck.batch.examining as examining\nmeasure = examining.measure_one\n"
        "def fail(work):\n    return 1 / 0 if work.name == '0003.wav' else measure(work)\n"
        "examining.measure_one = fail\n"
    )
    ran = mediacheck("batch", manifest, "--run", tmp_path / "run", cwd=tmp_path, before=before)
    assert ran.code == 4
    assert "internal error on 0003.wav: ZeroDivisionError" in ran.err
    assert results(tmp_path / "run")[3]["status"] == "error"


def test_a_scorer_that_crashes_costs_its_item_alone(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 20)
    before = (
        "import os\nimport mediacheck.scoring.loudness as loudness\nscore = loudness.IntegratedLoudness.score\n"
        "def crash(self, item):\n"
        "    return os.abort() if item.candidate.name == '0013.wav' else score(self, item)\n"
        "loudness.IntegratedLoudness.score = crash\n"
    )
    run = tmp_path / "run"
    ran = mediacheck("batch", manifest, "--run", run, *BY_LOUDNESS, "--tries", "2", cwd=tmp_path, before=before)
    assert ran.code == 3, ran.err
    statuses = [result["scores"][0]["status"] for result in results(run)]
    assert statuses.count("measured") == 19
    assert "SIGABRT" in results(run)[13]["scores"][0]["reason"]
    assert results(run)[13]["verdict"] == "pass"


def test_wrong_questions_are_refused_before_a_folder_is_made(tmp_path: Path, manifest: Path) -> None:
    run = tmp_path / "run"
    for options in (
        ("--validator", "nobody"),
        ("--scorer", "nobody"),
        ("--scorer", "wer"),
        ("--shard", "3/2"),
        ("--shard", "0/2"),
        ("--column", "media"),
        ("--jobs", "0"),
        ("--ray-address", "auto"),
        ("--language", "english", *BY_LOUDNESS),
        ("--device", "bogus"),
    ):
        ran = batch(manifest, "--run", run, *options, "--quiet", cwd=tmp_path)
        assert ran.code == 2, options
        one_line(ran)
        assert not run.exists(), options


def test_a_scorer_that_cannot_be_loaded_leaves_no_run(tmp_path: Path, manifest: Path) -> None:
    for fault in ("raise ModelError('there is no model')", "os.abort()", "1 / 0"):
        before = (
            "import os\nfrom mediacheck.scoring import ModelError\nimport mediacheck.scoring.loudness as loudness\n"
            f"def fail(self):\n    {fault}\nloudness.IntegratedLoudness.prepare = fail\n"
        )
        ran = mediacheck("batch", manifest, "--run", tmp_path / "run", *BY_LOUDNESS, "-q", cwd=tmp_path, before=before)
        assert ran.code == 2, ran.err
        one_line(ran)
        assert not (tmp_path / "run").exists()


def test_the_outputs_of_a_run_become_a_reference_set(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 3, text="hello", speaker="kim")
    run = tmp_path / "run"
    batch(manifest, "--run", run, cwd=tmp_path)
    words = ("--licence", "CC0-1.0", "--source", "model x at revision y")
    made = mediacheck("references", "new", tmp_path / "set", "--from", run, *words, cwd=tmp_path)
    assert made.code == 0, made.err
    assert mediacheck("references", "verify", tmp_path / "set", cwd=tmp_path).code == 0
    entry = json.loads((tmp_path / "set" / "manifest.jsonl").read_text().splitlines()[1])
    assert (entry["id"], entry["text"], entry["speaker"]) == ("item-1", "hello", "kim")
    (tmp_path / "media" / "0001.wav").unlink()
    refused = mediacheck("references", "new", tmp_path / "set2", "--from", run, *words, cwd=tmp_path)
    assert refused.code == 2
    assert not (tmp_path / "set2").exists()


def test_the_summary_as_json_owns_standard_output(tmp_path: Path, manifest: Path) -> None:
    ran = batch(manifest, "--run", tmp_path / "run", "--json", cwd=tmp_path)
    assert ran.json == summary(tmp_path / "run")


def test_a_poisoned_folder_is_accounted_for_to_the_last_file(tmp_path: Path) -> None:
    media = tmp_path / "media"
    media.mkdir()
    write_tone(media / "good.wav", 1)
    (media / "empty.wav").write_bytes(b"")
    (media / "text.wav").write_text("this is no sound")
    (media / "text.mp4").write_text("this is no film")
    write_cut_wav(media / "cut.wav")
    os.symlink("loop.wav", media / "loop.wav")
    os.symlink("nowhere.wav", media / "dangling.wav")
    os.symlink(".", media / "around")
    os.mkfifo(media / "pipe.wav")
    (media / "folder.wav").mkdir()
    with (media / "huge.wav").open("wb") as huge:
        huge.write((media / "good.wav").read_bytes())
        huge.truncate(1 << 40)
    shutil.copyfile(media / "good.wav", os.fsencode(media) + b"/\xff\xfe.wav")
    write_tone(media / ("a" * 251 + ".wav"), 2)
    run = tmp_path / "run"
    ran = batch(media, "--run", run, *BY_LOUDNESS, "--timeout", "5", cwd=tmp_path)
    assert ran.code == 1, ran.err
    statuses = {result["id"]: result["status"] for result in results(run)}
    verdicts = {result["id"]: result["verdict"] for result in results(run)}
    assert len(statuses) == len(list(media.iterdir())) - 2, "all but the folder and the link to one"
    assert verdicts["good.wav"] == "pass"
    assert verdicts["\\xff\\xfe.wav"] == "pass"
    assert verdicts["a" * 251 + ".wav"] == "pass"
    assert {verdicts[name] for name in ("empty.wav", "text.wav", "text.mp4", "cut.wav")} == {"fail"}
    assert {statuses[name] for name in ("loop.wav", "pipe.wav")} == {"unreadable"}
    assert statuses["dangling.wav"] == "missing"
    assert verdicts["huge.wav"] == "fail"


def test_a_manifest_of_hostile_names_is_accounted_for(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2)
    long = "a" * 10_000 + ".wav"
    names = [long, "../../etc/passwd", "/etc/passwd", "a\0b.wav", "", " ", ".", "0000.wav/x", "\u202e.wav"]
    lines = [json.dumps({"id": f"h{number}", "media": name}) for number, name in enumerate(names)]
    manifest.write_text(manifest.read_text() + "\n".join(lines))
    run = tmp_path / "run"
    ran = batch(manifest, "--run", run, "--malformed", "record", cwd=tmp_path)
    assert ran.code == 1, ran.err
    statuses = {result["id"]: result["status"] for result in results(run)}
    assert len(statuses) == 2 + len(names)
    assert statuses["h0"] == "unreadable"
    assert {statuses[id] for id in ("h1", "h2", "h3", "h4")} == {"malformed"}
    assert statuses["h7"] == "missing"
    assert statuses["h8"] == "missing"
