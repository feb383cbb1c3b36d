"""Completion while writing a card: what a place of its source can be completed to.

`context_at` says what is being written at a place, `vocabulary_of` which words a collection already
uses, and `offer` what goes on from there.  A snippet is a text that is often written, behind `:`
and its name; what the text of a new card leaves to be written over is found by `next_blank`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, cast

from cards.edit import blanks
from cards.model import STATUSES, TYPES
from deck.errors import CollectionError

if TYPE_CHECKING:
    from deck.collection import Collection

_MOST: Final = 8
_MOST_LINKS: Final = 8


@dataclass(frozen=True, slots=True)
class Completion:
    label: str
    about: str
    text: str
    """Goes in for what is written; the cursor goes where `‸` stands, else behind it."""


@dataclass(frozen=True, slots=True)
class Offer:
    place: CompletionContext
    completions: tuple[Completion, ...]
    complete: bool = False
    """Whether what is written is one of the words already, and others only hold it."""

    def follows(self, written: str, chosen: Completion) -> bool:
        """Whether a new line is less likely than `chosen`, with `written` before the cursor."""
        if self.place.kind == "link":
            return written == self.place.written
        if self.place.kind in ("key", "snippet") or not written:
            return False
        begun = chosen.label.casefold().startswith(written.casefold())
        complete = self.complete and written == self.place.written
        # The list may be a key behind what is written.
        return begun and not complete and all(one.label != written for one in self.completions)


@dataclass(frozen=True, slots=True)
class KnownWords:
    """What a collection already uses.  Each is asked only when it is needed."""

    tags: Callable[[], Iterable[str]]
    courses: Callable[[], Iterable[str]]
    layers: Callable[[], Iterable[str]]
    links: Callable[[str], Iterable[tuple[str, str]]]
    """Card ids and their first words, for what is written of a link."""


def offer(lines: Sequence[str], row: int, column: int, vocabulary: KnownWords) -> Offer | None:
    """What to offer at a place; None where there is nothing, or it is written already."""
    place = context_at(lines, row, column)
    if place is None:
        return None
    after = lines[row][column:].strip("]} ,")
    offered = islice(_completions(place, lines, vocabulary), 4 * _MOST)
    found = list({one.label: one for one in offered}.values())
    complete = any(one.label == place.written for one in found)
    found = [one for one in found if one.label != place.written][:_MOST]
    if not found or (after and place.kind in ("course", "type", "status", "exercise", "key")):
        return None
    # Nothing is begun: a list of all that could be would be in the way.
    if not place.written and place.kind in ("tag", "key"):
        return None
    return Offer(place, tuple(found), complete)


def _completions(
    place: CompletionContext, lines: Sequence[str], vocabulary: KnownWords
) -> Iterator[Completion]:
    words: dict[Kind, Callable[[], Iterable[str]]] = {
        "type": lambda: TYPES,
        "status": lambda: STATUSES,
        "course": vocabulary.courses,
        "tag": vocabulary.tags,
        "exercise": vocabulary.layers,
    }
    if place.kind in words:
        yield from _words(place, words[place.kind]())
    elif place.kind == "link":
        for card_id, title in vocabulary.links(place.written):
            yield Completion(card_id, title, f"{card_id}]]")
    else:
        sign, known = (":", SNIPPETS) if place.kind == "snippet" else ("", KEYS)
        present = {line.partition(":")[0] for line in lines if ":" in line and not sign}
        for name, about, text in known:
            if name not in present and name.startswith(place.written):
                yield Completion(f"{sign}{name}", about, text)


def _words(place: CompletionContext, words: Iterable[str]) -> Iterator[Completion]:
    """Those that begin so, then those that hold it."""
    wanted, known = place.written.casefold(), list(words)
    begin = [word for word in known if word.casefold().startswith(wanted)]
    hold = [word for word in known if wanted in word.casefold()[1:]]
    yield from (Completion(word, "", word) for word in (*begin, *hold))


# What the cards of a collection already use.


def vocabulary_of(collection: Collection, now: datetime) -> KnownWords:
    return KnownWords(
        tags=collection.tags,
        courses=lambda: [deck.name for deck in collection.decks(now) if deck.depth == 0],
        layers=_layers,
        links=lambda written: _links(collection, written, now),
    )


def _layers() -> Iterable[str]:
    from engine.registry import layers  # once a layer is written

    return layers()


def _links(collection: Collection, written: str, now: datetime) -> Iterator[tuple[str, str]]:
    """Cards whose id holds what is written, or whose question has its words."""
    from deck.search.query import And, Everything, Has, Or, Query, Word
    from tui.widgets.item_list import title

    words = written.split()
    named: Query = Has("id", f"*{written.strip()}*") if words else Everything()
    asked: Query = And(tuple(map(Word, words))) if len(words) > 1 else Word("".join(words))
    query = Or((named, asked)) if words else named
    seen: set[str] = set()
    for item in collection.search(str(query), now):
        try:
            card = collection.card_of(item)
        except CollectionError:
            continue
        if card.id not in seen:
            seen.add(card.id)
            yield card.id, title(card)
        if len(seen) == _MOST_LINKS:
            return


# The place in the source.

Kind = Literal["key", "course", "type", "status", "tag", "exercise", "link", "snippet"]

_LINK = re.compile(r"\[\[([^\[\]|#\n]*)$")
_KEY = re.compile(r"([A-Za-z_]*)$")
_VALUE = re.compile(r"(course|type|status|exercise)\s*:\s*(.*)$")
_LAYER = re.compile(r"(?:exercise\s*:\s*\{\s*layer|\s+layer)\s*:\s*([\w-]*)$")
_TAGS = re.compile(r"tags\s*:\s*(?:\[(?:[^\]]*,)?\s*|.*,\s*)?([^\s,\[\]]*)$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_SNIPPET = re.compile(r"^:(\w*)$")
_FENCE: Final = "---"


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """`written` is what stands there so far; a completion replaces it, from `column` on."""

    kind: Kind
    written: str
    column: int


def context_at(lines: Sequence[str], row: int, column: int) -> CompletionContext | None:
    """What can be completed with the cursor at `row`, `column` (from 0); None where nothing."""
    before = lines[row][:column]
    if (found := _LINK.search(before)) and not _in_header(lines, row):
        return CompletionContext("link", found[1], column - len(found[1]))
    if _in_header(lines, row):
        return _header(lines, row, before)
    if found := _SNIPPET.match(before):
        return CompletionContext("snippet", found[1], 0)
    return None


def _in_header(lines: Sequence[str], row: int) -> bool:
    if not lines or lines[0].strip() != _FENCE or row == 0:
        return False
    ends = (at for at, line in enumerate(lines) if at and line.strip() == _FENCE)
    return row < next(ends, len(lines))


def _header(lines: Sequence[str], row: int, before: str) -> CompletionContext | None:
    def at(kind: Kind, written: str) -> CompletionContext:
        return CompletionContext(kind, written, len(before) - len(written))

    if found := _LAYER.search(before):
        return at("exercise", found[1])
    if found := _TAGS.match(before):
        return at("tag", found[1])
    if found := _VALUE.match(before):
        value = found[2]
        # An exercise that is a table has keys of its own, not a layer's name.
        return None if value.startswith(("{", "|")) else at(cast(Kind, found[1]), value)
    if found := _ITEM.match(before):
        return at("tag", found[1]) if _above(lines, row) == "tags" else None
    if found := _KEY.fullmatch(before):
        return at("key", found[1])
    return None


def _above(lines: Sequence[str], row: int) -> str:
    """The key under which a list item stands."""
    for line in reversed(lines[:row]):
        if found := re.match(r"([A-Za-z_]+)\s*:", line):
            return found[1]
    return ""


# Snippets: `:` and a name at the start of a line.

#: Where the cursor goes.
CURSOR: Final = "‸"

#: Name, what it is, and its text.
SNIPPETS: Final = (
    ("question", "the question's heading", "# Question\n‸\n"),
    ("solution", "a rule and the solution's heading", "---\n# Solution\n‸\n"),
    ("options", "four options to choose from", "## Options\nA) ‸\nB) \nC) \nD) \n"),
    ("answer", "which option is right, and why", "**Correct Answer:** ‸\n\n## Explanation\n"),
    ("steps", "a derivation, step by step", "## Steps / Derivation\n1. ‸\n"),
    ("related", "links to other cards", "## Related Concepts\n- [[‸]]\n"),
    ("cloze", "hidden words", "{{c1::‸}}"),
    ("math", "a formula on lines of its own", "$$\n‸\n$$\n"),
    (
        "aligned",
        "equations under each other",
        "$$\n\\begin{aligned}\n‸ &= \\\\\n &= \n\\end{aligned}\n$$\n",
    ),
    (
        "cases",
        "a definition by cases",
        "$$\n\\begin{cases}\n‸ & \\text{if } \\\\\n & \\text{otherwise}\n\\end{cases}\n$$\n",
    ),
    ("matrix", "a matrix", "$$\n\\begin{pmatrix}\n‸ &  \\\\\n & \n\\end{pmatrix}\n$$\n"),
    ("table", "a table", "| ‸ | |\n|---|---|\n| | |\n"),
    ("code", "a block of Python", "```python\n‸\n```\n"),
    ("note", "a note beside the text", "> [!note]\n> ‸\n"),
    ("footnote", "a footnote", "[^1]: ‸\n"),
)

#: What a key of the frontmatter begins with.
KEYS: Final = (
    ("id", "names the card", "id: ‸"),
    ("course", "the course it belongs to", "course: ‸"),
    ("tags", "words to find it by", "tags: [‸]"),
    ("difficulty", "1 to 5", "difficulty: ‸"),
    ("type", "derivation, basic, cloze, ...", "type: ‸"),
    ("status", "where it stands", "status: ‸"),
    ("exercise", "a layer's name", "exercise: ‸"),
    ("given", "a forward message of your own", "exercise:\n  given: |\n    ‸\n  find: dL/dx"),
    ("answer", "the number, of a numeric card", "answer: ‸"),
    ("tolerance", "how far off it may be", "tolerance: ‸1%"),
    ("macros", "LaTeX commands of this card", "macros:\n  ‸: "),
)


def inserted(text: str) -> tuple[str, int]:
    """What a snippet puts in, and how many characters of it stand before the cursor."""
    before, mark, after = text.partition(CURSOR)
    return before + after, len(before) if mark else len(text)


# What the text of a new card leaves to be written over.

Position = tuple[int, int]
"""A row and a column, from 0."""


def next_blank(lines: Sequence[str], after: Position) -> tuple[Position, Position] | None:
    """Where the next one begins and ends, round and round; None where nothing is left to write."""
    known = blanks()
    places = [(row, known[line]) for row, line in enumerate(lines) if line in known]
    found = [((row, start), (row, end)) for row, (start, end) in places]
    ahead = [each for each in found if each[0] > after]
    return next(iter(ahead or found), None)
