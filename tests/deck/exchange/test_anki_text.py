"""Anki's text exports ("Notes in Plain Text") beside its packages, and both of our own notes."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.fsrs import Rating
from tests.deck.exchange.exporting import PNG
from tests.deck.exchange.foreign import take_in, tree
from tests.deck.exchange.packages import (
    CLOZE,
    NOW,
    OPTIONAL,
    REVERSED,
    TYPES,
    Given,
    Made,
    altered,
    package,
)

_HEAD = "#separator:tab\n#html:{html}\n#guid column:1\n#notetype column:2\n#deck column:3\n"
NOTES = (
    Made("basic", ("why <b>so</b>", "a<br>b &amp; \\(x_1\\)"), tags="t", answers={0: [Given(3)]}),
    Made("turned", ("there", "back"), REVERSED, cards={0: {"flags": 1}, 1: {}}),
    Made("optional", ("house", "Haus", "y"), OPTIONAL, cards={0: {}, 1: {}}),
    Made("gaps", ("The {{c1::one}} and {{c2::two::2}}", "More"), CLOZE, cards={0: {}, 1: {}}),
    Made("shown", ('<img src="p.png">', "picture"), cards={0: {"queue": -1}}),
)


def text(
    path: Path, notes: tuple[Made, ...], html: bool = True, names: Mapping[int, str] | None = None
) -> Path:
    """What Anki's "Notes in Plain Text" writes of these notes."""
    width = max(len(note.fields) for note in notes)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_HEAD.format(html=str(html).lower()) + f"#tags column:{width + 4}\n")
        writer = csv.writer(file, "excel-tab", quoting=csv.QUOTE_ALL, lineterminator="\n")
        for note in notes:
            kind = (names or {}).get(note.type, TYPES[note.type][0])
            cells = [*note.fields, *[""] * (width - len(note.fields))]
            writer.writerow([note.guid, kind, note.deck, *cells, note.tags])
    return path


@pytest.fixture
def known(root: Path, tmp_path: Path) -> Path:
    """A collection that has a package of NOTES."""
    take_in(root, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    return root


def files(root: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in root.rglob("*.md")}


def changed(guid: str, *fields: str) -> tuple[Made, ...]:
    return tuple(replace(n, fields=fields) if n.guid == guid else n for n in NOTES)


GERMAN = {number: f"Grundlagen {number}" for number in TYPES}


@pytest.mark.parametrize("names", [{}, GERMAN])
def test_the_same_text_changes_nothing(known: Path, tmp_path: Path, names: dict[int, str]) -> None:
    before = tree(known)
    done = take_in(known, text(tmp_path / "a.txt", NOTES, names=names))
    assert (done.new, done.changed, done.unchanged, done.lost) == (0, 0, len(NOTES), [])
    assert tree(known) == before


@pytest.mark.parametrize(
    ("guid", "fields", "says", "names"),
    [
        ("basic", ("why <b>now</b>", "a<br>b &amp; \\(x_1\\)"), "why **now**", {}),
        ("basic", ("why <b>so</b>", "<i>other</i>"), "*other*", GERMAN),
        ("basic", ("all", "new"), "new", {}),
        ("turned", ("there", "forth"), "forth", GERMAN),
        ("gaps", ("The {{c1::one}} and {{c2::six::2}}", "More"), "{{c2::six::2}}", GERMAN),
        ("shown", ('<img src="p.png">', "drawing"), "drawing", {}),
    ],
)
def test_what_changed_in_a_text_export_updates_the_card(
    known: Path,
    tmp_path: Path,
    guid: str,
    fields: tuple[str, ...],
    says: str,
    names: dict[int, str],
) -> None:
    def kept(deck: Collection) -> list[object]:
        cards = [(card.id, card.type, card.tags, card.course) for card in deck.cards.values()]
        items = [(i, deck.state(i), deck.is_suspended(i)) for i in deck.search("", NOW)]
        return [cards, items]

    before = kept(Collection.open(known, NOW))
    done = take_in(known, text(tmp_path / "a.txt", changed(guid, *fields), names=names))
    assert (done.new, done.changed, done.kept, done.lost) == (0, 1, 0, [])
    deck = Collection.open(known, NOW)
    assert any(says in card.question + card.solution for card in deck.cards.values())
    assert kept(deck) == before
    again = take_in(known, package(tmp_path / "b.apkg", changed(guid, *fields), {"p.png": PNG}))
    assert (again.new, again.changed, again.kept) == (0, 0, 0), "the package says the same"


def test_a_later_package_brings_the_answers(root: Path, tmp_path: Path) -> None:
    assert take_in(root, text(tmp_path / "a.txt", NOTES)).new == len(NOTES)
    path, other = package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}), tmp_path / "other"
    done = take_in(root, path)
    assert (done.new, done.kept, done.reviews) == (0, 0, 1)
    take_in(other, path)
    assert files(root) == files(other)


