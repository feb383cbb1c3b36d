"""Cards from strangers: nothing reaches the terminal, nothing hangs, nothing but CardError."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards import CardError, lint_card, parse_card, read_card, save_card
from cards.links import find, leaves
from cards.markdown import parser
from cards.parse import analyse
from cards.text import place, printable, split_lines
from tests.cards.builders import card_text, warnings_of
from tests.hostile import FAMILY, card

NASTY = "a\x1b[31mb\x1b]0;title\x07c\x1bPq\x1b\\d\x9b1me\x00f\x7fg\u202eh\u2066i\x1b"
PIECES = [
    "---\n", "id: a\n", "# Question\n", "# Solution\n", "$$", "```\n", "\r\n", "\r", "\x1b[",
    "\ufeff", "type: cloze\n", "{{c1::", "}}", "::", "A) ", "## Options\n", "[", "{", "&a ", "*a",
    "|\n ", ": ", "![[../", "]]", "Correct Answer: ", "===\n", "é", "tags: ", "'", '"', "\t",
    "\u2028", "\x85",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join)


@settings(deadline=None)
@given(TEXTS | TEXTS.map(lambda text: f"---\nid: a\n---\n# Question\n{text}\n# Solution\n{text}"))
@example("\ufeff")
@example("---\nid: a\n---")
@example("---\n\ud800: \udfff\n---\n")
def test_only_card_errors_and_each_within_the_file(text: str) -> None:
    read, problems = analyse(text)
    errors = [each for each in problems if each.severity == "error"]
    if errors:
        with pytest.raises(CardError) as found:
            parse_card(text)
        assert (read, errors[0]) == (None, found.value.problem)
    else:
        assert read == parse_card(text)
    lines = max(1, len(split_lines(text + "x")))
    for problem in problems:
        assert 1 <= problem.line <= lines
        assert problem.column >= 1
        assert problem.message == printable(problem.message)


@given(st.text() | TEXTS)
def test_printable_is_idempotent_and_clean(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    assert all(sign in "\n\t" or ord(sign) >= 32 for sign in shown)


def test_escape_sequences_controls_and_overrides_are_dropped() -> None:
    assert printable(NASTY) == "abcdefghi"
    assert printable("a\r\nb\rc\td\n") == "a\nb\nc\td\n"
    assert printable("[bold] stays, and 👩‍🔬 too") == "[bold] stays, and 👩‍🔬 too"


def test_nothing_exposed_holds_a_control_and_the_source_holds_all() -> None:
    header = f'course: {NASTY}\ntags: ["\\e[31mred", \'{NASTY}\']\nodd: "\\a"'
    text = card_text(header, NASTY, f"Correct Answer: {NASTY}", options=f"A) {NASTY}\nB) b")
    card = parse_card(text)
    assert card.source == text
    assert (card.course, card.tags) == ("abcdefghi", ("red", "abcdefghi"))
    assert (card.question, card.options[0].text, card.correct) == ("abcdefghi",) * 3
    assert card.extra == {"odd": ""}
    assert printable(repr(card.items)) == repr(card.items)
    assert "control characters" in warnings_of(card)[0].message


def test_an_id_with_controls_is_refused_in_printable_words() -> None:
    with pytest.raises(CardError) as caught:
        parse_card(f"---\nid: {NASTY}\n---\n")
    assert "abcdefghi" in str(caught.value)


def test_a_card_above_one_megabyte_is_refused() -> None:
    with pytest.raises(CardError, match="1 MB"):
        parse_card(card_text(question="x" * 1_000_001))
    assert parse_card(card_text(question="x" * 900_000)).id == "x"


@pytest.mark.parametrize(
    "question",
    [
        "# a\n" * 20_000,
        "{{c1::" * 20_000,
        "a\n---\n" * 20_000,
        "\x1b]" * 50_000,
        "\x9d" * 50_000,
        "`" * 100_000 + " x`",
        "# a" + " " * 100_000 + "b",
        "` `` " * 20_000 + "$$",
        "$a " * 30_000,
        "![[../x]]\n" * 10_000,
        "{" * 100_000,
        "[[" * 50_000,
    ],
    ids=range(12),
)
def test_no_text_takes_more_than_linear_time(question: str) -> None:
    # Each of these takes minutes where one expression is quadratic.
    assert lint_card(card_text("type: cloze", question)) is not None


@pytest.mark.parametrize("answer", ["A, " * 200_000, "A and " * 100_000 + "?", "A" + " " * 100_000])
def test_no_named_answer_takes_more_than_linear_time(answer: str) -> None:
    # The first takes longer than the universe where the spaces can be shared out.
    spaced = f"Correct Answer{' ' * 100_000}x"
    text = card_text("", "q", f"{spaced}\nCorrect Answer: {answer}x", options="A) a\nB) b")
    assert parse_card(text).options[0].letter == "A"


def test_too_many_clozes_are_refused() -> None:
    many = "".join(f"{{{{c{n}::{'a' * 20}}}}}" for n in range(1, 1000)) * 2
    with pytest.raises(CardError, match="too many"):
        parse_card(card_text("type: cloze", many))


@pytest.mark.parametrize(
    "target",
    ["../../etc/passwd", "/etc/passwd", "~/x", "file:///etc/passwd", "a/../../b", "C:\\x",
     "..\\x", "%2e%2e/x", "javascript:a/b"],
)  # fmt: skip
def test_a_target_outside_the_collection(target: str) -> None:
    assert leaves(target)
    for link in (f"![[{target}]]", f"[[{target}]]", f"![alt]({target})"):
        (warning,) = warnings_of(parse_card(card_text(question=f"See {link}")))
        assert (warning.line, warning.column) == (6, 5)


@pytest.mark.parametrize(
    "target",
    ["a.png", "img/a.png", "img/../a.png", "https://example.org/a/../..", "a#b", "A: b"],
)
def test_a_target_inside_it_or_on_the_web(target: str) -> None:
    assert not leaves(target)


def test_place_counts_every_ending_once_and_the_bom_never() -> None:
    text = "\ufeffab\r\nc\rd\ne"
    places = [(1, 1), (1, 1), (1, 2), (2, 1), (3, 1), (4, 1), (4, 2)]
    assert [place(text, at) for at in (0, 1, 2, 5, 7, 9, 99)] == places


#: Characters; twice as many may take a little more than twice the work.
SIZE, MORE = 1_000, 2.6
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
def test_reading_a_card_is_linear(name: str) -> None:
    def reads(size: int) -> int:
        text = FAMILY[name](size)
        return work(lambda: [analyse(card(text, text, kind)) for kind in ("basic", "cloze")])

    assert reads(2 * SIZE) < MORE * reads(SIZE) + 2_000


@pytest.mark.parametrize("name", ["open displays", "displays", "open brackets of TeX"])
def test_blocks_of_mathematics_are_found_in_linear_time(name: str) -> None:
    def parses(size: int) -> int:
        return work(lambda: parser().parse(FAMILY[name](size)))

    assert parses(2 * SIZE) < MORE * parses(SIZE)


def test_searches_for_an_end_that_is_not_there_are_given_up() -> None:
    def reads(size: int) -> int:
        return work(lambda: analyse(card("\\begin{matrix}\n" * size)))

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
    assert [each.severity for each in warnings_of(read) if "5,000 lines" in each.message] == [
        "warning"
    ]
    assert not warnings_of(parse_card(card("a line\n" * 4_500)))


def test_line_numbers_behind_many_lines_are_right() -> None:
    read = parse_card(card("## a\n" * LINES, "The end.\n\n## Sources\nA book."))
    sections = {section.title: section.line for section in read.sections}
    assert sections["Solution"] == LINES + 10
    assert sections["Sources"] == LINES + 14
    assert not [each for each in warnings_of(read) if "# Solution" in each.message]


def test_what_stands_in_code_is_no_structure_behind_many_lines() -> None:
    text = card("```\n" + "x\n" * LINES + "# Solution\n```")
    read, problems = analyse(text)
    assert read is None or "# Solution" in read.question
    assert problems


def test_a_text_that_was_just_read_is_not_read_again(tmp_path: Path) -> None:
    text, path = card("Why?"), tmp_path / "x.md"
    path.write_text(text, encoding="utf-8")
    read = parse_card(text, path)
    assert read_card(path) is read
    changed = text.replace("Why?", "How?")
    assert save_card(path, changed, text) is read_card(path)
    assert read_card(path).question == "How?"
