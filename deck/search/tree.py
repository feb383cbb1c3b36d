"""A search as a tree.  `str` writes one in the grammar, and what it writes parses to the same tree.

An index translates the leaves that it knows, and asks `matches` about the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Operator = Literal["<", "<=", "=", "!=", ">=", ">"]

_QUOTED = {'"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Everything:
    """An empty search."""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the card that begins so (or, with a star inside, that has this form)."""

    text: str

    def __str__(self) -> str:
        return escaped(self.text)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Whole words, one after the other."""

    text: str

    def __str__(self) -> str:
        return quoted(self.text)


@dataclass(frozen=True, slots=True)
class Has:
    """A field has a value of this form; `*` stands for any characters."""

    name: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.name}:{escaped(self.pattern)}"


@dataclass(frozen=True, slots=True)
class Is:
    """A state, such as due or suspended."""

    state: str

    def __str__(self) -> str:
        return f"is:{self.state}"


@dataclass(frozen=True, slots=True)
class Compare:
    """A number of the card or of its memory; what has none never matches."""

    name: str
    operator: Operator
    number: float

    def __str__(self) -> str:
        return f"{self.name}{self.operator}{written(self.number)}"


@dataclass(frozen=True, slots=True)
class Within:
    """Something happened on one of the last `days` study days; today is the first of them."""

    name: str
    days: int
    rating: int | None = None
    """Of `rated`: only answers with this rating."""

    def __str__(self) -> str:
        return f"{self.name}:{self.days}" + (f":{self.rating}" if self.rating else "")


@dataclass(frozen=True, slots=True)
class Saved:
    """A search of the settings, by name."""

    name: str
    column: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"@{escaped(self.name)}"


@dataclass(frozen=True, slots=True)
class Not:
    query: Query

    def __str__(self) -> str:
        return f"-{_grouped(self.query, (And, Or))}"


@dataclass(frozen=True, slots=True)
class And:
    """Two or more."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " ".join(_grouped(part, (And, Or)) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " or ".join(_grouped(part, (Or,)) for part in self.parts)


Query = Everything | Word | Phrase | Has | Is | Compare | Within | Saved | Not | And | Or


def quoted(text: str) -> str:
    return '"' + "".join(_QUOTED.get(c, c) for c in text) + '"'


def escaped(text: str) -> str:
    """`text` as it may stand in a search, with backslashes where a sign would mean something."""
    plain = "".join(f"\\{c}" if c in '\\"():<>=!@' or c.isspace() else c for c in text)
    if plain.startswith("-") or plain.casefold() in ("or", "and", "not"):
        return "\\" + plain
    return plain


def written(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _grouped(query: Query, inside: tuple[type, ...]) -> str:
    return f"({query})" if isinstance(query, inside) else str(query)
