"""Cuts a search into brackets, quoted texts, minus signs and bare pieces, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from deck.search.errors import SearchError


@dataclass(frozen=True, slots=True)
class Token:
    kind: Literal["(", ")", "-", "quoted", "bare"]
    text: str
    """Of a bare piece, as typed; of a quoted text, what is between the quotes."""
    column: int
    """1-based."""


def tokens(text: str) -> Iterator[Token]:
    """Raises SearchError for a quote that is not closed, or a backslash with nothing behind it."""
    at = 0
    while at < len(text):
        sign = text[at]
        if sign.isspace():
            at += 1
        elif sign in "()":
            yield Token("(" if sign == "(" else ")", sign, at + 1)
            at += 1
        elif sign == '"':
            end = _closing(text, at)
            yield Token("quoted", unescaped(text[at + 1 : end]), at + 1)
            at = end + 1
        elif sign == "-":
            yield Token("-", sign, at + 1)
            at += 1
        else:
            end = _end(text, at)
            yield Token("bare", text[at:end], at + 1)
            at = end


def unescaped(text: str) -> str:
    """A backslash gives the sign behind it its plain meaning."""
    signs, plain = iter(text), []
    for sign in signs:
        plain.append(next(signs, sign) if sign == "\\" else sign)
    return "".join(plain)


def _closing(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        raise SearchError("This quote is never closed.", 'Put another " behind it.', start + 1)
    return at


def _end(text: str, at: int) -> int:
    """Where a bare piece ends: at a space or a bracket; quotes inside it keep both."""
    while at < len(text) and not text[at].isspace() and text[at] not in "()":
        if text[at] == "\\" and at + 1 == len(text):
            raise SearchError("A backslash stands for the sign behind it.", "Add one.", at + 1)
        if text[at] == '"':
            at = _closing(text, at) + 1
        else:
            at += 2 if text[at] == "\\" else 1
    return at
