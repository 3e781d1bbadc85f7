"""The ledger: what is written stays, the last attempt counts, one process at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mediacheck.batch.errors import RunError
from mediacheck.batch.item import Entry, Item
from mediacheck.batch.ledger import Attempt, Ledger


def item(position: int, id: str = "", place: str = "/media/a.wav", references: tuple[str, ...] = ()) -> Item:
    entry = Entry(id=id or f"item-{position}", media="a.wav")
    return Item(position, f"line {position + 1}", entry, place, references)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def test_the_last_attempt_counts_and_the_ones_before_stay(ledger: Ledger) -> None:
    ledger.write("validate", 0, Attempt("missing", key="", reason="the file is not there"))
    ledger.write("validate", 0, Attempt("judged", key="abc", result=b"{}", state="s"))
    latest = ledger.latest("validate", 0)
    assert latest is not None
    assert (latest.status, latest.key, latest.state, latest.tries) == ("judged", "abc", "s", 1)
    assert [attempt.status for attempt, _ in ledger.history("validate", 0)] == ["missing", "judged"]
    assert ledger.attempts("validate", 0) == 2


def test_tries_are_counted_for_one_key(ledger: Ledger) -> None:
    tries = [ledger.write("validate", 0, Attempt("crashed", key=key)).tries for key in ("a", "a", "a", "b", "b")]
    assert tries == [1, 2, 3, 1, 2]


def test_stages_and_subjects_are_apart(ledger: Ledger) -> None:
    ledger.write("validate", 0, Attempt("judged", key="a"))
    assert ledger.latest("score", 0) is None
    assert ledger.latest("validate", 1) is None
    assert ledger.latest("reference", 0) is None


def test_an_id_stands_once(ledger: Ledger) -> None:
    assert ledger.add_item(item(0, "x"))
    assert not ledger.add_item(item(1, "x"))
    assert ledger.found_at("x") == "line 1"


def test_items_come_back_in_order_with_any_place(ledger: Ledger) -> None:
    odd = os.fsdecode(b"/media/\xff\xfe.wav")
    written = [item(0, place=odd), item(1, references=("/r/a.wav", odd)), item(2)]
    for one in reversed(written):
        ledger.add_item(one)
    assert list(ledger.items()) == written
    assert ledger.names(odd)
    assert not ledger.names("/media/other.wav")


def test_many_items_are_read_while_the_ledger_is_written(ledger: Ledger) -> None:
    with ledger.transaction():
        for position in range(1201):
            ledger.add_item(item(position))
    seen = []
    for one in ledger.items():
        seen.append(one.position)
        ledger.write("validate", one.position, Attempt("judged", key="k"))
    assert seen == list(range(1201))


def test_items_of_other_shards_are_there_only_to_be_told_apart(ledger: Ledger) -> None:
    ledger.add_item(item(0))
    ledger.add_item(item(1), mine=False)
    assert [one.position for one in ledger.items()] == [0]
    assert [one.position for one in ledger.items(of_all_shards=True)] == [0, 1]
    assert ledger.count() == 1


def test_a_transaction_that_fails_writes_nothing(ledger: Ledger) -> None:
    def write_and_fail() -> None:
        with ledger.transaction():
            ledger.add_item(item(0))
            ledger.write("validate", 0, Attempt("judged", key="k"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert ledger.count() == 0
    assert ledger.latest("validate", 0) is None
    ledger.add_item(item(0))
    assert ledger.count() == 1


def test_clearing_items_keeps_attempts(ledger: Ledger) -> None:
    ledger.add_item(item(0))
    ledger.write("validate", 0, Attempt("judged", key="k"))
    ledger.clear_items()
    assert ledger.count() == 0
    assert ledger.latest("validate", 0) is not None


def test_a_reference_keeps_its_number_where_it_lies_elsewhere(ledger: Ledger) -> None:
    number = ledger.reference("r.wav", "/a/r.wav")
    assert ledger.reference("r.wav", "/b/r.wav") == number
    assert list(ledger.references()) == [(number, "r.wav", "/b/r.wav")]
    assert ledger.reference_named("r.wav") == (number, "/b/r.wav")
    assert ledger.reference_named("s.wav") is None


def test_references_are_read_in_their_order_while_the_ledger_is_written(ledger: Ledger) -> None:
    with ledger.transaction():
        for number in range(1100):
            ledger.reference(f"{1100 - number}.wav", f"/{number}")
    found = []
    for number, name, place in ledger.references():
        ledger.set_state("reference", number, "s")
        found.append((name, place))
    assert found == [(f"{1100 - number}.wav", f"/{number}") for number in range(1100)]


def test_a_second_ledger_on_the_folder_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(RunError, match="another process"):
        Ledger(tmp_path)
    ledger.close()
    Ledger(tmp_path).close()


def test_a_ledger_of_another_version_is_refused(tmp_path: Path) -> None:
    import sqlite3

    Ledger(tmp_path).close()
    database = sqlite3.connect(tmp_path / "ledger.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(RunError, match="version 99"):
        Ledger(tmp_path)
