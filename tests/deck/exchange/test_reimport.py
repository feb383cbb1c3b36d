"""Cards of our own exports that come back."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.decks import deck_path
from deck.exchange.export.anki_notes import plain
from deck.fsrs import Rating
from tests.deck.exchange.exporting import AT, exported
from tests.deck.exchange.foreign import CARD, imported, saved, take_in, taken, tree
from tests.deck.exchange.packages import altered
from tests.deck.given import configure, write_card


@pytest.fixture
def table(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made / "all.csv", tmp_path))


@pytest.fixture
def package(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made / "all.apkg", tmp_path))


def rewritten(path: Path, **cells: dict[str, str]) -> None:
    """A table with other cells: by the card's id, then by the column."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(row | cells.get(row["id"], {}) for row in rows)


def with_header(path: Path, line: str) -> Path:
    """A card's file with one more line in its frontmatter."""
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\n{line}\n", 1), "utf-8")
    return path


@pytest.mark.parametrize("name", ["all.csv", "all.json", "all.apkg", "anew.json"])
@pytest.mark.usefixtures("deck")
def test_taken_again_nothing_changes(made: Path, root: Path, tmp_path: Path, name: str) -> None:
    path = made / name
    if name == "anew.json":  # laid out by another program
        whole = json.loads((made / "all.json").read_text("utf-8"))
        path = saved(tmp_path, "json", json.dumps(whole, indent=1))
    before = tree(root)
    done = take_in(root, path)
    assert (done.new, done.changed, done.kept, done.unchanged) == (0, 0, 0, 5)
    assert (done.reviews, done.suspended, done.media, done.lost) == (0, 0, 0, [])
    assert tree(root) == before


@pytest.mark.usefixtures("deck")
def test_only_edited_cells_are_taken(root: Path, table: Path) -> None:
    texts = {name: (root / name).read_text("utf-8") for name in ("ML/chain.md", "count.md")}
    chain = {"question": "For $y$?", "tags": "cnn new", "difficulty": "4"}
    rewritten(table, chain=chain, count={"solution": "Then.", "correct": "0.04"})
    done = take_in(root, table)
    assert (done.listed, done.lost) == ({"changed": ["chain", "count"]}, [])
    text = texts["ML/chain.md"].replace("difficulty: 2", "difficulty: 4")
    text = text.replace("tags: [cnn, 'two words']", "tags: [cnn, new]")
    old = "For $x \\in \\R$ give $\\n{x} < 1$ of ![[figs/plot.png|a plot]]."
    assert (root / "ML/chain.md").read_text("utf-8") == text.replace(old, "For $y$?")
    text = texts["count.md"].replace("So.", "Then.").replace("0.03", "0.04")
    assert (root / "count.md").read_text("utf-8") == text
    assert take_in(root, table).changed == 0


@pytest.mark.usefixtures("deck")
def test_edited_here_stays(root: Path, tmp_path: Path, table: Path) -> None:
    rewritten(table, pair={"solution": "theirs"}, count={"question": "a\n\n# Solution\nb"})
    file = root / "pair.md"
    file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
    done = take_in(root, table)
    assert "Mine." in file.read_text("utf-8")
    assert sorted(done.listed["kept"]) == ["count", "pair"]
    assert [lost.where for lost in done.lost] == ["count"]
    before = file.read_text("utf-8")
    theirs = saved(tmp_path, "table", "id,front,back\npair,other,text\n")
    assert take_in(root, theirs).listed == {"kept": ["pair"]}, "another program's, of this id"
    assert file.read_text("utf-8") == before


