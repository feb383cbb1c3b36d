"""The last page of a sitting: why it ended, what came of it, what to watch, when to come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui.labelled import labelled
from tui.sitting import Row, came_of, to_watch
from tui.text import counted
from tui.today import back_again, estimate

if TYPE_CHECKING:
    from tui.key_names import KeyOf
    from tui.study_session import Session

#: Rows that the smallest screen has for the page.
_ROWS = 14


def finished(session: Session, now: datetime, width: int, key: KeyOf) -> Content:
    """For the page, in `width` cells; the keys stand below what is said.

    `key` says which one an action has.
    """
    said = [
        list(came_of(session.given, session.collection.config.desired_retention)),
        list(to_watch(session.given)),
        list(_next(session, now)),
    ]
    above = Content.styled(_why(session), "bold")
    below = Content.styled(_keys(session, key), "dim")
    page = _page(above, said, below, width, gap=True)
    if page.plain.count("\n") >= _ROWS:
        return _page(above, said, below, width, gap=False)
    return page


def _page(
    above: Content, groups: Sequence[Sequence[Row]], below: Content, width: int, gap: bool
) -> Content:
    """With `gap`, what is said stands in groups."""
    rows: list[Row] = []
    for group in filter(None, groups):
        rows += [("", "")] * (gap and bool(rows))
        rows += group
    middle = [labelled(rows, width), Content("")] if rows else []
    lines = [row for part in (above, Content(""), *middle, below) for row in part.wrap(width)]
    return Content("\n").join(lines)


def _keys(session: Session, key: KeyOf) -> str:
    over = session.time_is_up and session.left
    said = [f"{key('study.go-on')} goes on without a clock"] if over else []
    said.append(f"{key('study.back')} goes back to the decks")
    said += [f"{key('study.undo')} takes the last rating back"] if session.done else []
    return f"{', '.join(said)}."


def _why(session: Session) -> str:
    if session.time_is_up and session.left:
        return f"Time is up; {counted(session.left, 'card')} would be left."
    if not session.is_gathered:
        return "Nothing is due here now."
    if not session.done and session.next_due is None:
        return "Nothing is found that could be studied."
    return "That was all of it."


def _next(session: Session, now: datetime) -> Iterator[Row]:
    if session.practice:
        yield "Schedule", "is as it was: this was practice"
        return
    elsewhere = 0
    if session.asked.deck is not None and not session.is_gathered:
        elsewhere = len(session.collection.queue(now).entries)
    if elsewhere:
        yield "Now", f"{_cards(session, elsewhere)}, in other decks"
    if session.next_due:
        yield "Next", back_again(session.next_due, now)
    tomorrow = len(session.collection.search("due=1 -is:suspended", now))
    if tomorrow:
        yield "Tomorrow", f"{_cards(session, tomorrow)}, in all decks"
    elif not session.next_due:
        yield "Next", "Nothing is scheduled."


def _cards(session: Session, count: int) -> str:
    """ "12 cards, about 9 min", at the pace of the sitting."""
    minutes = sum(each.seconds for each in session.given) / 60
    return f"{counted(count, 'card')}, about {estimate(count, session.done, minutes)} min"
