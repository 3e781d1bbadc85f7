"""``policy.toml``: the rules by which a run passes the gate, and who approved their thresholds."""

from __future__ import annotations

import datetime
import hashlib
import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from mediacheck import serialise
from mediacheck.errors import MediacheckError
from mediacheck.facts import Struct
from mediacheck.gate.errors import PolicyError
from mediacheck.gate.metrics import Metric, find_metric

POLICY_SCHEMA: Final = "mediacheck.policy/1"
MINIMUM_COUNT: Final = 20
"""Items below which a sample concludes nothing, unless the rule says otherwise."""
SEED: Final = 20240229

Bound = Literal["at_most", "at_least", "max_increase", "max_decrease", "max_ratio", "min_ratio"]
BOUNDS: Final[tuple[Bound, ...]] = ("at_most", "at_least", "max_increase", "max_decrease", "max_ratio", "min_ratio")
ABSOLUTE: Final[tuple[Bound, ...]] = ("at_most", "at_least")
RATIOS: Final[tuple[Bound, ...]] = ("max_ratio", "min_ratio")
UPPER: Final[tuple[Bound, ...]] = ("at_most", "max_increase", "max_ratio")
"""Those that bound from above."""
EXACT: Final = ("each", "count")
"""Statistics that speak of the items of the run and no others: they have no sampling error."""
_TYPICAL: Final = ("mean", "median", "corpus", "rate")
"""Statistics that one item cannot carry away."""

_GREATEST: Final = 1e100
"""Also below it nothing is infinite, and no square overflows."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LACKING = re.compile(r"Object missing required field `(\w+)`")
_NAMELESS = re.compile(r"[\W_]*")
"""Dots, dashes, an ellipsis: what is left where nobody filled a name in."""


class Approval(Struct, frozen=True, kw_only=True):
    """Who answers for the thresholds."""

    by: str
    date: datetime.date
    workload: str
    """Of what they hold: an id that ``--workload`` names, or the ``asked`` digest of a manifest."""
    rules: str | None = None
    """The policy's digest when it was approved; where it differs now, the approval no longer holds. None: not bound."""


class Requires(Struct, frozen=True, kw_only=True):
    """What must be the same, or as named, for numbers to be comparable."""

    same_scorers: bool = True
    same_manifest: bool = True
    """The same was asked of both runs: ``manifest.asked`` of their records."""
    same_validator: bool = True
    """And the same contract."""
    validator: str | None = None
    """Id of the validator by which the runs must have been judged."""
    validator_digest: str | None = None


class Rule(Struct, frozen=True, kw_only=True):
    """One threshold."""

    id: str
    metric: str
    statistic: str
    """``mean``, ``median``, ``p1`` … ``p99``, ``corpus`` (all errors over all words), ``rate`` (share of items),
    ``count`` (of items), ``each`` (every single item)."""
    unit: str
    """Of the limit: stated, so that 5 is not taken for 5 %. ``ratio`` for the ratios."""
    at_most: float | None = None
    at_least: float | None = None
    max_increase: float | None = None
    """candidate - baseline stays below it."""
    max_decrease: float | None = None
    """baseline - candidate stays below it."""
    max_ratio: float | None = None
    """candidate stays below it times the baseline."""
    min_ratio: float | None = None
    confidence: float = 0.95
    """One-sided: the greatest chance to pass a candidate that is as bad as the limit is 1 - confidence."""
    by: str | None = None
    """A group column: the rule holds in every group."""
    minimum_coverage: float = 1.0
    """Share of the expected items that must have the number; of pairs, where there is a baseline."""
    minimum_count: int | None = None
    """Items below which nothing is concluded. None: 20, and 1 for ``each`` and ``count``."""
    worst_case: float | None = None
    """By how much one item can worsen, in the metric's unit; None: what the metric declares."""
    seed: int = SEED
    """Of the draws."""

    @property
    def bound(self) -> Bound:
        return next(name for name in BOUNDS if getattr(self, name) is not None)

    @property
    def limit(self) -> float:
        value: float = getattr(self, self.bound)
        return value

    @property
    def needs_baseline(self) -> bool:
        return self.bound not in ABSOLUTE

    @property
    def least_items(self) -> int:
        if self.minimum_count is not None:
            return self.minimum_count
        return 1 if self.statistic in EXACT else MINIMUM_COUNT


