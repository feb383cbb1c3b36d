"""Packages of Anki's: what is in them is what is handed over, and nothing bad gets through."""

from __future__ import annotations

import zipfile
from datetime import date, timedelta
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.exchange.anki.notes import looks_like, read
from deck.exchange.model import ForeignCard, ImportSource
from deck.exchange.plan import look, plan
from deck.exchange.readers import reader_of
from deck.exchange.source import HEAD
from tests.deck.exchange.packages import (
    CLOZE,
    CREATED,
    NOW,
    OPTIONAL,
    REVERSED,
    Given,
    Made,
    altered,
    package,
)

#: Made by Anki 26.09 itself: the same collection in its present format, and in the older one.
REAL = Path(__file__).parent / "anki"


def cards_of(bundle: ImportSource) -> dict[str, ForeignCard]:
    return {card.question.split("\n")[0]: card for card in bundle.cards()}


def only(tmp_path: Path, note: Made, new: bool = False) -> ForeignCard:
    found = list(read(package(tmp_path / "a.apkg", [note], new=new)).cards())
    assert len(found) == 1
    return found[0]


# What Anki itself wrote.


def test_both_formats_of_anki_hand_over_the_same() -> None:
    current, legacy = (read(REAL / f"{name}.apkg") for name in ("current", "legacy"))
    assert list(current.cards()) == list(legacy.cards())
    assert current.lost == legacy.lost == []
    media = {name: open_().read() for name, open_ in current.media.items()}
    assert media == {name: open_().read() for name, open_ in legacy.media.items()}
    assert media["tone.mp3"] == b"ID3fake"


def test_the_kinds_of_notes_become_kinds_of_cards() -> None:
    cards = cards_of(read(REAL / "current.apkg"))
    kinds = {words: card.type for words, card in cards.items()}
    cloze = "{{c1::Backward}} and {{c2::forward::which?}} messages:"
    assert kinds == {
        "What does **max pooling** do? ![](max%20pool.png)": "basic",
        "house": "reversed",
        "dog": "basic",  # of an optional reversed note whose field is empty
        "cat": "reversed",
        "tree": "basic",
        cloze: "cloze",
    }
    assert cards["tree"].solution == "strom", "what is typed is compared with this"
    assert cards["tree"].fields["tags"] == ["flag::red"]
    assert cards["house"].folder == ("Languages", "Czech")
    assert (
        cards[cloze].question == f"{cloze}\n\n$${{{{c3::\\frac{{\\partial L}}{{\\partial x}} }}}}$$"
    )
    assert cards[cloze].solution == "- one\n- two"


def test_standing_is_handed_over_too() -> None:
    cards = cards_of(read(REAL / "current.apkg"))
    assert [item.suspended for item in cards["house"].items] == [False, True]
    buried = cards["tree"].items[0].buried
    assert buried == date(2026, 11, 22)
    due = cards["dog"].items[0].due
    assert due is not None
    assert due.date() == date(2026, 12, 3), "set by hand, on a card that had no answer"


def test_a_package_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes((REAL / "current.apkg").read_bytes())
    assert reader_of(path).name == "anki"
    other = tmp_path / "a.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("x", "y")
    assert not looks_like(other, other.read_bytes()[:HEAD])


# ForeignHistories.


def test_answers_say_what_they_led_to(tmp_path: Path) -> None:
    answers = [
        Given(30, 1, -60, 0),
        Given(29.9, 3, 1, 0),
        Given(28, 3, 4, 1),
        Given(27, 2, 9, 3, 0),  # a preview in a filtered deck
        Given(24, 0, 30, 4),  # the due day, set by hand
        Given(23, 0, 0, 4, 0),  # forgotten
        Given(22, 9, 3, 1),  # no button has this number: the last one
    ]
    card = only(tmp_path, Made("g", ("q", "a"), answers={0: answers}))
    found = [(r.what, r.rating, r.days, r.wait) for r in card.items[0].reviews]
    assert found == [
        ("answer", 1, None, timedelta(seconds=60)),
        ("answer", 3, 1, None),
        ("answer", 3, 4, None),
        ("cram", 2, 9, None),
        ("set", 0, 30, None),
        ("reset", 0, None, None),
        ("answer", 4, 3, None),
        ("reset", 0, None, None),  # the card is new now, and no line of it says so
    ]


def test_a_due_day_counts_from_the_first_day_of_the_collection(tmp_path: Path) -> None:
    card = {"type": 2, "queue": 2, "due": 700, "ivl": 20}
    made = only(tmp_path, Made("g", ("q", "a"), cards={0: card}))
    due = made.items[0].due
    assert due is not None
    assert due.date() == CREATED.date() + timedelta(days=700)
    assert (made.items[0].reviews, made.items[0].interval) == ((), 20)


