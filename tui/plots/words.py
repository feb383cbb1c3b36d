"""Numbers in words, as the figures say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text import percent as percent

if TYPE_CHECKING:
    from deck.stats.tally import Share


def of_all(share: Share) -> str:
    """ "91 % of 412"; a dash of nothing."""
    return f"{percent(share.right / share.of)} of {share.of:,}" if share.of else "–"


def share_of(share: Share) -> str:
    return percent(share.right / share.of) if share.of else "–"


def span_of(number: float) -> str:
    """A span of days, short: "<1 d", "23 d", "4.2 mo", "1.5 y"."""
    if number < 0.95:
        return "<1 d"
    if number < 60.5:
        return f"{number:.1f} d" if number < 9.95 and number % 1 else f"{number:.0f} d"
    return f"{number / 30.44:.1f} mo" if number < 365 else f"{number / 365.25:.1f} y"


def edge(number: float) -> str:
    """The same for an axis, in as few signs as it can be: "3d", "2w", "6mo", "1y"."""
    whole = round(number)
    if whole == 0:
        return "<1d"
    if whole >= 365:
        return f"{whole / 365:.0f}y"
    if whole >= 30:
        return f"{whole / 30:.0f}mo"
    return f"{whole // 7}w" if whole % 7 == 0 else f"{whole}d"


def minutes(number: float) -> str:
    """ "12 min", "3.4 h", "120 h"."""
    if number < 1:
        return f"{number * 60:.0f} s"
    if number < 90:
        return f"{number:.0f} min"
    return f"{number / 60:.1f} h" if number < 6000 else f"{number / 60:,.0f} h"


def plural(number: int, one: str, many: str = "") -> str:
    """ "1 review", "1,204 reviews"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def points(number: float) -> str:
    """Exam points, without needless zeros: "38", "2.5"."""
    return f"{number:.1f}".removesuffix(".0")
