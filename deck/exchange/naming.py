"""Names for what comes from outside: ids that a person can read, keys that stay the same."""

from __future__ import annotations

import hashlib
import re
import unicodedata

#: An id is cut here, at the end of a word.
_LONGEST = 40
_CLOZE = re.compile(r"\{\{c\d+::(.*?)(?:::[^{}]*)?\}\}", re.DOTALL)
_SHOWN = re.compile(r"!\[[^\]]*\]\([^)]*\)|!\[\[[^\]]*\]\]|\]\([^)]*\)")
_WORD = re.compile(r"[a-z0-9]+")
#: Letters that have no accent to take off.
_PLAIN = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d"})


def id_from(text: str, otherwise: str) -> str:
    """A card's id made of the first words of its question; `otherwise` where it has none.

    Letters of other scripts are left out: an id is typed in a shell and names a file.
    """
    text = _SHOWN.sub(" ", _CLOZE.sub(r"\1", text[:500]))
    text = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    bare = text
    if not text.isascii():
        bare = "".join(letter for letter in text if not unicodedata.combining(letter))
    words, length = [], 0
    for word in _WORD.findall(bare):
        length += len(word) + 1
        if length > _LONGEST + 1:
            break
        words.append(word)
    return "_".join(words) or otherwise


def content_key(*parts: str) -> str:
    """A key for a card that its format gives none: the same for the same texts, in any file.

    The first 128 bits of SHA-256; parts are told apart, so that ("ab", "c") is not ("a", "bc").
    """
    digest = hashlib.sha256()
    for part in parts:
        data = " ".join(part.split()).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


class Keys:
    """Keys that were given; a second card of one key gets its own, by its place among them."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def unique(self, key: str) -> str:
        count = self._given[key] = self._given.get(key, 0) + 1
        return key if count == 1 else f"{key}#{count}"
