"""What the lab found of the cards of a sitting, and the ratings that this speaks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.suggest import Suggestion, from_check, from_choice
from tui.text import stopwatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui.lab_result import LabResult
    from tui.study_session import Session


class Results:
    """The last lab visit of each item that was not rated since."""

    def __init__(self) -> None:
        self._by_item: dict[str, LabResult] = {}

    def of(self, item_id: str) -> LabResult | None:
        return self._by_item.get(item_id)

    def put(self, item_id: str, result: LabResult | None) -> None:
        """None: the last visit checked nothing."""
        self._by_item.pop(item_id, None)
        if result is not None:
            self._by_item[item_id] = result

    def mark(self, item_id: str) -> Mapping[str, Any] | None:
        """The verdict that goes into the journal with a rating."""
        result = self._by_item.get(item_id)
        return result.as_mark() if result else None

    def suggestion(self, session: Session) -> Suggestion | None:
        """For the present item: of its check, or of the option that was picked."""
        result = self._by_item.get(session.item.id) if session.item else None
        if result is not None:
            seconds = session.seconds_at_check
            how = (result.hints, result.by_hand)
            return from_check(result.outcome, seconds, result.slips, stopwatch(seconds), *how)
        if session.card is None:
            return None
        return from_choice(session.picked, session.card.correct_letters)
