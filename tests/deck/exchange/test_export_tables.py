"""Tables: CSV that `csv` reads back, and the journal row by row."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

from deck import Collection, Rating
from deck.events import Buried
from deck.exchange.export.formats import format_of
from deck.exchange.export.tables import CARD_COLUMNS, EVENT_COLUMNS, ITEM_COLUMNS
from deck.replay import New, Review
from tests.deck.exchange.exporting import AT, exported, make
from tests.deck.given import NOON, append_events, later, review, write_card


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_card_is_a_row(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "cards.csv")
    found = rows(tmp_path / "cards.csv")
    assert list(found[0]) == list(CARD_COLUMNS)
    assert [row["id"] for row in found] == list(deck.cards)
    for row in found:
        card = deck.cards[row["id"]]
        assert (row["question"], row["solution"]) == (card.question, card.solution)
        assert row["items"].split() == [item.id for item in card.items]
    by_id = {row["id"]: row for row in found}
    assert by_id["choice"]["options"] == "A) $x < y$\nB) <b>two</b>"
    assert by_id["chain"]["points"] == "3"


def test_an_item_is_a_row_with_its_schedule(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "items.csv", name="items")
    found = {row["item"]: row for row in rows(tmp_path / "items.csv")}
    assert list(next(iter(found.values()))) == list(ITEM_COLUMNS)
    assert list(found) == deck.search("", AT)
    for item, row in found.items():
        state = deck.state(item)
        assert (row["state"] == "new") == isinstance(state, New)
        assert (row["suspended"] == "true") == deck.is_suspended(item)
        if not isinstance(state, New):
            assert float(row["stability"]) == state.memory.stability
        if isinstance(state, Review):
            assert row["due"].startswith(state.due_day.isoformat())
            assert int(row["interval"]) == state.interval
    assert found["chain"]["answers"] == "6"
    assert found["count"]["state"] == "new"


def test_chosen_items_are_the_rows(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "items.csv", ("gaps/c2", "pair"), "items")
    assert [row["item"] for row in rows(tmp_path / "items.csv")] == ["gaps/c2", "pair"]


def test_every_event_is_a_row_of_the_journal(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    deck.record("pair", Buried(later(days=9).date()), AT)
    report = exported(deck, tmp_path / "journal.csv", name="journal")
    found = rows(tmp_path / "journal.csv")
    lines = [
        json.loads(line)
        for path in sorted((root / ".deltadeck" / "journal").rglob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    assert list(found[0]) == list(EVENT_COLUMNS)
    assert [row["id"] for row in found] == sorted(line["id"] for line in lines)
    assert report.counts == {"events": len(lines)}
    kinds = {line["id"]: line["kind"] for line in lines}
    assert all(kinds[row["id"]] == row["kind"] for row in found)
    assert {row["device"] for row in found} == {"desk"}
    (undone,) = [row for row in found if row["undone"] == "true"]
    assert (undone["item"], undone["card"]) == ("gaps/c1", "gaps")
    (undo,) = [row for row in found if row["kind"] == "undo"]
    assert undo["target"] == undone["id"]
    (buried,) = [row for row in found if row["kind"] == "bury"]
    assert buried["until"] == later(days=9).date().isoformat()
    first = next(row for row in found if row["item"] == "chain")
    assert (first["next_step"], first["next_days"], first["rating"]) == ("", "5", "3")
    assert first["at_utc"] == "2026-10-27T12:00:00.000Z"
    assert first["at_local"] == "2026-10-27T12:00:00.000"


def test_chosen_items_alone_have_rows_in_the_journal(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "journal.csv", ("pair/r",), "journal")
    assert {row["item"] for row in rows(tmp_path / "journal.csv")} == {"pair/r"}


def test_copies_of_a_journal_file_count_once(root: Path, tmp_path: Path) -> None:
    write_card(root, "a")
    events = [review(Rating.GOOD, at=later(days=day), random=day) for day in range(40)]
    append_events(root / ".deltadeck", events)
    append_events(root / ".deltadeck", events[:3], "laptop")
    exported(Collection.open(root, NOON), tmp_path / "journal.csv", name="journal")
    assert [r["id"] for r in rows(tmp_path / "journal.csv")] == sorted(e.id for e in events)


def test_events_are_in_the_order_of_the_fold_whatever_the_clocks_said(
    root: Path, tmp_path: Path
) -> None:
    """A clock that was set back puts later events into earlier files; a merge may mix one."""
    write_card(root, "a")
    ids = [f"01a1fdfa-46f0-7000-8000-{number:012x}" for number in range(60)]
    events = [replace(review(at=later(days=-3 * n)), id=ids[n]) for n in range(60)]
    for number, each in enumerate(events):
        append_events(root / ".deltadeck", [each], f"d{number % 3}{each.at:%m}")
    append_events(root / ".deltadeck", reversed(events[7:20]), "mixed")
    exported(Collection.open(root, NOON), tmp_path / "journal.csv", name="journal")
    assert [row["id"] for row in rows(tmp_path / "journal.csv")] == ids


def test_the_learners_clock_is_a_column(root: Path, tmp_path: Path) -> None:
    write_card(root, "a")
    deck = Collection.open(root, NOON)
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    deck.rate("a", Rating.GOOD, there, 10)
    exported(deck, tmp_path / "journal.csv", name="journal")
    (row,) = rows(tmp_path / "journal.csv")
    assert (row["at_local"], row["offset_minutes"]) == ("2026-11-21T17:30:00.000", "330")


def test_the_ending_says_the_format() -> None:
    ended = {"a.apkg": "apkg", "a.json": "json", "a.csv": "csv", "a.html": "html", "a.HTM": "html"}
    assert {name: format_of(Path(name)).name for name in ended} == ended
    assert format_of(Path("a.csv"), "journal").name == "journal"
