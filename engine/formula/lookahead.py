"""What comes: looks ahead in the tokens of a line, by which the grammar decides what it reads."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from engine.formula.stream import Stream
from engine.formula.tokens import Token

COMPARISONS: Final = ("∋", "==", "=", "!=", "<", "<=", ">", ">=", "in", "not", "is")


class Lookahead(Stream):
    """Never moves."""

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

    def coming(self) -> set[str]:
        """The names in what stands behind the next token, up to a word or comma that ends it."""
        depth = 0
        found: set[str] = set()
        for token in self._tokens[self._next + 1 :]:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            ends = token.text in (",", ";", "and", "or", "if", "else", "otherwise", "for", "forall")
            if depth < 0 or token.kind in ("newline", "end") or (depth == 0 and ends):
                break
            if token.kind == "name":
                head, *tails = token.text.split("_")
                found |= {head, *(letter for tail in tails for letter in tail)}
            elif token.kind == "subs":
                found |= {*token.text.split()}
        return found

    def inside(self, ahead: int) -> list[Token]:
        """The tokens in the bracket that opens `ahead`, without those of brackets in it."""
        depth = 0
        found: list[Token] = []
        for token in self._tokens[self._next + ahead :]:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0:
                break
            if depth == 1:
                found.append(token)
        return [token for token in found if token.text != ","]

    def lists(self) -> bool:
        """Whether the bracket that opens here holds [e for k,l]."""
        return any(token.kind == "word" and token.text == "for" for token in self.inside(0))

    def tests(self, token: Token) -> bool:
        """Whether a sign or a word shows that what is read is a condition, or another clause."""
        signs = (*COMPARISONS, ",", ";", ":", "|", "and", "or", "all", "any", "forall", "exists")
        return token.kind in ("op", "word") and token.text in signs

    def more_cases(self) -> bool:
        """Whether the rest of the line says what holds otherwise, or has one more condition."""
        if self.comes("otherwise", "else"):
            return True
        rest = self._tokens[self._next :]
        return sum(token.text in ("for", "if", "when") for token in rest) > self.sees("for")

    def parts_cases(self, within: bool) -> bool:
        """1 if C and 0 otherwise: whether behind this "and" the value of the next case stands.

        `within` cases that are read, the next one may also begin with its condition's "if".
        """
        depth = 0
        rest = self._tokens[self._next + 1 :]
        for token, behind in pairwise(rest):
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth < 0 or token.kind in ("end", "newline") or self.tests(token):
                return False
            if depth == 0 and token.kind == "word":
                ends = behind.kind in ("end", "newline") or behind.text in (";", ",", "}", ")")
                if token.text in ("otherwise", "else"):
                    return ends
                return token.text in ("if", "when", "for") and within
        return False
