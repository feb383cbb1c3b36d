"""Which link or heading a key goes to."""

from __future__ import annotations

from collections.abc import Sequence

from tui.page.model import Fold, Link, Source, Thing
from tui.page.sheet import Stop


def next_stop(
    stops: Sequence[Stop], picked: Thing | None, step: int, links: bool = False
) -> Stop | None:
    """The stop after `picked` (before it: `step` is -1), of links alone if asked.

    From nowhere it is the first (the last); None where there is none left.
    """
    here = next((n for n, stop in enumerate(stops) if stop.thing is picked), None)
    ahead = stops if here is None else stops[here + 1 :] if step > 0 else stops[:here]
    found = [stop for stop in ahead if not links or isinstance(stop.thing, Link)]
    return found[0 if step > 0 else -1] if found else None


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
