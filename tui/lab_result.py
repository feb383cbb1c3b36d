"""What a visit to the lab leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.verdict import Verdict


@dataclass(frozen=True, slots=True)
class LabResult:
    answer: str
    verdict: Verdict
    slips: int
    """Wrong answers that the learner stayed with before this one."""
    hints: int = 0
    """How many were asked for."""
    by_hand: bool = False
    """Whether the answer is the message of one small input, not a derivation."""

    @property
    def outcome(self) -> str:
        return self.verdict.verdict

    def as_mark(self) -> dict[str, Any]:
        """What of it belongs to a rating: the rest stands in the journal already."""
        return {
            "verdict": self.outcome,
            "slips": self.slips,
            "hints": self.hints,
            "by_hand": self.by_hand,
            "seed": self.verdict.seed,
        }

    def as_event(self) -> dict[str, Any]:
        """For the journal.  The counterexample is left out: seed and answer give it again."""
        data = self.verdict.as_dict()
        for again in ("counterexample", "printed", "trace"):
            data.pop(again)
        return {**data, **self.as_mark(), "answer": self.answer}
