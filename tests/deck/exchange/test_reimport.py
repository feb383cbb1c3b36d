"""Cards of our own exports that come back."""

from __future__ import annotations

import csv
import json
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
from deck.exchange.plan import Plan, Summary, take
from deck.exchange.readers import reader_of
from deck.fsrs import Rating
from tests.deck.exchange.exporting import AT, exported, make
from tests.deck.exchange.foreign import CARD, taken, tree
from tests.deck.exchange.packages import altered
from tests.deck.exchange.taking import imported
from tests.deck.given import configure, write_card


def again(path: Path, root: Path) -> Summary:
    """An import into the collection that was exported."""
    deck = Collection.open(root, AT, "desk")
    return take(Plan(reader_of(path).load().read(path), deck, AT))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another collection."""
    folder = tmp_path / "other"
    folder.mkdir()
    return folder


def rewritten(path: Path, **cells: dict[str, str]) -> None:
    """A table with other cells: by the card's id, then by the column."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(row | cells.get(row["id"], {}) for row in rows)


@pytest.mark.parametrize("name", ["all.csv", "all.json", "all.apkg", "anew.json"])
def test_an_export_taken_again_changes_nothing(root: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    exported(make(root), path)
    if name == "anew.json":  # laid out by another program
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=1), "utf-8")
    before = tree(root)
    done = again(path, root)
    assert (done.new, done.changed, done.kept, done.unchanged) == (0, 0, 0, 5)
    assert (done.reviews, done.suspended, done.media, done.lost) == (0, 0, 0, [])
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


def test_what_was_edited_here_since_the_export_stays_and_what_does_not_fit_is_named(
    root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "all.csv"
    exported(make(root), path)
    rewritten(path, pair={"solution": "theirs"}, count={"question": "a\n\n# Solution\nb"})
    file = root / "pair.md"
    file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
    done = again(path, root)
    assert "Mine." in file.read_text("utf-8")
    assert sorted(done.listed["kept"]) == ["count", "pair"]
    assert [lost.where for lost in done.lost] == ["count"]


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


def test_answers_keep_their_identity_in_another_collection(
    root: Path, tmp_path: Path, other: Path
) -> None:
    deck = make(root)
    exported(deck, tmp_path / "all.json")
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
    root: Path, tmp_path: Path, other: Path
) -> None:
    exported(make(root), tmp_path / "all.csv")
    assert imported(tmp_path / "all.csv", other)[1].new == 5
    assert "source:" not in (other / "pair.md").read_text("utf-8")
    rewritten(tmp_path / "all.csv", pair={"solution": "edited"})
    assert imported(tmp_path / "all.csv", other)[1].listed == {"changed": ["pair"]}
    assert "edited" in (other / "pair.md").read_text("utf-8")


# Notes that were edited in Anki.


def edited(path: Path, guid: str, old: str, new: str) -> Path:
    """Our package, as if `old` had been made `new` in a note's fields in Anki."""
    sign = "''"
    quoted = [text.replace("'", sign) for text in (old, new)]
    sql = "UPDATE notes SET mod = mod + 99, flds = replace(flds, '{}', '{}')".format(*quoted)
    return altered(path, f"{sql} WHERE guid = 'deltadeck:{guid}';")


