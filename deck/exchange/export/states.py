"""What an answer met, and what it left: the fold of the journal, row by row."""

from __future__ import annotations

from typing import Any

from deck.config import Config
from deck.event import Event, Reviewed
from deck.exchange.export.facts import state_name
from deck.fold import take
from deck.models import model_of
from deck.state import ItemState, New, Review
from deck.track import Track

STATE_COLUMNS = (
    *("state_before", "stability_before", "difficulty_before", "elapsed_days", "retrievability"),
    *("state_after", "stability_after", "difficulty_after", "interval_after", "due_day_after"),
)


class States:
    """Follows every item; events come in the order of their ids."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._model = model_of(config)
        self._tracks: dict[str, Track] = {}

    def row(self, event: Event, undone: bool) -> dict[str, Any]:
        """The columns of an event; empty ones where it is no answer, or was taken back."""
        row: dict[str, Any] = dict.fromkeys(STATE_COLUMNS)
        if undone:
            return row
        for item in event.items:
            track = self._tracks.get(item)
            if track is None:
                track = self._tracks[item] = Track(item, self._config)
            what = event.what
            if not isinstance(what, Reviewed):
                take(track, event)
                continue
            before = track.state()
            elapsed = None if isinstance(before, New) else track.elapsed(event.day)
            track.answer(what.rating, event.at, event.day, what.promise)
            row |= self._around(before, track.state(), elapsed)
        return row

    def _around(self, before: ItemState, after: ItemState, elapsed: int | None) -> dict[str, Any]:
        row = {**_described(before, "before"), **_described(after, "after")}
        row["elapsed_days"] = elapsed
        if not isinstance(before, New) and elapsed is not None:
            row["retrievability"] = self._model.recall(before.memory, elapsed)
        if isinstance(after, Review):
            row |= {"interval_after": after.interval, "due_day_after": after.due_day}
        return row


def _described(state: ItemState, when: str) -> dict[str, Any]:
    memory = None if isinstance(state, New) else state.memory
    return {
        f"state_{when}": state_name(state),
        f"stability_{when}": memory.stability if memory else None,
        f"difficulty_{when}": memory.difficulty if memory else None,
    }
