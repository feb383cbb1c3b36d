"""One visit to the lab: what was tried, what was told, and what stays of it.  Knows no widgets."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from tui import cases, lab_text
from tui.drafts import Draft
from tui.lab_hints import Hint, hints
from tui.lab_result import LabResult
from tui.lab_work import LONGEST_ANSWER

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Verdict
    from tui.app import DeltadeckApp
    from tui.lab_brief import Brief

_NO_SLIP = ("correct", "incomplete", "unreadable")
#: A wrong answer counts as one the learner meant when it stood for this long.
MEANT_SECONDS = 4


class Visit:
    """`before` is what an earlier visit to the same card left behind."""

    def __init__(self, card: Card, brief: Brief, before: LabResult | None) -> None:
        self._card = card
        self._brief = brief
        self.before = before
        self.by_hand = before if before and before.by_hand else None
        self._slips = before.slips if before else 0
        self._told = before.hints if before else 0
        """How many hints were asked for."""
        self._open = self._told
        """How many are shown; they are folded where a new answer is begun."""
        self._hinted = self.text
        """The answer that they are about."""
        self._judged_at: datetime | None = None
        self._parts = {*before.verdict.parts} if before else set()
        """Of an exercise of several parts: those that were right, in whichever answer."""
        self._right = before if before and before.outcome == "correct" else None
        """The last right answer, which counts when nothing is written in its place."""

    @property
    def text(self) -> str:
        """What was written before."""
        return "" if self.before is None or self.before.by_hand else self.before.answer

    def draft(self, text: str) -> Draft | None:
        """What of a text is nowhere on the disk."""
        if not text.strip() or text == self.text:
            return None
        return Draft(f"{self._card.id}-answer.txt", text)

    # What happens.

    def typed(self, answer: str, verdict: Verdict | None, now: datetime) -> None:
        """The answer is changed into this one; before, it had `verdict`."""
        if self._open and _another(self._hinted, answer):
            self._open = 0
        since, self._judged_at = self._judged_at, None
        if verdict is None or since is None or verdict.verdict in _NO_SLIP:
            return
        if (now - since).total_seconds() >= MEANT_SECONDS:
            self._slips += 1

    def judged(self, answer: str, verdict: Verdict | None, now: datetime) -> None:
        self._judged_at = self._judged_at or now
        if verdict is not None and verdict.ok:
            self._right = LabResult(answer, verdict, self._slips, self._told)

    def gathered(self, verdict: Verdict | None) -> Verdict | None:
        """The verdict with the parts that an answer before this one gave."""
        if verdict is None or not verdict.open:
            return verdict
        right = verdict.verdict == "incomplete"
        self._parts |= {*verdict.parts}
        given = self._parts if right else self._parts - {cases.asked(verdict)}
        parts = tuple(name for name in (*verdict.parts, *verdict.open) if name in given)
        rest = tuple(name for name in verdict.open if name not in given)
        outcome = "correct" if right and not rest else verdict.verdict
        return replace(verdict, verdict=outcome, parts=parts, open=rest)

    # Hints.

    def hints(self, verdict: Verdict | None) -> tuple[Hint, ...]:
        """Those that were asked for, about an answer."""
        return self._all(verdict)[: self._open]

    def another_hint(self, answer: str, verdict: Verdict | None) -> str:
        """Tell one hint more about an answer; where there is none, why, in a sentence."""
        every = self._all(verdict)
        if not every:
            return lab_text.no_hint(verdict)
        if self._open >= len(every):
            return "That was the last hint."
        self._told, self._open, self._hinted = self._told + 1, self._open + 1, answer
        return ""

    def _all(self, verdict: Verdict | None) -> tuple[Hint, ...]:
        return hints(verdict, self._brief, self._card) if verdict else ()

    # What stays.

    def result(self, answer: str, verdict: Verdict | None) -> LabResult | None:
        """What the visit leaves behind when it ends with this answer; None where nothing stands.

        A right answer that was cleared, or changed into what cannot be read, was right.
        """
        written = verdict is not None and answer.strip() and len(answer) <= LONGEST_ANSWER
        # What is too long was not read: nothing is kept of it.
        if verdict is None or not written:
            return self._right or self.by_hand
        if verdict.verdict == "unreadable" and self._right is not None:
            return self._right
        return LabResult(answer, verdict, self._slips, self._told)

    def is_new(self, result: LabResult) -> bool:
        """Whether the journal does not have it yet."""
        before = self.before
        return before is None or (result.answer, result.hints) != (before.answer, before.hints)


def _another(before: str, after: str) -> bool:
    """Whether less than half of an answer is left at its two ends: a new one, not a mended one."""
    one, other = "".join(before.split()), "".join(after.split())
    begins = _alike(one, other)
    ends = _alike(one[begins:][::-1], other[begins:][::-1])
    return 2 * (begins + ends) < max(len(one), len(other))


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def keep(app: DeltadeckApp, item_id: str, result: LabResult) -> None:
    """Write a check into the journal; where that cannot be, say so."""
    from deck.errors import JournalError

    try:
        app.open_collection.record_check(item_id, result.as_event(), app.clock())
    except JournalError as error:
        app.say(f"The check is not in the journal. {error}", error=True)
