"""True retention: of the reviews of a week, how many were recalled, beside what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from deck.stats.tally import Share
from tui.plots import days
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import Given
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.plane import Plane
from tui.plots.rows import Row
from tui.plots.words import of_all, percent, share_of

NOTE = (
    "A review counts as recalled unless it was rated Again; learning steps do not count. A memory "
    "is mature from 21 days of stability on. A line well above what you ask for means that you "
    "study more than you wanted to; one below it, that intervals are too long for you."
)
_LEFT = 6
#: Samples of the two lines.
_SOLID, _DASHED = "⠤●⠤", "⠄○⠄"
#: No bin is narrower: a line needs room to be followed.
_NARROWEST = 2


def retention(given: Given) -> Figure:
    """Recalled reviews of all reviews, of the span as a whole and bin by bin."""
    young = _sum([day.young for day in given.stats.days])
    mature = _sum([day.mature for day in given.stats.days])
    whole = _sum([young, mature])
    title = "True retention"
    if not whole.of:
        what = "the share of reviews that you recalled will stand here, week by week."
        return Figure(title, given.nothing(what), note=NOTE)
    asked = percent(given.asked)
    said = f"You recalled {of_all(whole)} {'review' if whole.of == 1 else 'reviews'} "
    said += f"{given.last_span}; you asked for {asked}."
    spans = [
        (each.name, share_of(each.young), share_of(each.mature), of_all(each.all))
        for each in given.stats.retention
        if each.all.of
    ]
    return Figure(
        title,
        said,
        share_of(whole),
        lambda width, height, ink: _draw(given, width, height, ink),
        most=19,
        facts=(Fact("young", of_all(young)), Fact("mature", of_all(mature))),
        table=(("", "young", "mature", "all"), *spans),
        note=NOTE,
    )


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(share.right for share in shares), sum(share.of for share in shares))


def _binned(given: Given, kind: str, found: Sequence[days.Bin]) -> list[Share]:
    """Of each bin, the reviews of young or mature memories."""
    shares = {day.day: day.young if kind == "young" else day.mature for day in given.stats.days}
    right = days.summed(found, {day: share.right for day, share in shares.items()})
    of = days.summed(found, {day: share.of for day, share in shares.items()})
    return [Share(round(a), round(b)) for a, b in zip(right, of, strict=True)]


def _bins(given: Given, width: int) -> list[days.Bin]:
    """Weeks, or more where so many do not fit: single days say little."""
    span = (given.today - given.first).days + 1
    most = max((width - _LEFT) // _NARROWEST, 1)
    return days.bins(given.first, given.today, min(most, max(-(-span // 7), 1)))


def _draw(given: Given, width: int, height: int, ink: Ink) -> list[Row]:
    found = _bins(given, width)
    series = {kind: _binned(given, kind, found) for kind in ("young", "mature")}
    lines = {
        kind: [(n + 0.5, s.right / s.of) for n, s in enumerate(shares) if s.of]
        for kind, shares in series.items()
    }
    seen = [y for points in lines.values() for _, y in points]
    low = min(*seen, given.asked, 0.8) - 0.05
    rows = max(height - 3, 1)
    grid = Grid(width, height - 1)
    across = (0.0, float(max(len(found), 1)))
    plane = Plane(grid, ink, 0, rows, _LEFT, across, (max(100 * low, 0) // 10 * 10, 100.0))
    plane.scale(" %")
    plane.level(100 * given.asked, "asked")
    for kind, points in lines.items():
        shown = [(x, 100 * y) for x, y in points]
        plane.path(shown, kind, dash=kind == "young", sign="o" if kind == "young" else "*")
        for x, y in shown if len(shown) * 3 <= plane.width else ():
            grid.put(*plane.cell((x, y)), ink.hollow if kind == "young" else ink.points[2], kind)
    marks = [(n + 0.5, words) for n, words in days.labels(found)]
    if len(found) <= 14 and not marks[1:]:
        marks = [(n + 0.5, days.short_day(each.first)) for n, each in enumerate(found)]
    plane.ground(marks)
    each = days.size_name(found)
    words = [
        (_SOLID if ink.braille else "***", "mature", f"mature, per {each}"),
        (_DASHED if ink.braille else "o o", "young", "young"),
        (ink.dash * 2, "asked", f"asked for {percent(given.asked)}"),
    ]
    return [*grid.rows(), legend(words, width)][:height]