def test_answers_keep_their_ids(deck: Collection, root: Path, tmp_path: Path, other: Path) -> None:
    exported(deck, tmp_path / "all.json")
    there, _ = imported(tmp_path / "all.json", other)
    for item in ("chain", "count", "gaps/c2", "gaps/c3"):
        assert [e.id for e in there.events(item)] == [e.id for e in deck.events(item)]
    assert take_in(other, tmp_path / "all.json").unchanged == 5
    deck.rate("pair", Rating.GOOD, AT, 900)
    exported(deck, tmp_path / "all.json")
    assert take_in(other, tmp_path / "all.json").reviews == 1
    exported(there, tmp_path / "back.json")
    before = tree(root)
    done = take_in(root, tmp_path / "back.json")
    assert (done.reviews, done.new, done.suspended) == (0, 0, 0)
    assert {k: v for k, v in tree(root).items() if "imports" not in k} == before


def test_our_cards_are_found_by_their_ids_elsewhere(table: Path, other: Path) -> None:
    assert take_in(other, table).new == 5
    assert "source:" not in (other / "pair.md").read_text("utf-8")
    rewritten(table, pair={"solution": "edited"})
    assert take_in(other, table).listed == {"changed": ["pair"]}
    assert "edited" in (other / "pair.md").read_text("utf-8")


# Notes that were edited in Anki.


def edited(path: Path, guid: str, old: str, new: str) -> Path:
    """Our package, as if `old` had been made `new` in a note's fields in Anki."""
    quoted = [text.replace("'", "''") for text in (old, new)]
    sql = "UPDATE notes SET mod = mod + 99, flds = replace(flds, '{}', '{}')".format(*quoted)
    return altered(path, f"{sql} WHERE guid = 'deltadeck:{guid}';")


@pytest.mark.parametrize(
    ("file", "there", "here"),
    [
        ("pair.md", ("<p>there", "<p>over <b>there</b>"), ("there", "over **there**")),
        ("pair.md", ("<p>back</p>", "<div>a</div><div>b</div>"), ("back", "a\\\nb")),
        ("ML/chain.md", ("give", "find"), ("give", "find")),
        ("ML/chain.md", ("For", "For all"), ("For", "For all")),
        ("ML/chain.md", ("(3 p)", "(4 p)"), None),
        ("ML/chain.md", ("<u>", "<em>x</em><u>"), ("[[pair", "*x*[[pair")),
        ("ML/chain.md", ("<u>pair", "<u>pear"), None),
        ("ML/chain.md", ("For", '<span style="color: red">For</span>'), None),
        ("choice.md", ("two", "three"), ("two", "three")),
        ("choice.md", ("Because", "Since"), ("Because", "Since")),
        ("Words/gaps.md", ("stride", "step"), ("stride", "step")),
        ("Words/gaps.md", ("More.", "More. {{c1::x}}"), ("More.", "More. {{c1::x}}")),
        ("Words/gaps.md", ("More.", ""), ("More.", "")),
        ("count.md", ("So.", "So, <i>then</i>."), ("So.", "So, *then*.")),
        ("count.md", ("0.03", "0.04"), None),
    ],
)
@pytest.mark.usefixtures("deck")
def test_what_was_edited_in_anki_is_taken_or_named(
    root: Path, package: Path, file: str, there: tuple[str, str], here: tuple[str, str] | None
) -> None:
    card, before = Path(file).stem, (root / file).read_text("utf-8")
    done = take_in(root, edited(package, card, *there))
    if here is None:
        assert (done.listed, [lost.where for lost in done.lost]) == ({"kept": [card]}, [card])
        assert "field 'Front'" in done.lost[0].what or "field 'Back'" in done.lost[0].what
        assert (root / file).read_text("utf-8") == before
        return
    assert (done.listed, done.lost) == ({"changed": [card]}, [])
    head, _, body = before.partition("\n---\n")
    assert (root / file).read_text("utf-8") == f"{head}\n---\n{body.replace(*here)}"
    assert take_in(root, package).unchanged == 5


