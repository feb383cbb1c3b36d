"""Which link or heading a key goes to."""

from __future__ import annotations

from collections.abc import Sequence

from tui.page.model import Fold, Link, Source, Thing
from tui.page.sheet import Stop


def ahead(rows: Sequence[int], here: int | None, step: int, seen: range) -> list[int]:
    """The stops at `rows` in the order in which a key goes to them, round to where it began.

    It goes on from stop `here` (backwards: `step` is -1); where that is None, from the rows that
    are seen, with their first stop or their last.
    """
    count = len(rows)
    if here is not None:
        first = here + step
    elif step > 0:
        first = next((n for n, row in enumerate(rows) if row >= seen.start), 0)
    else:
        first = next((n for n in reversed(range(count)) if rows[n] < seen.stop), -1)
    return [(first + step * turn) % count for turn in range(count)]


def section(stops: Sequence[Stop], picked: Thing | None, y: int) -> Fold | None:
    """The picked heading, else the one that row `y` stands under, else the first."""
    folds = [(stop.thing, stop.row) for stop in stops if isinstance(stop.thing, Fold)]
    here = [thing for thing, _ in folds if thing is picked]
    above = [thing for thing, row in folds if row <= y]
    chosen = here or above[-1:] or [thing for thing, _ in folds[:1]]
    return chosen[0] if chosen else None


def told(thing: Thing | None) -> str | None:
    """Where a link goes, or what is wrong with a formula, in words."""
    if isinstance(thing, Source):
        return thing.note or None
    if not isinstance(thing, Link):
        return None
    if thing.kind == "missing":
        return f"no card is called {thing.target}"
    return f"the card {thing.target}" if thing.kind == "card" else thing.target
