"""Laws of the page: nothing too wide, nothing lost, nothing raises, nothing obeyed."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards import read_card
from deck.search.match import sought
from deck.search.query import parse
from tests.material import each_card
from tests.tui.pages import copy_all, plain, sheet, widths_are_right
from tui.page.layout import PageOptions
from tui.page.model import Row, Span, slice_cells, split_cells
from tui.page.output import SelectionEnd, bands, copied, lit
from tui.page.page import Page, PageLayout, window
from tui.page.read import read

SIGNS = "ab *_$[]()`#>-+1.|\n\\{}!~^&=中é\u0301👩\u200d\ufe0f\u202e\x1b\t"
WORDS = ("one", "δ", "漢字", "naïve", "supercalifragilistic", "x²", "ab")
#: Frames around words, in which no word may be lost.
FRAMES = (
    "{}",
    "**{}**",
    "# {}",
    "### *{}*",
    "- {}",
    "1. {}\n   - {}",
    "> {}\n> {}",
    "```\n{} {}\n```",
    "[{}](https://a.example)",
    "[[{}]]",
    "- [ ] {}\n\n  > {}",
    "`{}` {}~~{}~~",
    "![{}](b.png)",
    "| {} | {} |\n|---|---|\n| {} | {} |",
)


@given(st.text(alphabet=SIGNS, max_size=120), st.integers(1, 70))
def test_no_row_is_wider_than_the_page(text: str, width: int) -> None:
    assert widths_are_right(sheet(text, width))


@given(st.lists(st.sampled_from(FRAMES), max_size=6), st.data(), st.integers(8, 70))
def test_every_word_appears_in_order(frames: list[str], data: st.DataObject, width: int) -> None:
    words: list[str] = []

    def word(_: re.Match[str]) -> str:
        words.append(f"{data.draw(st.sampled_from(WORDS))}{len(words)}z")
        return words[-1]

    text = "\n\n".join(re.sub(r"\{\}", word, frame) for frame in frames)
    drawn = copy_all(text, width)
    at = 0
    for each in words:
        at = drawn.index(each, at) + len(each)


@given(st.text(alphabet="ab中👩é\u0301 ", max_size=30), st.integers(2, 9), st.integers(0, 30))
def test_a_chopped_text_is_the_same_text(text: str, width: int, start: int) -> None:
    pieces = split_cells(text, width, width)
    assert "".join(pieces) == text
    assert all(cell_len(piece) <= width for piece in pieces)
    assert cell_len(slice_cells(text, start, start + width)) == max(
        0, min(cell_len(text) - start, width)
    )


@given(st.text(alphabet="ab中 ", min_size=1, max_size=40), st.integers(4, 12), st.integers(0, 40))
def test_a_window_never_shows_more_than_it_is_wide(text: str, width: int, offset: int) -> None:
    row = Row((Span("> "), Span(text)), 2 + cell_len(text), fixed=1, wide=0)
    seen = window(row, width, min(offset, max(0, row.width - width)))
    assert cell_len("".join(each.span.text for each in seen)) <= width
    assert seen[0].span.text == "> "
    # Each span knows where its text begins.
    for each in seen:
        if each.span.style != "edge" and "中" not in text:
            assert row.text[each.start :].startswith(each.span.text)


@given(
    st.lists(st.text(alphabet="ab中👩é ", min_size=1, max_size=12), max_size=6), st.integers(6, 20)
)
def test_pieces_of_a_wide_row_are_all_of_it(texts: list[str], width: int) -> None:
    spans = tuple(Span(text) for text in texts)
    row = Row((Span("> "), *spans), 2 + sum(map(cell_len, texts)), fixed=1, wide=0)
    pieces = bands(row, width)
    assert all(cell_len(piece.text) <= width for piece in pieces)
    kept = "".join(s.text for p in pieces for s in p.spans[1:] if s.style != "edge")
    assert kept == "".join(texts)


@each_card
def test_a_card_is_drawn_whole(path: Path) -> None:
    card = read_card(path)
    for text, width in product((card.question, card.solution), (20, 100)):
        found = sheet(text, width)
        assert widths_are_right(found)
        words = re.findall(r"[^\W\d_]{3,}", re.sub(r"\$\$?.*?\$\$?|`.*?`", " ", text, flags=re.S))
        drawn = copy_all(text, width)
        at = 0
        for word in words:
            at = drawn.index(word, at) + len(word)


# Copying.


@pytest.mark.parametrize("width", [12, 30, 80])
@pytest.mark.parametrize(
    "text",
    [
        "## Head\n\n- one\n- [x] two\n\n> said\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        "half is $\\dfrac{1}{2}$, say\n\n$$\\frac{a}{b}$$\n\nend",
        "**bold *and more* of it** and ~~struck~~ `code x` it",
        "[[pool]] [[a card|its label]] [web page](https://a.example) <https://b.example>",
        "**a formula $x$ in it** and $\\mathbf{y}$ \\(z^2\\)",
        "- one\n\n  ```py\n  x = 1\n\n  y = 2\n  ```",
        "> | **a** | $\\|x\\|$ | c\\|d |\n> | --- | :-: | --: |\n> | one two three | 2 | `x` |",
        "> [!note] A *title* of it\n> text",
        "a[^1] b\n\n[^1]: foot",
        "\\[x = y\\]\n\n\\begin{align}a &= b\\end{align}\n\n```math\nx\n```",
    ],
)
def test_what_is_copied_whole_is_what_was_written(text: str, width: int) -> None:
    assert copy_all(text, width) == text


HALF = "half is $\\dfrac{1}{2}$, say"
CELLS = "| a b | c |\n|---|---|\n| 1 2 | 3 |\n| 4 | 5 |\n\nend"
LINK = "[[pool]]\n\n```\nx = 1\ny = 2\n```"


@pytest.mark.parametrize(
    ("text", "width", "start", "end", "said"),
    [
        # A formula as its LaTeX, whole and once.
        (HALF, 40, (0, 8), (0, 9), "$\\dfrac{1}{2}$"),
        (HALF, 40, (2, 8), (0, 12), "$\\dfrac{1}{2}$, s"),
        # A table by its rows, a part of a cell as it is.
        (CELLS, 40, (2, 2), (2, 5), "2 |"),
        (CELLS, 40, (2, 2), (3, 1), "| 1 2 | 3 |\n| 4 | 5 |"),
        # A part of a link or of code without its signs.
        (LINK, 40, (0, 1), (0, 3), "oo"),
        (LINK, 40, (2, 2), (2, 7), "x = 1"),
        # A part of a line as it is seen.
        ("one two three four", 9, (0, 4), (1, 3), "two thr"),
        ("one two three four", 9, (1, 1), (1, 3), "hr"),
    ],
)
def test_a_part_is_copied(
    text: str, width: int, start: tuple[int, int], end: tuple[int, int], said: str
) -> None:
    assert copied(sheet(text, width), SelectionEnd(*start), SelectionEnd(*end)) == said


def test_the_sign_of_a_fold_is_no_text() -> None:
    found = Page(read("## Head\n\ntext"), PageOptions(folds=True)).at(30)
    assert "▾" in found.rows[0].text
    assert copied(found, SelectionEnd(0, 0), SelectionEnd(2, 4)) == "## Head\n\ntext"


def test_what_is_lit_is_what_is_copied() -> None:
    half, table = sheet(HALF), sheet(CELLS)
    chosen = [lit(half, SelectionEnd(1, 4), SelectionEnd(1, 9), y) for y in range(3)]
    assert chosen == [(4, 9)] * 3
    assert lit(table, SelectionEnd(2, 2), SelectionEnd(3, 1), 2) == (0, len(table.rows[2].text))
    assert lit(table, SelectionEnd(2, 0), SelectionEnd(2, 1), 3) is None


# What a search found is lit up: letters of words, and formulas whole.

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
    return Page(read(markdown), PageOptions(folds=True, light=light)).at(width)


def lighted(found: PageLayout) -> list[tuple[int, str]]:
    return [
        (number, span.text)
        for number, row in enumerate(found.rows)
        for span in row.spans
        if {"found", "lit"} & set(span.style.split())
    ]


@pytest.mark.parametrize(
    ("text", "search", "width", "lit", "hits"),
    [
        (
            "A *Jacobian* and **jaco**, `jacob`",
            "jaco",
            40,
            [(0, "Jaco"), (0, "jaco"), (0, "jaco")],
            [0],
        ),
        # A phrase goes on in the next row.
        ("one two three", '"two three"', 8, [(0, "two"), (1, "three")], [0, 1]),
        # A formula is lit whole, by its source; its hit is its first row.
        ("$a$ $\\frac{1}{2}$", "frac", 40, [(0, "1/2")], [0]),
        ("$$\\frac{a}{b}$$", "frac", 3, [(0, "a"), (1, "─"), (2, "b")], [0]),
        ("$a$ and $b$", "b", 40, [(0, "b")], [0]),
        ("a\n\nb\n\na a", "a", 40, [(0, "a"), (4, "a"), (4, "a")], [0, 4]),
    ],
)
def test_what_was_found_is_lit(
    text: str, search: str, width: int, lit: list[tuple[int, str]], hits: list[int]
) -> None:
    found = page(text, search, width)
    assert [(row, text.strip()) for row, text in lighted(found)] == lit
    assert found.hits == hits


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


def test_nothing_is_lost_however_deep_it_is_nested() -> None:
    lists = "".join("  " * depth + f"- a{depth}.\n" for depth in range(60))
    quotes = "".join("> " * depth + f"a{depth}.\n\n" for depth in range(60))
    for text in (lists, quotes):
        shown = plain(text, 100)
        places = [shown.index(f"a{depth}.") for depth in range(60)]
        assert all(a < b for a, b in pairwise(places))
