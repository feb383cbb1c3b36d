"""What `deltadeck check` asks of the lab's helper process, which loads this file and NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.exercise import Exercise, ExerciseError, why_none
from engine.sandbox.worker import WorkerError
from tui.commands import UsageError
from tui.lab.text import plainly

if TYPE_CHECKING:
    from cards.model import Card
    from engine.exercise import Language
    from engine.verdict import Verdict

#: What a file's name says of the language in it.
_BY_SUFFIX: dict[str, Language] = {".py": "function", ".tex": "latex"}


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """An answer to a card."""

    card: Card
    answer: str | None
    """None where only the card's exercise is asked for."""
    path: Path
    said: Language | None
    seed: int
    trials: int
    unconfined: bool

    def evaluate(self) -> Verdict | Exception | None:
        """An error that must be raised on the other side is returned."""
        from engine.checking import check  # and NumPy

        language = self.said or _BY_SUFFIX.get(self.path.suffix)
        options = (self.seed, self.trials, language, self.unconfined)
        try:
            exercise = _exercise(self.card)
            if self.answer is None:
                return None
            return plainly(check(self.answer, exercise, *options), self.answer, self.said)
        except (UsageError, WorkerError) as error:
            return error


def _exercise(card: Card) -> Exercise:
    try:
        exercise = Exercise.from_card(card)
    except ExerciseError as error:
        raise UsageError(f"{card.path}: {error}") from error
    if exercise is None:
        why = why_none(card) or (
            "Nothing says which layer to check. Add `exercise: max-pool` to its frontmatter, or "
            "tag a derivation with `max-pooling` and `backpropagation`."
        )
        raise UsageError(f"The card '{card.id}' has no exercise. {why}")
    return exercise
