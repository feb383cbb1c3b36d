"""What home showed last, kept so that the next start shows it at once.

It is shown where it still holds: the same study day, no learning step that came due meanwhile, the
same journal and settings.  The cards may have changed while the program was away; home looks at
them as soon as it is painted, as it does with an index.  Derived: delete it and nothing is lost.
"""

from __future__ import annotations

import json
import os
from datetime import date, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from tui.around import Around
from tui.exams import ExamLine
from tui.overview import Overview, Row, Trouble, stamp
from tui.version import VERSION

#: Of the file.  Another form is not read: the next look is written in this one.
_FORM = 2


class FirstLook(NamedTuple):
    seen: Overview
    around: Around | None = None
    """None: it was left before that was known."""
    exams: tuple[ExamLine, ...] = ()


def read(folder: Path, now: datetime) -> FirstLook | None:
    """What home showed last of the collection in `folder`; None where it does not hold at `now`."""
    try:
        kept: Any = json.loads(_file(folder).read_text("utf-8"))
        if (kept["version"], kept["form"]) != (VERSION, _FORM):
            return None
        begins, ends = _moment(kept["made"]), _moment(kept["until"])
        if not begins <= now < ends or kept["stamp"] != stamp(folder):
            return None
        around, exams = kept["around"], tuple(map(_exam, kept["exams"]))
        return FirstLook(_seen(kept, begins, ends), _around(around) if around else None, exams)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def keep(folder: Path, look: FirstLook) -> None:
    """Keep what home shows."""
    seen, around, exams = look
    if seen.gone:
        return
    kept = {
        "version": VERSION,
        "form": _FORM,
        "made": seen.made.isoformat(),
        "until": seen.until.isoformat(),
        "stamp": seen.stamp,
        "rows": [[row.name, row.key, row.depth, row.counts] for row in seen.rows],
        "left": seen.left,
        "next_due": seen.next_due.isoformat() if seen.next_due else None,
        "more_new": seen.more_new,
        "done": seen.done,
        "studied": seen.studied,
        "problems": [each.severity for each in seen.problems],
        "around": around and [around.today.isoformat(), *around[1:]],
        "exams": [
            [e.course, e.day.isoformat(), e.days, e.expected, e.stopped, e.points, e.target,
             e.reached]
            for e in exams
        ],
    }  # fmt: skip
    path = _file(folder)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(kept), "utf-8")
        draft.replace(path)
    except OSError:
        # The next start computes it, as the first one did.
        return


# What is read is checked: a file of this place may have been cut, or written by anyone.


def _seen(kept: Any, made: datetime, until: datetime) -> Overview:
    due = kept["next_due"]
    return Overview(
        rows=tuple(map(_row, kept["rows"])),
        left=_whole(kept["left"]),
        next_due=_moment(due) if due is not None else None,
        more_new=_is(bool, kept["more_new"]),
        done=_whole(kept["done"]),
        studied=_number(kept["studied"]),
        problems=tuple(Trouble(_is(str, each)) for each in kept["problems"]),
        gone=False,
        made=made,
        until=until,
        stamp=kept["stamp"],
    )


def _row(kept: Any) -> Row:
    name, key, depth, (new, learning, due) = kept
    deck = None if key is None else _is(str, key)
    return Row(_is(str, name), deck, _whole(depth), (_whole(new), _whole(learning), _whole(due)))


def _around(kept: Any) -> Around:
    today, ahead, recalled, reviews, asked, streak, pace, days = kept
    return Around(
        date.fromisoformat(today),
        tuple(map(_whole, ahead)),
        _whole(recalled),
        _whole(reviews),
        _number(asked),
        _whole(streak),
        None if pace is None else _number(pace),
        tuple(map(_whole, days)),
    )


def _exam(kept: Any) -> ExamLine:
    course, day, days, expected, stopped, points, target, reached = kept
    return ExamLine(
        _is(str, course),
        date.fromisoformat(day),
        _whole(days),
        _number(expected),
        _number(stopped),
        _number(points),
        None if target is None else _number(target),
        _is(bool, reached),
    )


def _is(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1_000_000_000:
        raise TypeError(value)
    return value


def _number(value: Any) -> float:
    """JSON spells infinities, too."""
    if type(value) not in (int, float) or not 0 <= value < 1e9:
        raise TypeError(value)
    return float(value)


def _moment(text: Any) -> datetime:
    found = datetime.fromisoformat(text)
    if found.utcoffset() is None:
        raise ValueError(text)
    return found


def _file(folder: Path) -> Path:
    from platformdirs import user_cache_path

    name = blake2b(os.fsencode(os.path.realpath(folder)), digest_size=12).hexdigest()
    return user_cache_path("deltadeck") / "home" / f"{name}.json"
