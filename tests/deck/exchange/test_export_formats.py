"""Exports as files: one file, whole or not at all; JSON that reads back; tables; pictures."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.events import Buried, Practised
from deck.exchange.export.formats import export, format_of
from deck.exchange.export.source import ExportSource, MediaNames, Pictures, media_name
from deck.exchange.export.tables import CARD_COLUMNS, EVENT_COLUMNS, ITEM_COLUMNS
from deck.exchange.model import ExchangeError
from deck.fsrs import Rating
from deck.replay import New, Review
from tests.deck.exchange.exporting import AT, CARDS, PNG, exported
from tests.deck.exchange.foreign import imported, saved, source
from tests.deck.given import NOON, append_events, later, review, write_card


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Files.


def test_the_ending_says_the_format() -> None:
    ended = {"a.apkg": "apkg", "a.json": "json", "a.csv": "csv", "a.html": "html", "a.HTM": "html"}
    assert {name: format_of(Path(name)).name for name in ended} == ended
    assert format_of(Path("a.csv"), "journal").name == "journal"


def test_a_file_that_is_there_stays(deck: Collection, root: Path, tmp_path: Path) -> None:
    chosen, path = ExportSource(deck, AT), tmp_path / "a.json"
    path.write_text("mine")

    def stops(_done: int, _total: int) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):  # half way
        export(chosen, path, format_of(path), stops, force=True)
    for to, force, refusal in (
        (path, False, "--force"),
        (tmp_path, True, "is a folder"),
        (tmp_path / "no" / "a.csv", False, "there is no folder"),
        (root / "all.md", False, "taken for one"),
    ):
        with pytest.raises(ExchangeError, match=refusal):
            export(chosen, to, format_of(path), lambda *_: None, force)
    assert path.read_text() == "mine"
    exported(deck, tmp_path / "b.apkg")
    long = tmp_path / ("x" * 251 + ".json")  # no file can have so long a name
    with pytest.raises(ExchangeError, match="^" + re.escape(f"{long}: it cannot be written")):
        exported(deck, long)
    assert {each.name for each in tmp_path.iterdir() if each.is_file()} == {"a.json", "b.apkg"}


# Pictures.


def test_pictures_are_looked_for_beside_the_card_then_anywhere_and_never_outside(
    root: Path,
) -> None:
    card = root / "a" / "card.md"
    for place in ("a/one.png", "one.png", "b/c/two.png", ".hidden/three.png", "../secret.png"):
        saved(root, "", PNG, place)
    pictures = Pictures(root)
    assert pictures.find("one.png", card).path == root / "a" / "one.png"
    assert pictures.find("b/c/two.png", card).path == root / "b" / "c" / "two.png"
    assert pictures.find("TWO.png#right", card).path == root / "b" / "c" / "two.png"
    for target in (
        *("three.png", "../../secret.png", "/etc/passwd", "%2e%2e/%2e%2e/secret.png", "~/x.png"),
        *("file:///etc/passwd", "https://example.org/x.png", "//example.org/x.png", "", "a\0b"),
        "data:image/png;base64,AA",
    ):
        found = pictures.find(target, card)
        assert found.path is None, target
        assert found.why


def test_a_link_does_not_carry_a_private_file_away(root: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("private")
    (root / "plot.png").symlink_to(tmp_path / "key")
    write_card(root, "a", "![](plot.png)")
    for name in ("a.html", "a.json", "a.apkg"):
        report = exported(Collection.open(root, NOON), tmp_path / name)
        assert "leaves the collection" in report.lost[0].what
        assert b"private" not in (tmp_path / name).read_bytes()


def test_names_of_media_are_flat_safe_and_told_apart(root: Path) -> None:
    names = MediaNames()
    first, second = names.name(root / "a" / "x.png"), names.name(root / "b" / "X.png")
    assert first == "x.png"
    assert second != first
    assert second.endswith(".png")
    assert names.name(root / "b" / "X.png") == second
    assert media_name('a/b\\c:d"e.png') == "a_b_c_d_e.png"
    assert len(media_name("é" * 300 + ".png").encode()) <= 120
    assert media_name("...") == "picture"


# JSON holds all: what is read back is what was written.


def test_json_is_one_document_with_a_card_a_line(deck: Collection, tmp_path: Path) -> None:
    report = exported(deck, tmp_path / "all.json")
    text = (tmp_path / "all.json").read_text("utf-8")
    value = json.loads(text)
    assert (value["format"], value["version"]) == ("deltadeck", 1)
    cards = {card["key"]: card for card in value["cards"]}
    lines = text.splitlines()[1 : len(CARDS) + 1]
    assert list(cards) == [json.loads(line.rstrip(","))["key"] for line in lines]
    assert report.counts == {"cards": 5, "items": 8, "answers": 10, "media": 1}
    chain = cards["chain"]
    assert (chain["folder"], chain["media"]) == (["ML"], {"figs/plot.png": "plot.png"})
    assert chain["fields"]["exercise"] == {"layer": "relu"}
    assert chain["question"].startswith("(3p) For")
    assert chain["items"][0]["reviews"][0]["days"] == 5
    assert cards["gaps"]["items"][1]["reviews"][0]["wait"] == 600
    assert cards["gaps"]["items"][2]["practice"][0]["rating"] == 3


def test_json_brings_cards_and_schedules(deck: Collection, made: Path, other: Path) -> None:
    there, done = imported(made / "all.json", other)
    assert (set(there.cards), done.media, done.lost) == (set(deck.cards), 1, [])
    assert (other / "media" / "plot.png").read_bytes() == PNG
    kept = ("type", "solution", "options", "points", "tags", "exercise", "macros", "difficulty")
    for card_id, card in deck.cards.items():
        again = there.cards[card_id]
        assert [getattr(again, key) for key in kept] == [getattr(card, key) for key in kept]
        question = card.question.replace("![[figs/plot.png|a plot]]", "![a plot](media/plot.png)")
        assert again.question == question
    for item in deck.search("", AT):
        assert there.state(item) == deck.state(item), item
        assert there.is_suspended(item) == deck.is_suspended(item)
        practised, ours = (
            sum(isinstance(each.what, Practised) for each in one.events(item))
            for one in (there, deck)
        )
        assert practised == ours


def test_what_is_not_in_the_file_is_named(root: Path, tmp_path: Path) -> None:
    """A card that cannot be read; text outside of question and solution."""
    exported(Collection.open(root, NOON), tmp_path / "none.json")
    assert list(source(tmp_path / "none.json").cards()) == []
    path = write_card(root, "a")
    path.write_text(path.read_text().replace("# Question", "Some words.\n\n# Question"))
    (root / "bad.md").write_text("---\nid: [\n---\n# Question\nx\n")
    report = exported(Collection.open(root, NOON), tmp_path / "all.json")
    assert report.counts["cards"] == 1
    assert [lost.where for lost in report.lost] == ["a", "bad.md"]


# Tables: CSV that `csv` reads back, and the journal row by row.


def test_a_card_is_a_row(deck: Collection, made: Path) -> None:
    found = {row["id"]: row for row in rows(made / "all.csv")}
    assert list(found["chain"]) == list(CARD_COLUMNS)
    assert list(found) == list(deck.cards)
    for row in found.values():
        card = deck.cards[row["id"]]
        assert (row["question"], row["solution"]) == (card.question, card.solution)
        assert row["items"].split() == [item.id for item in card.items]
    assert found["choice"]["options"] == "A) $x < y$\nB) <b>two</b>"
    assert found["chain"]["points"] == "3"


def test_an_item_is_a_row_with_its_schedule(deck: Collection, tmp_path: Path) -> None:
    exported(deck, tmp_path / "items.csv", name="items")
    found = {row["item"]: row for row in rows(tmp_path / "items.csv")}
    assert list(found["chain"]) == list(ITEM_COLUMNS)
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
    assert (found["chain"]["state"], found["gaps/c2"]["state"]) == ("review", "learning")
    assert found["count"]["state"] == "new"
    exported(deck, tmp_path / "items.csv", ("gaps/c2", "pair"), "items")
    assert [row["item"] for row in rows(tmp_path / "items.csv")] == ["gaps/c2", "pair"]


def test_every_event_is_a_row_of_the_journal(deck: Collection, root: Path, tmp_path: Path) -> None:
    deck.record("pair", Buried(later(days=9).date()), AT)
    report = exported(deck, tmp_path / "journal.csv", name="journal")
    found = rows(tmp_path / "journal.csv")
    lines = [
        json.loads(line)
        for path in sorted((root / ".deltadeck" / "journal").rglob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    assert list(found[0]) == list(EVENT_COLUMNS)
    assert report.counts == {"events": len(lines)}
    told = [(row["id"], row["kind"]) for row in found]
    assert told == sorted((line["id"], line["kind"]) for line in lines)
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
    exported(deck, tmp_path / "journal.csv", ("pair/r",), "journal")
    assert {row["item"] for row in rows(tmp_path / "journal.csv")} == {"pair/r"}


def test_the_rows_are_in_the_order_of_the_fold(root: Path, tmp_path: Path) -> None:
    """A clock that was set back puts later events into earlier files; a merge may mix one, and
    hold copies."""
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
