"""A card file as what the index keeps of it.  Runs in other processes too: only plain values."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from cards.files import open_regular, read_text
from cards.model import Card, CardError, Problem
from cards.text import place
from deck.errors import odd
from deck.index.codec import listed, problem_text, text_digest
from deck.index.words import HAS, gives, parts_of, words, written_on

_QUESTION = re.compile(rb"^#{1,6}[ \t]+question\b", re.IGNORECASE | re.MULTILINE)
#: A note of another program may hold the tag `#question`: a heading has a line and a capital.
_TIGHT = re.compile(rb"^#{1,6}(?:Question|QUESTION)[^\w\n]*$", re.MULTILINE)
_ID = re.compile(r"(?<![^\r\n])id:")
#: Enough of a file to tell a card from a note.
_HEAD = 64 * 1024


class CardRow(NamedTuple):
    """A card that reads."""

    id: str
    course: str
    type: str
    status: str
    difficulty: int | None
    points: float | None
    tags: tuple[str, ...]
    items: tuple[str, ...]
    lists: tuple[str, ...]
    """As JSON: tags, items, titles, related, and what `has:` finds."""
    line: int
    """Where the file names its id."""
    words: tuple[str, str, str]
    """Of the question, of the solution, and of the rest."""
    digest: bytes
    """Of the words."""
    added: int | None
    """The study day that the card itself names, as an ordinal."""


class FileRow(NamedTuple):
    """What stands in a file: a card, a problem, or neither (a note)."""

    digest: bytes
    card: CardRow | None
    problem: str | None


def read_files(files: list[tuple[str, bytes]]) -> list[FileRow | None]:
    """Of paths, each with the digest that is known."""
    return [read_file(Path(path), known) for path, known in files]


def read_file(path: Path, known: bytes) -> FileRow | None:
    """The file's content; None where its digest still is `known`."""
    from cards.parse import parse_card  # not to hear what other processes read

    digest = b""
    try:
        text = read_text(path)
        digest = text_digest(text)
        if digest == known:
            return None
        return FileRow(digest, _card_row(parse_card(text, path)), None)
    except CardError as error:
        problem = _unless_note(path, error.problem)
        return FileRow(digest, None, problem_text(problem) if problem else None)


def _card_row(card: Card) -> CardRow:
    question, solution, rest = map(_words, parts_of(card))
    items, day = tuple(item.id for item in card.items), written_on(card)
    found = _ID.search(card.source)
    lists = (card.tags, items, _titles(card), card.related, tuple(w for w in HAS if gives(card, w)))
    return CardRow(
        card.id,
        card.course,
        card.type,
        card.status,
        card.difficulty,
        card.points,
        card.tags,
        items,
        tuple(map(listed, lists)),
        place(card.source, found.start())[0] if found else 1,
        (question, solution, rest),
        blake2b("\0".join((question, solution, rest)).encode(), digest_size=8).digest(),
        day.toordinal() if day else None,
    )


def _words(text: str) -> str:
    """What the full text finds the same words in as `deck.search.words` does: where all is ASCII,
    the two part words alike; elsewhere their tables of letters are of different years."""
    if text.isascii():
        return text
    return " ".join(words(text)).encode("utf-8", "replace").decode()


def _titles(card: Card) -> tuple[str, ...]:
    """What the card is called beside its id: `title:` and `aliases:`."""
    values = [card.extra.get("title", ""), card.extra.get("aliases", "")]
    flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return tuple(each for each in flat if isinstance(each, str) and each.strip())


def _unless_note(path: Path, problem: Problem) -> Problem | None:
    """`problem`, or None where the file is no card at all: a README, a note.

    A file without frontmatter is meant as a card where it has a question or begins with an id.
    """
    try:
        with open_regular(path) as file:
            head = file.read(_HEAD)
    except OSError:
        return problem
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        return odd(path, "The file is empty, so it is no card.", "Write the card, or delete it.")
    wide = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    meant = wide or text.startswith((b"---", b"id:")) or b"\0" in head
    return problem if meant or _QUESTION.search(text) or _TIGHT.search(text) else None
