"""docs/journal-format.md and docs/fsrs.md: their lines, their fold and their code are ours."""

from __future__ import annotations

import json
import re
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import fsrs
from deck.config import Config
from deck.events import (
    FORMS,
    IMPORTED,
    Buried,
    Checked,
    EventPayload,
    Interval,
    LimitsRaised,
    ParametersChanged,
    Practised,
    Rescheduled,
    Reset,
    Reviewed,
    StatusLines,
    Suspended,
    Undone,
    fields,
    next_id,
    read_line,
    write_line,
)
from deck.replay import ItemState, Review, replay
from engine.verdict import Verdict
from tests.docs.pages import DOCS, blocks
from tui.lab.visit import LabResult

_PAGE = DOCS / "journal-format.md"
_LINES = [block for block in blocks(_PAGE, "json") if block.text.startswith('{"v":')]


def _code(page: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(DOCS / page, "python"):
        exec(compile(block.text, block.place, "exec"), names)
    return names


@pytest.mark.parametrize("block", _LINES, ids=lambda block: str(block.line))
def test_the_lines_are_events_and_are_written_again_to_the_byte(block: Any) -> None:
    for line in block.text.encode("ascii").splitlines(keepends=True):
        assert write_line(read_line(line)) == line


def test_every_kind_has_a_line() -> None:
    shown = {json.loads(line)["kind"] for block in _LINES for line in block.text.splitlines()}
    assert shown == {form.kind for form in FORMS.values()}


#: Of every kind, an event with all that it may hold.
_FULL: tuple[EventPayload, ...] = (
    Reviewed(fsrs.Rating.GOOD, 1, "FSRS-6", "d757f3c8", "to_learn", {}, Interval(1)),
    Undone("id"),
    Suspended(True),
    Checked({}),
    Reset(),
    Buried(date(2026, 11, 22)),
    Rescheduled({}, 9),
    ParametersChanged("FSRS-6", ()),
    Practised(fsrs.Rating.GOOD, 1),
    LimitsRaised(1, 1, "Calculus"),
    StatusLines("id", "", "status: learning\n"),
)


def test_the_table_names_every_kind_with_the_keys_that_are_written() -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|[^|]+\|$", _PAGE.read_text("utf-8"), re.MULTILINE)
    said = {kind: set(re.findall(r"`(\w+)`", keys)) for kind, keys in rows}
    written = {FORMS[type(what)].kind: set(fields(what)) for what in _FULL}
    assert written.keys() == {form.kind for form in FORMS.values()}
    assert {kind: said[kind] for kind in written} == written


def test_every_key_of_an_answer_stands_in_a_line() -> None:
    lines = [json.loads(line) for block in _LINES for line in block.text.splitlines()]
    shown = {key for line in lines if line["kind"] == "review" for key in line}
    assert shown >= set(fields(_FULL[0]))
    [marked] = [line["check"] for line in lines if "check" in line]
    verdict = Verdict("wrong", "", seed=7, tried=1)
    assert marked == LabResult("", verdict, slips=1).as_mark()
    assert any(line.get("model", "").startswith(IMPORTED) for line in lines)


def test_the_lines_fold_to_the_states_that_stand_below_them() -> None:
    every = blocks(_PAGE, "json")
    lines, states = next((a, b) for a, b in pairwise(every) if a in _LINES and b not in _LINES)
    events = [read_line(line.encode()) for line in lines.text.splitlines()]
    found = {item: _plain(state) for item, state in replay(events, Config()).items()}
    assert found == json.loads(states.text)


def _plain(state: ItemState) -> dict[str, Any]:
    assert not isinstance(state, fsrs.Memory)
    memory = state.memory  # type: ignore[union-attr]
    said = {"stability": round(memory.stability, 6), "difficulty": round(memory.difficulty, 6)}
    if isinstance(state, Review):
        return {**said, "review": state.due_day.isoformat(), "days": state.interval}
    due = state.due.isoformat().replace("+00:00", "Z")  # type: ignore[union-attr]
    phase = "relearning" if state.relearning else "learning"  # type: ignore[union-attr]
    return {**said, phase: due, "step": state.step}  # type: ignore[union-attr]


@given(
    st.integers(0, 2**44), st.integers(0, 2**44), st.integers(0, 0xFFF), st.integers(0, 2**62 - 1)
)
def test_the_page_counts_ids_as_we_do(last: int, now: int, count: int, random: int) -> None:
    from datetime import UTC, datetime, timedelta

    text = f"{last:012x}7{count:03x}8000000000000000"
    seen = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now)
    assert _IDS(seen, now, random) == next_id(seen, time, random.to_bytes(8))


_IDS = _code("journal-format.md")["next_id"]
_FSRS = _code("fsrs.md")


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 400)), min_size=1, max_size=20))
def test_the_page_remembers_as_we_do(answers: list[tuple[int, int]]) -> None:
    w = fsrs.DEFAULT_PARAMETERS
    ours = fsrs.Fsrs6(w).initial(fsrs.Rating(answers[0][0]))
    theirs = _FSRS["first"](answers[0][0])
    for rating, days in answers[1:]:
        ours = fsrs.Fsrs6(w).after(ours, fsrs.Rating(rating), days)
        theirs = _FSRS["after"](*theirs, rating, days)
    assert theirs == pytest.approx(tuple(ours), rel=1e-12)
    assert _FSRS["interval"](theirs[0], 0.9) == pytest.approx(theirs[0])
