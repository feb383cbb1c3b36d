"""What an import would do, card by card, writing nothing.

    plan(bundle, collection, now, into) -> Plan
    Plan.steps() -> Iterator[Step]       once; `Plan.summary` counts them as they are yielded
    look(plan) -> Summary                the dry run: all steps, and nothing is done

A card is known by its source.  Of one that is there already, the text is compared with what an
import wrote last (`log.py`): what changed only there is taken, what changed here stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from cards.files import open_regular
from cards.frontmatter import unsafe_id
from cards.text import one_line
from deck.events import Event, Reviewed, Suspended
from deck.exchange.history import ForeignHistories, as_here
from deck.exchange.log import ImportLog, KnownCard, digest_of, known_cards, mark_of
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ImportSource,
    Lost,
    file_name,
    folder_name,
    folders_of,
    name_digest,
    tagged,
    where_of,
)
from deck.exchange.normalise import card_text
from deck.replay import SUSPENDED

if TYPE_CHECKING:
    from deck.collection import Collection

Progress = Callable[[int, int], None]
"""Cards done, and how many there are."""
Fate = Literal["new", "changed", "unchanged", "kept"]
"""What becomes of a card.  Kept: it changed there, and was edited here."""
#: Of each fate, so many ids are kept.
_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One card of an import."""

    fate: Fate
    card_id: str
    path: Path
    source: str
    """As in the frontmatter."""
    text: str = ""
    """As the source has it; of a kept card it is not written."""
    mark: bytes = b""
    """`log.mark_of` the text."""
    status: str = ""
    """What the schedule says with the new events; "" where the card's line stays."""
    copies: tuple[MediaCopy, ...] = ()
    events: tuple[Event, ...] = ()
    """Those that the journal has not."""
    version: int = 0
    """When the text was changed last in its program, as `ForeignCard.version`."""
    replaces: str = ""
    """Of a card of our own export: `log.digest_of` the file that the text was made of."""


