"""Cards of strangers: one that is too large is drawn in part and says so, ordinary ones whole;
controls that a card spells never reach the terminal.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import parse_card, read_card
from deck.collection import Collection
from tests.deck.exchange.exporting import exported
from tests.hostile import FAMILY, card
from tests.paths import STARTER
from tests.tui.driving import journal, running, write
from tests.tui.pages import sheet, widths_are_right
from tui.main import main
from tui.page.output import printed
from tui.page.page import PLAIN, Page, PageLayout, options_page, pages_of
from tui.page.read import CELLS, MACROS, MOST, OPTIONS, REST, Context, cut, read
from tui.widgets.editors import excess
from tui.widgets.item_list import title

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


# Controls and marks of direction that a card only spells: none of them reaches the terminal.

HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
SIGNS = [chr(code) for code in range(0x2070) if HOSTILE.match(chr(code))] + ["\ufeff"]
NAMED = {"\u200e": "&lrm;", "\u200f": "&rlm;"}
#: How a code point can be written in a card.
NOTATIONS = (
    lambda sign: sign,
    lambda sign: f"&#{ord(sign)};",
    lambda sign: f"&#x{ord(sign):x};",
    lambda sign: f"&#X{ord(sign):05X};",
    lambda sign: f"&amp;#{ord(sign)};",
    lambda sign: f"\\&#{ord(sign)};",
    lambda sign: NAMED.get(sign, "&NewLine;&shy;&zwj;"),
    lambda sign: f'$\\char"{ord(sign):04X}$',
    lambda sign: f'$\\symbol{{"{ord(sign):04X}}}\\text{{{sign}&#{ord(sign)};}}$',
    lambda sign: f"$\\hidden \\x{{{sign}}}$",
)
PLACES = (
    "a {} b",
    "# {}",
    "**{}** *{}* ~~{}~~",
    "`{}`",
    "```{}py\n{}\n```",
    "    {}",
    '[a{}](https://x.example/{} "{}")',
    "<https://x.example/{}>",
    '![a{}](b{}.png "{}")',
    "words ![a{}](b.png) words",
    "[[a{}|b{}]] ![[c{}]]",
    '[r]\n\n[r]: https://x.example/{} "{}"',
    "a[^1]\n\n[^1]: {}",
    "| {} | b |\n|---|---|\n| {} | c |",
    "> [!note] {}\n> {}",
    "- [ ] {}\n  1. {}",
    "<b>{}</b>",
    "{{{{c1::{}::{}}}}}",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    def written(_: re.Match[str]) -> str:
        sign, notation = draw(st.sampled_from(SIGNS)), draw(st.sampled_from(NOTATIONS))
        return f"x{notation(sign)}y"

    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4))
    return "\n\n".join(re.sub(r"\{\}", written, place) for place in places)


@given(texts(), st.sampled_from(SIGNS), st.integers(4, 60))
def test_no_row_holds_what_a_terminal_would_obey(text: str, sign: str, width: int) -> None:
    found = sheet(text, width, Context({"hidden": f"\\text{{a{sign}b}}"}, addresses=True))
    for row in found.rows:
        assert not HOSTILE.search(row.text)
        assert "\n" not in row.text
    assert not HOSTILE.search(printed(found, styled=False).replace("\n", ""))


@given(texts(), st.sampled_from(SIGNS))
def test_no_title_and_no_field_holds_it(text: str, sign: str) -> None:
    escape = f"\\u{ord(sign):04x}"
    head = f'course: "a{escape}b"\ntags: ["t{escape}u"]\ntitle: "t{escape}"\ntype: basic'
    card = parse_card(f"---\nid: a\n{head}\n---\n# Question\n{text}\n# Solution\n{text}")
    for each in (title(card), card.course, *card.tags):
        assert not HOSTILE.search(each)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deck with hostile names, frontmatter and texts."""
    deck = tmp_path_factory.mktemp("hostile") / "deck"
    folder = deck / "sub\u202e\x9b"
    folder.mkdir(parents=True)
    spelled = "".join(f"&#{ord(sign)};" for sign in SIGNS)
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in SIGNS)
    body = "\n\n".join(place.replace("{}", spelled) for place in PLACES[:-1])
    heads = {
        "good": f'course: "c{escaped}"\ntags: ["t{escaped}"]\ntitle: "t{escaped}"',
        "bad": f'type: "x{escaped}"\ndifficulty: "{escaped}"\nexercise: {{layer: "{escaped}"}}',
        f'"id{escaped}"': "type: basic",
    }
    for number, (name, head) in enumerate(heads.items()):
        text = f"---\nid: {name}\n{head}\n---\n# Question\n{body}\n\n# Solution\n{body}\n"
        (folder / f"{number}\u202e\x1b[31m\x9b.md").write_text(text)
    return deck


def test_an_exported_page_does_not_hold_it(hostile: Path, tmp_path: Path) -> None:
    exported(Collection.open(hostile, datetime(2026, 11, 21).astimezone()), tmp_path / "a.html")
    assert not HOSTILE.search((tmp_path / "a.html").read_text("utf-8"))


@pytest.mark.parametrize("command", [
    ("list",), ("list", "--json"), ("due",), ("due", "--json"), ("lint", "--json"), ("lint",),
    ("show", "--search", ""), ("show", "--search", "", "--json"), ("search", "x"),
    ("search", "--json", "x"), ("show", "--source", "--search", ""), ("doctor", "--json"),
    ("show", "none\u202e\x9b"), ("search", "course:\u202e\x9b("), ("list", "-C", "no\u202e\x9b"),
    ("edit", "good", "--file", "GOOD"), ("edit", "good", "--file", "GOOD", "--json"),
])  # fmt: skip
def test_no_command_prints_it(
    hostile: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (hostile / "GOOD").write_text("---\nid: good\n---\n# Question\nWhy?\n# Solution\nSo.\n")
    words = [str(hostile / word) if word == "GOOD" else word for word in command]
    main([*words, *([] if "-C" in words else ["-C", str(hostile)])])
    out, err = capsys.readouterr()
    assert out + err
    assert not HOSTILE.search((out + err).replace("\n", ""))
