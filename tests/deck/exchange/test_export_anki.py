"""Packages for Anki, with pictures and sounds."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from tests.deck.exchange.exporting import AT, PNG, ago, exported, make
from tests.deck.exchange.foreign import CARD, taken
from tests.deck.exchange.taking import imported
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


@contextmanager
def opened(package: Path) -> Iterator[sqlite3.Connection]:
    """The package's database."""
    with zipfile.ZipFile(package) as archive:
        assert archive.testzip() is None
        archive.extract("collection.anki2", package.parent)
    with closing(sqlite3.connect(package.parent / "collection.anki2")) as db:
        db.row_factory = sqlite3.Row
        yield db


def table(db: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    return [dict(row) for row in db.execute(f"SELECT * FROM {name} ORDER BY 1")]


def cards_of(db: sqlite3.Connection) -> dict[tuple[str, int], dict[str, Any]]:
    """By the card's id here and their place in it."""
    guids = {row["id"]: row["guid"] for row in table(db, "notes")}
    return {
        (guids[row["nid"]].removeprefix("deltadeck:"), row["ord"]): row
        for row in table(db, "cards")
    }


def test_the_tables_are_ankis(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        for name, columns in _COLUMNS.items():
            found = [row["name"] for row in db.execute(f"PRAGMA table_info({name})")]
            assert found == columns.split(), name
        col = table(db, "col")[0]
        notes, cards, log = (table(db, name) for name in ("notes", "cards", "revlog"))
    assert col["ver"] == 11
    models, decks, options = (json.loads(col[name]) for name in ("models", "decks", "dconf"))
    assert {str(note["mid"]) for note in notes} <= set(models)
    assert {card["nid"] for card in cards} == {note["id"] for note in notes}
    assert {str(card["did"]) for card in cards} <= set(decks)
    assert {entry["cid"] for entry in log} <= {card["id"] for card in cards}
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


def test_every_item_has_its_schedule(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        found, col = cards_of(db), table(db, "col")[0]
    ords = {"": 0, "/r": 1, "/c1": 0, "/c2": 1, "/c3": 2}
    assert len(found) == len(deck.search("", AT))
    for item in deck.search("", AT):
        card, state = deck.card_of(item), deck.state(item)
        row = found[card.id, ords[item.removeprefix(card.id)]]
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
            today = (AT.timestamp() - col["crt"]) // 86400
            assert row["due"] - today == (state.due_day - AT.date()).days
        else:
            assert (row["type"], row["queue"]) == (1, 1)
            assert row["due"] == int(state.due.timestamp())
            assert row["left"] % 1000 == 1


@pytest.mark.parametrize("hours", [0, 10, 15])
@pytest.mark.parametrize(("step", "days"), [("1d", 1), ("3d", 3), ("23h", 1), ("30m", 0)])
def test_a_step_that_ends_on_a_later_day_is_due_on_that_day(
    root: Path, tmp_path: Path, step: str, days: int, hours: int
) -> None:
    write_card(root, "a")
    configure(root, f'learning_steps = ["{step}"]\n')
    deck = Collection.open(root, AT, "desk")
    deck.rate("a", Rating.AGAIN, ago(hours=hours), 0)
    exported(deck, tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        row, col = cards_of(db)["a", 0], table(db, "col")[0]
    day = study_day(ago(hours=hours), deck.config.rollover) + timedelta(days=days)
    today = (AT.timestamp() - col["crt"]) // 86400
    assert (row["type"], row["queue"]) == (1, 3 if days else 1)
    if days:
        assert row["due"] - today == (day - AT.date()).days


def test_the_whole_past_is_in_the_log(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        ids = {key: row["id"] for key, row in cards_of(db).items()}
        log = table(db, "revlog")
    assert len({entry["id"] for entry in log}) == len(log)

    def of(card: str, place: int = 0) -> list[tuple[int, ...]]:
        mine = [entry for entry in log if entry["cid"] == ids[card, place]]
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


def test_texts_become_html_and_mathjax(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        notes = {row["guid"]: row for row in table(db, "notes")}
    front, back = notes["deltadeck:chain"]["flds"].split("\x1f")
    assert "\\(\\newcommand{\\R}{\\mathbb{R}}x \\in \\R\\)" in front
    assert '<img src="plot.png" alt="a plot">' in front
    assert "(3 p) For" in front
    assert "\\[\\delta_x = \\begin{cases} 1 &amp; x &gt; 0" in back
    assert notes["deltadeck:chain"]["tags"] == " cnn two_words "
    front, back = notes["deltadeck:choice"]["flds"].split("\x1f")
    assert "<li>A) <p>\\(x &lt; y\\)</p></li>" in front
    assert "&lt;b&gt;two&lt;/b&gt;" in front
    assert "N/A" not in front
    text, extra = notes["deltadeck:gaps"]["flds"].split("\x1f")
    assert "{{c1::<strong>stride</strong>::hint}}" in text
    assert "\\({{c1::\\frac{1}{m} }}\\)" in text
    assert "{{c3::std::x}}" in text
    assert extra.startswith("<p>More.</p><!--deltadeck 1 ")
    assert "0.03 (± 5%)" in notes["deltadeck:count"]["flds"]


def test_pictures_are_media(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "a.apkg")
    with zipfile.ZipFile(tmp_path / "a.apkg") as archive:
        assert json.loads(archive.read("media")) == {"0": "plot.png"}
        assert archive.read("0") == PNG


def test_sounds_are_played_and_other_files_are_links(root: Path, tmp_path: Path) -> None:
    for name in ("a.mp3", "b.pdf"):
        (root / name).write_bytes(b"x")
    write_card(root, "a", "![[a.mp3]] ![[b.pdf|the paper]]")
    exported(Collection.open(root, NOON), tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        text = table(db, "notes")[0]["flds"]
    assert "[sound:a.mp3]" in text
    assert '<a href="b.pdf">the paper</a>' in text


def test_decks_are_courses_and_folders(root: Path, tmp_path: Path) -> None:
    write_card(root / "a" / "b", "x", course="Net::works")
    exported(Collection.open(root, NOON), tmp_path / "a.apkg")
    with opened(tmp_path / "a.apkg") as db:
        decks = json.loads(table(db, "col")[0]["decks"])
    names = {deck["name"] for deck in decks.values()}
    assert names == {"Default", "Net-works", "Net-works::a", "Net-works::a::b"}
    assert deck_name(['"q"', "", "::"]) == "'q'::deck::-"


def test_a_second_export_names_everything_as_the_first_did(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    keys = []
    for name in ("a.apkg", "b.apkg"):
        exported(deck, tmp_path / name)
        write_card(root, "aaa_before_all_others")
        deck.reload(NOON)
        with opened(tmp_path / name) as db:
            guids = {row["guid"]: (row["mid"], row["flds"]) for row in table(db, "notes")}
            decks = {d["name"]: i for i, d in json.loads(table(db, "col")[0]["decks"]).items()}
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


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{{c1::a}}", "{{c1::a}}"),
        ("{{c12::a::b}}", "{{c12::a::b}}"),
        ("{{c1::a {{c2::b}} c}}", "{{c1::a {{c2::b}} c}}"),
        ("{{c1::f{x}}}", "{{c1::f{x}<!-- -->}}"),
        ("\\({{c1::x_{a_{b}}}}\\)", "\\({{c1::x_{a_{b} } }}\\)"),
        ("\\(\\frac{{{c1::a}}}{b}\\)", "\\(\\frac{ {{c1::a}}}{b}\\)"),
    ],
)
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


def test_a_cloze_that_html_cannot_carry_is_told(root: Path, tmp_path: Path) -> None:
    write_card(root, "a", "[x](https://example.org/{{c1::y}})", type="cloze")
    report = exported(Collection.open(root, NOON), tmp_path / "a.apkg")
    assert [lost.where for lost in report.lost] == ["a"]
    with opened(tmp_path / "a.apkg") as db:
        assert "{{c1::y}}" in table(db, "notes")[0]["flds"]


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
def test_anki_itself_takes_it(root: Path, tmp_path: Path) -> None:
    deck = make(root)
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


def listening(root: Path) -> Collection:
    question = "Hear [s.mp3](s.mp3) and [this](<s.mp3>) of [us](https://example.org/s.mp3)."
    taken(root, replace(CARD, question=question, media=("s.mp3",)), media={"s.mp3": b"sound"})
    return Collection.open(root, AT, "desk")


def test_a_sound_is_played_by_anki_and_packed(root: Path, tmp_path: Path) -> None:
    report = exported(listening(root), tmp_path / "a.apkg")
    assert (report.counts["media"], report.lost) == (1, [])
    with zipfile.ZipFile(tmp_path / "a.apkg") as archive:
        assert json.loads(archive.read("media")) == {"0": "s.mp3"}
        assert archive.read("0") == b"sound"
        archive.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as db:
        (fields,) = db.execute("SELECT flds FROM notes").fetchone()
    assert fields.startswith("<p>Hear [sound:s.mp3] and this [sound:s.mp3] of <a ")
    assert not any(sign in fields for sign in "\x02\x03\x1e")


def test_a_sound_goes_through_json(root: Path, tmp_path: Path) -> None:
    report = exported(listening(root), tmp_path / "a.json")
    assert (report.counts["media"], report.lost) == (1, [])
    other = tmp_path / "other"
    other.mkdir()
    deck, done = imported(tmp_path / "a.json", other)
    assert (done.media, done.lost) == (1, [])
    assert (other / "media" / "s.mp3").read_bytes() == b"sound"
    assert deck.cards["why"].question.count("(media/s.mp3)") == 2


def test_a_sound_that_is_gone_is_named_and_a_page_says_what_it_leaves(
    root: Path, tmp_path: Path
) -> None:
    deck = listening(root)
    assert any("Sounds" in what for what in exported(deck, tmp_path / "a.html").plain)
    (root / "media" / "s.mp3").unlink()
    for name in ("a.apkg", "a.json"):
        assert {lost.where for lost in exported(deck, tmp_path / name).lost} == {"why"}


def test_of_several_pictures_only_the_missing_one_is_named(root: Path, tmp_path: Path) -> None:
    (root / "a.png").write_bytes(PNG)
    write_card(root, "one", "![](a.png) ![](gone.png) ![](https://example.org/x.png)")
    exported(Collection.open(root, AT, "desk"), tmp_path / "a.json")
    other = tmp_path / "other"
    other.mkdir()
    _, done = imported(tmp_path / "a.json", other)
    assert done.media == 1
    assert len(done.lost) == 1
    assert "gone.png" in done.lost[0].what
