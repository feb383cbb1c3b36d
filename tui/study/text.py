"""A study session in words: its heading, the line of ratings, its last page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from textual.content import Content

from deck.decks import SEPARATOR, deck_path
from deck.study_day import day_start, study_day
from tui.page.model import cells
from tui.study.answers import AGAIN, GOOD, Suggestion, WordAnswer, differences
from tui.study.session import SessionAnswer, StudySession
from tui.text import (
    back_again,
    dots,
    estimate,
    initials,
    interval,
    labelled,
    percent,
    plural,
    points,
    shortened,
    stopwatch,
    visible_line,
)

if TYPE_CHECKING:
    from deck.replay import Schedule
    from tui.keymap import KeyOf

LEECH = "⚑ leech"
KINDS = {"cram": "cram", "ahead": "ahead"}
NAMES = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
ACTIONS = {1: "study.again", 2: "study.hard", 3: "study.good", 4: "study.easy"}
STYLES = {1: "$text-error", 2: "$text-warning", 3: "$text-success", 4: "$text-primary"}
PRACTICE = "practice: the schedule does not change"
#: Between two ratings; a smaller one where they would not fit.
_GAPS = ("    ", "  ", " ")
#: Rows that the smallest screen has for the last page.
_ROWS = 17
#: So many ids are named; of more, how many there are.
_NAMED = 4
#: Characters of a card's question that name it: two of them fit on a row, where it is long enough.
_TITLES = range(20, 40)
_CORRECT = "correct"

Row = tuple[str, str]
"""What it is about, and what is said."""


# The line above a card.


def heading(session: StudySession) -> tuple[str, str, str]:
    """Where the item stands ("course › deck › id"), the same with the course's initials, and
    what it is ("derivation · 5 p · ●●○○○")."""
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


def progress(session: StudySession) -> str:
    """ "cram · 7 of 34 · 2:41 · 12 m left"; nothing where no item is shown."""
    if session.item is None:
        return ""
    parts = [KINDS[session.asked.kind]] if session.asked.kind in KINDS else []
    parts += [f"{session.number} of {session.total}", stopwatch(session.seconds)]
    left = session.time_left
    if left is not None:
        parts.append("last card" if session.time_is_up else f"{interval(left)} left")
    return " · ".join(parts)


# What was typed, beside what is right.

_SIGNS = {1: "✗", 2: "≈", 3: "✓"}


def compared(session: StudySession, width: int) -> Content:
    """ "✓ Yours 4.499    Answer 4.5 ± 0.001"; words above the right ones, where they differ.

    Nothing where nothing is asked for, or the page says it all.
    """
    asked, typed = session.asks_for, " ".join(session.typed.split())
    if asked is None:
        return Content("")
    words, judged = isinstance(asked, WordAnswer), asked.judged(typed)
    answer = Content.assemble(("Answer ", "$foreground-muted"), asked.written)
    if judged is None:
        return Content("") if words else answer
    style = STYLES[judged.rating]
    yours = Content.assemble((f"{_SIGNS[judged.rating]} ", style), ("Yours ", "$foreground-muted"))
    if words and judged.rating == GOOD:
        return Content.assemble(yours, (typed, style))
    if words:
        both = list(differences(typed.rstrip("."), asked.written))
        long = sum(max(cells(one), cells(other)) for one, other in both) + len("✓ Yours  ") > width
        return _beside(yours.pad_right(1), both, aligned=not long)
    return Content.assemble(yours, typed, "    ", answer)


def _beside(above: Content, both: Iterable[tuple[str, str]], aligned: bool) -> Content:
    """One above the other, what differs underlined; - is what is missing."""
    below = Content.styled("  Answer ", "$foreground-muted")
    for one, other in both:
        same = one.casefold() == other.casefold()
        width = max(cells(one), cells(other))
        one = one or "-" * (width if aligned else 1)
        off, missed = (STYLES[GOOD],) * 2 if same else ("$text-error underline", "underline")
        above += Content.styled(one, off).pad_right((width - cells(one)) * aligned)
        below += Content.styled(other, missed).pad_right((width - cells(other)) * aligned)
    return above + "\n" + below


# The four ratings, each with the interval that it leads to.


def ratings_line(
    preview: Mapping[int, Schedule], suggestion: Suggestion | None, width: int, key: KeyOf
) -> Content:
    """In two rows of so many cells: the ratings always in the lower one, what is suggested behind
    them, or above them where it does not fit.  `key` says which one an action has."""
    spans = {rating: f" {interval(preview[rating].interval)}" for rating in sorted(preview)}
    return _rows(spans, suggestion, "", width, key)


def practice_line(suggestion: Suggestion | None, width: int, key: KeyOf) -> Content:
    """The same where they change no schedule: what is not known comes again."""
    return _rows(dict.fromkeys(NAMES, ""), suggestion, PRACTICE, width, key)


def _rows(
    spans: Mapping[int, str],
    suggestion: Suggestion | None,
    otherwise: str,
    width: int,
    key: KeyOf,
) -> Content:
    keys = {rating: key(action) for rating, action in ACTIONS.items()}
    said, suggested = otherwise, None
    if suggestion is not None:
        suggested = suggestion.rating
        said = f"suggested: {keys[suggested]}, {suggestion.reason}"
    four = []
    for rating, span in spans.items():
        style = STYLES[rating] + " underline" * (rating == suggested)
        named = (NAMES[rating], style)
        four.append(Content.assemble((keys[rating], "bold"), " ", named, (span, "dim")))
    for gap in _GAPS[:2]:
        line = Content(gap).join(four)
        behind = Content.assemble(line, gap, (f"({said})", "dim")) if said else line
        if behind.cell_length <= width:
            return Content("\n") + behind
    lines = (Content(gap).join(four) for gap in _GAPS)
    bare = Content(" ").join(Content.assemble((keys[n], "bold"), span) for n, span in spans.items())
    fitting = next((line for line in lines if line.cell_length <= width), bare)
    return Content.assemble((said, "dim"), "\n", fitting)


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


# What came of a session.


def summary(given: Sequence[SessionAnswer], asked_for: float) -> list[Row]:
    """A row for each thing worth saying; `asked_for` is the desired retention, 0..1."""
    return [*_came_of(given, asked_for), *_to_watch(given, visible_line)]


def _came_of(given: Sequence[SessionAnswer], asked_for: float) -> Iterator[Row]:
    """What was done, learned, recalled and derived."""
    if not given:
        return
    first = {each.item_id: each for each in reversed(given)}
    last = {each.item_id: each for each in given}
    seconds = round(sum(each.seconds for each in given))
    took = f" in {seconds / 60:.0f} min" if seconds >= 60 else f" in {seconds} s"
    took = took if seconds else ""
    yield "Answered", f"{plural(len(last), 'card')}{took}"
    taken = [item for item, each in first.items() if not each.practice and each.before != "review"]
    learned = sum(last[item].after == "review" for item in taken)
    begun = sum(first[item].before == "new" and last[item].after != "review" for item in taken)
    parts = [f"{plural(learned, 'card')} learned"] if learned else []
    parts += [f"{begun} more begun" if learned else f"{plural(begun, 'card')} begun"] * bool(begun)
    if parts:
        yield "New", ", ".join(parts)
    # The first answer to each review: what a later one says, was just read.
    known = [each.rating > AGAIN for each in first.values() if each.before == "review"]
    if known:
        share, wanted = percent(sum(known) / len(known)), percent(asked_for)
        yield "Recalled", f"{sum(known)} of {len(known)}, {share} (asked for {wanted})"
    else:
        tries = sum(each.rating > AGAIN for each in first.values())
        yield "Known", f"{tries} of {len(first)} at the first try"
    if derived := _last_verdicts(given):
        correct = list(derived.values()).count(_CORRECT)
        yield "Derived", f"{correct} of {plural(len(derived), 'derivation')} correct"


def _last_verdicts(given: Sequence[SessionAnswer]) -> dict[str, str]:
    """Of each item that was derived."""
    return {each.item_id: each.verdict for each in given if each.verdict}


def _to_watch(given: Sequence[SessionAnswer], named: Callable[[str], str]) -> Iterator[Row]:
    """What was not known, what is forgotten again and again, mistakes, and what was not derived;
    items as they are `named`."""
    again = Counter(each.item_id for each in given if each.rating == AGAIN).most_common()
    if again:
        yield "To watch", _some([_counted(named(item), count) for item, count in again])
    leeches = {each.item_id: each.lapses for each in given if each.leech}
    for item, lapses in list(leeches.items())[:_NAMED]:
        often = plural(lapses, "time")
        yield "Leech", f"{named(item)}, forgotten {often}: rewrite it, or suspend it"
    mistakes = Counter(each.mistake for each in given if each.mistake).most_common()
    if mistakes:
        yield "Mistakes", _some([_counted(name, count) for name, count in mistakes])
    open_ = [
        f"{named(item)} ({verdict.replace('-', ' ')})"
        for item, verdict in _last_verdicts(given).items()
        if verdict != _CORRECT
    ]
    if open_:
        yield "To derive", _some(open_)


def _counted(name: str, count: int) -> str:
    return f"{name} ({count}×)" if count > 1 else name


def _some(said: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    more = len(said) - _NAMED
    return " · ".join(said[:_NAMED]) + (f" and {more} more" if more > 0 else "")


# The last page: why the session ended, what came of it, when to come back.


def finished(session: StudySession, now: datetime, width: int, key: KeyOf) -> Content:
    """For the page, in `width` cells; the keys stand below what is said.

    `key` says which one an action has.
    """
    retention = session.collection.config.desired_retention
    title_width = max(_TITLES.start, min(width // 2 - 8, _TITLES.stop))

    def named(item: str) -> str:
        """The words of its question; its id where it is gone."""
        from tui.widgets.item_list import title  # a session in lines needs no widgets

        known = session.collection.can_read(item)
        words = title(session.collection.card_of(item)) if known else ""
        return shortened(words or visible_line(item), title_width)

    groups = [
        [*_came_of(session.answers, retention)],
        [*_to_watch(session.answers, named)],
        [*_next(session, now)],
    ]
    above = Content.styled("Well done. " * bool(session.done) + _why(session), "bold")
    below = Content.styled(_keys(session, now, key), "$foreground-muted")

    def page(gap: Row | None) -> Content:
        """With `gap` between the groups."""
        rows: list[Row] = []
        for group in filter(None, groups):
            rows += [gap] if gap and rows else []
            rows += group
        middle = [labelled(rows, width), Content("")] if rows else []
        parts = (above, Content(""), *middle, below)
        return Content("\n").join(row for part in parts for row in part.wrap(width))

    airy = page(("", ""))
    return airy if airy.plain.count("\n") < _ROWS else page(None)


def _why(session: StudySession) -> str:
    if session.time_is_up and session.left:
        return f"Time is up, with {plural(session.left, 'card')} left."
    if not session.is_gathered:
        return "Nothing is due here now."
    if not session.done and session.next_due is None:
        return "There is nothing to study here."
    return "That was the last card."


def _next(session: StudySession, now: datetime) -> Iterator[Row]:
    if session.practice:
        yield "Schedule", "unchanged: this was practice"
        return
    elsewhere = 0
    if session.asked.deck is not None and not session.is_gathered:
        elsewhere = len(session.collection.queue(now).entries)
    if elsewhere:
        yield "Now", f"{_cards(session, elsewhere)}, in other decks"
    if session.next_due:
        yield "Next", back_again(session.next_due, now)
    tomorrow, new = _tomorrow(session, now)
    if tomorrow:
        yield "Tomorrow", f"{_cards(session, tomorrow, new)}, in all decks"
    elif session.next_due:
        yield "Tomorrow", "nothing is due yet"
    else:
        yield "Next", "Nothing is scheduled."


def _tomorrow(session: StudySession, now: datetime) -> tuple[int, int]:
    """How many cards come on the next study day, beside the steps of this one; the new of them."""
    collection, rollover = session.collection, session.collection.config.rollover
    day = study_day(now, rollover) + timedelta(days=1)
    begins, ends = (day_start(day + timedelta(days=n), rollover, now) for n in (0, 1))
    coming = collection.queue(ends - timedelta(minutes=1)).entries
    kinds = [e.kind for e in coming if e.kind != "learning" or (e.due and e.due >= begins)]
    return len(kinds), kinds.count("new")


def _keys(session: StudySession, now: datetime, key: KeyOf) -> str:
    over = session.time_is_up and session.left
    said = [f"{key('study.go-on')} goes on without a clock"] if over else []
    said.append(f"{key('study.back')} goes back to the decks")
    deck = session.asked.deck
    queue = session.collection.queue(now, deck)
    live = not session.is_gathered and (queue.held if deck else queue.more)
    said += [f"{key('home.more')} there takes more today"] if live else []
    said += [f"{key('study.undo')} undoes the last rating"] if session.done else []
    return f"{', '.join(said)}."


def _cards(session: StudySession, count: int, new: int = 0) -> str:
    """ "12 cards, 6 of them new, about 9 min", at the pace of the session."""
    minutes = sum(each.seconds for each in session.answers) / 60
    cards = plural(count, "new card" if new == count else "card")
    cards += f", {new} of them new" if 0 < new < count else ""
    return f"{cards}, about {estimate(count, session.done, minutes)} min"
