"""Runs the `console` blocks of a page, in their order, in one shell and one temporary folder.

A line that begins with `$ ` is typed, and lines below it that begin with `> ` go on with it; what
stands under it is what must come, on standard output or standard error.  `…` stands for anything
within a line, a line that is only `…` for any number of lines.  A command under which nothing
stands may print what it likes.  Each must end with 0, or with the number in `# exit code N`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.pages import Block
from tests.paths import NOON_ZONE

_CODE = re.compile(r"# exit code (\d+)\s*$")
_MARK = "\x1e"


@dataclass(slots=True)
class Command:
    place: str
    typed: list[str]
    expected: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        found = _CODE.search(self.typed[0])
        return int(found[1]) if found else 0


def commands(blocks: Iterable[Block]) -> list[Command]:
    found: list[Command] = []
    for block in blocks:
        first = len(found)
        for number, line in enumerate(block.text.splitlines(), block.line + 1):
            if line.startswith("$ "):
                found.append(Command(f"{block.place.rpartition(':')[0]}:{number}", [line[2:]]))
                continue
            assert len(found) > first, f"{block.place} does not begin with a command"
            if (line == ">" or line.startswith("> ")) and not found[-1].expected:
                found[-1].typed.append(line[2:])
            else:
                found[-1].expected.append(line)
    return found


def environment(home: Path, **more: str) -> Mapping[str, str]:
    """A home of one's own: nothing of the user's is read, or written."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": NOON_ZONE,
        **{
            f"XDG_{kind}_HOME": str(home / kind.lower())
            for kind in ("CACHE", "CONFIG", "DATA", "STATE")
        },
        **more,
    }


def differences(given: list[Command], folder: Path, env: Mapping[str, str]) -> list[str]:
    """What does not come as the page says, a paragraph each."""
    script = "".join(
        "\n".join(command.typed) + f"\nprintf '{_MARK}%s{_MARK}\\n' $?\n" for command in given
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=dict(env),
        timeout=120,
        check=False,
    )
    pieces = done.stdout.decode("utf-8", "replace").split(_MARK)
    outputs, codes = pieces[0::2], pieces[1::2]
    assert len(codes) == len(given), outputs[-1]
    said: list[str] = []
    for command, output, code in zip(given, outputs, codes, strict=False):
        printed = output.removeprefix("\n")
        if int(code) != command.exit_code:
            said.append(f"{command.place}: exit code {code}\n{printed}")
        elif command.expected and not matches(command.expected, printed):
            wanted = "\n".join(command.expected)
            said.append(f"{command.place}: the page says\n{wanted}\nand it prints\n{printed}")
    return said


def matches(expected: list[str], printed: str) -> bool:
    rows = [
        r"(?:.*\n)*?" if row.strip() == "…" else re.escape(row.rstrip()).replace("…", ".*") + r"\n"
        for row in expected
    ]
    bare = "".join(f"{row.rstrip()}\n" for row in printed.rstrip("\n").split("\n"))
    wanted = "".join(rows).rstrip()
    return re.fullmatch(wanted, bare) is not None
