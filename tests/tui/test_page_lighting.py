"""What a search found is lit up on a page: letters of words, and formulas whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deck.search.match import sought
from deck.search.query import parse
from tests.tui.pages import widths_are_right
from tui.page.layout import PageOptions
from tui.page.output import SelectionEnd, copied
from tui.page.page import Page, PageLayout
from tui.page.read import Context, read

BITS = (
    *(
        "a ",
        "**ab**",
        "`a`",
        "``a`b``",
        "$a_b$",
        "$$\\frac{a}{b}$$\n",
        "[[a|b a]]",
        "\n\n",
        "- a\n",
    ),
    *("> a b\n", "| a | b |\n|---|---|\n| b | a a |\n", "# a\n", "[a](http://b)", "bb ", "\\\n"),
)
MARKDOWN = st.lists(st.sampled_from(BITS), max_size=12).map("".join)


def page(markdown: str, search: str = "", width: int = 40) -> PageLayout:
    light = sought(parse(search)).spans if search else None
    return Page(read(markdown, Context()), PageOptions(folds=True, light=light)).at(width)


def lit(found: PageLayout) -> list[tuple[int, str]]:
    return [
        (number, span.text)
        for number, row in enumerate(found.rows)
        for span in row.spans
        if {"found", "lit"} & set(span.style.split())
    ]


def test_letters_are_lit_in_words_of_every_look() -> None:
    found = page("A *Jacobian* and **jaco**, `jacob`", "jaco")
    assert lit(found) == [(0, "Jaco"), (0, "jaco"), (0, "jaco")]
    assert found.rows[0].text == page("A *Jacobian* and **jaco**, `jacob`").rows[0].text


def test_a_phrase_is_lit_across_the_end_of_a_row() -> None:
    assert lit(page("one two three", '"two three"', 8)) == [(0, "two"), (1, "three")]


def test_a_formula_is_lit_whole_by_its_source() -> None:
    found = page("Of $$\\frac{a}{b}$$ and $c$", "frac")
    assert {number for number, _ in lit(found)} == {2, 3, 4}
    assert found.hits == [2]
    assert "".join(text for _, text in lit(found)).count("a") == 1


def test_words_of_a_formula_light_no_other() -> None:
    assert lit(page("$a$ and $b$", "b")) == [(0, "b")]


def test_hits_are_the_rows_to_go_to() -> None:
    assert page("a\n\nb\n\na a", "a").hits == [0, 4]


@given(MARKDOWN, st.sampled_from(["a", "b", '"a b"', "a or b", "frac"]), st.integers(4, 40))
def test_lighting_changes_no_text_and_no_copy(markdown: str, search: str, width: int) -> None:
    dark, bright = page(markdown, "", width), page(markdown, search, width)
    assert [row.text for row in bright.rows] == [row.text for row in dark.rows]
    assert widths_are_right(bright)
    for one, other in zip(bright.rows, dark.rows, strict=True):
        fixed = ["".join(span.text for span in row.spans[: row.fixed]) for row in (one, other)]
        assert fixed[0] == fixed[1]
    if dark.rows:
        end = SelectionEnd(len(dark.rows) - 1, len(dark.rows[-1].text))
        assert copied(bright, SelectionEnd(0, 0), end) == copied(dark, SelectionEnd(0, 0), end)
