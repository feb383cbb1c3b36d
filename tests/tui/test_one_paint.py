"""A key is seen at once and whole: nothing is painted that the next paint puts right."""

from __future__ import annotations

from pathlib import Path

from textual._ansi_sequences import SYNC_END, SYNC_START

from tests.tui.driving import Driver, basic, running, write
from tui.terminal import TerminalDriver
from tui.widgets.card_page import CardPage

_LONG = "\n\n".join(f"Line {number} of a question that is long." for number in range(30))


def watch(driver: Driver) -> list[tuple[bool, float]]:
    """Of each paint from now on, whether the ratings are there and how far the page is scrolled."""
    frames: list[tuple[bool, float]] = []
    page = driver.app.screen.query_one(CardPage)

    def look() -> None:
        frames.append(("Again" in driver.shown(), page.scroll_y))

    driver.app.post_display_hook = look  # type: ignore[method-assign]  # the toolkit's, for tests
    return frames


async def test_a_reveal_is_never_painted_before_it_is_scrolled(tmp_path: Path) -> None:
    write(tmp_path, "a", basic("a", _LONG, _LONG))
    async with running(tmp_path) as driver:
        await driver.press("enter")
        frames = watch(driver)
        await driver.press("space")
        places = {place for revealed, place in frames if revealed}
        assert len(places) == 1
        assert places.pop() > 20


async def test_the_next_card_is_never_painted_scrolled(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, name, basic(name, _LONG, _LONG))
    async with running(tmp_path) as driver:
        await driver.press("enter", "space")
        frames = watch(driver)
        await driver.press("3")
        assert {place for revealed, place in frames if not revealed} == {0}


async def test_a_solution_that_fits_is_not_scrolled_to(tmp_path: Path) -> None:
    write(tmp_path, "a", basic("a"))
    async with running(tmp_path) as driver:
        await driver.press("enter", "space")
        assert driver.app.screen.query_one(CardPage).scroll_y == 0


class _Terminal:
    """What a writer's thread is given."""

    def __init__(self) -> None:
        self.writes: list[str] = []

    def write(self, text: str) -> None:
        self.writes.append(text)


def test_a_frame_is_handed_on_as_one_write_and_nothing_is_kept_back() -> None:
    driver, terminal = TerminalDriver.__new__(TerminalDriver), _Terminal()
    driver._writer_thread = terminal  # type: ignore[assignment]
    for text in ("a", SYNC_START, "b", "c", SYNC_END, "d"):
        driver.write(text)
    assert terminal.writes == ["a", f"{SYNC_START}bc{SYNC_END}", "d"]


async def test_what_a_batch_drops_is_painted_behind_it(tmp_path: Path) -> None:
    """A layout amid a batch is painted a little later; where the batch still waits for widgets
    then, Textual drops that paint and takes it for done: the page stayed blank."""
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
        assert in_batch == [True]
        await driver.settle()
        assert in_batch[1:] == [False]