@pytest.mark.parametrize(
    ("card", "file", "there", "here"),
    [
        ("pair", "pair.md", ("<p>there", "<p>over <b>there</b>"), ("there", "over **there**")),
        ("pair", "pair.md", ("<p>back</p>", "<div>a</div><div>b</div>"), ("back", "a\\\nb")),
        ("chain", "ML/chain.md", ("give", "find"), ("give", "find")),
        ("chain", "ML/chain.md", ("For", "For all"), ("For", "For all")),
        ("chain", "ML/chain.md", ("(3 p)", "(4 p)"), None),
        ("chain", "ML/chain.md", ("<u>", "<em>x</em><u>"), ("[[pair", "*x*[[pair")),
        ("chain", "ML/chain.md", ("<u>pair", "<u>pear"), None),
        ("chain", "ML/chain.md", ("For", '<span style="color: red">For</span>'), None),
        ("choice", "choice.md", ("two", "three"), ("two", "three")),
        ("choice", "choice.md", ("Because", "Since"), ("Because", "Since")),
        ("gaps", "Words/gaps.md", ("stride", "step"), ("stride", "step")),
        ("gaps", "Words/gaps.md", ("More.", "More. {{c1::x}}"), ("More.", "More. {{c1::x}}")),
        ("gaps", "Words/gaps.md", ("More.", ""), ("More.", "")),
        ("count", "count.md", ("So.", "So, <i>then</i>."), ("So.", "So, *then*.")),
        ("count", "count.md", ("0.03", "0.04"), None),
    ],
)  # fmt: skip
def test_what_was_edited_in_anki_is_written_into_the_card_or_named(
    root: Path, tmp_path: Path, card: str, file: str, there: tuple[str, str],
    here: tuple[str, str] | None,
) -> None:  # fmt: skip
    path = tmp_path / "all.apkg"
    exported(make(root), path)
    before = (root / file).read_text("utf-8")
    done = again(edited(path, card, *there), root)
    if here is None:
        assert (done.listed, [lost.where for lost in done.lost]) == ({"kept": [card]}, [card])
        assert "field 'Front'" in done.lost[0].what or "field 'Back'" in done.lost[0].what
        assert (root / file).read_text("utf-8") == before
        return
    assert (done.listed, done.lost) == ({"changed": [card]}, [])
    head, _, body = before.partition("\n---\n")
    assert (root / file).read_text("utf-8") == f"{head}\n---\n{body.replace(*here)}"
    assert again(path, root).unchanged == 5


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
def test_tags_that_were_edited_in_anki_are_written_into_the_card(
    root: Path, tmp_path: Path, here: str, there: str, after: list[str] | None
) -> None:
    path, file = tmp_path / "all.apkg", root / "tagged.md"
    make(root)
    file.write_text(
        f"---\nid: tagged\ntype: basic\ntags: {here}\n---\n\n# Question\nq\n\n# Solution\ns\n",
        "utf-8",
    )
    exported(Collection.open(root, AT), path)
    before = file.read_text("utf-8")
    sql = f"UPDATE notes SET mod = mod + 99, tags = '{there}' WHERE guid = 'deltadeck:tagged'"
    altered(path, sql)
    done = again(path, root)
    assert (done.listed, done.lost) == ({"changed": ["tagged"]} if after is not None else {}, [])
    if after is None:
        assert file.read_text("utf-8") == before
    else:
        deck = Collection.open(root, AT)
        assert list(deck.cards["tagged"].tags) == after
    assert again(path, root).unchanged == 6


def test_a_flag_that_was_set_in_anki_is_a_tag_and_tags_edited_on_both_sides_are_named(
    root: Path, tmp_path: Path
) -> None:
    path, file = tmp_path / "all.apkg", root / "pair.md"
    exported(make(root), path)
    altered(path, "UPDATE cards SET flags = 1")
    deck = Collection.open(root, AT)
    cards = {card.id: card.tags for card in deck.cards.values()}
    text = file.read_text("utf-8")
    file.write_text(text.replace("---\n", "---\ntags: [mine]\n", 1), "utf-8")
    done = again(path, root)
    assert done.listed["kept"] == ["pair"]
    assert "tags" in done.lost[0].what
    deck = Collection.open(root, AT)
    for card in deck.cards.values():
        flagged = ("mine",) if card.id == "pair" else (*cards[card.id], "flag::red")
        assert tuple(card.tags) == flagged


def test_of_a_card_edited_on_both_sides_only_the_field_edited_there_alone_is_taken(
    root: Path, tmp_path: Path
) -> None:
    path, file = tmp_path / "all.apkg", root / "pair.md"
    exported(make(root), path)
    file.write_text(file.read_text("utf-8").replace("back", "mine"), "utf-8")
    done = again(edited(path, "pair", "there", "theirs"), root)
    assert (done.listed, done.lost) == ({"changed": ["pair"]}, [])
    assert "theirs" in file.read_text("utf-8")
    done = again(edited(path, "pair", "back", "theirs"), root)
    assert (done.listed, len(done.lost)) == ({"kept": ["pair"]}, 1)
    assert "edited here as well" in done.lost[0].what
    assert "mine" in file.read_text("utf-8")