class Evidence(Struct, frozen=True, kw_only=True):
    """What the thresholds were derived from."""

    file: str
    """File name, beside the policy."""
    sha256: str


class Policy(Struct, frozen=True, kw_only=True):
    schema: Literal["mediacheck.policy/1"]
    id: str
    summary: str = ""
    approval: Approval | None = None
    requires: Requires = Requires()
    rules: tuple[Rule, ...] = ()
    evidence: Evidence | None = None

    @property
    def digest(self) -> str:
        """``sha256:`` of requirements and rules, defaults filled in. Id, summary and approval change nothing of it."""
        content = serialise.to_compact_json((self.requires, self.rules))
        return "sha256:" + hashlib.sha256(content).hexdigest()

    @property
    def unapproved(self) -> str | None:
        """Why the thresholds count for nothing; None: they are approved."""
        if self.approval is None:
            return "nobody approved its thresholds"
        if self.approval.rules is not None and self.approval.rules != self.digest:
            return "its rules were changed after they were approved"
        return None


def load_policy(path: Path) -> Policy:
    """A policy from its file.

    Raises:
        PolicyError: it cannot be read, or is malformed.
    """
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise PolicyError(f"cannot read the policy {path}: {getattr(error, 'strerror', None) or error}") from error
    return parse_policy(data, str(path))


