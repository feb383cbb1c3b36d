"""What the doctor finds in a collection, each with the command that mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tui.doctor_finding import Finding, quoted

if TYPE_CHECKING:
    from cards import Problem
    from deck.sync.conflicts import Conflict

#: Of cards that are there twice, so many are named.
_SHOWN = 20


def cards(folder: Path) -> Iterator[Finding]:
    """What can be read of the cards and the settings, and what cannot."""
    from deck.collection import Collection
    from deck.errors import CollectionError
    from deck.sync.conflicts import conflicts
    from deck.sync.conflicts import problems as conflict_problems
    from tui.clock import now
    from tui.commands.common import gathered
    from tui.text import counted

    init = f"deltadeck init {quoted(folder)} --starter"
    try:
        opened = Collection.open(folder, now=now())
    except CollectionError as error:
        command = _mends(error.problem, folder) if folder.is_dir() else init
        yield Finding("cards", "folder", str(error), "error", command=command)
        return
    yield Finding("cards", "folder", f"{opened.root}, {counted(len(opened.cards), 'card')}")
    found = _of_cards(opened.problems, opened.root)
    if not found:
        yield Finding("cards", "problems", "every card reads")
    choices = list(zip(conflict_problems(opened.root), conflicts(opened.root), strict=True))
    said = [problem for problem, _ in choices]
    for problem in gathered(problem for problem in found if problem not in said):
        yield _problem(problem, folder)
    for problem, conflict in choices:
        yield _choice(problem, conflict, folder)
    yield from _doubles(folder)
    opened.close()


def _doubles(folder: Path) -> Iterator[Finding]:
    """Cards that imports brought twice, and files that were copied: only the first is renewed."""
    from deck.exchange.known import doubles

    found = doubles(folder)
    for source, first, other in found[:_SHOWN]:
        said = f"it and {first} are one card, {source}: imports renew only that one"
        hint = "Delete the one that you do not want, or its line `source:`."
        command = f"deltadeck edit {quoted(other)}{_in(folder)}"
        yield Finding("cards", f"{other}", said, "warning", hint, command)
    if len(found) > _SHOWN:
        said = f"{len(found) - _SHOWN:,} more cards are there twice"
        yield Finding("cards", "twice", said, "warning", "mend the first, and look again")


def _of_cards(problems: Iterable[Problem], root: Path) -> list[Problem]:
    """Those of which `journal` does not tell: no line of its files, no place where reviews are
    missing."""
    from deck.files import PRIVATE
    from deck.journal import journal_files

    places = journal_files(root / PRIVATE)[1]
    lines = root / PRIVATE / "journal"
    return [p for p in problems if p not in places and (not p.path or lines not in p.path.parents)]


def _problem(problem: Problem, folder: Path) -> Finding:
    path = problem.path
    place = f"{path}:{problem.line}" if path else "problem"
    command = _mends(problem, folder)
    return Finding("cards", place, problem.message, "warning", problem.hint, command)


def _mends(problem: Problem, folder: Path) -> str:
    """The command that opens the file where it stands, or mends it by itself; "" for none."""
    from deck.files import is_card_name

    path = problem.path
    if path is None or not path.is_file():
        return ""
    if path.name == "config.toml":
        return f"deltadeck config --edit{_in(folder)}"
    if not is_card_name(path.name):
        return ""
    if _is_mended(path, problem):
        return f"deltadeck lint --fix {quoted(path)}"
    return f"deltadeck edit {quoted(path)}{_in(folder)}"


def _choice(problem: Problem, conflict: Conflict, folder: Path) -> Finding:
    """Two versions of one file: which stays, only the learner knows."""
    hint = (
        f"The other version is {conflict.other}: `--take` in the place of `--keep` takes it. "
        "In the app, editing the card shows what differs."
    )
    command = f"deltadeck sync --keep {quoted(conflict.other)}{_in(folder)}"
    return Finding("cards", f"{problem.path}", problem.message, "warning", hint, command)


def _is_mended(path: Path, problem: Problem) -> bool:
    """Whether after `lint --fix` the file is a card, and this is no more said of it: that another
    file has its id, for one, does not stand in its text."""
    from cards import CardError
    from cards.files import read_text
    from cards.lint import mend
    from cards.parse import analyse

    try:
        text = read_text(path)
    except CardError:
        return False
    card, left = analyse(mend(text, path).text)
    said = {each.message for each in analyse(text)[1]} - {each.message for each in left}
    return card is not None and problem.message in said


def journal(folder: Path) -> Iterator[Finding]:
    """Every line of the journal; nothing is written."""
    if not folder.is_dir():
        return
    from deck.backup import backups
    from deck.repair import examine

    found, saved = examine(folder), backups(folder)
    if not found:
        yield Finding("journal", "lines", "every line is whole")
    for each in found:
        place = f"{each.problem.path}:{each.problem.line}" if each.problem.path else each.kind
        command = f"deltadeck doctor --repair{_in(folder)}" if each.mends else ""
        said, hint = each.problem.message, each.problem.hint
        if each.kind == "corrupt" and saved:
            hint += f" `deltadeck restore --missing 1{_in(folder)}` brings back what a backup has."
        yield Finding("journal", place, said, "warning", hint, command)


def kept(folder: Path) -> Iterator[Finding]:
    """Whether there is a backup."""
    if not folder.is_dir():
        return
    from deck.backup import backups
    from tui.text import counted

    found = backups(folder)
    if found:
        last = found[0].at.astimezone()
        said = f"{counted(len(found), 'backup')}, the last of {last:%d %b %Y %H:%M}"
        yield Finding("backups", "backups", said)
    elif (folder / ".deltadeck").is_dir():
        hint = "the app makes one when it is opened"
        yield Finding("backups", "backups", "none yet", "note", hint)


def _in(folder: Path) -> str:
    return "" if folder == Path() else f" --folder {quoted(folder)}"
