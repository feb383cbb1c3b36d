"""Markdown to rows: each block as it is read on a page; laws of all pages; copying, lighting up."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards import read_card
from cards.model import Option
from deck.search.match import sought
from deck.search.query import parse
from tests.material import each_card
from tests.tui.pages import copy_all, plain, rows, sheet, shown, styles, widths_are_right
from tui.page.layout import PageOptions, finder
from tui.page.model import Row, Span, slice_cells, split_cells
from tui.page.output import SelectionEnd, bands, copied, lit
from tui.page.page import Page, PageLayout, options_page, window
from tui.page.read import Context, read

#: A formula that no row can say.
TALL = r"$\begin{array}{c}1\\\hline2\end{array}$"
TABLE = "| a | $x$ | r |\n|---|:-:|--:|\n| one | 2 | 3 |\n| 4 | five | 66 |"
LISTS = "1. one\n2. two words and more of them\n   - inner\n     - third"
DEFINING = "$\\K$\n\n$$\\newcommand{\\K}[1]{\\mathbb{#1}}$$\n\n| $\\K R$ |\n|---|\n\n- $\\K Z$"


@pytest.mark.parametrize(
    ("text", "width", "drawn"),
    [
        # Text is wrapped, paragraphs are apart; a hard break ends the line, a soft one does not.
        ("one two three four five\n\nsix", 14, ["one two three", "four five", "", "six"]),
        ("one\ntwo  \nthree\\\nfour", 40, ["one two", "three", "four"]),
        # A space without width is a place to break.
        ("aaaa\u200bbbbb", 20, ["aaaabbbb"]),
        ("aaaa\u200bbbbb", 6, ["aaaa", "bbbb"]),
        # Brackets are text, emphasis is not.
        ("[bold]x[/bold] **y** `[z]` ~~w~~", 40, ["[bold]x[/bold] y [z] w"]),
        ("# One\ntext", 40, ["One", "━━━", "text"]),
        ("## Two\ntext", 40, ["Two", "───", "text"]),
        # Lists hang under their marks; numbers end in one column.
        (
            LISTS,
            20,
            ["1. one", "2. two words and", "   more of them", "   • inner", "     ◦ third"],
        ),
        ("9. nine\n10. ten", 40, [" 9. nine", "10. ten"]),
        ("- a\n\n- b", 40, ["• a", "", "• b"]),
        ("- [ ] a\n- [x] b\n- [y] c", 40, ["☐ a", "☑ b", "• [y] c"]),
        # Quotes have a bar on every row; a callout is a quote with a title.
        ("> said so\n>\n> > and so", 12, ["▎ said so", "▎", "▎ ▎ and so"]),
        ("> one two", 8, ["▎ one", "▎ two"]),
        (
            "> [!note] On *it*\n> text\n\n> [!WARNING]\n> careful",
            40,
            ["▎ On it", "▎ text", "", "▎ Warning", "▎ careful"],
        ),
        # A table is as wide as what it holds; cells are wrapped where the page is narrow.
        (
            TABLE,
            40,
            ["a   │  x   │  r", "────┼──────┼───", "one │  2   │  3", "4   │ five │ 66"],
        ),
        (
            "| a | b |\n|---|---|\n| short | some words to wrap |\n| x | y |",
            18,
            [
                "a     │ b",
                "──────┼───────────",
                "short │ some words",
                "      │ to wrap",
                "╌╌╌╌╌╌┊╌╌╌╌╌╌╌╌╌╌╌",
                "x     │ y",
            ],
        ),
        ("```python\ndef f(x):\n    return 'a'\n```", 40, ["  def f(x):", "      return 'a'"]),
        ("a\n\n---\n\nb", 5, ["a", "", "─────", "", "b"]),
        # Footnotes stand at the end.
        (
            "a[^b] c[^no]\n\n[^b]: foot $x$\n\nend",
            40,
            ["a[1] c[^no]", "", "end", "", "[1] foot x"],
        ),
        # A formula stands on the line of its text, its punctuation with it.
        (f"half is {TALL}, say", 40, ["        1", "half is ─, say", "        2"]),
        ("and $\\delta_{f,kl} = \\dfrac12$, say", 40, ["and δ_(f, kl) = 1/2, say"]),
        ("it is $x_Q = y_{Q} + z$, as", 12, ["it is", "x_Q = y_Q", "        + z,", "as"]),
        ("aaaa aaaa $x=y$, b", 14, ["aaaa aaaa", "x = y, b"]),
        ("| a |\n|---|\n| $\\|y-Xw\\|^2$ |", 40, ["a", "─────────", "‖y − Xw‖²"]),
        # A display is in the middle, in rows of its own; within a list it hangs.
        ("$$ x=1 $$", 21, [" " * 8 + "x = 1"]),
        ("- a\n\n  $$ x=1 $$", 21, ["• a", "", " " * 4 + "x = 1"]),
        ("let $$x=1$$ be", 21, ["let", "", " " * 8 + "x = 1", "", "be"]),
        ("**let $$x$$ be** it", 9, ["let", "", "    x", "", "be it"]),
        # A long one is broken at its relations, the text goes on below it.
        (
            "we have $a + b + c + d = e + f + g$, which is all",
            16,
            ["we have", "a + b + c + d", "    = e + f + g,", "which is all"],
        ),
        # What cannot be read is marked.
        ("so $\\frac{1}{2$, and", 40, ["so 1/2 (!), and"]),
        ("$$\\frac{1}{x$$", 21, ["        1", "        ─ (!)", "        x"]),
        ("$\\foo$ $\\frac12$", 40, ["foo (!) 1/2"]),
        # A formula defines for what follows it.
        (DEFINING, 40, ["K (!)", "", "ℝ", "─", "", "• ℤ"]),
    ],
)
def test_a_block_is_drawn(text: str, width: int, drawn: list[str]) -> None:
    assert rows(text, width) == drawn


@pytest.mark.parametrize(
    ("text", "word", "style"),
    [
        ("**a b** *c* ~~d~~ `e`", "a b", "bold"),
        ("**a *b***", "b", "bold italic"),
        ("**let $$x$$ be** it", "be", "bold"),
        ("```python\nreturn 'a'\n```", "return", "codeblock syntax-keyword"),
        ("```\nreturn\n```", "return", "codeblock"),
        ("```nolanguage\nreturn\n```", "return", "codeblock"),
        ("> [!WARNING]\n> careful", "Warning", "callout"),
        ("$\\frac{1}{2$", "(!)", "warning"),
        *((f"{'#' * level} Word", "Word", f"heading{level}") for level in range(1, 7)),
    ],
)
def test_what_a_word_is_stands_in_its_style(text: str, word: str, style: str) -> None:
    assert styles(text, word) == {style}


def test_what_cannot_be_made_narrower_scrolls() -> None:
    table = sheet("|" + "wordword|" * 6 + "\n|" + "-|" * 6, 30)
    assert (table.wide, table.hidden(0)) == (1, 6 * 8 + 5 * 3 - 30)
    matrix = sheet(r"$$ \begin{pmatrix}" + "&".join(["aaaa"] * 9) + r"\end{pmatrix} $$", 30)
    assert (matrix.wide, matrix.hidden(0)) == (1, 54 - 30)
    broken = sheet("$$ aaaa + bbbb = cccc + dddd = eeee + ffff $$", 30)
    assert (broken.wide, len(broken.rows)) == (0, 2)


def test_the_number_of_an_equation_does_not_move_it() -> None:
    plain_row, numbered = (rows(f"$$ x = y {tag} $$", 41)[0] for tag in ("", "\\tag{1}"))
    assert numbered.startswith(plain_row)
    assert numbered.endswith("(1)")
    assert len(numbered) == 41


def test_macros_are_known_of_the_card_and_of_what_stands_before() -> None:
    assert rows("$x \\in \\R$", 40, Context(macros={"\\R": "\\mathbb{R}"})) == ["x ∈ ℝ"]
    first = read("$\\def\\K{x}$")
    assert rows("$\\K$", 40, Context().after(first)) == ["x"]
    assert rows("$\\K$", 40, Context()) == ["K (!)"]


@pytest.mark.parametrize("mark", ["", "- ", "12. ", "> ", "> - "])
@pytest.mark.parametrize("display", ["$${}$$", "$$\n{}\n$$", "\\[{}\\]", "$$\\frac{{{}}}{{2}}$$"])
@pytest.mark.parametrize("between", [" ", "\n", "\n\n"])
def test_two_displays_never_touch(mark: str, display: str, between: str) -> None:
    between = "\n" if "\n" in display and between == " " else between
    text = between.join(["words", display.format("p"), display.format("q")])
    indent = "".join(sign if sign == ">" else " " for sign in mark)
    lines = [f"{indent}{line}" for line in text.split("\n")]
    source = "\n".join(
        [mark + lines[0][len(mark) :], *lines[1:], *([f"{mark}last"] if mark else [])]
    )
    drawn = [row.strip(" ▎•") for row in rows(source)]
    assert "" in drawn[drawn.index("p") : drawn.index("q")]


@pytest.mark.parametrize("mark", ["", "- ", "3. ", "> ", "> [!note] ", "# a\n", "a[^1]\n\n[^1]: "])
@pytest.mark.parametrize("broken", [True, False])
def test_line_breaks_stay_where_they_are_asked_for(mark: str, broken: bool) -> None:
    lines = ["if **x**:", "do `y`", "$z$ and", "so on"]
    before = "> " if mark.startswith(">") else "   " if mark.strip() else ""
    text = mark + f"\n{before}".join(lines)
    drawn = [row.strip(" •▎3.[1]") for row in rows(text, 60, Context(line_breaks=broken))]
    wanted = ["if x:", "do y", "z and", "so on"]
    if not broken:
        callout = mark == "> [!note] "
        wanted = ["if x:", "do y z and so on"] if callout else ["if x: do y z and so on"]
    assert drawn[-len(wanted) :] == wanted


def test_a_display_stands_as_it_does_without_line_breaks() -> None:
    text = "words\n$$x$$\nmore\n\n- a\n  $$x$$\n  b"
    assert rows(text, 40, Context(line_breaks=True)) == rows(text, 40)


# Links, pictures, options.


def test_a_wikilink_shows_whether_its_card_exists() -> None:
    context = Context(resolve={"pool": "pool_stride"}.get)
    assert rows("[[pool]] [[pool|the pool]] [[none]]", 40, context) == ["pool the pool none?"]
    assert styles("[[pool]]", "pool", 40, context) == {"link"}
    assert styles("[[none]]", "none", 40, context) == {"missing"}


def test_the_address_of_a_link_is_written_out_where_nothing_can_be_clicked() -> None:
    text = "[here](https://a.example/b) <https://c.example>"
    assert rows(text, 60) == ["here https://c.example"]
    context = Context(addresses=True)
    assert rows(text, 60, context) == ["here (https://a.example/b) https://c.example"]
    for target in ("javascript:alert(1)", "file:///etc/hosts"):
        assert not sheet(f"[a]({target})").stops


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("there.png", ""),
        ("gone.png", "missing: there is no such file"),
        ("../there.png", "outside the collection"),
        ("/etc/hosts", "outside the collection"),
        ("https://a.example/b.png", "not on this disk"),
    ],
)
def test_a_picture_is_a_frame_with_its_title_and_what_is_wrong(
    tmp_path: Path, target: str, said: str
) -> None:
    (tmp_path / "there.png").write_bytes(b"")
    find = finder(tmp_path / "card.md", tmp_path)
    page = Page(read(f"![A pool]({target})"), PageOptions(find=find)).at(60)
    drawn = [row.text for row in page.rows]
    assert "╭ picture ─" in drawn[0]
    assert "A pool" in drawn[1]
    assert said in "\n".join(drawn)
    assert ("not" in drawn[-2] or "missing" in drawn[-2]) == bool(said)


def test_options_have_their_letters_and_their_verdict() -> None:
    options = [Option("A", "one", False), Option("B", "$x$", False), Option("C", "—", True)]

    def drawn(picked: str, correct: tuple[str, ...] | None) -> list[str]:
        page = Page(options_page(options, frozenset(picked), correct)).at(40)
        return [row.text for row in page.rows]

    assert drawn("", None) == ["   A) one", "   B) x"]
    assert drawn("A", None) == ["▸  A) one", "   B) x"]
    assert drawn("A", ("B",)) == ["▸✗ A) one", " ✓ B) x"]
    assert drawn("A", ("A", "B")) == ["▸✓ A) one", " ✓ B) x"], "what was picked is seen still"


def test_a_folded_section_hides_what_stands_below_it() -> None:
    page = Page(read("# A\na\n## B\nb\n# C\nc"), PageOptions(folds=True))
    folded = page.at(20, frozenset({0})).rows
    assert [row.text for row in folded] == ["A ▸ …", "━", "", "C ▾", "━", "c"]
    assert page.at(20) is page.at(20)


# On a terminal and in a pipe.


def test_what_is_too_wide_is_cut_into_pieces_where_nothing_scrolls() -> None:
    assert plain("```\n" + "abcdefghij" * 2 + "\n```", 12) == "abcdefghij›\n‹abcdefghij"
    text = f"| a | wordword | lastlast |\n|---|---|---|\n| b | wordword | {TALL} |"
    assert plain(text, 16).split("\n") == [
        "a │ wordword›",
        "──┼─────────›",
        "  │",
        "b │ wordword›",
        "  │",
        "",
        # The first column stands before each piece.
        "a │ ‹lastlast",
        "──┼─‹────────",
        "  │ ‹1",
        "b │ ‹─",
        "  │ ‹2",
    ]


def test_a_broken_formula_is_copied_as_it_was_written() -> None:
    text = "we have $a + b + c + d = e + f + g$, which is all"
    assert copy_all(text, 16) == text
    assert "(!)" not in shown("$\\frac12$ $\\text{a}$")


# Laws: nothing too wide, nothing lost, nothing raises.

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
        f"half is {TALL}, say\n\n$$\\frac{{a}}{{b}}$$\n\nend",
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


HALF = f"half is {TALL}, say"
CELLS = "| a b | c |\n|---|---|\n| 1 2 | 3 |\n| 4 | 5 |\n\nend"
LINK = "[[pool]]\n\n```\nx = 1\ny = 2\n```"


@pytest.mark.parametrize(
    ("text", "width", "start", "end", "said"),
    [
        # A formula as its LaTeX, whole and once.
        (HALF, 40, (0, 8), (0, 9), TALL),
        (HALF, 40, (2, 8), (0, 12), f"{TALL}, s"),
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
