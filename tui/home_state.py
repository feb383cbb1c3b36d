"""What home shows: the decks and the day, the days around it, the exams; kept for the next start.

All of it is asked from threads, so it is plain values. The next start shows at once what home
showed last, where that still holds: the same study day, no learning step that came due meanwhile,
the same journal and settings. The cards may have changed while the program was away; home looks at
them as soon as it is painted. What is kept is derived: delete it and nothing is lost.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin, get_type_hints

from platformdirs import user_cache_path

from deck.errors import CollectionError
from deck.study_day import day_start, study_day
from tui import VERSION
from tui.text import KNOWN_PACE

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.config import Config
    from deck.exam import Exam
    from deck.stats import RecentActivity


#: Of the file that is kept.  Another form is not read: the next one is written in this one.
_FORM = 6
#: So many exams stand beside the decks.
_MOST = 3
#: So many cards of the queue are named.
_NEXT = 24


# The decks and the day.


@dataclass(frozen=True, slots=True)
class DeckRow:
    """A deck of the tree."""

    name: str
    key: str | None
    """None for all decks."""
    depth: int
    counts: tuple[int, int, int]
    """New, learning, due."""
    more: bool
    """Whether higher limits would bring more today."""


@dataclass(frozen=True, slots=True)
class HomeState:
    rows: tuple[DeckRow, ...]
    left: int
    """What can be studied now."""
    next_due: datetime | None
    """When there is something again."""
    done: int
    """Answers of this study day."""
    studied: float
    """Minutes of it."""
    errors: int
    warnings: int
    """Problems that are no errors."""
    gone: bool
    """Whether the folder is not there."""
    made: datetime
    """When it was asked for."""
    until: datetime
    """When it holds no longer, even if nobody does anything."""
    stamp: list[Any]
    """Of the files, from before they were asked: other files, other figures."""
    refused: str = ""
    """Why no answer can be recorded; "" where one can."""
    queue: tuple[tuple[str, str], ...] = ()
    """The beginning of the queue: items, and "learning", "review" or "new"."""

    @property
    def problems(self) -> int:
        return self.errors + self.warnings

    @property
    def holds(self) -> tuple[object, ...]:
        """What all other figures of home rest on: while this is the same, they are."""
        return self.until, self.stamp, self.rows


def overview(collection: Collection, now: datetime) -> HomeState:
    """The collection as it is at `now`; nothing is parsed for it."""
    found = stamp(collection.root)
    decks = collection.decks(now)
    queue, done = collection.queue(now), collection.today(now)
    rows = [DeckRow(d.name, d.key, d.depth, (d.new, d.learning, d.due), d.held) for d in decks]
    if sum(row.depth == 0 for row in rows) > 1:
        counts = queue.counts
        of_all = counts.new, counts.learning, counts.due
        rows.insert(0, DeckRow("All decks", None, 0, of_all, queue.more))
    left = len(queue.entries)
    problems = collection.problems
    errors = sum(problem.severity == "error" for problem in problems)
    return HomeState(
        rows=tuple(rows),
        left=left,
        next_due=queue.next_due,
        done=done.reviewed,
        studied=done.minutes,
        errors=errors,
        warnings=len(problems) - errors,
        gone=not collection.root.is_dir(),
        refused=collection.why_unwritable(now),
        queue=tuple((entry.item_id, entry.kind) for entry in queue.entries[:_NEXT]),
        made=now,
        until=_until(collection, queue.next_due, now),
        stamp=found,
    )


def _until(collection: Collection, next_due: datetime | None, now: datetime) -> datetime:
    """The end of the study day, or the next learning step where that is sooner."""
    rollover = collection.config.rollover
    ends = day_start(study_day(now, rollover) + timedelta(days=1), rollover, now)
    return min(ends, next_due) if next_due else ends


def stamp(folder: Path) -> list[Any]:
    """Sizes and times of the settings and of every file of the journal, as JSON has them."""
    found: list[Any] = []
    private = folder / ".deltadeck"
    for path in (private / "config.toml", *sorted(private.glob("journal/*/*.jsonl"))):
        try:
            stat = path.stat()
        except OSError:
            found.append([path.name])
        else:
            found.append([path.name, stat.st_size, stat.st_mtime_ns])
    return found


# The days around today.


@dataclass(frozen=True, slots=True)
class NextCard:
    """A card of the queue."""

    title: str
    """The question's first words, on one line."""
    type: str
    kind: str
    """"learning", "review" or "new"."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A derivation whose last attempt was not correct and not rated."""

    item: str
    title: str
    """The question's first words, on one line."""
    outcome: str
    """The verdict on it."""


@dataclass(frozen=True, slots=True)
class Activity:
    today: date
    """The study day."""
    ahead: tuple[int, ...]
    """What falls due today (with all that is overdue), tomorrow, and so on for a week."""
    recalled: int
    """Of `reviews`, those of the last month."""
    reviews: int
    asked: float
    """The desired retention, 0..1."""
    streak: int
    """Study days in a row, up to today or yesterday."""
    pace: float | None
    """Minutes that an answer takes; None where too few were given lately to tell."""
    days: tuple[int, ...]
    """Answers of each study day of the last year; the last is today's."""
    next: tuple[NextCard, ...] = ()
    """The beginning of the queue."""
    unfinished: Unfinished | None = None
    """The last one."""
    cards: int = 0
    """Where nothing was answered: how many there are, and of these derivations."""
    derivations: int = 0

    def counts(self) -> dict[date, int]:
        """Answers by study day."""
        last = len(self.days) - 1
        return {self.today - timedelta(days=last - n): count for n, count in enumerate(self.days)}


