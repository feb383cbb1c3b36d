"""In which order the queue asks: reviews, new items, and how the two are mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING

from deck.config import Config
from deck.orders import NewMix
from deck.scheduler import recall
from deck.state import New, Review

if TYPE_CHECKING:
    from deck.queue import Candidate

#: A card that names no difficulty stands in the middle of 1..5.
_MIDDLE = 3


def ordered_reviews(found: Iterable[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.review_order`; what it leaves open is decided by recall, lowest first."""

    def likely(candidate: Candidate) -> float:
        return recall(candidate.state, day, config)

    reviews = sorted(found, key=likely)
    if config.review_order != "retrievability":
        reviews.sort(key=_review_key(config.review_order, day))
    return spread(_by_course(reviews)) if config.interleave else reviews


def _review_key(order: str, day: date) -> Callable[[Candidate], float]:
    def key(candidate: Candidate) -> float:
        state = candidate.state
        match order:
            case "points":
                return -(candidate.points or 0.0)
            case "random":
                return chance(candidate.item_id, day)
        if isinstance(state, New):
            return 0.0
        if order == "difficulty":
            return -state.memory.difficulty
        if not isinstance(state, Review):
            return 0.0
        return state.interval if order == "interval" else state.due_day.toordinal()

    return key


def ordered_new(found: Sequence[Candidate], day: date, config: Config) -> list[Candidate]:
    """By `config.new_order`; `found` is in the order of the files."""
    if config.new_order == "path":
        return list(found)
    if config.new_order == "random":
        return sorted(found, key=lambda candidate: chance(candidate.item_id, day))
    courses = [sorted(course, key=_difficulty) for course in _by_course(found)]
    return [c for turn in zip_longest(*courses) for c in turn if c is not None]


def mixed(reviews: list[Candidate], new: list[Candidate], how: NewMix) -> list[Candidate]:
    """Both in their order."""
    if how == "mix":
        return spread([reviews, new])
    return new + reviews if how == "before" else reviews + new


def spread(lists: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Each in its order, the shorter ones spread evenly over the longest."""
    places = [((i + 1) / (len(found) + 1), c) for found in lists for i, c in enumerate(found)]
    return [candidate for _, candidate in sorted(places, key=lambda place: place[0])]


def chance(item_id: str, day: date) -> float:
    """0 <= x < 1, the same for an item all day."""
    seed = f"{day}\0{item_id}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(seed, digest_size=8).digest()) / 2**64


def _by_course(found: Iterable[Candidate]) -> list[list[Candidate]]:
    courses: dict[str, list[Candidate]] = {}
    for candidate in found:
        courses.setdefault(candidate.course, []).append(candidate)
    return list(courses.values())


def _difficulty(candidate: Candidate) -> int:
    return candidate.difficulty or _MIDDLE
