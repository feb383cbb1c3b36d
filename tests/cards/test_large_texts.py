"""Large texts are read with work that grows as they do, and nothing of them is lost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cards import parse_card, read_card, save_card
from cards.links import find
from cards.markdown import parser
from cards.parse import analyse
from tests.hostile import FAMILY, card

#: Characters; twice as many may take a little more than twice the work.
SIZE, MORE = 3_000, 2.6
LINES = 30_000


def work(what: Callable[[], object]) -> int:
    """The lines of Python that run, each turn of a loop counted."""
    lines = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    what()  # what is imported and compiled once
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        what()
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("kind", ["basic", "cloze", "multiple_choice"])
def test_reading_a_card_is_linear(name: str, kind: str) -> None:
    def reads(size: int) -> int:
        text = card(FAMILY[name](size), FAMILY[name](size), kind)
        return work(lambda: analyse(text))

    assert reads(2 * SIZE) < MORE * reads(SIZE) + 2_000


def test_searches_for_an_end_that_is_not_there_are_given_up() -> None:
    def reads(size: int) -> int:
        text = card("\\begin{matrix}\n" * size)
        return work(lambda: analyse(text))

    assert reads(4_000) < MORE * reads(2_000)


@pytest.mark.parametrize("name", ["open displays", "displays", "open brackets of TeX"])
def test_blocks_of_mathematics_are_found_in_linear_time(name: str) -> None:
    def reads(size: int) -> int:
        text = FAMILY[name](size)
        return work(lambda: parser().parse(text))

    assert reads(2 * SIZE) < MORE * reads(SIZE)


def test_the_words_of_nested_pictures_are_not_copied_whole() -> None:
    found = find(FAMILY["nested links"](60_000) + FAMILY["nested pictures"](60_000))
    assert found
    assert all(len(each.label) <= 1_000 for each in found)


def test_a_link_within_brackets_bars_those_around_it_and_no_others() -> None:
    names = [each.name for each in find("[a [b](c) d](e) [f](g) ![h [i](j) k](l)")]
    assert names == ["c", "g", "l"]


@pytest.mark.parametrize("name", ["headings", "short paragraphs", "items", "open displays"])
def test_question_and_solution_of_many_lines_are_whole(name: str) -> None:
    question, solution = (FAMILY[name](LINES * 5).strip() for _ in range(2))
    read = parse_card(card(question, solution))
    assert (read.question, read.solution) == (question, solution)
    assert [each.severity for each in read.warnings if "5,000 lines" in each.message] == ["warning"]


def test_line_numbers_behind_many_lines_are_right() -> None:
    read = parse_card(card("## a\n" * LINES, "The end.\n\n## Sources\nA book."))
    sections = {section.title: section.line for section in read.sections}
    assert sections["Solution"] == LINES + 10
    assert sections["Sources"] == LINES + 14
    assert not [each for each in read.warnings if "# Solution" in each.message]


def test_what_stands_in_code_is_no_structure_behind_many_lines() -> None:
    text = card("```\n" + "x\n" * LINES + "# Solution\n```")
    read, problems = analyse(text)
    assert read is None or "# Solution" in read.question
    assert problems


def test_a_card_of_ordinary_length_has_no_such_warning() -> None:
    read = parse_card(card("a line\n" * 4_500))
    assert not read.warnings


def test_a_text_that_was_just_read_is_not_read_again(tmp_path: Path) -> None:
    text, path = card("Why?"), tmp_path / "x.md"
    path.write_text(text, encoding="utf-8")
    read = parse_card(text, path)
    assert read_card(path) is read
    changed = text.replace("Why?", "How?")
    assert save_card(path, changed, text) is read_card(path)
    assert read_card(path).question == "How?"
