"""Tags of a note and its lines: which say that there are cards, and in which decks they lie."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cards.diagnostics import Report
from cards.frontmatter import read_header
from cards.model import CardError, Value
from cards.spans import in_math, spans

#: What may stand in a tag, as Obsidian has it: letters and marks of any script, emoji (with the
#: joiners that make one of several), no punctuation but these.
_SIGN = r"[^\s\u2000-\u200b\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]"
_BODY = rf"(?![\d/-]++(?!{_SIGN}))({_SIGN}++)"
_TAG = re.compile(rf"(?<![^\s(])(?<!\]\()#{_BODY}")
_LEADING = re.compile(rf"\s*#{_BODY}(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Front:
    """A note's frontmatter; `lines` is how many it has, its two fences included."""

    fields: dict[str, Value]
    lines: int
    problem: str = ""

    @property
    def tags(self) -> list[str]:
        found: list[str] = []
        for name in ("tags", "tag"):
            value = self.fields.get(name, [])
            parts = re.split(r"[,\s]+", value) if isinstance(value, str) else value
            found += [each.strip().lstrip("#") for each in parts if isinstance(each, str)]
        return [tag for tag in dict.fromkeys(found) if tag]


def front(text: str) -> Front:
    """The frontmatter of a note; one that cannot be read is said, and has no fields."""
    lines = text.split("\n")
    if lines[0].lstrip("\ufeff").rstrip() != "---":
        return Front({}, 0)
    closing = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not closing:
        return Front({}, 0)
    yaml = "\n".join(lines[: closing + 1]) + "\n"
    try:
        header = read_header(Report(yaml, None))
    except CardError as error:
        if closing == 1:
            return Front({}, 2)
        return Front({}, closing + 1, error.problem.message)
    return Front({name: each.value for name, each in header.fields.items()}, closing + 1)


def deck_of(tag: str, decks: Iterable[str]) -> tuple[str, ...] | None:
    """The deck that a tag names: the folders below a flashcard tag, or that tag alone.

    None for a tag that is about something else.
    """
    tag = unicodedata.normalize("NFC", tag)
    for deck in (unicodedata.normalize("NFC", deck) for deck in decks):
        if tag.casefold() == deck.casefold():
            return (deck.rpartition("/")[2],)
        if tag.casefold().startswith(deck.casefold() + "/"):
            return tuple(part for part in tag[len(deck) + 1 :].split("/") if part) or (deck,)
    return None


def by_line(lines: Sequence[str]) -> dict[int, list[str]]:
    """The tags of a note by their lines, those in code and formulas left out."""
    text, found = "\n".join(lines), dict[int, list[str]]()
    tags = list(_TAG.finditer(text))
    inert = [(span.start, span.end) for span in spans(text)] if tags else []
    line = at = 0
    for tag in tags:
        line, at = line + text.count("\n", at, tag.start()), tag.start()
        if not in_math(inert, tag.start() + 1):
            found.setdefault(line, []).append(tag[1])
    return found


def bare(text: str, decks: Iterable[str]) -> str:
    """A card's text without the flashcard tags at its beginning."""
    decks = tuple(decks)
    while (found := _LEADING.match(text)) and deck_of(found[1], decks) is not None:
        text = text[found.end() :]
    return text.lstrip("\n").lstrip() if found is None else text.lstrip()
