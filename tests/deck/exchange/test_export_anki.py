"""Packages for Anki, with pictures and sounds."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.exchange.export.anki_notes import checksum, marked, mathjax, restored, sort_field
from deck.exchange.export.anki_package import deck_name
from deck.fsrs import Rating
from deck.replay import New, Review
from deck.study_day import study_day
from tests.deck.exchange.exporting import AT, PNG, ago, exported
from tests.deck.exchange.foreign import CARD, cases, imported, take_in, taken
from tests.deck.given import NOON, configure, write_card

_COLUMNS = {
    "notes": "id guid mid mod usn tags flds sfld csum flags data",
    "cards": (
        "id nid did ord mod usn type queue due ivl factor reps lapses left odue odid flags data"
    ),
    "revlog": "id cid usn ease ivl lastIvl factor time type",
    "col": "id crt mod scm ver dty usn ls conf models decks dconf tags",
    "graves": "usn oid type",
}


class Package:
    """What a package holds."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            self.media = {
                name: archive.read(number)
                for number, name in json.loads(archive.read("media")).items()
            }
            archive.extract("collection.anki2", path.parent)
        with closing(sqlite3.connect(path.parent / "collection.anki2")) as db:
            db.row_factory = sqlite3.Row
            assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            self.tables: dict[str, list[dict[str, Any]]] = {}
            for name, columns in _COLUMNS.items():
                found = db.execute(f"SELECT * FROM {name} ORDER BY 1")
                assert [each[0] for each in found.description] == columns.split()
                self.tables[name] = [dict(row) for row in found]
        self.col = self.tables["col"][0]
        self.notes = {row["guid"].removeprefix("deltadeck:"): row for row in self.tables["notes"]}
        cards = {row["id"]: card for card, row in self.notes.items()}
        self.cards = {(cards[row["nid"]], row["ord"]): row for row in self.tables["cards"]}
        """By the card's id here and their place in it."""

    def fields(self, card: str) -> list[str]:
        found: list[str] = self.notes[card]["flds"].split("\x1f")
        return found

    def days_until(self, due: int) -> int:
        """From the day of the export on."""
        return due - int((AT.timestamp() - self.col["crt"]) // 86400)


@pytest.fixture(scope="module")
def whole(made: Path) -> Package:
    """The package of `exporting.make`."""
    return Package(made / "all.apkg")


def test_the_tables_are_ankis(whole: Package) -> None:
    col, notes, cards = whole.col, whole.notes.values(), whole.cards.values()
    assert col["ver"] == 11
    models, decks, options = (json.loads(col[name]) for name in ("models", "decks", "dconf"))
    assert {str(note["mid"]) for note in notes} <= set(models)
    assert {card["nid"] for card in cards} == {note["id"] for note in notes}
    assert {str(card["did"]) for card in cards} <= set(decks)
    assert {entry["cid"] for entry in whole.tables["revlog"]} <= {card["id"] for card in cards}
    assert {str(deck["conf"]) for deck in decks.values()} <= set(options)
    for note in notes:
        fields = note["flds"].split("\x1f")
        assert len(fields) == len(models[str(note["mid"])]["flds"])
        assert (note["csum"], note["sfld"]) == (checksum(fields[0]), sort_field(fields[0]))
        assert note["tags"] == "" or note["tags"] == f" {note['tags'].strip()} "


def test_sort_field_and_checksum_are_by_ankis_rules() -> None:
    assert sort_field('<p>a &lt; b</p><img src="x y.png">') == "a < b x y.png"
    # Of "hello", as sha1sum says it.
    assert checksum("<b>hello</b>") == int("aaf4c61d", 16)


def test_every_item_has_its_schedule(deck: Collection, whole: Package) -> None:
    ords = {"": 0, "/r": 1, "/c1": 0, "/c2": 1, "/c3": 2}
    assert len(whole.cards) == len(deck.search("", AT))
    for item in deck.search("", AT):
        card, state = deck.card_of(item), deck.state(item)
        row = whole.cards[card.id, ords[item.removeprefix(card.id)]]
        assert (row["queue"] == -1) == deck.is_suspended(item)
        if isinstance(state, New):
            assert row["type"] == 0
            continue
        assert (row["reps"], row["lapses"]) == (state.repetitions, state.lapses)
        data = json.loads(row["data"])
        assert data["s"] == pytest.approx(state.memory.stability, abs=1e-4)
        assert data["d"] == pytest.approx(state.memory.difficulty, abs=1e-3)
        assert data["dr"] == 0.85
        if isinstance(state, Review):
            assert (row["type"], row["ivl"]) == (2, state.interval)
            assert whole.days_until(row["due"]) == (state.due_day - AT.date()).days
        else:
            assert (row["type"], row["queue"]) == (1, 1)
            assert row["due"] == int(state.due.timestamp())
            assert row["left"] % 1000 == 1


@pytest.mark.parametrize("hours", [0, 10, 15])
@pytest.mark.parametrize(("step", "days"), [("1d", 1), ("3d", 3), ("23h", 1), ("30m", 0)])
def test_a_long_step_is_due_on_its_day(
    root: Path, tmp_path: Path, step: str, days: int, hours: int
) -> None:
    write_card(root, "a")
    configure(root, f'learning_steps = ["{step}"]\n')
    deck = Collection.open(root, AT, "desk")
    deck.rate("a", Rating.AGAIN, ago(hours=hours), 0)
    exported(deck, tmp_path / "a.apkg")
    package = Package(tmp_path / "a.apkg")
    row = package.cards["a", 0]
    day = study_day(ago(hours=hours), deck.config.rollover) + timedelta(days=days)
    assert (row["type"], row["queue"]) == (1, 3 if days else 1)
    if days:
        assert package.days_until(row["due"]) == (day - AT.date()).days


def test_the_whole_past_is_in_the_log(whole: Package) -> None:
    log = whole.tables["revlog"]
    assert len({entry["id"] for entry in log}) == len(log)

    def of(card: str, place: int = 0) -> list[tuple[int, ...]]:
        mine = [entry for entry in log if entry["cid"] == whole.cards[card, place]["id"]]
        return [(e["type"], e["ease"], e["ivl"], e["lastIvl"], e["time"]) for e in mine]

    first, *rest = of("chain")
    assert first == (0, 3, 5, 0, 4000)
    assert [entry[:2] for entry in rest] == [(1, 3), (1, 4), (1, 1), (2, 3), (1, 2)]
    assert rest[0][3] == 5
    assert rest[2][2] == -600
    assert rest[3][3] == -600
    assert of("count") == [(0, 4, of("count")[0][2], 0, 1500), (4, 0, 0, of("count")[0][2], 0)]
    assert of("gaps", 2) == [(3, 3, 0, 0, 700)]
    assert of("gaps", 0) == []  # taken back
    assert min(e["id"] for e in log) == int(ago(days=25).timestamp() * 1000)


def test_texts_become_html_and_mathjax(whole: Package) -> None:
    front, back = whole.fields("chain")
    assert "\\(\\newcommand{\\R}{\\mathbb{R}}x \\in \\R\\)" in front
    assert '<img src="plot.png" alt="a plot">' in front
    assert "(3 p) For" in front
    assert "\\[\\delta_x = \\begin{cases} 1 &amp; x &gt; 0" in back
    assert whole.notes["chain"]["tags"] == " cnn two_words "
    front, back = whole.fields("choice")
    assert "<li>A) <p>\\(x &lt; y\\)</p></li>" in front
    assert "&lt;b&gt;two&lt;/b&gt;" in front
    assert "N/A" not in front
    text, extra = whole.fields("gaps")
    assert "{{c1::<strong>stride</strong>::hint}}" in text
    assert "\\({{c1::\\frac{1}{m} }}\\)" in text
    assert "{{c3::std::x}}" in text
    assert extra.startswith("<p>More.</p><!--deltadeck 1 ")
    assert "0.03 (± 5%)" in whole.fields("count")[1]
    assert whole.media == {"plot.png": PNG}


def test_sounds_are_played_decks_are_courses_and_a_lost_cloze_is_told(
    root: Path, tmp_path: Path
) -> None:
    for name in ("a.mp3", "b.pdf"):
        (root / name).write_bytes(b"x")
    write_card(root, "media", "![[a.mp3]] ![[b.pdf|the paper]]")
    write_card(root, "gap", "[x](https://example.org/{{c1::y}})", type="cloze")
    write_card(root / "a" / "b", "x", course="Net::works")
    report = exported(Collection.open(root, NOON), tmp_path / "a.apkg")
    package = Package(tmp_path / "a.apkg")
    assert "[sound:a.mp3]" in package.fields("media")[0]
    assert '<a href="b.pdf">the paper</a>' in package.fields("media")[0]
    names = {deck["name"] for deck in json.loads(package.col["decks"]).values()}
    assert names == {"Default", "Networks", "Net-works", "Net-works::a", "Net-works::a::b"}
    assert deck_name(['"q"', "", "::"]) == "'q'::deck::-"
    assert [lost.where for lost in report.lost] == ["gap"]
    assert "{{c1::y}}" in package.fields("gap")[0]


def test_a_second_export_has_the_same_names(deck: Collection, root: Path, tmp_path: Path) -> None:
    keys = []
    for name in ("a.apkg", "b.apkg"):
        exported(deck, tmp_path / name)
        write_card(root, "aaa_before_all_others")
        deck.reload(NOON)
        package = Package(tmp_path / name)
        guids = {card: (row["mid"], row["flds"]) for card, row in package.notes.items()}
        decks = {d["name"]: i for i, d in json.loads(package.col["decks"]).items()}
        keys.append((guids, decks))
    (first, first_decks), (second, second_decks) = keys
    assert first.items() <= second.items()
    assert first_decks.items() <= second_decks.items()


def test_macros_are_defined_where_they_are_used() -> None:
    macros = {"\\R": "\\mathbb{R}", "\\n": "\\lVert #1 \\rVert_\\R", "\\unused": "x"}
    assert mathjax("x \\in \\R", False, macros) == (
        "\\(\\newcommand{\\R}{\\mathbb{R}}x \\in \\R\\)"
    )
    assert mathjax("\\n{x}", True, macros) == (
        "\\[\\newcommand{\\R}{\\mathbb{R}}\\newcommand{\\n}[1]{\\lVert #1 \\rVert_\\R}\\n{x}\\]"
    )
    assert mathjax("a % why\n< b", False, {}) == "\\(a  &lt; b\\)"
    assert mathjax("\\a", False, {"\\a": "\\b", "\\b": "\\a"}).count("newcommand") == 2


@pytest.mark.parametrize(("text", "html"), cases("clozes"))
def test_braces_within_a_cloze_do_not_end_it(text: str, html: str) -> None:
    made = marked(text)
    assert made is not None
    assert restored(made.text, made) == html


@given(st.text(st.sampled_from(list("{}c1:: $\\()ab")), max_size=60))
def test_any_text_gets_its_clozes_back(text: str) -> None:
    made = marked(text)
    assert made is not None
    html = restored(made.text, made)
    assert html is not None
    assert html.replace("<!-- -->", "").count("}}") >= made.number


_CHECK = """
import json, sys, tempfile
from anki.collection import (Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest)
col = Collection(tempfile.mkdtemp() + "/collection.anki2")
logs = []
for path in sys.argv[1:]:
    options = ImportAnkiPackageOptions(merge_notetypes=True, with_scheduling=True)
    log = col.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options)).log
    logs.append([len(log.new), len(log.updated), len(log.duplicate), len(log.conflicting)])
cards = []
for number in col.find_cards(""):
    card, memory = col.get_card(number), col.get_card(number).memory_state
    output = card.render_output()
    cards.append({
        "guid": card.note().guid, "ord": card.ord, "type": card.type, "queue": card.queue,
        "deck": col.decks.name(card.did), "days": card.due - col.sched.today, "ivl": card.ivl,
        "s": memory and memory.stability, "d": memory and memory.difficulty,
        "question": output.question_text, "answer": output.answer_text})
print(json.dumps({
    "logs": logs, "cards": cards, "log": col.db.scalar("select count() from revlog"),
    "media": col.media.have("plot.png"), "problems": str(col.fix_integrity()[0])}))
col.close()
"""


@pytest.mark.skipif("ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki")
def test_anki_itself_takes_it(deck: Collection, root: Path, tmp_path: Path) -> None:
    exported(deck, tmp_path / "a.apkg")
    path = root / "pair.md"
    path.write_text(path.read_text().replace("back", "again"))
    os.utime(path, (AT.timestamp() + 10**8, AT.timestamp() + 10**8))
    deck.reload(AT)
    exported(deck, tmp_path / "b.apkg")
    command = [os.environ["ANKI_PYTHON"], "-c", _CHECK, "a.apkg", "b.apkg"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["logs"] == [[5, 0, 0, 0], [0, 1, 4, 0]]
    assert found["media"]
    assert found["log"] == 12
    cards = {
        (card["guid"].removeprefix("deltadeck:"), card["ord"]): card for card in found["cards"]
    }
    assert len(cards) == len(deck.search("", AT))
    chain, state = cards["chain", 0], deck.state("chain")
    assert isinstance(state, Review)
    assert (chain["deck"], chain["type"], chain["ivl"]) == ("ML", 2, state.interval)
    assert chain["s"] == pytest.approx(state.memory.stability, rel=1e-3)
    assert chain["d"] == pytest.approx(state.memory.difficulty, rel=1e-3)
    assert cards["pair", 1]["queue"] == -1
    assert "again" in cards["pair", 0]["answer"]
    assert "\\([...]\\)" in cards["gaps", 0]["question"]
    assert "[hint]" in cards["gaps", 0]["question"]
    assert "\\frac{1}{m}" in cards["gaps", 0]["answer"]


def test_a_linked_sound_is_packed(root: Path, tmp_path: Path, other: Path) -> None:
    question = "Hear [s.mp3](s.mp3) and [this](<s.mp3>) of [us](https://example.org/s.mp3)."
    taken(root, replace(CARD, question=question, media=("s.mp3",)), media={"s.mp3": b"sound"})
    deck = Collection.open(root, AT, "desk")
    for name in ("a.apkg", "a.json"):
        report = exported(deck, tmp_path / name)
        assert (report.counts["media"], report.lost) == (1, [])
    package = Package(tmp_path / "a.apkg")
    assert package.media == {"s.mp3": b"sound"}
    (note,) = package.notes.values()
    assert note["flds"].startswith("<p>Hear [sound:s.mp3] and this [sound:s.mp3] of <a ")
    assert not any(sign in note["flds"] for sign in "\x02\x03\x1e")
    again, done = imported(tmp_path / "a.json", other)
    assert (done.media, done.lost) == (1, [])
    assert (other / "media" / "s.mp3").read_bytes() == b"sound"
    assert again.cards["why"].question.count("(media/s.mp3)") == 2
    assert any("Sounds" in what for what in exported(deck, tmp_path / "a.html").plain)
    (root / "media" / "s.mp3").unlink()
    for name in ("a.apkg", "a.json"):
        assert {lost.where for lost in exported(deck, tmp_path / name).lost} == {"why"}


def test_only_the_missing_picture_is_named(root: Path, tmp_path: Path, other: Path) -> None:
    (root / "a.png").write_bytes(PNG)
    write_card(root, "one", "![](a.png) ![](gone.png) ![](https://example.org/x.png)")
    exported(Collection.open(root, AT, "desk"), tmp_path / "a.json")
    done = take_in(other, tmp_path / "a.json")
    assert done.media == 1
    (lost,) = done.lost
    assert "gone.png" in lost.what
