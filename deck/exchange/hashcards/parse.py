"""A hashcards deck: `Q:` and `A:`, or `C:` with what is hidden in brackets, line by line.

The format is that of hashcards 0.3 (README.md, src/parser.rs and src/types/card.rs of its
repository).  What it refuses a whole collection for, such as a question without an answer, costs
one card here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

from blake3 import blake3

from deck.exchange.bundle import Lost

#: White space as Rust's `str::trim` knows it; Python's `strip` takes four more.
_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" + (
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


@dataclass(frozen=True, slots=True)
class Basic:
    """A question and its answer; `line` is 1-based."""

    line: int
    question: str
    answer: str

    @property
    def hash(self) -> str:
        """As hashcards names the card in its database."""
        said = f"Basic{self.question}{self.answer}"
        return blake3(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cloze:
    """A text, without its brackets, and where they stood: half-open ranges of characters."""

    line: int
    text: str
    hidden: tuple[tuple[int, int], ...]

    @property
    def family(self) -> str:
        """The hash that all cards of the text share."""
        return blake3(b"Cloze" + self._bytes(self.text)).hexdigest()

    def hash(self, number: int) -> str:
        """The hash of the card for the hidden text `number`, from 0."""
        start, end = self.hidden[number]
        first = len(self._bytes(self.text[:start]))
        last = first + len(self._bytes(self.text[start:end])) - 1
        places = first.to_bytes(8, "little") + (last & 2**64 - 1).to_bytes(8, "little")
        return blake3(b"Cloze" + self._bytes(self.text) + places).hexdigest()

    @staticmethod
    def _bytes(text: str) -> bytes:
        return text.encode("utf-8", "surrogatepass")


@dataclass(slots=True)
class _Reading:
    """The card that is being read: a question, its answer, or a cloze."""

    kind: str
    line: int
    lines: list[str]
    answer: list[str] = field(default_factory=list)


def is_deck(text: str) -> bool:
    """Whether a text holds cards."""
    return any(line.startswith(("Q:", "C:")) for line in text.split("\n"))


def front(text: str, where: str, lost: list[Lost]) -> tuple[str, int]:
    """The deck's name in the frontmatter ("" for none), and how many lines that has."""
    lines = text.split("\n")
    if lines[0].lstrip("\ufeff").strip(_SPACE) != "---":
        return "", 0
    closing = next((n for n, line in enumerate(lines[1:], 1) if line.strip(_SPACE) == "---"), 0)
    if not closing:
        return "", 1
    try:
        found = tomllib.loads("\n".join(lines[1:closing]))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if any(line.startswith(("Q:", "C:")) for line in lines[1:closing]):
            return "", 1  # two separators, not a frontmatter
        what = f"Its frontmatter is not TOML ({error}): the deck is called as the file."
        lost.append(Lost(f"{where}:1", what))
        return "", closing + 1
    name = found.get("name")
    return (name if isinstance(name, str) else ""), closing + 1


def cards(text: str, first: int, where: str, lost: list[Lost]) -> Iterator[Basic | Cloze]:
    """The cards of a deck from line `first` (from 0) on; what is none goes to `lost`."""
    reading: _Reading | None = None
    for number, line in enumerate([*text.split("\n")[first:], "---"], first + 1):
        mark = line[:2] if line[:2] in ("Q:", "A:", "C:") else ""
        if not mark and line.strip(_SPACE) != "---":
            if reading is not None:
                (reading.answer if reading.kind == "A:" else reading.lines).append(line)
            continue
        rest = line[2:].strip(_SPACE)
        if mark == "A:":
            if reading is not None and reading.kind == "Q:":
                reading.kind, reading.answer = "A:", [rest]
            else:
                _stray(reading, f"{where}:{number}", lost)
            continue
        if reading is not None:
            yield from _finished(reading, where, lost)
        reading = _Reading(mark, number, [rest]) if mark else None


def _stray(reading: _Reading | None, where: str, lost: list[Lost]) -> None:
    if reading is None:
        lost.append(Lost(where, "This answer has no question above it (a line `Q:`)."))
    elif reading.kind == "C:":
        lost.append(Lost(where, "A cloze card takes no answer: the line was left out."))
    else:
        lost.append(Lost(where, "The card has a second answer: it was left out."))


def _finished(reading: _Reading, where: str, lost: list[Lost]) -> Iterator[Basic | Cloze]:
    text = "\n".join(reading.lines).strip(_SPACE)
    place = f"{where}:{reading.line}"
    if reading.kind == "Q:":
        lost.append(Lost(place, "This question has no answer (a line `A:`): it was not read."))
    elif reading.kind == "A:":
        yield Basic(reading.line, text, "\n".join(reading.answer).strip(_SPACE))
    elif (found := cloze(text, reading.line)).hidden:
        yield found
    else:
        lost.append(Lost(place, "This cloze card hides nothing: put what it asks in [brackets]."))


def cloze(text: str, line: int = 1) -> Cloze:
    """A text with brackets taken apart.

    Brackets of a picture stay, and those behind a backslash, which goes; an opening bracket
    within brackets begins anew.
    """
    clean: list[str] = []
    hidden: list[tuple[int, int]] = []
    start: int | None = None
    picture = escaped = False
    for at, sign in enumerate(text):
        following = text[at + 1 : at + 2]
        if sign in "[]" and (picture or escaped):
            picture = picture and (escaped or sign == "[")
            escaped = False
            clean.append(sign)
        elif sign == "[":
            start = len(clean)
        elif sign == "]":
            if start is not None:
                hidden.append((start, len(clean)))
            start = None
        elif sign == "\\" and not escaped and following in ("[", "]"):
            escaped = True
        else:
            picture = picture or (sign == "!" and following == "[")
            clean.append(sign)
    return Cloze(line, "".join(clean), tuple(hidden))
