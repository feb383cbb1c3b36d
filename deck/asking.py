"""Questions about everything: searches and figures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

from deck.index.progress import Progress
from deck.parts import Parts

if TYPE_CHECKING:
    from deck.exam.belief import Stake
    from deck.index.arrange import By
    from deck.index.order import Chosen
    from deck.lately import Lately
    from deck.search.tree import Query
    from deck.stats.report import Statistics


def search(parts: Parts, text: str, now: datetime, by: By = "files") -> list[str]:
    """The items that a search means, in their files' order or another.  Raises SearchError."""
    from deck.index.arrange import arranged

    if by != "files":
        parts.glance()
        parts.history.flush()

    def found() -> list[str]:
        items = chosen(parts, text, now) if text.strip() else None
        return arranged(parts.store.db, parts.library.in_order(items), by)

    return parts.store.ask(found)


def chosen(parts: Parts, text: str, now: datetime) -> Chosen:
    """The same as the index names them, in no order."""
    from deck.index.find import find
    from deck.search.match import Moment
    from deck.searching import FoundItem, read_search
    from deck.searching import search as search_slowly

    query, at = read_search(text, parts.config.searches), Moment(now, parts.config)
    parts.glance()
    parts.history.flush()

    def slow(part: Query) -> list[str]:
        all_ = parts.library.items.values()
        found = (FoundItem(i.id, card, parts.history, parts.root, at.day) for i, card in all_)
        return search_slowly(part, found, at)

    return parts.store.ask(lambda: find(parts.store.db, parts.root, query, at, slow))


def statistics(parts: Parts, now: datetime, text: str, days: int, progress: Progress) -> Statistics:
    """All figures: of everything, or of the items that a search means.  Raises SearchError."""
    from deck.index.figures import figures

    ids = search(parts, text, now) if text.strip() else None
    parts.pick_up()
    parts.history.flush()
    config = parts.config
    return parts.store.ask(lambda: figures(parts.store, ids, now, config, days, progress))


def lately(parts: Parts, now: datetime) -> Lately:
    """Recall and pace of the last month, answers of the last year, what falls due in a week."""
    from deck.index.lately import lately as lately_of

    parts.pick_up()
    parts.history.flush()
    replay = parts.history.answers
    return parts.store.ask(lambda: lately_of(parts.store, now, parts.config, replay))


def added(parts: Parts, now: datetime, text: str) -> Mapping[date, int]:
    """Cards by the day they were added.  Raises SearchError."""
    from deck.index.added import added as added_of

    ids = search(parts, text, now) if text.strip() else None

    def found() -> Mapping[date, int]:
        parts.bring_up()
        return added_of(parts.store.db, parts.root, ids)

    return parts.store.ask(found)


def stakes(parts: Parts, course: str, answers: int) -> tuple[list[Stake], dict[str, float]]:
    """What an exam of the course is about, and the pace of its last answers."""
    from deck.index.stakes import pace
    from deck.index.stakes import stakes as stakes_of

    def found() -> tuple[list[Stake], dict[str, float]]:
        parts.bring_up()
        db = parts.store.db
        return list(stakes_of(db, course)), pace(db, course, answers)

    return parts.store.ask(found)
