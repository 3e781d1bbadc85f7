"""What a gate decides where something is missing, differs, or is too little: none of it can pass."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mediacheck import serialise
from mediacheck.batch.errors import RunError
from mediacheck.batch.record import ManifestIdentity, Shard
from mediacheck.batch.results import RESULTS, ItemResult
from mediacheck.gate.decide import decide
from mediacheck.gate.decision import Decision, RuleResult
from mediacheck.gate.errors import GateError, PolicyError
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import Policy
from mediacheck.gate.runs import load_run
from mediacheck.scoring.score import Identity
from mediacheck.verdict import ValidatorIdentity
from tests.unit.gate.factory import (
    ASKED,
    CORPUS,
    MEAN_SPEAKER,
    SI_SDR,
    SPEAKER,
    WER,
    finding,
    item,
    items,
    missing,
    policy,
    record,
    si_sdr,
    speaker,
    unscored,
    wer,
    write_run,
)

EACH = 'id = "each"\nmetric = "wer"\nstatistic = "each"\nunit = "errors/word"\nat_most = 0.5'
SILENT = 'id = "silent"\nmetric = "findings:audio.silent"\nstatistic = "count"\nunit = "items"\nat_most = 0'
VALID = 'id = "valid"\nmetric = "validity_rate"\nstatistic = "rate"\nunit = "fraction"\nat_least = 0.95'
ABSOLUTE = 'id = "wer"\nmetric = "wer"\nstatistic = "corpus"\nunit = "errors/word"\nat_most = 0.1'


def speech(seed: int, rate: float = 0.05, count: int = 200, likeness: float = 0.8) -> list[ItemResult]:
    """Ten words an item, each wrong with a probability."""
    draws = random.Random(seed)

    def one(number: int) -> ItemResult:
        errors = sum(draws.random() < rate for _ in range(10))
        groups = {"language": "de" if number % 2 else "en"}
        return item(f"u{number:04}", wer(errors), speaker(likeness + draws.gauss(0, 0.03)), groups=groups)

    return [one(number) for number in range(count)]


def gate(
    tmp_path: Path,
    asked: Policy,
    candidate: list[ItemResult],
    baseline: list[ItemResult] | None = None,
    **options: str,
) -> Decision:
    run = write_run(tmp_path / "candidate", candidate)
    other = None if baseline is None else write_run(tmp_path / "baseline", baseline)
    return decide(asked, run, other, **options)


def only(decision: Decision) -> RuleResult:
    (rule,) = decision.rules
    return rule


def test_what_is_yes_or_no_has_no_worst_among_the_good(tmp_path: Path) -> None:
    bad = {"verdict": "fail", "findings": (finding("audio.silent"),)}
    run = [item(f"u{number:04}", wer(0), **(bad if number in (3, 7) else {})) for number in range(200)]
    base = [item(f"u{number:04}", wer(0), **(bad if number == 3 else {})) for number in range(200)]
    kept = VALID.replace("at_least = 0.95", "max_decrease = 0.01").replace('"valid"', '"as-valid"')
    made = gate(tmp_path, policy(SILENT, VALID, kept), run, base)
    assert [[one.id for one in rule.figures[0].worst] for rule in made.rules] == [
        ["u0003", "u0007"],
        ["u0003", "u0007"],
        ["u0007"],
    ]


def test_an_equal_candidate_passes_and_a_worse_one_fails(tmp_path: Path) -> None:
    asked = policy(CORPUS, MEAN_SPEAKER)
    base = write_run(tmp_path / "base", speech(1))
    good = decide(asked, write_run(tmp_path / "good", speech(2)), base)
    assert good.verdict == "pass"
    assert [rule.outcome for rule in good.rules] == ["pass", "pass"]
    bad = decide(asked, write_run(tmp_path / "bad", speech(3, rate=0.15, likeness=0.7)), base)
    assert bad.verdict == "fail"
    assert [rule.outcome for rule in bad.rules] == ["fail", "fail"]
    figure = bad.rules[0].figures[0]
    assert figure.candidate is not None
    assert figure.baseline is not None
    assert figure.measured == pytest.approx(figure.candidate - figure.baseline, abs=2e-6)
    assert figure.interval is not None
    assert figure.interval.low is not None
    assert figure.interval.low > figure.threshold == 0.02
    assert len(figure.worst) == 5
    assert figure.worst[0].candidate - (figure.worst[0].baseline or 0) >= 0.2


def test_it_is_the_same_twice_to_the_byte(tmp_path: Path) -> None:
    asked = policy(CORPUS, MEAN_SPEAKER, CORPUS.replace('"wer"\nm', '"p90"\nm').replace("corpus", "p90"))
    one, two = write_run(tmp_path / "one", speech(1)), write_run(tmp_path / "two", speech(2))
    assert serialise.to_json(decide(asked, one, two)) == serialise.to_json(decide(asked, one, two))


def test_without_approval_numbers_stand_and_nothing_is_decided(tmp_path: Path) -> None:
    rule = only(gate(tmp_path, policy(CORPUS, approved=False), speech(3, rate=0.2), speech(1)))
    assert (rule.outcome, rule.computed) == ("inconclusive", "fail")
    assert rule.figures[0].measured is not None
    assert rule.message.startswith("not approved, it would be fail: ")


def test_a_policy_of_another_workload_is_refused(tmp_path: Path) -> None:
    made = record(200, manifest=ManifestIdentity(format="jsonl", items=200, digest="", asked="sha256:" + "0" * 64))
    with pytest.raises(PolicyError, match="another workload"):
        decide(policy(VALID), write_run(tmp_path / "run", speech(1), made))


def test_five_items_are_too_few_and_it_says_how_many_would_do(tmp_path: Path) -> None:
    rule = only(gate(tmp_path, policy(CORPUS), speech(2, count=5), speech(1, count=5)))
    assert rule.outcome == "inconclusive"
    needed = rule.figures[0].needed
    assert needed is not None
    assert needed >= 20
    assert f"about {needed} would settle" in rule.message


def test_items_that_all_differ_need_no_more_than_a_bootstrap_takes(tmp_path: Path) -> None:
    """Of twenty values the bound allows for what is unseen; of thirty that differ it comes from their spread."""

    def voice(seed: int, count: int) -> list[ItemResult]:
        draws = random.Random(seed)
        return items(count, lambda _: [speaker(0.8 + draws.gauss(0, 0.01))])

    few = only(gate(tmp_path, policy(MEAN_SPEAKER), voice(2, 20), voice(1, 20))).figures[0]
    assert few.outcome == "inconclusive"
    assert few.interval is not None
    assert few.interval.method == "rare events (Gaffke)"
    assert few.needed is not None
    assert 30 < few.needed < 60
    (tmp_path / "more").mkdir()
    enough = gate(tmp_path / "more", policy(MEAN_SPEAKER), voice(2, few.needed), voice(1, few.needed))
    assert enough.verdict == "pass", enough.message


def test_few_items_of_an_endless_scale_need_others_that_differ(tmp_path: Path) -> None:
    """That they are few is no reason to call them alike: with thirty that differ no worst case is asked for."""
    asked = policy('id = "sdr"\nmetric = "si_sdr"\nstatistic = "mean"\nunit = "dB"\nmax_decrease = 1.0')

    def sound(seed: int, count: int) -> list[ItemResult]:
        draws = random.Random(seed)
        return items(count, lambda _: [si_sdr(20 + draws.gauss(0, 0.5))])

    few = only(gate(tmp_path, asked, sound(2, 25), sound(1, 25)))
    assert few.outcome == "inconclusive"
    assert "fewer than 30 items differ" in few.message
    count = few.figures[0].needed
    assert count is not None
    assert 30 < count < 60
    (tmp_path / "more").mkdir()
    assert gate(tmp_path / "more", asked, sound(2, count), sound(1, count)).verdict == "pass"


def test_one_sample_and_none(tmp_path: Path) -> None:
    rule = only(gate(tmp_path, policy(CORPUS), speech(2, count=1), speech(1, count=1)))
    assert (rule.outcome, rule.figures[0].n) == ("inconclusive", 1)
    empty = decide(policy(CORPUS, EACH, SILENT, VALID), write_run(tmp_path / "e", []), write_run(tmp_path / "f", []))
    assert empty.verdict == "inconclusive"
    assert {rule.outcome for rule in empty.rules} == {"inconclusive"}


def test_ties_show_no_more_than_their_number(tmp_path: Path) -> None:
    """Two hundred pairs without a difference leave 1.5 % of items that may be lost: 0.05^(1/200)."""
    same = items(200, lambda _: [wer(1)])
    tied = only(gate(tmp_path, policy(CORPUS.replace("0.02", "0.01")), same, same))
    figure = tied.figures[0]
    assert tied.outcome == "inconclusive"
    assert figure.interval is not None
    assert figure.interval.high == pytest.approx(1 - 0.05 ** (1 / 200), abs=1e-6)
    assert figure.needed == 299
    enough = items(299, lambda _: [wer(1)])
    (tmp_path / "more").mkdir()
    assert gate(tmp_path / "more", policy(CORPUS.replace("0.02", "0.01")), enough, enough).verdict == "pass"


def test_two_equal_items_never_pass_whatever_the_policy_asks(tmp_path: Path) -> None:
    two = items(2, lambda _: [wer(0), speaker(0.9), si_sdr(20)])
    rules = [
        CORPUS + "\nminimum_count = 2",
        MEAN_SPEAKER + "\nminimum_count = 2",
        MEAN_SPEAKER.replace("voice", "median").replace("mean", "median") + "\nminimum_count = 2",
        'id = "sdr"\nmetric = "si_sdr"\nstatistic = "mean"\nunit = "dB"\nmax_decrease = 1\nminimum_count = 2',
        VALID + "\nminimum_count = 2",
    ]
    assert {rule.outcome for rule in gate(tmp_path, policy(*rules), two, two).rules} == {"inconclusive"}


def test_ties_of_a_metric_without_a_range_need_a_worst_case(tmp_path: Path) -> None:
    same = items(400, lambda _: [si_sdr(20)])
    text = 'id = "sdr"\nmetric = "si_sdr"\nstatistic = "mean"\nunit = "dB"\nmax_decrease = 1'
    open_ = only(gate(tmp_path, policy(text), same, same))
    assert open_.outcome == "inconclusive"
    assert "state worst_case" in open_.message
    assert open_.figures[0].needed is None
    (tmp_path / "stated").mkdir()
    assert gate(tmp_path / "stated", policy(text + "\nworst_case = 40.0"), same, same).verdict == "pass"


def test_what_the_candidate_lost_is_its_own_fault(tmp_path: Path) -> None:
    base = speech(1)
    lost = [*speech(2)[:-1], missing("u0199", scores=(unscored("wer", "u0199.wav is not there"),))]
    rule = only(gate(tmp_path, policy(CORPUS), lost, base))
    figure = rule.figures[0]
    assert rule.outcome == "fail"
    assert (figure.n, figure.expected, figure.coverage, figure.lost_candidate) == (199, 200, "199/200", 1)
    assert figure.lost[0].id == "u0199"
    assert "u0199.wav is not there" in rule.message
    (tmp_path / "tolerant").mkdir()
    assert gate(tmp_path / "tolerant", policy(CORPUS + "\nminimum_coverage = 0.99"), lost, base).verdict == "pass"


@pytest.mark.parametrize("both", [False, True])
def test_what_the_baseline_lacks_says_nothing_of_the_candidate(tmp_path: Path, both: bool) -> None:
    gap = item("u0199", unscored("wer"))
    candidate = [*speech(2)[:-1], gap] if both else speech(2)
    rule = only(gate(tmp_path, policy(CORPUS), candidate, [*speech(1)[:-1], gap]))
    assert rule.outcome == "inconclusive"
    assert "the baseline lacks 1" in rule.message


def test_lines_that_results_lack_are_lost_items(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", speech(1, count=190), record(200))
    decision = decide(policy(ABSOLUTE), run)
    assert only(decision).outcome == "fail"
    assert only(decision).figures[0].coverage == "190/200"
    assert decision.requirements[0].outcome == "inconclusive"


def test_a_metric_that_one_side_never_ran(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", items(200, lambda _: [speaker(0.8)]), record(200, scorers=(SPEAKER,)))
    base = write_run(tmp_path / "base", speech(1))
    free = policy(CORPUS, head="requires = {same_scorers = false}")
    for candidate, baseline, side in ((run, base, "candidate"), (base, run, "baseline")):
        rule = only(decide(free, candidate, baseline))
        assert rule.outcome == "inconclusive"
        assert rule.message == f"not measured on the {side}'s side: wer is not among the scorers of the run"
    assert only(decide(policy(ABSOLUTE), run)).outcome == "inconclusive"


def test_a_rule_that_compares_needs_a_baseline(tmp_path: Path) -> None:
    decision = gate(tmp_path, policy(CORPUS), speech(1))
    assert decision.verdict == "inconclusive"
    assert only(decision).message == "not compared: the rule compares with a baseline, and none is given"
    assert {r.outcome for r in decision.requirements if r.id.startswith("same_")} == {"not_applicable"}


def test_a_policy_without_rules_decides_nothing(tmp_path: Path) -> None:
    decision = gate(tmp_path, policy(), speech(1), speech(2))
    assert (decision.verdict, decision.message) == (
        "inconclusive",
        "the policy has no rules, so that nothing was decided",
    )


OTHER = Identity(scorer="wer", version=2, unit="errors/word", language="en")
DIFFERING = {
    "same_manifest": {"manifest": ManifestIdentity(format="csv", items=200, digest="", asked="sha256:" + "0" * 64)},
    "same_validator": {"validator": ValidatorIdentity(id="v1", digest="sha256:11", status="preview")},
    "same_scorers": {"scorers": (WER, SPEAKER, SI_SDR, OTHER)},
}


@pytest.mark.parametrize("id", DIFFERING)
def test_differing_identities_compare_nothing(tmp_path: Path, id: str) -> None:
    run = write_run(tmp_path / "run", speech(2))
    base = write_run(tmp_path / "base", speech(1), record(200, **DIFFERING[id]))
    decision = decide(policy(CORPUS, ABSOLUTE.replace('"wer"', '"absolute"', 1)), run, base)
    assert decision.verdict == "inconclusive"
    assert [rule.outcome for rule in decision.rules] == ["inconclusive", "pass"]
    assert {r.id for r in decision.requirements if r.outcome == "inconclusive"} == {id}
    assert decide(policy(CORPUS, head=f"requires = {{{id} = false}}"), run, base).verdict == "pass"


def test_a_pinned_validator(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", speech(2))
    assert decide(policy(VALID, head='requires = {validator = "v2"}'), run).verdict == "pass"
    for key, value in (("validator", "v1"), ("validator_digest", "sha256:" + "0" * 64)):
        decision = decide(policy(VALID, head=f'requires = {{{key} = "{value}"}}'), run)
        assert decision.verdict == "inconclusive"
        assert "the policy asks for" in decision.message


def test_one_folder_named_twice_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", speech(1))
    (tmp_path / "link").symlink_to(run)
    with pytest.raises(GateError, match="as candidate and as baseline"):
        decide(policy(CORPUS), run, tmp_path / "link")


def test_folders_that_are_no_finished_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", speech(1))
    for broken in ("not JSON\n", '{"id": "x", "score": NaN}\n'):
        (run / RESULTS).write_text(broken)
        with pytest.raises(RunError, match="line 1"):
            decide(policy(VALID), run)
    (run / RESULTS).unlink()
    with pytest.raises(RunError, match=r"cannot read .*results\.jsonl"):
        decide(policy(VALID), run)
    with pytest.raises(RunError, match="is no run folder"):
        decide(policy(VALID), tmp_path / "none")


@pytest.mark.parametrize("bad", [b"NaN", b"1e400", b"null", b'"0.1"'])
def test_no_value_that_is_no_number_is_read(tmp_path: Path, bad: bytes) -> None:
    run = write_run(tmp_path / "run", items(1, lambda _: [speaker(0.5)]))
    data = (run / RESULTS).read_bytes()
    assert data.count(b"0.5") == 1
    (run / RESULTS).write_bytes(data.replace(b"0.5", bad))
    with pytest.raises(RunError, match="line 1"):
        decide(policy(MEAN_SPEAKER), run)


@pytest.mark.parametrize("statistic", ["mean", "median", "p90", "each"])
@pytest.mark.parametrize("value", [1.7e308, -1e100])
def test_numbers_that_overflow_are_none(tmp_path: Path, statistic: str, value: float) -> None:
    text = f'id = "x"\nmetric = "si_sdr"\nstatistic = "{statistic}"\nunit = "dB"\nmax_decrease = 1'
    good = [item(f"u{number}", si_sdr(number / 10)) for number in range(60)]
    bad = [*good[:-1], item("u59", si_sdr(value))]
    rule = only(gate(tmp_path, policy(text), bad, good))
    assert rule.outcome == "fail"
    assert rule.figures[0].lost[0].reason == "its number is not finite"
    (tmp_path / "other").mkdir()
    assert only(gate(tmp_path / "other", policy(text), good, bad)).outcome == "inconclusive"


def test_a_corpus_without_a_word_has_no_rate(tmp_path: Path) -> None:
    silence = items(50, lambda _: [wer(0, 0)])
    rule = only(gate(tmp_path, policy(CORPUS), silence, silence))
    assert (rule.outcome, rule.message) == (
        "inconclusive",
        "nothing was to be said in any item, so that there is no rate",
    )


def test_duplicate_ids_are_inconclusive_and_lose_nothing(tmp_path: Path) -> None:
    twice = [*speech(1, count=199), speech(1)[0]]
    decision = gate(tmp_path, policy(ABSOLUTE), twice)
    assert decision.verdict == "inconclusive"
    assert only(decision).figures[0].n == 200
    assert "ids stand in the candidate's results twice, the first is u0000" in decision.message


def test_a_shard_is_not_the_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", speech(1, count=100), record(200, shard=Shard(number=1, of=2)))
    decision = decide(policy(ABSOLUTE), run)
    assert decision.verdict == "inconclusive"
    assert "merge the shards" in decision.message


def test_each_and_count_speak_of_this_run_alone(tmp_path: Path) -> None:
    good = gate(tmp_path, policy(EACH, SILENT), speech(1, count=3))
    assert good.verdict == "pass"
    assert good.rules[0].figures[0].interval is None
    (tmp_path / "bad").mkdir()
    broken = [*speech(1, count=3), item("u0003", wer(6), findings=(finding("audio.silent"),))]
    bad = gate(tmp_path / "bad", policy(EACH, SILENT), broken)
    assert [rule.outcome for rule in bad.rules] == ["fail", "fail"]
    assert [item.id for item in bad.rules[0].figures[0].worst] == ["u0003"]


def test_equal_scores_do_not_differ_by_the_last_bit(tmp_path: Path) -> None:
    text = 'id = "e"\nmetric = "speaker"\nstatistic = "each"\nunit = "cosine"\nmax_decrease = 0.05'
    pairs = items(1, lambda _: [speaker(0.7)]), items(1, lambda _: [speaker(0.75)])
    assert gate(tmp_path, policy(text), *pairs).verdict == "pass"


def test_a_rule_by_group_holds_in_every_group(tmp_path: Path) -> None:
    worse = [
        good if good.group("language") == "en" else bad
        for good, bad in zip(speech(2, count=400), speech(3, rate=0.2, count=400), strict=True)
    ]
    grouped = policy(CORPUS.replace("0.02", "0.05") + '\nby = "language"')
    rule = only(gate(tmp_path, grouped, worse, speech(1, count=400)))
    assert {found.group: found.outcome for found in rule.figures} == {"de": "fail", "en": "pass"}
    assert rule.outcome == "fail"
    (tmp_path / "none").mkdir()
    rule = only(gate(tmp_path / "none", policy(CORPUS + '\nby = "voice"'), speech(1), speech(2)))
    assert rule.message == "not compared: no item has the group column voice"


def test_a_ratio_of_a_baseline_without_errors_is_never_met(tmp_path: Path) -> None:
    text = CORPUS.replace("errors/word", "ratio").replace("max_increase = 0.02", "max_ratio = 1.5")
    rule = only(gate(tmp_path, policy(text), speech(1), items(200, lambda _: [wer(0)])))
    assert rule.outcome == "fail"
    (tmp_path / "both").mkdir()
    none = items(200, lambda _: [wer(0)])
    assert only(gate(tmp_path / "both", policy(text), none, none)).outcome == "inconclusive"


def test_the_workload_may_be_named(tmp_path: Path) -> None:
    decision = gate(tmp_path, policy(VALID), speech(1), workload="anything")
    assert decision.workload == "anything"
    assert decision.candidate.asked == ASKED


def test_ids_of_two_runs_over_one_manifest_are_kept_once(tmp_path: Path) -> None:
    first = load_run(write_run(tmp_path / "a", speech(1, count=30)), [find_metric("wer")])
    same = load_run(write_run(tmp_path / "b", speech(2, count=30)), [find_metric("wer")], like=first)
    assert same.ids is first.ids
    other = load_run(write_run(tmp_path / "c", speech(2, count=31)), [find_metric("wer")], like=first)
    assert len(other.ids) == 31
    assert other.ids[29] is first.ids[29]


def test_results_in_another_order_are_paired_by_id(tmp_path: Path) -> None:
    asked = policy(CORPUS, MEAN_SPEAKER, f'{MEAN_SPEAKER.replace("voice", "by")}\nby = "language"')
    base, own = speech(1), speech(2)
    straight = gate(tmp_path, asked, own, base)
    (tmp_path / "mixed").mkdir()
    mixed = gate(tmp_path / "mixed", asked, own, random.Random(1).sample(base, len(base)))
    assert mixed.rules == straight.rules