def test_what_plain_text_cannot_tell_is_named(known: Path, tmp_path: Path) -> None:
    before = files(known)
    plain = text(tmp_path / "a.txt", NOTES[:2], html=False)
    plain.write_text(plain.read_text().replace("back", "forth").replace("<br>", " "), "utf-8")
    done = take_in(known, plain)
    assert (done.new, done.changed, len(done.lost)) == (0, 0, 2)
    assert "as a package" in done.lost[0].what
    assert files(known) == before


def test_fields_shown_otherwise_are_counted(root: Path, tmp_path: Path) -> None:
    notes = [Made(f"n{n}", (f"why {n}", "so")) for n in range(3)]
    path = package(tmp_path / "a.apkg", notes)
    altered(path, "UPDATE col SET models = replace(models, '{{Back}}', '{{Back}} {{Front}}')")
    take_in(root, path)
    before = files(root)
    notes[1] = Made("n1", ("why 1 other", "so"))
    done = take_in(root, text(tmp_path / "a.txt", tuple(notes)))
    assert (done.new, done.changed, done.unchanged) == (0, 0, 3)
    assert [lost.where for lost in done.lost] == ["why_1", "a.txt"]
    assert "Of 2 notes" in done.lost[1].what
    assert files(root) == before


@pytest.mark.parametrize("hidden", ['<p style="display:none">{}</p>', "<details>{}</details>"])
def test_a_text_brings_what_a_field_hides(root: Path, tmp_path: Path, hidden: str) -> None:
    fields = "why " + hidden.format("unseen"), hidden.format("<b>secret</b>") + "so"
    take_in(root, text(tmp_path / "a.txt", (Made("a", fields),)))
    deck = Collection.open(root, NOW)
    (card,) = deck.cards.values()
    assert "unseen" in card.question
    assert card.solution.replace("\\", "").split() == ["**secret**", "so"]


