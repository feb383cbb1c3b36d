"""The gradient as a kind of exercise: dL/dx[j] of a loss that the card itself gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.formula.tokens import Token
from engine.formula.unparse import tex_derivative
from engine.messages.shapes import Survey
from engine.messages.targets import Target, derivative_asked, tex_indices, usual
from engine.messages.vocabulary import Words

# -- What is asked for: the derivative of a number, so nothing comes from above.


@dataclass(frozen=True, slots=True)
class Gradient(Target):
    """The derivative of the loss `above`."""

    called: ClassVar[frozenset[str]] = frozenset(("backward", "j", "jacobian", "df/dx"))

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Gradient | None:
        return cls(words.loss, below, usual(below, survey, ())) if words.loss else None

    @classmethod
    def read(cls, tokens: list[Token], words: Words, survey: Survey) -> Gradient | None:
        found = derivative_asked(tokens, words, survey)
        if found is None or not found.above or found.above != words.loss:
            return None
        return cls(found.above, found.below, found.lower or ())

    def tex(self, indices: tuple[str, ...]) -> str:
        return tex_derivative(self.below, tex_indices(indices), self.above)
