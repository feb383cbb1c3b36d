"""The command palette: everything that can be done here, the way to everywhere, keys beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from textual.command import CommandPalette

from tests.tui.driving import Driver, running
from tui.app import PaletteCommand, commands
from tui.keymap import available_actions

#: Screens and the commands that lead there.
WAYS = {
    "StudyScreen": "Study",
    "OwnSessionScreen": "Timed",
    "MoreTodayScreen": "More",
    "ExamScreen": "Exam",
    "AddScreen": "Write a new card",
    "BrowseScreen": "Browse",
    "StatisticsScreen": "Stats",
    "SettingsScreen": "Settings",
    "ProblemsScreen": "Problems",
    "HelpScreen": "Help",
}
SCREENS = {
    "home": (),
    "study": ("enter",),
    "lab": ("G", "enter", "c"),
    "edit": ("enter", "e"),
    "browse": ("b",),
    "settings": ("comma",),
    "a form": ("t",),
}


def listed(app: Driver) -> list[PaletteCommand]:
    return list(commands(app.app, app.app.screen))


async def test_it_holds_all_that_a_screen_does_and_the_way_to_the_others(cards: Path) -> None:
    async with running(cards) as app:
        for name, way in SCREENS.items():
            await app.home()
            await app.press(*way)
            found = listed(app)
            keys = {name: one.key for one in found for name in one.names}
            for deed in available_actions(app.app.screen):
                if deed.binding.action != "command_palette":  # one is there
                    assert keys[deed.ids[0]] == " ".join(deed.keys)
            assert max(Counter(one.words for one in found).values()) == 1
            for screen, begins in WAYS.items():
                sits = name in ("study", "lab", "edit")
                if sits and screen in ("StudyScreen", "OwnSessionScreen", "ExamScreen"):
                    continue  # one sitting at a time
                starts = (begins, f"Add: {begins}")
                assert any(one.words.startswith(starts) for one in found), (name, screen)
            assert any(one.words.startswith("Theme") and one.listed for one in found)


async def run(app: Driver, one: PaletteCommand) -> None:
    done = one.run()
    assert done is not None
    await done
    await app.settle()


async def test_it_is_searched_by_words_and_by_names_and_shows_the_key_beside(cards: Path) -> None:
    config = cards / ".deltadeck" / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + '[keys]\napp.palette = "f6"\n', encoding="utf-8")
    async with running(cards, (100, 40)) as app:
        await app.do("", "f6 palette")
        for typed, screen in (("statistics", "StatisticsScreen"), ("browse", "BrowseScreen")):
            await app.press("comma", "f6")
            assert isinstance(app.app.screen, CommandPalette)
            await app.do(f"={typed} enter", on=screen)
            await app.press("escape", "escape")
        await app.do("f6 =nord enter")
        assert app.app.theme == "nord"
        await app.do("enter f6", "Reveal  space")
        await app.do("=settings", ", on the decks' screen")
        await app.home()
        # A card can be written where letters are options.
        await app.do("j j enter f6 =new␣card", "Write a new card  F3")
        await app.do("enter", on="AddScreen")


async def test_it_leads_to_every_screen_from_another_and_back(cards: Path) -> None:
    async with running(cards) as app:
        await app.press("comma")
        settings = app.app.screen
        for screen, begins in WAYS.items():
            starts = (begins, f"Add: {begins}")
            await run(app, next(one for one in listed(app) if one.words.startswith(starts)))
            assert app.screen == screen
            await app.press("escape")
            assert app.app.screen is settings, screen
        await app.do("escape enter e x")
        decks = next(one for one in listed(app) if one.words.startswith("Decks"))
        await run(app, decks)
        assert app.screen == "ConfirmScreen"  # something would be lost
        await app.press("d")
        await run(app, decks)
        assert app.screen == "HomeScreen"
