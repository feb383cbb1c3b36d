"""The pure functions behind the screens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from deck.fsrs import Memory
from deck.replay import Learning, Schedule
from tui.lab.grids import beside, rows
from tui.lab.text import labels
from tui.screens.home_panel import bar
from tui.study.answers import Suggestion, from_check, from_choice
from tui.study.text import practice_line, ratings_line
from tui.text import back_again, dots, estimate, initials, interval, stopwatch, visible
from tui.widgets.lab_board import rows_of

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        *((timedelta(seconds=20), "<1 m"), (timedelta(minutes=10), "10 m")),
        *((timedelta(minutes=59, seconds=50), "1 h"), (timedelta(hours=3), "3 h")),
        *((timedelta(hours=23, minutes=50), "1 d"), (timedelta(days=12), "12 d")),
        *((timedelta(days=61), "2.0 mo"), (timedelta(days=438), "1.2 y")),
    ],
)
def test_intervals_are_short(span: timedelta, shown: str) -> None:
    assert interval(span) == shown


def test_small_words() -> None:
    assert stopwatch(161) == "2:41"
    assert dots(2) == "●●○○○"
    assert initials("Statistical Machine Learning") == "SML"
    assert initials("Diagnostika a testování") == "Diagnostika"
    assert initials("") == ""
    # The estimate follows today's pace once it is known.
    assert estimate(40, reviewed=0, minutes=0) == 30
    assert estimate(40, reviewed=10, minutes=20) == 80


@given(st.text())
def test_nothing_that_steers_a_terminal_stays_visible(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 40))
def test_a_bar_is_full_only_when_all_is_done(done: int, left: int, width: int) -> None:
    full, rest = bar(done, done + left, width)
    assert len(full + rest) == width
    assert (rest == "") == (left == 0)


@pytest.mark.parametrize(
    ("due", "shown"),
    [
        (None, "Nothing is scheduled."),
        (NOW + timedelta(minutes=10), "The next card comes back in 10 m, at 10:10."),
        (NOW + timedelta(days=1), "The next card is due tomorrow, on Sat 21 Nov."),
        (NOW + timedelta(days=5), "The next card is due in 5 days, on Wed 25 Nov."),
    ],
)
def test_when_to_come_back(due: datetime | None, shown: str) -> None:
    assert back_again(due, NOW) == shown


def test_the_next_card_is_told_on_the_learners_clock() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=-9)))
    assert back_again(NOW + timedelta(minutes=10), here).endswith("at 01:10.")
    late = NOW.replace(hour=14).astimezone(timezone(timedelta(hours=9)))  # 23:00 there
    assert back_again(NOW.replace(hour=22), late).endswith("due tomorrow, on Sat 21 Nov.")


def test_what_a_check_speaks_for() -> None:
    assert from_check("correct", 30, 0) == Suggestion(4, "correct in 0:30")
    assert from_check("correct", 110, 0) == Suggestion(3, "correct in 1:50")
    assert from_check("correct", 30, 2) == Suggestion(2, "correct after 2 wrong")
    assert from_check("correct-except-ties", 30, 0) == Suggestion(2, "correct except ties")
    assert from_check("wrong", 30, 0) == Suggestion(1, "the derivation failed")
    assert from_check("unreadable", 30, 0) is None


@pytest.mark.parametrize(
    ("picked", "correct", "suggested"),
    [
        ("B", "B", Suggestion(3, "the right choice")),
        ("A", "B", Suggestion(1, "B was right")),
        ("BA", "AB", Suggestion(3, "the right choice")),
        ("A", "ABD", Suggestion(2, "B and D were right too")),
        ("AC", "ABD", Suggestion(1, "B and D were right too")),
        ("C", "ABD", Suggestion(1, "A, B and D were right")),
        ("ABC", "AB", Suggestion(1, "only A and B were right")),
        ("", "B", None),
        ("A", "", None),
    ],
)
def test_what_a_choice_speaks_for(picked: str, correct: str, suggested: Suggestion | None) -> None:
    assert from_choice(frozenset(picked), tuple(correct)) == suggested


# The ratings.

WAITS = (timedelta(minutes=10), timedelta(days=2), timedelta(days=5), timedelta(days=370))


#: The four as they come, and as someone chose them.
KEY = {"study.again": "1", "study.hard": "2", "study.good": "3", "study.easy": "4"}.__getitem__
OTHER = {
    "study.again": "F1", "study.hard": "ctrl+h", "study.good": "space", "study.easy": "pagedown"
}.__getitem__  # fmt: skip


def preview_of(waits: Sequence[timedelta]) -> dict[int, Schedule]:
    state = Learning(Memory(1.0, 5.0), 0, NOW, NOW, NOW.date(), 1, 0, False)
    return {rating: Schedule(state, NOW, wait) for rating, wait in enumerate(waits, 1)}


def test_the_ratings_and_what_is_suggested_are_one_line_where_they_fit() -> None:
    suggestion, preview = Suggestion(3, "correct in 1:50"), preview_of(WAITS)
    four = "1 Again 10 m    2 Hard 2 d    3 Good 5 d    4 Easy 1.0 y"
    said = "suggested: 3, correct in 1:50"
    assert ratings_line(preview, suggestion, 116, KEY).plain == f"\n{four}    ({said})"
    assert ratings_line(preview, suggestion, 56, KEY).plain == f"{said}\n{four}"
    assert ratings_line(preview, None, 56, KEY).plain == f"\n{four}"
    assert practice_line(None, 116, KEY).plain == (
        "\n1 Again    2 Hard    3 Good    4 Easy    (practice: the schedule does not change)"
    )
    assert ratings_line(preview, suggestion, 116, OTHER).plain == (
        "\nF1 Again 10 m    ctrl+h Hard 2 d    space Good 5 d    pagedown Easy 1.0 y"
        "    (suggested: space, correct in 1:50)"
    )


@given(
    st.lists(st.timedeltas(timedelta(), timedelta(days=36500)), min_size=4, max_size=4),
    st.none() | st.builds(Suggestion, st.integers(1, 4), st.just("correct except ties")),
    st.integers(56, 200),
)
def test_the_ratings_fit_two_rows_of_a_screen_and_stay_in_the_lower_one(
    waits: list[timedelta], suggestion: Suggestion | None, width: int
) -> None:
    above, below = ratings_line(preview_of(waits), suggestion, width, KEY).plain.split("\n")
    assert below.startswith("1 ")
    assert max(map(len, (above, below))) <= width


# Grids.


def test_numbers_are_short_but_different_ones_look_different() -> None:
    assert labels([[0.25, -0.0, -1.5]]) == [[".25", "0", "-1.5"]]
    assert labels([[1.0, 1.0 + 1e-9]]) == [["1", "1.000000001"]]
    assert labels([[float("nan"), 2.0]]) == [["?", "2"]]


def test_grids_stand_beside_each_other_while_they_fit() -> None:
    columns = [("a", rows([[1, 2]])), ("b", rows([[3, 4]]))]
    assert beside(columns, 40).plain.count("\n") == 1
    assert beside(columns, 6).plain.count("\n") == 3


@given(st.text("ab δ\n", max_size=60), st.integers(1, 20))
def test_rows_are_counted_as_they_are_wrapped(text: str, width: int) -> None:
    content = Content(text)
    assert rows_of(content, width) == len(content.wrap(width))
