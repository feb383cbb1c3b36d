"""Choices in a table: their letters, and which of them is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.exchange.model import Lost
from deck.exchange.normalise import letter_of, lettered
from tests.deck.exchange.taking import imported
from tests.deck.exchange.test_table import read


def test_options_are_lettered(root: Path) -> None:
    text = "question,answer,options,correct\nWhich?,It is.,one|two,B\n"
    (card,), _ = read(root, text)
    assert card.question == "Which?\n\n## Options\nA) one\nB) two"
    assert card.solution == "**Correct Answer:** B\n\nIt is."


@pytest.mark.parametrize(
    ("options", "correct", "read_as", "is_said"),
    [
        ("B;C;D", "C", "B", True),
        ("B;C;D", "D", "C", False),  # no option has this letter
        ("A;B;C", "B", "B", False),
        ("AC;B;C", "AC", "AC", False),  # more than a letter: the text of an option comes first
        ("x;c;C;y", "C", "C", False),  # two have this text: only as a letter it is clear
        ("A) C;B) D;C) E", "C", "C", False),  # the letters are the writer's
        ("one;two", "two", "two", False),
        ("2;3;4", "3", "3", False),
        ("C;D", "E", "E", False),
    ],
)
def test_an_answer_that_is_a_text_and_anothers_letter_is_the_text_and_is_said(
    root: Path, options: str, correct: str, read_as: str, is_said: bool
) -> None:
    (card,), bundle = read(root, f"question,options,correct\nWhich?,{options},{correct}\n")
    assert card.solution == f"**Correct Answer:** {read_as}"
    assert ["as the text" in lost.what for lost in bundle.lost] == [True] * is_said


def test_the_letters_of_an_object_are_its_own() -> None:
    lost: list[Lost] = []
    lines, is_lettered = lettered([{"letter": "B", "text": "C"}, {"letter": "C", "text": "B"}])
    assert (lines, is_lettered) == (["B) C", "C) B"], True)
    lines, is_lettered = lettered(["C", "B", "A"])
    assert (lines, is_lettered) == (["A) C", "B) B", "C) A"], False)
    assert (letter_of("c", lines, "x", lost), len(lost)) == ("A", 1)


def test_the_card_knows_the_option_that_was_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,question,options,correct\nwhich,Which?,B;C;D,C\n", "utf-8")
    deck, done = imported(path, tmp_path / "cards")
    assert deck.cards["which"].correct == "B"
    assert [lost.where for lost in done.lost] == ["a.csv:2"]
