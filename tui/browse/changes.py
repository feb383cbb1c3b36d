"""What is done to the schedules of many items at once: put aside, taken up, new again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tui.browse.deeds import Deed, Outcome

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.events import What


def suspend(collection: Collection, items: Iterable[str], now: datetime) -> Deed:
    """Put aside what is not; where all are, take them up again."""
    from deck.events import Suspended

    chosen = tuple(items)
    waiting = tuple(item for item in chosen if not _is_aside(collection, item))

    def put(names: Sequence[str], then: datetime, aside: bool) -> Iterator[Outcome]:
        return _recorded(collection, dict.fromkeys(names, Suspended(aside)), then)

    if waiting:
        return Deed(
            waiting,
            *("putting aside", "put aside", "item"),
            lambda names: put(names, now, True),
            lambda names, then: put(names, then, False),
        )
    return Deed(
        chosen,
        *("taking up", "taken up again", "item"),
        lambda names: put(names, now, False),
        lambda names, then: put(names, then, True),
    )


def _is_aside(collection: Collection, item: str) -> bool:
    return collection.has_item(item) and collection.is_suspended(item)


def reset(collection: Collection, items: Iterable[str], now: datetime) -> Deed:
    """New again; the history stays."""
    from deck.events import Reset, Undone

    events: dict[str, str] = {}

    def remember(names: Sequence[str], then: datetime) -> Iterator[Outcome]:
        return _recorded(collection, {name: Undone(events[name]) for name in names}, then)

    return Deed(
        tuple(items),
        *("resetting", "new again", "item"),
        lambda names: _recorded(collection, dict.fromkeys(names, Reset()), now, events),
        remember,
    )


def _recorded(
    collection: Collection,
    wanted: Mapping[str, What],
    now: datetime,
    events: dict[str, str] | None = None,
) -> Iterator[Outcome]:
    """Records it of each item; `events` hears the ids."""
    there = {item: what for item, what in wanted.items() if collection.has_item(item)}
    for item in wanted.keys() - there.keys():
        yield Outcome(item, False, f"There is no item {item} any more.", is_over=True)
    done: set[str] = set()
    try:
        for event in collection.record_each(there.items(), now):
            if events is not None:
                events[event.item] = event.id
            done.add(event.item)
            yield Outcome(event.item)
    except (OSError, ValueError) as error:  # the disk refuses, or a card went away meanwhile
        for item in there:
            if item not in done:
                yield Outcome(item, False, str(error))