@pytest.mark.parametrize(
    ("here", "there", "after"),
    [
        ("[a b, c]", " a_b c d ", ["a b", "c", "d"]),
        ("[a b, c]", " C ", ["c"]),
        ("[a b, c]", "", []),
        ("[a b, c]", " A_B c ", None),
        ("[]", " d e ", ["d", "e"]),
    ],
)
def test_tags_edited_in_anki_are_written(
    root: Path, tmp_path: Path, here: str, there: str, after: list[str] | None
) -> None:
    path, file = tmp_path / "all.apkg", write_card(root, "tagged", tags=here)
    exported(Collection.open(root, AT), path)
    before = file.read_text("utf-8")
    done = take_in(root, altered(path, f"UPDATE notes SET mod = mod + 99, tags = '{there}'"))
    assert (done.listed, done.lost) == ({"changed": ["tagged"]} if after is not None else {}, [])
    if after is None:
        assert file.read_text("utf-8") == before
    else:
        assert list(Collection.open(root, AT).cards["tagged"].tags) == after
    assert take_in(root, path).unchanged == 1


def test_flags_are_tags(deck: Collection, root: Path, package: Path) -> None:
    altered(package, "UPDATE cards SET flags = 1")
    cards = {card.id: card.tags for card in deck.cards.values()}
    with_header(root / "pair.md", "tags: [mine]")
    done = take_in(root, package)
    assert done.listed["kept"] == ["pair"]
    assert "tags" in done.lost[0].what
    for card in Collection.open(root, AT).cards.values():
        flagged = ("mine",) if card.id == "pair" else (*cards[card.id], "flag::red")
        assert tuple(card.tags) == flagged


@pytest.mark.usefixtures("deck")
def test_each_field_is_taken_or_kept(root: Path, package: Path) -> None:
    file = root / "pair.md"
    file.write_text(file.read_text("utf-8").replace("back", "mine"), "utf-8")
    done = take_in(root, edited(package, "pair", "there", "theirs"))
    assert (done.listed, done.lost) == ({"changed": ["pair"]}, [])
    assert "theirs" in file.read_text("utf-8")
    done = take_in(root, edited(package, "pair", "back", "theirs"))
    assert (done.listed, len(done.lost)) == ({"kept": ["pair"]}, 1)
    assert "edited here as well" in done.lost[0].what
    assert "mine" in file.read_text("utf-8")


@pytest.mark.usefixtures("deck")
def test_what_an_older_version_exported_is_kept_and_named(root: Path, package: Path) -> None:
    altered(package, "UPDATE notes SET flds = substr(flds, 1, instr(flds, '<!--') - 1) || char(31)")
    done = take_in(root, package)
    assert done.changed == 0
    named = {lost.where for lost in done.lost if "an older version exported it" in lost.what}
    assert named == {"pair", "gaps", "chain", "choice", "count"}


_MARKED = (
    *("one two three", "a *b* **c** `d`", "- x\n- y\n- z", "$a<b$ and $$c$$", "> quote"),
    *("| h |\n|---|\n| c |", "[[pair]] & <tag>", "[site](https://x.y/?a=1&b=2)"),
    "```py\nif x:\n  y\n```",
)
_EDITS = (
    *(("</p>", " new</p>"), ("<p>", "<p><b>new</b> "), ("o", "0"), ("<li>", "<li>new"), ("a", "")),
    *(("</p>", "</p><div>new</div>"), ("<p>", "<p style='color:red'>"), ("<code", "<u>x</u><code")),
    *(("\n", "\n\n"), ("<strong>", "<b>"), ("</strong>", "</b>"), ("&lt;", "<x>"), ("  ", " ")),
)