@dataclass(slots=True)
class Summary:
    """What was done, or would be."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    kept: int = 0
    done: int = field(default=0, compare=False)
    """Cards of any fate with which the import is through."""
    media: int = 0
    """Files that are copied."""
    reviews: int = 0
    """Answers that the journal did not have."""
    suspended: int = 0
    """Items that become suspended."""
    resumed: int = 0
    """Items that are no longer suspended, as in the source."""
    listed: dict[str, list[str]] = field(default_factory=dict)
    """The ids of the first thousand cards of each fate but `unchanged`."""
    lost: list[Lost] = field(default_factory=list)

    def take(self, step: Step) -> None:
        setattr(self, step.fate, getattr(self, step.fate) + 1)
        self.media += len(step.copies)
        for event in step.events:
            self.reviews += isinstance(event.what, Reviewed)
            self.suspended += event.what == Suspended(True)
            self.resumed += event.what == Suspended(False)
        if step.fate != "unchanged":
            listed = self.listed.setdefault(step.fate, [])
            if len(listed) < _LISTED:
                listed.append(step.card_id)


@dataclass(slots=True)
class Plan:
    """An import into a collection; its steps are worked out as they are asked for, once."""

    bundle: ImportSource
    collection: Collection
    into: tuple[str, ...]
    past: ForeignHistories
    log: ImportLog
    media: MediaFolder
    summary: Summary
    _known: dict[str, KnownCard]
    _ids: set[str]
    """Of cards and items, and those that were given; case folded."""
    _seen: set[str] = field(default_factory=set)
    _missing: set[str] = field(default_factory=set)
    _made_here: set[str] = field(default_factory=set)
    """The ids of new cards."""
    _older: int = 0
    _unsure: int = 0
    """Cards that stay, as a text export does not say how they show a note's fields."""
    _last: Step | None = None

    def steps(self, progress: Progress | None = None) -> Iterator[Step]:
        """Raises ExchangeError where the bundle cannot be read to its end."""
        lost = self.bundle.lost
        for number, card in enumerate(self.bundle.cards(), 1):
            if progress is not None and number % 64 == 1:
                progress(number - 1, max(self.bundle.total, number))
            for each in as_here(card, self.bundle.program, self._known):
                try:
                    step = self._last = self._step(each)
                except ExchangeError as error:
                    lost.say(where_of(each), str(error))
                    continue
                self.summary.take(step)
                if step.text and each.own is None:  # else its id is known from the file
                    self.log.name(step.source, step.card_id)
                yield step
        if self._older or self.media.older:
            what = "It is older than what was imported last, which stays: "
            what += f"cards: {self._older:,}; pictures and sounds: {self.media.older:,}."
            lost.say(self.bundle.name, what)
        if self._unsure:
            what = f"Of {self._unsure:,} notes the cards say every word, and stay as they are. "
            lost.say(
                self.bundle.name,
                f"{what}What was taken out of a note, only a package (.apkg) tells.",
            )

    def _step(self, card: ForeignCard) -> Step:
        program = self.bundle.program
        source = f"{program}:{card.key}"
        if source in self._seen:
            raise ExchangeError("It is there twice; the first counts.")
        self._seen.add(source)
        if self.into and card.folder and card.fields.get("course") == card.folder[0]:
            card = replace(card, fields={k: v for k, v in card.fields.items() if k != "course"})
        found = self._known.get(source)
        before = self._known.get(f"{program}:{card.half_of}") if card.half_of else None
        #: The item in whose place the card comes.
        way_back = f"{before.card_id}/r" if before else ""
        if found is not None and found.card_id:
            return self._known_step(card, found, way_back)
        if step := self._own_step(card, source):
            return step
        if before is not None and found is None and (step := self._way_back(card, before)):
            return step
        return self._new_step(card, source, way_back)

    def _new_step(self, card: ForeignCard, source: str, way_back: str) -> Step:
        places, copies = self._places(card)
        self.bundle.lost.extend(card.own.lost if card.own else ())
        card_id, path = self._new_place(card, source)
        events = self.past.events(card, card_id, way_back)
        if self.past.knows(way_back):
            what = f"It is a card of its own now, {card_id}, and goes on where {way_back} was."
            self.bundle.lost.say(where_of(card), what)
        status = self.past.status(card, card_id, events)
        said = "" if card.own and card.own.exported and card.own.card_id == card_id else source
        text = card_text(card, card_id, said, status, places)
        mark = mark_of(source, text.encode("utf-8"))
        return Step("new", card_id, path, source, text, mark, "", copies, events, card.version)

    def _known_step(self, card: ForeignCard, found: KnownCard, way_back: str) -> Step:
        """What is done with a card that an earlier import brought."""
        same = Step("unchanged", found.card_id, found.path, found.source)
        if card.parts:
            fitted = self._fitted(card, found)
            if fitted is None:
                return same
            card = fitted
        places, copies = self._places(card)
        events = self.past.events(card, found.card_id, way_back)
        status = self.past.status(card, found.card_id, events) if events else found.status
        is_resumed = any(event.what == Suspended(False) for event in events)
        if found.status == SUSPENDED and not is_resumed:
            status = found.status
        text = card_text(card, found.card_id, found.source, status, places)
        mark = mark_of(found.source, text.encode("utf-8"))
        if found.mark == mark:
            self.log.confirm(mark, card.version)
        return replace(
            same,
            fate=self._fate(found.mark, mark, card),
            text=text,
            mark=mark,
            status=status if status != found.status else "",
            copies=copies,
            events=events,
            version=card.version,
        )

    def _fitted(self, card: ForeignCard, found: KnownCard) -> ForeignCard | None:
        """A note of a text export as the card that stands here; None where that stays."""
        from deck.exchange.reimport import fitted

        keys = [key for key in self._known if key.startswith(f"{self.bundle.program}:{card.key}:")]
        ids = [found.card_id, *(self._known[key].card_id for key in keys)]
        here = [mine for each in ids if (mine := self.collection.cards.get(each)) is not None]
        try:
            made = fitted(card, here) if here else card
        except ExchangeError as error:
            self.bundle.lost.say(found.card_id, str(error))
            return None
        self._unsure += made is None
        return made

    def _own_step(self, card: ForeignCard, source: str) -> Step | None:
        """What is done with a card that the collection has under this id, if it has one."""
        own, deck = card.own, self.collection
        mine = deck.cards.get(own.card_id) if own else None
        if own is None or mine is None or mine.path is None or own.card_id in self._made_here:
            return None
        # With the Markdown parser, which other cards do not need.
        from deck.exchange.reimport import edited, edited_in_anki, is_same

        if mine.status == SUSPENDED:  # by its own line: no event says it
            items = tuple(
                replace(i, suspended=i.suspended and self.past.is_suspended(mine.id + i.suffix))
                for i in card.items
            )
            card = replace(card, items=items)
        events = self.past.events(card, mine.id)
        status = self.past.status(card, mine.id, events) if events else mine.status
        moved = status if status != mine.status != SUSPENDED else ""
        same = Step("unchanged", mine.id, mine.path, source, status=moved, events=events)
        if is_same(self.bundle.program, own, mine, deck):
            return same
        places, copies = self._places(card, is_quiet=True)
        text = card_text(card, mine.id, "" if own.exported else source, status, places)
        mark = mark_of(source, text.encode("utf-8"))
        here = mark_of(source, mine.source.encode("utf-8", "surrogatepass"))
        fate = self._fate(here, mark, card)
        if fate == "changed":
            version = card.version
            return replace(same, fate=fate, text=text, mark=mark, copies=copies, version=version)
        if fate == "unchanged":
            return same
        here_digest = digest_of(mine.source)
        if self.bundle.program == "anki":
            text, wrong = edited_in_anki(own, mine, deck)
            self.bundle.lost.extend(Lost(mine.id, what) for what in wrong)
            if text == mine.source:
                return replace(same, fate="kept" if wrong else "unchanged")
        elif own.digest != here_digest:
            return replace(same, fate="kept")
        else:
            try:
                text = edited(self.bundle.program, own, mine, deck)
            except ExchangeError as error:
                self.bundle.lost.say(mine.id, str(error))
                return replace(same, fate="kept")
        return replace(same, fate="changed", text=text, replaces=here_digest)

    def _way_back(self, card: ForeignCard, before: KnownCard) -> Step | None:
        """What is done with a note's second card, where its first still asks both ways here: what
        was edited here stays, and so does what a later package brought."""
        last, here = self._last, self.collection.cards.get(before.card_id)
        if last is None or last.card_id != before.card_id or here is None or here.path is None:
            return None
        if last.fate not in ("kept", "unchanged") or here.type != "reversed":
            return None
        item = replace(card.items[0], suffix="/r")
        events = self.past.events(replace(card, items=(item,)), here.id)
        return Step("unchanged", here.id, here.path, last.source, events=events)

    def _fate(self, mine: bytes, theirs: bytes, card: ForeignCard) -> Fate:
        verdict = self.log.verdict(mine, theirs, card.version)
        if verdict == "older":
            self._older += 1
            return "unchanged"
        return verdict

    def _new_place(self, card: ForeignCard, source: str) -> tuple[str, Path]:
        """An id that is free, and the file for it."""
        folder = self.collection.root.joinpath(*self.into, *map(folder_name, card.folder))
        wanted = _safe_id(card.wanted_id)
        digest = name_digest(source, 16)
        for length in (0, 6, 12, 32):
            card_id = f"{wanted}_{digest[:length]}" if length else wanted
            path = folder / f"{card_id}.md"
            if card_id.casefold() not in self._ids and not os.path.lexists(path):
                break
        self._ids.add(card_id.casefold())
        self._made_here.add(card_id)
        return card_id, path

    def _places(
        self, card: ForeignCard, is_quiet: bool = False
    ) -> tuple[dict[str, str], tuple[MediaCopy, ...]]:
        """Where the card's media lie, and those of them that are still to be copied."""
        places, copies = {}, []
        for name in card.media:
            try:
                place, copy = self.media.place(name)
            except ExchangeError as error:
                self.bundle.lost.say(where_of(card), f"{name!a}: {error}")
                continue
            if copy is not None:
                copies.append(copy)
            if place is not None:
                places[name] = place
            elif name not in self._missing and not is_quiet:
                self._missing.add(name)
                what = f"{name!r} is not there; its place stays empty."
                self.bundle.lost.say(where_of(card), what)
        return places, tuple(copies)


