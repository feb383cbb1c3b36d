"""What will be known of an item's memory after planned reviews: a mixture, not one guess.

A planned review is recalled with the model's chance and forgotten with the rest, so that each
review splits every branch in two.  On the day of the exam the item is still recalled or not, with
the mean of the branches' chances: the mixture loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, log
from typing import NamedTuple

from cards.model import Card
from deck.config import Model
from deck.fsrs import Memory, Rating
from deck.replay import ItemState, New

#: More branches than these are put together, the least likely ones first.
_MOST = 8


@dataclass(frozen=True, slots=True)
class Stake:
    """An item of the course, and what it is worth."""

    item_id: str
    points: float
    state: ItemState

    @classmethod
    def of(cls, item_id: str, card: Card, state: ItemState) -> Stake:
        """A card's points are shared by its items; a card that names none is worth one point."""
        points = 1.0 if card.points is None else card.points
        return cls(item_id, points / max(len(card.items), 1), state)


class Branch(NamedTuple):
    chance: float
    memory: Memory


class Belief(NamedTuple):
    """All branches were last reviewed on the same day; none for an item that is still new."""

    branches: tuple[Branch, ...]
    day: date


def belief(state: ItemState, today: date) -> Belief:
    if isinstance(state, New):
        return Belief((), today)
    return Belief((Branch(1.0, state.memory),), state.day)


def recall(model: Model, known: Belief, day: date) -> float:
    """The chance of recall on a day; 0 for what was never learnt."""
    elapsed = (day - known.day).days
    return sum(b.chance * model.recall(b.memory, elapsed) for b in known.branches)


def reviewed(model: Model, known: Belief, day: date) -> Belief:
    """After a review on `day` (or the first lesson)."""
    if not known.branches:
        learnt = model.after(model.initial(Rating.GOOD), Rating.GOOD, 0)
        return Belief((Branch(1.0, learnt),), day)
    elapsed = (day - known.day).days
    branches = []
    for chance, memory in known.branches:
        right = model.recall(memory, elapsed)
        branches.append(Branch(chance * right, model.after(memory, Rating.GOOD, elapsed)))
        forgotten = model.after(memory, Rating.AGAIN, elapsed)
        learnt = model.after(forgotten, Rating.GOOD, 0)
        branches.append(Branch(chance * (1 - right), learnt))
    return Belief(_fewer([b for b in branches if b.chance > 0]), day)


def _fewer(branches: list[Branch]) -> tuple[Branch, ...]:
    """Neighbours in stability are put together where their chances are least."""
    branches.sort(key=lambda branch: branch.memory.stability)
    while len(branches) > _MOST:
        pairs = range(len(branches) - 1)
        least = min(pairs, key=lambda at: branches[at].chance + branches[at + 1].chance)
        branches[least : least + 2] = [_together(branches[least : least + 2])]
    return tuple(branches)


def _together(pair: Sequence[Branch]) -> Branch:
    """The mean in the logarithm of stability, in which recall is nearly straight."""
    chance = sum(branch.chance for branch in pair)
    stability = exp(sum(b.chance * log(b.memory.stability) for b in pair) / chance)
    difficulty = sum(b.chance * b.memory.difficulty for b in pair) / chance
    return Branch(chance, pair[0].memory._replace(stability=stability, difficulty=difficulty))
