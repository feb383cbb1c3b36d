"""The five real cards load as they are, unedited."""

from __future__ import annotations

import pytest

from cards import Card, read_card
from tests.cards.builders import SHARED

NAMES = sorted(path.name for path in SHARED.glob("*.md"))


def shared(name: str) -> Card:
    return read_card(SHARED / f"{name}.md")


@pytest.mark.parametrize("name", NAMES)
def test_a_real_card_reads_without_a_warning_and_keeps_its_bytes(name: str) -> None:
    card = read_card(SHARED / name)
    assert card.warnings == ()
    assert f"{card.id}.md" == name
    assert card.source.encode() == (SHARED / name).read_bytes()
    assert [item.id for item in card.items] == [card.id]
    assert card.sections[0].title == "Question"
    assert card.status == "to_learn"


def test_there_are_five() -> None:
    assert len(NAMES) == 5


def test_the_seed_card() -> None:
    card = shared("ssu_batch4_004")
    assert (card.course, card.type, card.difficulty) == (
        "Statistical Machine Learning",
        "derivation",
        2,
    )
    assert card.tags == ("cnn", "max-pooling", "backpropagation", "gradients")
    assert card.points == 5.0
    assert card.question.startswith("Consider the Max Pooling layer")
    assert card.question.endswith("of the layer.")
    assert card.solution.startswith("We want to compute")
    assert card.solution.endswith("- [[backpropagation]]")
    assert card.related == ("neural-networks", "cnn", "max-pooling", "backpropagation")
    assert card.exercise is None
    assert not card.is_choice


def test_options_that_are_all_placeholders_make_an_open_question() -> None:
    card = shared("drs_065")
    assert [option.letter for option in card.options] == ["A", "B", "C", "D"]
    assert all(option.placeholder for option in card.options)
    assert not card.is_choice
    assert card.correct.startswith("The primary difference lies")
    assert card.correct_letters == ()
    assert card.related == ("modularity_maximization", "spectral_clustering")


def test_a_dash_is_a_placeholder_beside_real_options() -> None:
    card = shared("orr_quiz09_03")
    assert [option.placeholder for option in card.options] == [False, False, False, True]
    assert card.is_choice
    assert card.correct_letters == ("B",)


def test_a_czech_card_keeps_its_letters_and_its_options() -> None:
    card = shared("20260106_diagnostics_002")
    assert card.tags == ("fuzzy logika", "operátory")
    assert card.options[3].text == "$(1 - A) . (1 - B)$"
    assert [(s.level, s.title) for s in card.sections][3:] == [
        (2, "Explanation"),
        (3, "Steps / Derivation"),
        (2, "Related Concepts"),
    ]


def test_a_solution_holds_its_messages_as_sections() -> None:
    card = shared("ssu_batch5_006")
    titles = [section.title for section in card.sections]
    assert titles[2:4] == ["Forward Message", "Backward Message (Gradient w.r.t Input)"]
    assert card.sections[2].body in card.solution
    assert card.sections[2].line == 23
