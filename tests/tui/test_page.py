"""Markdown to rows: each block as it is read on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards.model import Option
from tests.tui.pages import copy_all, plain, rows, sheet, shown, styles
from tui.page.layout import PageOptions, finder
from tui.page.page import Page, options_page
from tui.page.read import Context, read

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
        ("half is $\\dfrac{1}{2}$, say", 40, ["        1", "half is ─, say", "        2"]),
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
    assert drawn("A", None) == [" ▸ A) one", "   B) x"]
    assert drawn("A", ("B",)) == [" ✗ A) one", " ✓ B) x"]


def test_a_folded_section_hides_what_stands_below_it() -> None:
    page = Page(read("# A\na\n## B\nb\n# C\nc"), PageOptions(folds=True))
    folded = page.at(20, frozenset({0})).rows
    assert [row.text for row in folded] == ["A ▸ …", "━", "", "C ▾", "━", "c"]
    assert page.at(20) is page.at(20)


# On a terminal and in a pipe.


def test_what_is_too_wide_is_cut_into_pieces_where_nothing_scrolls() -> None:
    assert plain("```\n" + "abcdefghij" * 2 + "\n```", 12) == "abcdefghij›\n‹abcdefghij"
    text = "| a | wordword | lastlast |\n|---|---|---|\n| b | wordword | $\\dfrac12$ |"
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
