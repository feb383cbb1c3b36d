"""Items: one for a card, one for each cloze number, one for each direction; new cards' texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import CardError, Item, parse_card, told
from cards.cloze import find, render, render_answer, revealed
from cards.edit import new_card
from cards.model import TYPES
from tests.cards.builders import card_text, warnings_of


def cloze_items(question: str) -> dict[str, str]:
    text = f"---\nid: x\ntype: cloze\n---\n# Question\n{question}\n"
    return {item.id: item.prompt for item in parse_card(text).items}


@pytest.mark.parametrize(
    ("question", "prompts"),
    [
        ("{{c1::a}} b {{c2::c}}", {"x/c1": "[...] b c", "x/c2": "a b [...]"}),
        ("{{c2::a::hint}}, {{c2::b}}", {"x/c2": "[hint], [...]"}),
        (r"$y = {{c1::\frac{a}{b}}}$", {"x/c1": r"$y = \boxed{\ldots}$"}),
        (r"$${{c1::\frac{a}{b}::a ratio}}$$", {"x/c1": r"$$\boxed{\text{a ratio}}$$"}),
        (r"{{c1::$\frac{a}{b}$}}", {"x/c1": "[...]"}),
        (r"${{c1::\left\{ x \right.}}$", {"x/c1": r"$\boxed{\ldots}$"}),
        ("costs $5, {{c1::then}} $10", {"x/c1": "costs $5, [...] $10"}),
        ("{{c1::a {{c2::b}} c}}", {"x/c1": "[...]", "x/c2": "a [...] c"}),
    ],
)
def test_each_cloze_number_is_an_item(question: str, prompts: dict[str, str]) -> None:
    assert cloze_items(question) == prompts


def test_the_answer_shows_everything_and_the_solution() -> None:
    card = parse_card(card_text("type: cloze", "{{c1::a}}{{c2::b::h}}", "Because."))
    assert {item.answer for item in card.items} == {"ab\n\nBecause."}


@pytest.mark.parametrize(
    "question", ["{{c1::a}}{{c2::b::h}}", r"$y = {{c1::\frac{a}{b}}}$", "{{c1:: }}"]
)
@pytest.mark.parametrize("solution", ["", "Because."])
def test_a_page_of_a_cloze_card_hides_nothing(question: str, solution: str) -> None:
    card = parse_card(card_text("type: cloze", question, solution))
    assert revealed(card) == render(card.question, find(card.question), None).rstrip()
    assert revealed(parse_card(card_text("type: basic", "{{c1::a}}"))) == "{{c1::a}}"


@pytest.mark.parametrize(
    ("question", "filled"),
    [
        (
            "In {{c1::Paris}}s, {{c2::of France}}.",
            ["In **Paris**s, of France.", "In Pariss, **of France**."],
        ),
        ("{{c1::two words}} and {{c1::more}}", ["**two words** and **more**"]),
        (r"$y = {{c1::\frac{a}{b}}}$", [r"$y = \boxed{\frac{a}{b}}$"]),
        ("{{c1::$x_1$}} is", [r"$\boxed{x_1}$ is"]),
        ("{{c1::a {{c2::b}} c}}", ["**a b c**", "a **b** c"]),
        ("`x = {{c1::1}}`", ["`x = 1`"]),
        ("a{{c1::(b)}}c", ["a(b)c"]),
        ("a {{c1::(b)}} c", ["a **(b)** c"]),
        ("**{{c1::b}}**", ["**b**"]),
        ("{{c1::a\n\nb}}", ["a\n\nb"]),
        (
            r"$$\begin{matrix} {{c1::a & b}} \end{matrix}$$",
            [r"$$\begin{matrix} a & b \end{matrix}$$"],
        ),
    ],
)
def test_what_was_asked_is_marked_in_the_answer(question: str, filled: list[str]) -> None:
    card = parse_card(card_text("type: cloze", question, "Because."))
    assert [told(card, item) for item in card.items] == [(each, "Because.") for each in filled]


def test_a_preview_marks_all_that_is_asked() -> None:
    card = parse_card(card_text("type: cloze", "In {{c1::Paris}}, {{c2::of $x$}}, {{c1::so}}."))
    assert told(card) == ("In **Paris**, **of $x$**, **so**.", "Because.")


@given(st.lists(st.sampled_from(["{{c1::", "{{c2::", "}}", "{", "}", "$", "a ", "b", "`", "\n"])))
def test_marking_adds_nothing_but_marks(pieces: list[str]) -> None:
    def bare(text: str) -> str:
        return text.replace("\\boxed{", "").replace("**", "").translate({123: None, 125: None})

    text = "".join(pieces)
    clozes = find(text)
    shown = render(text, clozes, None)
    assert clozes.found or shown == text
    for number in clozes.numbers:
        assert bare(render_answer(text, clozes, number)) == bare(shown)
        assert render(text, clozes, number) != text


@pytest.mark.parametrize("question", ["none", "{{c0::a}}", "{{c1::a}", "{{c1::{a}}"])
def test_a_cloze_card_without_a_cloze_is_an_error_with_a_hint(question: str) -> None:
    with pytest.raises(CardError, match=r"no cloze.*\{\{c1::text\}\}"):
        cloze_items(question)


def test_a_cloze_left_open_is_a_warning() -> None:
    card = parse_card(card_text("type: cloze", "{{c1::a}} {{c2::b"))
    assert "never closed" in warnings_of(card)[0].message


def test_a_reversed_card_has_two_directions() -> None:
    card = parse_card(card_text("type: reversed", "one", "other"))
    assert card.items == (Item("x", "one", "other"), Item("x/r", "other", "one"))
    assert [told(card, item) for item in card.items] == [("one", "other"), ("other", "one")]


@pytest.mark.parametrize("kind", TYPES)
def test_a_new_card_of_each_type_reads_cleanly(kind: str) -> None:
    card = parse_card(new_card(kind, "a_1", "Course: one", ["a b", "no"]))
    assert (card.id, card.type, card.course) == ("a_1", kind, "Course: one")
    assert card.tags == ("a b", "no")
    assert warnings_of(card) == ()


@pytest.mark.parametrize(("kind", "card_id"), [("essay", "a"), ("basic", "a/b"), ("basic", "")])
def test_a_new_card_must_be_possible(kind: str, card_id: str) -> None:
    with pytest.raises(CardError):
        new_card(kind, card_id)
