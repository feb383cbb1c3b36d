"""Runs the `console` blocks of a page, in their order, in one temporary folder.

A line that begins with `$ ` is typed, and lines below it that begin with `> ` go on with it; what
stands under it is what must come, on standard output or standard error.  `…` stands for anything
within a line, a line that is only `…` for any number of lines.  A command under which nothing
stands may print what it likes.  Each must end with 0, or with the number in `# exit code N`.
A plain command of ours is run in this process, what needs a shell is run by bash.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.docs.pages import Block
from tests.program.shell import as_process
from tests.program.terminal import environment
from tui.main import main

_CODE = re.compile(r"# exit code (\d+)\s*$")
_QUOTED, _FOR_A_SHELL = re.compile(r"'[^']*'"), re.compile(r"[|<>;&$`*?~\n]")


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


def page_environment(home: Path) -> dict[str, str]:
    """A home of one's own: nothing of the user's is read, or written."""
    path = f"{Path(sys.executable).parent}:{environment(home)['PATH']}"
    return environment(home) | {"PATH": path, "TMPDIR": str(home / "tmp"), "LANG": "C.UTF-8"}


def differences(given: list[Command], folder: Path, env: Mapping[str, str]) -> list[str]:
    """What does not come as the page says, a paragraph each."""
    said: list[str] = []
    for command in given:
        typed = "\n".join(command.typed)
        if typed.startswith("cd "):
            folder /= typed[3:].strip()
            continue
        code, printed = _run(typed, folder, env)
        if code != command.exit_code:
            said.append(f"{command.place}: exit code {code}\n{printed}")
        elif command.expected and not matches(command.expected, printed):
            wanted = "\n".join(command.expected)
            said.append(f"{command.place}: the page says\n{wanted}\nand it prints\n{printed}")
    return said


def _run(typed: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """The exit code of what is typed, and all that it prints."""
    if typed.startswith("deltadeck ") and not _FOR_A_SHELL.search(_QUOTED.sub("", typed)):
        words = shlex.split(typed, comments=True)[1:]
        with (
            patch.object(tempfile, "tempdir", env["TMPDIR"]),
            as_process(env, folder, merged=True) as (out, _),
        ):
            code = main(words)
        return code, out.getvalue().decode()
    done = subprocess.run(
        ["bash", "--norc", "-c", typed],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=dict(env),
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def matches(expected: list[str], printed: str) -> bool:
    rows = [
        r"(?:.*\n)*?" if row.strip() == "…" else re.escape(row.rstrip()).replace("…", ".*") + r"\n"
        for row in expected
    ]
    bare = "".join(f"{row.rstrip()}\n" for row in printed.rstrip("\n").split("\n"))
    wanted = "".join(rows).rstrip()
    return re.fullmatch(wanted, bare) is not None
