"""What stands beside the decks, as pure functions: nothing is wider than its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size

from deck.collection import Collection
from deck.fsrs import Rating
from deck.stats import YEAR
from tests.tui.driving import basic, write
from tui.home_state import Activity, DeckRow, ExamLine, HomeState
from tui.home_state import around as asked
from tui.plots.draw import ASCII, UNICODE, GlyphSet, plain, strip, width_of
from tui.screens.home_panel import activity, beside_columns, calendar_rows, panel, tree_columns
from tui.widgets.figure import calendar

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
TODAY = NOW.date()
SIZES = st.builds(Size, st.integers(60, 250), st.integers(20, 70))
COUNTS = st.one_of(st.integers(0, 40), st.integers(0, 200_000))


def seen_of(left: int = 34, done: int = 12, decks: int = 1) -> HomeState:
    rows = tuple(DeckRow(f"deck {n}", f"deck {n}", 0, (1, 0, 2)) for n in range(decks))
    ends = NOW + timedelta(hours=18)
    return HomeState(rows, left, ends, False, done, 9.0, (), False, NOW, ends, [])


SEEN = st.builds(seen_of, COUNTS, COUNTS, st.integers(1, 60))
AROUND = st.builds(
    lambda ahead, recalled, more, streak, days: Activity(
        TODAY, ahead, recalled, recalled + more, 0.9, streak, 0.4, days
    ),
    st.tuples(*[COUNTS] * 7),
    COUNTS,
    COUNTS,
    COUNTS,
    st.lists(st.integers(0, 300), min_size=YEAR, max_size=YEAR).map(tuple),
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


@settings(max_examples=60)
@given(SEEN, st.none() | AROUND, st.lists(EXAM, max_size=3), SIZES)
def test_no_line_is_wider_than_the_panel(
    seen: HomeState, around: Activity | None, exams: list[ExamLine], size: Size
) -> None:
    page = panel(seen, around, exams, size, NOW, str)
    assert max(map(cell_len, page.plain.splitlines())) <= beside_columns(size.width)


def told(around: Activity, width: int = 56) -> dict[str, list[str]]:
    return {label: [line.plain for line in said] for label, said in activity(around, width)}


def of(ahead: tuple[int, ...] = (0,) * 7, **more: object) -> Activity:
    nothing = Activity(TODAY, ahead, 0, 0, 0.9, 0, None, (0,) * YEAR)
    return replace(nothing, **more)  # type: ignore[arg-type]


def test_the_week_begins_today_and_every_day_with_something_due_has_a_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert told(of((21, 0, 1, 7, 14, 3, 2))) == {
        "Week": ["▇   ▁ ▃ ▅ ▁ ▁   48 due in 7 days", "F S S M T W T "]
    }
    monkeypatch.setenv("LC_ALL", "C")
    assert told(of((21, 0, 1, 7, 14, 3, 2)))["Week"][0] == "#   _ _ = _ _   48 due in 7 days"


def test_there_is_a_line_only_for_what_there_is() -> None:
    assert told(of()) == {}
    studied = of(days=(*(0,) * (YEAR - 2), 3, 0), streak=1)
    assert told(studied) == {"Week": ["No reviews fall due."], "Streak": ["1 day (not yet today)"]}


def test_recall_is_said_beside_what_was_asked_for() -> None:
    recall = told(of(recalled=375, reviews=412))["Recall"]
    assert recall == ["91 % of 412 (asked for 90 %)"]
    assert told(of(recalled=999, reviews=1000))["Recall"] == ["99 % of 1,000 (asked for 90 %)"]


# How long it takes.


def test_the_time_that_is_left_follows_the_pace_of_the_last_month() -> None:
    size, around = Size(120, 40), of(pace=0.5)
    assert "about 26 min" in panel(seen_of(done=0), None, [], size, NOW, str).plain
    assert "about 17 min" in panel(seen_of(done=0), around, [], size, NOW, str).plain
    assert "about 2 h 30 min" in panel(seen_of(300, 0), around, [], size, NOW, str).plain


@pytest.mark.parametrize(("answers", "pace"), [(4, None), (5, 2.0)])
def test_a_few_answers_tell_no_pace(folder: Path, answers: int, pace: float | None) -> None:
    for number in range(answers):
        write(folder, f"card{number}", basic(f"card{number}"))
    collection = Collection.open(folder, now=NOW)
    for number in range(answers):
        collection.rate(f"card{number}", Rating.GOOD, NOW, 120_000)
    assert asked(collection, NOW).pace == pace
    collection.close()


# The calendar.


@given(SIZES, st.integers(0, 80), st.integers(1, 20))
def test_a_calendar_never_takes_what_decks_and_panel_need(
    size: Size, decks: int, rows: int
) -> None:
    height = calendar_rows(size, decks, rows)
    assert height in (0, 1, 8)
    side_by_side = size.width >= 76
    needed = max(min(decks, 16), rows) if side_by_side else min(decks, 8) + 1 + rows
    assert not height or 5 + needed + 1 + height <= size.height


@settings(max_examples=30)
@given(AROUND, st.integers(58, 250), st.sampled_from((1, 8)))
def test_a_calendar_is_as_large_as_its_place(around: Activity, width: int, rows: int) -> None:
    lines = calendar(around, width, rows).plain.split("\n")
    assert len(lines) == rows
    assert max(map(cell_len, lines)) <= width


@given(st.integers(0, 800), st.integers(6, 300), st.sampled_from((UNICODE, ASCII)))
def test_a_strip_ends_with_today_and_names_each_month(
    days: int,
    width: int,
    ink: GlyphSet,
) -> None:
    first = TODAY - timedelta(days=days)
    counts = {TODAY - timedelta(days=ago): 1 + ago % 5 for ago in range(days + 1)}
    row = strip(counts, first, TODAY, width, ink)
    assert width_of(row) == width
    cells = [span for span in row if span.role.startswith("heat")]
    if cells:
        assert [n for n, span in enumerate(cells) if "today" in span.role] == [len(cells) - 1]
        assert plain(row).count("Nov") >= 1
    names = [span.text for span in row if span.role == "axis"]
    months = [f"{TODAY - timedelta(days=ago):%b} " for ago in range(len(cells) - 1, -1, -1)]
    assert names == [m for n, m in enumerate(months) if n == 0 or months[n - 1] != m]
    assert Content(plain(row)).cell_length == width


def test_a_tree_and_a_panel_stand_side_by_side_within_the_screen() -> None:
    for width in range(76, 240):
        assert tree_columns(width) + beside_columns(width) + 4 <= width
