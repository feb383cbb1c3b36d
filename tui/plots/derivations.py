"""Derivations that were checked, and the misconceptions that were seen in them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from tui.plots.bars import fill
from tui.plots.days import long_day, short_day
from tui.plots.figure import Fact, Figure
from tui.plots.given import Given
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.rows import Row
from tui.plots.words import percent, plural
from tui.text import one_line

NOTE = (
    "Each check of a derivation counts, those on the way to a right answer too. A misconception is "
    "named where a known wrong rule gives the very numbers that yours gave."
)
_WORDS = {
    "correct": "right",
    "incomplete": "right in part",
    "wrong-step": "right but for a step",
    "correct-except-ties": "right but for ties",
    "only-without-overlap": "right without overlap",
    "wrong": "wrong",
    "unreadable": "not read",
}


def misconceptions(given: Given) -> Figure:
    """How often each misconception was seen, and when last; the most frequent first."""
    found = given.stats.checks
    title = "Misconceptions"
    if not found.checked:
        said = f"No derivation was checked {given.last_span}: what goes wrong in them, and how "
        said += f"often, will stand here. {given.ways.check}"
        return Figure(title, said.rstrip(), note=NOTE)
    right = found.verdicts.get("correct", 0)
    said = f"{right:,} of {plural(found.checked, 'check')} {given.last_span} found a right "
    said += f"derivation; {found.solved:,} of {plural(found.items, 'exercise')} "
    said += f"{'is' if found.solved == 1 else 'are'} solved."
    facts = tuple(
        Fact(_WORDS.get(verdict, verdict), f"{count:,}")
        for verdict, count in found.verdicts.items()
    )
    if not found.misconceptions:
        said += " No misconception was seen."
        return Figure(title, said, "0", _bare, facts=facts, note=NOTE, least=1, most=1)
    name = next(iter(found.misconceptions))
    said += f" Most often: {one_line(name)}, {plural(found.misconceptions[name], 'time')}"
    last = found.last.get(name)
    said += f", last on {long_day(last)}." if last else "."
    rows = [
        (one_line(name), count, short_day(found.last[name]) if name in found.last else "")
        for name, count in found.misconceptions.items()
    ]
    return Figure(
        title,
        said,
        percent(right / found.checked),
        lambda width, height, ink: _draw(rows, width, height, ink),
        least=3,
        most=max(3 * len(rows) - 1, 3),
        facts=facts,
        note=NOTE,
    )


def _bare(width: int, height: int, ink: Ink) -> list[Row]:  # noqa: ARG001
    return Grid(width, min(height, 1)).rows()


def _draw(rows: list[tuple[str, int, str]], width: int, height: int, ink: Ink) -> list[Row]:
    """A bar a misconception below its name, or beside it where there is less room."""
    grid = Grid(width, height)
    beside = 2 * len(rows) > height
    apart = 3 if 3 * len(rows) - 1 <= height else 2
    shown = rows[: max(height - 1, 0)] if beside and len(rows) > height else rows
    ends = [f" {count:,}{f', last {last}' if last else ''}" for _, count, last in rows]
    longest = max((cell_len(name) for name, _, _ in rows), default=0)
    left = min(longest, max(width // 2, 1)) + 1 if beside else 0
    room = max(width - left - max(map(len, ends), default=0), 0)
    most = max((count for _, count, _ in rows), default=1)
    levels = len(ink.runs) - 1
    for number, (name, count, _) in enumerate(shown):
        y = number if beside else apart * number
        grid.put(0, y, _cut(name, left - 1 if beside else width))
        full, rest = divmod(fill(count, most, room * levels), levels)
        y += not beside
        grid.put(left, y, ink.runs[-1] * full + (ink.runs[rest] if rest else ""), "again")
        grid.put(left + full + bool(rest), y, ends[number], "dim")
    if len(shown) < len(rows):
        grid.put(0, height - 1, f"and {len(rows) - len(shown)} more", "dim")
    return grid.rows()


def _cut(name: str, width: int) -> str:
    return name if cell_len(name) <= width else set_cell_size(name, max(width - 1, 0)) + "…"
