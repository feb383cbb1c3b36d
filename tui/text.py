"""Small pure functions from values to words on the screen, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from deck.study_day import Local

if TYPE_CHECKING:
    from textual.content import Content


# A card may come from a stranger: an escape sequence in it must be seen, never obeyed.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_PICTURES |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
# Marks of direction reorder what is read, separators end a line: shown as a replacement mark.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_PICTURES |= dict.fromkeys(_TURNING, 0xFFFD)


def visible(text: str) -> str:
    """`text` with every control character replaced by a visible sign of the same length."""
    return text.translate(_PICTURES)


def visible_line(text: str) -> str:
    """`visible` text on a single line."""
    return " ".join(visible(text).split())


def shortened(text: str, longest: int) -> str:
    """`text` in at most `longest` characters, the last of them "…" where some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def under_caret(row: str, column: int, width: int = 76) -> tuple[str, str]:
    """The part of a line about a 1-based column, and a caret under that; safe to print."""
    from rich.cells import cell_len

    from cards.text import printable

    at, most = column - 1, width - 2  # without a "…" at each end
    start = max(0, min(at - most // 2, len(row) - most)) if cell_len(row) > width else 0
    end = start + (most if cell_len(row) > width else width)
    left, shown = (printable(text).replace("\t", " ") for text in (row[start:at], row[at:end]))
    lead = "…" * (start > 0) + left
    return f"{lead}{shown}{'…' * (end < len(row))}", " " * cell_len(lead) + "^"


def interval(span: timedelta) -> str:
    """A waiting time, short: "<1 m", "10 m", "3 h", "5 d", "2.5 mo", "1.2 y"."""
    minutes = span.total_seconds() / 60
    if minutes < 1:
        return "<1 m"
    if round(minutes) < 60:
        return f"{minutes:.0f} m"
    if round(minutes / 60) < 24:
        return f"{minutes / 60:.0f} h"
    days = round(minutes / 1440)
    if days < 31:
        return f"{days} d"
    return f"{days / 30.44:.1f} mo" if days < 365 else f"{days / 365.25:.1f} y"


def stopwatch(seconds: float) -> str:
    """Elapsed time as "2:41"."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def plural(number: int, noun: str) -> str:
    """ "1 card", "2 cards"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def percent(share: float, digits: int = 0) -> str:
    """ "91 %"; never rounded to a certainty that is not there."""
    text = f"{100 * share:.{digits}f}"
    if share < 1 and float(text) >= 100:
        text = f"{100 - 10.0**-digits:.{digits}f}"
    if share > 0 and float(text) <= 0:
        return f"<{10.0**-digits:.{digits}f} %"
    return f"{text} %"


def points(value: float) -> str:
    """Exam points: "5 p", "2.5 p"."""
    return f"{value:g} p"


def dots(difficulty: int) -> str:
    """Difficulty 1..5 as "●●○○○"."""
    level = min(5, max(0, difficulty))
    return "●" * level + "○" * (5 - level)


def initials(name: str) -> str:
    """A long name for a narrow place: "SML", or the first word where it has no capitals."""
    words = name.split()
    capitals = [word[0] for word in words if word[0].isupper()]
    return "".join(capitals) if len(capitals) > 1 else (words or [""])[0]


# Rows of a label and what is said of it; what does not fit goes on below its own beginning.


_LEAST = 20


def labelled(
    rows: Sequence[tuple[str, str]], width: int, style: str = "$foreground-muted"
) -> Content:
    """In at most `width` cells; the labels stand in a column of their own, in their own style."""
    from textual.content import Content

    column = max((len(label) for label, _ in rows), default=0) + 3
    lines: list[Content] = []
    for label, said in rows:
        parts = Content(visible(said)).wrap(max(_LEAST, width - column))
        for number, part in enumerate(parts or [Content("")]):
            head = label if number == 0 else ""
            lines.append(Content.assemble((f"{head:{column}}", style), part))
    return Content("\n").join(lines)


# The one place in the room that reads the clock.


Clock = Callable[[], datetime]


def now() -> datetime:
    """The present moment, aware, in the local zone (study days are local)."""
    return datetime.now(Local())


# What is left for today and how long it will take, in words.


#: Minutes an answer takes a learner of whom nothing is known yet.
MINUTES_A_CARD = 0.75
#: From this many answers on, today's own pace is a better guess.
KNOWN_PACE = 5


def estimate(left: int, reviewed: int, minutes: float, usual: float | None = None) -> int:
    """Minutes that `left` cards take, at today's pace where there is one, else at the `usual`
    minutes an answer where those are known; at least 1."""
    pace = minutes / reviewed if reviewed >= KNOWN_PACE and minutes > 0 else usual
    return max(1, round(left * (pace or MINUTES_A_CARD)))


def time_spent(minutes: int) -> str:
    """ "25 min", "2 h 10 min"."""
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def back_again(next_due: datetime | None, now: datetime) -> str:
    """When there is something to do again, as a sentence, on the clock of `now`."""
    if next_due is None:
        return "Nothing is scheduled."
    wait, next_due = next_due - now, next_due.astimezone(now.tzinfo)
    if wait.total_seconds() < 12 * 3600 and next_due.date() == now.date():
        return f"The next card comes back in {interval(wait)}, at {next_due:%H:%M}."
    days = (next_due.date() - now.date()).days
    when = "tomorrow" if days == 1 else f"in {plural(days, 'day')}"
    return f"The next card is due {when}, on {next_due:%a} {next_due.day} {next_due:%b}."
