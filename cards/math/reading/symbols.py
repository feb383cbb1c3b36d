"""The tables of symbols, read once: each command or character to what it draws and its class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from cards.math.reading import symbol_arrows as arrows
from cards.math.reading import symbol_letters as letters
from cards.math.reading import symbol_operators as operators
from cards.math.reading import symbol_relations as relations
from cards.math.reading.core import Entry, Items, Parser, Reader
from cards.math.tree import Class, Operator

Limits = Literal["display", "always", "never"]


def pairs(table: str) -> Iterator[tuple[list[str], str]]:
    """The lines of a table: the names of a command, and its character."""
    words = iter(table.split())
    for names in words:
        yield names.split("=") if names != "=" else [names], next(words)


def symbols() -> dict[str, Entry]:
    """Every symbol and named function: commands with their backslash, and typed characters.

    Commands of one look and class are one symbol, named after the first of them, and so is the
    character typed as it is.
    """
    found: dict[str, Entry] = {}
    typed: dict[str, Entry] = {char: (char, "ord", char) for char in _LETTERS}
    for kind, table in letters.TYPED.items():
        for names, char in pairs(table):
            typed[names[0]] = (char, kind, names[0])
    for kind, table in _TABLES:
        for names, char in pairs(table):
            own = (char, kind, names[0] if len(names[0]) > 1 else char)  # \P is no letter P
            entry = typed.setdefault(char, own)
            if not isinstance(entry, tuple) or entry[1] != kind:
                entry = own
            for name in names:
                found["\\" + name] = entry
    typed["−"] = typed["-"]
    for char, same in zip("·µ〈〉∕⁄Ω⟂", "⋅μ⟨⟩//Ω⊥", strict=True):
        typed[char] = typed[same]
    typed["△"] = found["\\triangle"]
    for char in "{}&$#%_^~'\\":  # these have a meaning of their own
        typed.pop(char, None)
    for char in letters.LATIN_LIKE:
        typed[char] = typed.get(char) or found["\\" + letters.LATIN_LIKE[char]]
    typed["∆"] = ("∆", "ord", "Delta")
    typed["ϒ"] = ("ϒ", "ord", "Upsilon")
    found.update(_operators(typed))
    return typed | found


def _operators(typed: dict[str, Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    large: tuple[tuple[str, Limits], ...] = (
        (operators.INTEGRALS, "never"),
        (operators.LARGE, "display"),
    )
    for table, limits in large:
        for names, char in pairs(table):
            for name in names:
                found["\\" + name] = operator(char, names[0], limits, large=True)
            typed.setdefault(char, found["\\" + names[0]])
    for name in operators.FUNCTIONS.split():
        found["\\" + name] = operator(name, name, "never", large=False)
    for word in operators.LIMITS.split():
        name, _, text = word.partition(":")
        drawn = (text or name).replace("_", " ")
        found["\\" + name] = operator(drawn, name, "display", large=False)
    return found


def operator(text: str, name: str, limits: Limits, *, large: bool) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Operator(text, name, limits, large, parser.since(start)))

    return read


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TABLES: tuple[tuple[Class, str], ...] = (
    ("ord", letters.LETTERS),
    ("rel", relations.RELATIONS),
    ("rel", arrows.ARROWS),
    ("bin", operators.BINARY),
    ("inner", operators.DOTS),
    ("punct", operators.PUNCTUATION),
    ("ord", letters.SIGNS),
    ("open", operators.OPEN),
    ("close", operators.CLOSE),
)
