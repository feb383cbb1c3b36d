"""`deltadeck doctor`: what works here, what is wrong with the collection, and its repair.

Each part of the program is asked for findings, plain values with their way out; then they are
printed: a line for what is well, a numbered paragraph for what is not.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Literal

from tui import VERSION
from tui.commands.common import (
    add_json,
    add_place,
    cards_folder,
    gathered,
    open_collection,
    place_of,
    print_json,
)
from tui.text import counted, one_line

if TYPE_CHECKING:
    from cards.model import Problem
    from deck.repair import Repair
    from engine.sandbox.worker import Worker

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
class Finding:
    about: str
    """A key of `_TITLES`."""
    name: str
    said: str
    status: Literal["ok", "note", "warning", "error"] = "ok"
    hint: str = ""
    """The way out, where there is something to mend."""
    command: str = ""
    """The command that mends it, or that leads there."""


def configure_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repair",
        action="store_true",
        help="set lines of the journal aside that are none; make a wrong index anew",
    )
    add_place(parser)
    add_json(parser)


def run_doctor(args: argparse.Namespace) -> int:
    """0 all is well, 1 something is less than it could be, 2 something does not work."""
    folder = place_of(args)
    repaired = _repair(folder) if args.repair else []
    found = list(_findings(folder))
    if args.json:
        value = {"code": code(found), "findings": [asdict(finding) for finding in found]}
        done = [{"path": str(r.path), "aside": str(r.aside), "lines": r.lines} for r in repaired]
        print_json(value | ({"repaired": done} if args.repair else {}))
        return code(found)
    if args.repair:
        _print_repaired(repaired)
    _print_findings(found)
    return code(found)


def code(found: list[Finding]) -> int:
    """The exit code: that of the worst finding."""
    told = {finding.status for finding in found}
    return 2 if "error" in told else 1 if "warning" in told else 0


def _repair(folder: Path) -> list[Repair]:
    from deck.repair import repair

    return repair(cards_folder(folder))


def _findings(folder: Path) -> Iterator[Finding]:
    """Everything, in the order in which it is told."""
    yield from _versions()
    yield from functions()
    yield from terminal(os.environ)
    yield from _cards(folder)
    if folder.is_dir():
        yield from _journal(folder)
        yield from _unwritable_folder(folder)
        yield from _unwritable_device()
        yield from _backups(folder)


# Printing.


def _print_repaired(repaired: list[Repair]) -> None:
    for each in repaired:
        if each.path == each.aside:
            print(f"{each.path}: made anew from the cards and the journal.")
            continue
        what = counted(each.lines, "line") if each.lines else "the whole of it"
        print(one_line(f"{each.path}: {what} set aside into {each.aside}."))
    print("" if repaired else "There is nothing to repair.\n")


def _print_findings(found: list[Finding]) -> None:
    from cards.text import printable

    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    signs = _SIGNS if is_utf8 else _ASCII_SIGNS
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
            print(f"  {signs['warning']} {counted(below, 'finding')}, below")
    wrong = [finding for finding in found if finding.status in ("warning", "error")]
    print(f"\n{counted(len(wrong), 'finding') if wrong else 'All is well.'}")
    for number, finding in enumerate(wrong[:_MOST], 1):
        _print_rows(f"{number:3}. ", f"{finding.name}: {finding.said}")
        for row in (finding.hint, f"`{finding.command}`" if finding.command else ""):
            if row:
                _print_rows("     ", row)
    if len(wrong) > _MOST:
        print(f"  and {len(wrong) - _MOST} more: `deltadeck lint` lists the cards'.")


def _print_rows(head: str, said: str) -> None:
    """A sentence behind a head; on a terminal too narrow for it, in rows under its beginning."""
    from cards.text import one_line, printable

    text = one_line(printable(said))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    rows = TextWrapper(width, head, " " * len(head), break_long_words=False, break_on_hyphens=False)
    print(rows.fill(text))


# This machine.


def _versions() -> Iterator[Finding]:
    yield Finding("versions", "deltadeck", VERSION)
    yield Finding("versions", "Python", f"{platform.python_version()} on {platform.platform()}")
    for package in _PACKAGES:
        try:
            yield Finding("versions", package, version(package))
        except PackageNotFoundError:
            hint = "install deltadeck again, in a new environment"
            yield Finding("versions", package, "not installed", "error", hint)


def functions() -> Iterator[Finding]:
    """Which layers confine the functions that answers may be, and what was found by trying."""
    from engine.sandbox.confine import TRIES
    from engine.sandbox.wire import TOO_MUCH_MEMORY
    from engine.sandbox.worker import Worker, WorkerError

    try:
        with Worker() as worker:
            found = worker.confinement
            time = _tried(worker, "while True: pass", 0.1)
            memory = _tried(worker, "while np.ones(1 << 28).any(): pass", 3.0)
    except WorkerError as error:
        hint = "answers as formulas and in LaTeX are checked all the same"
        yield Finding("functions", "process", str(error), "error", hint)
        return
    for name, (promise, where) in LAYERS.items():
        if name in found.layers:
            yield Finding("functions", name, promise)
        elif name == "nobody" and os.geteuid():
            yield Finding("functions", name, "not needed: you are not root", "note")
        else:
            yield Finding("functions", name, f"missing: {promise}", "note", where)
    refused = ", ".join(what for what in TRIES if what not in (*found.left, TOO_MUCH_MEMORY))
    yield Finding("functions", "refused", f"when it was tried: {refused}")
    if found.left:
        hint = "you are asked before each function runs: let only those run that you trust"
        yield Finding("functions", "not refused", ", ".join(found.left), "warning", hint)
    yield Finding("functions", "time", time)
    yield Finding("functions", "memory", memory)


def _tried(worker: Worker, body: str, seconds: float) -> str:
    """What became of a function of ours that does not end by itself."""
    import numpy as np

    from engine.sandbox.wire import FunctionError

    with worker.session(f"def f(x):\n    {body}", seconds, unconfined=True) as session:
        try:
            session.call({"x": np.ones((1, 1))}, {}, [(1,)])
        except FunctionError as error:
            return f"`{body}`: {error}"
    return f"`{body}`: It was not stopped."


def terminal(environment: Mapping[str, str]) -> Iterator[Finding]:
    name = environment.get("TERM", "")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Finding("terminal", "TERM", "this is none, or its output goes elsewhere", "note")
    elif name in ("", "dumb"):
        hint = "the app needs one that moves the cursor; `deltadeck show` prints without"
        yield Finding("terminal", "TERM", name or "not set", "warning", hint)
    else:
        yield Finding("terminal", "TERM", name)
        yield from _size()
    yield Finding("terminal", "colours", colours(environment))
    encoding = (sys.stdout.encoding or "").lower()
    if encoding.replace("-", "") == "utf8":
        yield Finding("terminal", "encoding", "UTF-8")
    else:
        hint = "formulas need UTF-8: set LANG to one that ends in .UTF-8"
        yield Finding("terminal", "encoding", encoding or "none", "warning", hint)
    try:
        yield Finding("terminal", "pictures", f"textual-image {version('textual-image')}")
    except PackageNotFoundError:
        hint = "the extra `images` draws them, in terminals that can"
        yield Finding("terminal", "pictures", "shown by their titles", "note", hint)


def _size() -> Iterator[Finding]:
    try:
        size = os.get_terminal_size()
    except OSError:
        return
    said = f"{size.columns} columns, {size.lines} lines"
    if size.columns < _LEAST[0] or size.lines < _LEAST[1]:
        hint = f"the app needs {_LEAST[0]} by {_LEAST[1]}"
        yield Finding("terminal", "size", said, "warning", hint)
    else:
        yield Finding("terminal", "size", said)


def colours(environment: Mapping[str, str]) -> str:
    from tui.theme import colours as count

    number = count(environment)
    if not number:
        return "none, as NO_COLOR asks"
    return "16 million" if number > 256 else str(number)


# Cards and settings.


def _cards(folder: Path) -> Iterator[Finding]:
    """What can be read of the cards and the settings, and what cannot."""
    from deck.errors import CollectionError
    from deck.files import DATA_DIR
    from deck.journal import journal_files
    from deck.sync.conflicts import conflicts
    from deck.sync.conflicts import problems as conflict_problems

    try:
        opened, _ = open_collection(folder)
    except CollectionError as error:
        init = f"deltadeck init {_quoted(folder)} --starter"
        command = _mending_command(error.problem, folder) if folder.is_dir() else init
        yield Finding("cards", "folder", str(error), "error", command=command)
        return
    yield Finding("cards", "folder", f"{opened.root}, {counted(len(opened.cards), 'card')}")
    # `_journal` tells of its own files, and of places where reviews are missing.
    journal, told = opened.root / DATA_DIR / "journal", journal_files(opened.root / DATA_DIR)[1]
    of_cards = (p for p in opened.problems if not p.path or journal not in p.path.parents)
    found = [problem for problem in of_cards if problem not in told]
    if not found:
        yield Finding("cards", "problems", "every card reads")
    choices = list(zip(conflict_problems(opened.root), conflicts(opened.root), strict=True))
    two_versions = [problem for problem, _ in choices]
    for each in gathered(problem for problem in found if problem not in two_versions):
        place = f"{each.path}:{each.line}" if each.path else "problem"
        command = _mending_command(each, folder)
        yield Finding("cards", place, each.message, "warning", each.hint, command)
    for problem, conflict in choices:  # which version stays, only the learner knows
        hint = (
            f"The other version is {conflict.other}: `--take` in the place of `--keep` takes it. "
            "In the app, editing the card shows what differs."
        )
        command = f"deltadeck sync --keep {_quoted(conflict.other)}{_in(folder)}"
        yield Finding("cards", f"{problem.path}", problem.message, "warning", hint, command)
    yield from _doubles(folder)
    opened.close()


def _doubles(folder: Path) -> Iterator[Finding]:
    """Cards that imports brought twice, and files that were copied: only the first is renewed."""
    from deck.exchange.log import doubles

    found = doubles(folder)
    for source, first, other in found[:_MOST_DOUBLES]:
        said = f"it and {first} are one card, {source}: imports renew only that one"
        hint = "Delete the one that you do not want, or its line `source:`."
        command = f"deltadeck edit {_quoted(other)}{_in(folder)}"
        yield Finding("cards", f"{other}", said, "warning", hint, command)
    if len(found) > _MOST_DOUBLES:
        said = f"{len(found) - _MOST_DOUBLES:,} more cards are there twice"
        yield Finding("cards", "twice", said, "warning", "mend the first, and look again")


def _mending_command(problem: Problem, folder: Path) -> str:
    """The command that opens the file where it stands, or mends it by itself; "" for none."""
    from deck.files import is_card_name

    path = problem.path
    if path is None or not path.is_file():
        return ""
    if path.name == "config.toml":
        return f"deltadeck config --edit{_in(folder)}"
    if not is_card_name(path.name):
        return ""
    if _is_fixed_by_lint(path, problem):
        return f"deltadeck lint --fix {_quoted(path)}"
    return f"deltadeck edit {_quoted(path)}{_in(folder)}"


def _is_fixed_by_lint(path: Path, problem: Problem) -> bool:
    """Whether after `lint --fix` the file is a card, and this is no more said of it: that another
    file has its id, for one, does not stand in its text."""
    from cards.files import read_text
    from cards.lint import fix
    from cards.model import CardError
    from cards.parse import analyse

    try:
        text = read_text(path)
    except CardError:
        return False
    card, left = analyse(fix(text, path).text)
    said = {each.message for each in analyse(text)[1]} - {each.message for each in left}
    return card is not None and problem.message in said


# The journal, and its backups.


def _journal(folder: Path) -> Iterator[Finding]:
    """Every line of the journal; nothing is written."""
    from deck.backup import backups
    from deck.repair import examine

    found, saved = examine(folder), backups(folder)
    if not found:
        yield Finding("journal", "lines", "every line is whole")
    for each in found:
        place = f"{each.problem.path}:{each.problem.line}" if each.problem.path else each.kind
        command = f"deltadeck doctor --repair{_in(folder)}" if each.mends else ""
        said, hint = each.problem.message, each.problem.hint
        if each.restores and saved:
            hint += f" `deltadeck restore --missing 1{_in(folder)}` brings back what a backup has."
        yield Finding("journal", place, said, "warning", hint, command)


def _backups(folder: Path) -> Iterator[Finding]:
    from deck.backup import backups

    found = backups(folder)
    if found:
        last = found[0].at.astimezone()
        said = f"{counted(len(found), 'backup')}, the last of {last:%d %b %Y %H:%M}"
        yield Finding("backups", "backups", said)
    elif (folder / ".deltadeck").is_dir():
        hint = "the app makes one when it is opened"
        yield Finding("backups", "backups", "none yet", "note", hint)


# Whether an answer could be recorded: found by looking at rights; nothing is written.


def _unwritable_folder(folder: Path) -> Iterator[Finding]:
    from deck.files import DATA_DIR
    from deck.journal import kept_device, written_by_an_answer
    from tui.text import now

    try:
        device = kept_device()
    except OSError:  # `_unwritable_device` tells
        device = None
    private = folder / DATA_DIR
    for path in written_by_an_answer(private, device or "new", now()):
        place = _refusing(path)
        if place is not None:
            said = f"no answer can be recorded: {place} may not be written"
            whole = private if private in (place, *place.parents) else place
            yield _unwritable("this folder", said, whole, "copy the cards to a folder of your own")
            return


def _unwritable_device() -> Iterator[Finding]:
    from deck.errors import reason
    from deck.journal import device_path, kept_device

    path, name = device_path(), "this device's name"
    elsewhere = "let XDG_DATA_HOME name a folder of your own"
    try:
        if kept_device() is not None:
            return
    except OSError as error:
        said = f"no answer can be recorded: {path} cannot be read: {reason(error)}"
        yield _unwritable(name, said, path, elsewhere)
        return
    place = _refusing(path.with_name("device.new"))
    if place is not None:
        said = f"no answer can be recorded: the name cannot be kept, {place} may not be written"
        yield _unwritable(name, said, place, elsewhere)


def _refusing(path: Path) -> Path | None:
    """The file, or of one that is not there the nearest folder, that may not be written."""
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110, no error for its rights
        path = path.parent
    needed = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
    effective = os.access in os.supports_effective_ids
    return None if os.access(path, needed, effective_ids=effective) else path


def _unwritable(name: str, said: str, place: Path, elsewhere: str) -> Finding:
    """With the way out: of the owner a command, else what may be done by another."""
    hint, command = f"Ask its owner for the right to write there, or {elsewhere}.", ""
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        hint = f"The disk is mounted for reading only: mount it for writing, or {elsewhere}."
    elif os.geteuid() in (0, place.stat().st_uid):
        hint = f"Take the right to write there, or {elsewhere}."
        whole = place.name == ".deltadeck"  # what else is in another folder is not ours
        command = f"chmod {'-R ' if whole else ''}u+rwX {_quoted(place)}"
    return Finding("journal", name, said, "error", hint, command)


def _quoted(path: Path) -> str:
    """As a shell and our own commands read it: what begins with a minus would be an option."""
    return shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))


def _in(folder: Path) -> str:
    return "" if folder == Path() else f" --folder {_quoted(folder)}"
