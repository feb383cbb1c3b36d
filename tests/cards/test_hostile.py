"""Cards from strangers: nothing reaches the terminal, nothing hangs, nothing but CardError."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards import CardError, lint_card, parse_card
from cards.links import leaves
from cards.text import place, printable, split_lines
from tests.cards.builders import card_text

NASTY = "a\x1b[31mb\x1b]0;title\x07c\x1bPq\x1b\\d\x9b1me\x00f\x7fg\u202eh\u2066i\x1b"
PIECES = [
    "---\n",
    "id: a\n",
    "# Question\n",
    "# Solution\n",
    "$$",
    "```\n",
    "\r\n",
    "\r",
    "\x1b[",
    "\ufeff",
    "type: cloze\n",
    "{{c1::",
    "}}",
    "::",
    "A) ",
    "## Options\n",
    "[",
    "{",
    "&a ",
    "*a",
    "|\n ",
    ": ",
    "![[../",
    "]]",
    "Correct Answer: ",
    "===\n",
    "é",
    "tags: ",
    "'",
    '"',
    "\t",
    "\u2028",
    "\x85",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS | TEXTS.map(lambda text: f"---\nid: a\n---\n# Question\n{text}\n# Solution\n{text}"))
@example("\ufeff")
@example("---\nid: a\n---")
@example("---\n\ud800: \udfff\n---\n")
def test_only_card_errors_and_each_within_the_file(text: str) -> None:
    try:
        problems = parse_card(text).warnings
    except CardError as error:
        problems = (error.problem,)
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
    assert "control characters" in card.warnings[0].message


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
    [
        "../../etc/passwd",
        "/etc/passwd",
        "~/x",
        "file:///etc/passwd",
        "a/../../b",
        "C:\\x",
        "..\\x",
        "%2e%2e/x",
        "javascript:a/b",
    ],
)
def test_a_target_outside_the_collection(target: str) -> None:
    assert leaves(target)
    for link in (f"![[{target}]]", f"[[{target}]]", f"![alt]({target})"):
        (warning,) = parse_card(card_text(question=f"See {link}")).warnings
        assert (warning.line, warning.column) == (6, 5)


@pytest.mark.parametrize(
    "target",
    ["a.png", "img/a.png", "img/../a.png", "https://example.org/a/../..", "a#b", "A: b"],
)
def test_a_target_inside_it_or_on_the_web(target: str) -> None:
    assert not leaves(target)


def test_place_counts_every_ending_once_and_the_bom_never() -> None:
    text = "\ufeffab\r\nc\rd\ne"
    assert [place(text, at) for at in (0, 1, 2, 5, 7, 9, 99)] == [
        (1, 1),
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 1),
        (4, 1),
        (4, 2),
    ]
