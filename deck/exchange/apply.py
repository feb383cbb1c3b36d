"""Carry out a plan."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from time import time
from urllib.parse import unquote

from cards.edit import with_field
from cards.files import LEAVING, leads_out, read_text, refuse_leaving, write_new, write_text
from cards.model import CardError
from deck.errors import JournalError, counted, reason
from deck.events import Event
from deck.exchange.log import digest_of, mark_of
from deck.exchange.model import ExchangeError
from deck.exchange.plan import MediaCopy, Plan, Progress, Step, Summary
from deck.repair import leftover_drafts, put_away

#: Events that are held until they are written together, each month's with one wait for the disk.
_TOGETHER = 200_000
#: Cards, and signs of their texts, of which is noted together that they are going to be written:
#: as many as come together from the process that reads ahead.
_BATCH, _SIGNS = 200, 4_000_000
_PIECE = 1 << 20
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
        self._steps: list[Step] = []
        self._signs = 0
        self._events: list[Event] = []
        self._folders: set[Path] = set()
        self._has_written = False
        self._recorded = 0

    def take(self, step: Step) -> None:
        """Carries the step out, with some others or in `finish`."""
        self._steps.append(step)
        self._signs += len(step.text)
        if len(self._steps) >= _BATCH or self._signs >= _SIGNS:
            self._carry_out()

    def finish(self) -> None:
        """Carries out what is left, waits for the disk, then records the answers: none of a card
        that is not there."""
        log, device = self._plan.log, self._plan.collection.device
        try:
            self._carry_out()
        finally:
            if self._has_written:
                os.sync()
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
            try:
                if self._write(step):
                    self._has_written = True
                    log.write(step.mark, step.version)
            except CardError as error:
                said = f"{error.problem.message} {error.problem.hint}"
                what = f"{step.path}: {said} Import again: it goes on there."
                raise ExchangeError(what) from error
            self._events += step.events
            if len(self._events) >= _TOGETHER:
                self._record()
            self._plan.summary.done += 1

    def _write(self, step: Step) -> bool:
        """Whether the card is as the source has it now, by this import."""
        if step.fate == "new":
            self._make_folder(step.path.parent)
            write_new(step.path, step.text)
            return True
        if step.fate != "changed" and not step.status:
            return False
        seen = read_text(step.path, self._root)
        if step.fate != "changed":
            with suppress(CardError):  # a learner's own frontmatter; the journal counts
                text = with_field(seen, "status", step.status)
                write_text(step.path, text, seen, sync=False, root=self._root)
            return False
        if step.replaces:  # its text is the learner's: no import wrote it whole
            if digest_of(seen) == step.replaces:
                write_text(step.path, step.text, seen, sync=False, root=self._root)
                self._has_written = True
            return False
        if mark_of(step.source, seen.encode("utf-8", "surrogatepass")) not in self._plan.log:
            return False  # edited while the import ran
        write_text(step.path, step.text, seen, sync=False, root=self._root)
        return True

    def _make_folder(self, folder: Path) -> None:
        if folder in self._folders:
            return
        refuse_leaving(folder, self._root)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExchangeError(
                f"{folder}: the folder cannot be made: {reason(error)}. "
                "Move away what is in its place, or import --into another folder."
            ) from error
        self._folders.add(folder)

    def _copy(self, copy: MediaCopy, card_id: str) -> None:
        """Copies a medium, whole or not at all; what is wrong with the medium itself is said."""
        path, digest = copy.path, blake2b(digest_size=16)
        temporary = path.with_name(f".{secrets.token_hex(8)}.deltadeck-tmp")
        try:
            if leads_out(path.parent, self._root):
                raise ExchangeError(f"{path.parent}: {' '.join(LEAVING)}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with copy.open() as source, temporary.open("xb") as target:
                while piece := source.read(_PIECE):
                    digest.update(piece)
                    target.write(piece)
            temporary.replace(path)
        except ExchangeError as error:
            what = f"{unquote(path.name)} was not copied: {error}"
            self._plan.bundle.lost.say(card_id, what)
        except OSError as error:
            raise ExchangeError(
                f"{path}: the file cannot be copied: {reason(error)}. Make room, or make the "
                "folder writable, and import again: it goes on from here."
            ) from error
        else:
            self._plan.log.write(self._plan.media.mark(path.name, digest.digest()))
        finally:
            temporary.unlink(missing_ok=True)

    def _record(self) -> None:
        events, self._events = self._events, []
        try:
            self._plan.collection.record_foreign(events)
        except JournalError as error:
            total = self._recorded + len(events)
            raise counted(error, self._recorded, total, "entries of the history") from error
        self._recorded += len(events)