def parse_policy(data: bytes, where: str) -> Policy:
    """Read the bytes of a ``policy.toml``, strictly.

    Args:
        data: TOML.
        where: what error messages call it.

    Raises:
        PolicyError: naming what is wrong, and where.
    """
    try:
        # Editors of Windows write a byte order mark.
        table = tomllib.loads(data.decode("utf-8-sig"))
        _refuse_unknown(table)
        policy = serialise.convert(table, Policy)
        _check(policy)
    except msgspec.ValidationError as error:
        raise PolicyError(f"{where} is malformed: {_plain(str(error), table)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, MediacheckError) as error:
        raise PolicyError(f"{where} is malformed: {error}") from error
    except RecursionError as error:
        raise PolicyError(f"{where} is malformed: it is nested too deep") from error
    return policy


def require_workload(policy: Policy, asked: str, workload: str | None) -> None:
    """Refuse a policy that was approved for something else: thresholds are never inherited.

    Args:
        policy: approved or not.
        asked: ``manifest.asked`` of the candidate.
        workload: as the user names it.

    Raises:
        PolicyError: it is bound to another workload, or the workload was not named.
    """
    if policy.approval is None:
        return
    bound = policy.approval.workload
    if _DIGEST.fullmatch(bound):
        if bound != asked:
            raise PolicyError(
                f"the policy {policy.id} was approved for another workload: what the run's manifest asks has the "
                f"digest {asked}, not {bound}; calibrate and approve a policy for this one"
            )
    elif workload is None:
        raise PolicyError(f"the policy {policy.id} was approved for the workload {bound}; say --workload {bound} if "
                          "the run is one of it")  # fmt: skip
    elif workload != bound:
        raise PolicyError(f"the policy {policy.id} was approved for the workload {bound}, not for {workload}; "
                          "calibrate and approve a policy for this one")  # fmt: skip


def _refuse_unknown(table: dict[str, Any]) -> None:
    _known(table, Policy, "the policy")
    for key, kind in (("approval", Approval), ("requires", Requires), ("evidence", Evidence)):
        _known(table.get(key), kind, f"[{key}]")
    rules = table.get("rules")
    for number, rule in enumerate(rules if isinstance(rules, list) else (), 1):
        _known(rule, Rule, f"rule {number}")


def _plain(message: str, table: dict[str, Any]) -> str:
    """What msgspec says of a table, with the rule's name in place of a path into the document."""
    text, _, path = message.partition(" - at `$")
    head, *keys = path.rstrip("`").removeprefix(".").split(".") if path else [""]
    place = f"[{head}]" if head else "the policy"
    rule: dict[str, Any] = {}
    if number := re.fullmatch(r"rules\[(\d+)\]", head):
        found = table["rules"][int(number[1])]
        rule = found if isinstance(found, dict) else {}
        place = f"rule {rule.get('id', int(number[1]) + 1)}"
    lacking = _LACKING.fullmatch(text)
    if lacking is None:
        return f"{place}: {''.join(f'{key}: ' for key in keys)}{text}"
    key = lacking[1]
    example = {"schema": POLICY_SCHEMA, "date": "2026-01-31", "unit": _unit_of(rule)}.get(key)
    quoted = example if key == "date" else f'"{example}"'
    return f"{place} has no {key}" + ("" if example is None else f"; write {key} = {quoted}")


def _unit_of(rule: dict[str, Any]) -> str | None:
    """The unit that a rule without one should have, if the rest of it says so."""
    try:
        metric = find_metric(str(rule.get("metric")))
    except PolicyError:
        return None
    return "ratio" if any(name in rule for name in RATIOS) else metric.unit_of(str(rule.get("statistic")))


def _known(table: object, kind: type[Struct], where: str) -> None:
    known = kind.__struct_fields__
    for key in table if isinstance(table, dict) else ():
        if key not in known:
            near = get_close_matches(str(key), known, n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else f"it may have {', '.join(known)}"
            raise PolicyError(f"{where} has an unknown key {key!r}; {hint}")


def check_id(id: str) -> None:
    """Refuse an id that a policy cannot have.

    Raises:
        PolicyError: it holds anything but letters, digits, '.', '_', ':' and '-'.
    """
    if not _ID.fullmatch(id):
        raise PolicyError(f"id {id!r} may hold letters, digits, '.', '_', ':' and '-' only")


def _check(policy: Policy) -> None:
    check_id(policy.id)
    if policy.approval is not None:
        for key in ("by", "workload"):
            if not getattr(policy.approval, key).strip():
                raise PolicyError(f"[approval] {key} is empty; an approval states it")
        if _NAMELESS.fullmatch(policy.approval.by):
            raise PolicyError(f"[approval] by is {policy.approval.by!r}, which names nobody; write who answers for the "
                              "thresholds")  # fmt: skip
        _check_digest("[approval] rules", policy.approval.rules)
    _check_digest("[requires] validator_digest", policy.requires.validator_digest)
    ids = [rule.id for rule in policy.rules]
    for rule in policy.rules:
        if not _ID.fullmatch(rule.id):
            raise PolicyError(f"the rule id {rule.id!r} may hold letters, digits, '.', '_', ':' and '-' only")
        if ids.count(rule.id) > 1:
            raise PolicyError(f"two rules are called {rule.id}; give each an id of its own")
        try:
            _check_rule(rule, find_metric(rule.metric))
        except PolicyError as error:
            raise PolicyError(f"rule {rule.id}: {error}") from error


def _check_digest(where: str, value: str | None) -> None:
    if value is not None and not _DIGEST.fullmatch(value):
        raise PolicyError(f"{where} is no digest; write sha256: and 64 hexadecimal digits")


def _check_rule(rule: Rule, metric: Metric) -> None:
    stated = [name for name in BOUNDS if getattr(rule, name) is not None]
    if len(stated) != 1:
        found = f"it has {' and '.join(stated)}" if stated else "it has none"
        raise PolicyError(f"a rule has one bound of {', '.join(BOUNDS)}; {found}")
    if not metric.allows(rule.statistic):
        raise PolicyError(f"{metric.name} has no statistic {rule.statistic!r}; it has {', '.join(metric.statistics)}")
    for name in (*BOUNDS, "confidence", "minimum_coverage", "worst_case"):
        value = getattr(rule, name)
        if value is not None and not abs(value) < _GREATEST:
            raise PolicyError(f"{name} is {value}, which is no number to hold anything against")
    _check_direction(rule, metric)
    unit = "ratio" if rule.bound in RATIOS else metric.unit_of(rule.statistic)
    if rule.unit != unit:
        raise PolicyError(f'the unit of {rule.bound} for {metric.name} is "{unit}", not {rule.unit!r}')
    if rule.worst_case is not None and not rule.worst_case > 0.0:
        raise PolicyError("worst_case is above 0: by how much one item can worsen")
    _check_limit(rule, metric)
    # Of five thousand draws the farthest says nothing reliable of one case in ten thousand.
    if not 0.5 < rule.confidence <= 0.999:
        raise PolicyError(f"confidence is {rule.confidence}; it lies above 0.5 and is at most 0.999")
    if not 0.0 < rule.minimum_coverage <= 1.0:
        raise PolicyError(f"minimum_coverage is {rule.minimum_coverage}; it lies above 0 and is at most 1")
    fewest = 1 if rule.statistic in EXACT else 2
    if rule.minimum_count is not None and rule.minimum_count < fewest:
        raise PolicyError(f"minimum_count is {rule.minimum_count}; for {rule.statistic} it is at least {fewest}")
    if rule.seed < 0:
        raise PolicyError("seed is 0 or more")
    if rule.by is not None and not rule.by:
        raise PolicyError("by is empty; name a group column, such as language")


def _check_direction(rule: Rule, metric: Metric) -> None:
    """A bound on the side that is better would never fail."""
    upper = rule.bound in UPPER
    if metric.better == "higher" and upper:
        instead = {"at_most": "at_least", "max_increase": "max_decrease", "max_ratio": "min_ratio"}[rule.bound]
        raise PolicyError(f"{metric.name} is better where it is higher: {rule.bound} bounds nothing; use {instead}")
    if metric.better == "lower" and not upper:
        instead = {"at_least": "at_most", "max_decrease": "max_increase", "min_ratio": "max_ratio"}[rule.bound]
        raise PolicyError(f"{metric.name} is better where it is lower: {rule.bound} bounds nothing; use {instead}")


def _check_limit(rule: Rule, metric: Metric) -> None:
    if rule.bound in ("max_increase", "max_decrease") and rule.limit < 0.0:
        raise PolicyError(f"{rule.bound} is {rule.limit}; a margin is 0 or more")
    if rule.bound in RATIOS:
        if not metric.has_zero:
            raise PolicyError(f"{metric.name} ({metric.unit}) has no true zero, so that ratios of it mean nothing; "
                              "bound the difference")  # fmt: skip
        if not rule.limit > 0.0:
            raise PolicyError(f"{rule.bound} is {rule.limit}; a ratio is above 0")
    _check_reach(rule, metric)
    if rule.bound in ABSOLUTE and rule.statistic not in EXACT:
        end = metric.lowest if rule.bound == "at_most" else metric.highest
        # No sample shows that a mean lies on the end of its range: such a rule could never pass.
        if end is not None and rule.limit == end:
            raise PolicyError(
                f"that the {rule.statistic} of {metric.name} is {end:g} cannot be shown by any sample; of the items of "
                'this run alone speak statistic = "count" and "each"'
            )


def _check_reach(rule: Rule, metric: Metric) -> None:
    """A limit that nothing is beyond decides nothing, and one that nothing keeps is a slip: 5 where 5 % was meant."""
    if rule.statistic == "count" or rule.bound in RATIOS:
        return
    typical = rule.statistic in _TYPICAL
    stated = f"{rule.bound} = {rule.limit:g} {rule.unit}"
    worst = metric.worst_case if rule.worst_case is None else rule.worst_case
    if rule.bound not in ABSOLUTE:
        low, high = metric.lowest, metric.highest
        reach = None if low is None or high is None else high - low
        if typical and worst is not None:
            reach = worst
        if reach is not None and rule.limit >= reach:
            raise PolicyError(f"{stated} decides nothing: the worst that befalls an item is {reach:g}")
        return
    upper = rule.bound in UPPER
    worse, better = (metric.highest, metric.lowest) if upper else (metric.lowest, metric.highest)
    if worse is None and typical and metric.kind == "counted":
        # More words can be inserted than there are; a limit that a run without any word right keeps is none.
        worse = metric.worst_case
    if worse is not None and (rule.limit >= worse if upper else rule.limit <= worse):
        raise PolicyError(f"{stated} decides nothing: {metric.name} is {worse:g} at its worst")
    if better is not None and (rule.limit < better if upper else rule.limit > better):
        raise PolicyError(f"{stated} can never hold: {metric.name} is {better:g} at its best")
