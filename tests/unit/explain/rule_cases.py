"""The runs and policies that the examples of a gate's explanations speak of, and what is printed of each.

``python -m tests.unit.explain.rule_cases`` writes what is printed today into the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mediacheck.batch.results import ItemResult
from mediacheck.explain import bounds, metrics, policies, requirements, statistics
from mediacheck.explain.entries import Entry, entry_of
from mediacheck.gate.decision import Decision
from mediacheck.gate.errors import PolicyError
from mediacheck.gate.policy import parse_policy
from mediacheck.scoring.registry import scorer_type
from mediacheck.scoring.score import ModelIdentity, NotMeasured
from mediacheck.validators import load_validator
from tests.unit.explain.rule_runs import (
    COUNT,
    OTHER,
    Shown,
    asked_otherwise,
    changed,
    decided,
    every,
    head,
    identity,
    judged_by,
    one_requirement,
    other_package,
    recorded,
    refused,
    report,
    rule,
    scored,
    speech,
    spread,
)
from tests.unit.gate.factory import ASKED, finding, item, policy, policy_text

TEXTS = Path(__file__).parents[3] / "mediacheck" / "gate" / "explained"

VALID = every(lambda _: scored("loudness", -20.0))
NONE_FAILS = partial(rule, "none-fails", statistic="count", unit="items", at_most=0)
INTELLIGIBLE = rule("intelligible", "wer", "corpus", "errors/word", max_increase=0.01)


def broken(**changes: Any) -> list[ItemResult]:
    return changed(VALID, 3, first=40, **changes)


def of_status(name: str) -> Shown:
    status = name.removeprefix("status:")
    gone = {"status": "missing" if status == "not_judged" else status, "verdict": None, "reason": "said elsewhere"}
    return report(decided(policy(NONE_FAILS(metric=name)), broken(**gone)))


def of_verdict(name: str) -> Shown:
    return report(decided(policy(NONE_FAILS(metric=name)), broken(verdict=name.removeprefix("verdict:"))))


def of_findings(name: str) -> Shown:
    check = name.removeprefix("findings:")
    makes = {pinned.definition.id for pinned in load_validator("v2").checks}
    records = {"candidate": {"validator": judged_by("v2" if check in makes else "v1")}}
    run = broken(verdict="fail", findings=(finding(check),))
    return report(decided(policy(NONE_FAILS(metric=name)), run, records=records))


def of_coverage(name: str) -> Shown:
    scorer = name.removeprefix("coverage:")
    run = every(lambda _: scored(scorer, 1.0))
    run = changed(run, 12, first=40, scores=(NotMeasured(scorer=scorer, reason="the candidate is silent"),))
    return report(decided(policy(rule("all-scored", name, "rate", "fraction", at_least=0.98)), run))


def of_errors(scorer: str) -> Shown:
    unit = scorer_type(scorer).info.unit
    asked = policy(rule("intelligible", scorer, "corpus", unit, max_increase=0.01))
    return report(decided(asked, speech(scorer, 0.09, 2), speech(scorer, 0.04, 1)))


def of_part(name: str) -> Shown:
    scorer, _, part = name.partition(".")
    unit = f"{part}/{'word' if scorer == 'wer' else 'character'}"
    asked = policy(rule("nothing-more", name, "corpus", unit, max_increase=0.01))
    return report(decided(asked, speech(scorer, 0.08, 2, part=part), speech(scorer, 0.03, 1, part=part)))


def of_pesq(scorer: str) -> Shown:
    asked = policy(rule("sounds-alike", scorer, "mean", "MOS-LQO", max_decrease=0.1))
    return report(decided(asked, spread(scorer, 3.1, 0.2, 2), spread(scorer, 3.3, 0.2, 1)))


def of_other(name: str) -> Shown:
    with other_package():
        return report(decided(policy(rule("mine", OTHER, "mean", "dB", at_least=10)), spread(OTHER, 9.0, 2.0, 1)))


def by_language() -> Decision:
    run, base = spread("speaker", 0.8, 0.03, 2), spread("speaker", 0.8, 0.03, 1)

    def grouped(results: list[ItemResult], shift: float) -> list[ItemResult]:
        made = []
        for number, one in enumerate(results):
            german = bool(number % 2)
            value = one.scores[0].value - shift * german  # type: ignore[union-attr]
            language = {"language": "de" if german else "en"}
            made.append(item(one.id, scored("speaker", value), groups=language))
        return made

    asked = policy(SAME_VOICE + '\nby = "language"')
    return decided(asked, grouped(run, 0.05), grouped(base, 0.0))


def other_model() -> Decision:
    run, base = speech("wer", 0.05, 2), speech("wer", 0.05, 1)
    results, records = {}, {}
    for side, made, name in (("candidate", run, "small.en"), ("baseline", base, "medium.en")):
        own = replace(identity("wer"), model=ModelIdentity(id=name, sha256=str(len(name)) * 64))
        results[side] = [replace(one, scores=(replace(one.scores[0], identity=own.digest),)) for one in made]
        records[side] = {"scorers": (own,)}
    return decided(policy(INTELLIGIBLE), results["candidate"], results["baseline"], records=records)


def other_manifest() -> Decision:
    run, base = speech("wer", 0.05, 2), speech("wer", 0.05, 1)
    return decided(policy(INTELLIGIBLE), run, base, records={"baseline": {"manifest": asked_otherwise(run)}})


def other_validator() -> Decision:
    run, base = speech("wer", 0.05, 2), speech("wer", 0.05, 1)
    return decided(policy(INTELLIGIBLE), run, base, records={"baseline": {"validator": judged_by("v1")}})


def named_validator(name: str) -> Shown:
    side = name.partition(":")[2]
    asked = policy(INTELLIGIBLE, head='requires = { validator = "v2" }')
    run, base = speech("wer", 0.05, 2), speech("wer", 0.05, 1)
    made = decided(asked, run, base, records={side: {"validator": judged_by("v1")}})
    return one_requirement(name, made, '[requires]\nvalidator = "v2"')


def cut_run(name: str) -> Shown:
    side = name.partition(":")[2]
    runs = {"candidate": speech("wer", 0.05, 2), "baseline": speech("wer", 0.05, 1)}
    manifest = recorded(runs[side]).manifest
    runs[side] = runs[side][:-3]
    return one_requirement(
        name, decided(policy(INTELLIGIBLE), **runs, records={side: {"manifest": manifest}})  # type: ignore[arg-type]
    )


def unapproved() -> Decision:
    return decided(policy(INTELLIGIBLE, approved=False), speech("wer", 0.04, 2), speech("wer", 0.05, 1))


def changed_since() -> Decision:
    old = policy(rule("intelligible", "wer", "corpus", "errors/word", max_increase=0.005)).digest
    text = policy_text(INTELLIGIBLE).replace(f'workload = "{ASKED}"', f'workload = "{ASKED}", rules = "{old}"')
    asked = parse_policy(text.encode(), "policy.toml")
    return decided(asked, speech("wer", 0.04, 2), speech("wer", 0.05, 1))


def unnamed_workload() -> Shown:
    asked = parse_policy(policy_text(INTELLIGIBLE).replace(ASKED, "tts-en").encode(), "policy.toml")
    try:
        decided(asked, speech("wer", 0.05, 2), speech("wer", 0.05, 1))
    except PolicyError as error:
        return Shown('[approval]\nby = "Ada"\ndate = 2026-11-30\nworkload = "tts-en"', f"mediacheck: {error}")
    raise AssertionError("the policy is not refused")


def three_outcomes() -> Decision:
    asked = policy(
        rule("nothing-crashes", "status:crashed", "count", "items", at_most=0),
        rule("intelligible", "wer", "corpus", "errors/word", at_most=0.05),
        rule("valid", "validity_rate", "rate", "fraction", at_least=0.9),
    )
    run = changed(speech("wer", 0.045, 7), 1, first=12, status="crashed", verdict="fail")
    return decided(asked, run)


def alone(scorer: str, middle: float, width: float, *asked: str) -> Callable[[], Shown]:
    """A candidate without a baseline."""
    return lambda: report(decided(policy(*asked), spread(scorer, middle, width, 2)))


def beside(scorer: str, middle: float, before: float, width: float, *asked: str) -> Callable[[], Shown]:
    return lambda: report(decided(policy(*asked), spread(scorer, middle, width, 2), spread(scorer, before, width, 1)))


def of_words(rate: float, before: float | None, *asked: str, count: int = COUNT) -> Callable[[], Shown]:
    def run() -> Shown:
        base = None if before is None else speech("wer", before, 1, count)
        return report(decided(policy(*asked), speech("wer", rate, 2, count), base))

    return run


def lost_scores() -> Shown:
    lacking = (NotMeasured(scorer="wer", reason="the candidate is silent"),)
    run = changed(speech("wer", 0.04, 2), 5, first=40, scores=lacking)
    return report(decided(policy(INTELLIGIBLE + "\nminimum_coverage = 0.99"), run, speech("wer", 0.04, 1)))


def without_events() -> Shown:
    asked = policy(rule("hardly-any-fails", "verdict:fail", "rate", "fraction", at_most=0.02))
    return report(decided(asked, VALID[:100]))


def all_alike() -> Shown:
    asked = policy(rule("as-clean", "si_sdr", "mean", "dB", max_decrease=0.5))
    same = every(lambda number: scored("si_sdr", 12.0 + number % 7))
    return report(decided(asked, same, same))


def clipped() -> Shown:
    asked = policy(rule("hardly-clipped", "findings:audio.clipping", "count", "items", at_most=2))
    return report(decided(asked, broken(findings=(finding("audio.clipping", severity="warning"),))))


def hardly_fewer_valid() -> Shown:
    asked = policy(rule("as-valid", "validity_rate", "rate", "ratio", min_ratio=0.95))
    return report(decided(asked, changed(VALID, 30, verdict="fail"), changed(VALID, 4, verdict="fail")))


def fewer_valid() -> Shown:
    asked = policy(rule("valid", "validity_rate", "rate", "fraction", at_least=0.95))
    return report(decided(asked, changed(VALID, 24, first=40, verdict="fail")))


def likes(make: Callable[[], Decision | Shown]) -> Callable[[str], Shown]:
    """A case that is the same whatever the name."""

    def shown(name: str) -> Shown:
        found = make()
        return report(found) if isinstance(found, Decision) else found

    return shown


AT_MOST_5 = rule("intelligible", "wer", "corpus", "errors/word", at_most=0.05)
AT_MOST_10 = rule("intelligible", "wer", "corpus", "errors/word", at_most=0.1)
SAME_VOICE = rule("same-voice", "speaker", "mean", "cosine", max_decrease=0.02)
NEVER_ANOTHER = rule("never-another", "speaker", "each", "cosine", at_least=0.7)
USUAL_TIMBRE = rule("same-timbre", "mcd", "median", "dB", max_increase=0.2)
NO_SUCH_CHECK = rule("clean", "findings:audio.clicks", "count", "items", at_most=0)
NO_SUCH_STATISTIC = rule("valid", "validity_rate", "mean", "fraction", at_least=0.9)
NO_SUCH_UNIT = rule("intelligible", "wer", "corpus", "percent", at_most=5)

CASES: dict[str, Callable[[str], Shown]] = {
    "metrics/validity_rate": likes(fewer_valid),
    "metrics/verdict": of_verdict,
    "metrics/status": of_status,
    "metrics/findings": of_findings,
    "metrics/coverage": of_coverage,
    "metrics/errors": of_errors,
    "metrics/error_parts": of_part,
    "metrics/speaker": likes(beside("speaker", 0.75, 0.8, 0.03, SAME_VOICE)),
    "metrics/dnsmos": likes(
        beside("dnsmos", 2.9, 3.2, 0.3, rule("sounds-as-good", "dnsmos", "mean", "MOS", max_decrease=0.1))
    ),
    "metrics/loudness": likes(alone("loudness", -23.0, 4.0, rule("not-loud", "loudness", "each", "LUFS", at_most=-14))),
    "metrics/si_sdr": likes(
        beside("si_sdr", 11.0, 12.5, 2.0, rule("as-clean", "si_sdr", "median", "dB", max_decrease=0.5))
    ),
    "metrics/stoi": likes(
        alone("stoi", 0.9, 0.03, rule("mostly-intelligible", "stoi", "p5", "correlation", at_least=0.87))
    ),
    "metrics/pesq": of_pesq,
    "metrics/mcd": likes(beside("mcd", 5.6, 5.0, 0.6, rule("same-timbre", "mcd", "mean", "dB", max_increase=0.2))),
    "metrics/duration_ratio": likes(
        alone("duration_ratio", 1.0, 0.15, rule("not-drawn-out", "duration_ratio", "each", "ratio", at_most=1.3))
    ),
    "metrics/scorer": of_other,
    "bounds/at_most": likes(of_words(0.045, None, AT_MOST_5)),
    "bounds/at_least": likes(alone("dnsmos", 3.2, 0.3, rule("sounds-good", "dnsmos", "mean", "MOS", at_least=3))),
    "bounds/max_increase": likes(of_words(0.045, 0.045, INTELLIGIBLE)),
    "bounds/max_decrease": likes(
        beside("stoi", 0.9, 0.91, 0.03, rule("as-intelligible", "stoi", "mean", "correlation", max_decrease=0.02))
    ),
    "bounds/max_ratio": likes(
        beside("mcd", 5.8, 5.0, 0.6, rule("same-timbre", "mcd", "mean", "ratio", max_ratio=1.1))
    ),
    "bounds/min_ratio": likes(hardly_fewer_valid),
    "statistics/corpus": likes(of_words(0.04, None, AT_MOST_10)),
    "statistics/mean": likes(beside("speaker", 0.8, 0.8, 0.03, SAME_VOICE)),
    "statistics/median": likes(beside("mcd", 5.0, 5.0, 0.6, USUAL_TIMBRE)),
    "statistics/percentile": likes(alone("mcd", 5.0, 0.6, rule("worst-timbre", "mcd", "p95", "dB", at_most=6.5))),
    "statistics/rate": likes(without_events),
    "statistics/count": likes(clipped),
    "statistics/each": likes(alone("speaker", 0.8, 0.06, NEVER_ANOTHER)),
    "requirements/same_scorers": likes(other_model),
    "requirements/same_manifest": likes(other_manifest),
    "requirements/same_validator": likes(other_validator),
    "requirements/validator": named_validator,
    "requirements/whole": cut_run,
    "policies/policy": likes(lambda: head(decided(policy(), VALID))),
    "policies/approval": likes(unapproved),
    "policies/workload": likes(unnamed_workload),
    "policies/approval_rules": likes(lambda: head(changed_since())),
    "policies/evidence": likes(
        lambda: refused(f'[evidence]\nfile = "policy.evidence.json"\nsha265 = "{"0" * 64}"', of_rules=False)
    ),
    "policies/metric": likes(lambda: refused(NO_SUCH_CHECK)),
    "policies/statistic": likes(lambda: refused(NO_SUCH_STATISTIC)),
    "policies/unit": likes(lambda: refused(NO_SUCH_UNIT)),
    "policies/confidence": likes(
        of_words(0.045, 0.045, rule("intelligible", "wer", "corpus", "errors/word", max_increase=0.01, confidence=0.99))
    ),
    "policies/by": likes(by_language),
    "policies/minimum_coverage": likes(lost_scores),
    "policies/minimum_count": likes(of_words(0.04, 0.04, INTELLIGIBLE + "\nminimum_count = 50", count=40)),
    "policies/worst_case": likes(all_alike),
    "policies/seed": likes(lambda: refused(INTELLIGIBLE + "\nseed = -1")),
    "policies/outcome": likes(three_outcomes),
}

ENTRIES: tuple[Entry, ...] = tuple(
    entry for module in (metrics, bounds, statistics, requirements, policies) for entry in module.KIND.entries()
)


def shown(name: str) -> Shown:
    """What the example of a name shows; of a family in general, that of its sample."""
    entry = entry_of(name, ENTRIES)
    if name == entry.name and entry.sample is not None:
        name = entry.sample
    return CASES[entry.file](name)


def with_placeholders(block: str, entry: Entry) -> Shown:
    """The example as its text has it."""
    words = entry.words(entry.sample or entry.name)
    for placeholder, word in words.items():
        # Not where a line begins: that is its outcome.
        block = re.sub(rf"(?m)(?<!^)\b{re.escape(word)}\b", placeholder, block)
    return block


def blocks(found: Shown) -> str:
    toml = f"```toml\n{found.policy}\n```\n\n" if found.policy else ""
    return f"{toml}```text\n{found.printed}\n```"


if __name__ == "__main__":
    written: set[str] = set()
    for entry in ENTRIES:
        if entry.file not in written:
            written.add(entry.file)
            path = TEXTS / f"{entry.file}.md"
            made = with_placeholders(blocks(shown(entry.name)), entry)
            path.write_text(
                re.sub(r"(?s)(?:```toml\n.*?\n```\n\n)?```text\n.*?\n```", lambda _, made=made: made, path.read_text())
            )
