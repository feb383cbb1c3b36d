"""What is left for today and how long it will take, in words."""

from __future__ import annotations

from datetime import datetime

from tui.text import counted, interval

#: Minutes an answer takes a learner of whom nothing is known yet.
MINUTES_A_CARD = 0.75
#: From this many answers on, today's own pace is a better guess.
KNOWN_PACE = 5


def estimate(left: int, reviewed: int, minutes: float, usual: float | None = None) -> int:
    """Minutes that `left` cards take, at today's pace where there is one, else at the `usual`
    minutes an answer where those are known; at least 1."""
    pace = minutes / reviewed if reviewed >= KNOWN_PACE and minutes > 0 else usual
    return max(1, round(left * (pace or MINUTES_A_CARD)))


def bar(done: int, total: int, width: int) -> tuple[str, str]:
    """A bar of `width` cells as its full and its empty part; full only when all is done."""
    full = width if total <= done else min(width - 1, done * width // total)
    return "█" * full, "░" * (width - full)


def back_again(next_due: datetime | None, now: datetime) -> str:
    """When there is something to do again, as a sentence."""
    if next_due is None:
        return "Nothing is scheduled."
    wait = next_due - now
    if wait.total_seconds() < 12 * 3600 and next_due.date() == now.date():
        return f"The next card comes back in {interval(wait)}, at {next_due:%H:%M}."
    days = (next_due.date() - now.date()).days
    when = "tomorrow" if days == 1 else f"in {counted(days, 'day')}"
    return f"The next card is due {when}, on {next_due:%a} {next_due.day} {next_due:%b}."
