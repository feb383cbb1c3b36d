"""Which link or heading a key goes to."""

from __future__ import annotations

from collections.abc import Sequence

from tui.page.model import Link, Thing
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


def told(link: Link) -> str:
    """Where a link goes, in words."""
    if link.kind == "missing":
        return f"no card is called {link.target}"
    return f"the card {link.target}" if link.kind == "card" else link.target
