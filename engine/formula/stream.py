"""A cursor over the tokens of one line of an answer, with the refusals that need only a token."""

from __future__ import annotations

from engine.formula.problem import OffsetError
from engine.formula.tokens import Token


class Stream:
    """Reads forward only; `peek` never moves."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def sees(self, *texts: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind in ("op", "word") and token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.sees(*texts) else None

    def expect(self, text: str, where: str) -> Token:
        if self.sees(text):
            return self.take()
        raise self.unexpected(f"'{text}' is expected {where}")

    def unexpected(self, wanted: str) -> OffsetError:
        token = self.peek()
        if token.kind == "end":
            return OffsetError(
                f"The formula stops here: {wanted}.", "write the rest of it", token.at
            )
        message = f"'{token.text}' does not fit here: {wanted}."
        return OffsetError(message, "look at what stands before it", token.at)

    def comes(self, *words: str) -> bool:
        """Whether one of the words comes before the bracket that we are in closes."""
        depth = 0
        for token in self._tokens[self._next :]:
            if token.text in ("(", "[", "{") and token.kind == "op":
                depth += 1
            elif token.text in (")", "]", "}") and token.kind == "op":
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and token.kind == "word" and token.text in words:
                return True
        return False
