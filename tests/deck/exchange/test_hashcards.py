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
from deck.exchange.model import ExchangeError, ForeignCard, ImportSource, Losses, Lost
from deck.replay import Review
from tests.deck.exchange.taking import imported
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


def written(root: Path, **decks: str) -> Path:
    for name, text in decks.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def database(root: Path, *reviews: tuple[str, str, str, str]) -> None:
    """Reviews as (card hash, time, grade, due date)."""
    with closing(sqlite3.connect(root / "hashcards.db")) as base, base:
        base.executescript(SCHEMA)
        base.execute("insert into sessions values (1, '2025-10-01T08:00:00', '')")
        for number, (card, at, grade, due) in enumerate(reviews, 1):
            values = (number, 1, card, at, grade, 2.5, 5.0, due)
            base.execute("insert into reviews values (?, ?, ?, ?, ?, ?, ?, ?)", values)


def read(path: Path) -> tuple[list[ForeignCard], ImportSource]:
    bundle = hashcards.read(path)
    cards = list(bundle.cards())
    assert bundle.total == len(cards)
    return cards, bundle


def test_a_card_is_known_by_what_it_says() -> None:
    card = hashcards.DeckCard(1, "foo", "bar")
    assert [card.key] == card.hashes() == [blake3(b"Basicfoobar").hexdigest()]
    cloze = hashcards.cloze_in("é [bar] baz")
    assert cloze.key == blake3("Clozeé bar baz".encode()).hexdigest()
    places = (3).to_bytes(8, "little") + (5).to_bytes(8, "little")  # bytes, the last included
    assert cloze.hashes() == [blake3("Clozeé bar baz".encode() + places).hexdigest()]


def test_a_deck_is_read(root: Path) -> None:
    cards, bundle = read(written(root, Geography=GEOGRAPHY))
    assert [(card.type, card.question, card.solution) for card in cards] == [
        ("basic", "What is the capital of France?", "Paris"),
        ("cloze", "{{c1::Paris}} is the capital of {{c2::France}}.", ""),
        ("basic", "List the PGM minerals.", "- ruthenium\n- rhodium"),
        (
            "cloze",
            "Build something people want in Lisp.\n\n"
            "— {{c1::Paul Graham}}, {{c2::_Hackers and Painters_}}",
            "",
        ),
    ]
    assert {card.folder for card in cards} == {("Geography",)}
    assert not bundle.lost


@pytest.mark.parametrize(
    ("text", "clean", "hidden"),
    [
        ("Foo [bar] ![](image.jpg) [quux].", "Foo bar ![](image.jpg) quux.", ["bar", "quux"]),
        ("The notation [$n!$] means factorial.", "The notation $n!$ means factorial.", ["$n!$"]),
        (r"An interval \[0, [1]\]", "An interval [0, 1]", ["1"]),
        (r"[\frac{1}{2}]", r"\frac{1}{2}", [r"\frac{1}{2}"]),
        ("[a [b] c]", "a b c", ["b"]),
        ("] stray", " stray", []),
    ],
)
def test_brackets_hide(text: str, clean: str, hidden: list[str]) -> None:
    found = hashcards.cloze_in(text)
    assert found.question == clean
    assert [found.question[start:end] for start, end in found.hidden] == hidden


def test_folders_and_the_name_in_the_front_are_decks(root: Path) -> None:
    named = '---\nname = "Cell Biology"\n---\n\nQ: What is DNA?\nA: A molecule.\n'
    written(root, Bio__ch1=named, Art="Q: Who?\nA: Her.\n")
    assert [card.folder for card in read(root)[0]] == [("Art",), ("Bio", "Cell Biology")]


def test_answers_join_their_cards(root: Path) -> None:
    cards, _ = read(written(root, Geography=GEOGRAPHY))
    france = hashcards.cloze_in("[Paris] is the capital of [France].").hashes()[1]
    database(
        root,
        (cards[0].key, "2025-10-04T17:09:51.517", "good", "2025-10-07"),
        (france, "2025-10-05T09:00:00", "easy", "2025-10-20"),
        (cards[0].key, "2025-10-01T08:00:30", "forgot", "2025-10-02"),
        ("0" * 64, "2025-10-01T08:00:30", "good", "2025-10-02"),
    )
    (basic, cloze, *_), bundle = read(root)
    reviews = basic.items[0].reviews
    assert [(each.rating, each.due) for each in reviews] == [
        (1, date(2025, 10, 2)),
        (3, date(2025, 10, 7)),
    ]
    assert reviews[1].at == datetime(2025, 10, 4, 17, 9, 51, 517_000).astimezone()
    assert len({each.key for each in reviews}) == 2
    assert [(item.suffix, item.reviews[0].rating) for item in cloze.items] == [("/c2", 4)]
    assert [lost.where for lost in bundle.lost] == ["hashcards.db"]
    assert "1 answers are to 1 cards" in bundle.lost[0].what


