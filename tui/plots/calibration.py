"""Whether the model is right: the recall that it predicted, and what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.plots.canvas import Canvas, dotted
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import Given
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.plane import Plane, round_between
from tui.plots.rows import Row, fitted
from tui.plots.words import percent, plural

if TYPE_CHECKING:
    from deck.stats.calibration import Calibration

NOTE = (
    "Reviews are put together by the recall that was predicted; a point on the dotted diagonal was "
    "predicted exactly, one above it was recalled more often. Log loss is the mean surprise (0 is "
    "perfect, 0.69 a coin); RMSE is how far the points lie from the diagonal. `deltadeck optimize` "
    "fits the model to your answers."
)
_LEFT = 6
#: Wider, a square would be no square.
_WIDEST = 56
#: Answers from which a point is drawn larger.
_SOME, _MANY = 20, 100


def calibration(given: Given) -> Figure:
    """Predicted against actual recall, by classes of prediction (after at least a day)."""
    found = given.stats.calibration
    title = "Calibration"
    if found.log_loss is None or found.predicted is None or found.actual is None:
        what = "predicted beside actual recall will stand here, once items were reviewed."
        return Figure(title, given.nothing(what), note=NOTE)
    off = found.actual - found.predicted
    said = f"The model predicted {percent(found.predicted, 1)} and you recalled "
    said += f"{percent(found.actual, 1)} of {plural(found.answers, 'review')}: "
    said += _judged(off, found.answers)
    error = found.error or 0.0
    facts = (
        Fact("log loss", f"{found.log_loss:.3f}"),
        Fact("RMSE", percent(error, 1)),
        Fact("reviews", f"{found.answers:,}"),
    )
    rows = [
        (percent(c.predicted, 1), percent(c.actual, 1), f"{c.answers:,}") for c in found.classes
    ]
    return Figure(
        title,
        f"{said} Log loss {found.log_loss:.3f}, RMSE {percent(error, 1)}.",
        percent(error, 1),
        lambda width, height, ink: _draw(found, width, height, ink),
        lambda width: min(width, _WIDEST),
        least=8,
        most=20,
        facts=facts,
        table=(("predicted", "recalled", "reviews"), *rows),
        note=NOTE,
    )


def _judged(off: float, answers: int) -> str:
    """What the difference means, as far as so few answers can tell."""
    noise = 1.3 * (0.09 / max(answers, 1)) ** 0.5
    if abs(off) <= max(noise, 0.005):
        return "as good as it can be told from so few." if answers < 400 else "it knows you well."
    return "you remember more than it thinks." if off > 0 else "you remember less than it thinks."


def _draw(found: Calibration, width: int, height: int, ink: Ink) -> list[Row]:
    seen = [x for c in found.classes for x in (c.predicted, c.actual)]
    low = max(min(seen, default=0.5) * 100 // 10 * 10, 0.0)
    low = min(low, 80.0)
    grid = Grid(min(width, _WIDEST), height - 1)
    plane = Plane(grid, ink, 0, max(height - 3, 1), _LEFT, (low, 100.0), (low, 100.0))
    plane.scale(" %")
    canvas = Canvas(plane.width, plane.rows, ink)
    canvas.line((0, 0), (1, 1), "asked", dotted, ".")
    canvas.put_on(grid, plane.left, plane.top)
    for each in sorted(found.classes, key=lambda c: c.answers):
        size = (each.answers >= _SOME) + (each.answers >= _MANY)
        at = plane.cell((100 * each.predicted, 100 * each.actual))
        grid.put(*at, _sizes(ink)[size], "point" if size else "dim")
    marks = [(value, f"{value:.0f} %") for value in round_between(low, 100.0, grid.width // 12)]
    plane.ground(marks)
    items = [
        (ink.points[2], "point", f"of {_MANY} reviews or more"),
        (ink.points[1], "point", f"{_SOME} or more"),
        (ink.hollow, "dim", "fewer"),
    ]
    return [*(fitted(row, width) for row in grid.rows()), legend(items, width)][:height]


def _sizes(ink: Ink) -> str:
    """The points of few, some and many reviews."""
    return ink.hollow + ink.points[1:]
