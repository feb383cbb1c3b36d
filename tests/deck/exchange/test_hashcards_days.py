"""A card of hashcards is due here on the day on which it is due there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from deck.replay import Review
from tests.deck.exchange.taking import imported
from tests.deck.exchange.test_hashcards import database, read, written
from tests.deck.given import configure


@pytest.mark.parametrize("at", ["2026-11-20T01:30:00", "2026-11-20T09:00:00"])
@pytest.mark.parametrize("rollover", ["00:00", "04:00", "23:00"])
@pytest.mark.parametrize("due", ["2026-11-25", "2026-11-25T00:00:00"])
def test_a_card_is_due_on_its_day_whenever_it_was_answered(
    root: Path, tmp_path: Path, at: str, rollover: str, due: str
) -> None:
    """Their days end at midnight: an answer at night is one of the day before here."""
    theirs = written(tmp_path / "theirs", Two="Q: Two?\nA: Yes.\n")
    database(theirs, (read(theirs)[0][0].key, at, "good", due))
    configure(root, f'rollover = "{rollover}"\n')
    deck, _ = imported(theirs, root)
    (card,) = deck.cards
    state = deck.state(card)
    assert isinstance(state, Review)
    assert state.due_day == date(2026, 11, 25)


def test_where_the_due_day_cannot_be_read_the_interval_counts(root: Path) -> None:
    written(root, Two="Q: Two?\nA: Yes.\n")
    database(root, (read(root)[0][0].key, "2026-11-20T09:00:00", "good", "soon"))
    with closing(sqlite3.connect(root / "hashcards.db")) as base, base:
        base.execute("alter table reviews add column interval_days real")
        base.execute("update reviews set interval_days = 4.7")
    (card,), _ = read(root)
    (review,) = card.items[0].reviews
    assert (review.days, review.due) == (5, None)
