"""Derivations that were checked: their verdicts, and the misconceptions in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from deck.events import Checked, Event, Reviewed


@dataclass(frozen=True, slots=True)
class Checks:
    checked: int
    verdicts: Mapping[str, int]
    """How often each verdict was given, the most frequent first."""
    misconceptions: Mapping[str, int]
    """How often each misconception was seen, the most frequent first."""
    items: int
    """Items that were ever checked."""
    solved: int
    """Items whose derivation was correct at least once."""
    last: Mapping[str, date] = field(default_factory=dict)
    """The study day on which each misconception was seen last."""


def checks(events: Iterable[Event]) -> Checks:
    """Of checks, and of verdicts that came with an answer where no check stands for itself."""
    verdicts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    items, solved = set(), set()
    last: dict[str, date] = {}
    for event in events:
        data = _verdict(event)
        if data is None:
            continue
        verdict = str(data.get("verdict", "unknown"))
        verdicts[verdict] += 1
        if misconception := data.get("misconception"):
            name = str(misconception)
            wrong[name] += 1
            last[name] = max(event.day, last.get(name, event.day))
        items.add(event.item)
        if verdict == "correct":
            solved.add(event.item)
    frequent = [dict(counter.most_common()) for counter in (verdicts, wrong)]
    return Checks(verdicts.total(), frequent[0], frequent[1], len(items), len(solved), last)


def _verdict(event: Event) -> Mapping[str, Any] | None:
    match event.what:
        case Checked(data):
            return data
        case Reviewed(check=check):
            return check
    return None