def around(collection: Collection, now: datetime) -> Activity:
    """The days around `now`; which cards come next, and which
    derivation is unfinished, are other questions."""
    from deck.stats import YEAR

    found = collection.lately(now)
    dates = (found.today - timedelta(days=ago) for ago in range(YEAR - 1, -1, -1))
    days = tuple(found.answers.get(day, 0) for day in dates)
    return Activity(
        found.today,
        found.ahead,
        found.recall.right,
        found.recall.of,
        collection.config.desired_retention,
        found.streak,
        usual_pace(found),
        days,
    )


def usual_pace(found: RecentActivity) -> float | None:
    """Minutes that an answer takes; None where too few were given lately to tell."""
    from deck.stats import MONTH

    answers = (n for day, n in found.answers.items() if (found.today - day).days < MONTH)
    return found.pace if sum(answers) >= KNOWN_PACE else None


# The exams to come.


@dataclass(frozen=True, slots=True)
class ExamLine:
    """One exam that is still to come."""

    course: str
    day: date
    days: int
    """0 on the day itself."""
    expected: float
    """Points, if the plan is kept."""
    stopped: float
    """Points, if nothing more is studied."""
    points: float
    """All that the cards hold."""
    target: float | None
    reached: bool
    """Whether the plan leads to the target (also where there is none)."""


class _Planned(NamedTuple):
    """What a plan leads to; it holds for the study day, whatever is answered on it."""

    day: date
    config: Config
    expected: float
    reached: bool


class Exams:
    """Plans take seconds where a course has thousands of items: each is made once a study day."""

    def __init__(self) -> None:
        self._planned: dict[str, _Planned] = {}

    def lines(self, collection: Collection, now: datetime) -> tuple[ExamLine, ...]:
        """The next exams, the nearest first."""
        found = []
        for course in coming(collection, now)[:_MOST]:
            with suppress(CollectionError):  # its exam was just taken out of the settings
                found.append(self._line(collection.exam(course, now)))
        return tuple(found)

    def _line(self, exam: Exam) -> ExamLine:
        planned = self._planned.get(exam.course)
        if planned is None or (planned.day, planned.config) != (exam.today, exam.config):
            reached = exam.reach is None or exam.reach.reached
            expected = exam.plan.outlook.expected
            planned = _Planned(exam.today, exam.config, expected, reached)
            self._planned[exam.course] = planned
        stopped = exam.if_stopped()
        return ExamLine(
            exam.course,
            exam.day,
            exam.days_left,
            max(planned.expected, stopped.expected),
            stopped.expected,
            stopped.points,
            exam.target,
            planned.reached,
        )


def coming(collection: Collection, now: datetime) -> list[str]:
    """The courses with an exam today or later, the nearest first."""
    today = study_day(now, collection.config.rollover)
    return [course for day, course in collection.config.exams() if day >= today]


# What home showed last.


@dataclass(frozen=True, slots=True)
class HomeSnapshot:
    seen: HomeState
    around: Activity | None = None
    """None: it was left before that was known."""
    exams: tuple[ExamLine, ...] = ()


def read(folder: Path, now: datetime) -> HomeSnapshot | None:
    """What home showed last of the collection in `folder`; None where it does not hold at `now`."""
    try:
        kept: Any = json.loads(_file(folder).read_text("utf-8"))
        if (kept["version"], kept["form"]) != (VERSION, _FORM):
            return None
        look: HomeSnapshot = _decoded(HomeSnapshot, kept["look"])
        seen = look.seen
        holds = seen.made <= now < seen.until and seen.stamp == stamp(folder)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return look if holds else None


def keep(folder: Path, look: HomeSnapshot) -> None:
    """Keep what home shows."""
    if look.seen.gone:
        return
    kept = {"version": VERSION, "form": _FORM, "look": asdict(look)}
    path = _file(folder)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(kept, default=lambda day: day.isoformat()), "utf-8")
        draft.replace(path)
    except OSError:
        # The next start computes it, as the first one did.
        return


#: Which takes longer than to read one.
_hints = lru_cache(get_type_hints)


def _decoded(kind: Any, value: Any) -> Any:
    """A value of one of the types above, out of JSON, in which a file of this place may hold
    anything.  Raises ValueError, KeyError, TypeError."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(
            **{part.name: _decoded(hints[part.name], value[part.name]) for part in fields(kind)}
        )
    kinds = get_args(kind)
    if get_origin(kind) is tuple:
        each = kinds[:1] * len(value) if kinds[-1] is Ellipsis else kinds
        return tuple(_decoded(*pair) for pair in zip(each, _of(list, value), strict=True))
    if kinds and type(None) in kinds:
        return None if value is None else _decoded(kinds[0], value)
    if kind in (int, float):
        # JSON spells infinities, too.
        if type(value) not in (int, kind) or not 0 <= value < 1e9:
            raise TypeError(value)
        return kind(value)
    if kind is datetime:
        moment = datetime.fromisoformat(value)
        if moment.utcoffset() is None:
            raise ValueError(value)
        return moment
    if kind is date:
        return date.fromisoformat(value)
    return _of(get_origin(kind) or kind, value)


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _file(folder: Path) -> Path:
    name = blake2b(os.fsencode(os.path.realpath(folder)), digest_size=12).hexdigest()
    return user_cache_path("deltadeck") / "home" / f"{name}.json"
