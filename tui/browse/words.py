"""Which letters of a text a search's words stand for, to light them up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deck.search.tree import Query


def wanted(query: Query) -> tuple[re.Pattern[str], ...]:
    """A pattern for each word that the search asks to be there."""
    return tuple(re.compile(pattern) for pattern in _patterns(query))


def _patterns(query: Query) -> Iterator[str]:
    from deck.search.tree import And, Has, Or, Phrase, Word

    match query:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _patterns(part)
        case Word(text):
            yield rf"\b{_glob(_folded(text))}"
        case Phrase(text):
            yield r"\b" + r"\W+".join(map(re.escape, _folded(text).split())) + r"\b"
        case Has("question" | "solution", text):
            yield rf"\b{_glob(_folded(text))}"


def _glob(text: str) -> str:
    return r"\w*".join(map(re.escape, text.split("*")))


def lit(text: str, patterns: tuple[re.Pattern[str], ...]) -> list[tuple[int, int]]:
    """The spans of `text` that the patterns match, case and accents apart; joined and sorted."""
    if not patterns:
        return []
    folded = _folded(text)
    if len(folded) != len(text):  # a letter that folds into two: places would be off
        folded = text.lower() if len(text.lower()) == len(text) else text
    found = sorted(m.span() for one in patterns for m in one.finditer(folded) if m.group())
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _folded(text: str) -> str:
    """Each letter in lower case without its accent, so that places stay."""
    return "".join(unicodedata.normalize("NFD", each)[0].lower() for each in text)
