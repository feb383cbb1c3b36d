"""A fold that another program wrote from docs/journal-format.md comes to our schedule."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from deck.config import Config
from deck.events import read_line
from deck.replay import (
    ItemStatus,
    Learning,
    New,
    Review,
    dedupe_events,
    fuzzed,
    replay_item,
    undone_ids,
)
from tests.docs.journal_fold import Item, Settings, fold, interval_of
from tests.docs.pages import DOCS, blocks

_DAY = date(2026, 11, 20)
_ITEMS = ("a", "b", "Über/c1")
_MODEL: dict[str, Any] = {"__name__": "page"}
for _block in blocks(DOCS / "fsrs.md", "python"):
    exec(compile(_block.text, _block.place, "exec"), _MODEL)

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
    theirs = fold(lines, settings, _MODEL)
    for name, ours in _ours(lines, settings).items():
        expected = _of_ours(ours)
        event(f"{expected['state']}")
        assert _of_theirs(theirs.get(name, Item(name))) == expected


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 300), st.text("ab/ü", min_size=1))
@example(8, 36500, 10, "e")
def test_the_page_spreads_intervals_as_we_do(
    days: int, longest: int, count: int, name: str
) -> None:
    item = Item(name, memory=(float(days), 1.0), answers=count)
    found = interval_of(item, Settings(longest=longest), _MODEL)
    assert found == fuzzed(min(days, longest), longest, name, count)


def test_the_lines_on_the_page_fold_there_to_what_stands_below_them() -> None:
    every = blocks(DOCS / "journal-format.md", "json")
    place = next(at for at, block in enumerate(every) if block.text.startswith('{\n  "a"'))
    lines, said = every[place - 1].text.encode().splitlines(), json.loads(every[place].text)
    theirs = fold(lines, Settings(), _MODEL)
    assert {name for name, item in theirs.items() if item.memory} == set(said)
    for name, expected in said.items():
        found = _of_theirs(theirs[name])
        assert str(found["due"]).replace(" ", "T").replace("+00:00", "Z") == (
            expected.get("review") or expected[found["state"]]
        )
        assert [round(number, 6) for number in found["memory"]] == [
            expected["stability"],
            expected["difficulty"],
        ]
