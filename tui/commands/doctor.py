"""`deltadeck doctor`: what works on this machine, what confines functions, what is wrong here."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from tui.commands.common import add_folder, add_json, print_json

if TYPE_CHECKING:
    from tui.doctor import Finding

_TITLES = {
    "versions": "Versions",
    "functions": "What confines a function that is an answer",
    "terminal": "Terminal",
    "collection": "Cards",
}
_SIGNS = {"ok": "✓", "note": "·", "warning": "!", "error": "✗"}
_PLAIN = {"ok": "ok", "note": "--", "warning": "!!", "error": "XX"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 all is well, 1 something is less than it could be, 2 something does not work."""
    from tui.doctor import code, findings

    found = findings(args.folder, os.environ)
    if args.json:
        print_json({"code": code(found), "findings": [asdict(finding) for finding in found]})
    else:
        _print(found)
    return code(found)


def _print(found: list[Finding]) -> None:
    from cards.text import one_line, printable

    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    signs = _PLAIN if plain else _SIGNS
    width = max(len(f.name) for f in found if f.about != "collection")
    for about, some in groupby(found, key=lambda finding: finding.about):
        print(_TITLES[about])
        for finding in some:
            said = one_line(printable(finding.said))
            print(f"  {signs[finding.status]} {printable(finding.name):<{width}}  {said}")
            if finding.hint:
                print(f"    {' ' * width}  {one_line(printable(finding.hint))}")
