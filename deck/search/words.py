"""The words of a text, as searches compare them: without case and without accents.

An index stores `" ".join(words(text))`, so that it finds what `matches` finds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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


@lru_cache(maxsize=1024)
def _folded_letter(letter: str) -> str:
    return folded(letter)


@lru_cache(maxsize=256)
def glob(pattern: str) -> re.Pattern[str]:
    """The regular expression of a whole folded text in which `*` stands for any characters."""
    parts = (re.escape(part) for part in folded(pattern).split("*"))
    return re.compile(".*".join(parts), re.DOTALL)
