"""Something that is done to many at once, the way back, and what became of each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from tui.text import counted

#: Names that a sentence lists before it counts the rest.
_NAMED = 3


class Outcome(NamedTuple):
    """What became of one of many."""

    name: str
    """The id of the item or card."""
    changed: bool = True
    trouble: str = ""
    """Why it could not be, in a sentence."""
    is_over: bool = False
    """Trying again is of no use: what was changed is there no more."""


@dataclass(frozen=True, slots=True)
class Deed:
    """To be done to `names`, which are ids of items or of cards."""

    names: tuple[str, ...]
    doing: str
    """While it runs: "putting aside"."""
    done: str
    """What they are then: "put aside"."""
    noun: str
    act: Callable[[Sequence[str]], Iterator[Outcome]]
    back: Callable[[Sequence[str], datetime], Iterator[Outcome]]
    in_files: bool = False
    """Whether card files are written past the collection, which must look at them again."""


@dataclass(slots=True)
class Course:
    """How a deed, or its way back, went."""

    changed: list[str] = field(default_factory=list)
    failed: list[Outcome] = field(default_factory=list)

    def take(self, outcome: Outcome) -> None:
        if outcome.trouble:
            self.failed.append(outcome)
        elif outcome.changed:
            self.changed.append(outcome.name)


def done(deed: Deed, course: Course) -> tuple[str, str]:
    """What was done, and what could not be: two sentences, or "" where there is none."""
    failed = course.failed and not course.changed
    said = "" if failed else f"{counted(len(course.changed), deed.noun)} {deed.done}."
    return said, _failure(f"Not {deed.done}", course)


def taken_back(deed: Deed, course: Course) -> tuple[str, str]:
    """The same of a way back."""
    done, total = len(course.changed), len(deed.names)
    part = f"{done} of " if done < total else ""
    said = f"Taken back: {part}{counted(total, deed.noun)} {deed.done}." if done else ""
    return said, _failure("Not taken back", course)


def left(deed: Deed, course: Course) -> Deed | None:
    """What is still to be taken back after a way back that went so."""
    again = {each.name for each in course.failed if not each.is_over}
    names = tuple(name for name in deed.names if name in again)
    return replace(deed, names=names) if names else None


def _failure(what: str, course: Course) -> str:
    if not course.failed:
        return ""
    names = [each.name for each in course.failed]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{what}: {', '.join(names[:_NAMED])}{more}. {course.failed[0].trouble}"
