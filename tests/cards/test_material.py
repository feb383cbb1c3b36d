"""Cards as people write them load as they are, unedited; the starter deck is sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from cards import Card, read_card
from cards.text import fold
from tests.cards.builders import warnings_of
from tests.material import OWN_CARDS, each_card
from tests.paths import OWN, SEED, SHARED, STARTER


def own(name: str) -> Card:
    return read_card(OWN.cards / f"{name}.md")


@each_card
def test_a_card_reads_without_a_warning_and_keeps_its_bytes(path: Path) -> None:
    card = read_card(path)
    assert warnings_of(card) == ()
    assert f"{card.id}.md" == path.name
    assert card.source.encode() == path.read_bytes()
    assert [item.id for item in card.items] == [card.id]
    assert card.sections[0].title == "Question"
    assert card.status == "to_learn"


def test_a_derivation_keeps_points_separators_and_related_names() -> None:
    card = own("pool_rows")
    assert (card.course, card.type, card.difficulty) == ("Neural Networks", "derivation", 2)
    assert card.tags == ("cnn", "max-pooling", "backpropagation")
    assert card.points == 3.0
    assert card.question.startswith("A layer keeps the largest input")
    assert card.question.endswith("share a row?")
    assert card.solution.startswith("A window passes its message")
    assert "\n---\n\nOne row of a table" in card.solution
    assert card.related == ("max-pooling",)
    assert card.exercise is None
    assert not card.is_choice


def test_frontmatter_stays_text_and_placeholders_make_an_open_question() -> None:
    card = own("2026_10")
    assert (card.id, card.course, card.related) == (
        "2026_10",
        "No",
        ("queueing_theory", "Little's law"),
    )
    assert card.tags == ("on", "1e3", "12:30:00", "2026-01-06")
    source = "Lecture 3: queues"
    assert card.extra == {"Author": "~", "pages": "0o17", "checked": "yes", "source": source}
    assert [(option.letter, option.placeholder) for option in card.options] == [
        (letter, True) for letter in "ABCD"
    ]
    assert (card.is_choice, card.correct_letters) == (False, ())
    assert card.correct.startswith("Idle time cannot be saved up")
    assert not card.source.endswith("\n")


def test_a_dash_is_a_placeholder_and_a_czech_card_keeps_its_letters() -> None:
    card = own("quiz_observer")
    assert [option.placeholder for option in card.options] == [False, False, False, True]
    assert (card.is_choice, card.correct_letters) == (True, ("B",))
    card = own("20261105_bayes_003")
    assert card.tags == ("podmíněná pravděpodobnost", "Bayesův vzorec")
    assert card.options[3].text == r"$P(B \mid A) / P(A)$"
    sections = [(s.level, s.title) for s in card.sections]
    assert sections[3:5] == [(2, "Explanation"), (3, "Steps / Derivation")]


def test_a_solution_holds_its_messages_as_sections() -> None:
    card = own("linear_squared_relu")
    titles = [section.title for section in card.sections]
    assert titles[2:4] == ["The slope of one unit", "The message for the inputs"]
    assert card.sections[2].body in card.solution
    assert card.sections[2].line == 30


@pytest.mark.parametrize(
    "trap", ["![[", "](x.png)", "N/A", ") —", "A (True)", "\n\n---\n# Question", "ě", "all of them"]
)
def test_the_cards_hold_the_traps_of_real_ones(trap: str) -> None:
    assert any(trap in path.read_text("utf-8") for path in OWN_CARDS)


PATHS = sorted(STARTER.glob("*.md"))
CARDS = [read_card(path) for path in PATHS]
TYPES = {"derivation": 19, "multiple_choice": 2, "open": 2, "cloze": 1, "numeric": 1, "reversed": 1}


def test_the_deck_is_what_it_should_be() -> None:
    assert Counter(card.type for card in CARDS) == TYPES
    assert {card.course for card in CARDS} == {"Statistical Machine Learning"}
    assert len({item.id for card in CARDS for item in card.items}) == 25 + 6 + 1
    assert [card.id for card in CARDS if warnings_of(card)] == []
    assert [f"{card.id}.md" for card in CARDS] == [path.name for path in PATHS]
    names = {fold(card.id) for card in CARDS} | {fold(t) for card in CARDS for t in card.tags}
    assert {n for card in CARDS for n in card.related if fold(n) not in names} <= {
        "neural-networks"
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="the seed's first form is in the shared folder")
def test_the_seed_is_verbatim() -> None:
    assert SEED.read_bytes() == (SHARED / "cards" / SEED.name).read_bytes()


def test_each_kind_of_exercise_has_its_cards() -> None:
    exercises = [card.exercise for card in CARDS if isinstance(card.exercise, dict)]
    asked = Counter("function" if "function" in keys else _asked(keys) for keys in exercises)
    assert asked == {"function": 3, "optimum": 3, "value": 3, "derivative": 4, "parts": 4}
    overlap = next(card.exercise for card in CARDS if card.id == "pool_overlap")
    assert overlap == {"layer": "max-pool", "kernel": "3", "stride": "2", "find": "dx"}
    assert "max-pooling" not in next(c for c in CARDS if c.id == "pool_average").tags


def _asked(keys: Mapping[str, object]) -> str:
    find = keys.get("find")
    if find is None:
        return "optimum"
    if isinstance(find, list):
        return "parts"
    return "derivative" if str(find).startswith("d") else "value"


def test_the_right_answers() -> None:
    right = {card.id: card.correct_letters for card in CARDS if card.is_choice}
    assert right == {"pool_nonmax": ("C",), "pool_padding": ("B",)}
    count = next(card for card in CARDS if card.id == "pool_count")
    assert (count.correct, count.tolerance) == ("4.5", "0.001")
