"""By what a run was scored: its record against its results, and against another run's."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from mediacheck.batch.errors import RunError
from mediacheck.batch.results import Value
from mediacheck.facts import Tag
from mediacheck.gate.decide import decide
from mediacheck.scoring.score import Identity, ModelIdentity
from tests.unit.gate.factory import (
    CORPUS,
    SI_SDR,
    SPEAKER,
    WER,
    item,
    items,
    policy,
    record,
    unscored,
    wer,
    write_run,
)
from tests.unit.gate.test_decide import ABSOLUTE, OTHER, speech


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (replace(wer(1), identity=OTHER.digest), f"was computed by {OTHER.digest}, which is none of the scorers in"),
        (replace(wer(1), unit="percent"), "which is none of the scorers"),
        (replace(wer(1), scorer="cer"), "the cer of odd was computed by"),
    ],
)
def test_results_beside_the_record_of_another_run_are_refused(tmp_path: Path, score: Value, said: str) -> None:
    base = write_run(tmp_path / "base", speech(1))
    mixed = write_run(tmp_path / "mixed", [*speech(2)[:-1], item("odd", score)])
    for run, other in ((mixed, base), (base, mixed)):
        with pytest.raises(RunError, match=r"results\.jsonl: .*take both files from one run") as caught:
            decide(policy(CORPUS), run, other)
        assert said in str(caught.value)


def test_two_scores_of_one_scorer_are_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [item("a", wer(1), unscored("wer"))])
    with pytest.raises(RunError, match="a has two scores by wer"):
        decide(policy(ABSOLUTE), run)


def test_what_differs_between_scorers_is_named_with_its_values(tmp_path: Path) -> None:
    def scored(scorers: tuple[Identity, ...]) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        run = write_run(folder / "run", speech(2), record(200))
        base = write_run(folder / "base", items(200, lambda _: []), record(200, scorers=scorers))
        (found,) = [r for r in decide(policy(CORPUS), run, base).requirements if r.id == "same_scorers"]
        return found.message.removeprefix("the two runs were not scored by the same: ")

    newer = replace(SI_SDR, libraries=(Tag(key="numpy", value="2.5.0"),))
    assert scored((WER, SPEAKER, newer)) == "si_sdr differs in library numpy: none against 2.5.0"
    other = replace(WER, model=ModelIdentity(id="tiny.en", sha256="ab" * 32), version=2)
    assert scored((other, SPEAKER, SI_SDR)) == (
        "wer differs in version: 1 against 2, model id: none against tiny.en, model sha256: none against abababababab…"
    )
    assert scored((WER, SI_SDR)) == "only the candidate was scored by speaker"
    assert scored((WER, replace(WER, language="fr"), SPEAKER, SI_SDR)) == "only the baseline was scored by wer (fr)"
    assert scored((replace(WER, language="de"), SPEAKER, SI_SDR)).endswith("only the candidate was scored by wer (en)")
    many = tuple(Identity(scorer=f"s{n}", version=1, unit="dB") for n in range(5))
    assert scored((WER, SPEAKER, SI_SDR, *many)).endswith("only the baseline was scored by s2; and 2 more")
