"""`deltadeck doctor`: what works here, what is wrong with the collection, and its repair."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from tui.commands.common import add_json, add_place, cards_folder, place_of, print_json

if TYPE_CHECKING:
    from deck.repair import Repair
    from tui.doctor_finding import Finding

_TITLES = {
    "versions": "Versions",
    "functions": "What confines a function that is an answer",
    "terminal": "Terminal",
    "cards": "Cards",
    "journal": "Journal",
    "backups": "Backups",
}
_SIGNS = {"ok": "✓", "note": "·", "warning": "!", "error": "✗"}
_PLAIN = {"ok": "ok", "note": "--", "warning": "!!", "error": "XX"}
#: Of these, places in files are told below only.
_LONG = ("cards", "journal")
#: So many findings are written out; of more, how many there are.
_SHOWN = 30
#: A place in a file is as long as it is; names are in a column of at most so many cells.
_COLUMN = 12


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repair",
        action="store_true",
        help="set lines of the journal aside that are none; make a wrong index anew",
    )
    add_place(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 all is well, 1 something is less than it could be, 2 something does not work."""
    from tui.doctor import code, findings

    folder = place_of(args)
    repaired = _repair(folder) if args.repair else []
    found = findings(folder, os.environ)
    if args.json:
        value = {"code": code(found), "findings": [asdict(finding) for finding in found]}
        done = [{"path": str(r.path), "aside": str(r.aside), "lines": r.lines} for r in repaired]
        print_json(value | ({"repaired": done} if args.repair else {}))
        return code(found)
    from tui.text import counted, one_line

    for each in repaired:
        if each.path == each.aside:
            print(f"{each.path}: made anew from the cards and the journal.")
            continue
        what = counted(each.lines, "line") if each.lines else "the whole of it"
        print(one_line(f"{each.path}: {what} set aside into {each.aside}."))
    if args.repair:
        print("" if repaired else "There is nothing to repair.\n")
    _print(found)
    return code(found)


def _repair(folder: Path) -> list[Repair]:
    from deck.repair import repair

    return repair(cards_folder(folder))


def _print(found: list[Finding]) -> None:
    from cards.text import printable
    from tui.text import counted

    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    signs = _PLAIN if plain else _SIGNS
    for about, some in groupby(found, key=lambda finding: finding.about):
        print(_TITLES[about])
        below = 0
        for finding in some:
            if finding.status == "warning" and about in _LONG:
                below += 1
                continue
            _print_rows(
                f"  {signs[finding.status]} {printable(finding.name):<{_COLUMN}}  ", finding.said
            )
            if finding.hint and finding.status == "note":
                _print_rows(f"    {' ' * _COLUMN}  ", finding.hint)
        if below:
            print(f"  {signs['warning']} {counted(below, 'finding')}, below")
    wrong = [finding for finding in found if finding.status in ("warning", "error")]
    print()
    if not wrong:
        print("All is well.")
        return
    print(counted(len(wrong), "finding"))
    for number, finding in enumerate(wrong[:_SHOWN], 1):
        _print_finding(number, finding)
    if len(wrong) > _SHOWN:
        print(f"  and {len(wrong) - _SHOWN} more: `deltadeck lint` lists the cards'.")


def _print_finding(number: int, finding: Finding) -> None:
    """What is wrong, why that matters or how it is mended, and the command that mends it."""
    _print_rows(f"{number:3}. ", f"{finding.name}: {finding.said}")
    for row in (finding.hint, f"`{finding.command}`" if finding.command else ""):
        if row:
            _print_rows("     ", row)


def _print_rows(head: str, said: str) -> None:
    """A sentence behind a head; on a terminal too narrow for it, in rows under its beginning."""
    from cards.text import one_line, printable

    text = one_line(printable(said))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    rows = TextWrapper(width, head, " " * len(head), break_long_words=False, break_on_hyphens=False)
    print(rows.fill(text))
