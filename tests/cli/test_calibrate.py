"""``mediacheck calibrate`` as a user runs it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from mediacheck import schema
from mediacheck.gate.calibration import Calibration
from tests.cli.run import mediacheck, one_line
from tests.unit.gate.factory import write_run
from tests.unit.gate.test_calibrate import talk


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for seed in range(2):
        write_run(folder / f"r{seed}", talk(seed, count=40))
    return folder


def test_policy_and_evidence_stand_side_by_side(runs: Path) -> None:
    ran = mediacheck("calibrate", "r0", "r1", "--out", "mine.toml", cwd=runs)
    assert ran.code == 0
    assert ran.text.startswith("2 runs: r0, r1\n")
    assert "mine.toml is a proposal: read mine.evidence.json" in ran.err
    policy = tomllib.loads((runs / "mine.toml").read_text())
    assert policy["id"] == "mine"
    assert "approval" not in policy
    data = (runs / "mine.evidence.json").read_bytes()
    assert policy["evidence"] == {
        "file": "mine.evidence.json",
        "sha256": f"sha256:{hashlib.sha256(data).hexdigest()}",
    }
    jsonschema.Draft202012Validator(schema.schema_of(Calibration)).validate(json.loads(data))
    gate = mediacheck("gate", "r0", "--baseline", "r1", "--policy", "mine.toml", cwd=runs)
    assert gate.code == 3
    assert "nobody approved its thresholds" in gate.text
    # It may be approved by now.
    assert "is there already" in one_line(mediacheck("calibrate", "r0", "r1", "--out", "mine.toml", cwd=runs))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("r0", "--out", "x.toml"), "name two or more"),
        (("r0", "r1", "--out", "x.json"), "a policy is a .toml file"),
        (("r0", "r1", "--out", "none/x.toml"), "cannot write into none"),
        (("r0", "none", "--out", "x.toml"), "none is no run folder"),
        (("r0", "r1", "--out", "x.toml", "--id", "a b"), "id 'a b' may hold"),
        (("r0", "r1"), "Missing option '--out'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(runs: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = mediacheck("calibrate", *arguments, cwd=runs)
    assert ran.code == 2
    assert said in one_line(ran)
    assert not (runs / "x.toml").exists()
