"""Which rating does a check, or a chosen option, speak for?  Only ever a suggestion."""

from __future__ import annotations

from dataclasses import dataclass

from tui.text import counted

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4

#: A correct derivation at the first try within this many seconds is called easy.
QUICK_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    rating: int
    """1..4, as the keys."""
    reason: str
    """Short, for the line under the ratings: "correct in 1:50"."""


def from_check(
    outcome: str,
    seconds: float,
    slips: int,
    clock: str,
    hints: int = 0,
    by_hand: bool = False,
) -> Suggestion | None:
    """From the last verdict of a lab visit.

    `slips` counts the wrong answers that the learner stayed with before the last one; `seconds`
    is the time since the question was shown, `clock` the same for reading.  `hints` is how many
    were asked for; `by_hand` says that one input was filled in, and nothing derived.  None where
    nothing was graded.
    """
    if outcome == "correct" and by_hand:
        return Suggestion(HARD, "right by hand, on one input")
    if outcome == "correct":
        if slips or hints:
            wrong = f"{slips} wrong" if slips else ""
            helped = counted(hints, "hint") if hints else ""
            return Suggestion(HARD, f"correct after {' and '.join(filter(None, (wrong, helped)))}")
        return Suggestion(EASY if seconds <= QUICK_SECONDS else GOOD, f"correct in {clock}")
    if outcome in ("correct-except-ties", "only-without-overlap", "wrong-step"):
        return Suggestion(HARD, outcome.replace("-", " "))
    if outcome == "incomplete":
        return Suggestion(AGAIN, "parts are missing")
    return Suggestion(AGAIN, "the derivation failed") if outcome == "wrong" else None


def from_choice(picked: frozenset[str], correct: tuple[str, ...]) -> Suggestion | None:
    """From the options picked before the reveal; None where nothing was picked or is known."""
    if not picked or not correct:
        return None
    if picked == frozenset(correct):
        return Suggestion(GOOD, "the right choice")
    return Suggestion(AGAIN, "another was right")
