"""The settings screen: what it shows, writes and takes back."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deck.config import Config, Course, Setting, parse_config
from deck.settings import GROUPS, THEME, SettingError, set_value, shown, typed
from tests.tui.driving import Driver, running
from tui.collection_service import Changed
from tui.screens.settings import SettingsScreen

SETTINGS = [one for group in GROUPS.values() for one in group if one.key != THEME]


def test_every_setting_of_the_collection_has_its_row() -> None:
    # Parameters are the optimiser's, tables have places of their own.
    elsewhere = {"parameters", "model", "courses", "searches", "macros", "extra"}
    rows = {one.key for one in SETTINGS}
    assert rows == ({each.name for each in fields(Config)} - elsewhere) | {"exam", "target"}
    of_courses = {one.key for one in SETTINGS if one.scope != "all"}
    assert of_courses == {each.name for each in fields(Course)}


def test_what_is_shown_can_be_typed_again() -> None:
    for setting in (one for one in SETTINGS if one.scope != "course"):
        default = getattr(Config(), setting.key)
        text = set_value("", setting.key, typed(setting, shown(setting, default)))
        config, problems = parse_config(text)
        assert getattr(config, setting.key) == default
        assert problems == ()


@given(st.sampled_from(SETTINGS), st.text(max_size=12))
def test_whatever_is_typed_is_a_value_or_a_sentence(setting: Setting, text: str) -> None:
    refusal, value = "", None
    try:
        value = typed(setting, text)
    except SettingError as error:
        refusal = str(error)
    assert not refusal or refusal.endswith(".")
    if value is None:
        return
    table = ("courses", "A") if setting.scope == "course" else ()
    config, problems = parse_config(set_value("", setting.key, value, table))
    assert problems == ()
    kept = getattr(config.courses["A"] if table else config, setting.key)
    assert typed(setting, shown(setting, kept)) is not None


async def opened(driver: Driver) -> None:
    driver.app.push_screen(SettingsScreen())
    await driver.settle()


def written(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / ".deltadeck" / "config.toml").read_text())


async def test_a_value_is_typed_or_turned_written_and_taken_back(two: Path) -> None:
    async with running(two) as driver:
        await opened(driver)
        await driver.press("enter", "7", "enter")
        assert written(two) == {"new_per_day": 7}
        assert driver.app.open_collection.config.new_per_day == 7
        await driver.press("u")
        assert driver.app.open_collection.config.new_per_day == 20
        await driver.do("enter x enter", "whole number")
        await driver.press("escape", "G", "right")
        assert driver.app.theme == "textual-light"
        assert written(two) == {}
        await driver.press("g", *["j"] * 9, "right")
        assert written(two) == {"review_order": "due"}
        await driver.press("left", "left")
        assert written(two) == {"review_order": "random"}
        await driver.do("g c", "Pooling", "as the collection")
        await driver.press("enter", "3", "enter")
        assert written(two)["courses"] == {"Pooling": {"new_per_day": 3}}
        await driver.press("backspace")
        assert driver.app.open_collection.config.of_course("Pooling").new_per_day == 20
        await driver.do("escape", on="HomeScreen")


async def test_a_change_of_another_program_is_shown_and_not_taken_back(two: Path) -> None:
    file = two / ".deltadeck" / "config.toml"
    async with running(two) as driver:
        await opened(driver)
        await driver.press("enter", "7", "enter")
        file.write_text(f"{file.read_text()}reviews_per_day = 123\n")
        driver.app.open_collection.reload(driver.clock())
        driver.app.post_message(Changed())
        await driver.settle()
        assert "123" in driver.shown()
        await driver.do("u", "nothing was taken back", "123")
        assert written(two) == {"new_per_day": 7, "reviews_per_day": 123}
