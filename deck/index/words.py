"""The words and texts of a card, as searches compare them: without case and without accents.

The index stores `" ".join(words(text))`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from cards.model import Card
from deck.study_day import iso_day

_WORD = re.compile(r"[^\W_]+")
_WORD_OR_STAR = re.compile(r"(?:[^\W_]|\*)+")


def words(text: str) -> list[str]:
    """The words of a text, in order: letters and digits, all else parts them."""
    return _WORD.findall(folded(text))


def patterns(text: str) -> list[str]:
    """`words` of a search, in which `*` stands for any letters."""
    return [found for found in _WORD_OR_STAR.findall(folded(text)) if found.strip("*")]


def folded(text: str) -> str:
    """Lower case, without accents: "Č" is "c"."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


def folded_places(text: str) -> tuple[str, list[int] | None]:
    """`folded` text, and of each of its letters the place in `text`; None where all stay."""
    if text.isascii():
        return text.lower(), None
    letters, places = [], []
    for place, letter in enumerate(text):
        plain = _folded_letter(letter)
        letters.append(plain)
        places += [place] * len(plain)
    return "".join(letters), places


_folded_letter = lru_cache(maxsize=1024)(folded)


@lru_cache(maxsize=256)
def glob(pattern: str) -> re.Pattern[str]:
    """The regular expression of a whole folded text in which `*` stands for any characters."""
    parts = (re.escape(part) for part in folded(pattern).split("*"))
    return re.compile(".*".join(parts), re.DOTALL)


# The texts of a card that a search reads.

#: What `has:` finds.
HAS = ("exercise", "points", "options", "difficulty", "link")


def parts_of(card: Card) -> tuple[str, str, str]:
    """The question, the solution, and all else that a bare word is looked for in."""
    options = [option.text for option in card.options]
    return card.question, card.solution, "\n".join([card.id, card.course, *card.tags, *options])


def text_of(card: Card) -> str:
    """All that a bare word is looked for in."""
    return "\n".join(parts_of(card))


def is_tag(tag: str, pattern: str) -> bool:
    """nn is also asked for nn::cnn and nn/cnn."""
    return _above(tag, pattern, "::") or _above(tag, pattern, "/")


def in_deck(names: tuple[str, ...], pattern: str) -> bool:
    """Any name on the way from the course down, or several of them with " › " between."""
    return any_of(names, pattern) or _above(" › ".join(names), pattern, " › ")


def gives(card: Card, what: str) -> bool:
    """`has:what`."""
    return {
        "exercise": card.exercise is not None,
        "points": card.points is not None,
        "options": card.is_choice,
        "difficulty": card.difficulty is not None,
        "link": bool(card.related),
    }[what]


def any_of(values: Iterable[str], pattern: str) -> bool:
    form = glob(pattern)
    return any(form.fullmatch(folded(value)) for value in values if value)


def _above(value: str, pattern: str, separator: str) -> bool:
    """Also where the pattern names what stands above the value: nn for nn::cnn."""
    parts = value.split(separator)
    return any_of((separator.join(parts[: depth + 1]) for depth in range(len(parts))), pattern)


# The day on which a card was written, as far as the card says it.

_ID_DAY = re.compile(r"((?:19|20)\d{2})-?(\d{2})-?(\d{2})(?!\d)")


def written_on(card: Card) -> date | None:
    """Its `created:`, `added:` or `date:`, or the day with which its id begins (20260106_...)."""
    for key in ("created", "added", "date"):
        value = card.extra.get(key)
        if isinstance(value, str) and (day := iso_day(value[:10])):
            return day
    in_id = _ID_DAY.match(card.id)
    return iso_day("-".join(in_id.groups())) if in_id else None
