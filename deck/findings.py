"""The sentences of the doctor (deck/doctor.py): what is odd, where, and the way out."""

from __future__ import annotations

from pathlib import Path

from cards.model import Problem
from deck.backup import Backup
from deck.errors import broken, odd
from deck.event import Event
from deck.index.lines import newer_line, unknown_event, unreadable
from deck.survey import Line

__all__ = [
    *("copy", "differs", "draft", "elsewhere", "index", "lost", "no_event", "twice", "unknown"),
    "unreadable",
]


def no_event(path: Path, line: Line, inside: int) -> Problem:
    """`inside`: how many whole events the line holds."""
    if inside:
        whole = "1 event in it is" if inside == 1 else f"{inside} of the events in it are"
        message = f"Lines ran into one here; {whole} whole."
        hint = "What is whole can be taken out, and counts then; the line itself is kept aside."
        return broken(path, message, hint, line.number)
    if line.torn:
        message = "The last line was not written to its end."
        return odd(path, message, "It was never acknowledged; it can be set aside.", line.number)
    hint = "A backup or another copy of the file may have it whole; this one can be set aside."
    return broken(path, f"The line is no event: {line.error}.", hint, line.number)


def twice(path: Path, line: Line) -> Problem:
    hint = "It counts once; the second one can be set aside."
    return odd(path, "The line is in this file twice.", hint, line.number)


def differs(path: Path, line: Line, event: Event) -> Problem:
    message = f"Another line has the id {event.id} of this one, and says something else."
    hint = "The other one counts, on every device. If this one is right, remove the other by hand."
    return broken(path, message, hint, line.number)


def unknown(path: Path, line: Line) -> Problem:
    if line.event is None:
        return newer_line(path, line.number)
    return unknown_event(path, line.number, line.event.kind)


def copy(path: Path, all_elsewhere: bool) -> Problem:
    if all_elsewhere:
        hint = "A sync tool or a copy left it; it can be set aside."
        return odd(path, "Every event in this copy is in another file too.", hint)
    message = "A sync tool or a file manager made this copy; it has events of its own, which count."
    hint = (
        "It can be given a plain name. If it comes again, two computers share one device's name: "
        "on one of them, remove the file `device` from deltadeck's user data."
    )
    return odd(path, message, hint)


def elsewhere(path: Path, count: int) -> Problem:
    counts = "1 event here counts" if count == 1 else f"{count} events here count"
    message = f"{counts} nowhere: only `journal/<device>/*.jsonl` is read."
    return broken(path, message, "Move it into the folder of its device, or into a new one there.")


def lost(backup: Backup, count: int) -> Problem:
    are = "1 event of this backup is" if count == 1 else f"{count} events of this backup are"
    message = f"{are} nowhere in the journal now."
    hint = "Bring its lines back: what came since then stays."
    return broken(backup.path, message, hint)


def draft(path: Path) -> Problem:
    message = "A card was being saved here when the program was stopped; the card is as it was."
    return odd(path, message, "It can be moved to `.deltadeck/drafts`.")


def index(path: Path) -> Problem:
    message = "The index says something else than the cards and the journal."
    return odd(path, message, "Nothing is lost: it can be made anew from them.")