def test_what_an_older_version_exported_is_kept_and_named(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.apkg"
    exported(make(root), path)
    altered(path, "UPDATE notes SET flds = substr(flds, 1, instr(flds, '<!--') - 1) || char(31)")
    done = again(path, root)
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
def test_no_edit_in_anki_is_lost_without_a_word_and_none_is_mapped_to_something_else(
    question: list[str], edits: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, path = Path(folder, "cards"), Path(folder, "a.apkg")
        write_card(root, "one", "\n\n".join(question))
        exported(Collection.init(root), path)
        old = _flds(path)
        front, _, back = old.partition("<!--")
        for edit in edits:
            front = front.replace(*edit, 1)
        quoted = f"{front}<!--{back}".replace("'", "''")
        altered(path, f"UPDATE notes SET flds = '{quoted}'")
        done = again(path, root)
        theirs = plain(_flds(path).split("\x1f")[0])
        changed = theirs != plain(old.split("\x1f")[0])
        assert bool(done.changed or done.lost) == changed
        if done.changed:
            exported(Collection.open(root, AT), path)
            assert plain(_flds(path).split("\x1f")[0]) == theirs


def _flds(path: Path) -> str:
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        database = archive.extract("collection.anki2", folder)
        with closing(sqlite3.connect(database)) as db:
            return str(db.execute("SELECT flds FROM notes").fetchone()[0])


# Where a card is from.


@pytest.mark.parametrize("source", ["page 12 of Bishop", "anki:abc:1", "'json: mine'", "12"])
def test_the_source_that_a_card_names_stays(
    root: Path, tmp_path: Path, other: Path, source: str
) -> None:
    path = write_card(root, "one")
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\nsource: {source}\n", 1))
    deck = Collection.open(root, AT, "desk")
    exported(deck, tmp_path / "all.json")
    there, _ = imported(tmp_path / "all.json", other)
    assert there.cards["one"].extra == deck.cards["one"].extra
    assert imported(tmp_path / "all.json", other)[1].unchanged == 1


def test_a_column_named_source_is_the_learners(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("id,question,answer,source\n,a,b,page 1\n7,c,d,page 2\nx,e,f,page 3\n")
    deck, first = imported(path, root)
    assert first.new == 3
    said = sorted(str(card.extra["source"]) for card in deck.cards.values())
    assert said == ["page 1", "page 2", "page 3"]
    path.write_text(path.read_text().replace("page", "leaf"))
    deck, again = imported(path, root)
    assert (again.listed.get("new", []), again.changed) == ([], 3)


def test_a_card_from_anki_is_ankis_also_after_json(root: Path, tmp_path: Path, other: Path) -> None:
    taken(root, CARD)
    exported(Collection.open(root, AT, "desk"), tmp_path / "all.json")
    imported(tmp_path / "all.json", other)
    assert taken(other, CARD).unchanged == 1
    assert taken(other, replace(CARD, solution="Newer.")).changed == 1


def test_the_least_advanced_item_decides_also_where_the_file_does_not_name_it(
    root: Path, tmp_path: Path, other: Path
) -> None:
    deck = make(root)
    configure(root, "write_status = true\n")
    exported(deck, tmp_path / "all.json")
    assert imported(tmp_path / "all.json", other)[0].cards["gaps"].status == "to_learn"


@pytest.mark.parametrize(
    "course",
    ["Odd / name: a?", "CON", "nul", "Lpt1", "x" * 300, "ž" * 70, "two  gaps", "\u1112\u1161"],
)
def test_a_course_whose_name_no_folder_can_have_is_its_folder(
    root: Path, tmp_path: Path, other: Path, course: str
) -> None:
    taken(root, replace(CARD, folder=(course, "b: c"), fields={"course": course}))
    collection = Collection.open(root, AT, "desk")
    card = collection.cards["why"]
    assert deck_path(card, root) == (card.course, "b_ c")
    exported(collection, tmp_path / "a.apkg")
    (found,) = imported(tmp_path / "a.apkg", other)[0].cards.values()
    assert card.path is not None
    assert found.path is not None
    assert found.path.relative_to(other) == card.path.relative_to(root)
