"""What is exported: cards, what was done with them, their texts and pictures; what is lost.

A format's writer goes through `ExportSource.cards`, and tells the `ExportReport` what it has no
place for.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import normalize
from urllib.parse import unquote

from cards.cloze import Cloze, find, revealed, rewritten
from cards.files import open_regular
from cards.links import find as find_links
from cards.links import leaves
from cards.model import Card, CardError, Item
from deck.collection import Collection
from deck.config import Config
from deck.decks import deck_path
from deck.errors import reason
from deck.events import Event, Practised, Reset, Reviewed
from deck.exchange.model import Lost, name_digest, tagged
from deck.replay import (
    SUSPENDED,
    ItemState,
    Learning,
    New,
    ReplayCursor,
    Review,
    recall,
    undone_ids,
)
from deck.study_day import day_start, study_day

Progress = Callable[[int, int], None]
"""Done, of how many."""


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A collection, and what of it was chosen."""

    collection: Collection
    now: datetime
    chosen: tuple[str, ...] | None = None
    """Items; None for everything."""

    @property
    def root(self) -> Path:
        return self.collection.root

    def cards(
        self, report: ExportReport, progress: Progress, by_deck: bool = False
    ) -> Iterator[Card]:
        """The cards (`by_deck`: with those of a deck together); what cannot be read any more is
        said in the report."""
        ids = self._card_ids(by_deck)
        for number, card_id in enumerate(ids):
            progress(number, len(ids))
            try:
                yield self.collection.cards[card_id]
            except (CardError, KeyError):
                report.lose(card_id, "Its file changed while the export ran; it is left out.")
        progress(len(ids), len(ids))
        for problem in self.collection.problems if self.chosen is None else ():
            if problem.severity == "error" and problem.path is not None:
                report.lose(self.place(problem.path), f"It is left out: {problem.message}")

    def _card_ids(self, by_deck: bool) -> list[str]:
        if self.chosen is None and not by_deck:
            return list(self.collection.cards)
        items = self.collection.search("", self.now) if self.chosen is None else self.chosen
        outlines = self.collection.outlines(items)
        if not by_deck:
            return [card.id for card in outlines]
        decks = {card.id: deck_path(card, self.root) for card in outlines}
        return sorted(decks, key=lambda card_id: decks[card_id])

    def place(self, path: Path) -> str:
        """A file as its user names it: below the collection."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def folder(self, card: Card) -> tuple[str, ...]:
        """The folders from the collection down to the card's."""
        return card.path.relative_to(self.root).parts[:-1] if card.path else ()

    def pasts(self, card: Card) -> list[ItemHistory]:
        """The card's items, each with its history: what a replay passes through is kept."""
        found = []
        for item in card.items:
            track = ReplayCursor(item.id, self.collection.config)
            done = tuple(_followed(track, self.collection.events(item.id)))
            suspended = track.suspended or card.status == SUSPENDED
            found.append(ItemHistory(item, done, track.state(), suspended, track.buried))
        return found


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A Reviewed, Crammed or Reset of an item that was not undone."""

    event: Event
    before: ItemState
    after: ItemState


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """One item, all that was done with it, and where it stands."""

    item: Item
    done: tuple[HistoryEntry, ...]
    state: ItemState
    suspended: bool
    """By the journal, or by the card's own `status:`."""
    buried: date | None
    """It is not asked before this study day."""

    @property
    def answers(self) -> list[HistoryEntry]:
        return [each for each in self.done if isinstance(each.event.what, Reviewed)]


def _followed(track: ReplayCursor, events: Sequence[Event]) -> Iterator[HistoryEntry]:
    undone = undone_ids(events)
    for event in events:
        if event.id in undone:
            continue
        what = event.what
        before = track.state() if isinstance(what, Reviewed | Practised | Reset) else None
        track.follow_each((event,))
        if before is not None:
            yield HistoryEntry(event, before, track.state())


#: Of the same kind, so many places are kept; of more, how many there are.
_MOST = 1000


