"""What an import does, card by card: planned, looked at without writing, or carried out.

    Plan(bundle, collection, now, into)
    Plan.steps() -> Iterator[Step]       once; `Plan.summary` counts them as they are yielded
    look(plan) -> Summary                the dry run: all steps, and nothing is done
    take(plan) -> Summary                card files, media, journal lines

A card is known by its source.  Of one that is there already, the text is compared with what an
import wrote last (`log.py`): what changed only there is taken, what changed here stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import IO, TYPE_CHECKING, Literal
from urllib.parse import unquote

from cards.edit import with_field
from cards.files import (
    LEAVING,
    TextChange,
    leads_out,
    open_regular,
    read_text,
    refuse_leaving,
    write_texts,
)
from cards.frontmatter import unsafe_id
from cards.model import CardError
from cards.text import printable_line
from deck.decks import folder_name
from deck.errors import JournalError, reason, with_count
from deck.events import Event, Reviewed, Suspended
from deck.exchange.history import ForeignHistories, as_here
from deck.exchange.log import ImportLog, KnownCard, digest_of, known_cards, mark_of
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ImportSource,
    Lost,
    file_name,
    folders_of,
    name_digest,
    tagged,
    where_of,
)
from deck.exchange.normalise import card_text
from deck.files import leftover_drafts, make_folders, whole
from deck.repair import put_away
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
class PlannedCard:
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

    def take(self, step: PlannedCard) -> None:
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


class Plan:
    """An import into the folder `into` of a collection; its steps are worked out as they are asked
    for, once.

    Raises:
        ExchangeError: `into` would leave the collection.
    """

    def __init__(
        self, bundle: ImportSource, collection: Collection, now: datetime, into: str = ""
    ) -> None:
        self.bundle, self.collection = bundle, collection
        self.into = folders_of(into)
        root = collection.root
        self.log = ImportLog(root, now, bundle.made)
        self.media = MediaFolder(root, self.into, bundle.media, self.log)
        self.summary = Summary(lost=bundle.lost)
        self._past = ForeignHistories(bundle, collection, now)
        self._known = known_cards(root, collection.cards, bundle.program, self.log)
        self._ids = {card_id.casefold() for card_id in collection.ids()}
        """Of cards and items, and those that were given."""
        self._seen: set[str] = set()
        self._missing: set[str] = set()
        self._made_here: set[str] = set()
        """The ids of new cards."""
        self._older = 0
        self._unsure = 0
        """Cards that stay, as a text export does not say how they show a note's fields."""
        self._last: PlannedCard | None = None

    def steps(self, progress: Progress | None = None) -> Iterator[PlannedCard]:
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
            what += "What was taken out of a note, only a package (.apkg) tells."
            lost.say(self.bundle.name, what)

    def _step(self, card: ForeignCard) -> PlannedCard:
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
        way_back = f"{before.card_id}/r" if before else None
        if found is not None and found.card_id:
            return self._known_step(card, found, way_back)
        if step := self._own_step(card, source):
            return step
        if before is not None and found is None and (step := self._way_back(card, before)):
            return step
        return self._new_step(card, source, way_back)

    def _new_step(self, card: ForeignCard, source: str, way_back: str | None) -> PlannedCard:
        places, copies = self._places(card)
        self.bundle.lost.extend(card.own.lost if card.own else ())
        card_id, path = self._new_place(card, source)
        events = self._past.events(card, card_id, way_back)
        if way_back is not None and self._past.knows(way_back):
            what = f"It is a card of its own now, {card_id}, and goes on where {way_back} was."
            self.bundle.lost.say(where_of(card), what)
        status = self._past.status(card, card_id, events)
        said = "" if card.own and card.own.exported and card.own.card_id == card_id else source
        text = card_text(card, card_id, said, status, places)
        mark = mark_of(source, text.encode("utf-8"))
        return PlannedCard(
            "new", card_id, path, source, text, mark, "", copies, events, card.version
        )

    def _known_step(self, card: ForeignCard, found: KnownCard, way_back: str | None) -> PlannedCard:
        """What is done with a card that an earlier import brought."""
        same = PlannedCard("unchanged", found.card_id, found.path, found.source)
        if card.parts:
            fitted = self._fitted(card, found)
            if fitted is None:
                return same
            card = fitted
        places, copies = self._places(card)
        events = self._past.events(card, found.card_id, way_back)
        status = self._past.status(card, found.card_id, events) if events else found.status
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

    def _own_step(self, card: ForeignCard, source: str) -> PlannedCard | None:
        """What is done with a card that the collection has under this id, if it has one."""
        own, deck = card.own, self.collection
        mine = deck.cards.get(own.card_id) if own else None
        if own is None or mine is None or mine.path is None or own.card_id in self._made_here:
            return None
        # With the Markdown parser, which other cards do not need.
        from deck.exchange.reimport import edited, edited_in_anki, is_same

        if mine.status == SUSPENDED:  # by its own line: no event says it
            items = tuple(
                replace(i, suspended=i.suspended and self._past.is_suspended(mine.id + i.suffix))
                for i in card.items
            )
            card = replace(card, items=items)
        events = self._past.events(card, mine.id)
        status = self._past.status(card, mine.id, events) if events else mine.status
        moved = status if status != mine.status != SUSPENDED else ""
        same = PlannedCard("unchanged", mine.id, mine.path, source, status=moved, events=events)
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
            self.bundle.lost.say(mine.id, *wrong)
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

    def _way_back(self, card: ForeignCard, before: KnownCard) -> PlannedCard | None:
        """What is done with a note's second card, where its first still asks both ways here: what
        was edited here stays, and so does what a later package brought."""
        last, here = self._last, self.collection.cards.get(before.card_id)
        if last is None or last.card_id != before.card_id or here is None or here.path is None:
            return None
        if last.fate not in ("kept", "unchanged") or here.type != "reversed":
            return None
        item = replace(card.items[0], suffix="/r")
        events = self._past.events(replace(card, items=(item,)), here.id)
        return PlannedCard("unchanged", here.id, here.path, last.source, events=events)

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
    card_id = folder_name(printable_line(wanted)).replace(" ", "_")[:100]
    return "card" if unsafe_id(card_id) else card_id


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


