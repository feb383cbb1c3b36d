"""Home: what there is, what is due, and the next key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import STARTER
from tests.tui.driving import Clock, basic, running, write
from tests.tui.studied import make
from tui.collection_service import Changed, CollectionService, LeftError
from tui.screens.home import HomeScreen
from tui.screens.home_panel import reading_panel


async def test_an_empty_folder_names_the_next_key(folder: Path) -> None:
    async with running(folder) as app:
        assert "There are no cards here yet. Press a to write the first one, or" in app.shown()
        assert "enter to begin with the starter deck." in " ".join(app.shown().split())
        await app.press("a")
        assert app.screen == "AddScreen"


async def test_a_first_run_begins_with_the_starter_deck(folder: Path) -> None:
    async with running(folder) as app:
        assert "Starter deck" in app.shown().splitlines()[-1]
        await app.press("enter")
        assert len(list(folder.glob("*.md"))) == len(list(STARTER.glob("*.md")))
        assert "Statistical Machine Learning" in app.shown()
        assert "Starter deck" not in app.shown().splitlines()[-1]
        await app.press("enter")
        assert app.screen == "StudyScreen"


async def test_decks_show_new_learning_and_due(two: Path) -> None:
    async with running(two) as app:
        [row] = [line for line in app.shown().splitlines() if "Pooling" in line]
        assert row.split()[:4] == ["Pooling", "2", "–", "–"]
        assert "2 cards, about 2 min" in app.shown()
        await app.press("enter", "space", "3", "escape")
        [row] = [line for line in app.shown().splitlines() if "Pooling" in line]
        assert row.split()[:4] == ["Pooling", "1", "1", "–"]
        assert "1 of 2" in app.shown()


async def test_several_courses_can_be_studied_together(two: Path) -> None:
    write(two, "other", basic("other").replace("Pooling", "Control"))
    async with running(two) as app:
        assert "All decks" in app.shown()
        await app.press("enter")
        assert "1 of 3" in app.shown()


async def test_what_cannot_be_read_is_counted_and_listed_with_its_place(two: Path) -> None:
    write(two, "broken", "---\nid: [x\n---\nhello\n")
    async with running(two) as app:
        assert "1 problem found: p shows where" in app.shown()
        await app.press("p")
        assert "broken.md:2:7" in app.shown()
        await app.press("enter")
        assert app.screen == "EditScreen"


async def test_without_problems_the_key_for_them_is_off(two: Path) -> None:
    async with running(two) as app:
        await app.press("p")
        assert app.screen == "HomeScreen"


async def test_a_folder_that_cannot_be_opened_is_a_sentence_and_exit_code_2(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "nowhere"
    async with running(missing) as app:
        assert app.app.return_code == 2


async def test_names_from_a_card_are_never_markup(folder: Path) -> None:
    text = basic("odd").replace("course: Pooling", 'course: "[bold]x[/bold] [/]"')
    write(folder, "odd", text)
    async with running(folder) as app:
        assert "[bold]x[/bold] [/]" in app.shown()


async def test_a_folder_that_goes_away_is_said_and_taken_up_when_it_is_back(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "3", "escape")
        away = two.rename(two.with_name("away"))
        await app.press("r")
        words = " ".join(app.shown().split())
        assert "is gone, with the cards in it" in words
        assert "Bring it back and press r" in words
        await app.press("enter", "space", "3", "escape")
        assert "is gone" in " ".join(app.shown().split())
        away.rename(two)
        await app.press("r")
        assert "is gone" not in " ".join(app.shown().split())
        [row] = [line for line in app.shown().splitlines() if "Pooling" in line]
        assert row.split()[:4] == ["Pooling", "1", "1", "–"]


async def test_a_folder_that_goes_away_is_noticed_without_a_key(two: Path) -> None:
    async with running(two) as app:
        away = two.rename(two.with_name("away"))
        home = app.app.screen
        assert isinstance(home, HomeScreen)
        home.watch_folder()
        await app.settle()
        assert "is gone" in " ".join(app.shown().split())
        away.rename(two)
        home.watch_folder()
        await app.settle()
        assert "is gone" not in " ".join(app.shown().split())


async def test_settings_that_became_unreadable_are_a_sentence(two: Path) -> None:
    async with running(two) as app:
        (two / ".deltadeck").mkdir()
        (two / ".deltadeck" / "config.toml").write_text("new_per_day = -1\n")
        await app.press("r")
        assert app.screen == "HomeScreen"
        assert any("new_per_day cannot be -1" in said for said in app.said())


# What changes while the app runs, and what is read at its start.


async def test_what_another_program_wrote_is_seen_without_a_key(two: Path) -> None:
    async with running(two) as app:
        write(two, "third", basic("third"))
        app.app.open_collection.reload(app.clock())
        app.app.post_message(Changed())
        await app.settle()
        assert "3 cards" in app.shown()


def test_leaving_stops_a_first_start_and_the_next_one_goes_on(folder: Path) -> None:
    for number in range(1600):
        write(folder, f"c{number}", basic(f"c{number}"))
    clock = Clock()
    left = CollectionService(folder, clock)
    left.leave()
    with pytest.raises(LeftError):
        left.open(at_once=True)
    left.end()
    life = CollectionService(folder, clock)
    assert len(life.open(at_once=True).cards) == 1600
    life.end()


def test_a_first_start_shows_how_far_it_is() -> None:
    page = reading_panel({"cards": (3400, 10000), "reviews": (0, 1_095_000)}, "study", 48).plain
    assert "Reading the cards in study …" in page
    assert "3,400 of 10,000" in page
    assert "0.0 of 1.1 MB" in page
    assert max(map(len, page.splitlines())) <= 48


# Exams.


def with_exam(folder: Path, day: str, target: int) -> None:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    text = f'[courses."Pooling"]\nexam = {day}\ntarget = {target}\n'
    (folder / ".deltadeck/config.toml").write_text(text)


async def test_an_exam_is_shown_with_its_days_and_points(two: Path) -> None:
    with_exam(two, "2026-12-01", 2)
    async with running(two) as app:
        words = " ".join(app.shown().split())
        assert "Pooling in 11 days" in words
        assert "2 of 2 p expected" in words
        assert "0 p if you stop now" in words
        assert "2 p is out of reach: x" in words
        await app.pilot.resize_terminal(60, 20)
        await app.settle()
        assert "Pooling in 11 days: 2 of 2 p expected" in app.shown()


async def test_the_plan_of_an_exam_is_studied(two: Path) -> None:
    with_exam(two, "2026-12-01", 1)
    async with running(two) as app:
        await app.press("x")
        shown = app.shown()
        for words in (
            "Exam · Pooling",
            "in 11 days",
            "1 points are within reach",
            "2 cards, 2 new",
        ):
            assert words in shown
        await app.press("enter")
        assert "1 of 2" in app.shown()
        await app.press("space", "4", "escape")
        assert "Exam · Pooling" in app.shown()
        await app.press("escape")
        assert app.screen == "HomeScreen"


async def test_without_an_exam_to_come_its_key_tells_where_one_is_set(two: Path) -> None:
    with_exam(two, "2026-11-01", 1)
    async with running(two) as app:
        assert "Exam" not in app.shown()
        await app.press("x")
        assert app.screen == "HomeScreen"
        assert any("set its exam" in said for said in app.said())


async def test_several_exams_stand_below_each_other_the_nearest_first(two: Path) -> None:
    write(two, "other", basic("other").replace("Pooling", "Optimal and Robust Control of Systems"))
    with_exam(two, "2026-12-01", 2)
    config = two / ".deltadeck/config.toml"
    more = '[courses."Optimal and Robust Control of Systems"]\nexam = 2026-11-20\n'
    config.write_text(config.read_text() + more)
    async with running(two, size=(60, 20)) as app:
        shown = app.shown()
        assert shown.index("ORCS today: ") < shown.index("Pooling in 11 days")


# The days around today.


async def test_the_week_recall_streak_and_calendar_are_those_of_the_statistics(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    make(folder)
    async with running(folder) as app:
        stats = app.app.open_collection.statistics(app.clock())
        shown, words = app.shown(), " ".join(app.shown().split())
        assert f"{sum(stats.forecast[:7])} due in 7 days" in words
        assert "F S S M T W T" in shown
        [month] = [each.all for each in stats.retention if each.name == "month"]
        assert f"{month.right / month.of:.0%}".replace("%", " %") + f" of {month.of}" in words
        assert "(asked for 90 %)" in words
        assert f"Streak {stats.streak.current} days" in words
        for name in ("Mon", "Wed", "Fri", "Sun", "Nov"):
            assert name in shown
        await app.press("enter", "space", "3", "escape")
        stats = app.app.open_collection.statistics(app.clock())
        assert f"{sum(stats.forecast[:7])} due in 7 days" in " ".join(app.shown().split())


async def test_a_collection_of_new_cards_has_no_week_yet(two: Path) -> None:
    async with running(two) as app:
        for word in ("Week", "Recall", "Streak", "Mon"):
            assert word not in app.shown()


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_with_many_decks_the_tree_scrolls_and_the_panel_is_whole(
    folder: Path, size: tuple[int, int]
) -> None:
    make(folder, 61)
    for number, path in enumerate(sorted(folder.glob("*.md"))):
        (folder / f"topic {number:02d}").mkdir()
        path.rename(folder / f"topic {number:02d}" / path.name)
    async with running(folder, size) as app:
        for word in ("Today", "Week", "Recall", "Streak", "Exam", "p expected"):
            assert word in app.shown()
        await app.press("G")
        assert "topic 60" in app.shown()
        assert "p expected" in app.shown()


async def test_what_is_shown_is_asked_for_again_when_it_holds_no_longer(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "space", "1", "escape")
        [row] = [line for line in app.shown().splitlines() if "Pooling" in line]
        assert row.split()[:4] == ["Pooling", "1", "1", "–"]
        home = app.app.screen
        assert isinstance(home, HomeScreen)
        app.clock.move(days=1)
        home.watch_folder()
        await app.settle()
        assert "Sat 21 Nov" in app.shown()
        assert "1 day (not yet today)" in app.shown()


# The command palette.


async def test_the_palette_has_what_the_keys_do(two: Path) -> None:
    async with running(two) as app:
        await app.press("ctrl+p", *"cram")
        await app.settle()
        assert "Cram: practise without changing the schedule" in app.shown()
        await app.press("enter")
        await app.settle()
        assert app.screen == "OwnSessionScreen"


async def test_home_and_a_session_of_ones_own_say_the_same_time(folder: Path) -> None:
    make(folder)
    async with running(folder) as app:
        said = re.search(r"\d+ cards, about \d+ min", app.shown())
        assert said is not None
        await app.press("t")
        assert await app.sees(f"{said[0]}.")
