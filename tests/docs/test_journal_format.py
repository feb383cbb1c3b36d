"""docs/journal-format.md, and the model on docs/exams-and-statistics.md, are what we do."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import event, example, given
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
from deck.replay import (
    ItemState,
    ItemStatus,
    Learning,
    New,
    Review,
    dedupe_events,
    fuzzed,
    replay,
    replay_item,
    undone_ids,
)
from engine.verdict import Verdict
from tests.docs.journal_fold import Item, Settings, fold, interval_of
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
    text = f"{last:012x}7{count:03x}8000000000000000"
    seen = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now)
    assert _IDS(seen, now, random) == next_id(seen, time, random.to_bytes(8))


_IDS = _code("journal-format.md")["next_id"]
_FSRS = _code("exams-and-statistics.md")


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


# A fold that another program wrote from the pages comes to our schedule.

_DAY = date(2026, 11, 20)
_ITEMS = ("a", "b", "Über/c1")
_STEPS = st.lists(st.sampled_from((30.0, 60.0, 600.0, 3600.0)), max_size=3).map(tuple)
_SETTINGS = st.builds(
    Settings,
    learning=_STEPS,
    relearning=_STEPS,
    retention=st.sampled_from((0.75, 0.9, 0.97)),
    longest=st.sampled_from((1, 9, 36500)),
    fuzz=st.booleans(),
    leech_lapses=st.integers(0, 4),
    suspends_leeches=st.booleans(),
)
_DAYS = st.integers(-3, 40).map(lambda days: (_DAY + timedelta(days=days)).isoformat())
_PROMISES = (
    st.none() | st.integers(1, 60) | st.tuples(st.integers(0, 3), st.sampled_from((60, 97.5)))
)


def _review(rating: int, promise: Any) -> dict[str, Any]:
    said = {"kind": "review", "rating": rating, "ms": 1, "model": "FSRS-6", "params": ""}
    return said if promise is None else said | {"next": promise}


_REVIEWS = st.builds(_review, st.integers(1, 4), _PROMISES)
_OTHERS = st.one_of(
    st.builds(lambda on: {"kind": "suspend", "on": on}, st.booleans()),
    st.builds(lambda day: {"kind": "bury", "until": day}, _DAYS),
    st.just({"kind": "reset"}),
    st.builds(
        lambda due, more: {"kind": "move", "due": due, **more},
        st.dictionaries(st.sampled_from(_ITEMS), _DAYS, min_size=1),
        st.sampled_from(({}, {}, {"interval": 1}, {"interval": 30})),
    ),
    st.builds(lambda target: {"kind": "undo", "target": target}, st.integers(1, 30)),
    st.just({"kind": "cram", "rating": 1, "ms": 1}),
    st.just({"kind": "dream"}),
)


@st.composite
def _journals(draw: st.DrawFn) -> list[bytes]:
    """Lines whose clock jumps, in any order, some of them twice; `move` is of no one item."""
    kinds = draw(st.lists(_REVIEWS | _REVIEWS | _OTHERS, min_size=6, max_size=24))
    now, lines = datetime(_DAY.year, _DAY.month, _DAY.day, 12, tzinfo=UTC), []
    for number, what in enumerate(kinds, 1):
        now += timedelta(days=draw(st.sampled_from((0, 0, 1, 3, 30, -2))), minutes=7)
        record = {
            "v": 2 if draw(st.integers(0, 19)) == 19 else 1,
            "id": _id(number),
            "item": "" if what["kind"] == "move" else draw(st.sampled_from(("a", *_ITEMS))),
            "at": now.isoformat(),
            "offset": 60,
            "day": now.date().isoformat(),
            **what,
        }
        if "target" in record:
            record["target"] = _id(record["target"])
        lines.append(json.dumps(record).encode())
    return draw(st.permutations(lines + lines[:2]))


def _id(number: int) -> str:
    return f"01a1f000-0000-7000-8000-{number:012x}"


def _lines(item: str, *kinds: dict[str, Any]) -> list[bytes]:
    """One item's lines, a day apart."""
    lines = []
    for number, what in enumerate(kinds, 1):
        day = _DAY + timedelta(days=number)
        record = {"v": 1, "id": _id(number), "item": item, "at": f"{day}T12:00:00Z", "offset": 0}
        lines.append(json.dumps(record | {"day": day.isoformat()} | what).encode())
    return lines