def test_a_damaged_database_costs_only_the_answers(root: Path) -> None:
    written(root, Geography=GEOGRAPHY)
    (root / "hashcards.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    cards, bundle = read(root)
    assert len(cards) == 4
    assert "cannot be read" in bundle.lost[0].what


def test_the_database_stays_as_it_is(root: Path) -> None:
    written(root, Geography=GEOGRAPHY)
    database(root)
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    read(root)
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before


def test_macros_come_with_the_cards_that_use_them(root: Path) -> None:
    written(root, Math="Q: What is $\\R$?\nA: The reals.\n\nQ: Two?\nA: Yes.\n")
    (root / "macros.tex").write_text("% names\n\\bb \\mathbb\n\\R \\bb{R}\n\\C \\bb{C}\n")
    reals, two = read(root)[0]
    assert reals.fields == {"macros": {"R": "\\bb{R}", "bb": "\\mathbb"}}
    assert not two.fields


def test_pictures_come_along(root: Path) -> None:
    (root / "img").mkdir()
    (root / "img" / "a b.png").write_bytes(b"first")
    text = "Q: ![A](img/a%20b.png) and ![](@/img/a%20b.png)\nA: ![](no.png)\n"
    (card,), bundle = read(written(root, Art=text))
    assert card.question == "![A](<a b.png>) and ![](<a b.png>)"
    assert card.media == ("a b.png",)
    with bundle.media["a b.png"]() as file:
        assert file.read() == b"first"
    assert bundle.lost == [
        Lost("Art.md:1", "The picture 'no.png' is not in the folder; its place stays empty.")
    ]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("Q: One?\nQ: Two?\nA: 2\n", "Bad.md:1", "no answer"),
        ("A: stray\nQ: Two?\nA: 2\n", "Bad.md:1", "no question"),
        ("Q: Two?\nA: 2\nA: 3\n", "Bad.md:3", "second answer"),
        ("C: hides nothing\n\nQ: Two?\nA: 2\n", "Bad.md:1", "hides nothing"),
        ("Q: Two?\nA: 2\n\nQ: Two?\nA: 2\n", "Bad.md:4", "Bad.md:1 again"),
        ("---\nname = bare\n---\nQ: Two?\nA: 2\n", "Bad.md:1", "not TOML"),
        ("Q: \x00Two?\nA: 2\n", "Bad.md:1", "control characters"),
    ],
)
def test_what_is_no_card_is_named(root: Path, text: str, place: str, words: str) -> None:
    (card,), bundle = read(written(root, Bad=text))
    assert (card.question, card.solution) == ("Two?", "2")
    assert [lost.where for lost in bundle.lost] == [place]
    assert words in bundle.lost[0].what


def test_keys_do_not_depend_on_the_file(root: Path) -> None:
    before = [card.key for card in read(written(root, Geography=GEOGRAPHY))[0]]
    (root / "Geography.md").rename(root / "Elsewhere.md")
    assert [card.key for card in read(root)[0]] == before


def test_links_out_of_the_folder_are_named(root: Path, tmp_path: Path) -> None:
    written(root, Geography=GEOGRAPHY)
    (tmp_path / "secret.md").write_text("Q: secret\nA: secret\n")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "round").symlink_to(root)
    cards, bundle = read(root)
    assert len(cards) == 4
    assert [lost.where for lost in bundle.lost] == ["out.md"]


def test_what_holds_no_cards_is_refused(root: Path) -> None:
    (root / "README.md").write_text("# Only words\n")
    with pytest.raises(ExchangeError, match="no card was found"):
        hashcards.read(root)
    database(root)
    with pytest.raises(ExchangeError, match="Import the folder"):
        hashcards.read(root / "hashcards.db")


def test_a_folder_and_a_deck_are_told_by_their_content(root: Path) -> None:
    deck = written(root, Geography=GEOGRAPHY) / "Geography.md"
    assert hashcards.looks_like(root, b"")
    assert hashcards.looks_like(deck, deck.read_bytes())
    (root / "Geography.md").write_text("# Q: no\n")
    assert not hashcards.looks_like(root, b"")


@given(st.text(alphabet="QAC:[]!\\-\n {}$é\x00"))
def test_any_text_is_cards_or_losses(text: str) -> None:
    lost = Losses()
    _, first = hashcards.front_of(text, "a.md", lost)
    for card in hashcards.cards_in(text, first, "a.md", lost):
        assert len(card.hashes()) == max(len(card.hidden), 1)


@pytest.mark.parametrize("at", ["2026-11-20T01:30:00", "2026-11-20T09:00:00"])
@pytest.mark.parametrize("rollover", ["00:00", "04:00", "23:00"])
@pytest.mark.parametrize("due", ["2026-11-25", "2026-11-25T00:00:00"])
def test_a_card_is_due_on_its_day_whenever_it_was_answered(
    root: Path, tmp_path: Path, at: str, rollover: str, due: str
) -> None:
    """Their days end at midnight: an answer at night is one of the day before here."""
    theirs = written(tmp_path / "theirs", Two="Q: Two?\nA: Yes.\n")
    database(theirs, (read(theirs)[0][0].key, at, "good", due))
    configure(root, f'rollover = "{rollover}"\n')
    deck, _ = imported(theirs, root)
    (card,) = deck.cards
    state = deck.state(card)
    assert isinstance(state, Review)
    assert state.due_day == date(2026, 11, 25)


def test_where_the_due_day_cannot_be_read_the_interval_counts(root: Path) -> None:
    written(root, Two="Q: Two?\nA: Yes.\n")
    database(root, (read(root)[0][0].key, "2026-11-20T09:00:00", "good", "soon"))
    with closing(sqlite3.connect(root / "hashcards.db")) as base, base:
        base.execute("alter table reviews add column interval_days real")
        base.execute("update reviews set interval_days = 4.7")
    (card,), _ = read(root)
    (review,) = card.items[0].reviews
    assert (review.days, review.due) == (5, None)