def _safe_id(wanted: str) -> str:
    """A card's id, which names its file too."""
    if len(wanted) <= 100 and wanted.isidentifier() and wanted.isascii():
        return wanted
    card_id = folder_name(one_line(wanted)).replace(" ", "_")[:100]
    return "card" if unsafe_id(card_id) else card_id


def plan(bundle: ImportSource, collection: Collection, now: datetime, into: str = "") -> Plan:
    """An import of a bundle into the folder `into` of a collection.

    Raises:
        ExchangeError: `into` would leave the collection.
    """
    folders = folders_of(into)
    log = ImportLog(collection.root, now, bundle.made)
    return Plan(
        bundle,
        collection,
        folders,
        ForeignHistories(bundle, collection, now),
        log,
        MediaFolder(collection.root, folders, bundle.media, log),
        Summary(lost=bundle.lost),
        known_cards(collection.root, collection.cards, bundle.program, log),
        {card_id.casefold() for card_id in collection.ids()},
    )


def look(made: Plan, progress: Progress | None = None) -> Summary:
    """The dry run: what the import would do."""
    for _ in made.steps(progress):
        pass
    return made.summary


# Pictures and sounds: where each goes; its copy replaces no other's file.

_FOLDER = "media"
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class MediaCopy:
    """A file that is to be copied."""

    open: Callable[[], IO[bytes]]
    path: Path
    replaces: bool
    """Whether the copy of an earlier state of the source stands there, which nobody changed."""


