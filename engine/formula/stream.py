"""A cursor over the tokens of one line of an answer, with the refusals that need only a token."""

from __future__ import annotations

from typing import Final

from engine.formula.problem import OffsetError
from engine.formula.tokens import Token

_USUAL: Final = (
    "write x[i,j], delta[k,l], [condition], sum(... for k,l), max(window(k,l)), argmax(k,l)"
)
_WAYS: Final = {
    "for": "put what runs inside a sum: sum(... for k,l if ...); a case is A if C else B",
    "forall": "write [x[i,j] >= x[p,q] for all (p,q) in Omega(k,l)]",
    "where": "write the condition behind the sum's indices: sum(... for k,l if ...)",
    "with": "write the condition behind the sum's indices: sum(... for k,l if ...)",
    "over": "write sum(... for k,l if ...)",
    "such": "write sum(... for k,l if ...)",
    "otherwise": "write A if C else B, or { A if C; B otherwise }",
    "else": "write A if C else B; behind 'for k,l if C' there is no 'else': the rest is not summed",
    "then": "write if C then A else B",
    "the": "leave the words out, and write the formula alone: dx[i,j] = ...",
    ",": "one formula a line: put what follows on a line of its own, or in brackets",
    ":": "a label before a formula is left out; conditions stand in sum(... for k,l if C)",
    "<": "for a condition that counts as 1 or 0 write [a < b]",
    ">": "for a condition that counts as 1 or 0 write [a > b]",
    "|": "for an absolute value write abs(...), for a condition sum(... for k,l if C)",
    "=": "for a condition that counts as 1 or 0 write [a == b]",
    "==": "for a condition that counts as 1 or 0 write [a == b]",
    "in": "for a condition that counts as 1 or 0 write [(i,j) in Omega(k,l)]",
    "^": "write a power as x^2",
    "]": "write what belongs before it, or leave the bracket out",
    ")": "write what belongs before it, or leave the bracket out",
    "}": "write what belongs before it, or leave the brace out",
}


def _ways(token: Token) -> str:
    """How to write what such a token is mostly meant to say; "" where that is open."""
    if token.kind == "number":
        return "put a sign between two numbers, bracket it, or leave it out"
    return _WAYS.get(token.text, "") if token.kind in ("op", "word") else ""


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

    def unexpected(self, wanted: str, hint: str = "") -> OffsetError:
        """The refusal of the next token: what was expected in its place, and how to write it."""
        token = self.peek()
        if token.kind == "end":
            said = "write the rest of it, as in dx[i,j] = sum(delta[k,l] * [...] for k,l)"
            return OffsetError(f"The formula stops here: {wanted}.", said, token.at)
        message = f"'{token.text}' does not fit here: {wanted}."
        return OffsetError(message, hint or _ways(token) or _USUAL, token.at)
