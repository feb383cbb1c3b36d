"""Events and states as rows of the index, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any, TypeVar

from cards.model import Problem, Severity
from deck.events import Event, Interval, LearningStep, Reviewed, Undone, is_event_id, read_line
from deck.fsrs import Memory, Rating
from deck.replay import ItemState, Learning, New, Review
from deck.study_day import milliseconds, moment

_Kind = TypeVar("_Kind")

#: Values that one question asks for.
_TOGETHER = 500
_MILLISECOND = timedelta(milliseconds=1)

STATE = (
    "s.learning, s.due, s.stability, s.difficulty, s.interval, s.reviewed, s.day,"
    " s.repetitions, s.lapses, s.relearning"
)
"""The columns that say where an item stands, of the table `state` as `s`."""
StateRow = tuple[int, int, float, float, int, int, int, int, int, int]
"""Of `STATE`."""
EventRow = tuple[Any, ...]
"""The columns of an event from `id` on, without `segment`; its model as a tuple of texts."""


def state_row(state: Learning | Review) -> StateRow:
    memory = state.memory[:2]
    rest = (milliseconds(state.reviewed), state.day.toordinal(), state.repetitions, state.lapses)
    if isinstance(state, Learning):
        return 1, milliseconds(state.due), *memory, state.step, *rest, state.relearning
    return 0, state.due_day.toordinal(), *memory, state.interval, *rest, 0


def read_state(row: Sequence[Any]) -> ItemState:
    """The state of `STATE`; new where the item has no such row."""
    if row[0] is None:
        return New()
    learning, due, stability, difficulty, interval, reviewed, day, repetitions, lapses, again = row
    memory = Memory(stability, difficulty)
    rest = (moment(reviewed), date.fromordinal(day), repetitions, lapses)
    if learning:
        return Learning(memory, interval, moment(due), *rest, bool(again))
    return Review(memory, interval, date.fromordinal(due), *rest)


def id_bytes(event_id: str) -> bytes:
    return bytes.fromhex(event_id.replace("-", ""))


def id_text(data: bytes) -> str:
    text = data.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def event_row(event: Event, line: bytes) -> EventRow:
    """id, item, at, offset, day, rating, took, model, step, promise, target, line."""
    what, day = event.what, event.day.toordinal()
    head = (id_bytes(event.id), event.item, milliseconds(event.at), event.offset, day)
    if isinstance(what, Reviewed):
        model = (what.model, what.parameters, what.status)
        promise: tuple[int | None, float | None] = (None, None)
        match what.promise:
            case Interval(count):
                promise = (None, count)
            case LearningStep(index, wait):
                promise = (index, wait / _MILLISECOND)
        kept = line if what.check is not None else None
        return (*head, int(what.rating), what.milliseconds, model, *promise, None, kept)
    is_undo = isinstance(what, Undone) and is_event_id(what.target)
    target = id_bytes(what.target) if isinstance(what, Undone) and is_undo else None
    return (*head, None, None, None, None, None, target, line)


#: The columns of an event, of the tables `event` as `e` and `thing` as `t`.
COLUMNS = (
    "e.id, t.id, e.at, e.offset, e.day, e.rating, e.took, e.model, e.step, e.promise,"
    " e.target, e.line"
)


def models_of(db: sqlite3.Connection) -> dict[int, tuple[str, str, str]]:
    """The models, parameters and statuses that reviews name by number."""
    rows = db.execute("SELECT model, name, parameters, status FROM model")
    return {
        number: (plain_text(name), plain_text(parameters), plain_text(status))
        for number, name, parameters, status in rows
    }


def read_event(row: tuple[Any, ...], models: dict[int, tuple[str, str, str]]) -> Event:
    """The event of `COLUMNS`."""
    event_id, item, at, offset, day, rating, took, model, step, promise, _, line = row
    if line is not None:
        return read_line(line)
    name, parameters, status = models[model]
    led_to = read_promise(step, promise)
    what = Reviewed(Rating(rating), took, name, parameters, status, None, led_to)
    then = date.fromordinal(day)
    return Event(id_text(event_id), plain_text(item), moment(at), offset, then, what)


def read_promise(step: int | None, promise: float | None) -> Interval | LearningStep | None:
    """What an answer led to, of the columns `step` (None or below 0: none) and `promise`."""
    if promise is None:
        return None
    if step is None or step < 0:
        return Interval(int(promise))
    return LearningStep(step, timedelta(milliseconds=promise))


def problem_text(problem: Problem) -> str:
    """All but its path."""
    values = (problem.line, problem.column, problem.message, problem.hint, problem.severity)
    return json.dumps(values)


def read_problem(path: Path | None, text: str) -> Problem:
    line, column, message, hint, severity = json.loads(text)
    kind: Severity = "error" if severity == "error" else "warning"
    return Problem(path, line, column, message, hint, kind)


def text_digest(text: str) -> bytes:
    """Of a card file's text."""
    return blake2b(text.encode(), digest_size=16).digest()


def listed(values: tuple[str, ...]) -> str:
    """As JSON; the way through the encoder would take most of the time."""
    return f"[{', '.join(map(quoted, values))}]"


def sql_text(text: str) -> str | bytes:
    """`text` for a column: half a surrogate pair (JSON can spell one) is no text for SQLite."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def rows_of(
    db: sqlite3.Connection, sql: str, values: Sequence[str | bytes]
) -> Iterator[tuple[Any, ...]]:
    """The rows of each of the values, so many of these at a time; `sql` ends with `IN`."""
    for at in range(0, len(values), _TOGETHER):
        some = values[at : at + _TOGETHER]
        yield from db.execute(f"{sql} ({', '.join('?' * len(some))})", some).fetchall()


def first_value(db: sqlite3.Connection, kind: type[_Kind], sql: str, *given: Any) -> _Kind | None:
    """The first column of the first row, which is of this kind; None where there is none."""
    row = db.execute(sql, given).fetchone()
    return row[0] if row and isinstance(row[0], kind) else None


def plain_text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")
