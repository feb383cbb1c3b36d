"""What a reader of a foreign format finds: cards, histories, media, losses; and their names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import IO, Literal

from cards.model import Value
from cards.text import printable_line
from deck.decks import FORBIDDEN, fitting_name, folder_name
from deck.errors import reason

#: No interval is longer, in days: Anki's own limit.
LONGEST_INTERVAL = 36_500


class ExchangeError(ValueError):
    """A foreign file that cannot be read or written: what is wrong, where, and the way out."""


def unreadable(path: Path, error: OSError) -> ExchangeError:
    return ExchangeError(f"{path}: it cannot be read: {reason(error)}.")


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that could not be carried over."""

    where: str
    """Which note, deck or line, as a person would find it there."""
    what: str
    """A sentence."""


Say = Callable[..., None]
"""Takes sentences about one place."""


class Losses(list[Lost]):
    """All that an import cannot carry over, as it is found."""

    def say(self, where: str, *sentences: str) -> None:
        self.extend(Lost(where, what) for what in sentences)

    def at(self, where: str) -> Say:
        return partial(self.say, where)


@dataclass(frozen=True, slots=True)
class ForeignReview:
    """An answer that was given in another program."""

    at: datetime
    """Aware."""
    rating: int
    """1 to 4, as `deck.Rating`."""
    milliseconds: int = 0
    days: int | None = None
    """What it led to: due again after so many days; None where it led to a learning step, or the
    format does not say."""
    key: str = ""
    """Names it among all answers of its program, so that a second import knows it again."""
    wait: timedelta | None = None
    """What it led to, where that is a learning step: due again after so long."""
    what: Literal["answer", "cram", "reset", "move", "set"] = "answer"
    """Not each is an answer: practice that no schedule sees; made new again; an item in review is
    due again after `days`; an item, wherever it stands, is put into review and due after `days`.
    The last three have no rating (0)."""
    event_id: str = ""
    """Its id in a journal of ours, where it comes from one."""
    implied: bool = False
    """Its time is worked out from the day on which the item is due: it was given then or, where
    that is still to come, before now.  It has a key."""
    due: date | None = None
    """The day on which it was due again, where the format says that: counts before `days`."""
    day: date | None = None
    """The study day that it counted for there: the date of `at` or the one before."""


@dataclass(frozen=True, slots=True)
class ForeignItem:
    """One of a card's items: `suffix` is as in `cards.model.Item` ("", "/r", "/c1")."""

    suffix: str = ""
    reviews: tuple[ForeignReview, ...] = ()
    """In the order of time."""
    suspended: bool = False
    due: datetime | None = None
    """When it is due there, where no review says so: a date that was set by hand, or a format that
    keeps dates and no answers."""
    interval: int | None = None
    """Days: it is in review there, whatever the reviews say, with this interval."""
    buried: date | None = None
    """It is not asked before this day."""
    changed: datetime | None = None
    """When suspended, due or buried were last set there; None where the format does not say."""


@dataclass(frozen=True, slots=True)
class OwnCard:
    """What a file says of a card that may be one of the collection's: by its id there."""

    card_id: str
    type: str
    question: str
    """As written in the file: its pictures still have the names that they have here."""
    solution: str
    fields: Mapping[str, Value] = field(default_factory=dict)
    digest: str = ""
    """`known.digest_of` the card's file when it was exported; "" where the file does not say."""
    names: tuple[str, ...] = ()
    """Of a table: the columns that it has; of Anki, the fields."""
    exported: bool = True
    """Whether an export of ours wrote it; else it only has such an id."""
    lost: tuple[Lost, ...] = ()
    """What is lost where it is none of the collection's."""
    html: tuple[str, ...] = ()
    """Of Anki: the fields as they are there; `names` are theirs."""


