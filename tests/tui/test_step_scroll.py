"""Keys that scroll, pressed faster than the screen is painted."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static

from tui.widgets.frame import KeyedScroll


class Long(App[None]):
    def compose(self) -> ComposeResult:
        with KeyedScroll():
            yield Static("\n".join(f"line {number}" for number in range(200)), id="text")

    @property
    def scroll(self) -> KeyedScroll:
        return self.query_one(KeyedScroll)


async def test_each_of_many_keys_between_two_paints_counts() -> None:
    app = Long()
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.press("j")
        assert app.scroll.scroll_y == 1
        for _ in range(3):
            app.scroll.action_lines(1)
        app.scroll.action_pages(2)
        app.scroll.action_lines(-1)
        await pilot.pause()
        assert app.scroll.scroll_y == 1 + 3 + 2 * 18 - 1
        await pilot.press("k", "pageup")
        assert app.scroll.scroll_y == 20


async def test_it_goes_no_further_than_there_is_and_comes_back_at_once() -> None:
    app = Long()
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        app.scroll.action_pages(100)
        await pilot.pause()
        assert app.scroll.scroll_y == app.scroll.max_scroll_y == 180
        await pilot.press("k")
        assert app.scroll.scroll_y == 179


async def test_keys_reach_into_what_is_longer_only_at_the_next_paint() -> None:
    app = Long()
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        app.query_one("#text", Static).update("\n".join(map(str, range(400))))
        app.scroll.action_lines(300)
        await pilot.pause()
        assert app.scroll.scroll_y == 300