class MediaFolder:
    """Says where the media of a bundle go; each is decided once."""

    def __init__(
        self,
        root: Path,
        into: tuple[str, ...],
        media: Mapping[str, Callable[[], IO[bytes]]],
        log: ImportLog,
    ) -> None:
        self.path = root.joinpath(*into, _FOLDER)
        """Below the folder that takes the cards."""
        self._below = "/".join((*into, _FOLDER))
        self._media, self._log = media, log
        self._places: dict[str, str | None] = {}
        self._taken: set[str] = set()
        self.older = 0
        """Files that stay, for an import brought them from a later state of the source."""

    def place(self, name: str) -> tuple[str | None, MediaCopy | None]:
        """The path below the collection for a medium, None where there is none of this name; and
        the copy that is still to be made.

        Raises:
            ExchangeError: it cannot be read.
        """
        if name in self._places:
            return self._places[name], None
        if name not in self._media:  # an earlier import may have brought it
            safe = file_name(name)
            return (f"{self._below}/{safe}" if (self.path / safe).is_file() else None), None
        self._places[name] = None  # should it not be readable
        copy = self._decide(name)
        place = self._places[name] = f"{self._below}/{copy.path.name}"
        self._taken.add(copy.path.name.casefold())
        is_there = not copy.replaces and os.path.lexists(copy.path)
        return place, None if is_there else copy

    def _decide(self, name: str) -> MediaCopy:
        safe, source = file_name(name), self._media[name]
        if safe.casefold() in self._taken:  # two names of one safe form, or of one in other case
            safe = tagged(safe, name_digest(name))
        path = self.path / safe
        if not os.path.lexists(path):
            return MediaCopy(source, path, False)
        wanted = _digest(source)
        another = path.with_name(tagged(safe, wanted.hex()[:12]))
        try:
            there = _digest(lambda: open_regular(path))
        except OSError:  # no file, or none that can be read: it is another's
            return MediaCopy(source, another, False)
        theirs = self.mark(safe, wanted)
        verdict = self._log.verdict(self.mark(safe, there), theirs)
        if there == wanted:
            self._log.confirm(theirs)
        self.older += verdict == "older"
        return MediaCopy(source, another if verdict == "kept" else path, verdict == "changed")

    def mark(self, name: str, digest: bytes) -> bytes:
        return mark_of(f"media:{self._below}/{name}", digest)


def _digest(source: Callable[[], IO[bytes]]) -> bytes:
    digest = blake2b(digest_size=16)
    with source() as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.digest()
