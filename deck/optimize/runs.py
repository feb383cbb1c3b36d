"""The answers as the optimiser takes them, and how well parameters explain them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from deck.config import Model
from deck.replay import Answer, New
from deck.stats.tally import surprise

if TYPE_CHECKING:
    from deck.collection import Collection

#: One item from its first answer on (or from a reset): (rating, study days since the one before,
#: study day as an ordinal).
Run = list[tuple[int, int, int]]


def runs_of(items: Iterable[Sequence[Answer]]) -> list[Run]:
    """The runs of items, each with its answers in order.

    Answers behind a `Moved` that put an item without an answer into review are left out: they do
    not begin with a first answer.
    """
    runs: list[Run] = []
    for answers in items:
        run: Run | None = None
        for answer in answers:
            before, day, rating = answer.before, answer.event.day, answer.event.rating
            assert rating is not None
            if isinstance(before, New):
                run = []
                runs.append(run)
            elif before.repetitions == 0:
                run = None
            if run is not None:
                gap = 0 if isinstance(before, New) else max((day - before.day).days, 0)
                run.append((int(rating), gap, day.toordinal()))
    return runs


def usable(runs: Iterable[Run]) -> int:
    """Answers at least a day after the one before: those that say whether it was remembered."""
    return sum(gap > 0 for run in runs for _, gap, _ in run)


def log_loss(runs: Iterable[Run], model: Model, since: int = 0) -> float | None:
    """Mean of -log of the chance that the model gave to what happened; None of nothing.

    Over the usable answers from the study day `since` (an ordinal) on.
    """
    total, count = 0.0, 0
    for run in runs:
        memory = model.initial(run[0][0])
        for rating, gap, day in run[1:]:
            if gap > 0 and day >= since:
                total += surprise(model.recall(memory, gap), rating > 1)
                count += 1
            memory = model.after(memory, rating, gap)
    return total / count if count else None


def runs_of_collection(collection: Collection, now: datetime) -> list[Run]:
    """Every item's answers, deleted cards' included: they say as much about a memory."""
    ids = [*collection.search("", now), *(each.item_id for each in collection.deleted())]
    return runs_of(collection.answers(item) for item in ids)
