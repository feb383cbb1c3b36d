"""What the browser does to many cards at once, and how all of it is taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import parse_card
from deck.fsrs import Rating
from deck.replay import New
from tests.tui.browsing import opened, three_cards
from tests.tui.driving import basic, running, write

#: The keys that give every card a tag.
TAG = ("asterisk", "t", *"foo", "enter")


@pytest.fixture
def three(folder: Path) -> Path:
    return three_cards(folder)


def tags(folder: Path) -> dict[str, tuple[str, ...]]:
    """Of every card, wherever it is."""
    cards = [parse_card(path.read_text("utf-8")) for path in sorted(folder.rglob("*.md"))]
    return {card.id: card.tags for card in cards}


async def test_marked_cards_are_tagged_at_once_and_back_again(three: Path) -> None:
    before = {path.name: path.read_text() for path in three.glob("*.md")}
    async with running(three) as driver:
        await opened(driver)
        await driver.press("space", "space", "t", *"cnn new", "enter")
        tags = [parse_card((three / f"{name}.md").read_text()).tags for name in ("alpha", "gamma")]
        assert tags == [("cnn", "new"), ()]
        await driver.press("u")
        assert {path.name: path.read_text() for path in three.glob("*.md")} == before


async def test_suspending_is_seen_and_taken_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        await driver.press("s")
        assert collection.is_suspended("alpha")
        assert "‖" in driver.shown()
        await driver.press("u")
        assert not collection.is_suspended("alpha")


async def test_cards_move_with_their_history_and_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        collection.rate("alpha", Rating.GOOD, driver.clock(), 1000)
        await driver.press("m", *"deep/er", "enter")
        assert (three / "deep" / "er" / "alpha.md").exists()
        assert not isinstance(collection.state("alpha"), New)
        await driver.press("u")
        assert (three / "alpha.md").exists()
        assert not (three / "deep").exists()


async def test_a_folder_that_others_use_meanwhile_stays(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.press("m", *"deep", "enter")
        (three / "deep" / "other.md").write_text("mine")
        await driver.press("u")
        assert (three / "alpha.md").exists()
        assert (three / "deep" / "other.md").read_text() == "mine"


async def test_a_move_takes_no_other_files_place_and_never_leaves_the_folder(three: Path) -> None:
    (three / "deep").mkdir()
    (three / "deep" / "alpha.md").write_text("mine")
    async with running(three) as driver:
        await opened(driver)
        await driver.press("m", *"deep", "enter")
        assert (three / "deep" / "alpha.md").read_text() == "mine"
        assert (three / "alpha.md").exists()
        await driver.press("m", *"../out", "enter")
        assert any("not inside" in said for said in driver.said())
        assert not (three.parent / "out").exists()


async def test_reset_makes_new_and_undo_brings_the_schedule_back(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        collection.rate("alpha", Rating.EASY, driver.clock(), 1000)
        there = collection.state("alpha")
        await driver.press("R")
        assert isinstance(collection.state("alpha"), New)
        await driver.press("u")
        assert collection.state("alpha") == there


async def test_undos_pressed_at_once_take_all_back_in_their_order(folder: Path) -> None:
    names = [f"card{number}" for number in range(6)]
    for name in names:
        write(folder, name, basic(name))
    async with running(folder, size=(80, 24)) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        await driver.press(*TAG, "s", "u", "u")
        assert tags(folder) == dict.fromkeys(names, ())
        assert not any(collection.is_suspended(name) for name in names)
        assert "Taken back: 6 items suspended." in driver.said()
        assert "Taken back: 6 cards tagged foo." in driver.said()
        await driver.press("u")
        assert "There is no change to take back." in driver.said()


async def test_changes_of_path_and_status_are_taken_back_one_by_one(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        collection = driver.app.open_collection
        collection.rate("beta", Rating.EASY, driver.clock(), 1000)
        there = collection.state("beta")
        await driver.press(*TAG, "m", *"deep", "enter", "s", "R")
        assert set(tags(three / "deep").values()) == {("foo",)}
        await driver.press("u")
        assert collection.state("beta") == there
        await driver.press("u")
        assert not collection.is_suspended("beta")
        await driver.press("u")
        assert not (three / "deep").exists()
        await driver.press("u")
        assert set(tags(three).values()) == {()}


async def test_tags_are_taken_back_beside_what_others_wrote_since(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.press(*TAG)
        alpha, beta = three / "alpha.md", three / "beta.md"
        alpha.write_text(alpha.read_text().replace("Jacobian", "gradient"))
        beta.write_text(beta.read_text().replace("foo", "foo, mine"))
        (three / "new").mkdir()
        (three / "gamma.md").rename(three / "new" / "gamma.md")
        await driver.press("u")
        assert tags(three) == {"alpha": (), "beta": ("mine",), "gamma": ()}
        assert "gradient" in alpha.read_text()


async def test_what_could_not_be_taken_back_is_named_and_tried_again(three: Path) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.press("s", "m", *"deep", "enter")
        (three / "alpha.md").write_text("mine")
        await driver.press("u")
        assert any(said.startswith("Not taken back: alpha. ") for said in driver.said())
        assert driver.app.open_collection.is_suspended("alpha")
        assert not any(said.startswith("Taken back") for said in driver.said())
        (three / "alpha.md").unlink()
        await driver.press("u")
        assert "Taken back: 1 card moved to deep." in driver.said()
        assert tags(three).keys() == {"alpha", "beta", "gamma"}


async def test_what_is_gone_does_not_keep_earlier_changes_from_being_taken_back(
    three: Path,
) -> None:
    async with running(three) as driver:
        await opened(driver)
        await driver.press("s", *TAG)
        (three / "beta.md").unlink()
        await driver.press("u")
        assert "Taken back: 2 of 3 cards tagged foo." in driver.said()
        assert any(said.startswith("Not taken back: beta. ") for said in driver.said())
        await driver.press("u")
        assert not driver.app.open_collection.is_suspended("alpha")
