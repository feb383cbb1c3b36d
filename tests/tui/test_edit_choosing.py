"""A version of a card that a sync left to be chosen is shown, and chosen, where it is edited."""

from __future__ import annotations

from pathlib import Path

from deck.sync.conflicts import conflicts
from tests.tui.driving import basic, running


def left_to_be_chosen(root: Path, *texts: str) -> None:
    folder = root / ".deltadeck" / "conflicts"
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        (folder / f"first.0000000{number}.md").write_text(basic("first").replace("Why?", text))


async def test_the_difference_is_shown_and_this_one_kept(two: Path) -> None:
    before = (two / "first.md").read_text()
    left_to_be_chosen(two, "Other?", "Third?")
    async with running(two) as app:
        assert [problem.path for problem in app.app.open_collection.problems] == [
            two / "first.md"
        ] * 2
        await app.press("enter", "e")
        assert app.screen == "DifferenceScreen"
        shown = app.shown()
        assert "the same lines" in shown
        assert "Other?" in shown
        await app.press("k")
        assert "Third?" in app.shown(), "the next one is asked about"
        await app.press("k")
        assert app.screen == "EditScreen"
        assert conflicts(two) == []
        assert (two / "first.md").read_text() == before
        assert not app.app.open_collection.problems
        assert any("tells the other computers" in said for said in app.said())


async def test_the_other_one_counts_once_it_is_saved(two: Path) -> None:
    left_to_be_chosen(two, "Other?")
    async with running(two) as app:
        await app.press("enter", "e", "t")
        assert app.screen == "EditScreen"
        assert len(conflicts(two)) == 1, "nothing is written yet"
        await app.press("ctrl+s")
        assert conflicts(two) == []
        assert "Other?" in (two / "first.md").read_text()


async def test_later_it_is_asked_again(two: Path) -> None:
    left_to_be_chosen(two, "Other?")
    async with running(two) as app:
        await app.press("enter", "e", "escape")
        assert app.screen == "EditScreen"
        assert len(conflicts(two)) == 1
        await app.press("escape", "e")
        assert app.screen == "DifferenceScreen"
