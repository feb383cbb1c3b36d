"""A card that is too large is drawn in part and says so; ordinary ones are drawn whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cards import read_card
from tests.hostile import FAMILY, card
from tests.paths import STARTER
from tests.tui.driving import journal, running, write
from tests.tui.pages import widths_are_right
from tui.page.output import printed
from tui.page.page import PLAIN, Page, PageLayout, options_page, pages_of
from tui.page.read import CELLS, MACROS, MOST, OPTIONS, REST, cut, read
from tui.widgets.editors import excess

WIDTH = 114
LARGE = 200_000
#: Texts whose beginning does not depend on their end.
FORWARD = ("prose", "headings", "items", "rows of a table", "lines of code", "fractions")


def drawn(markdown: str) -> PageLayout:
    page = pages_of(None, markdown, "", PLAIN).question
    return page.at(WIDTH) if page else PageLayout([], WIDTH, 0)


def says_so(sheet: PageLayout) -> bool:
    return REST in " ".join(" ".join(row.text for row in sheet.rows).split())


@pytest.mark.parametrize("name", FAMILY)
def test_what_is_drawn_of_a_large_text_is_bounded_and_says_so(name: str) -> None:
    text = "\x1b[31m\x9b\x07\u202e " + FAMILY[name](LARGE)
    sheet = drawn(text)
    assert widths_are_right(sheet)
    assert not re.search("[\x1b\x9b\x07\u202e]", printed(sheet, styled=False))
    assert len(sheet.rows) < MOST / 15
    assert sum(len(row.spans) for row in sheet.rows) < MOST / 2
    begun, spent = cut(text, MOST)
    assert text.startswith(begun)
    assert spent <= MOST
    if name != "macros that double":
        assert says_so(sheet) is (begun != text)
        assert not says_so(drawn(FAMILY[name](300)))


@pytest.mark.parametrize("name", FORWARD)
def test_a_card_that_is_cut_begins_as_the_whole_one(name: str) -> None:
    text = FAMILY[name](len(cut(FAMILY[name](LARGE), MOST)[0]) * 5 // 4)
    part, whole = drawn(text).rows, Page(read(text), None).at(WIDTH).rows
    begun = [row.text.removesuffix(" ▾") for row in part]
    kept = len(part) * 3 // 4
    assert kept > 10
    assert begun[:kept] == [row.text for row in whole][:kept]
    assert len(whole) > kept


def test_real_cards_and_ten_times_as_much_are_drawn_whole() -> None:
    told = [read_card(path) for path in STARTER.glob("*.md")]
    texts = [f"{card.question}\n\n{card.solution}\n\n" for card in told]
    for text in (*(text * 5 for text in texts), ("".join(texts) * 2)[:24_000]):
        assert cut(text, MOST)[0] == text
        assert not says_so(drawn(text))
    assert not says_so(drawn(r"$\newcommand{\R}{\mathbb{R}}$" + r" $\R^n$" * 300))


def test_question_and_solution_share_what_a_card_may_cost() -> None:
    large, small = FAMILY["prose"](LARGE), "Because."

    def rows(question: str, solution: str) -> tuple[int, int]:
        pages = pages_of(None, question, solution, PLAIN)
        assert pages.question
        assert pages.solution
        return len(pages.question.at(WIDTH).rows), len(pages.solution.at(WIDTH).rows)

    both = rows(large, large)
    assert rows(large, small)[0] > both[0]
    assert rows(small, large)[1] > both[1]
    assert abs(both[0] - both[1]) < both[0] / 5


def test_cells_that_lines_of_text_fill_up_are_bounded_and_show_prints_them_all() -> None:
    text = FAMILY["a tall cell"](12_000)
    columns = text.partition("\n")[0].count("|") - 1
    assert cut(text, MOST)[0] == text
    sheet = drawn(text)
    assert len(sheet.rows) * columns < 2 * CELLS
    assert says_so(sheet)
    assert not says_so(whole := Page(read(text)).at(WIDTH))
    assert len(whole.rows) > len(sheet.rows)


def test_what_macros_make_is_bounded() -> None:
    text = FAMILY["macros that double"](500)
    assert cut(text, MOST)[0] == text
    sheet = drawn(text)
    assert says_so(sheet)
    assert sum(len(row.text) for row in sheet.rows) < 20 * MACROS


@pytest.mark.parametrize("count", [3, 4_500])
def test_options_are_drawn_as_far_as_they_are_read_at_a_key(count: int, tmp_path: Path) -> None:
    options = "\n".join(f"{letter}) option {letter}" for letter in "ABC" * (count // 3))
    path = write(tmp_path, "x", card(f"Which?\n\n## Options\n{options}", kind="multiple_choice"))
    found = read_card(path).options
    page = Page(options_page(found, frozenset(), None, None, OPTIONS)).at(WIDTH)
    assert len(found) == count // 3 * 3
    assert says_so(page) is (count > 3)
    assert len(page.rows) < 1_000


async def test_large_cards_are_studied_and_browsed(tmp_path: Path) -> None:
    for name in ("headings", "options"):
        write(tmp_path, name, card(FAMILY[name](90_000), name=name))
    async with running(tmp_path, size=(120, 40)) as driver:
        await driver.press("enter")
        for _ in range(2):
            await driver.press("end")
            assert await driver.sees("not shown here: it is too large")
            await driver.press("space", "3")
        assert {line["item"] for line in journal(tmp_path, "review")} == {"headings", "options"}
        await driver.press("escape", "b")
        assert await driver.sees("2 items")


#: What is asked to be edited: of which family and how large, why it is not, and whether its lines
#: are wrapped.
EDITED = (
    ("headings", 90_000, "lines, and 5,000 fit here", None),
    ("prose", 300_000, "characters, and 100,000 fit here", None),
    ("one line of prose", 5_000, "", True),
    ("one line of prose", 30_000, "", False),
)


async def test_a_card_too_large_for_the_editor_is_not_opened_and_a_long_line_not_wrapped(
    tmp_path: Path,
) -> None:
    texts = [card(FAMILY[name](size), name=f"c{n}") for n, (name, size, *_) in enumerate(EDITED)]
    paths = [write(tmp_path, f"c{number}", text) for number, text in enumerate(texts)]
    async with running(tmp_path) as driver:
        await driver.press("b")
        for path, text, (_, _, said, wrapped) in zip(paths, texts, EDITED, strict=True):
            driver.app.clear_notifications()
            await driver.press("e")
            if said:
                assert driver.screen == "BrowseScreen"
                told = " ".join(driver.said())
                assert said in told
                assert f"`deltadeck edit {path}` opens it in $EDITOR" in told
            else:
                editor = driver.app.screen.editor  # type: ignore[attr-defined]
                assert (editor.text, editor.soft_wrap) == (text, wrapped)
                await driver.press("escape")
            await driver.press("down")
    assert [path.read_text("utf-8") for path in paths] == texts
    assert excess("x" * 100_000) == excess("\n" * 4_999) == ""
