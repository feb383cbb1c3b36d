"""Carry out a plan."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from cards.edit import with_field
from cards.files import read_text, refuse_leaving, write_new, write_text
from cards.model import CardError
from deck.errors import JournalError, counted, reason
from deck.events import Event
from deck.exchange.log import digest_of, mark_of, tidy_leftovers
from deck.exchange.model import ExchangeError, Lost
from deck.exchange.plan import Plan, Progress, Step, Summary

#: Events that are held until they are written together, each month's with one wait for the disk.
_TOGETHER = 200_000
#: Cards, and signs of their texts, of which is noted together that they are going to be written:
#: as many as come together from the process that reads ahead.
_BATCH, _SIGNS = 200, 4_000_000
_WRITTEN = ("new", "changed")


def take(plan: Plan, progress: Progress | None = None) -> Summary:
    """Does what the plan says.

    Raises:
        ExchangeError: the bundle cannot be read to its end, or the disk refuses; what is done
            stands, and a second import goes on from there.
        JournalError: the journal cannot be written; the same.
    """
    taking = _Taking(plan)
    tidy_leftovers(plan.collection.root, plan.media.folder)
    try:
        for step in plan.steps(progress):
            taking.take(step)
    except BaseException:
        with suppress(OSError, ExchangeError):  # the first error is the one to tell
            taking.finish()
        raise
    taking.finish()
    return plan.summary


class _Taking:
    """What is done so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._steps: list[Step] = []
        self._signs = 0
        self._events: list[Event] = []
        self._folders: set[Path] = set()
        self._written = False
        self._recorded = 0

    def take(self, step: Step) -> None:
        """Carries the step out, with some others or in `finish`."""
        self._steps.append(step)
        self._signs += len(step.text)
        if len(self._steps) >= _BATCH or self._signs >= _SIGNS:
            self._carry_out()

    def _carry_out(self) -> None:
        steps, self._steps, self._signs = self._steps, [], 0
        meant = [(s.mark, s.version) for s in steps if s.fate in _WRITTEN and not s.replaces]
        self._plan.log.announce(meant, self._plan.collection.device)
        for step in steps:
            self._carry_out_one(step)
            self._plan.summary.done += 1

    def _carry_out_one(self, step: Step) -> None:
        self._copy(step)
        try:
            written = self._write(step)
        except CardError as error:
            raise ExchangeError(_stopped(step.path, error)) from error
        if written:
            self._written = True
            self._plan.log.write(step.mark, step.version)
        self._events += step.events
        if len(self._events) >= _TOGETHER:
            self._record()

    def _copy(self, step: Step) -> None:
        for copy in step.copies:
            try:
                self._plan.media.make(copy)
            except ExchangeError as error:
                if isinstance(error.__cause__, OSError):
                    raise
                what = f"{unquote(copy.path.name)} was not copied: {error}"
                self._plan.bundle.lost.append(Lost(step.card_id, what))

    def _write(self, step: Step) -> bool:
        """Whether the card is as the source has it now, by this import."""
        root = self._plan.collection.root
        if step.fate == "new":
            self._make_folder(step.path.parent)
            write_new(step.path, step.text)
            return True
        if step.fate == "changed":
            seen = read_text(step.path, root)
            if step.replaces:
                if digest_of(seen) == step.replaces:
                    write_text(step.path, step.text, seen, sync=False, root=root)
                    self._written = True
                return False  # its text is the learner's: no import wrote it whole
            if mark_of(step.source, seen.encode("utf-8", "surrogatepass")) not in self._plan.log:
                return False  # edited while the import ran
            write_text(step.path, step.text, seen, sync=False, root=root)
            return True
        if step.status:
            seen = read_text(step.path, root)
            with suppress(CardError):  # a learner's own frontmatter; the journal counts
                text = with_field(seen, "status", step.status)
                write_text(step.path, text, seen, sync=False, root=root)
        return False

    def _make_folder(self, folder: Path) -> None:
        if folder in self._folders:
            return
        refuse_leaving(folder, self._plan.collection.root)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExchangeError(
                f"{folder}: the folder cannot be made: {reason(error)}. "
                "Move away what is in its place, or import --into another folder."
            ) from error
        self._folders.add(folder)

    def _record(self) -> None:
        events, self._events = self._events, []
        try:
            self._plan.collection.record_foreign(events)
        except JournalError as error:
            total = self._recorded + len(events)
            raise counted(error, self._recorded, total, "entries of the history") from error
        self._recorded += len(events)

    def finish(self) -> None:
        """Carries out what is left, waits for the disk, then records the answers: none of a card
        that is not there."""
        try:
            self._carry_out()
        finally:
            self._note()

    def _note(self) -> None:
        if self._written:
            os.sync()
        if self._events:
            self._record()
        if self._plan.log.news:
            self._plan.log.save(self._plan.collection.device)


def _stopped(path: Path, error: CardError) -> str:
    return f"{path}: {error.problem.message} {error.problem.hint} Import again: it goes on there."
