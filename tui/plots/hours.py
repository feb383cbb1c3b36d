"""Reviews by the hour of the day: how many, and how many of them were recalled."""

from __future__ import annotations

from deck.stats.tally import Share
from tui.plots import bars
from tui.plots.bars import Bar, Bars
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import Given
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.plane import Plane
from tui.plots.rows import Row, fitted
from tui.plots.words import of_all, percent, plural, share_of

NOTE = (
    "Hours of the clock you were looking at; learning steps do not count. An hour with few reviews "
    "says little: a filled point stands for 20 or more."
)
#: Reviews from which an hour says something.
_ENOUGH = 20
_LEFT = 6
_MARKS = [(hour, f"{hour}") for hour in (0, 6, 12, 18, 3, 9, 15, 21)]


def hours(given: Given) -> Figure:
    """Reviews proper by hour, 0 to 23, and the share of them that was recalled."""
    shares = given.stats.hours
    total = sum(share.of for share in shares)
    title = "Hours"
    if not total:
        what = "the hours at which you review, and recall best, will stand here."
        return Figure(title, given.nothing(what), note=NOTE)
    busy = max(range(len(shares)), key=lambda hour: shares[hour].of)
    said = f"You review most from {_hour(busy)}: {percent(shares[busy].of / total)} of "
    said += f"{plural(total, 'review')}"
    known = [hour for hour, share in enumerate(shares) if share.of >= _ENOUGH]
    facts = [Fact(_hour(busy), of_all(shares[busy]))]
    if len(known) > 1:
        best, worst = (
            max(known, key=lambda h: _recall(shares[h])),
            min(known, key=lambda h: _recall(shares[h])),
        )
        said += f"; you recall best from {_hour(best)}, {share_of(shares[best])}"
        facts += [Fact("best", f"{_hour(best)}, {of_all(shares[best])}")]
        facts += [Fact("least", f"{_hour(worst)}, {of_all(shares[worst])}")]
    return Figure(
        title,
        f"{said}.",
        _hour(busy),
        lambda width, height, ink: _draw(given, width, height, ink),
        _natural,
        least=9,
        most=26,
        facts=tuple(facts),
        note=NOTE,
    )


def _natural(width: int) -> int:
    return min(width, _LEFT + 24 * bars.pitch(24, width - _LEFT))


def _hour(hour: int) -> str:
    return f"{hour}:00"


def _recall(share: Share) -> float:
    return share.right / share.of if share.of else 0.0


def _draw(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    """Recall above, the number of reviews below, on one axis."""
    shares = given.stats.hours
    step = bars.pitch(len(shares), width - _LEFT)
    high = max((height - 3) // 2, 2)
    upper = Grid(_natural(width), high)
    seen = [_recall(share) for share in shares if share.of]
    low = max((min(*seen, given.asked) - 0.05) * 100 // 10 * 10, 0.0)
    across = (0.0, float(len(shares)))
    plane = Plane(upper, ink, 0, high, _LEFT, across, (low, 100.0))
    plane.scale(" %")
    plane.level(100 * given.asked, "asked")
    for hour, share in enumerate(shares):
        if share.of:
            _, row = plane.cell((0.0, 100 * _recall(share)))
            x = _LEFT + hour * step + max(step - 2, 0) // 2
            few = share.of < _ENOUGH
            upper.put(x, row, ink.hollow if few else ink.points[2], "dim" if few else "good")
    top = [
        (ink.points[2], "good", "recalled"),
        (ink.hollow, "dim", f"of fewer than {_ENOUGH}"),
        (ink.dash * 2, "asked", f"asked for {percent(given.asked)}"),
    ]
    lower = _lower(given, width, height - high - 2, ink)
    key = legend([(ink.rises[-1], "bar", "reviews, by the hour of the day")], width)
    points = (fitted(row, width) for row in upper.rows())
    return [legend(top, width), *points, key, *lower][:height]


def _lower(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    """Bars that stand under the points: their scale is as wide as that of the points."""
    drawn = Bars([Bar(share.of) for share in given.stats.hours], _MARKS, left=_LEFT)
    return bars.draw_bars(drawn, width, height, ink)
