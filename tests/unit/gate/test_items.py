from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mediacheck.gate.items import align, join

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(runs=st.lists(IDS, min_size=1, max_size=4))
def test_every_item_has_its_place_in_each_run(runs: list[list[str]]) -> None:
    ids, found = align(runs)
    assert list(ids) == list(dict.fromkeys(id for run in runs for id in run))
    for run, places in zip(runs, found, strict=True):
        assert [run.index(id) if id in run else -1 for id in ids] == places.tolist()


@given(candidate=IDS, baseline=IDS)
def test_items_that_only_the_baseline_has_come_last(candidate: list[str], baseline: list[str]) -> None:
    items = join(candidate, baseline)
    assert [items.id(k) for k in range(len(items))] == [*candidate, *(id for id in baseline if id not in candidate)]
    assert items.baseline is not None
    some = items.take(items.baseline >= 0)
    assert {some.id(k) for k in range(len(some))} == set(baseline)
    assert len(join(candidate, None)) == len(candidate)
