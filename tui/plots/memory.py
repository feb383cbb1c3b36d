"""Where the memories stand today: stability, difficulty, chance of recall, intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deck.stats.tally import MATURE
from tui.plots import bars
from tui.plots.bars import Bar, Bars
from tui.plots.figure import Fact, Figure, legend
from tui.plots.given import Given
from tui.plots.ink import Ink
from tui.plots.rows import Row
from tui.plots.scale import short
from tui.plots.words import edge, percent, plural, span_of

if TYPE_CHECKING:
    from deck.stats.memory import Histogram

STABILITY = (
    "Stability is the number of days after which the chance of recall has fallen to 90 %. It grows "
    "with each review that you recall; from 21 days on a memory counts as mature."
)
DIFFICULTY = (
    "Difficulty runs from 1 to 10: the higher, the less a review adds to the stability. Again and "
    "Hard raise it, Easy lowers it. Many at 10 are worth splitting or rewriting."
)
RECALL = (
    "The chance that each item would be recalled if it were asked today. What lies below your "
    "desired retention is due."
)
INTERVALS = "The days between the last review of an item and its next; fuzz spreads them a little."

#: (sign, role, words) of a legend, once the ink is known.
_Key = Callable[[Ink], list[tuple[str, str, str]]]


def stability(given: Given) -> Figure:
    """Items that were learnt, by the stability of their memory in days."""
    found = given.stats.memories.stability
    if found.median is None:
        return _empty(given, "Stability", "how long your memories last", STABILITY)
    learnt, standing = sum(found.counts), given.stats.standing
    said = (
        f"Half of your {plural(learnt, 'memory', 'memories')} last {span_of(found.median)} or more"
    )
    said += f"; {standing.mature:,} {'is' if standing.mature == 1 else 'are'} mature."
    facts = (
        Fact("mean", span_of(found.mean or 0)),
        Fact("mature", percent(standing.mature / learnt)),
        Fact("young", f"{standing.young:,}"),
        Fact("learning", f"{standing.learning + standing.relearning:,}"),
    )
    roles = ["mature" if low >= MATURE else "young" for low in found.edges]
    drawn = Bars(_shown(found, roles), _ends(found, edge))
    figure = _figure("Stability", said, span_of(found.median), drawn, _young_or_mature)
    return _with(figure, facts, STABILITY)


def intervals(given: Given) -> Figure:
    """Items in review, by their interval in days."""
    found = given.stats.memories.intervals
    if found.median is None:
        return _empty(given, "Intervals", "the days between two reviews", INTERVALS)
    said = f"Half of your {plural(sum(found.counts), 'review item')} come back within "
    said += f"{span_of(found.median)}; the mean interval is {span_of(found.mean or 0)}."
    roles = ["bar"] * len(found.edges)
    drawn = Bars(_shown(found, roles), _ends(found, edge))
    long = sum(n for low, n in zip(found.edges, found.counts, strict=True) if low >= 90)
    facts = (Fact("3 months or more", f"{long:,}"),)
    figure = _figure("Intervals", said, span_of(found.median), drawn, _items)
    return _with(figure, facts, INTERVALS)


def difficulty(given: Given) -> Figure:
    """Items that were learnt, by the difficulty of their memory."""
    found = given.stats.memories.difficulty
    if found.median is None:
        return _empty(given, "Difficulty", "how hard your memories are to keep", DIFFICULTY)
    hard = sum(found.counts[7:])
    learnt = sum(found.counts)
    said = f"The median difficulty is {found.median:.1f} of 10; {hard:,} of "
    said += f"{plural(learnt, 'item')} {'is' if hard == 1 else 'are'} hard (8 or more)."
    roles = ["again" if low >= 8 else "bar" for low in found.edges]
    drawn = Bars(_shown(found, roles), _ends(found, lambda low: f"{low:.0f}"))
    facts = (Fact("mean", f"{found.mean or 0:.1f}"), Fact("hard", percent(hard / learnt)))
    figure = _figure("Difficulty", said, f"{found.median:.1f}", drawn, _items)
    return _with(figure, facts, DIFFICULTY)


def retrievability(given: Given) -> Figure:
    """Items that were learnt, by the chance that they would be recalled today."""
    memories = given.stats.memories
    found = memories.retrievability
    if found.mean is None or found.median is None:
        return _empty(given, "Recall now", "what you would recall today", RECALL)
    learnt, asked = sum(found.counts), given.asked
    said = f"You would recall about {memories.remembered:,.0f} of {plural(learnt, 'item')} now, "
    said += f"{percent(found.mean)}; you asked for {percent(asked)} when they fall due."
    begins = [*found.edges[1:], 1.0]
    roles = ["good" if end > asked + 1e-9 else "hard" for end in begins]
    # The even tenths first, the others where there is room.
    tens = [(n, f"{100 * low:.0f}") for n, low in enumerate(found.edges) if not n % 2]
    marks = [*tens[::2], *tens[1::2]]
    below = sum(n for n, end in zip(found.counts, begins, strict=True) if end <= asked + 1e-9)
    facts = (Fact("median", percent(found.median)), Fact("certainly below", f"{below:,}"))

    def key(ink: Ink) -> list[tuple[str, str, str]]:
        sign = ink.rises[-1]
        return [
            (sign, "hard", f"below {percent(asked)}"),
            (sign, "good", f"{percent(asked)} or more"),
        ]

    figure = _figure(
        "Recall now", said, percent(found.mean), Bars(_shown(found, roles), marks), key
    )
    return _with(figure, facts, RECALL)


def _shown(found: Histogram, roles: Sequence[str]) -> list[Bar]:
    return [Bar(count, role) for count, role in zip(found.counts, roles, strict=True)]


def _ends(found: Histogram, name: Callable[[float], str]) -> list[tuple[int, str]]:
    """Where each class begins."""
    return [(number, name(low)) for number, low in enumerate(found.edges)]


def _young_or_mature(ink: Ink) -> list[tuple[str, str, str]]:
    sign = ink.rises[-1]
    return [(sign, "young", "young"), (sign, "mature", "mature, from 21 d on")]


def _items(_ink: Ink) -> list[tuple[str, str, str]]:
    return []


def _numbered(drawn: Bars, width: int) -> Bars:
    """With the numbers on the bars, where all of them fit there."""
    step = bars.pitch(len(drawn.bars), width)
    fitting = all(len(short(bar.whole)) <= step for bar in drawn.bars if bar.whole)
    return Bars(drawn.bars, drawn.labels, numbers=fitting and step > 2)


def _figure(title: str, said: str, key: str, drawn: Bars, words: _Key) -> Figure:
    def draw(width: int, height: int, ink: Ink) -> list[Row]:
        items = words(ink)
        rows = bars.draw_bars(_numbered(drawn, width), width, height - bool(items), ink)
        return [*rows, legend(items, width)][:height] if items else rows

    return Figure(
        title,
        said,
        key,
        draw,
        lambda width: bars.bars_width(_numbered(drawn, width), width),
        most=20,
    )


def _with(figure: Figure, facts: tuple[Fact, ...], note: str) -> Figure:
    return replace(figure, facts=facts, note=note)


def _empty(given: Given, title: str, what: str, note: str) -> Figure:
    said = f"Nothing is learnt yet: {what} will stand here. {given.ways.study}".rstrip()
    return Figure(title, said, note=note)