# Carrying out a plan.

#: Events that are held until they are written together, each month's with one wait for the disk.
_TOGETHER = 200_000
#: Cards, and signs of their texts, of which is noted together that they are going to be written:
#: as many as come together from the process that reads ahead.
_BATCH, _SIGNS = 200, 4_000_000
#: A draft that is younger, in seconds, may belong to an import that goes on beside this one.
_OLD = 3600


def take(plan: Plan, progress: Progress | None = None) -> Summary:
    """Does what the plan says.

    Raises:
        ExchangeError: the bundle cannot be read to its end, or the disk refuses; what is done
            stands, and a second import goes on from there.
        JournalError: the journal cannot be written; the same.
    """
    taking = _Taking(plan)
    _tidy_leftovers(plan.collection.root, plan.media.path)
    try:
        for step in plan.steps(progress):
            taking.take(step)
    except BaseException:
        with suppress(OSError, ExchangeError):  # the first error is the one to tell
            taking.finish()
        raise
    taking.finish()
    return plan.summary


def _tidy_leftovers(root: Path, media: Path) -> None:
    """What an import left that was stopped in the middle of a file: half a medium goes; half a card
    is put where the doctor puts it, as it may be the learner's."""
    for path in leftover_drafts(root):
        with suppress(OSError, JournalError):  # the doctor will say it
            found = path.stat()
            if time() - found.st_mtime < _OLD:
                continue
            if path.parent == media or found.st_nlink > 1:  # the card itself is the other link
                path.unlink()
            else:
                put_away(root, path)


