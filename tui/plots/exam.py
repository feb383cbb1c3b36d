"""The exam: the points that are expected on its day, while the plan is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.plots.days import long_day, short_day
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import ExamGiven, Given, no_exam
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.plane import Plane
from tui.plots.rows import Row
from tui.plots.words import minutes, percent, plural, points

if TYPE_CHECKING:
    from deck.exam.rise import Stand

NOTE = (
    "Each day stands for what the exam would bring if you kept to the plan until then and stopped. "
    "Four exams in five end inside the band: items are taken as independent, and recalled whole or "
    "not at all. The plan takes what brings most points a minute, within your minutes and limits; "
    "a search does not change it."
)


def exam(given: Given) -> Figure:
    """Expected points on the day of the exam, by how long the plan is kept."""
    found = given.exam
    title = "Exam plan"
    if isinstance(found, str):
        return Figure(title, found or no_exam(given), note=NOTE)
    whole = found.plan.outlook
    left = (found.day - found.today).days
    if left < 0:
        said = (
            f"The exam of {found.course} was on {long_day(found.day)}. {given.ways.exam}".rstrip()
        )
        return Figure(title, said, note=NOTE)
    if not found.rise or not whole.points:
        said = f"{found.course} has no items for the exam yet. {given.ways.add}".rstrip()
        return Figure(title, said, note=NOTE)
    plan = f"{points(whole.expected)} of {points(whole.points)} points are expected with the plan."
    said = f"{found.course}, exam in {plural(left, 'day')}. {found.sentence or plan} "
    said += f"If you stop now, {points(found.stopped.expected)} are expected."
    return Figure(
        title,
        said,
        f"{points(whole.expected)} p",
        lambda width, height, ink: _draw(found, width, height, ink),
        least=8,
        most=22,
        facts=_facts(found, left),
        note=NOTE,
    )


def _facts(found: ExamGiven, left: int) -> tuple[Fact, ...]:
    whole, stopped = found.plan.outlook, found.stopped
    facts = [
        Fact("exam", long_day(found.day)),
        Fact("with the plan", f"{points(whole.low)} to {points(whole.high)}"),
        Fact("if you stop", f"{points(stopped.low)} to {points(stopped.high)}"),
        Fact("study", f"{minutes(found.plan.minutes)} in all"),
    ]
    if left:
        facts.append(Fact("a day", minutes(found.plan.minutes / left)))
    if found.target is not None and found.chance is not None:
        facts.append(Fact(f"chance of {points(found.target)}", percent(found.chance)))
    return tuple(facts)


def _draw(found: ExamGiven, width: int, height: int, ink: Ink) -> list[Row]:
    stands = found.rise
    ends = [n for stand in stands for n in (stand.low, stand.high)]
    if found.target is not None:
        ends.append(found.target)
    low, high = min(ends), max(ends)
    room = max((high - low) * 0.08, 0.5)
    left = 7
    grid = Grid(width, height - 1)
    first = found.today.toordinal()
    across = (float(first), float(max(found.day.toordinal(), first + 1)))
    rows = max(height - 3, 1)
    plane = Plane(grid, ink, 0, rows, left, across, (max(low - room, 0.0), high + room))
    plane.scale(" p")
    _band(plane, stands)
    if found.target is not None:
        plane.level(found.target, "target")
    line = [(float(stand.day.toordinal()), stand.expected) for stand in stands]
    plane.path(line, "line")
    plane.ground(_days(found))
    items = [
        ("⠤⠤" if ink.braille else "**", "line", "expected"),
        (ink.band, "band", "4 of 5 exams"),
    ]
    if found.target is not None:
        items.append((ink.dash * 2, "target", f"target {points(found.target)} p"))
    return [*grid.rows(), legend(items, width)][:height]


def _band(plane: Plane, stands: Sequence[Stand]) -> None:
    """From low to high, column by column."""
    first, last = stands[0].day.toordinal(), max(stands[-1].day.toordinal(), 1)
    for column in range(plane.width):
        share = (column + 0.5) / plane.width
        at = share * (len(stands) - 1) if last > first else 0.0
        before, after = stands[int(at)], stands[min(int(at) + 1, len(stands) - 1)]
        part = at - int(at)
        low = before.low + (after.low - before.low) * part
        high = before.high + (after.high - before.high) * part
        _, bottom = plane.cell((plane.x[0], low))
        _, top = plane.cell((plane.x[0], high))
        for row in range(top, bottom + 1):
            plane.grid.put(plane.left + column, row, plane.ink.band, "band")


def _days(found: ExamGiven) -> list[tuple[float, str]]:
    """Today, the exam, and the months between."""
    marks = [
        (float(found.today.toordinal()), "today"),
        (float(found.day.toordinal()), f"exam {short_day(found.day)}"),
    ]
    step = max((found.day - found.today).days // 4, 7)
    for ahead in range(step, (found.day - found.today).days - step // 2, step):
        day = found.today.fromordinal(found.today.toordinal() + ahead)
        marks.append((float(day.toordinal()), short_day(day)))
    return marks
