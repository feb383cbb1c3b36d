"""`deltadeck doctor`: what works here, what is wrong with the collection, and its repair.

Each part of the program is asked for findings, plain values with their way out; then they are
printed: a line for what is well, a numbered paragraph for what is not.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from textwrap import TextWrapper
from typing import Literal

import numpy as np

from cards.files import read_text
from cards.lint import fix
from cards.model import CardError, Problem
from cards.parse import analyse
from cards.text import printable, printable_line
from deck.backup import backups
from deck.errors import CollectionError, reason
from deck.exchange.log import doubles
from deck.files import CONFIG, DATA_DIR, is_card_name
from deck.journal import (
    device_path,
    journal_files,
    kept_device,
    refusing,
    written_by_an_answer,
)
from deck.repair import Repair, examine, repair
from deck.sync.conflicts import conflicts
from deck.sync.conflicts import problems as conflict_problems
from engine.sandbox.confine import TRIES
from engine.sandbox.wire import TOO_MUCH_MEMORY, FunctionBatch, FunctionError
from engine.sandbox.worker import Worker, WorkerError
from tui import VERSION
from tui.commands.common import cards_folder, columns, gathered, place_of, print_json, shell_word
from tui.commands.lookup import open_collection
from tui.text import now, plural
from tui.theme import colours

_TITLES = {
    "versions": "Versions",
    "functions": "What confines a function that is an answer",
    "terminal": "Terminal",
    "cards": "Cards",
    "journal": "Journal",
    "backups": "Backups",
}
_SIGNS = {"ok": "✓", "note": "·", "warning": "!", "error": "✗"}
_ASCII_SIGNS = {"ok": "ok", "note": "--", "warning": "!!", "error": "XX"}
#: Of these, places in files are told below only.
_TOLD_BELOW = ("cards", "journal")
#: How many findings are written out, and how many cards that are there twice.
_MOST, _MOST_DOUBLES = 30, 20
#: A place in a file is as long as it is; names are in a column of at most so many cells.
_COLUMN = 12
_PACKAGES = ("numpy", "textual", "rich", "pyyaml", "markdown-it-py", "pygments")
#: The columns and rows that the app needs.
_LEAST = (60, 20)
#: Every layer that may confine a function, with what it is for and where it exists.
LAYERS: dict[str, tuple[str, str]] = {
    "process": ("an error in it never reaches the app; none of your environment", ""),
    "limits": ("2 s of processor, 1 GB of memory, no process started", ""),
    "nobody": ("none of the rights of root", "only where the app is run by root"),
    "landlock": ("no file opened, no port of the network", "Linux 5.13 or newer"),
    "seccomp": ("no system call but those that computing needs", "Linux on x86-64 or arm64"),
}


@dataclass(frozen=True, slots=True)
class DoctorLine:
    about: str
    """A key of `_TITLES`."""
    name: str
    said: str
    status: Literal["ok", "note", "warning", "error"] = "ok"
    hint: str = ""
    """The way out, where there is something to mend."""
    command: str = ""
    """The command that mends it, or that leads there."""


def run_doctor(args: argparse.Namespace) -> int:
    """0 all is well, 1 something is less than it could be, 2 something does not work."""
    folder = place_of(args)
    repaired = repair(cards_folder(folder)) if args.repair else []
    found = list(_findings(folder))
    told = {finding.status for finding in found}
    code = 2 if "error" in told else 1 if "warning" in told else 0
    if args.json:
        value = {"code": code, "findings": [asdict(finding) for finding in found]}
        done = [{"path": str(r.path), "aside": str(r.aside), "lines": r.lines} for r in repaired]
        print_json(value | ({"repaired": done} if args.repair else {}))
        return code
    if args.repair:
        _print_repaired(repaired)
    _print_findings(found)
    return code


def _findings(folder: Path) -> Iterator[DoctorLine]:
    """Everything, in the order in which it is told."""
    yield from _versions()
    yield from functions()
    yield from terminal(os.environ)
    yield from _cards(folder)
    if folder.is_dir():
        yield from _journal(folder)
        yield from _recording(folder)
        yield from _backups(folder)


# Printing.


def _print_repaired(repaired: list[Repair]) -> None:
    for each in repaired:
        if each.path == each.aside:
            print(f"{each.path}: made anew from the cards and the journal.")
            continue
        what = plural(each.lines, "line") if each.lines else "the whole of it"
        print(printable_line(f"{each.path}: {what} set aside into {each.aside}."))
    print("" if repaired else "There is nothing to repair.\n")


def _print_findings(found: list[DoctorLine]) -> None:
    signs = _SIGNS if _speaks_utf8() else _ASCII_SIGNS
    for about, some in groupby(found, key=lambda finding: finding.about):
        print(_TITLES[about])
        below = 0
        for finding in some:
            if finding.status == "warning" and about in _TOLD_BELOW:
                below += 1
                continue
            name = printable(finding.name)
            _print_rows(f"  {signs[finding.status]} {name:<{_COLUMN}}  ", finding.said)
            if finding.hint and finding.status == "note":
                _print_rows(f"    {' ' * _COLUMN}  ", finding.hint)
        if below:
            print(f"  {signs['warning']} {plural(below, 'finding')}, below")
    wrong = [finding for finding in found if finding.status in ("warning", "error")]
    print(f"\n{plural(len(wrong), 'finding') if wrong else 'All is well.'}")
    for number, finding in enumerate(wrong[:_MOST], 1):
        _print_rows(f"{number:3}. ", f"{finding.name}: {finding.said}")
        for row in (finding.hint, f"`{finding.command}`" if finding.command else ""):
            if row:
                _print_rows("     ", row)
    if len(wrong) > _MOST:
        print(f"  and {len(wrong) - _MOST} more: `deltadeck lint` lists the cards'.")


def _speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _print_rows(head: str, said: str) -> None:
    """A sentence behind a head; on a terminal too narrow for it, in rows under its beginning."""
    width = columns() or sys.maxsize
    rows = TextWrapper(width, head, " " * len(head), break_long_words=False, break_on_hyphens=False)
    print(rows.fill(printable_line(printable(said))))


# This machine.


def _versions() -> Iterator[DoctorLine]:
    yield DoctorLine("versions", "deltadeck", VERSION)
    yield DoctorLine("versions", "Python", f"{platform.python_version()} on {platform.platform()}")
    for package in _PACKAGES:
        try:
            yield DoctorLine("versions", package, version(package))
        except PackageNotFoundError:
            hint = "install deltadeck again, in a new environment"
            yield DoctorLine("versions", package, "not installed", "error", hint)


def functions() -> Iterator[DoctorLine]:
    """Which layers confine the functions that answers may be, and what was found by trying."""
    about = "functions"
    try:
        with Worker() as worker:
            found = worker.confinement
            time = _tried(worker, "while True: pass", 0.1)
            memory = _tried(worker, "while np.ones(1 << 28).any(): pass", 3.0)
    except WorkerError as error:
        hint = "answers as formulas and in LaTeX are checked all the same"
        yield DoctorLine(about, "process", str(error), "error", hint)
        return
    for name, (promise, where) in LAYERS.items():
        if name in found.layers:
            yield DoctorLine(about, name, promise)
        elif name == "nobody" and os.geteuid():
            yield DoctorLine(about, name, "not needed: you are not root", "note")
        else:
            yield DoctorLine(about, name, f"missing: {promise}", "note", where)
    refused = ", ".join(what for what in TRIES if what not in (*found.left, TOO_MUCH_MEMORY))
    yield DoctorLine(about, "refused", f"when it was tried: {refused}")
    if found.left:
        hint = "you are asked before each function runs: let only those run that you trust"
        yield DoctorLine(about, "not refused", ", ".join(found.left), "warning", hint)
    yield DoctorLine(about, "time", time)
    yield DoctorLine(about, "memory", memory)


def _tried(worker: Worker, body: str, seconds: float) -> str:
    """What became of a function of ours that does not end by itself."""
    with worker.session(f"def f(x):\n    {body}", seconds, unconfined=True) as session:
        try:
            session.call(FunctionBatch({"x": np.ones((1, 1))}, {}, [(1,)]))
        except FunctionError as error:
            return f"`{body}`: {error}"
    return f"`{body}`: It was not stopped."


def terminal(environment: Mapping[str, str]) -> Iterator[DoctorLine]:
    about, name = "terminal", environment.get("TERM", "")
    size = shutil.get_terminal_size()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield DoctorLine(about, "TERM", "this is none, or its output goes elsewhere", "note")
    elif name in ("", "dumb"):
        hint = "the app needs one that moves the cursor; `deltadeck show` prints without"
        yield DoctorLine(about, "TERM", name or "not set", "warning", hint)
    else:
        yield DoctorLine(about, "TERM", name)
        said = f"{size.columns} columns, {size.lines} lines"
        if size.columns < _LEAST[0] or size.lines < _LEAST[1]:
            hint = f"the app needs {_LEAST[0]} by {_LEAST[1]}"
            yield DoctorLine(about, "size", said, "warning", hint)
        else:
            yield DoctorLine(about, "size", said)
    number = colours(environment)
    many = "16 million" if number > 256 else str(number)
    yield DoctorLine(about, "colours", many if number else "none, as NO_COLOR asks")
    if _speaks_utf8():
        yield DoctorLine(about, "encoding", "UTF-8")
    else:
        hint = "formulas need UTF-8: set LANG to one that ends in .UTF-8"
        encoding = (sys.stdout.encoding or "none").lower()
        yield DoctorLine(about, "encoding", encoding, "warning", hint)
    try:
        yield DoctorLine(about, "pictures", f"textual-image {version('textual-image')}")
    except PackageNotFoundError:
        hint = "the extra `images` draws them, in terminals that can"
        yield DoctorLine(about, "pictures", "shown by their titles", "note", hint)


# Cards and settings.


def _cards(folder: Path) -> Iterator[DoctorLine]:
    """What can be read of the cards and the settings, and what cannot."""
    try:
        opened, _ = open_collection(folder)
    except CollectionError as error:
        init = f"deltadeck init {shell_word(folder)} --starter"
        command = _mending_command(error.problem, folder) if folder.is_dir() else init
        yield DoctorLine("cards", "folder", str(error), "error", command=command)
        return
    yield DoctorLine("cards", "folder", f"{opened.root}, {plural(len(opened.cards), 'card')}")
    # `_journal` tells of its own files, and of places where reviews are missing.
    journal, told = opened.root / DATA_DIR / "journal", journal_files(opened.root / DATA_DIR)[1]
    of_cards = (p for p in opened.problems if not p.path or journal not in p.path.parents)
    found = [problem for problem in of_cards if problem not in told]
    if not found:
        yield DoctorLine("cards", "problems", "every card reads")
    choices = list(zip(conflict_problems(opened.root), conflicts(opened.root), strict=True))
    two_versions = [problem for problem, _ in choices]
    for each in gathered(problem for problem in found if problem not in two_versions):
        place = f"{each.path}:{each.line}" if each.path else "problem"
        command = _mending_command(each, folder)
        yield DoctorLine("cards", place, each.message, "warning", each.hint, command)
    for problem, conflict in choices:  # which version stays, only the learner knows
        hint = (
            f"The other version is {conflict.other}: `--take` in the place of `--keep` takes it. "
            "In the app, editing the card shows what differs."
        )
        command = f"deltadeck sync --keep {shell_word(conflict.other)}{_in(folder)}"
        yield DoctorLine("cards", f"{problem.path}", problem.message, "warning", hint, command)
    # Cards that imports brought twice, and files that were copied: only the first is renewed.
    twice = doubles(folder)
    for source, first, other in twice[:_MOST_DOUBLES]:
        said = f"it and {first} are one card, {source}: imports renew only that one"
        hint = "Delete the one that you do not want, or its line `source:`."
        command = f"deltadeck edit {shell_word(other)}{_in(folder)}"
        yield DoctorLine("cards", f"{other}", said, "warning", hint, command)
    if len(twice) > _MOST_DOUBLES:
        said = f"{len(twice) - _MOST_DOUBLES:,} more cards are there twice"
        yield DoctorLine("cards", "twice", said, "warning", "mend the first, and look again")
    opened.close()


def _mending_command(problem: Problem, folder: Path) -> str:
    """The command that opens the file where it stands, or mends it by itself; "" for none."""
    path = problem.path
    if path is None or not path.is_file():
        return ""
    if path.name == CONFIG:
        return f"deltadeck config --edit{_in(folder)}"
    if not is_card_name(path.name):
        return ""
    if _is_fixed_by_lint(path, problem):
        return f"deltadeck lint --fix {shell_word(path)}"
    return f"deltadeck edit {shell_word(path)}{_in(folder)}"


def _is_fixed_by_lint(path: Path, problem: Problem) -> bool:
    """Whether after `lint --fix` the file is a card, and this is no more said of it: that another
    file has its id, for one, does not stand in its text."""
    try:
        text = read_text(path)
    except CardError:
        return False
    card, left = analyse(fix(text, path).text)
    said = {each.message for each in analyse(text)[1]} - {each.message for each in left}
    return card is not None and problem.message in said


def _in(folder: Path) -> str:
    return "" if folder == Path() else f" --folder {shell_word(folder)}"


# The journal, and its backups.


def _journal(folder: Path) -> Iterator[DoctorLine]:
    """Every line of the journal; nothing is written."""
    found, saved = examine(folder), backups(folder)
    if not found:
        yield DoctorLine("journal", "lines", "every line is whole")
    for each in found:
        place = f"{each.problem.path}:{each.problem.line}" if each.problem.path else each.kind
        command = f"deltadeck doctor --repair{_in(folder)}" if each.mends else ""
        said, hint = each.problem.message, each.problem.hint
        if each.restores and saved:
            hint += f" `deltadeck restore --missing 1{_in(folder)}` brings back what a backup has."
        yield DoctorLine("journal", place, said, "warning", hint, command)


def _backups(folder: Path) -> Iterator[DoctorLine]:
    found = backups(folder)
    if found:
        last = found[0].at.astimezone()
        said = f"{plural(len(found), 'backup')}, the last of {last:%d %b %Y %H:%M}"
        yield DoctorLine("backups", "backups", said)
    elif (folder / DATA_DIR).is_dir():
        hint = "the app makes one when it is opened"
        yield DoctorLine("backups", "backups", "none yet", "note", hint)


def _recording(folder: Path) -> Iterator[DoctorLine]:
    """Whether an answer could be recorded: found by looking at rights; nothing is written."""
    private, path, device, unreadable = folder / DATA_DIR, device_path(), None, ""
    try:
        device = kept_device()
    except OSError as error:
        unreadable = f"{path} cannot be read: {reason(error)}"
    refused = map(refusing, written_by_an_answer(private, device or "new", now()))
    if place := next(filter(None, refused), None):
        whole = private if private in (place, *place.parents) else place
        said, elsewhere = f"{place} may not be written", "copy the cards to a folder of your own"
        yield _unwritable("this folder", said, whole, elsewhere)
    elsewhere = "let XDG_DATA_HOME name a folder of your own"
    if unreadable:
        yield _unwritable("this device's name", unreadable, path, elsewhere)
    elif device is None and (place := refusing(path.with_name("device.new"))):
        said = f"the name cannot be kept, {place} may not be written"
        yield _unwritable("this device's name", said, place, elsewhere)


def _unwritable(name: str, said: str, place: Path, elsewhere: str) -> DoctorLine:
    """With the way out: of the owner a command, else what may be done by another."""
    hint, command = f"Ask its owner for the right to write there, or {elsewhere}.", ""
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        hint = f"The disk is mounted for reading only: mount it for writing, or {elsewhere}."
    elif os.geteuid() in (0, place.stat().st_uid):
        hint = f"Take the right to write there, or {elsewhere}."
        whole = place.name == DATA_DIR  # what else is in another folder is not ours
        command = f"chmod {'-R ' if whole else ''}u+rwX {shell_word(place)}"
    said = f"no answer can be recorded: {said}"
    return DoctorLine("journal", name, said, "error", hint, command)
