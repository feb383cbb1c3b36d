"""A search as a learner types it, and which letters of a text it lights up.

What it means is asked of the index (`deck.search.sql`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from deck.index.words import folded, folded_places, patterns, words
from deck.search.query import And, Has, Not, Or, Phrase, Query, Word, expand, parse


def read_search(text: str, saved: Mapping[str, str]) -> Query:
    """The query, its saved searches put in.  Raises SearchError."""
    return expand(parse(text), saved)


# The letters to light up where a text is shown: only what must be there, of `jaco -tag:old not
# "chain rule"` the letters that begin a word so.  They are compared as `deck.index.words` does.

Part = Literal["question", "solution", "rest"]
"""Of a card: `question:jaco` asks only for words of the question."""

#: Where a word begins and ends; between the words of a phrase.
_BEGIN, _END, _GAP = r"(?<![^\W_])", r"(?![^\W_])", r"[\W_]+"


@dataclass(frozen=True, slots=True)
class Highlights:
    """Patterns of folded text, by the part of a card that they are asked of; "" is any."""

    patterns: tuple[tuple[Part | Literal[""], re.Pattern[str]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def spans(self, text: str, part: Part = "rest") -> list[tuple[int, int]]:
        """From where to where, in the order of the text; none touches another."""
        asked = [pattern for of, pattern in self.patterns if of in ("", part)]
        if not asked:
            return []
        plain, places = folded_places(text)
        found = sorted(each.span() for one in asked for each in one.finditer(plain))
        return _joined(_unfolded(each, places, len(text)) for each in found if each[0] < each[1])


def sought(query: Query) -> Highlights:
    """What a search (its saved searches put in) asks texts for."""
    return Highlights(tuple(dict.fromkeys(_sought(query, True))))


def _sought(query: Query, wanted: bool) -> Iterator[tuple[Part | Literal[""], re.Pattern[str]]]:
    match query:
        case Not(part):
            yield from _sought(part, not wanted)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _sought(part, wanted)
        case Word(text) if wanted:
            yield from (("", each) for each in _words(text))
        case Phrase(text) if wanted:
            yield "", _phrase(text)
        case Has("question" | "solution" as name, text) if wanted:
            of: Part = "question" if name == "question" else "solution"
            yield from ((of, each) for each in _words(text))


def _words(text: str) -> Iterator[re.Pattern[str]]:
    """A pattern for each word of a bare term; of a text without letters, for itself."""
    asked = patterns(text)
    if not asked:
        yield re.compile(re.escape(folded(text)))
    for form in asked:
        begin = form.rstrip("*")
        inside = r"[^\W_]*".join(map(re.escape, begin.split("*")))
        if "*" in begin:  # a form, of the whole word
            inside += (r"[^\W_]*" if form != begin else "") + _END
        yield re.compile(_BEGIN + inside)


def _phrase(text: str) -> re.Pattern[str]:
    asked = words(text)
    if not asked:
        return re.compile(re.escape(folded(text)))
    return re.compile(_BEGIN + _GAP.join(map(re.escape, asked)) + _END)


def _unfolded(span: tuple[int, int], places: list[int] | None, end: int) -> tuple[int, int]:
    """A span of the folded text as one of the text; a mark that was dropped is its letter's."""
    if places is None:
        return span
    start, last, at = places[span[0]], places[span[1] - 1], span[1]
    while at < len(places) and places[at] == last:
        at += 1
    return start, places[at] if at < len(places) else end


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found
