"""A card's two sides out of its text: question and answer, or a text with hidden parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deck.exchange import clozes
from deck.exchange.obsidian.blocks import Block, hidden, parting
from deck.exchange.obsidian.settings import Settings

_BULLET = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
#: `1;;text;;hint`; `ash;;text` is the plugin's way to order what is shown.
_INNER = re.compile(
    r"(?:(?P<number>\d{1,3});;|(?P<order>[ash]{1,50});;)?(?P<text>.*?)(?:;;(?P<hint>(?:(?!;;).)*))?",
    re.DOTALL,
)
_ANKI = re.compile(r"c(?P<number>\d{1,3})::?(?P<text>.*?)(?:::(?P<hint>(?:(?!::).)*))?", re.DOTALL)
_AFTER = re.compile(r"(?:\^\[(?P<hint>[^\]\n]*)\])?(?:\[\^(?P<number>\d{1,3})\])?")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a card says here, and its items in the order in which the plugin counts them."""

    type: str
    question: str
    answer: str
    suffixes: tuple[str, ...]
    unread: str = ""
    """What of it has no equal here, as a sentence."""


def asked(block: Block, text: str, settings: Settings) -> Asked:
    """The card of a block, whose `text` is bare of tags and schedule."""
    match block.kind:
        case "line" | "line_both":
            both = block.kind == "line_both"
            sign = settings.line_both if both else settings.line
            at = parting(text, sign)
            question = text[_bullet(text) : at].strip()
            return _sides(question, text[at + len(sign) :].strip(), both)
        case "lines" | "lines_both":
            both = block.kind == "lines_both"
            sign = settings.lines_both if both else settings.lines
            lines = text.split("\n")
            at = next((n for n, line in enumerate(lines) if line.strip() == sign), len(lines))
            return _sides("\n".join(lines[:at]), "\n".join(lines[at + 1 :]), both)
        case "cloze":
            return _cloze(text, settings)


def _bullet(text: str) -> int:
    found = _BULLET.match(text)
    return found.end() if found else 0


def _sides(question: str, answer: str, both: bool) -> Asked:
    kind = "reversed" if both else "basic"
    suffixes = ("", "/r") if both else ("",)
    return Asked(kind, question.strip(), answer.strip(), suffixes)


def _cloze(text: str, settings: Settings) -> Asked:
    parts, at, given, unread = [], 0, [], ""
    found = list(hidden(text, settings))
    for place, match in enumerate(found, 1):
        if match.start() < at:
            continue
        inner = _ANKI.fullmatch(match[0][2:-2]) or _INNER.fullmatch(match[0][2:-2])
        after = _AFTER.match(text, match.end())
        if inner is None or after is None:
            continue
        if inner.groupdict().get("order"):
            unread = "The order in which its hidden parts are shown was left out."
        said = inner["number"] or after["number"]
        number = int(said) if said and 1 <= int(said) <= clozes.MOST else min(place, clozes.MOST)
        hint = inner["hint"] or after["hint"] or ""
        parts += [clozes.plain(text[at : match.start()])]
        parts += [clozes.hidden(number, inner["text"], hint)]
        given.append(number)
        at = match.end() + len(after[0])
    parts.append(clozes.plain(text[at:]))
    suffixes = tuple(f"/c{number}" for number in sorted(set(given)))
    return Asked("cloze", "".join(parts).strip(), "", suffixes, unread)