def _ours(lines: list[bytes], settings: Settings) -> dict[str, ItemStatus]:
    config = Config(
        learning_steps=tuple(timedelta(seconds=step) for step in settings.learning),
        relearning_steps=tuple(timedelta(seconds=step) for step in settings.relearning),
        desired_retention=settings.retention,
        maximum_interval=settings.longest,
        fuzz=settings.fuzz,
        leech_lapses=settings.leech_lapses,
        leech_action="suspend" if settings.suspends_leeches else "mark",
    )
    history = list(dedupe_events(map(read_line, lines)))
    undone = undone_ids(history)
    return {
        item: replay_item(item, [each for each in history if item in each.items], undone, config)
        for item in _ITEMS
    }


def _of_ours(folded: ItemStatus) -> dict[str, Any]:
    state, buried = folded.state, folded.buried and folded.buried.isoformat()
    said: dict[str, Any] = {"suspended": folded.suspended, "buried": buried}
    match state:
        case New():
            return said | {"state": "new"}
        case Learning():
            phase = "relearning" if state.relearning else "learning"
            said |= {"state": phase, "step": state.step, "due": state.due}
        case Review():
            said |= {"state": "review", "days": state.interval, "due": state.due_day}
    counts = {"answers": state.repetitions, "lapses": state.lapses}
    return said | counts | {"memory": pytest.approx(tuple(state.memory), rel=1e-9)}


def _of_theirs(item: Item) -> dict[str, Any]:
    said: dict[str, Any] = {"suspended": item.suspended, "buried": item.buried}
    if item.memory is None:
        return said | {"state": "new"}
    assert item.at is not None
    if item.step is None:
        due = item.day + timedelta(days=item.interval)
        said |= {"state": "review", "days": item.interval, "due": due}
    else:
        phase = "relearning" if item.relearning else "learning"
        said |= {"state": phase, "step": item.step, "due": item.at + item.wait}
    return said | {"answers": item.answers, "lapses": item.lapses, "memory": item.memory}


_EASY, _AGAIN, _RESET = _review(4, None), _review(1, None), {"kind": "reset"}
_MOVED = {"kind": "move", "item": "", "due": {"a": _DAY.isoformat()}}


@given(lines=_journals(), settings=_SETTINGS)
@example(lines=_lines("a", _EASY, _RESET, _EASY), settings=Settings())
@example(lines=_lines("a", _EASY, _MOVED), settings=Settings())
@example(lines=_lines("a", _review(3, (3, 600)), _review(2, None)), settings=Settings())
@example(lines=_lines("a", _EASY, _review(3, (0, 60)), _review(2, None)), settings=Settings())
@example(
    lines=_lines("a", _EASY, _review(1, 5), _RESET, _EASY, _review(1, 5), _review(1, 5)),
    settings=Settings(leech_lapses=2, suspends_leeches=True),
)
@example(
    lines=_lines("a", _EASY, *[_review(1, 5)] * 3, {"kind": "suspend", "on": False}, _review(1, 5)),
    settings=Settings(leech_lapses=3, suspends_leeches=True),
)
@example(
    lines=_lines("a", _EASY, _AGAIN, _RESET, _review(3, None)),
    settings=Settings(learning=(60, 600), relearning=()),
)
def test_the_page_alone_leads_to_our_schedule(lines: list[bytes], settings: Settings) -> None:
    theirs = fold(lines, settings, _FSRS)
    for name, ours in _ours(lines, settings).items():
        expected = _of_ours(ours)
        event(f"{expected['state']}")
        assert _of_theirs(theirs.get(name, Item(name))) == expected


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 300), st.text("ab/ü", min_size=1))
@example(8, 36500, 10, "e")
def test_the_page_spreads_as_we_do(days: int, longest: int, count: int, name: str) -> None:
    item = Item(name, memory=(float(days), 1.0), answers=count)
    found = interval_of(item, Settings(longest=longest), _FSRS)
    assert found == fuzzed(min(days, longest), longest, name, count)
