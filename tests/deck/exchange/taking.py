"""An import as the command does it, for the tests of every format."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from deck.collection import Collection
from deck.exchange.plan import Plan, Summary, take
from deck.exchange.readers import reader_of

NOW = datetime(2026, 11, 21, 12, 0).astimezone()


def imported(source: Path, root: Path) -> tuple[Collection, Summary]:
    """The collection at `root` after an import of `source`, and what was done."""
    if not (root / ".deltadeck").exists():
        Collection.init(root)
    deck = Collection.open(root, now=NOW)
    summary = take(Plan(reader_of(source).load().read(source), deck, NOW))
    deck.reload(NOW)
    return deck, summary
