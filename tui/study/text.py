"""A study session in words: its heading, the line of ratings, its last page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui.study.session import Row, Suggestion, came_of, to_watch
from tui.text import (
    back_again,
    counted,
    dots,
    estimate,
    initials,
    interval,
    labelled,
    points,
    stopwatch,
)

if TYPE_CHECKING:
    from deck.replay import Schedule
    from tui.keymap import KeyOf
    from tui.study.session import Session


# == The line above a card that is studied: where it stands, what it is, how far along.


LEECH = "⚑ leech"
KINDS = {"cram": "cram", "ahead": "ahead"}


def heading(session: Session) -> tuple[str, str, str]:
    """Where the item stands ("course › deck › id"), the same with the course's initials, and
    what it is ("derivation · 5 p · ●●○○○")."""
    from deck.decks import SEPARATOR, deck_path

    card, item = session.card, session.item
    if card is None or item is None:
        return "Study", "Study", ""
    first, *rest = deck_path(card, session.collection.root)
    kind = [card.type.replace("_", " ")]
    kind += [points(card.points)] if card.points is not None else []
    kind += [dots(card.difficulty)] if card.difficulty is not None else []
    kind += [LEECH] if session.is_leech else []
    below = SEPARATOR.join([*rest, item.id])
    return (
        f"{first}{SEPARATOR}{below}",
        f"{initials(first)}{SEPARATOR}{below}",
        " · ".join(kind),
    )


def progress(session: Session) -> str:
    """ "cram · 7 of 34 · 2:41 · 12 m left"; nothing where no item is shown."""
    if session.item is None:
        return ""
    parts = [KINDS[session.asked.kind]] if session.asked.kind in KINDS else []
    parts += [f"{session.number} of {session.total}", stopwatch(session.seconds)]
    left = session.time_left
    if left is not None:
        parts.append("last card" if session.time_is_up else f"{interval(left)} left")
    return " · ".join(parts)


# == The last page of a sitting: why it ended, what came of it, what to watch, when to come back.


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


# == The four ratings with the interval that each leads to, and what a check speaks for.


NAMES = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
ACTIONS = {1: "study.again", 2: "study.hard", 3: "study.good", 4: "study.easy"}
STYLES = {1: "$text-error", 2: "$text-warning", 3: "$text-success", 4: "$text-primary"}
PRACTICE = "practice: the schedule stays as it is"
#: Between two ratings; a smaller one where they would not fit.
_GAPS = ("    ", "  ", " ")


def ratings_line(
    preview: Mapping[int, Schedule], suggestion: Suggestion | None, width: int, key: KeyOf
) -> Content:
    """In two rows of so many cells: the ratings always in the lower one, what is suggested behind
    them, or above them where it does not fit.  `key` says which one an action has."""
    spans = {rating: f" {interval(preview[rating].interval)}" for rating in sorted(preview)}
    return _rows(spans, suggestion, "", width, _ratings_keys(key))


def practice_line(suggestion: Suggestion | None, width: int, key: KeyOf) -> Content:
    """The same where they change no schedule: what is not known comes again."""
    return _rows(dict.fromkeys(NAMES, ""), suggestion, PRACTICE, width, _ratings_keys(key))


def _ratings_keys(key: KeyOf) -> dict[int, str]:
    return {rating: key(action) for rating, action in ACTIONS.items()}


def _rows(
    spans: Mapping[int, str],
    suggestion: Suggestion | None,
    otherwise: str,
    width: int,
    keys: Mapping[int, str],
) -> Content:
    said = otherwise
    if suggestion is not None:
        said = f"suggested: {keys[suggestion.rating]}, {suggestion.reason}"
    four = [_rating(rating, keys[rating], span, suggestion) for rating, span in spans.items()]
    for gap in _GAPS[:2]:
        line = Content(gap).join(four)
        behind = Content.assemble(line, gap, (f"({said})", "dim")) if said else line
        if behind.cell_length <= width:
            return Content("\n") + behind
    lines = (Content(gap).join(four) for gap in _GAPS)
    bare = Content(" ").join(Content.assemble((keys[n], "bold"), span) for n, span in spans.items())
    fitting = next((line for line in lines if line.cell_length <= width), bare)
    return Content.assemble((said, "dim"), "\n", fitting)


def _rating(rating: int, key: str, span: str, suggestion: Suggestion | None) -> Content:
    style = STYLES[rating]
    if suggestion is not None and suggestion.rating == rating:
        style += " underline"
    return Content.assemble((key, "bold"), " ", (NAMES[rating], style), (span, "dim"))


def rating_at(line: str, column: int) -> int | None:
    """The rating that a click on the row of the four is meant for; None beside them all."""
    behind = line.find("(", max(0, line.find(NAMES[4])))
    end = len(line[:behind].rstrip()) if behind >= 0 else len(line.rstrip())
    begun = [rating for rating, name in NAMES.items() if _begins(line, name) <= column]
    return begun[-1] if begun and column < end else None


def _begins(line: str, name: str) -> int:
    """Where a rating's key stands."""
    at = line.find(name)
    return line.rfind(" ", 0, max(0, at - 1)) + 1 if at >= 0 else len(line)
