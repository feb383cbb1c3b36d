"""What is done to the schedules of many items at once: put aside, taken up, new again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tui.browse.deeds import Deed, Outcome

if TYPE_CHECKING:
    from deck import Collection
    from deck.event import Event


def suspend(collection: Collection, items: Iterable[str], now: datetime) -> Deed:
    """Put aside what is not; where all are, take them up again."""
    chosen = tuple(items)
    waiting = tuple(item for item in chosen if not _is_aside(collection, item))

    def put(names: Sequence[str], then: datetime, aside: bool) -> Iterator[Outcome]:
        return _each(names, lambda name: collection.suspend(name, then, on=aside))

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
    from deck.event import Reset, Undone

    events: dict[str, str] = {}

    def forget(name: str) -> None:
        events[name] = collection.record(name, Reset(), now).id

    def remember(name: str, then: datetime) -> None:
        collection.record(name, Undone(events[name]), then)

    return Deed(
        tuple(items),
        *("resetting", "new again", "item"),
        lambda names: _each(names, forget),
        lambda names, then: _each(names, lambda name: remember(name, then)),
    )


def _each(names: Sequence[str], act: Callable[[str], Event | None]) -> Iterator[Outcome]:
    from deck import CollectionError

    for name in names:
        try:
            act(name)
        except CollectionError as error:
            yield Outcome(name, False, str(error), is_over=True)
        except OSError as error:
            yield Outcome(name, False, str(error))
        else:
            yield Outcome(name)