@dataclass(slots=True)
class ExportReport:
    """Grows while a file is written."""

    format: str
    counts: dict[str, int] = field(default_factory=dict)
    """What was written: "cards", "items", "answers", "media", "events"."""
    lost: list[Lost] = field(default_factory=list)
    """What could not be expressed, each with its place: something is missing from the file."""
    more: int = 0
    """Those beyond the ones that are kept."""
    plain: Counter[str] = field(default_factory=Counter)
    """What the format has no place for, as a sentence, and of how many cards that is true."""
    _last: dict[str, str] = field(default_factory=dict)
    """Of each sentence, the card that it was last said of."""

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def lose(self, where: str, what: str) -> None:
        if len(self.lost) < _MOST:
            self.lost.append(Lost(where, what))
        else:
            self.more += 1

    def lacks(self, card: Card, what: str, name: str, why: str) -> None:
        """A picture or a file that a card names is missing from what is written."""
        self.lose(card.id, f"The {what} {name!a} is not in it: {why}.")

    def without(self, what: str, card: str = "") -> None:
        """`what`: a sentence; said of a `card` several times, it counts once."""
        if self._last.get(what) != card or not card:
            self._last[what] = card
            self.plain[what] += 1

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are stable."""
        return {
            "format": self.format,
            "written": self.counts,
            "lost": [{"where": lost.where, "what": lost.what} for lost in self.lost],
            "lost_more": self.more,
            "not_in_the_format": [{"what": w, "cards": n} for w, n in self.plain.items()],
        }


# Values of schedules, as tables and JSON have them.


def utc(at: datetime) -> str:
    """ "2026-11-21T12:00:00.000Z"."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(at: datetime, now: datetime) -> str:
    """ "2026-11-21T13:00:00+01:00", in the zone of `now`."""
    return at.astimezone(now.tzinfo).isoformat(timespec="seconds")


def schedule_of(past: ItemHistory, source: ExportSource) -> dict[str, Any]:
    """Where an item stands, as it follows from its answers; the keys are stable."""
    state, config, now = past.state, source.collection.config, source.now
    due = due_of(state, now, config)
    name = "review" if isinstance(state, Review) else "new"
    if isinstance(state, Learning):
        name = "relearning" if state.relearning else "learning"
    today = study_day(now, config.rollover)
    return {
        "state": name,
        "due": local(due, now) if due else None,
        "stability": None if isinstance(state, New) else state.memory.stability,
        "difficulty": None if isinstance(state, New) else state.memory.difficulty,
        "retrievability": None if isinstance(state, New) else recall(state, today, config),
        "repetitions": 0 if isinstance(state, New) else state.repetitions,
        "lapses": 0 if isinstance(state, New) else state.lapses,
        "buried_until": past.buried.isoformat() if past.buried else None,
    }


def due_of(state: ItemState, now: datetime, config: Config) -> datetime | None:
    """When an item is due: a learning step to the second, a review when its study day begins."""
    match state:
        case Learning():
            return state.due
        case Review():
            return day_start(state.due_day, config.rollover, now)
    return None


def was_moved(past: ItemHistory) -> bool:
    """Whether the item is due on another day than its last answer said."""
    if not isinstance(past.state, Review):
        return False
    after = past.answers[-1].after if past.answers else None
    return not isinstance(after, Review) or after.due_day != past.state.due_day


# The two sides of a card as Markdown, as every format shows them.


def asked(card: Card) -> str:
    """The question with its points."""
    if card.points is None:
        return card.question
    # What begins a block must stay at the beginning of its line.
    joint = " " if card.question[:1].isalnum() else "\n\n"
    return f"({card.points:g} p){joint}{card.question}"


def with_gaps(card: Card) -> str:
    """What is asked, as it stands on paper: of clozes all at once, each with its hint."""
    text = asked(card)
    return rewritten(text, find(text).found, _gap) if card.type == "cloze" else text


#: A hint that can stand in a formula as words.
_WORDS = re.compile(r"[\w\s,.;:!?'()/+=-]+")


def _gap(cloze: Cloze) -> str:
    if not cloze.math:
        return f"[{cloze.hint or '...'}]"
    return rf"\boxed{{\text{{{cloze.hint if _WORDS.fullmatch(cloze.hint) else '...'}}}}}"


def without_gaps(card: Card) -> str:
    """The answer of clozes: the text with everything shown; of other cards nothing."""
    return revealed(card) if card.type == "cloze" else ""


def options(card: Card) -> list[tuple[str, str]]:
    """The letters and texts of what can be chosen."""
    return [(each.letter, each.text) for each in card.options if not each.placeholder]


def answered(card: Card) -> str:
    """The answer that the card's own solution does not show: a number of the frontmatter."""
    correct = card.correct.strip()
    if card.type != "numeric" or not correct or correct in card.solution:
        return ""
    tolerance = f" (± {card.tolerance})" if card.tolerance else ""
    return f"**Answer:** {correct}{tolerance}"


