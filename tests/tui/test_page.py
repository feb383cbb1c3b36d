"""Markdown to rows: each block as it is read on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards.model import Option
from tests.tui.pages import copy_all, plain, rows, sheet, shown, styles
from tui.card_pages import options_page
from tui.page.layout import PageOptions, finder
from tui.page.page import Page
from tui.page.read import Context, read


def test_text_is_wrapped_and_paragraphs_are_apart() -> None:
    assert rows("one two three four five\n\nsix", 14) == ["one two three", "four five", "", "six"]


def test_a_hard_break_ends_the_line_and_a_soft_one_does_not() -> None:
    assert rows("one\ntwo  \nthree\\\nfour") == ["one two", "three", "four"]


def test_brackets_are_text_and_emphasis_is_not() -> None:
    assert shown("[bold]x[/bold] **y** `[z]` ~~w~~") == "[bold]x[/bold] y [z] w"
    assert styles("**a b** *c* ~~d~~ `e`", "a b") == {"bold"}
    assert styles("**a *b***", "b") == {"bold italic"}


def test_levels_of_headings_are_told_apart() -> None:
    assert rows("# One\ntext") == ["One", "━━━", "text"]
    assert rows("## Two\ntext") == ["Two", "───", "text"]
    looks = [styles(f"{'#' * level} Word", "Word") for level in range(1, 7)]
    assert len(set(map(frozenset, looks))) == 6


def test_lists_hang_under_their_marks() -> None:
    text = "1. one\n2. two words and more of them\n   - inner\n     - third"
    assert rows(text, 20) == [
        "1. one",
        "2. two words and",
        "   more of them",
        "   • inner",
        "     ◦ third",
    ]


def test_numbers_of_a_list_end_in_one_column() -> None:
    assert rows("9. nine\n10. ten") == [" 9. nine", "10. ten"]


def test_loose_lists_have_air_and_tasks_have_boxes() -> None:
    assert rows("- a\n\n- b") == ["• a", "", "• b"]
    assert rows("- [ ] a\n- [x] b\n- [y] c") == ["☐ a", "☑ b", "• [y] c"]


def test_quotes_have_a_bar_on_every_row() -> None:
    assert rows("> said so\n>\n> > and so", 12) == [
        "▎ said so",
        "▎",
        "▎ ▎ and so",
    ]
    assert rows("> one two", 8) == ["▎ one", "▎ two"]


def test_a_table_is_as_wide_as_what_it_holds() -> None:
    assert rows("| a | $x$ | r |\n|---|:-:|--:|\n| one | 2 | 3 |\n| 4 | five | 66 |") == [
        "a   │  x   │  r",
        "────┼──────┼───",
        "one │  2   │  3",
        "4   │ five │ 66",
    ]


def test_cells_are_wrapped_where_the_page_is_narrow() -> None:
    text = "| a | b |\n|---|---|\n| short | some words to wrap |\n| x | y |"
    assert rows(text, 18) == [
        "a     │ b",
        "──────┼───────────",
        "short │ some words",
        "      │ to wrap",
        "╌╌╌╌╌╌┊╌╌╌╌╌╌╌╌╌╌╌",
        "x     │ y",
    ]


def test_a_table_that_cannot_be_narrower_scrolls() -> None:
    found = sheet("|" + "wordword|" * 6 + "\n|" + "-|" * 6, 30)
    assert found.wide == 1
    assert found.hidden(0) == 6 * 8 + 5 * 3 - 30


def test_code_keeps_its_lines_and_has_colours() -> None:
    text = "```python\ndef f(x):\n    return 'a'\n```"
    assert rows(text) == ["  def f(x):", "      return 'a'"]
    assert styles(text, "return") == {"codeblock syntax-keyword"}
    assert styles("```\nreturn\n```", "return") == {"codeblock"}
    assert styles("```nolanguage\nreturn\n```", "return") == {"codeblock"}


def test_a_rule_is_a_line() -> None:
    assert rows("a\n\n---\n\nb", 5) == ["a", "", "─────", "", "b"]


# Formulas.


def test_a_formula_stands_on_the_line_of_its_text() -> None:
    assert rows(r"So $x_{i^*}$ and *$a$* are.")[0].startswith("So x")
    found = rows("half is $\\dfrac{1}{2}$, say")
    assert found == ["        1", "half is ─, say", "        2"]


def test_punctuation_stays_with_its_formula() -> None:
    assert rows("aaaa aaaa $x=y$, b", 14) == ["aaaa aaaa", "x = y, b"]


def test_a_display_formula_is_in_the_middle() -> None:
    assert rows("$$ x=1 $$", 21) == [" " * 8 + "x = 1"]
    assert rows("- a\n\n  $$ x=1 $$", 21)[-1] == " " * 4 + "x = 1"


def test_a_display_formula_within_a_paragraph_gets_its_own_rows() -> None:
    assert rows("let $$x=1$$ be", 21) == ["let", "", " " * 8 + "x = 1", "", "be"]


def test_bold_text_goes_on_below_a_formula_that_cuts_it() -> None:
    assert rows("**let $$x$$ be** it", 9) == ["let", "", "    x", "", "be it"]
    assert styles("**let $$x$$ be** it", "be") == {"bold"}


def test_a_long_formula_is_broken_at_its_relations() -> None:
    found = sheet("$$ aaaa + bbbb = cccc + dddd = eeee + ffff $$", 30)
    assert found.wide == 0
    assert len(found.rows) > 1


def test_a_formula_that_cannot_be_broken_scrolls() -> None:
    matrix = r"\begin{pmatrix}" + "&".join(["aaaa"] * 9) + r"\end{pmatrix}"
    found = sheet(f"$$ {matrix} $$", 30)
    assert found.wide == 1
    assert found.hidden(0) > 0


def test_a_macro_of_the_card_is_known_in_its_formulas() -> None:
    context = Context(macros={"\\R": "\\mathbb{R}"})
    assert rows("$x \\in \\R$", 40, context) == ["x ∈ ℝ"]


def test_a_norm_in_a_table_stays_a_norm() -> None:
    assert rows("| a |\n|---|\n| $\\|y-Xw\\|^2$ |")[-1] == "‖y − Xw‖²"


def test_the_number_of_an_equation_does_not_move_it() -> None:
    plain_row, numbered = (rows(f"$$ x = y {tag} $$", 41)[0] for tag in ("", "\\tag{1}"))
    assert numbered.startswith(plain_row)
    assert numbered.endswith("(1)")
    assert len(numbered) == 41


def test_text_goes_on_below_a_broken_formula() -> None:
    text = "we have $a + b + c + d = e + f + g$, which is all"
    assert rows(text, 16) == [
        "we have",
        "a + b + c + d",
        "    = e + f + g,",
        "which is all",
    ]
    assert copy_all(text, 16) == text


def test_a_formula_that_cannot_be_read_is_marked() -> None:
    assert rows("so $\\frac{1}{2$, and", 40) == ["so 1/2 (!), and"]
    assert styles("$\\frac{1}{2$", "(!)") == {"warning"}
    assert rows("$$\\frac{1}{x$$", 21) == ["        1", "        ─ (!)", "        x"]
    assert "(!)" in rows("$\\foo$")[0]
    assert "(!)" not in shown("$\\frac12$ $\\text{a}$")


def test_a_formula_defines_for_what_follows() -> None:
    text = "$\\K$\n\n$$\\newcommand{\\K}[1]{\\mathbb{#1}}$$\n\n| $\\K R$ |\n|---|\n\n- $\\K Z$"
    assert rows(text) == ["K (!)", "", "ℝ", "─", "", "• ℤ"]
    first = read("$\\def\\K{x}$")
    assert rows("$\\K$", 40, Context().after(first)) == ["x"]
    assert rows("$\\K$", 40, Context()) == ["K (!)"]


# Callouts and footnotes.


def test_a_callout_is_a_quote_with_a_title() -> None:
    text = "> [!note] On *it*\n> text\n\n> [!WARNING]\n> careful"
    assert rows(text) == ["▎ On it", "▎ text", "", "▎ Warning", "▎ careful"]
    assert styles(text, "Warning") == {"callout"}


def test_footnotes_stand_at_the_end() -> None:
    assert rows("a[^b] c[^no]\n\n[^b]: foot $x$\n\nend") == [
        "a[1] c[^no]",
        "",
        "end",
        "",
        "[1] foot x",
    ]


def test_a_space_without_width_is_a_place_to_break() -> None:
    assert rows("aaaa\u200bbbbb", 20) == ["aaaabbbb"]
    assert rows("aaaa\u200bbbbb", 6) == ["aaaa", "bbbb"]


# Links and pictures.


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


def test_a_picture_is_a_frame_with_its_title(tmp_path: Path) -> None:
    (tmp_path / "there.png").write_bytes(b"")
    find = finder(tmp_path / "card.md", tmp_path)

    def framed(target: str) -> str:
        page = Page(read(f"![A pool]({target})"), PageOptions(find=find)).at(60)
        return "\n".join(row.text for row in page.rows)

    assert "A pool" in framed("there.png")
    assert "missing" not in framed("there.png")
    assert "missing" in framed("gone.png")
    assert "outside the collection" in framed("../there.png")
    assert "outside the collection" in framed("/etc/hosts")
    assert "not on this disk" in framed("https://a.example/b.png")


def test_options_have_their_letters_and_their_verdict() -> None:
    options = [Option("A", "one", False), Option("B", "$x$", False), Option("C", "—", True)]

    def drawn(picked: str, correct: tuple[str, ...] | None) -> list[str]:
        page = Page(options_page(options, frozenset(picked), correct)).at(40)
        return [row.text for row in page.rows]

    assert drawn("", None) == ["   A) one", "   B) x"]
    assert drawn("A", None) == [" ▸ A) one", "   B) x"]
    assert drawn("A", ("B",)) == [" ✗ A) one", " ✓ B) x"]


# Folding.


def test_a_folded_section_hides_what_stands_below_it() -> None:
    page = Page(read("# A\na\n## B\nb\n# C\nc"), PageOptions(folds=True))
    assert [row.text for row in page.at(20, frozenset({0})).rows] == [
        "A ▸ …",
        "━",
        "",
        "C ▾",
        "━",
        "c",
    ]
    assert page.at(20) is page.at(20)


# On a terminal and in a pipe.


def test_what_is_too_wide_is_cut_into_pieces_where_nothing_scrolls() -> None:
    assert plain("```\n" + "abcdefghij" * 2 + "\n```", 12) == "abcdefghij›\n‹abcdefghij"


def test_the_first_column_stands_before_each_piece_of_a_table() -> None:
    text = "| a | wordword | lastlast |\n|---|---|---|\n| b | wordword | $\\dfrac12$ |"
    assert plain(text, 16) == (
        "a │ wordword›\n──┼─────────›\n  │         \n".replace("         \n", "\n")
        + "b │ wordword›\n"
        "  │\n"
        "\n"
        "a │ ‹lastlast\n"
        "──┼─‹────────\n"
        "  │ ‹1\n"
        "b │ ‹─\n"
        "  │ ‹2"
    )


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/hosts"])
def test_an_address_that_is_none_is_no_link(target: str) -> None:
    assert not sheet(f"[a]({target})").stops


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
    if mark == "> [!note] ":
        wanted = ["if x:", "do y", "z and", "so on"] if broken else ["if x:", "do y z and so on"]
    elif not broken:
        wanted = ["if x: do y z and so on"]
    assert drawn[-len(wanted) :] == wanted


def test_a_display_stands_as_it_does_without_line_breaks() -> None:
    text = "words\n$$x$$\nmore\n\n- a\n  $$x$$\n  b"
    assert rows(text, 40, Context(line_breaks=True)) == rows(text, 40)