class _Taking:
    """What is done so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._root = plan, plan.collection.root
        self._steps: list[PlannedCard] = []
        self._signs = 0
        self._events: list[Event] = []
        self._folders: set[Path] = set()
        self._recorded = 0

    def take(self, step: PlannedCard) -> None:
        """Carries the step out, with some others or in `finish`."""
        self._steps.append(step)
        self._signs += len(step.text)
        if len(self._steps) >= _BATCH or self._signs >= _SIGNS:
            self._carry_out()

    def finish(self) -> None:
        """Carries out what is left, then records the answers: none of a card that is not there."""
        log, device = self._plan.log, self._plan.collection.device
        try:
            self._carry_out()
        finally:
            if self._events:
                self._record()
            log.save(device)

    def _carry_out(self) -> None:
        steps, self._steps, self._signs = self._steps, [], 0
        log, written = self._plan.log, ("new", "changed")
        meant = [(s.mark, s.version) for s in steps if s.fate in written and not s.replaces]
        log.announce(meant, self._plan.collection.device)
        for step in steps:
            for copy in step.copies:
                self._copy(copy, step.card_id)
        refused: ExchangeError | None = None
        for step, (is_ours, error) in zip(steps, self._write(steps), strict=True):
            if error is not None:
                said = f"{error.problem.message} {error.problem.hint}"
                what = f"{step.path}: {said} Import again: it goes on there."
                refused = refused or ExchangeError(what)
                continue
            if is_ours:
                log.write(step.mark, step.version)
            self._events += step.events
            self._plan.summary.done += 1
        if refused is not None:
            raise refused
        if len(self._events) >= _TOGETHER:
            self._record()

    def _write(self, steps: list[PlannedCard]) -> Iterator[tuple[bool, CardError | None]]:
        """Of each step, whether the card is as the source has it now, by this import, and on the
        disk; and the error that left it as it was."""
        changes: list[TextChange | CardError | None] = []
        for step in steps:
            try:
                changes.append(self._change(step))
            except CardError as error:
                changes.append(error)
        written = write_texts((c for c in changes if isinstance(c, TextChange)), self._root)
        for step, change in zip(steps, changes, strict=True):
            refused = next(written) if isinstance(change, TextChange) else change
            if step.fate in ("new", "changed"):
                yield change is not None and refused is None and not step.replaces, refused
            else:
                yield False, None  # a learner's own frontmatter; the journal counts

    def _change(self, step: PlannedCard) -> TextChange | None:
        """What becomes of the card's file; None where it stays."""
        if step.fate == "new":
            self._make_folder(step.path.parent)
            return TextChange(step.path, step.text, None)
        if step.fate != "changed" and not step.status:
            return None
        seen = read_text(step.path, self._root)
        if step.fate != "changed":
            return TextChange(step.path, with_field(seen, "status", step.status), seen)
        if step.replaces:  # its text is the learner's: no import wrote it whole
            is_as_known = digest_of(seen) == step.replaces
        else:  # it may have been edited while the import ran
            mark = mark_of(step.source, seen.encode("utf-8", "surrogatepass"))
            is_as_known = mark in self._plan.log
        return TextChange(step.path, step.text, seen) if is_as_known else None

    def _make_folder(self, folder: Path) -> None:
        if folder in self._folders:
            return
        refuse_leaving(folder, self._root)
        try:
            make_folders(folder)
        except OSError as error:
            raise ExchangeError(
                f"{folder}: the folder cannot be made: {reason(error)}. "
                "Move away what is in its place, or import --into another folder."
            ) from error
        self._folders.add(folder)

    def _copy(self, copy: MediaCopy, card_id: str) -> None:
        """Copies a medium, whole or not at all; what is wrong with the medium itself is said."""
        path, digest = copy.path, blake2b(digest_size=16)
        try:
            if leads_out(path.parent, self._root):
                raise ExchangeError(f"{path.parent}: {' '.join(LEAVING)}")
            make_folders(path.parent)
            with copy.open() as source, whole(path) as target:
                while piece := source.read(_PIECE):
                    digest.update(piece)
                    target.write(piece)
        except ExchangeError as error:
            self._plan.bundle.lost.say(card_id, f"{unquote(path.name)} was not copied: {error}")
        except OSError as error:
            raise ExchangeError(
                f"{path}: the file cannot be copied: {reason(error)}. Make room, or make the "
                "folder writable, and import again: it goes on from here."
            ) from error
        else:
            self._plan.log.write(self._plan.media.mark(path.name, digest.digest()))

    def _record(self) -> None:
        events, self._events = self._events, []
        try:
            self._plan.collection.record_foreign(events)
        except JournalError as error:
            total = self._recorded + len(events)
            raise with_count(error, self._recorded, total, "entries of the history") from error
        self._recorded += len(events)