@given(
    st.lists(st.sampled_from(_MARKED), min_size=1, max_size=4),
    st.lists(st.sampled_from(_EDITS), min_size=1, max_size=3),
)
def test_no_edit_in_anki_is_lost(question: list[str], edits: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, path = Path(folder, "cards"), Path(folder, "a.apkg")
        write_card(root, "one", "\n\n".join(question))
        exported(Collection.init(root), path)
        (old,) = _column(path, "flds")
        front, _, back = old.partition("<!--")
        for edit in edits:
            front = front.replace(*edit, 1)
        quoted = f"{front}<!--{back}".replace("'", "''")
        altered(path, f"UPDATE notes SET flds = '{quoted}'")
        done = take_in(root, path)
        theirs = plain(front)
        changed = theirs != plain(old.split("\x1f")[0])
        assert bool(done.changed or done.lost) == changed
        if done.changed:
            exported(Collection.open(root, AT), path)
            assert plain(_column(path, "flds")[0].split("\x1f")[0]) == theirs


def _column(path: Path, name: str) -> list[str]:
    """A column of a package's notes."""
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        database = archive.extract("collection.anki2", folder)
        with closing(sqlite3.connect(database)) as db:
            return [row[0] for row in db.execute(f"SELECT {name} FROM notes ORDER BY guid")]


# Where a card is from.


def test_sources_and_guids_stay(root: Path, tmp_path: Path, other: Path) -> None:
    said = ["page 12 of Bishop", "anki:a:1", "'json: mine'", "12", "'anki:a:1'"]
    for number, source in enumerate(said):
        with_header(write_card(root, f"c{number}"), f"source: {source}")
    deck = Collection.open(root, AT, "desk")
    exported(deck, tmp_path / "all.json")
    there, _ = imported(tmp_path / "all.json", other)
    for name, card in deck.cards.items():
        assert there.cards[name].extra == card.extra
    assert take_in(other, tmp_path / "all.json").unchanged == len(said)
    exported(deck, tmp_path / "all.apkg")
    guids = ["a:1", *(f"deltadeck:c{number}" for number in (0, 2, 3, 4))]
    assert _column(tmp_path / "all.apkg", "guid") == guids
    assert take_in(root, tmp_path / "all.apkg").new == 0


def test_a_column_named_source_is_the_learners(root: Path, tmp_path: Path) -> None:
    text = "id,question,answer,source\n,a,b,page 1\n7,c,d,page 2\nx,e,f,page 3\n"
    deck, first = imported(saved(tmp_path, "table", text), root)
    assert first.new == 3
    said = sorted(str(card.extra["source"]) for card in deck.cards.values())
    assert said == ["page 1", "page 2", "page 3"]
    again = take_in(root, saved(tmp_path, "table", text.replace("page", "leaf")))
    assert (again.new, again.changed) == (0, 3)


def test_a_card_from_anki_is_ankis_also_after_json(root: Path, tmp_path: Path, other: Path) -> None:
    taken(root, CARD)
    exported(Collection.open(root, AT, "desk"), tmp_path / "all.json")
    take_in(other, tmp_path / "all.json")
    assert taken(other, CARD).unchanged == 1
    assert taken(other, replace(CARD, solution="Newer.")).changed == 1


def test_the_least_advanced_item_decides(made: Path, other: Path) -> None:
    other.mkdir()
    configure(other, "write_status = true\n")
    assert imported(made / "all.json", other)[0].cards["gaps"].status == "to_learn"


@pytest.mark.parametrize(
    "course",
    ["Odd / name: a?", "CON", "nul", "Lpt1", "x" * 300, "ž" * 70, "two  gaps", "\u1112\u1161"],
    ids=range(8),
)
def test_an_odd_course_is_its_folder(root: Path, tmp_path: Path, other: Path, course: str) -> None:
    taken(root, replace(CARD, folder=(course, "b: c"), fields={"course": course}))
    deck = Collection.open(root, AT, "desk")
    card = deck.cards["why"]
    assert deck_path(card, root) == (card.course, "b_ c")
    exported(deck, tmp_path / "a.apkg")
    (found,) = imported(tmp_path / "a.apkg", other)[0].cards.values()
    assert card.path is not None
    assert found.path is not None
    assert found.path.relative_to(other) == card.path.relative_to(root)