@dataclass(frozen=True, slots=True)
class ForeignCard:
    """A card as it would be written here."""

    key: str
    """Names it in its program for good, such as a note's GUID: a second import finds it by this."""
    wanted_id: str
    """A good id here; `plan` makes it unique."""
    folder: tuple[str, ...]
    """Of decks, the outermost first; made safe as file names by `plan`."""
    type: str
    question: str
    """Markdown, without a heading."""
    solution: str
    fields: Mapping[str, Value] = field(default_factory=dict)
    """More frontmatter: course, tags, and what of the format is worth keeping."""
    items: tuple[ForeignItem, ...] = ()
    media: tuple[str, ...] = ()
    """Names in `ImportSource.media` that its texts show: links and embeds of Markdown,
    `![](name)` or `[name](<a name>)`, whose targets become the places of the copies."""
    own: OwnCard | None = None
    """Where it may be a card that the collection has."""
    version: int = 0
    """When it was changed last there, in seconds since 1970; 0 where the format does not say."""
    apart: tuple[ForeignCard, ...] = ()
    """The same as two cards that ask one way each: a collection that has the second keeps both."""
    parts: tuple[str, ...] = ()
    """Of a text export of Anki: each of the note's fields; how they are drawn it does not say."""
    bare: bool = False
    """Whether the parts are without their marks, formulas and pictures."""
    half_of: str = ""
    """The key of the card before it, which would ask both ways if the two were each other's mirror
    image: this is the way back."""


def where_of(card: ForeignCard) -> str:
    """A card for a sentence: its deck and its first words."""
    deck = " › ".join(card.folder)
    words = printable_line(card.question)[:60]
    return f"{deck}: {words}" if deck else words or card.key


@dataclass(frozen=True, slots=True)
class ImportSource:
    """Everything of one import.  `cards` is asked once and yields as it reads: 100,000 fit."""

    program: str
    """ "anki", "hashcards", ...: keys are unique within it."""
    name: str
    """What was read, for messages."""
    total: int
    """How many cards `cards` yields, for a bar; a guess will do."""
    cards: Callable[[], Iterator[ForeignCard]]
    media: Mapping[str, Callable[[], IO[bytes]]] = field(default_factory=dict)
    """By the name that the cards use; opened when it is copied."""
    lost: Losses = field(default_factory=Losses)
    """Grows while `cards` is read."""
    made: int = 0
    """When it was made, in milliseconds since 1970; 0 where the format does not say."""


# Names for what comes from outside: ids that a person can read, keys that stay the same.

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
    if not text.isascii():
        text = "".join(letter for letter in text if not unicodedata.combining(letter))
    words, length = [], 0
    for word in _WORD.findall(text):
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
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


def name_digest(name: str, size: int = 4) -> str:
    """A digest of a name, to tell it from another of the same safe form; 2 digits a byte."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


# Names from outside made safe for folders and files of every system.

_LINKS = re.compile(r"[\s()]+")


def file_name(name: str) -> str:
    """A medium's name: the last part of a path, without what a link would have to escape.

    One that had to be changed gets a digest of the original, so that two stay two.
    """
    safe = unicodedata.normalize("NFC", printable_line(re.split(r"[/\\]", name)[-1]))
    safe = _LINKS.sub("_", FORBIDDEN.sub("_", safe)).strip(" .")
    stem, dot, suffix = safe.rpartition(".")
    if not dot or len(suffix) > 10:
        stem, suffix = safe, ""
    if suffix.lower() == "md":  # it would be read as a card
        suffix = "txt"
    stem = fitting_name(stem.strip(" ."), "file")
    safe = f"{stem}.{suffix}" if suffix else stem
    return safe if safe == name else tagged(safe, name_digest(name))


def tagged(name: str, tag: str) -> str:
    """The name with a tag before its suffix."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{tag}.{suffix}" if dot else f"{name}-{tag}"


def folders_of(path: str) -> tuple[str, ...]:
    """The folders of `--into`.  Raises ExchangeError where they would leave the collection."""
    parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".")]
    absolute = path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:", path)
    # A hidden folder is none of its safe names: those have no point in front.
    if absolute or any(folder_name(part) != part for part in parts):
        raise ExchangeError(
            f"{path!a} is no folder inside the collection: give a path below it, "
            "such as Languages/Czech, without '..' and hidden folders."
        )
    return tuple(parts)
