"""What is written to the terminal: as the toolkit's own updates would leave it, each key at once
and whole."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import ControlType, Segment
from rich.style import Style
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tests.tui.driving import Driver, basic, running, write
from tui.repaint import TerminalState
from tui.terminal import TerminalDriver
from tui.widgets.card_page import CardPage

WIDTH, HEIGHT = 24, 3
CONSOLE = Console(color_system="truecolor", force_terminal=True, width=WIDTH)
STYLES = st.sampled_from(
    [
        None,
        Style(),
        Style(color="red"),
        Style(bgcolor="blue"),
        Style(color="#102030", bgcolor="#ffeedd", bold=True),
        Style(reverse=True, meta={"offset": (1, 2)}),
        Style(underline=True, italic=True),
        Style(color="green", link="https://a.example"),
    ]
)
TEXTS = st.text(st.sampled_from("ab   ·∑x漢"), min_size=1, max_size=9)
SEGMENTS = st.tuples(TEXTS, STYLES).map(lambda pair: Segment(*pair))


@st.composite
def rows(draw: st.DrawFn) -> Strip:
    """A row of the whole width."""
    parts = draw(st.lists(SEGMENTS, max_size=6))
    return Strip(parts).adjust_cell_length(WIDTH)


@st.composite
def updates(draw: st.DrawFn) -> CompositorUpdate:
    """All of the screen, or parts of some of its rows, cut into strips."""
    if draw(st.booleans()):
        return LayoutUpdate([[draw(rows())] for _ in range(HEIGHT)], Region(0, 0, WIDTH, HEIGHT))
    chops, ends, spans = [], [], []
    for row in range(HEIGHT):
        cuts = sorted({0, WIDTH, *draw(st.lists(st.integers(1, WIDTH - 1), max_size=3))})
        parts = draw(rows()).divide(cuts[1:])
        known = draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
        kept = [part if is_known else None for part, is_known in zip(parts, known, strict=True)]
        chops.append(dict(zip(cuts, kept, strict=False)))
        ends.append(cuts[1:])
        start = draw(st.integers(0, WIDTH - 1))
        spans.append((row, start, draw(st.integers(start + 1, WIDTH))))
    chosen = draw(st.lists(st.sampled_from(spans), min_size=1, unique=True).map(sorted))
    return ChopsUpdate(chops, chosen, ends)


class Terminal:
    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)

    def write(self, sequences: str) -> None:
        # pyte knows no links; a row's end is no place for its cursor to go on from.
        while (start := sequences.find("\x1b]8;")) >= 0:
            end = sequences.index("\x1b\\", start) + 2
            sequences = sequences[:start] + sequences[end:]
        self._stream.feed(sequences)

    def seen(self) -> list[list[Any]]:
        return [
            [_seen(self.screen.buffer[row][column]) for column in range(WIDTH)]
            for row in range(HEIGHT)
        ]


def _seen(cell: Any) -> Any:
    """Of a cell; of a blank one, only what shows."""
    if cell.data == " " and not (cell.reverse or cell.underscore or cell.strikethrough):
        return (" ", cell.bg)
    return cell


def written(shown: TerminalState, update: CompositorUpdate) -> str:
    found = shown.repainting(cast(Any, update))
    assert isinstance(found, CompositorUpdate)
    return found.render_segments(CONSOLE)


@given(st.lists(updates(), min_size=1, max_size=6))
def test_the_terminal_shows_what_whole_updates_would_show(found: list[CompositorUpdate]) -> None:
    shown, ours, theirs = TerminalState(), Terminal(), Terminal()
    for update in found:
        ours.write(written(shown, update))
        # Its line feeds are for nobody: each row begins with its place.
        theirs.write(update.render_segments(CONSOLE).replace("\n", ""))
    assert ours.seen() == theirs.seen()


@given(updates())
def test_what_is_shown_is_not_written_again_and_what_was_forgotten_whole(
    update: CompositorUpdate,
) -> None:
    shown = TerminalState()
    first = written(shown, update)
    assert written(shown, update) == ""
    shown.forget()
    assert written(shown, update) == first


def test_one_other_letter_takes_a_few_bytes() -> None:
    shown = TerminalState()
    region = Region(0, 0, WIDTH, 1)
    written(shown, LayoutUpdate([[Strip([Segment("the same old text".ljust(WIDTH))])]], region))
    update = LayoutUpdate([[Strip([Segment("the same new text".ljust(WIDTH))])]], region)
    assert written(shown, update) == "\x1b[1;10Hnew"


def test_what_combines_stays_with_its_letter() -> None:
    shown = TerminalState()
    region = Region(0, 0, 4, 1)
    written(shown, LayoutUpdate([[Strip([Segment("abcd")])]], region))
    parts = [Segment("ab"), Segment("\u0301c", Style(bold=True)), Segment("d")]
    assert written(shown, LayoutUpdate([[Strip(parts)]], region)).startswith("\x1b[1;2Hb\u0301\x1b")


def test_what_follows_a_character_that_the_terminal_takes_to_be_wider_keeps_its_place() -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    row = Strip([Segment(f"{family}|".ljust(len(family) + WIDTH - 2))])
    screen = pyte.Screen(WIDTH, 1)
    stream = pyte.Stream(screen)
    stream.feed(written(TerminalState(), LayoutUpdate([[row]], Region(0, 0, WIDTH, 1))))
    assert screen.buffer[0][2].data == "|"
    assert not screen.display[0].split("|")[1].strip()


def test_a_picture_is_written_as_it_is_and_nothing_is_known_behind_it() -> None:
    shown = TerminalState()
    text = LayoutUpdate([[Strip([Segment("a" * WIDTH)])]], Region(0, 0, WIDTH, 1))
    picture = Segment("\x1bPq#0~\x1b\\", None, [(ControlType.CURSOR_FORWARD, 0)])
    whole = LayoutUpdate([[Strip([picture], WIDTH)]], Region(0, 0, WIDTH, 1))
    first = written(shown, text)
    assert written(shown, whole) == whole.render_segments(CONSOLE)
    assert written(shown, text) == first


def test_an_update_that_is_put_together_in_another_way_is_written_as_it_is() -> None:
    class Newer(LayoutUpdate):
        def __init__(self) -> None:
            self.rows = "in another version of the toolkit"

        def render_segments(self, console: Console) -> str:
            return self.rows if console is CONSOLE else ""

    assert written(TerminalState(), Newer()) == "in another version of the toolkit"


# A key is seen at once: nothing is painted that the next paint puts right.

_LONG = "\n\n".join(f"Line {number} of a question that is long." for number in range(30))


def watch(driver: Driver) -> list[tuple[bool, float]]:
    """Of each paint from now on, whether the ratings are there and how far the page is scrolled."""
    frames: list[tuple[bool, float]] = []
    page = driver.app.screen.query_one(CardPage)

    def look() -> None:
        frames.append(("Again" in driver.shown(), page.scroll_y))

    driver.app.post_display_hook = look  # type: ignore[method-assign]  # the toolkit's, for tests
    return frames


async def test_no_card_is_painted_before_it_is_scrolled_to_its_place(tmp_path: Path) -> None:
    write(tmp_path, "a", basic("a", _LONG, _LONG))
    write(tmp_path, "b", basic("b"))
    async with running(tmp_path) as driver:
        await driver.press("enter")
        frames = watch(driver)
        await driver.press("space")
        places = {place for revealed, place in frames if revealed}
        assert len(places) == 1
        assert places.pop() > 20
        frames = watch(driver)
        await driver.press("3")
        assert {place for revealed, place in frames if not revealed} == {0}
        await driver.press("space")
        assert driver.app.screen.query_one(CardPage).scroll_y == 0, "its solution fits"


def test_a_frame_is_handed_on_as_one_write_and_nothing_is_kept_back() -> None:
    driver, terminal = TerminalDriver.__new__(TerminalDriver), SimpleNamespace(writes=[])
    terminal.write = terminal.writes.append
    driver._writer_thread = terminal  # type: ignore[assignment]
    for text in ("a", SYNC_START, "b", "c", SYNC_END, "d"):
        driver.write(text)
    assert terminal.writes == ["a", f"{SYNC_START}bc{SYNC_END}", "d"]


async def test_what_a_batch_drops_is_painted_behind_it(tmp_path: Path) -> None:
    """A layout amid a batch is painted a little later; where the batch still waits for widgets
    then, Textual drops that paint and takes it for done: the page stayed blank.  It is not drawn
    before the batch is over."""
    write(tmp_path, "a", basic("a"))
    async with running(tmp_path) as driver:
        app, screen = driver.app, driver.app.screen
        in_batch: list[bool] = []

        def look() -> None:
            in_batch.append(app._batch_count > 0)

        await driver.settle()
        app.post_display_hook = look  # type: ignore[method-assign]  # the toolkit's, for tests
        with app.batch_update():
            footer = screen.query_one("Footer")
            footer._set_dirty()
            screen._compositor.update_widgets({footer})
            screen._compositor_refresh()
        assert in_batch == []
        await driver.settle()
        assert in_batch == [False]
