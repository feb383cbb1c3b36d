"""`python -m tests.program.apart`: runs the command lines that it reads.

A process in which the program lacks something, started once for many of its commands.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.program.shell import Shell
from tui.commands import doctor


class Apart:
    """Runs `deltadeck` there, with `home` as its home folder; leaving the context ends it."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        self.home = home
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, *arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        given, answers = self._process.stdin, self._process.stdout
        assert given is not None
        assert answers is not None
        given.write(json.dumps([str(self.home), stdin, *map(str, arguments)]) + "\n")
        given.flush()
        if not (line := answers.readline()):
            assert self._process.wait(10) == 0
            pytest.skip("such a process cannot be had here")
        return subprocess.CompletedProcess(arguments, *json.loads(line))

    def end(self) -> None:
        self._process.communicate()


if __name__ == "__main__":
    doctor.functions = tuple  # type: ignore[assignment]  # what confines them is not tried
    for line in sys.stdin:
        home, stdin, *words = json.loads(line)
        done = Shell(Path(home))(*words, stdin=stdin.encode())
        sys.stdout.write(json.dumps([done.returncode, done.stdout, done.stderr]) + "\n")
        sys.stdout.flush()
