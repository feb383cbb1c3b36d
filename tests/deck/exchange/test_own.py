"""Our own exports that come back: nothing is doubled, and what was edited in them is taken."""

from __future__ import annotations

import csv
import json
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deck import Collection, Rating
from deck.decks import deck_path
from deck.exchange.bundle import ExchangeError
from deck.exchange.plan import plan
from deck.exchange.readers import reader_of
from deck.exchange.summary import Summary
from deck.exchange.take import take
from tests.deck.exchange.exporting import AT, exported, make
from tests.deck.exchange.foreign import CARD, taken, tree
from tests.deck.exchange.taking import imported
from tests.deck.given import configure, write_card


def again(path: Path, root: Path) -> Summary:
    """An import into the collection that was exported."""
    deck = Collection.open(root, AT, "desk")
    return take(plan(reader_of(path).load().read(path), deck, AT))


def rewritten(path: Path, **cells: dict[str, str]) -> None:
    """A table with other cells: by the card's id, then by the column."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(row | cells.get(row["id"], {}) for row in rows)


@pytest.mark.parametrize("name", ["all.csv", "all.json", "all.apkg"])
def test_an_export_taken_again_changes_nothing(root: Path, tmp_path: Path, name: str) -> None:
    exported(make(root), tmp_path / name)
    before = tree(root)
    done = again(tmp_path / name, root)
    assert (done.new, done.changed, done.kept, done.unchanged) == (0, 0, 0, 5)
    assert (done.reviews, done.suspended, done.media, done.lost) == (0, 0, 0, [])
    assert tree(root) == before


def test_a_json_export_laid_out_anew_is_our_own(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    exported(make(root), path)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=1), "utf-8")
    before = tree(root)
    assert again(path, root).unchanged == 5
    assert tree(root) == before


def test_cells_that_were_edited_are_taken_and_the_rest_of_the_file_stays(
    root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "all.csv"
    exported(make(root), path)
    texts = {name: (root / name).read_text("utf-8") for name in ("ML/chain.md", "count.md")}
    chain = {"question": "For $y$?", "tags": "cnn new", "difficulty": "4"}
    rewritten(path, chain=chain, count={"solution": "Then.", "correct": "0.04"})
    done = again(path, root)
    assert (done.listed, done.lost) == ({"changed": ["chain", "count"]}, [])
    text = texts["ML/chain.md"].replace("difficulty: 2", "difficulty: 4")
    text = text.replace("tags: [cnn, 'two words']", "tags: [cnn, new]")
    old = "For $x \\in \\R$ give $\\n{x} < 1$ of ![[figs/plot.png|a plot]]."
    assert (root / "ML/chain.md").read_text("utf-8") == text.replace(old, "For $y$?")
    text = texts["count.md"].replace("So.", "Then.").replace("0.03", "0.04")
    assert (root / "count.md").read_text("utf-8") == text
    assert again(path, root).changed == 0


def test_what_was_edited_here_since_the_export_stays(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    exported(make(root), path)
    rewritten(path, pair={"solution": "theirs"}, choice={"solution": ""})
    for name in ("pair.md", "count.md"):
        file = root / name
        file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
    done = again(path, root)
    assert "Mine." in (root / "pair.md").read_text("utf-8")
    assert set(done.listed["kept"]) >= {"pair"}


def test_a_change_that_a_file_cannot_take_is_named(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    exported(make(root), path)
    rewritten(path, pair={"question": "a\n\n# Solution\nb"})
    done = again(path, root)
    assert (done.listed, [lost.where for lost in done.lost]) == ({"kept": ["pair"]}, ["pair"])


def test_a_note_of_ankis_keeps_its_guid(root: Path, tmp_path: Path) -> None:
    guids = {"one": "anki:a:1", "two": "'anki:a:1'", "three": "page 12", "four": "json:x"}
    for name, source in guids.items():
        path = write_card(root, name)
        path.write_text(path.read_text("utf-8").replace("---\n", f"---\nsource: {source}\n", 1))
    exported(Collection.open(root, AT, "desk"), tmp_path / "all.apkg")
    with zipfile.ZipFile(tmp_path / "all.apkg") as archive:
        archive.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as db:
        found = {row[0] for row in db.execute("SELECT guid FROM notes")}
    assert found == {"a:1", "deltadeck:four", "deltadeck:three", "deltadeck:two"}
    assert again(tmp_path / "all.apkg", root).new == 0


def test_another_programs_table_does_not_overwrite_a_card_of_its_id(
    root: Path, tmp_path: Path
) -> None:
    make(root)
    path = tmp_path / "words.csv"
    path.write_text("id,front,back\npair,other,text\n", "utf-8")
    before = (root / "pair.md").read_text("utf-8")
    assert again(path, root).listed == {"kept": ["pair"]}
    assert (root / "pair.md").read_text("utf-8") == before


def test_answers_keep_their_identity_in_another_collection(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "all.json")
    other = tmp_path / "other"
    other.mkdir()
    there, _ = imported(tmp_path / "all.json", other)
    for item in ("chain", "count", "gaps/c2", "gaps/c3"):
        assert [e.id for e in there.events(item)] == [e.id for e in deck.events(item)]
    assert imported(tmp_path / "all.json", other)[1].unchanged == 5
    deck.rate("pair", Rating.GOOD, AT, 900)
    exported(deck, tmp_path / "all.json")
    assert imported(tmp_path / "all.json", other)[1].reviews == 1
    exported(there, tmp_path / "back.json")
    before = tree(root)
    done = again(tmp_path / "back.json", root)
    assert (done.reviews, done.new, done.suspended) == (0, 0, 0)
    assert {k: v for k, v in tree(root).items() if "imports" not in k} == before


def test_an_export_in_an_empty_collection_is_found_again_by_its_ids(
    root: Path, tmp_path: Path
) -> None:
    exported(make(root), tmp_path / "all.csv")
    other = tmp_path / "other"
    other.mkdir()
    assert imported(tmp_path / "all.csv", other)[1].new == 5
    assert "source:" not in (other / "pair.md").read_text("utf-8")
    rewritten(tmp_path / "all.csv", pair={"solution": "edited"})
    assert imported(tmp_path / "all.csv", other)[1].listed == {"changed": ["pair"]}
    assert "edited" in (other / "pair.md").read_text("utf-8")


# Where a card is from.


@pytest.mark.parametrize("source", ["page 12 of Bishop", "anki:abc:1", "'json: mine'", "12"])
def test_the_source_that_a_card_names_stays(root: Path, tmp_path: Path, source: str) -> None:
    path = write_card(root, "one")
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\nsource: {source}\n", 1))
    deck = Collection.open(root, AT, "desk")
    exported(deck, tmp_path / "all.json")
    other = tmp_path / "other"
    other.mkdir()
    there, _ = imported(tmp_path / "all.json", other)
    assert there.cards["one"].extra == deck.cards["one"].extra
    assert imported(tmp_path / "all.json", other)[1].unchanged == 1


def test_a_column_named_source_is_the_learners(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("id,question,answer,source\n,a,b,page 1\n7,c,d,page 2\nx,e,f,page 3\n")
    deck, first = imported(path, root)
    assert first.new == 3
    assert sorted(str(card.extra["source"]) for card in deck.cards.values()) == [
        *("page 1", "page 2", "page 3"),
    ]
    path.write_text(path.read_text().replace("page", "leaf"))
    deck, again = imported(path, root)
    assert again.listed.get("new", []) == []
    assert again.changed == 3


def test_a_card_from_anki_is_ankis_also_after_json(root: Path, tmp_path: Path) -> None:
    taken(root, CARD)
    exported(Collection.open(root, AT, "desk"), tmp_path / "all.json")
    other = tmp_path / "other"
    other.mkdir()
    imported(tmp_path / "all.json", other)
    assert taken(other, CARD).unchanged == 1
    assert taken(other, replace(CARD, solution="Newer.")).changed == 1


def test_the_least_advanced_item_decides_also_where_the_file_does_not_name_it(
    root: Path, tmp_path: Path
) -> None:
    deck = make(root)
    configure(root, "write_status = true\n")
    exported(deck, tmp_path / "all.json")
    other = tmp_path / "other"
    other.mkdir()
    there, _ = imported(tmp_path / "all.json", other)
    assert there.cards["gaps"].status == "to_learn"


def test_a_later_version_is_refused_however_it_is_laid_out(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text('{"format":"deltadeck","version":99,"cards":[{"question":"a"}]}', "utf-8")
    with pytest.raises(ExchangeError, match=r"later version of deltadeck wrote it\. Update"):
        again(path, root)


@pytest.mark.parametrize(
    "course",
    ["Odd / name: a?", "CON", "nul", "Lpt1", "x" * 300, "ž" * 70, "two  gaps", "\u1112\u1161"],
)
def test_a_course_whose_name_no_folder_can_have_is_its_folder(
    root: Path, tmp_path: Path, course: str
) -> None:
    deck = (course, "b: c")
    taken(root, replace(CARD, folder=deck, fields={"course": course}))
    collection = Collection.open(root, AT, "desk")
    card = collection.cards["why"]
    assert deck_path(card, root) == (card.course, "b_ c")
    exported(collection, tmp_path / "a.apkg")
    other = tmp_path / "other"
    other.mkdir()
    there, _ = imported(tmp_path / "a.apkg", other)
    (path,) = [each.path for each in there.cards.values()]
    assert card.path is not None
    assert path is not None
    assert path.relative_to(other) == card.path.relative_to(root)