# Pictures that cards show: where their files are, and a name for each in one flat folder.

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:", re.IGNORECASE)
#: What Anki plays, and what it shows.
PLAYED = frozenset(
    {".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a", ".aac", ".mp4", ".webm"}
)
SHOWN = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp", ".tif"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
#: What no system's and no program's media folder takes in a name.
_ODD = re.compile(r'[\[\]<>:"/?*^\\|\x00-\x1f\x7f]+')
#: Bytes of a name, its ending included; file systems take 255.
_LONGEST = 120
#: Bytes of a picture; larger is no picture for a card.
_LARGEST = 100 * 2**20


def is_medium(target: str) -> bool:
    """Whether a link leads to a picture or a sound beside the cards: a file to take along."""
    name = unquote(target).split("#", 1)[0].strip()
    is_away = _SCHEME.match(name) or _ADDRESS.match(name)
    return not is_away and ending_of(name) in PLAYED | SHOWN


def ending_of(name: str) -> str:
    """ ".mp3" of "a.MP3"."""
    return Path(name).suffix.lower()


def linked(text: str) -> list[str]:
    """The media that a text links to without showing them; code and formulas left out."""
    if "[" not in text:
        return []
    names = [each.name for each in find_links(text) if not each.embed and each.kind != "wiki"]
    return [name for name in dict.fromkeys(names) if is_medium(name)]


@dataclass(frozen=True, slots=True)
class ExportPicture:
    """A file to be shown, or the reason why there is none."""

    path: Path | None
    why: str = ""


class Pictures:
    """Finds pictures below `root`, never outside of it."""

    def __init__(self, root: Path) -> None:
        self.root, self._real = root, root.resolve()

    def find(self, target: str, card: Path | None) -> ExportPicture:
        """The file that a card means: beside it, then below the collection, then by its name
        anywhere in it, as Obsidian does."""
        name = unquote(target).split("#", 1)[0].strip()
        if _ADDRESS.match(name):
            return ExportPicture(None, "it is on the web, and nothing is fetched")
        if not name or (leaves(target) and leaves(name)):
            return ExportPicture(None, "it is outside of the collection")
        for folder in [*([card.parent] if card else []), self.root]:
            if (found := self._usable(folder / name)) is not None:
                return found
        path = self._by_name.get(Path(name).name.casefold())
        return (path and self._usable(path)) or ExportPicture(None, "there is no such file")

    def _usable(self, path: Path) -> ExportPicture | None:
        try:
            if not path.is_file():
                return None
            # A link in a shared deck must not carry a private file away.
            if not path.resolve().is_relative_to(self._real):
                return ExportPicture(None, "it is a link that leaves the collection")
            if path.stat().st_size > _LARGEST:
                return ExportPicture(None, f"it is larger than {_LARGEST // 2**20} MB")
        except (OSError, ValueError):
            return None
        return ExportPicture(path)

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        """Every file that is no card, by its name; of two alike the first one."""
        found: dict[str, Path] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if not name.startswith(".") and not name.lower().endswith(".md"):
                    found.setdefault(name.casefold(), Path(folder) / name)
        return found


@dataclass(slots=True)
class MediaNames:
    """Gives each file a name of its own in one folder without folders."""

    _of: dict[Path, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def name(self, path: Path) -> str:
        if path not in self._of:
            name = media_name(path.name)
            if name.casefold() in self._taken:
                name = tagged(name, name_digest(str(path)))
            self._taken.add(name.casefold())
            self._of[path] = name
        return self._of[path]

    def opened(self, report: ExportReport) -> Iterator[tuple[str, BinaryIO]]:
        """The files by the names given, in their order; what cannot be read is lost."""
        for path, name in self._of.items():
            try:
                file = open_regular(path)
            except OSError as error:
                report.lose(name, f"The picture cannot be read: {reason(error)}.")
                continue
            with file:
                report.count("media")
                yield name, file


def media_name(name: str) -> str:
    """`name` as a file's name that every system takes."""
    plain = normalize("NFC", _ODD.sub("_", os.fsencode(name).decode("utf-8", "replace")))
    stem, dot, ending = plain.strip(" .").rpartition(".")
    if not dot:
        stem, ending = ending, ""
    room = _LONGEST - len(ending.encode()) - 1
    short = stem.encode()[: max(room, 1)].decode("utf-8", "ignore") or "picture"
    return f"{short}.{ending}" if dot else short