def test_a_row_of_a_text_export_with_too_many_cells_is_named(root: Path, tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt", NOTES[1::-1])
    path.write_text(path.read_text("utf-8").replace("why ", 'why"\t"'), "utf-8")
    done = take_in(root, path)
    assert (done.new, [lost.where for lost in done.lost]) == (1, ["a.txt:8"])


def test_a_table_s_card_is_found_by_its_guid(root: Path, tmp_path: Path) -> None:
    card = "---\nid: old\ntype: basic\nsource: table:basic\n---\n\n# Question\nq\n"
    (root / "old.md").write_text(card, "utf-8")
    for path in (text(tmp_path / "a.txt", NOTES[:1]), package(tmp_path / "a.apkg", NOTES[:1])):
        assert take_in(root, path).new == 0


def test_a_note_type_renamed_between_two_packages_is_the_same(root: Path, tmp_path: Path) -> None:
    take_in(root, package(tmp_path / "a.apkg", NOTES[:2]))
    path = package(tmp_path / "b.apkg", changed("turned", "there", "forth")[:2])
    altered(path, "UPDATE col SET models = replace(replace(models, 'Basic', 'Grund'), 'Card', 'K')")
    done = take_in(root, path)
    assert (done.new, done.changed, done.unchanged) == (0, 1, 1)


_TEXT_WORDS = st.lists(
    st.sampled_from(["one", "<b>two</b>", "$3$", "&lt;", "x<br>", "*", "?"]), min_size=1, max_size=4
)


@given(st.lists(st.tuples(_TEXT_WORDS, _TEXT_WORDS), min_size=2, max_size=2))
@settings(max_examples=6)  # each is four imports
def test_a_note_is_the_same_by_either_way_or_named(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[list[str], list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("either")
    first, second = (Made("g", ("q " + " ".join(f), " ".join(b))) for f, b in drawn)
    texts, named = [], list[bool]()
    for name, path in (
        ("a", text(folder / "a.txt", (second,))),
        ("b", package(folder / "b.apkg", [second])),
    ):
        root = folder / name
        take_in(root, package(folder / "first.apkg", [first]))
        done = take_in(root, path)
        assert done.new == 0
        texts.append(files(root))
        named.append(bool(done.lost))
    assert texts[0] == texts[1] or named[0]


@pytest.mark.usefixtures("deck")
def test_our_notes_as_plain_text_are_the_same_or_named(root: Path, tmp_path: Path) -> None:
    own = (Made("deltadeck:pair", ("there", "back")), Made("deltadeck:count", ("HOW", "many")))
    done = take_in(root, text(tmp_path / "a.txt", own, html=False))
    assert (done.unchanged, done.listed) == (1, {"kept": ["count"]})
    assert [lost.where for lost in done.lost] == ["count"]
    assert "as a package" in done.lost[0].what


_EDIT = """
import json, sys
from anki.collection import (Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest)
from anki.collection import (ExportAnkiPackageOptions)
col = Collection("c.anki2")
options = ImportAnkiPackageOptions(merge_notetypes=True, with_scheduling=True)
col.import_anki_package(ImportAnkiPackageRequest(package_path="a.apkg", options=options))
for guid, at, old, new in json.loads(sys.argv[1]):
    note = col.get_note(col.db.scalar("SELECT id FROM notes WHERE guid = ?", guid))
    note.fields[at] = note.fields[at].replace(old, new)
    col.update_note(note)
col.export_note_csv(out_path="b.txt", limit=None, with_html=True, with_tags=True, with_deck=True,
                    with_notetype=True, with_guid=True)
options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True)
col.export_anki_package(out_path="b.apkg", options=options, limit=None)
col.close()
"""


@pytest.mark.skipif("ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki")
@pytest.mark.parametrize("name", ["b.txt", "b.apkg"])
def test_anki_s_edits_are_taken(
    deck: Collection, made: Path, root: Path, tmp_path: Path, name: str
) -> None:
    shutil.copy(made / "all.apkg", tmp_path / "a.apkg")
    edits = [
        ("deltadeck:pair", 1, "back", "back <b>again</b>"),
        ("deltadeck:chain", 0, "give", "find"),
        ("deltadeck:count", 1, "0.03", "0.04"),
    ]
    command = [os.environ["ANKI_PYTHON"], "-c", _EDIT, json.dumps(edits)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    done = take_in(root, tmp_path / name)
    assert done.listed == {"changed": ["chain", "pair"], "kept": ["count"]}
    assert [lost.where for lost in done.lost] == ["count"]
    deck.reload(NOW)
    assert deck.cards["pair"].solution == "back **again**"
    assert deck.cards["chain"].question.startswith("For $x \\in \\R$ find $\\n{x} < 1$ of ![[figs")
    deck.rate("pair", Rating.GOOD, NOW, 900)
    assert take_in(root, tmp_path / name).changed == 0