def test_a_card_in_a_filtered_deck_keeps_its_own(tmp_path: Path) -> None:
    card = {"type": 2, "queue": 2, "due": -100_000, "odue": 690, "odid": 1, "ivl": 5}
    made = only(tmp_path, Made("g", ("q", "a"), cards={0: card}))
    due = made.items[0].due
    assert due is not None
    assert due.date() == CREATED.date() + timedelta(days=690)


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize(
    ("at", "hour", "free"),
    [("02:33", None, 21), ("04:00", None, 22), ("02:33", 2, 22), ("23:59", 23, 22)],
)
def test_buried_is_until_the_next_day_of_ankis(
    tmp_path: Path, new: bool, at: str, hour: int | None, free: int
) -> None:
    note = Made("g", ("q", "a"), cards={0: {"queue": -3}})
    hours = f"INSERT INTO config VALUES ('rollover', 0, 0, CAST('{hour}' AS BLOB));"
    if not new:
        hours = f"UPDATE col SET conf = json_set(conf, '$.rollover', {hour});"
    modified = f"UPDATE col SET mod = unixepoch('2026-11-21 {at}') * 1000;"
    sql = modified + hours * (hour is not None)
    (card,) = read(altered(package(tmp_path / "a.apkg", [note], new=new), sql)).cards()
    assert card.items[0].buried == date(2026, 11, free)


# Shapes of notes.


def test_templates_that_ask_something_else_are_cards_of_their_own(tmp_path: Path) -> None:
    note = Made("g", ("q", "a"), REVERSED, cards={0: {}, 1: {}})
    card = only(tmp_path, note)
    assert (card.key, card.type, [i.suffix for i in card.items]) == ("g", "reversed", ["", "/r"])
    only_back = Made("g", ("q", "a"), REVERSED, cards={1: {}})
    card = only(tmp_path, only_back)
    assert (card.key, card.type, card.question, card.solution) == ("g:1", "basic", "a", "q")


@pytest.mark.parametrize("new", [False, True])
def test_decks_tags_and_clozes_of_either_schema(tmp_path: Path, new: bool) -> None:
    note = Made("g", ("{{c2::x}} y", "z"), CLOZE, "A::B/C", "t u::v", cards={1: {"flags": 3}})
    card = only(tmp_path, note, new)
    assert card.folder == ("A", "B/C")
    assert card.fields["tags"] == ["t", "u::v", "flag::green"]
    assert (card.question, card.solution) == ("{{c2::x}} y", "z")
    assert [item.suffix for item in card.items] == ["/c2"]


def test_cards_that_are_empty_in_anki_are_left_out_and_said(tmp_path: Path) -> None:
    both = {0: [Given(3)], 1: [Given(2)]}
    notes = [
        Made("a", ("q", "a", ""), OPTIONAL, answers=both, cards={0: {}, 1: {}}),
        Made("b", ("q", "a", "y"), OPTIONAL, answers=both, cards={0: {}, 1: {}}),
        Made("c", ("{{c1::x}}", ""), CLOZE, answers=both, cards={0: {}, 1: {}}),
        Made("d", ("q", "a"), answers=both, cards={0: {}, 1: {}}),
        Made("e", ("<div><br /></div>", "a")),
        Made("f", ("<br>&nbsp;", "a")),
    ]
    bundle = read(package(tmp_path / "a.apkg", notes))
    made = [(card.key, [item.suffix for item in card.items]) for card in bundle.cards()]
    assert made == [("a", [""]), ("b", ["", "/r"]), ("c", ["/c1"]), ("d", [""])]
    assert ["Empty Cards" in lost.what for lost in bundle.lost] == [True] * 5


def test_what_cannot_be_a_card_is_said(tmp_path: Path) -> None:
    notes = [
        Made("a", ("x" * 5_000_000, "")),
        Made("b", ("x" * 1_100_000, "")),
        Made("c", ("no cloze", ""), CLOZE),
        Made("d", ("{{c1::image-occlusion:rect:left=.1}}", ""), CLOZE),
        Made("e", ("", "")),
        Made("f", ("fine", ""), 99),
        Made("g", ("fine", "yes")),
    ]
    bundle = read(package(tmp_path / "a.apkg", notes))
    assert [card.key for card in bundle.cards()] == ["g"]
    assert len(bundle.lost) == 6
    assert "5.0 MB" in bundle.lost[0].what


def test_a_medium_that_the_package_lacks_is_said(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ('<img src="x.png">', ""))], {"x.png": b"1"})
    lacking = tmp_path / "b.apkg"
    with zipfile.ZipFile(path) as full, zipfile.ZipFile(lacking, "w") as less:
        for name in ("collection.anki2", "media"):
            less.writestr(name, full.read(name))
    bundle = read(lacking)
    Collection.init(tmp_path / "cards")
    look(plan(bundle, Collection.open(tmp_path / "cards", NOW), NOW))
    assert ["x.png" in lost.what for lost in bundle.lost] == [True]
