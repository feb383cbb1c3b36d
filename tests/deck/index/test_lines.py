"""The short way to read a line is the long one, where it is taken at all."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.events import Interval, LearningStep, Reviewed, read_line, write_line
from deck.fsrs import Rating
from deck.index.codec import event_row, read_event
from deck.index.lines import plan, quick_row, read_piece
from tests.deck.given import NOON, event, later

PROMISES = st.one_of(
    st.none(),
    st.integers(1, 36500).map(Interval),
    st.builds(
        LearningStep, st.integers(0, 3), st.integers(1, 90_000).map(lambda s: timedelta(seconds=s))
    ),
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
REVIEWS = st.builds(
    Reviewed,
    st.sampled_from(Rating),
    st.integers(0, 10**10),
    TEXTS,
    TEXTS,
    TEXTS,
    st.sampled_from([None, {"verdict": "correct"}]),
    PROMISES,
)


@given(REVIEWS, TEXTS.filter(bool), st.integers(-(10**6), 10**6))
def test_an_events_row_reads_back_to_the_event(what: Reviewed, item: str, minutes: int) -> None:
    written = event(what, item, later(minutes=minutes))
    line = write_line(written)[:-1]
    row = event_row(written, line)
    number = {1: row[7]}
    stored = (*row[:7], 1, *row[8:])
    assert read_event(stored, number) == read_line(line)
    quick = quick_row(line)
    assert quick is None or quick == row


@given(REVIEWS, TEXTS.filter(bool))
def test_a_line_is_compact_json(what: Reviewed, item: str) -> None:
    line = write_line(event(what, item))
    assert json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\n" == line


def test_what_this_program_writes_for_an_answer_takes_the_short_way() -> None:
    for promise in (Interval(12), LearningStep(1, timedelta(minutes=10))):
        what = Reviewed(Rating.GOOD, 5300, "FSRS-6", "9c0f1a2b", "to_learn", None, promise)
        line = write_line(event(what, "ssu_batch4_004/c1", NOON))[:-1]
        assert quick_row(line) == event_row(read_line(line), line)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "01a1fdfa-4600-4000-8d8f-16ad91b7584a"),
        ("id", "ffffffff-ffff-7fff-8d8f-16ad91b7584a"),
        ("at", "2026-02-30T12:00:00.000Z"),
        ("at", "3026-11-21T12:00:00.000Z"),
        ("day", "2026-11-26"),
        ("day", "2026-13-01"),
        ("rating", 5),
        ("offset", 2000),
        ("v", 2),
        ("kind", "dream"),
    ],
)
def test_a_line_with_an_error_is_left_to_the_long_way(key: str, value: object) -> None:
    promised = Reviewed(Rating.GOOD, 5300, "FSRS-6", "9c0f1a2b", "", None, Interval(12))
    record = json.loads(write_line(event(promised, "a"))) | {key: value}
    assert quick_row(json.dumps(record, separators=(",", ":")).encode()) is None


@given(st.integers(0, 210), st.integers(32, 126))
def test_one_changed_character_is_read_alike_both_ways(place: int, character: int) -> None:
    promised = Reviewed(Rating.GOOD, 5300, "FSRS-6", "9c0f1a2b", "to_learn", None, Interval(12))
    line = bytearray(write_line(event(promised, "a"))[:-1])
    line[place % len(line)] = character
    quick = quick_row(bytes(line))
    assert quick is None or quick == event_row(read_line(bytes(line)), bytes(line))


def test_a_broken_line_names_the_command_that_sets_it_aside(tmp_path: Path) -> None:
    """`deltadeck doctor` alone changes nothing."""
    path = tmp_path / "desk.jsonl"
    path.write_bytes(b"oops\n")
    (piece,) = plan(path).pieces
    (problem,) = read_piece(piece).problems
    assert "`deltadeck doctor --repair`" in problem.hint
