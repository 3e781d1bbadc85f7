from __future__ import annotations

import re
from pathlib import Path

import pytest

from mediacheck.gate.errors import PolicyError
from mediacheck.gate.metrics import metric_names
from mediacheck.gate.policy import Approval, Policy, Requires, Rule, load_policy, parse_policy, require_workload
from tests.unit.gate.factory import APPROVED, ASKED, CORPUS, MEAN_SPEAKER, policy, policy_text

SHARE = 'id = "x"\nmetric = "validity_rate"\nstatistic = "rate"\nunit = "fraction"\n'
DOCS = Path(__file__).parents[3] / "docs"


def test_the_documented_policy_is_one() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (DOCS / "reference" / "policy.md").read_text(), re.DOTALL)
    made = parse_policy(block.encode(), "docs/reference/policy.md")
    assert [rule.bound for rule in made.rules] == ["max_increase", "max_decrease", "at_most"]


def test_every_key_and_metric_is_documented() -> None:
    text = (DOCS / "reference" / "policy.md").read_text()
    for kind in (Policy, Approval, Requires, Rule):
        for key in kind.__struct_fields__:
            assert f"`{key}`" in text or f"[{key}]" in text or key == "rules", key
    for name in metric_names():
        if name.startswith(("status:", "verdict:", "wer")):
            assert f"`{name}`" in text, name
        elif ":" in name:
            assert f"`{name.partition(':')[0]}:" in text, name


def refused(text: str) -> str:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text.encode(), "policy.toml")
    message = str(caught.value)
    assert message.startswith("policy.toml is malformed: ")
    return message


def test_defaults_are_the_strict_ones() -> None:
    rule = policy(CORPUS).rules[0]
    assert (rule.confidence, rule.minimum_coverage, rule.least_items) == (0.95, 1.0, 20)
    requires = policy(CORPUS).requires
    assert requires.same_scorers
    assert requires.same_manifest
    assert requires.same_validator


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (policy_text(CORPUS + "\nconfidance = 0.9"), "rule 1 has an unknown key 'confidance'; did you mean confidence"),
        (policy_text(CORPUS, head="sumary = ''"), "the policy has an unknown key 'sumary'; did you mean summary?"),
        (policy_text(CORPUS, head="requires = {same_scorer = true}"), "did you mean same_scorers"),
        (policy_text(CORPUS.replace('"wer"', '"wre"')), "there is no metric 'wre'; did you mean wer"),
        (policy_text('id = "x"\nmetric = "findings:audio.silence"\nstatistic = "count"\nunit = "items"\nat_most = 0'),
         "findings:audio.silent"),
        (policy_text(CORPUS.replace("corpus", "avg")), "wer has no statistic 'avg'; it has corpus, mean, median"),
        (policy_text(CORPUS.replace("corpus", "p100")), "no statistic 'p100'"),
        (policy_text(MEAN_SPEAKER.replace("mean", "corpus")), "speaker has no statistic 'corpus'"),
        (policy_text(CORPUS.replace("errors/word", "percent")), 'the unit of max_increase for wer is "errors/word"'),
        (policy_text(CORPUS.replace("\nmax_increase = 0.02", "")), "it has none"),
        (policy_text(CORPUS + "\nat_most = 0.1"), "it has at_most and max_increase"),
        (policy_text(CORPUS.replace("max_increase", "max_decrease")), "better where it is lower"),
        (policy_text(MEAN_SPEAKER.replace("max_decrease", "max_increase")), "use max_decrease"),
        (policy_text(CORPUS.replace("0.02", "-0.02")), "a margin is 0 or more"),
        (policy_text(CORPUS.replace("0.02", "nan")), "max_increase is nan"),
        (policy_text(CORPUS.replace("0.02", "inf")), "max_increase is inf"),
        (policy_text(CORPUS.replace("0.02", '"2 %"')), "rule wer: max_increase: Expected `float | null`, got `str`"),
        (policy_text(CORPUS.replace('unit = "errors/word"\n', "")), 'rule wer has no unit; write unit = "errors/word"'),
        (policy_text(CORPUS.replace('id = "wer"\n', "")), "rule 1 has no id"),
        (policy_text('id = "x"\nmetric = "wre"\nstatistic = "mean"\nat_most = 1'), "rule x has no unit"),
        (policy_text(CORPUS).replace("schema", "#"), 'the policy has no schema; write schema = "mediacheck.policy/1"'),
        (policy_text("", head="rules = [5]").replace("[[rules]]", ""), "rule 1: Expected `object`, got `int`"),
        (policy_text("", head="rules = 5").replace("[[rules]]", ""), "[rules]: Expected `array`, got `int`"),
        (policy_text(CORPUS + "\nworst_case = 1e300"), "worst_case is 1e+300"),
        (policy_text(CORPUS.replace("0.02", "1" + "0" * 400)), "Number out of range"),
        (policy_text(CORPUS + "\nseed = -1"), "seed is 0 or more"),
        (policy_text(CORPUS + "\nconfidence = 0.9999"), "at most 0.999"),
        (policy_text(CORPUS + "\nconfidence = 0.05"), "above 0.5"),
        (policy_text(CORPUS + "\nminimum_coverage = 0.0"), "above 0"),
        (policy_text(CORPUS + "\nminimum_coverage = 95"), "at most 1"),
        (policy_text(CORPUS + "\nminimum_count = 1"), "at least 2"),
        (policy_text(CORPUS + "\nworst_case = 0.0"), "worst_case is above 0"),
        (policy_text(CORPUS + "\nby = ''"), "by is empty"),
        (policy_text(CORPUS, CORPUS), "two rules are called wer"),
        (policy_text('id = "x"\nmetric = "speaker"\nstatistic = "mean"\nunit = "ratio"\nmin_ratio = 0.9'),
         "has no true zero"),
        (policy_text('id = "x"\nmetric = "validity_rate"\nstatistic = "rate"\nunit = "fraction"\nat_least = 1'),
         "cannot be shown by any sample"),
        (policy_text(CORPUS.replace("0.02", "5")),
         "max_increase = 5 errors/word decides nothing: the worst that befalls an item is 1"),
        (policy_text(CORPUS + "\nworst_case = 0.02"), "the worst that befalls an item is 0.02"),
        (policy_text(MEAN_SPEAKER.replace("0.02", "2")), "the worst that befalls an item is 2"),
        (policy_text(CORPUS.replace("max_increase = 0.02", "at_most = 5")), "decides nothing: wer is 1 at its worst"),
        (policy_text(SHARE + "max_decrease = 1"), "max_decrease = 1 fraction decides nothing"),
        (policy_text(SHARE + "at_least = 95"), "at_least = 95 fraction can never hold: validity_rate is 1 at its best"),
        (policy_text(SHARE + "at_least = 0"), "decides nothing: validity_rate is 0 at its worst"),
        (policy_text('id = "x"\nmetric = "verdict:fail"\nstatistic = "rate"\nunit = "fraction"\nat_most = 5'),
         "decides nothing: verdict:fail is 1 at its worst"),
        (policy_text('id = "x"\nmetric = "dnsmos"\nstatistic = "each"\nunit = "MOS"\nat_least = 1'),
         "decides nothing: dnsmos is 1 at its worst"),
        (policy_text(CORPUS).replace("Ada", "…"), "[approval] by is '…', which names nobody"),
        (policy_text(CORPUS).replace("Ada", "-"), "names nobody"),
        (policy_text(CORPUS).replace(ASKED, ""), "workload is empty"),
        (policy_text(CORPUS).replace("2026-11-30", '"today"'), "date"),
        (policy_text(CORPUS).replace(APPROVED, 'approval = { by = "Ada" }\n'),
         "[approval] has no date; write date = 2026-01-31"),
        (policy_text(CORPUS).replace("policy/1", "policy/2"), "policy/2"),
        ("schema = ", "Invalid value"),
        ("a = " + "[" * 5000, "nested too deep"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    assert said in refused(text)


@pytest.mark.parametrize(
    "rule",
    [
        CORPUS.replace("corpus", "p99").replace("max_increase = 0.02", "at_most = 2"),
        CORPUS.replace("corpus", "each").replace("max_increase = 0.02", "at_most = 1"),
        CORPUS.replace("corpus", "each").replace("0.02", "3"),
        'id = "x"\nmetric = "si_sdr"\nstatistic = "mean"\nunit = "dB"\nat_least = -50',
        SHARE + "max_decrease = 0.99",
    ],
)
def test_limits_that_an_item_can_be_beyond_are_kept(rule: str) -> None:
    assert policy(rule).rules


def test_bytes_that_are_not_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="malformed"):
        parse_policy(b"\xff", "policy.toml")
    with pytest.raises(PolicyError, match="cannot read the policy"):
        load_policy(tmp_path / "none.toml")
    with pytest.raises(PolicyError, match="cannot read the policy"):
        load_policy(tmp_path)


