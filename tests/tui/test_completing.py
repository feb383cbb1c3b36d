"""What is offered while a card is written, and the keys that take it or leave it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import Driver, basic, running, write
from tui.app import DeltadeckApp
from tui.screens.edit import EditScreen
from tui.widgets.card_completion import (
    CURSOR,
    KEYS,
    SNIPPETS,
    KnownWords,
    context_at,
    inserted,
    next_blank,
    offer,
)
from tui.widgets.editors import CardEditor

VOCABULARY = KnownWords(
    tags=lambda: ["cnn", "max-pooling", "pooling"],
    courses=lambda: ["Statistical Machine Learning", "Control"],
    layers=lambda: ["softmax", "linear"],
    links=lambda written: [(f"{written}_1", "What?")],
)
CARD = "---\nid: a\n{}\n---\n# Question\n{}"


def labels(text: str) -> list[str]:
    """What is offered where `‸` stands."""
    before, _, after = text.partition(CURSOR)
    lines = (before + after).split("\n")
    row = before.count("\n")
    found = offer(lines, row, len(before.split("\n")[-1]), VOCABULARY)
    return [one.label for one in found.completions] if found else []


@pytest.mark.parametrize(
    ("header", "body", "first"),
    [
        ("cou‸", "", "course"),
        ("course: ‸", "", "Statistical Machine Learning"),
        ("course: con‸", "", "Control"),
        ("type: mu‸", "", "multiple_choice"),
        ("tags: [cnn, po‸]", "", "pooling"),
        ("tags: po‸", "", "pooling"),
        ("tags:\n  - ma‸", "", "max-pooling"),
        ("exercise: soft‸", "", "softmax"),
        ("exercise: {layer: li‸}", "", "linear"),
        ("exercise:\n  layer: so‸", "", "softmax"),
        ("tags: []", "See [[po‸", "po_1"),
        ("tags: []", ":opt‸", ":options"),
        # Where it would be in the way, nothing is.
        *(("‸", "", ""), ("type: basic‸", "", ""), ("course: x‸ y", "", "")),
        *(("exercise: {‸", "", ""), ("tags: []", "plain wor‸", ""), ("tags: []", "at 10:‸", "")),
        ("tags: []", "[[done]] ‸", ""),
    ],
)
def test_what_is_offered_where(header: str, body: str, first: str) -> None:
    assert labels(CARD.format(header, body))[:1] == ([first] if first else [])


@given(st.lists(st.text("ab: -[],{}|#\t", max_size=12), min_size=1, max_size=6), st.data())
def test_every_place_of_every_text_has_an_answer(lines: list[str], data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[row])))
    place = context_at(["---", *lines], row + 1, column)
    if place is not None:
        assert lines[row][place.column : column] == place.written


def test_a_snippet_says_where_the_cursor_goes() -> None:
    for _, _, text in (*SNIPPETS, *KEYS):
        put, at = inserted(text)
        assert put[:at] + CURSOR + put[at:] == text


def test_blanks_are_lines_as_a_new_card_has_them() -> None:
    lines = ["Write the question here.", "A) first", "B) second", "Written.", "C) third"]
    found = []
    at = (-1, 0)
    for _ in range(5):
        blank = next_blank(lines, at)
        assert blank is not None
        at = blank[0]
        found.append(lines[blank[0][0]][blank[0][1] : blank[1][1]])
    assert found == ["Write the question here.", "first", "second", "third", found[0]]
    assert next_blank(["", "done"], (0, 0)) is None


# In the editor.


@pytest.fixture
def cards(folder: Path) -> Path:
    for name, course, tags in (
        ("ssu_1", "Control", "cnn, cnn-pooling"),
        ("ssu_2", "Control Theory", "pooling"),
    ):
        text = basic(name).replace("course: Pooling", f"course: {course}\ntags: [{tags}]")
        write(folder, name, text)
    write(folder, "mine", "---\nid: mine\n\n---\n\n# Question\nWhy?\n\n---\n# Solution\nSo.\n")
    return folder


@asynccontextmanager
async def editing(cards: Path, row: int) -> AsyncIterator[tuple[Driver, CardEditor]]:
    async with running(cards, size=(100, 40)) as driver:
        driver.app.push_screen(EditScreen(cards / "mine.md"))
        await driver.settle()
        editor = driver.app.screen.query_one(CardEditor)
        to_end(editor, row)
        yield driver, editor


def to_end(editor: CardEditor, row: int) -> None:
    editor.move_cursor((row, len(editor.document.get_line(row))))


async def write_at_end(driver: Driver, editor: CardEditor, whole: str, row: int, text: str) -> None:
    """Behind a row of the whole text; the last letter by its key."""
    editor.load_text(whole)
    to_end(editor, row)
    editor.insert(text[:-1])
    await driver.press("space" if text[-1] == " " else text[-1])


def footer(driver: Driver) -> str:
    return driver.shown().splitlines()[-1]


HEADER, BODY = 2, 6
ENTER = "enter Complete"


async def test_enter_takes_what_goes_on_as_it_was_begun_else_it_makes_a_new_line(
    cards: Path,
) -> None:
    async with editing(cards, BODY) as (driver, editor):
        whole, count = editor.text, editor.document.line_count
        for row, text, line in (
            (BODY, " [[ssu", "Why? [[ssu_1]]"),
            (BODY, " [[2", "Why? [[ssu_2]]"),
            (HEADER, "course: con", "course: Control"),
            (HEADER, "type: mul", "type: multiple_choice"),
            (HEADER, "tags: [cnn, poo", "tags: [cnn, pooling"),
            (HEADER, "exercise: softm", "exercise: softmax"),
        ):
            await write_at_end(driver, editor, whole, row, text)
            assert ENTER in footer(driver)
            await driver.press("enter")
            assert editor.document.get_line(row) == line
            assert editor.document.line_count == count
            assert ENTER not in footer(driver)
        for row, text in (
            (HEADER, "type: open"),
            (HEADER, "course: Control"),  # another course begins so
            (HEADER, "course: Theory"),  # one holds it
            (HEADER, "tags: cnn"),
            (HEADER, "tags: [cnn]"),
            (HEADER, "type: "),
            (HEADER, "cou"),
            (HEADER, "difficulty: 3"),
            (BODY, " plain"),
            (BODY, "\n:tab"),
        ):
            before = whole.splitlines()[row]
            await write_at_end(driver, editor, whole, row, text)
            assert ENTER not in footer(driver)
            await driver.press("enter")
            assert editor.text == whole.replace(f"{before}\n", f"{before}{text}\n\n", 1) or (
                f"\n{before}{text}\n" in editor.text
            )


async def test_of_several_the_first_or_the_one_that_was_gone_to(cards: Path) -> None:
    async with editing(cards, BODY) as (driver, editor):
        await driver.do("=␣[[ssu enter =␣[[ssu down enter")
        assert editor.document.get_line(BODY) == "Why? [[ssu_1]] [[ssu_2]]"
        editor.move_cursor((HEADER, 0))
        await driver.do("=type:␣", "tab Complete")
        await driver.do("down", ENTER)
        await driver.press("up", "enter")
        assert editor.document.get_line(HEADER) == "type: derivation"
        editor.move_cursor((HEADER, 0))
        await driver.do("=tags:␣cnn tab")  # takes it everywhere
        assert editor.document.get_line(HEADER).startswith("tags: cnn-pooling")
        to_end(editor, BODY)
        await driver.do("enter =:tab", ":table")
        await driver.do("escape", gone=(":table",), on="EditScreen")  # closes the list
        await driver.press("tab")
        assert editor.document.get_line(BODY + 1) == ":tab  "


async def test_the_help_names_what_can_be_done_now(cards: Path) -> None:
    async with editing(cards, BODY) as (driver, editor):
        before = editor.text
        await driver.do("f1", gone=("ompletion", "Take back", "Type again"))
        await driver.do("escape =␣[[ f1", "Undo what was typed")
        await driver.press("escape", "ctrl+z")
        assert editor.text == before
        await driver.do("f1", "Redo what was undone")
        await driver.press("escape", "ctrl+y")
        assert editor.text != before


@pytest.mark.parametrize(
    ("keys", "down"),
    [("", "down"), ('[keys]\nsource.next = "ctrl+n"\nsource.before = "alt+p"\n', "ctrl+n")],
)
async def test_arrows_move_the_cursor_while_no_list_is_open_and_undo_stays_in_the_editor(
    cards: Path, monkeypatch: pytest.MonkeyPatch, keys: str, down: str
) -> None:
    reached: list[str] = []
    monkeypatch.setattr(DeltadeckApp, "action_suspend_process", lambda _: reached.append("shell"))
    monkeypatch.setattr("textual.driver.Driver.can_suspend", True)  # as in a terminal
    (cards / ".deltadeck").mkdir()
    (cards / ".deltadeck" / "config.toml").write_text(keys)
    async with editing(cards, BODY) as (driver, editor):
        before = editor.text
        await driver.press("x", "ctrl+z", "ctrl+z", "ctrl+y", "ctrl+y", "ctrl+z")
        assert editor.text == before
        await driver.press("down")
        assert editor.cursor_location[0] == BODY + 1
        await driver.press("up", "up")
        assert editor.cursor_location[0] == BODY - 1
        to_end(editor, BODY)
        await driver.press(*" [[", down, "enter")
        assert editor.document.get_line(BODY).endswith("[[ssu_1]]")
    assert reached == []
