"""What an export says of itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from deck.exchange.bundle import Lost

#: Of the same kind, so many places are kept; of more, how many there are.
_MOST = 1000


@dataclass(slots=True)
class Report:
    """Grows while a file is written."""

    format: str
    counts: dict[str, int] = field(default_factory=dict)
    """What was written: "cards", "items", "answers", "media", "events"."""
    lost: list[Lost] = field(default_factory=list)
    """What could not be expressed, each with its place: something is missing from the file."""
    more: int = 0
    """Those beyond the ones that are kept."""
    plain: Counter[str] = field(default_factory=Counter)
    """What the format has no place for, as a sentence, and of how many cards that is true."""
    _last: dict[str, str] = field(default_factory=dict)
    """Of each sentence, the card that it was last said of."""

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def lose(self, where: str, what: str) -> None:
        if len(self.lost) < _MOST:
            self.lost.append(Lost(where, what))
        else:
            self.more += 1

    def without(self, what: str, card: str = "") -> None:
        """`what`: a sentence; said of a `card` several times, it counts once."""
        if self._last.get(what) != card or not card:
            self._last[what] = card
            self.plain[what] += 1

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        return {
            "format": self.format,
            "written": self.counts,
            "lost": [{"where": lost.where, "what": lost.what} for lost in self.lost],
            "lost_more": self.more,
            "not_in_the_format": [{"what": w, "cards": n} for w, n in self.plain.items()],
        }
