"""The browser: it finds while one types, shows what it found, and changes many cards at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards import parse_card
from cards.edit import with_field
from cards.files import TextChange, write_texts
from cards.model import Card, CardError
from deck.collection import Collection
from deck.fsrs import Rating
from deck.journal import Journal
from deck.replay import New
from deck.search.match import sought
from deck.search.query import parse
from tests.paths import ROOT, STARTER
from tests.tui.driving import Clock, Driver, basic, running, write
from tests.tui.studied import make
from tui.screens import bulk
from tui.screens.browse import BrowseScreen
from tui.screens.bulk import tagged, untagged
from tui.search_completion import search_help
from tui.widgets.item_list import Bit, ItemRow, LongList, bits, lit, pieces, title


@pytest.fixture
def three(folder: Path) -> Path:
    write(folder, "alpha", basic("alpha", "What is a **Jacobian** of $\\frac{a}{b}$?"))
    write(folder, "beta", basic("beta", "Why is [[alpha]] square?"))
    write(folder, "gamma", basic("gamma", "Où?"))
    return folder


async def opened(driver: Driver, search: str = "") -> LongList:
    driver.app.push_screen(BrowseScreen(search))
    await driver.settle()
    return driver.app.screen.query_one(LongList)


# What is found.


async def test_it_finds_while_one_types_and_the_cursor_stays_on_its_card(three: Path) -> None:
    async with running(three, size=(120, 30)) as driver:
        collection = driver.app.open_collection
        collection.rate("gamma", Rating.AGAIN, driver.clock(), 1000)
        collection.rate("beta", Rating.EASY, driver.clock(), 1000)
        rows = await opened(driver)
        assert list(rows.items) == ["alpha", "beta", "gamma"]
        await driver.do("", "⏎ Open")
        await driver.do("slash =jaco", "What is a Jacobian of a/b?")
        assert list(rows.items) == ["alpha"]
        await driver.do(" ".join(["backspace"] * 4) + " =id:*")
        assert len(rows.items) == 3
        await driver.do("left_parenthesis", "^")  # what cannot be read keeps the rows
        assert len(rows.items) == 3
        await driver.do("backspace enter o", "by due")
        assert list(rows.items) == ["gamma", "beta", "alpha"]
        assert rows.current == "alpha"
        await driver.do("o o o o")
        assert list(rows.items) == ["alpha", "beta", "gamma"]
        await driver.press("j", "j")
        await driver.rest()
        await driver.do("", "Because.")  # the card under the cursor is beside the rows


async def test_a_new_search_begins_at_its_first_hit_and_only_rows_that_are_seen_are_read(
    folder: Path,
) -> None:
    for number in range(200):
        name = f"card{number:03}"
        write(folder, name, basic(name, "Odd" if number % 2 else "Even"))
    async with running(folder, size=(80, 24)) as driver:
        rows = await opened(driver)
        screen = driver.app.screen
        assert isinstance(screen, BrowseScreen)
        assert len(screen._rows._kept) <= 30
        await driver.press("G")
        assert rows.current == "card199"
        assert len(screen._rows._kept) <= 60
        await driver.do("slash =odd")
        assert len(rows.items) == 100
        assert (rows.current, rows.scroll_offset.y) == ("card001", 0)
        await driver.do("enter G o s")
        assert rows.current == "card199"


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@given(
    TEXT,
    TEXT,
    st.sampled_from(["new", "now", "12 d", "-3 mo"]),
    st.integers(20, 140),
    st.booleans(),
)
def test_a_row_fills_its_width(
    words: str, course: str, due: str, width: int, suspended: bool
) -> None:
    shown = "".join(each for each in words if each.isprintable())
    named = "".join(each for each in course if each.isprintable())
    title = (Bit(shown), Bit("aₖ", "a_k"), Bit(shown))
    row = ItemRow("id", title, named, "multiple choice", due, suspended)
    dark, bright = pieces(row, width), pieces(row, width, sought(parse("a or e*")))
    assert cell_len("".join(text for text, _ in bright)) == width
    assert "".join(text for text, _ in bright) == "".join(text for text, _ in dark)


def row_of(question: str, search: str, width: int = 60) -> list[str]:
    """What is lit in a row of the question."""
    found = bits(parse_card(basic("x", question)))
    drawn = pieces(ItemRow("x", found, "", "basic", "new", False), width, sought(parse(search)))
    return [text for text, style in drawn if "found" in style]


def test_a_row_lights_what_the_search_asks_for_and_nothing_else() -> None:
    text = "Why is the **Élan** of the chain\nrule square?"
    assert row_of(text, "elan") == ["Élan"]
    assert row_of(text, '"chain rule" is:new') == ["chain rule"]
    assert row_of(text, "-why tag:chain square") == ["square"]
    assert row_of(text, "solution:why question:why") == ["Why"]
    assert row_of(text, "square", 30) == []


def test_a_formula_of_a_row_is_lit_whole_by_its_source() -> None:
    text = "Of $\\frac{a}{b}$ and $x_i$ x"
    assert row_of(text, "frac") == ["a/b"]
    assert row_of(text, "i") == ["xᵢ"]
    assert row_of(text, "x") == ["xᵢ", "x"]
    assert lit(bits(parse_card(basic("x", text))), sought(parse("of"))) == [(0, 2)]


def drawn(driver: Driver, what: str) -> list[str]:
    """The pieces of the terminal in a style."""
    return [text for line in driver.pieces() for text, style in line if getattr(style, what)]


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark"])
async def test_what_was_found_is_lit_in_the_rows_and_in_the_card(three: Path, theme: str) -> None:
    async with running(three, size=(140, 30)) as driver:
        driver.app.theme = theme
        await opened(driver, "jaco or frac")
        await driver.rest()
        assert drawn(driver, "underline").count("Jaco") == 2
        assert "a/b" in drawn(driver, "underline")
        assert ("a" in "".join(drawn(driver, "reverse"))) is (theme == "ansi-dark")
        await driver.press("enter")
        assert "Jaco" in drawn(driver, "underline")


async def test_n_goes_to_what_was_found_further_down(folder: Path) -> None:
    text = "\n\n".join([*["dark"] * 60, "bright", *["dark"] * 60, "bright", *["dark"] * 60])
    write(folder, "long", basic("long", text))
    async with running(folder, size=(120, 24)) as driver:
        await opened(driver, "bright")
        await driver.rest()
        page, places = driver.app.screen.query_one("#preview"), []
        for key in ("n", "n", "n", "N"):
            await driver.press(key)
            assert "bright" in drawn(driver, "underline")
            places.append(page.scroll_offset.y)
        assert 0 < places[0] < places[1]
        assert places[2:] == places[:2]


def test_a_title_is_one_line_of_plain_words() -> None:
    text = basic("x", "# Big\n- *not* a list\n\n[[card|it]] and `code` $x_i^2$")
    assert title(parse_card(text)) == "Big *not* a list card|it and code xᵢ²"


async def test_a_cloze_card_shows_its_words_and_each_row_its_item(folder: Path) -> None:
    text = basic("gaps", "So $a = {{c1::\\frac{b}{c}}}$, {{c2::added::how?}}.")
    write(folder, "gaps", text.replace("type: basic", "type: cloze"))
    async with running(folder, size=(120, 30)) as driver:
        await opened(driver)
        await driver.rest()
        first, second = (row for row in driver.shown().splitlines() if "So a = b/c, added." in row)
        assert " c1 " in first
        assert " c2 " in second
        assert "So a = [b/c], added." in first, "beside the rows: what is asked is marked"
        await driver.do("enter", "So a = [b/c], added.")
        assert "{{" not in driver.shown()


# What is done to many cards at once, and how all of it is taken back.

#: The keys that give every card a tag, and that move cards.
TAG, MOVE = "asterisk t =foo enter", "m =deep enter"


def tags(folder: Path) -> dict[str, tuple[str, ...]]:
    """Of every card, wherever it is."""
    cards = [parse_card(path.read_text("utf-8")) for path in sorted(folder.rglob("*.md"))]
    return {card.id: card.tags for card in cards}


async def test_suspending_and_resetting_are_seen_and_taken_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        await driver.do("s", "‖")
        assert collection.is_suspended("alpha")
        assert collection.cards["alpha"].status == "suspended"
        for keys in ("s", "u u"):
            await driver.do(keys)
            assert not collection.is_suspended("alpha")
        collection.rate("alpha", Rating.EASY, driver.clock(), 1000)
        there = collection.state("alpha")
        await driver.do("R")
        assert isinstance(collection.state("alpha"), New)
        await driver.do("u")
        assert collection.state("alpha") == there


async def test_cards_move_with_their_history_and_back(three: Path) -> None:
    deep = three / "deep"
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        collection.rate("alpha", Rating.GOOD, driver.clock(), 1000)
        await driver.do("m =deep/er enter")
        assert (deep / "er" / "alpha.md").exists()
        assert not isinstance(collection.state("alpha"), New)
        await driver.do("u")
        assert (three / "alpha.md").exists()
        assert not deep.exists()
        await driver.do(MOVE)
        (deep / "other.md").write_text("mine")
        await driver.do("u")
        assert (three / "alpha.md").exists()
        assert (deep / "other.md").read_text() == "mine", "a folder that others use stays"
        (deep / "alpha.md").write_text("mine")
        await driver.do(MOVE)
        assert (deep / "alpha.md").read_text() == "mine", "no other file's place is taken"
        assert (three / "alpha.md").exists()
        await driver.do("m =../out enter", "not inside")
        assert not (three.parent / "out").exists()


async def test_changes_are_taken_back_one_by_one_in_their_order(three: Path) -> None:
    before = {path.name: path.read_text() for path in three.glob("*.md")}
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        await driver.do("space space t =cnn␣new enter")
        assert tags(three) == {"alpha": ("cnn", "new"), "beta": ("cnn", "new"), "gamma": ()}
        await driver.do("u")
        assert {path.name: path.read_text() for path in three.glob("*.md")} == before
        collection.rate("beta", Rating.EASY, driver.clock(), 1000)
        there = collection.state("beta")
        await driver.do(f"{TAG} {MOVE} s R")
        assert set(tags(three / "deep").values()) == {("foo",)}
        await driver.do("u")
        assert collection.state("beta") == there
        await driver.do("u", "Undone: 3 items suspended.")
        assert not collection.is_suspended("beta")
        await driver.do("u")
        assert not (three / "deep").exists()
        await driver.do("u", "Undone: 3 cards tagged foo.")
        assert set(tags(three).values()) == {()}
        await driver.do("u", "There is nothing to undo.")


async def test_tags_are_taken_back_beside_what_others_wrote_since(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.do(TAG)
        alpha, beta = three / "alpha.md", three / "beta.md"
        alpha.write_text(alpha.read_text().replace("Jacobian", "gradient"))
        beta.write_text(beta.read_text().replace("foo", "foo, mine"))
        (three / "new").mkdir()
        (three / "gamma.md").rename(three / "new" / "gamma.md")
        await driver.do("u")
        assert tags(three) == {"alpha": (), "beta": ("mine",), "gamma": ()}
        assert "gradient" in alpha.read_text()


async def test_what_could_not_be_taken_back_is_named_and_tried_again(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.do(f"s {MOVE}")
        (three / "alpha.md").write_text("mine")
        await driver.do("u", "Not undone: alpha. ")
        assert driver.app.open_collection.is_suspended("alpha")
        assert not any(said.startswith("Undone") for said in driver.said())
        (three / "alpha.md").unlink()
        await driver.do("u", "Undone: 1 card moved to deep.")
        assert tags(three).keys() == {"alpha", "beta", "gamma"}


async def test_what_is_gone_keeps_no_earlier_change_from_being_taken_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.do(f"s {TAG}")
        (three / "beta.md").unlink()
        await driver.do("u", "Undone: 2 of 3 cards tagged foo.", "Not undone: beta. ")
        await driver.do("u")
        assert not driver.app.open_collection.is_suspended("alpha")


# While many cards are changed: how far it is, keys that wait, and leaving.


@contextmanager
def held(folder: Path, driver: Driver) -> Iterator[None]:
    """Another program keeps the journal: whatever is recorded waits."""
    driver.app.open_collection.rate("gamma", Rating.EASY, driver.clock(), 1000)
    with Journal(folder / ".deltadeck").locked():
        yield


async def seen(driver: Driver, text: str) -> bool:
    for _ in range(200):
        if text in driver.shown():
            return True
        await driver.pilot.pause(0.01)
    return False


async def test_the_top_line_says_what_is_done_and_an_undo_waits_for_it(three: Path) -> None:
    async with running(three, size=(60, 20)) as driver:
        await opened(driver)
        with held(three, driver):
            await driver.pilot.press("asterisk", "s")
            assert await seen(driver, "suspending 3")
            await driver.pilot.press("u")
            await driver.pilot.pause()
        await driver.settle()
        said = ("3 marked of 3 items", "Undone: 3 items suspended.")
        await driver.do("", *said, gone=("suspending",))
        collection = driver.app.open_collection
        assert not any(collection.is_suspended(item) for item in ("alpha", "beta", "gamma"))
        assert not any("no change" in said for said in driver.said())
        # Who leaves meanwhile sees the counts of the end, and can take it back.
        with Journal(three / ".deltadeck").locked():
            await driver.pilot.press("s", "escape", "escape")
            await driver.pilot.pause()
            assert driver.screen == "HomeScreen"
        await driver.settle()
        [row] = [line for line in driver.shown().splitlines() if "Pooling" in line]
        assert row.split()[1:4] == ["–", "–", "–"]
        await opened(driver)
        await driver.do("u", "Undone: 3 items suspended.")
        assert isinstance(collection.state("alpha"), New)


# Tags given to a card's text and taken back, whatever else changes in it.

#: How authors write tags.
WRITTEN = [
    "",
    "tags: []\n",
    "tags: [a,  'b' ]  # mine\n",
    "tags:\n  - a\n  - b\n",
    "tags: a\n",
    "tags: [a,\n  b]\n",
]


def card_with(line: str, ending: str = "\n") -> Card:
    text = basic("x", "Why?\n\n```\ntags: [foo]\n```").replace(
        "type: basic\n", f"{line}type: basic\n"
    )
    return parse_card(text.replace("\n", ending))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("line", WRITTEN)
@pytest.mark.parametrize("gone", [set(), {"a"}])
def test_taking_tags_back_is_exact_beside_a_later_change(
    line: str, ending: str, gone: set[str]
) -> None:
    card = card_with(line, ending)
    text, way = tagged(card, ["foo"], gone)
    assert parse_card(text).tags == (*(name for name in card.tags if name not in gone), "foo")
    assert untagged(parse_card(text), way) == card.source
    later = with_field(text, "status", "suspended")
    assert untagged(parse_card(later), way) == with_field(card.source, "status", "suspended")


def test_only_what_was_given_is_taken_back_from_tags_that_changed_since() -> None:
    text, way = tagged(card_with("tags: [a, b]\n"), ["foo", "b"], {"a"})
    later = parse_card(with_field(text, "tags", ["new", "foo", "b"]))
    assert parse_card(untagged(later, way)).tags == ("new", "b", "a")
    again = parse_card(with_field(text, "tags", ["a", "b"]))
    assert untagged(again, way) == again.source


def test_a_card_that_changes_while_it_is_written_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = write(folder, "x", basic("x")), Clock()
    collection = Collection.open(folder, now=clock())
    saves: list[Path] = []

    def save(changes: Iterable[TextChange], root: Path) -> Iterator[CardError | None]:
        changes = list(changes)
        saves.extend(change.path for change in changes)
        if len(saves) == 1:  # another program, between our reading and writing
            path.write_text(path.read_text().replace("Why?", "Wherefore?"))
        return write_texts(changes, root)

    monkeypatch.setattr(bulk, "write_texts", save)
    action = bulk.tag(collection, ["x"], "foo")
    assert [each.trouble for each in action.act(action.names, clock())] == [""]
    assert len(saves) == 2
    assert parse_card(path.read_text()).tags == ("foo",)
    assert "Wherefore?" in path.read_text()
    collection.close()


async def test_a_card_is_deleted_once_that_is_confirmed_and_comes_back_by_undo(two: Path) -> None:
    async with running(two) as app:
        await app.do("b j d", "Delete 1 card?")
        await app.do("escape", "2 items")
        await app.do("d y", "1 item")
        assert not (two / "second.md").exists()
        await app.do("u", "2 items")
        assert (two / "second.md").exists()


async def test_a_search_that_finds_nothing_says_which_term_is_too_much(two: Path) -> None:
    async with running(two) as app:
        await app.do("b slash =type:basic␣tag:none", "Nothing matches type:basic tag:none")
        await app.do("", "Without tag:none there would be 2 items.")


async def test_a_search_is_completed_and_the_columns_are_named(two: Path) -> None:
    async with running(two) as app:
        await app.do("b", "Question", "Due")
        await app.do("slash =type:ba", "type:basic")
        await app.do("right =␣", "2 items")


async def test_a_derivation_is_practised_from_browse_and_from_its_card(two: Path) -> None:
    shutil.copy(STARTER / "pool_overlap.md", two)
    async with running(two) as app:
        await app.do("b slash =id:pool_overlap", "1 item")
        await app.do("enter c", "Lab", on="LabScreen")
        await app.do("escape enter", on="CardScreen")
        await app.do("c", on="LabScreen")


async def test_the_help_says_what_marks_mean_and_all_that_the_documentation_has_of_searches(
    folder: Path,
) -> None:
    make(folder)
    async with running(folder, (80, 40)) as app:
        await app.do("slash", "F1 explains")
        assert [line.split() for line in app.shown().splitlines() if "Question" in line] == [
            ["Question", "Course", "Type", "Due"]
        ]
        await app.do("f1", "Search", "a word that begins so", on="HelpScreen")
        await app.do("G", "Rows", "‖", "suspended", "what the search asks for")
    told = dict(search_help())
    table = (
        (ROOT / "docs" / "search.md").read_text(encoding="utf-8").split("| written | means |")[1]
    )
    for row in table.split("\n\n")[0].splitlines()[2:]:
        for written in re.findall(r"`(\w+:?)[^`]*`", row.split(" | ")[0]):
            assert any(key.startswith(written) for key in told) or written in "a not", written
