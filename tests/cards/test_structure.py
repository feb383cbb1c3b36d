"""Headings, separators, options and answers: every trap of a card's body."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import CardError, lint_card, parse_card
from tests.cards.builders import card_text, warnings_of

HEADER = "---\nid: x\n---\n"


@pytest.mark.parametrize(
    "question",
    [
        "# Question",
        "### question",
        "# QUESTION ##",
        "#  Question:  ",
        "Question\n===",
        "Question\n---",
        "## **Question**",
        "   # Question",
        "Question\n-------",
    ],
)
@pytest.mark.parametrize(
    "solution", ["# Solution", "###### solution #", "Solution\n===", "Solution\n---"]
)
def test_headings_of_any_level_and_form(question: str, solution: str) -> None:
    card = parse_card(f"{HEADER}{question}\nWhy?\n\n{solution}\nBecause.\n")
    assert (card.question, card.solution) == ("Why?", "Because.")
    assert warnings_of(card) == ()


def test_a_heading_without_its_space_is_read_with_a_warning() -> None:
    card = parse_card(f"{HEADER}#Question\nWhy?\n#Solution\nBecause. #tag\n#cnn\n")
    assert card.solution == "Because. #tag\n#cnn"
    assert [w.line for w in warnings_of(card)] == [4, 6]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_a_bom_and_a_missing_last_newline(ending: str, mark: str) -> None:
    text = mark + "---\nid: x\n\n---\n# Question\nWhy?\n---\n# Solution\nIt is so.\n\tBecause."
    source = text.replace("\n", ending)
    card = parse_card(source)
    assert (card.id, card.question, card.solution) == ("x", "Why?", "It is so.\n\tBecause.")
    assert card.source == source
    assert [(s.title, s.line) for s in card.sections] == [("Question", 5), ("Solution", 8)]


def test_three_dashes_right_under_a_paragraph_are_the_separator() -> None:
    card = parse_card(f"{HEADER}# Question\nWhy?\n---\n# Solution\nOne.\n---\nTwo.\n")
    assert card.question == "Why?"
    assert card.solution == "One.\n\n---\nTwo."
    assert [w.line for w in warnings_of(card)] == [6, 9]
    assert [s.title for s in card.sections] == ["Question", "Solution"]


@pytest.mark.parametrize(
    "block",
    [
        "```\n# Solution\n---\n```",
        "~~~~ md\n# Solution\n~~~\n---\n~~~~",
        "$$\n# Solution\n---\nx\n$$",
        "- item\n  ```\n  # Solution\n  ```",
        "text $$ a\n---\n# Solution\n$$",
        "\\[\na\n=\n# b\n---\n\\]",
        "\\begin{align}\na\n---\n\\end{align}",
    ],
)
def test_fences_and_formulas_hide_headings_and_separators(block: str) -> None:
    card = parse_card(card_text(question=f"Look:\n\n{block}"))
    assert card.question.endswith(block)
    assert [section.title for section in card.sections] == ["Question", "Solution"]
    assert (card.solution, warnings_of(card)) == ("Because.", ())


def test_a_formula_that_is_never_closed_does_not_swallow_the_solution() -> None:
    assert warnings_of(parse_card(card_text(question=r"Is `$$` or \$$ a formula?"))) == ()
    card = parse_card(card_text(question="Look:\n$$ a + b\n", solution="$$ c $$ and\n$$\nd\n$$"))
    assert card.question == "Look:\n$$ a + b"
    assert "never closed" in warnings_of(card)[0].message


@pytest.mark.parametrize(
    ("body", "line", "word", "hint"),
    [
        ("# Solution\nBecause.\n", 3, "# Question", "# Question"),
        ("# Question\nWhy?\n\n---\nBecause.\n", 8, "# Solution", "# Solution"),
        ("# Question\n```\nWhy?\n# Solution\nBecause.\n", 8, "# Solution", "fence of line 5"),
    ],
)
def test_a_missing_part_is_an_error(body: str, line: int, word: str, hint: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(HEADER + body)
    problem = caught.value.problem
    assert word in problem.message
    assert hint in problem.hint
    assert problem.line == line


def test_empty_parts_second_headings_and_stray_text_are_warnings() -> None:
    card = parse_card(f"{HEADER}stray\n# Question\n\n# Solution\n\n# Solution\nBecause.\n")
    assert [w.line for w in warnings_of(card)] == [4, 5, 9]
    assert card.solution == "# Solution\nBecause."


def test_the_solution_may_come_first_and_unknown_sections_stay() -> None:
    card = parse_card(
        f"{HEADER}# Solution\nBecause.\n## Odd\nkept\n# Question\nWhy?\n## Figure\nf\n"
    )
    assert card.question == "Why?\n## Figure\nf"
    assert card.solution == "Because.\n## Odd\nkept"


@pytest.mark.parametrize(
    ("written", "points", "question"),
    [
        ("(5p) Why?", 5.0, "Why?"),
        ("(2.5 p) Why?", 2.5, "Why?"),
        ("(2,5 b) Why?", 2.5, "Why?"),
        ("**(5 points)** Why?", 5.0, "Why?"),
        ("(1 point)\nWhy?", 1.0, "Why?"),
        ("(5) Why?", None, "(5) Why?"),
        ("Why (5p)?", None, "Why (5p)?"),
    ],
)
def test_points_stand_in_front(written: str, points: float | None, question: str) -> None:
    card = parse_card(card_text(question=written))
    assert (card.points, card.question) == (points, question)


@pytest.mark.parametrize("form", ["{}) {}", "{}. {}", "({}) {}", "- {}) {}", "**{})** {}"])
def test_options_in_every_form(form: str) -> None:
    lines = "\n".join(form.format(letter, f"text {letter}") for letter in "ABC")
    card = parse_card(card_text(options=lines + "\n   goes on", solution="Correct Answer: A"))
    assert [o.letter for o in card.options] == ["A", "B", "C"]
    assert [o.text for o in card.options] == ["text A", "text B", "text C\ngoes on"]
    assert card.question == "Why?"
    assert warnings_of(card) == ()


def test_an_initial_in_a_continuation_line_is_no_option() -> None:
    options = "Pick one:\nA) the machine of\nA. M. Turing\nB) another"
    card = parse_card(card_text(options=options, solution="Correct Answer: A"))
    assert [o.text for o in card.options] == ["the machine of\nA. M. Turing", "another"]
    assert card.question == "Why?\n\nPick one:"


@pytest.mark.parametrize("sign", ["N/A", "n/a", "—", "-", "–", ""])
def test_placeholders_offer_nothing(sign: str) -> None:
    card = parse_card(card_text(options=f"A) {sign}\nB) {sign}"))
    assert [o.placeholder for o in card.options] == [True, True]
    assert not card.is_choice
    assert warnings_of(card) == ()


@pytest.mark.parametrize(
    ("written", "letters"),
    [
        ("**Correct Answer:** B", "B"),
        ("**Correct Answer**: B", "B"),
        ("Correct answer: b", "B"),
        ("**Correct Answers:** A, C", "AC"),
        ("**Correct Answer:** A and C", "AC"),
        ("**Correct Answer:** A, B, and C", "ABC"),
        ("**Correct Answer:** AC", "AC"),
        ("**Correct Answer:** B) two", "B"),
        ("**Correct Answer:** (B)", "B"),
        ("**Correct Answer: B**", "B"),
        ("**Correct Answer:**\nB", "B"),
        ("**Correct Answer:** two", "B"),
        ("- **Correct Answer:** Option B", "B"),
    ],
)
@pytest.mark.parametrize("kind", ["multiple_choice", "basic"])
def test_the_right_letters(written: str, letters: str, kind: str) -> None:
    options = "A) one\nB) two\nC) three"
    card = parse_card(card_text(f"type: {kind}", options=options, solution=written))
    assert card.is_choice
    assert (card.correct_letters, warnings_of(card)) == (tuple(letters), ())


@given(
    st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4, unique=True),
    st.sampled_from([", ", ",", "; ", " and ", ", and ", " & ", "/", " / ", " + ", " or ", " und ",
                     " oder ", " et ", " a ", " nebo "]),
    st.sampled_from(["{}", "({})", "{})", "{}.", "**{}**", "Option {}", "answer {}"]),
    st.sampled_from(["", " (True)", " (all of them)", "(f(x), say)", " [see below]", " ($a, B$)"]),
    st.sampled_from(["", ".", "\nBecause of the sum."]),
)  # fmt: skip
def test_letters_are_read_however_they_are_joined_and_remarked_on(
    letters: list[str], between: str, each: str, remark: str, end: str
) -> None:
    written = between.join(each.format(letter) for letter in letters) + remark + end
    options = "A) one\nB) two\nC) three\nD) four"
    card = parse_card(card_text(options=options, solution=f"**Correct Answer:** {written}"))
    assert card.correct_letters == tuple(letters)
    assert warnings_of(card) == ()


@given(
    st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4, unique=True),
    st.sampled_from([", ", "; ", " and ", ", and ", " & ", ".\n"]),
    st.sampled_from(["{}) {}", "({}) {}", "**{}) {}**", "{}. {}", "*{}* {}"]),
)
def test_letters_are_read_with_the_texts_of_their_options(
    letters: list[str], between: str, each: str
) -> None:
    texts = {"A": "one *half*", "B": "two, or `2`", "C": "three", "D": "a fourth and C"}
    written = between.join(each.format(letter, texts[letter]) for letter in letters)
    options = "\n".join(f"{letter}) {text}" for letter, text in texts.items())
    card = parse_card(card_text(options=options, solution=f"**Correct Answer:** {written}"))
    expected = letters if between != ".\n" else letters[:1]
    assert card.correct_letters == tuple(expected)
    assert warnings_of(card) == ()


@pytest.mark.parametrize(
    "text",
    ["A gradient", "A (rectified) unit", "B-trees", "C++", "A, as it were", "A and all", "a, b",
     "An input", "A (", "A (x", "A, B and the rest", "I (think) so"],
)  # fmt: skip
def test_words_that_begin_like_letters_are_words(text: str) -> None:
    solution = f"**Correct Answer:** {text}"
    card = parse_card(card_text(options="A) one\nB) two", solution=solution))
    assert card.correct_letters == ()
    options = f"A) B\nB) {text}\nC) A"
    assert parse_card(card_text(options=options, solution=solution)).correct_letters == ("B",)


@pytest.mark.parametrize("text", ["A, B", "AB", "A and B", "A (C)", "Option C", "(A)(B)"])
def test_the_text_of_an_option_comes_before_letters(text: str) -> None:
    options = f"A) one\nB) two\nC) {text}"
    card = parse_card(card_text(options=options, solution=f"**Correct Answer:** {text}"))
    assert card.correct_letters == ("C",)


@pytest.mark.parametrize("written", ["A (False)", "A) False", "A, B (True)", "A. *False*."])
def test_a_letter_beside_the_text_of_another_option_is_said(written: str) -> None:
    solution = f"**Correct Answer:** {written}"
    card = parse_card(card_text(options="A) True\nB) False", solution=solution))
    assert card.correct_letters[0] == "A"
    assert any("another option" in problem.message for problem in warnings_of(card))
    swapped = written.replace("False", "x").replace("True", "False").replace("x", "True")
    card = parse_card(
        card_text(options="A) True\nB) False", solution=f"**Correct Answer:** {swapped}")
    )
    assert warnings_of(card) == ()


def test_an_answer_in_words_has_no_letters() -> None:
    card = parse_card(card_text(solution="**Correct Answer:** A matrix\nof ones.\n\nMore."))
    assert (card.correct, card.correct_letters) == ("A matrix\nof ones.", ())


@pytest.mark.parametrize(
    ("options", "answer", "word"),
    [
        ("A) one\nB) two", "E", "not among"),
        ("A) one\nB) —\nC) two", "B", "not among"),
        ("A) one\nB) two", "A matrix of ones", "names no option"),
        ("A) one\nA) two", "A", "two options A"),
        ("A) one\nB) two", "", "names no option"),
        ("", "", "fewer than two"),
    ],
)
def test_odd_choices_are_warnings(options: str, answer: str, word: str) -> None:
    text = card_text(
        "type: multiple_choice", options=options, solution=f"**Correct Answer:** {answer}"
    )
    assert word in warnings_of(parse_card(text))[0].message


@pytest.mark.parametrize("kind", ["multiple_choice", "open", "derivation"])
@pytest.mark.parametrize(
    "alone", ["A) words\n   and more", "(B) words", "- **C.** $x$", "A) x\nB) N/A\nC) ..."]
)
def test_a_single_option_is_a_part_of_the_question(kind: str, alone: str) -> None:
    alone = alone.replace("C.", "A.")
    card = parse_card(card_text(f"type: {kind}", "Why?", options=f"Said:\n{alone}", solution="A"))
    assert not card.is_choice
    assert card.correct_letters == ()
    for words in ("Said:", "words" if "words" in alone else "x"):
        assert words in card.question
    assert ("fewer than two" in str(warnings_of(card))) is (kind == "multiple_choice")


def test_related_names_without_aliases_anchors_and_embeds() -> None:
    links = "## Related Concepts\n- [[a|b]] [[c#d]] [[ e ]]\n- ![[f.png]] [[a]]\n"
    assert parse_card(card_text(solution=f"S\n\n{links}")).related == ("a", "c", "e")


def test_an_environment_without_its_end_is_said() -> None:
    (problem,) = lint_card("---\nid: a\n---\n# Question\n\\begin{align}\na\n\n# Solution\nb\n")
    assert (problem.line, problem.column) == (5, 1)
    assert "\\end{align}" in problem.hint
