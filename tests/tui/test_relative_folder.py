"""A folder named from where one stands, as `make study` names it, is one like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import basic, running, write

FOLDER = Path("cards", "here")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir(parents=True)
    write(FOLDER, "one", basic("one", "![a plot](plot.png)"))


@pytest.mark.parametrize("way", [("enter", "e"), ("b", "e")])
async def test_a_card_opens_in_the_editor(way: tuple[str, ...]) -> None:
    async with running(FOLDER) as app:
        await app.press(*way)
        assert app.screen == "EditScreen"
        assert await app.sees("# Question")


async def test_a_new_card_goes_beside_the_one_that_is_studied() -> None:
    async with running(FOLDER) as app:
        await app.press("enter", "a", "ctrl+s", "ctrl+s")
    assert (FOLDER / "20261120_100000.md").exists()


async def test_a_problem_leads_to_its_line() -> None:
    write(FOLDER, "broken", "---\nid: [x\n---\nhello\n")
    async with running(FOLDER) as app:
        await app.press("p")
        await app.press("enter")
        assert app.screen == "EditScreen"


async def test_a_card_is_tagged() -> None:
    async with running(FOLDER) as app:
        await app.press("b")
        await app.press("t", *"new", "enter")
    assert "tags: [new]" in (FOLDER / "one.md").read_text("utf-8")


async def test_a_card_is_moved() -> None:
    async with running(FOLDER) as app:
        await app.press("b")
        await app.press("m", *"sub", "enter")
    assert (FOLDER / "sub" / "one.md").exists()


async def test_a_picture_beside_the_card_is_found() -> None:
    (FOLDER / "plot.png").touch()
    async with running(FOLDER) as app:
        await app.press("enter")
        assert "missing" not in app.shown()
