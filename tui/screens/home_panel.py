"""What home shows beside the decks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.geometry import Size

from tui.home_state import Activity, DeckRow, ExamLine, HomeState, NextCard, Unfinished
from tui.text import (
    back_again,
    estimate,
    initials,
    percent,
    plural,
    time_spent,
    visible_line,
)

if TYPE_CHECKING:
    from tui.keymap import KeyOf

#: Of a first start, in their order.
STAGES = {"cards": "Cards", "reviews": "Journal", "schedules": "Schedules"}
#: Columns of the three counts, and what stands above them.
NUMBERS = 16
COUNTS = f"{'new':>5}{'learn':>6}{'due':>5}"
#: From so many columns on, the day stands beside the decks; and, from so many on, with more room.
WIDE, BROAD = 76, 100
#: From so many rows on, there are gaps.
TALL = 30
_LABEL = 11
#: "  1,000,000 of 1,000,000", and a margin.
_COUNTED = 28
_LABELS = 7
#: Styles of what is new, being learned, due.
_STYLES = ("$text-primary", "$text-warning", "$text-success")
_KINDS = dict(zip(("new", "learning", "review"), _STYLES, strict=True))
#: Rows of the top line, the columns' names, troubles and the footer, and the gaps between.
_FRAME = 6
#: So many decks are seen before there is a calendar.
_DECKS = 16
#: So many cards that come next are worth a heading.
_SOME = 3
#: The verdict on a derivation that is not correct, in a few words.
_OUTCOMES = {
    "incomplete": "right so far",
    "wrong-step": "a wrong step",
    "correct-but-slow": "too many steps",
    "correct-except-ties": "wrong at ties",
    "only-without-overlap": "wrong where windows overlap",
    "unreadable": "not read",
}
#: Letters of a title that are worth their place beside that.
_TITLE = 16
#: Rows of a calendar: the months, and the days of the week.
_WEEKS = 8

PanelEntry = tuple[str, list[Content]]
"""What it is about, and what is said, line by line."""


def beside_columns(width: int) -> int:
    """Of what stands beside the decks, or below them, on a screen of so many columns."""
    if width >= BROAD:
        return 42
    return 28 if width >= WIDE else width - 2


def tree_columns(width: int) -> int:
    """Of a row of the tree."""
    beside = beside_columns(width) + 4 if width >= WIDE else 0
    return max(30, min(70, width - beside - 4))


def tree_rows(height: int, panel: int) -> int:
    """At most, above a panel of so many rows; more decks are scrolled to."""
    return max(4, height - _FRAME + 1 - panel)


def next_rows(size: Size, decks: int, around: Activity | None, panel: int) -> int:
    """For how many cards that come next there is room below the decks."""
    if around is None:
        return 0
    room = size.height - _FRAME - min(decks, _DECKS) - 2
    if size.width < WIDE:
        room -= panel + 1
    calendar = _WEEKS if size.height - _FRAME - panel > _WEEKS else 1
    if any(around.days) and room >= calendar + _SOME + 1:
        room -= calendar + 1
    return min(len(around.next), room) if room >= _SOME else 0


def calendar_rows(size: Size, decks: int, panel: int, cards: int = 0) -> int:
    """Of what is left below decks, next cards and panel: as many as the days of the week and their
    months take, one, or none."""
    room = size.height - _FRAME
    if size.width >= WIDE:
        room -= max(min(decks, _DECKS) + (cards + 2 if cards else 0), panel)
    else:
        room -= min(decks, _DECKS // 2) + (cards + 2 if cards else 0) + panel + 1
    return _WEEKS if room > _WEEKS else int(room > 1)


def panel(
    seen: HomeState,
    around: Activity | None,
    exams: Sequence[ExamLine],
    size: Size,
    now: datetime,
    key: KeyOf,
) -> Content:
    """What stands beside the decks, or below them, on a screen of this size.

    `key` says which one an action has.
    """
    if not seen.rows:
        return Content("")
    width = beside_columns(size.width)
    today = list(_day(seen, around, now, width - _LABELS))
    if not seen.left and any(row.more for row in seen.rows):
        on = "" if seen.rows[0].more else " on a course"
        more = f"Cards wait: {key('home.more')}{on} takes more today."
        today.insert(1, Content.styled(more, "dim"))
    entries = [("Today", _flowed(today, width))]
    if around is not None and around.unfinished is not None:
        entries.append(("Lab", _begun(around.unfinished, width - _LABELS, key)))
    if around is not None and not any(around.days):
        entries += _first_steps(around, size.height >= TALL, key)
    elif around is not None:
        entries += activity(around, width)
    if exams:
        said = list(_exams(exams, width, size.width >= WIDE, key))
        entries.append(("Exams" if len(exams) > 1 else "Exam", said))
    lines: list[Content] = []
    for label, said in entries:
        if lines and size.height >= TALL:
            lines.append(Content(""))
        for number, row in enumerate(row for line in said for row in line.wrap(width - _LABELS)):
            head = "" if number else label
            lines.append(Content.assemble((f"{head:{_LABELS}}", "$foreground-muted"), row))
    return Content("\n").join(lines)


def _flowed(parts: Iterable[Content], width: int, gap: str = "   ") -> list[Content]:
    """The parts on as few lines as they fit on beside a name, in a panel of so many columns."""
    lines: list[Content] = []
    for part in parts:
        room = width - _LABELS - len(gap) - part.cell_length
        if lines and lines[-1].cell_length <= room:
            lines[-1] = lines[-1].append(gap).append(part)
        else:
            lines.append(part)
    return lines


def _day(seen: HomeState, around: Activity | None, now: datetime, width: int) -> Iterator[Content]:
    """What is left of today, and what was done."""
    if seen.left:
        usual = around.pace if around else None
        minutes = estimate(seen.left, seen.done, seen.studied, usual)
        said = Content(f"{plural(seen.left, 'card')}, about {time_spent(minutes)}")
        # Where that is too long, the time stands on a line of its own.
        yield from [said] if said.cell_length <= width else said.split(", ")
    else:
        yield Content(f"Nothing is left. {back_again(seen.next_due, now)}")
    if seen.done:
        total = f"  {seen.done} of {seen.done + seen.left}"
        full, rest = bar(seen.done, seen.done + seen.left, max(4, min(20, width - len(total))))
        yield Content.assemble((full, "$success"), (rest, "dim"), total)
        if seen.studied >= 1:
            yield Content.styled(f"{time_spent(round(seen.studied))} studied", "dim")


def _first_steps(around: Activity, is_tall: bool, key: KeyOf) -> Iterator[PanelEntry]:
    """What a collection in which nothing was answered holds and offers."""
    if around.derivations:
        yield "Cards", [Content(f"{around.cards}, {around.derivations} of them derivations")]
    yield "Start", [Content(f"Press {key('list.enter')} to study the deck under the cursor.")]
    if around.unfinished is None and any(card.type == "derivation" for card in around.next):
        said = f"On a derivation, {key('study.check')} opens the lab: it tries what you derived on"
        yield "Lab", [Content(f"{said} random inputs while you type.")]
    if is_tall:
        said = f"{key('home.search')} searches the cards, {key('home.add')} writes a card, "
        yield "More", [Content(f"{said}{key('app.help')} lists the keys of any screen.")]


def _begun(found: Unfinished, width: int, key: KeyOf) -> list[Content]:
    """A derivation that is not correct yet, on one line where its title has room there."""
    said = f"{_OUTCOMES.get(found.outcome, found.outcome)}: {key('home.derive')} continues"
    room = width - len(said) - 3
    words = Content(found.title).truncate(room if room >= _TITLE else width, ellipsis=True)
    return _flowed([words, Content.styled(said, "$text-warning")], width + _LABELS)


def next_cards(cards: Sequence[NextCard], width: int) -> Content:
    """The cards that come next, a line each, under a heading."""
    lines = [Content.styled("Next", "dim")]
    for card in cards:
        room = width - 2 - len(card.type) - 2
        words = Content(card.title).truncate(room, ellipsis=True)
        words = words.pad_right(room - words.cell_length)
        lines.append(Content.assemble(("● ", _KINDS[card.kind]), words, (f"  {card.type}", "dim")))
    return Content("\n").join(lines)


def activity(around: Activity, width: int) -> Iterator[PanelEntry]:
    """A line each for the week, recall and streak; none for what there is not yet."""
    if any(around.ahead):
        yield "Week", _week(around, width)
    elif any(around.days):
        yield "Week", [Content("No reviews fall due.")]
    if around.reviews:
        found = f"{percent(around.recalled / around.reviews)} of {around.reviews:,}"
        asked = Content.styled(f"(asked for {percent(around.asked)})", "dim")
        yield "Recall", _flowed([Content(found), asked], width, " ")
    if around.streak:
        parts = [Content(plural(around.streak, "day"))]
        if not around.days[-1]:
            parts.append(Content.styled("(not yet today)", "dim"))
        yield "Streak", _flowed(parts, width, " ")


def _week(around: Activity, width: int) -> list[Content]:
    """A bar for each day over its initial; then how many there are."""
    from tui.widgets.figure import week  # home is painted before it is loaded

    bars, names = week(around)
    due, days = f"{sum(around.ahead):,} due", len(around.ahead)
    for above, below in ((f"{due} in {days} days", ""), (due, f"in {days} d")):
        said = [bars.append(f" {above}"), names.append(f" {below}").rstrip()]
        if all(line.cell_length <= width - _LABELS for line in said):
            return said
    return [bars, names, Content(f"{due} in {days} days")]


def _exams(exams: Sequence[ExamLine], width: int, is_wide: bool, key: KeyOf) -> Iterator[Content]:
    """Days left and points, of the nearest most; on a narrow screen a line for each exam."""
    for exam in exams:
        when = "today" if exam.days == 0 else f"in {plural(exam.days, 'day')}"
        points = f"{exam.expected:.0f} of {exam.points:g} p expected"
        said = when if is_wide else f"{when}: {points}"
        name = visible_line(exam.course)
        if Content(f"{name} {said}").cell_length > width - _LABELS:
            name = initials(name)
        parts = [Content(f"{name} {said}")]
        if is_wide:
            parts.append(Content(points))
            if exam is exams[0]:
                parts.append(Content.styled(f"{exam.stopped:.0f} p if you stop now", "dim"))
        if exam.target is not None and not exam.reached:
            out = f"{exam.target:g} p is out of reach: {key('home.exam')}"
            parts.append(Content.styled(out, "$text-warning"))
        elif exam.target is not None and is_wide:
            parts.append(Content.styled(f"{exam.target:g} p is within reach", "$text-success"))
        yield from parts if is_wide else _flowed(parts, width, ", ")


def countdown(exams: Sequence[ExamLine]) -> str:
    """The nearest exam, for the top line; "" where there is none."""
    if not exams:
        return ""
    days = exams[0].days
    when = "today" if days == 0 else f"in {plural(days, 'day')}"
    return f"{initials(visible_line(exams[0].course))} exam {when}"


def troubles_line(seen: HomeState, root: Path, key: KeyOf) -> str:
    """What is wrong, and the key that leads there; empty where nothing is."""
    if seen.gone:
        return (
            f"The folder {visible_line(str(root.absolute()))} is gone, with the cards "
            f"in it. Bring it back and press {key('home.reload')}; "
            "until then no answer can be recorded."
        )
    if seen.refused:
        return f"No answer can be recorded: {visible_line(seen.refused)}. `deltadeck doctor` helps."
    said = [f"{plural(seen.errors, 'problem')} found"] if seen.errors else []
    said += [plural(seen.warnings, "warning")] if seen.warnings else []
    if not said:
        return ""
    return f"{' and '.join(said)}: {key('home.problems')} shows where, and what to do."


def reading_panel(progress: Mapping[str, tuple[int, int]], folder: str, width: int) -> Content:
    """How far a first start has come, a bar for each kind of what is read."""
    lines = [Content(f"Reading the cards in {folder} …")]
    shown = [what for what in STAGES if what in progress]
    if shown:
        lines.append(Content(""))
    for what in shown:
        done, total = progress[what]
        full, rest = bar(done, total, max(6, min(30, width - _LABEL - _COUNTED)))
        # Of the journal they are bytes.
        mega = f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
        counts = f"  {mega if what == 'reviews' else f'{done:,} of {total:,}'}"
        label = f"{STAGES[what]:{_LABEL}}"
        lines.append(Content.assemble(label, (full, "$primary"), (rest, "dim"), counts))
    return Content("\n").join(lines)


def deck_row(row: DeckRow, width: int, sign: str = "") -> Content:
    """A deck of the tree: its name, and its new, learning and due items.

    `sign` tells whether the decks below it are shown; "" where no row has such a sign.
    """
    label = Content("  " * row.depth + sign + visible_line(row.name))
    label = label.truncate(width - NUMBERS, ellipsis=True)
    label = label.pad_right(width - NUMBERS - label.cell_length)
    numbers = [
        (f"{count or '–':>{wide}}", style if count else "dim")
        for count, wide, style in zip(row.counts, (5, 6, 5), _STYLES, strict=True)
    ]
    return Content.assemble(label.stylize("bold") if row.depth == 0 else label, *numbers)


def bar(done: int, total: int, width: int) -> tuple[str, str]:
    """A bar of `width` cells as its full and its empty part; full only when all is done."""
    full = width if total <= done else min(width - 1, done * width // total)
    return "█" * full, "░" * (width - full)
