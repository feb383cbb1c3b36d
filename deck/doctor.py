"""What is wrong with a collection's journal, and its repair.

`examine` reads every line and writes nothing.  `repair` sets aside what is no event or is there
twice, into `<file>.aside` beside the file: nothing is deleted, and what counts is as it was.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cards.model import Problem
from deck.aside import Repair, set_aside
from deck.devices import journal_files
from deck.errors import broken, odd
from deck.event import Event, Unknown
from deck.journal import Journal
from deck.place import PRIVATE
from deck.survey import Line, Survey, bad_lines, lines_of

Kind = Literal["torn", "corrupt", "twice", "copy", "differs", "unknown", "unread", "place"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as this program would have written it."""

    kind: Kind
    """
    torn     a last line that was not written to its end
    corrupt  a line that is no event
    twice    a line that is in this file twice
    copy     a copy of a file, all of whose events are elsewhere too
    differs  an event whose id stands for another event elsewhere
    unknown  an event of a newer program
    unread   a file with events where none is looked for
    place    a folder or a file that cannot be read
    """
    problem: Problem
    mends: bool
    """Whether `repair` sets it aside."""


def examine(root: Path) -> list[Finding]:
    """Everything that is odd about the journal of the collection `root`, file by file."""
    paths, misplaced = journal_files(root / PRIVATE)
    survey = Survey(paths)
    found = [Finding("place", problem, False) for problem in (*misplaced, *survey.problems)]
    chosen = survey.chosen()
    for path in survey.files:
        if path in survey.copies:
            found.append(Finding("copy", _copy(path), True))
        else:
            found += _odd_lines(path, chosen)
    return found + [Finding("unread", _elsewhere(path), False) for path in _strays(root, paths)]


def repair(root: Path) -> list[Repair]:
    """Sets aside what `examine` says can be; the history stays what it was.

    Raises:
        JournalError: the disk refuses; whatever was not set aside yet is as it was.
    """
    paths, _ = journal_files(root / PRIVATE)
    if not paths:
        return []
    done = []
    with Journal(root / PRIVATE).locked():
        survey = Survey(paths)
        for path in survey.files:
            lines = list(lines_of(path))
            away = [line for line in lines if path in survey.copies] or bad_lines(lines)
            if away:
                done.append(set_aside(path, lines, {line.number for line in away}))
    return done


def _strays(root: Path, read: list[Path]) -> list[Path]:
    """Files that look like a journal's, in folders where none is looked for."""
    journal, known = root / PRIVATE / "journal", set(read)
    found = []
    for folder, folders, names in os.walk(journal):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(folder, name) for name in names if name.endswith(".jsonl"))
        found += [path for path in paths if path not in known and path.name[0] != "."]
    return sorted(found)


# What is said of it.


def _odd_lines(path: Path, chosen: dict[str, Event]) -> list[Finding]:
    found = []
    seen: set[bytes] = set()
    for line in lines_of(path):
        event = line.event
        if event is None:
            kind: Kind = "torn" if line.torn else "corrupt"
            found.append(Finding(kind, _no_event(path, line), True))
        elif line.text in seen:
            found.append(Finding("twice", _twice(path, line), True))
        elif chosen.get(event.id, event) != event:
            found.append(Finding("differs", _differs(path, line, event), False))
        elif isinstance(event.what, Unknown):
            found.append(Finding("unknown", _unknown(path, line, event), False))
        seen.add(line.text)
    return found


def _no_event(path: Path, line: Line) -> Problem:
    if line.torn:
        message = "The last line was not written to its end."
        return odd(path, message, "It was never acknowledged; it can be set aside.", line.number)
    hint = "A backup or another copy of the file may have it whole; this one can be set aside."
    return broken(path, f"The line is no event: {line.error}.", hint, line.number)


def _twice(path: Path, line: Line) -> Problem:
    hint = "It counts once; the second one can be set aside."
    return odd(path, "The line is in this file twice.", hint, line.number)


def _differs(path: Path, line: Line, event: Event) -> Problem:
    message = f"Another line has the id {event.id} of this one, and says something else."
    hint = "The other one counts, on every device. If this one is right, remove the other by hand."
    return broken(path, message, hint, line.number)


def _unknown(path: Path, line: Line, event: Event) -> Problem:
    message = f"The event {event.kind!a} is of a kind or version not known here."
    hint = "A newer deltadeck wrote it: it is kept, and left out of the schedule. Update."
    return odd(path, message, hint, line.number)


def _copy(path: Path) -> Problem:
    hint = "A sync tool or a copy left it; it can be set aside."
    return odd(path, "Every event in this copy is in another file too.", hint)


def _elsewhere(path: Path) -> Problem:
    message = "Events are only read from `journal/<device>/*.jsonl`: this file is not."
    return broken(path, message, "Move it into the folder of its device, or into a new one there.")
