"""What came of a sitting, for its last page: what was learned, what to watch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tui.text import counted, one_line, percent

if TYPE_CHECKING:
    from deck.replay import ItemState

Stage = Literal["new", "learning", "review"]

AGAIN = 1
CORRECT = "correct"
#: So many ids are named; of more, how many there are.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of this sitting."""

    item_id: str
    rating: int
    """1..4."""
    before: Stage
    after: Stage
    seconds: float
    lapses: int = 0
    """How often it was forgotten in review, this time included."""
    leech: bool = False
    """Whether this answer made it a leech, or should remind of it."""
    practice: bool = False
    """Whether the schedule stayed as it was."""
    verdict: str = ""
    """Of a derivation that was checked before the answer."""


Row = tuple[str, str]
"""What it is about, and what is said."""


def summary(given: Sequence[Given], asked_for: float) -> list[Row]:
    """A row for each thing worth saying; `asked_for` is the desired retention, 0..1."""
    return [*came_of(given, asked_for), *to_watch(given)]


def came_of(given: Sequence[Given], asked_for: float) -> Iterator[Row]:
    """What was done and learned."""
    if not given:
        return
    cards = len({each.item_id for each in given})
    minutes = sum(each.seconds for each in given) / 60
    took = f" in {minutes:.0f} min" if minutes >= 1 else ""
    yield "Answered", f"{counted(cards, 'card')}{took}"
    yield from _learned(given)
    yield from _recalled(given, asked_for)
    yield from _derived(given)


def to_watch(given: Sequence[Given]) -> Iterator[Row]:
    """What was not known, what is forgotten again and again, and what was not derived."""
    yield from _watched(given)
    last = {each.item_id: each.verdict for each in given if each.verdict}
    open_ = [
        f"{one_line(item)} ({verdict.replace('-', ' ')})"
        for item, verdict in last.items()
        if verdict != CORRECT
    ]
    if open_:
        yield "To derive", _some(open_)


def _learned(given: Sequence[Given]) -> Iterator[Row]:
    first = {each.item_id: each for each in reversed(given)}
    last = {each.item_id: each for each in given}
    counts = [item for item, each in first.items() if not each.practice]
    taken = [item for item in counts if first[item].before != "review"]
    learned = sum(last[item].after == "review" for item in taken)
    begun = sum(first[item].before == "new" and last[item].after != "review" for item in taken)
    parts = [f"{counted(learned, 'card')} learned"] if learned else []
    parts += [f"{begun} more begun" if learned else f"{counted(begun, 'card')} begun"] * bool(begun)
    if parts:
        yield "New", ", ".join(parts)


def _recalled(given: Sequence[Given], asked_for: float) -> Iterator[Row]:
    """The first answer to each review: what a later one says, was just read."""
    first = {each.item_id: each for each in reversed(given)}
    reviews = [each for each in first.values() if each.before == "review"]
    if reviews:
        known = sum(each.rating > AGAIN for each in reviews)
        share, wanted = percent(known / len(reviews)), percent(asked_for)
        yield "Recalled", f"{known} of {len(reviews)}, {share} (asked for {wanted})"


def _derived(given: Sequence[Given]) -> Iterator[Row]:
    verdicts = [each.verdict for each in given if each.verdict]
    if verdicts:
        correct = sum(verdict == CORRECT for verdict in verdicts)
        yield "Derived", f"{correct} of {counted(len(verdicts), 'derivation')} correct"


def _watched(given: Sequence[Given]) -> Iterator[Row]:
    again = Counter(each.item_id for each in given if each.rating == AGAIN)
    if again:
        said = [
            f"{one_line(item)}{f' ({count}×)' if count > 1 else ''}"
            for item, count in again.most_common()
        ]
        yield "To watch", _some(said)
    leeches = {each.item_id: each.lapses for each in given if each.leech}
    for item, lapses in list(leeches.items())[:_NAMED]:
        often = counted(lapses, "time")
        yield "Leech", f"{one_line(item)}, forgotten {often}: rewrite it, or set it aside"


def _some(said: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    more = len(said) - _NAMED
    return ", ".join(said[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def given_of(
    item_id: str, rating: int, states: tuple[ItemState, ItemState], seconds: float, leech: bool
) -> Given:
    """An answer that led from the first of the two states to the second."""
    before, after = states
    lapses = lapses_of(after)
    return Given(item_id, rating, stage_of(before), stage_of(after), seconds, lapses, leech)


def verdict_in(check: Mapping[str, Any] | None) -> str:
    """What a check said; empty where there was none."""
    return str(check.get("verdict", "")) if check else ""


def stage_of(state: ItemState) -> Stage:
    from deck.replay import Learning, New

    if isinstance(state, New):
        return "new"
    return "learning" if isinstance(state, Learning) else "review"


def lapses_of(state: ItemState) -> int:
    """How often the item was forgotten in review."""
    from deck.replay import New

    return 0 if isinstance(state, New) else state.lapses
