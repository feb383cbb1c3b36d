"""hashcards: decks, their cards and answers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from deck.exchange import hashcards
from deck.exchange.model import ExchangeError, Losses
from tests.deck.exchange.foreign import cases, imported, read, reviewed, saved
from tests.deck.given import configure

GEOGRAPHY = """\
Notes to myself are no cards.

Q: What is the capital of France?
A: Paris

C: [Paris] is the capital of [France].

Q: List the PGM minerals.
A:

- ruthenium
- rhodium

---

Outside of every card.

C:
Build something people want in Lisp.

— [Paul Graham], [_Hackers and Painters_]
"""
SCHEMA = """
create table cards (card_hash text primary key, added_at text not null, stability real,
    difficulty real, due_date text, review_count integer not null) strict;
create table sessions (session_id integer primary key, started_at text not null,
    ended_at text not null) strict;
create table reviews (review_id integer primary key, session_id integer not null,
    card_hash text not null, reviewed_at text not null, grade text not null,
    stability real not null, difficulty real not null, due_date text not null) strict;
"""
CAPITAL = hashcards.DeckCard(1, "What is the capital of France?", "Paris").key
TWO, TWO_KEY = "Q: Two?\nA: Yes.\n", hashcards.DeckCard(1, "Two?", "Yes.").key


def database(root: Path, *reviews: tuple[str, str, str, str], also: str = "") -> None:
    """Reviews as (card hash, time, grade, due date); `also`: SQL behind them."""
    with closing(sqlite3.connect(root / "hashcards.db")) as base, base:
        base.executescript(SCHEMA)
        base.execute("insert into sessions values (1, '2025-10-01T08:00:00', '')")
        for number, (card, at, grade, due) in enumerate(reviews, 1):
            values = (number, 1, card, at, grade, 2.5, 5.0, due)
            base.execute("insert into reviews values (?, ?, ?, ?, ?, ?, ?, ?)", values)
        base.executescript(also)


def test_a_card_is_known_by_what_it_says() -> None:
    card = hashcards.DeckCard(1, "foo", "bar")
    assert [card.key] == card.hashes() == [blake3(b"Basicfoobar").hexdigest()]
    cloze = hashcards.cloze_in("é [bar] baz")
    assert cloze.key == blake3("Clozeé bar baz".encode()).hexdigest()
    places = (3).to_bytes(8, "little") + (5).to_bytes(8, "little")  # bytes, the last included
    assert cloze.hashes() == [blake3("Clozeé bar baz".encode() + places).hexdigest()]


def test_a_deck_is_read_with_keys_that_do_not_depend_on_the_file(root: Path) -> None:
    cards, found = read(saved(root, "", GEOGRAPHY, "Geography.md"))
    build = "Build something people want in Lisp.\n\n— "
    assert [(card.type, card.question, card.solution) for card in cards] == [
        ("basic", "What is the capital of France?", "Paris"),
        ("cloze", "{{c1::Paris}} is the capital of {{c2::France}}.", ""),
        ("basic", "List the PGM minerals.", "- ruthenium\n- rhodium"),
        ("cloze", build + "{{c1::Paul Graham}}, {{c2::_Hackers and Painters_}}", ""),
    ]
    assert {card.folder for card in cards} == {("Geography",)}
    assert not found.lost
    elsewhere = (root / "Geography.md").rename(root / "Elsewhere.md")
    assert [card.key for card in read(elsewhere)[0]] == [card.key for card in cards]


@pytest.mark.parametrize(("text", "question"), cases("hashcards"))
def test_brackets_hide(root: Path, text: str, question: str) -> None:
    (card,), _ = read(saved(root, "hashcards", f"C: {text}\n"))
    assert card.question == question


@given(st.text(alphabet="QAC:[]!\\-\n {}$é\x00"))
def test_each_thing_that_is_asked_has_a_hash(text: str) -> None:
    lost = Losses()
    _, first = hashcards.front_of(text, "a.md", lost)
    for card in hashcards.cards_in(text, first, "a.md", lost):
        assert len(card.hashes()) == max(len(card.hidden), 1)


def test_folders_are_decks_and_macros_come_along(root: Path) -> None:
    named = '---\nname = "Cell Biology"\n---\n\nQ: What is $\\R$?\nA: A molecule.\n'
    saved(root, "", named, "Bio/ch1.md")
    saved(root, "", "Q: Who?\nA: Her.\n", "Art.md")
    saved(root, "", "% names\n\\bb \\mathbb\n\\R \\bb{R}\n\\C \\bb{C}\n", "macros.tex")
    art, cell = read(root)[0]
    assert [art.folder, cell.folder] == [("Art",), ("Bio", "Cell Biology")]
    assert (art.fields, cell.fields) == ({}, {"macros": {"R": "\\bb{R}", "bb": "\\mathbb"}})


def test_a_path_from_the_root_is_a_picture_s(root: Path) -> None:
    saved(root, "", b"first", "img/a b.png")
    text = "Q: ![A](img/a%20b.png) and ![](@/img/a%20b.png)\nA: ![](no.png)\n"
    (card,), found = read(saved(root, "hashcards", text))
    assert card.question == "![A](<a b.png>) and ![](<a b.png>)"
    assert card.media == ("a b.png",)
    what = "The picture 'no.png' is not in the folder; its place stays empty."
    assert [(lost.where, lost.what) for lost in found.lost] == [("a.md:1", what)]


def test_answers_join_their_cards(root: Path) -> None:
    saved(root, "", GEOGRAPHY, "Geography.md")
    france = hashcards.cloze_in("[Paris] is the capital of [France].").hashes()[1]
    database(
        root,
        (CAPITAL, "2025-10-04T17:09:51.517", "good", "2025-10-07"),
        (france, "2025-10-05T09:00:00", "easy", "2025-10-20"),
        (CAPITAL, "2025-10-01T08:00:30", "forgot", "2025-10-02"),
        ("0" * 64, "2025-10-01T08:00:30", "good", "2025-10-02"),
    )
    (basic, cloze, *_), found = read(root)
    reviews = basic.items[0].reviews
    told = [(each.rating, each.due) for each in reviews]
    assert told == [(1, date(2025, 10, 2)), (3, date(2025, 10, 7))]
    assert reviews[1].at == datetime(2025, 10, 4, 17, 9, 51, 517_000).astimezone()
    assert len({each.key for each in reviews}) == 2
    assert [(item.suffix, item.reviews[0].rating) for item in cloze.items] == [("/c2", 4)]
    (lost,) = found.lost
    assert lost.where == "hashcards.db"
    assert "1 answers are to 1 cards" in lost.what
    with pytest.raises(ExchangeError, match="Import the folder"):
        hashcards.read(root / "hashcards.db")
    saved(root, "", b"SQLite format 3\0" + b"\xff" * 5000, "hashcards.db")
    cards, found = read(root)
    assert len(cards) == 4, "a damaged database costs only the answers"
    assert "cannot be read" in found.lost[0].what


@pytest.mark.parametrize("at", ["2026-11-20T01:30:00", "2026-11-20T09:00:00"])
@pytest.mark.parametrize("rollover", ["00:00", "04:00", "23:00"])
@pytest.mark.parametrize("due", ["2026-11-25", "2026-11-25T00:00:00"])
def test_a_card_is_due_on_its_day(
    root: Path, tmp_path: Path, at: str, rollover: str, due: str
) -> None:
    """Their days end at midnight: an answer at night is one of the day before here."""
    theirs = saved(tmp_path, "", TWO, "theirs/Two.md").parent
    database(theirs, (TWO_KEY, at, "good", due))
    configure(root, f'rollover = "{rollover}"\n')
    assert reviewed(imported(theirs, root)[0], "two").due_day == date(2026, 11, 25)


def test_where_the_due_day_cannot_be_read_the_interval_counts(root: Path) -> None:
    saved(root, "", TWO, "Two.md")
    interval = "alter table reviews add column interval_days real;"
    interval += "update reviews set interval_days = 4.7;"
    database(root, (TWO_KEY, "2026-11-20T09:00:00", "good", "soon"), also=interval)
    (card,), _ = read(root)
    (review,) = card.items[0].reviews
    assert (review.days, review.due) == (5, None)
