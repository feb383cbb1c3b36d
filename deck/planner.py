"""What to study: the tree of decks, queues, sessions, and what an answer would lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from deck import scheduler
from deck.asking import chosen
from deck.days import study_day
from deck.decks import DeckCount, TodayCount, count_decks
from deck.event import Raised, Reviewed
from deck.fold import Answer
from deck.fsrs import Rating
from deck.index import select
from deck.index.decks import Deck, all_decks, inside, totals, whereabouts
from deck.limits import Done, done
from deck.parts import Parts
from deck.queue import Queue, build_queue, session_queue
from deck.session import Session
from deck.state import Schedule

_Result = TypeVar("_Result")


class Planner:
    """`Collection` says what each method promises."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def decks(self, now: datetime) -> list[DeckCount]:
        return self._asked(lambda: self._decks(now))

    def _decks(self, now: datetime) -> list[DeckCount]:
        db, config = self._parts.store.db, self._parts.config
        held = totals(db)
        found = [deck for deck in all_decks(db) if deck.number in held]
        paths = {deck.number: deck.path for deck in found}
        done = self._done(now)
        chosen = self._selected(now, found, done, each_deck=True)
        studied = [(paths[each.deck], each.candidate) for each in chosen]
        sizes = [(deck.path, held[deck.number]) for deck in found]
        return count_decks(studied, sizes, done, now, config, self._raised(now))

    def queue(self, now: datetime, deck: str | None) -> Queue:
        return self._asked(lambda: self._queue(now, deck))

    def _queue(self, now: datetime, deck: str | None) -> Queue:
        found = inside(all_decks(self._parts.store.db), deck)
        done, config = self._done(now), self._parts.config
        studied = [each.candidate for each in self._selected(now, found, done)]
        return build_queue(studied, done, now, config, self._raised(now))

    def session(self, session: Session, now: datetime) -> Queue:
        return self._asked(lambda: self._session(session, now))

    def _session(self, session: Session, now: datetime) -> Queue:
        """Of what its search means, all that is neither suspended nor buried."""
        config, db = self._parts.config, self._parts.store.db
        self._parts.history.flush()
        day, decks = study_day(now, config.rollover), inside(all_decks(db), session.deck)
        items = None
        if session.search.strip():
            items = chosen(self._parts, session.search, now).items(db)
        found = [each.candidate for each in select.everything(db, decks, day, items)]
        return session_queue(found, self._done(now), now, config, session, self._raised(now))

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        config = self._parts.config.of_course(self._parts.library.brief(item_id).course)
        state, load = self._parts.history.state(item_id), self._parts.history.load
        return scheduler.preview(state, now, item_id, config, load)

    def today(self, now: datetime) -> TodayCount:
        self._parts.pick_up()
        answers = self._answers(now)
        reviews = [a.event.what for a in answers if isinstance(a.event.what, Reviewed)]
        return TodayCount(len(answers), sum(r.milliseconds for r in reviews) / 60_000)

    # Inside.

    def _asked(self, work: Callable[[], _Result]) -> _Result:
        self._parts.pick_up()
        return self._parts.store.ask(work)

    def _selected(
        self, now: datetime, found: list[Deck], done: list[Done], each_deck: bool = False
    ) -> list[select.Selected]:
        """Those that a queue of these decks (or of each) needs."""
        self._parts.history.flush()
        config, db = self._parts.config, self._parts.store.db
        day, raised = study_day(now, config.rollover), self._raised(now)
        return select.select(db, found, day, config, done, raised, each_deck)

    def _answers(self, now: datetime) -> list[Answer]:
        """Of the study day."""
        return self._parts.history.answers_on(study_day(now, self._parts.config.rollover))

    def _done(self, now: datetime) -> list[Done]:
        return [self._done_of(answer) for answer in self._answers(now)]

    def _done_of(self, answer: Answer) -> Done:
        where = whereabouts(self._parts.store.db, answer.event.item)
        found = done(answer, None)
        return replace(found, card_id=where[0], course=where[1]) if where else found

    def _raised(self, now: datetime) -> list[Raised]:
        return self._parts.history.raised_on(study_day(now, self._parts.config.rollover))