def test_a_byte_order_mark_is_no_part_of_a_policy() -> None:
    assert parse_policy(b"\xef\xbb\xbf" + policy_text(CORPUS).encode(), "p") == policy(CORPUS)


def test_the_digest_is_of_the_rules_and_not_of_their_approval() -> None:
    one = policy(CORPUS)
    assert one.digest == policy(CORPUS, approved=False).digest == policy(CORPUS + "\nconfidence = 0.95").digest
    assert one.digest != policy(CORPUS.replace("0.02", "0.03")).digest
    assert one.digest != policy(CORPUS, head="requires = {same_scorers = false}").digest


def test_an_approval_may_be_bound_to_the_rules() -> None:
    digest = policy(CORPUS).digest
    bound = APPROVED.replace(" }", f', rules = "{digest}" }}')
    assert parse_policy(policy_text(CORPUS).replace(APPROVED, bound).encode(), "p").unapproved is None
    changed = policy_text(CORPUS.replace("0.02", "0.2")).replace(APPROVED, bound)
    assert parse_policy(changed.encode(), "p").unapproved == "its rules were changed after they were approved"


def test_a_policy_holds_for_its_workload_only() -> None:
    bound = policy(CORPUS)
    require_workload(bound, ASKED, None)
    with pytest.raises(PolicyError, match="approved for another workload"):
        require_workload(bound, "sha256:" + "0" * 64, None)
    named = parse_policy(policy_text(CORPUS).replace(ASKED, "tts-en").encode(), "p")
    require_workload(named, ASKED, "tts-en")
    with pytest.raises(PolicyError, match="say --workload tts-en"):
        require_workload(named, ASKED, None)
    with pytest.raises(PolicyError, match="not for tts-de"):
        require_workload(named, ASKED, "tts-de")
    require_workload(policy(CORPUS, approved=False), "sha256:" + "0" * 64, None)
