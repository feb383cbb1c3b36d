"""The figures in words, a subject a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.text import counted

if TYPE_CHECKING:
    from deck.stats.report import Statistics
    from deck.stats.tally import Share


def lines(stats: Statistics, asked: float) -> Iterator[str]:
    """`asked` is the desired retention."""
    today = next((day for day in stats.days if day.day == stats.today), None)
    done = (
        f"{counted(today.count, 'answer')} in {today.minutes:.0f} min" if today else "nothing yet"
    )
    streak = stats.streak
    row = f"{counted(streak.current, 'day')} in a row (longest {streak.longest})"
    yield f"Today      {done} · {row}"
    total, minutes = sum(d.count for d in stats.days), sum(d.minutes for d in stats.days)
    hours = f"{minutes / 60:.1f} h"
    yield (
        f"Since      {stats.since}: {counted(total, 'answer')} in {hours}, "
        f"{counted(len(stats.days), 'day')}"
    )
    s = stats.standing
    yield (
        f"Items      {s.new} new · {s.learning + s.relearning} learning · {s.young} young · "
        f"{s.mature} mature · {s.suspended} suspended"
    )
    spans = [(r.name, _share(r.all)) for r in stats.retention if r.all.of]
    said = " · ".join(f"{name} {share}" for name, share in spans) or "no reviews yet"
    yield f"Recall     {said} (asked for {asked:.0%})"
    ahead = stats.forecast
    yield f"Due        {ahead[0]} today · {sum(ahead[1:2])} tomorrow · {sum(ahead[:7])} in a week"
    yield from _memory(stats)
    yield from _checks(stats)


def _memory(stats: Statistics) -> Iterator[str]:
    memory, found = stats.memories, stats.calibration
    if memory.stability.median is not None:
        learnt = sum(memory.stability.counts)
        yield (
            f"Memory     {memory.remembered:.0f} of {learnt} remembered now · "
            f"median stability {memory.stability.median:.0f} d"
        )
    if found.log_loss is not None:
        yield (
            f"Model      predicted {found.predicted:.1%}, recalled {found.actual:.1%} of "
            f"{found.answers} · log loss {found.log_loss:.3f}"
        )


def _checks(stats: Statistics) -> Iterator[str]:
    checks = stats.checks
    if checks.checked:
        said = ", ".join(f"{count} {verdict}" for verdict, count in checks.verdicts.items())
        yield f"Checks     {checks.checked}: {said} · {checks.solved} of {checks.items} solved"
    for misconception, count in checks.misconceptions.items():
        yield f"           {count} × {misconception}"


def _share(share: Share) -> str:
    return f"{share.right / share.of:.0%} of {share.of}"
