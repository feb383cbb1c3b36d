"""The last page of a sitting: why it ended, what came of it, when to come back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui.labelled import labelled
from tui.sitting import Row, summary
from tui.text import counted
from tui.today import back_again

if TYPE_CHECKING:
    from tui.study_session import Session


def finished(session: Session, now: datetime, width: int) -> Content:
    """For the page, in `width` cells; the keys stand below what is said."""
    rows = summary(session.given, session.collection.config.desired_retention)
    rows += list(_next(session, now))
    said = [Content.styled(_why(session), "bold"), Content("")]
    said += [labelled(rows, width)] * bool(rows)
    keys = ["space goes on without a clock"] if session.time_is_up and session.left else []
    keys += [
        "escape goes back to the decks",
        *(["u takes the last rating back"] * bool(session.done)),
    ]
    said += [Content("")] * bool(rows) + [Content.styled(", ".join(keys) + ".", "dim")]
    return Content("\n").join(said)


def _why(session: Session) -> str:
    if session.time_is_up and session.left:
        return f"Time is up; {counted(session.left, 'card')} would be left."
    if not session.is_gathered:
        return "Nothing is due here now."
    if not session.done and session.next_due is None:
        return "Nothing is found that could be studied."
    return "That was all of it."


def _next(session: Session, now: datetime) -> list[Row]:
    if session.practice:
        return [("Schedule", "is as it was: this was practice")]
    rows = [("Next", back_again(session.next_due, now))] if session.next_due else []
    tomorrow = len(session.collection.search("due=1 -is:suspended", now))
    if tomorrow:
        rows.append(("Tomorrow", f"{counted(tomorrow, 'card')} will be due, in all decks"))
    return rows or [("Next", "Nothing is scheduled.")]
