"""Home: what there is, what is due, the panel beside it, and the next key."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Size
from textual.widgets import TextArea

from deck.collection import Collection
from deck.fsrs import Rating
from deck.queue import SessionRequest
from deck.stats import YEAR
from tests.paths import STARTER
from tests.tui.driving import RIGHT, WRONG, Clock, Driver, basic, running, write
from tests.tui.lab_driving import write_answer
from tests.tui.studied import make
from tui.app import DeltadeckApp
from tui.collection_service import Changed, CollectionService, LeftError
from tui.home_state import (
    Activity,
    DeckRow,
    ExamLine,
    HomeSnapshot,
    HomeState,
    Unfinished,
    keep,
    read,
    stamp,
)
from tui.home_state import around as asked
from tui.plots.draw import ASCII, UNICODE, GlyphSet, plain, strip, width_of
from tui.screens.home import HomeScreen
from tui.screens.home_panel import (
    activity,
    beside_columns,
    calendar_rows,
    panel,
    reading_panel,
    tree_columns,
)
from tui.session_form import holds
from tui.text import estimate
from tui.widgets.figure import calendar

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
TODAY = NOW.date()


def counts(app: Driver) -> list[str]:
    """New, learning and due of the course."""
    [row] = [line for line in app.shown().splitlines() if "Pooling" in line]
    return row.split()[1:4]


async def look_again(app: Driver, *seen: str) -> None:
    """What a timer does."""
    home = app.app.screen
    assert isinstance(home, HomeScreen)
    home.watch_folder()
    await app.settle()
    await app.do("", *seen)


# The decks, and what to do where there is none.


async def test_an_empty_folder_names_the_next_keys_and_begins_with_the_starter_deck(
    folder: Path,
) -> None:
    starter = "enter to begin with the starter deck."
    async with running(folder) as app:
        await app.do("", "There are no cards here yet. Press a to write the first one, or", starter)
        assert "Starter deck" in app.shown().splitlines()[-1]
        await app.do("a", on="AddScreen")
        await app.do("escape enter", "Statistical Machine Learning", gone=("Starter deck",))
        assert len(list(folder.glob("*.md"))) == len(list(STARTER.glob("*.md")))
        await app.do("enter", on="StudyScreen")


async def test_decks_show_new_learning_and_due_of_this_day(two: Path) -> None:
    async with running(two) as app:
        nothing = ("Week", "Recall", "Streak", "Mon")  # of nothing but new cards
        await app.do("", "2 cards, about 2 min", gone=nothing)
        assert counts(app) == ["2", "–", "–"]
        await app.do("enter space 3 escape", "1 of 2")
        assert counts(app) == ["1", "1", "–"]
        app.clock.move(days=1)
        await look_again(app, "Sat 21 Nov", "1 day (not yet today)")
        write(two, "third", basic("third"))  # by another program: seen without a key
        app.app.open_collection.reload(app.clock())
        app.app.post_message(Changed())
        await app.settle()
        await app.do("", "3 cards")
        away = two.rename(two.with_name("away"))
        await look_again(app, "is gone, with the cards in it. Bring it back and press r")
        await app.do("enter space 3 escape", "is gone")
        away.rename(two)
        await app.do("r", gone=("is gone",))
        assert counts(app) == ["2", "1", "–"]


async def test_names_are_no_markup_and_what_cannot_be_read_is_listed_with_its_place(
    two: Path,
) -> None:
    write(two, "other", basic("other").replace("Pooling", '"[bold]x[/bold] [/]"'))
    write(two, "broken", "---\nid: [x\n---\nhello\n")
    async with running(two) as app:
        await app.do("", "[bold]x[/bold] [/]", "All decks", "1 problem found: p shows where")
        await app.do("enter", "1 of 3")  # several courses are studied together
        (two / ".deltadeck").mkdir(exist_ok=True)
        (two / ".deltadeck" / "config.toml").write_text("new_per_day = -1\n")
        await app.do("escape r", "new_per_day cannot be -1")
        await app.do("p", "broken.md:2:5")
        await app.do("enter", on="EditScreen")
    async with running(two / "nowhere") as app:
        assert app.app.return_code == 2


async def test_the_next_cards_stand_below_the_decks_and_a_first_start_says_how_to_begin(
    two: Path,
) -> None:
    async with running(two, size=(120, 40)) as app:
        await app.do("", "Next", "2 cards", "Press enter to study")
    async with running(two, size=(60, 20)) as app:
        await app.do("", "Next", "2 cards", "Press enter to study")


async def test_the_starter_deck_says_what_it_holds_and_begins_with_the_flagship(
    folder: Path,
) -> None:
    shutil.copytree(STARTER, folder, dirs_exist_ok=True)
    flagship = "A max pooling layer has a 3 × 3 kernel"
    for width, height in ((60, 20), (80, 24), (120, 40)):
        async with running(folder, (width, height)) as app:
            await app.do("", "26, 19 of them", "opens the lab", "Press enter to study")
            first = app.shown().split("Next")[1].split("●")[1].strip()
            assert first.startswith(flagship[:20])
            assert ("searches the cards" in app.shown()) == (height == 40)


async def test_a_deck_is_folded_and_unfolded_and_keeps_the_cursor(folder: Path) -> None:
    for deck in ("one", "two"):
        (folder / deck).mkdir()
        write(folder / deck, f"{deck}_card", basic(f"{deck}_card"))
    async with running(folder) as app:
        await app.do("", "▾ Pooling", "one", "two")
        await app.do("j", "two")
        await app.do("left", "▸ Pooling")
        assert "one" not in app.shown()
        await app.do("right", "▾ Pooling", "one", "two")


async def test_a_folder_that_may_not_be_written_is_told_at_the_start(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    async with running(two) as app:
        await app.do("", "No answer can be recorded", "may not be written")


async def test_a_derivation_that_is_not_correct_yet_is_continued_from_home(seed: Path) -> None:
    going_on = "wrong: d continues"
    async with running(seed) as app:
        await app.do("", "On a derivation, c opens the lab", gone=(going_on,))
        await app.do("d", "No derivation is unfinished.", on="HomeScreen")
        await app.do("enter c")
        await write_answer(app, WRONG)
        await app.do("escape escape", "Lab", going_on, gone=("opens the lab",), on="HomeScreen")
        kept = read(seed, app.clock())
        assert kept is not None
        assert kept.around is not None
        assert kept.around.unfinished is not None, "the next start shows it at once"
    async with running(seed, (60, 20)) as app:
        await app.do("", going_on)
        await app.do("d", on="LabScreen")
        assert app.app.screen.query_one(TextArea).text == WRONG
        await write_answer(app, RIGHT)
        await app.do("escape", gone=("continues",), on="HomeScreen")
        await app.do("enter c")
        await write_answer(app, WRONG)
        await app.do("escape escape", going_on)
        # A rating is the end of it.
        await app.do("enter space 1 escape", gone=("continues",), on="HomeScreen")


async def test_a_slash_searches_the_cards(two: Path) -> None:
    async with running(two) as app:
        await app.do("", "Decks")
        await app.do("slash", "Browse")
        await app.do("=id:nothing", "0 items")


def test_leaving_stops_a_first_start_and_the_next_one_goes_on(folder: Path) -> None:
    for number in range(1100):
        write(folder, f"c{number}", basic(f"c{number}"))
    left = CollectionService(folder, Clock())
    left.leave()
    with pytest.raises(LeftError):
        left.open(at_once=True)
    left.end()
    life = CollectionService(folder, Clock())
    assert len(life.open(at_once=True).cards) == 1100
    life.end()
    page = reading_panel({"cards": (3400, 10000), "reviews": (0, 1_095_000)}, "study", 48).plain
    for said in ("Reading the cards in study …", "3,400 of 10,000", "0.0 of 1.1 MB"):
        assert said in page
    assert max(map(len, page.splitlines())) <= 48


async def test_with_many_decks_the_tree_scrolls_and_the_panel_is_whole(folder: Path) -> None:
    make(folder, 61)
    for number, path in enumerate(sorted(folder.glob("*.md"))):
        (folder / f"topic {number:02d}").mkdir()
        path.rename(folder / f"topic {number:02d}" / path.name)
    async with running(folder, (80, 24)) as app:
        for size in ((80, 24), (60, 20)):
            await app.pilot.resize_terminal(*size)
            await app.do("home", "Today", "Week", "Recall", "Streak", "Exam", "p expected")
            await app.do("G", "topic 60", "p expected")


# Exams.


def with_exam(folder: Path, day: str, target: int, more: str = "") -> None:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    text = f'[courses."Pooling"]\nexam = {day}\ntarget = {target}\n{more}'
    (folder / ".deltadeck/config.toml").write_text(text)


async def test_exams_are_shown_with_their_days_and_points_the_nearest_first(two: Path) -> None:
    name = "Optimal and Robust Control of Systems"
    write(two, "other", basic("other").replace("Pooling", name))
    with_exam(two, "2026-12-01", 2, f'[courses."{name}"]\nexam = 2026-11-20\n')
    async with running(two) as app:
        out = "2 p is out of reach: x"
        await app.do("", "Pooling in 11 days", "2 of 2 p expected", out, "0 p if you stop now")
        await app.pilot.resize_terminal(60, 20)
        await app.do("", "Pooling in 11 days: 2 of 2 p expected")
        narrow = app.shown()
        assert narrow.index("ORCS today: ") < narrow.index("Pooling in 11 days")


async def test_the_plan_of_an_exam_is_studied(two: Path) -> None:
    with_exam(two, "2026-12-01", 1)
    async with running(two) as app:
        reach = "1 points are within reach"
        await app.do("x", "Exam · Pooling", "in 11 days", reach, "2 cards, 2 new")
        await app.do("enter", "1 of 2")
        await app.do("space 4 escape", "Exam · Pooling")
        with_exam(two, "2026-11-01", 1)
        await app.do("escape r", gone=("Exam",), on="HomeScreen")
        await app.do("x", "No exam is set. Press `,` and `c`", on="HomeScreen")


# The days around today.


async def test_week_recall_streak_and_calendar_are_those_of_the_statistics(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    make(folder)
    async with running(folder) as app:
        stats = app.app.open_collection.statistics(app.clock())
        [month] = [each.all for each in stats.retention if each.name == "month"]
        recall = f"{month.right / month.of:.0%}".replace("%", " %")
        await app.do(
            "",
            *(f"{sum(stats.forecast[:7])} due in 7 days", "F S S M T W T", "(asked for 90 %)"),
            *(f"{recall} of {month.of}", f"Streak {stats.streak.current} days"),
            *("Mon", "Wed", "Fri", "Sun", "Nov"),
        )
        # A session of one's own says the same time.
        pace = re.search(r"\d+ cards, about \d+ min", app.shown())
        assert pace is not None
        await app.do("t")
        assert await app.sees(f"{pace[0]}.")
        await app.do("escape enter space 3 escape")
        stats = app.app.open_collection.statistics(app.clock())
        await app.do("", f"{sum(stats.forecast[:7])} due in 7 days")


def told(around: Activity, width: int = 56) -> dict[str, list[str]]:
    return {label: [line.plain for line in said] for label, said in activity(around, width)}


def of(ahead: tuple[int, ...] = (0,) * 7, **more: object) -> Activity:
    nothing = Activity(TODAY, ahead, 0, 0, 0.9, 0, None, (0,) * YEAR)
    return replace(nothing, **more)  # type: ignore[arg-type]


def test_there_is_a_line_for_what_there_is_and_a_bar_for_every_day_with_something_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    week = of((21, 0, 1, 7, 14, 3, 2))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert told(week) == {"Week": ["▇   ▁ ▃ ▅ ▁ ▁  48 due in 7 days", "F S S M T W T"]}
    assert told(week, 28) == {"Week": ["▇   ▁ ▃ ▅ ▁ ▁  48 due", "F S S M T W T  in 7 d"]}
    many = told(of((1, 0, 0, 0, 0, 0, 4321)), 28)["Week"]
    assert many == ["▁           ▇ ", "F S S M T W T ", "4,322 due in 7 days"]
    monkeypatch.setenv("LC_ALL", "C")
    assert told(week)["Week"][0] == "#   _ _ = _ _  48 due in 7 days"
    assert told(of()) == {}
    studied = of(days=(*(0,) * (YEAR - 2), 3, 0), streak=1)
    assert told(studied) == {"Week": ["No reviews fall due."], "Streak": ["1 day (not yet today)"]}
    recall = told(of(recalled=375, reviews=412))["Recall"]
    assert recall == ["91 % of 412 (asked for 90 %)"]
    assert told(of(recalled=999, reviews=1000))["Recall"] == ["99 % of 1,000 (asked for 90 %)"]


def seen_of(left: int = 34, done: int = 12, decks: int = 1) -> HomeState:
    rows = tuple(DeckRow(f"deck {n}", f"deck {n}", 0, (1, 0, 2), False) for n in range(decks))
    ends = NOW + timedelta(hours=18)
    return HomeState(rows, left, ends, done, 9.0, 0, 0, False, NOW, ends, [])


@pytest.mark.parametrize(("answers", "pace"), [(4, None), (5, 2.0)])
def test_the_time_that_is_left_follows_the_pace_of_the_last_month_unless_it_is_too_short(
    folder: Path, answers: int, pace: float | None
) -> None:
    size, around = Size(120, 40), of(pace=0.5)
    assert "about 26 min" in panel(seen_of(done=0), None, [], size, NOW, str).plain
    assert "about 17 min" in panel(seen_of(done=0), around, [], size, NOW, str).plain
    assert "about 2 h 30 min" in panel(seen_of(300, 0), around, [], size, NOW, str).plain
    for number in range(answers):
        write(folder, f"card{number}", basic(f"card{number}"))
    collection = Collection.open(folder, now=NOW)
    for number in range(answers):
        collection.rate(f"card{number}", Rating.GOOD, NOW, 120_000)
    assert asked(collection, NOW).pace == pace
    form = holds(collection, SessionRequest("cram"), NOW)
    assert form.minutes == estimate(answers, answers, 2 * answers, pace), "as home says it"
    collection.close()


# Whatever is known, it fits.

SIZES = st.builds(Size, st.integers(60, 250), st.integers(20, 70))
COUNTS = st.one_of(st.integers(0, 40), st.integers(0, 200_000))
UNFINISHED = st.builds(
    Unfinished,
    st.just("one"),
    st.text("aB é", min_size=1, max_size=60),
    st.sampled_from(("wrong", "only-without-overlap", "unreadable")),
)
AROUND = st.builds(
    lambda ahead, recalled, more, streak, days, unfinished: Activity(
        *(TODAY, ahead, recalled, recalled + more, 0.9, streak, 0.4, days),
        unfinished=unfinished,
    ),
    st.tuples(*[COUNTS] * 7),
    *(COUNTS, COUNTS, COUNTS),
    st.lists(st.integers(0, 300), min_size=YEAR, max_size=YEAR).map(tuple),
    st.none() | UNFINISHED,
)
EXAM = st.builds(
    ExamLine,
    st.text("aB é", min_size=1, max_size=60),
    st.just(date(2027, 1, 20)),
    st.integers(0, 4000),
    st.floats(0, 900),
    st.floats(0, 900),
    st.sampled_from((0.5, 52, 1234.5)),
    st.none() | st.integers(1, 900).map(float),
    st.booleans(),
)


@given(
    st.builds(seen_of, COUNTS, COUNTS, st.integers(1, 60)),
    st.none() | AROUND,
    st.lists(EXAM, max_size=3),
    SIZES,
)
def test_no_line_is_wider_than_the_panel_and_a_calendar_takes_what_is_left(
    seen: HomeState, around: Activity | None, exams: list[ExamLine], size: Size
) -> None:
    page, side_by_side = panel(seen, around, exams, size, NOW, str), size.width >= 76
    rows, decks = page.plain.count("\n") + 1, len(seen.rows)
    assert max(map(cell_len, page.plain.splitlines())) <= beside_columns(size.width)
    if side_by_side:
        assert tree_columns(size.width) + beside_columns(size.width) + 4 <= size.width
    height = calendar_rows(size, decks, rows)
    assert height in (0, 1, 8)
    needed = max(min(decks, 16), rows) if side_by_side else min(decks, 8) + 1 + rows
    assert not height or 5 + needed + 1 + height <= size.height
    if around is not None and height:
        lines = calendar(around, size.width - 2, height).plain.split("\n")
        assert len(lines) == height
        assert max(map(cell_len, lines)) <= size.width - 2


@given(st.integers(0, 800), st.integers(6, 300), st.sampled_from((UNICODE, ASCII)))
def test_a_strip_ends_with_today_and_names_each_month(days: int, width: int, ink: GlyphSet) -> None:
    first = TODAY - timedelta(days=days)
    answers = {TODAY - timedelta(days=ago): 1 + ago % 5 for ago in range(days + 1)}
    row = strip(answers, first, TODAY, width, ink)
    assert width_of(row) == cell_len(plain(row)) == width
    cells = [span for span in row if span.role.startswith("heat")]
    if cells:
        assert [n for n, span in enumerate(cells) if "today" in span.role] == [len(cells) - 1]
        assert plain(row).count("Nov") >= 1
    names = [span.text for span in row if span.role == "axis"]
    months = [f"{TODAY - timedelta(days=ago):%b} " for ago in range(len(cells) - 1, -1, -1)]
    assert names == [m for n, m in enumerate(months) if n == 0 or months[n - 1] != m]


# What is shown before anything is read: what was shown last, where that still holds.


async def seen_once(folder: Path) -> str:
    async with running(folder) as app:
        return app.shown()


async def test_the_next_start_shows_everything_before_the_collection_is_open(folder: Path) -> None:
    make(folder)
    before = await seen_once(folder)
    for said in ("15 due in 7 days", "88 % of 42", "Sun", "Machine Learning in 61 days"):
        assert said in before
    app = DeltadeckApp(folder, clock=Clock())
    open_now, app.open = app.open, lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=(100, 30)) as pilot:
        for _ in range(2):
            await pilot.pause()
        driver = Driver(app, pilot, Clock())
        assert app.collection is None
        assert driver.shown() == before
        await pilot.press("enter", "x")  # of keys that come too early, the first one waits
        assert driver.screen == "HomeScreen"
        app.run_worker(open_now, thread=True)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert driver.screen == "StudyScreen"
    write(folder, "new", basic("new"))  # what changed meanwhile is shown as soon as it is known
    assert "Pooling" in await seen_once(folder)


def _answer(folder: Path, clock: Clock) -> None:
    collection = Collection.open(folder, now=clock())
    collection.rate("first", Rating.GOOD, clock(), 1000)
    collection.close()


def _settings(folder: Path, _: Clock) -> None:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    (folder / ".deltadeck" / "config.toml").write_text("new_per_day = 1\n")


async def test_it_is_not_shown_where_it_no_longer_holds(two: Path) -> None:
    _answer(two, Clock())
    await seen_once(two)
    assert read(two, NOW) is not None
    # A learning step came due, another day, a clock that was put back.
    for span in (timedelta(minutes=30), timedelta(days=1), timedelta(hours=-1)):
        assert read(two, NOW + span) is None
    changes: tuple[Callable[[Path, Clock], None], ...] = (_answer, _settings)
    for change in changes:
        change(two, Clock())
        assert read(two, NOW) is None
        await seen_once(two)
        assert read(two, NOW) is not None


def kept() -> Path:
    [file] = Path(os.environ["XDG_CACHE_HOME"]).rglob("home/*.json")
    return file


def look_of(folder: Path) -> HomeSnapshot:
    now = Clock()()
    ends = now + timedelta(hours=18)
    rows = (
        DeckRow("Pooling", "Pooling", 0, (2, 0, 1), True),
        DeckRow("a", "Pooling › a", 1, (0, 0, 1), False),
    )
    seen = HomeState(rows, 3, ends, 9, 4.5, 1, 0, False, now, ends, stamp(folder))
    around = Activity(now.date(), (1,) * 7, 8, 9, 0.9, 3, 0.5, (0, 4, 2))
    exam = ExamLine("Pooling", now.date(), 0, 2.5, 1.0, 3.0, 2.0, True)
    return HomeSnapshot(seen, around, (exam,))


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"made": 3, "until": 4}', "[" * 9999])
def test_what_is_kept_is_what_is_read_and_a_damaged_one_is_none(folder: Path, text: str) -> None:
    for look in (look_of(folder), HomeSnapshot(look_of(folder).seen)):
        keep(folder, look)
        assert read(folder, Clock()()) == look
    kept().write_text(text)
    assert read(folder, Clock()()) is None


ODD: st.SearchStrategy[Any] = st.sampled_from(
    (None, -1, 10**12, 0.5, "a", "", [], {}, True, float("inf"))
)


def _places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside: Any = enumerate(value) if isinstance(value, list) else ()
    inside = value.items() if isinstance(value, dict) else inside
    return [way, *(place for key, each in inside for place in _places(each, (*way, key)))]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_it_is_none_or_can_be_drawn(folder: Path, data: st.DataObject) -> None:
    keep(folder, look_of(folder))
    whole = json.loads(kept().read_text())
    *way, last = data.draw(st.sampled_from([place for place in _places(whole) if place]))
    inner = whole
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(ODD)
    kept().write_text(json.dumps(whole))
    look = read(folder, Clock()())
    if look is not None:
        panel(look.seen, look.around, look.exams, Size(80, 24), Clock()(), str)
        if look.around is not None:
            calendar(look.around, 70, 8)
            calendar(look.around, 70, 1)
