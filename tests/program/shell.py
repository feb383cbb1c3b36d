"""Runs the command line: in this process, or as a process of its own where that is the subject."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.program.terminal import environment
from tui.main import main

ITEM = "ssu_batch4_004"
CLOZE = "---\nid: pair\ncourse: Clozes\ntype: cloze\n---\n# Question\n{}.\n"


class Shell:
    """Runs `deltadeck` with a home folder of its own, and in it: what is said of the current
    folder is never done to the source tree.

    `shell(...)` calls `main` in this process, with the environment, the folder and the three
    streams that a process has; `shell.process(...)` starts one.  With a `folder`, its commands are
    about that one.
    """

    def __init__(self, home: Path, folder: Path | None = None) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home, self.env = home, environment(home)
        self.folder = folder or home
        self._words = [] if folder is None else ["-C", str(folder)]

    def __call__(
        self, *arguments: str | Path, stdin: bytes = b"", screen: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """`screen`: standard output is a terminal."""
        words = [*self._words, *map(str, arguments)]
        with as_process(self.env, self.home, stdin) as (out, err):
            out.isatty = lambda: screen  # type: ignore[method-assign]
            code = main(words)
        return subprocess.CompletedProcess(
            words, code, out.getvalue().decode(), err.getvalue().decode()
        )

    def json(self, *arguments: str | Path, stdin: bytes = b"") -> Any:
        """What a command prints for a program."""
        return json.loads(self(*arguments, "--json", stdin=stdin).stdout)

    def process(
        self, *arguments: str | Path, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *self._words, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=self.home,
            env=self.env,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def refused(self, *arguments: str | Path, stdin: bytes = b"", rows: int = 2) -> str:
        """Standard error of a call that must be refused: exit code 2, a sentence, no output."""
        done = self(*arguments, stdin=stdin)
        assert done.returncode == 2, done
        assert done.stderr.strip()
        assert done.stderr.count("\n") <= rows
        return done.stderr


class Output(io.BytesIO):
    """Where a stream is written to; it can say that it is a terminal."""


@contextmanager
def as_process(
    env: Mapping[str, str], folder: Path, stdin: bytes = b"", merged: bool = False
) -> Iterator[tuple[Output, Output]]:
    """What a process has of its own: environment, folder, and standard streams as pipes are.

    Standard input has a handle, which `review -` reads; `merged`: errors go where output goes.
    """
    out, err, before = Output(), Output(), Path.cwd()
    texts = [io.TextIOWrapper(each, "utf-8", "backslashreplace") for each in (out, err)]
    try:
        with (
            patch.dict(os.environ, env, clear=True),
            tempfile.TemporaryFile() as file,
            io.TextIOWrapper(file, "utf-8") as given,
        ):
            os.chdir(folder)
            time.tzset()
            file.write(stdin)
            file.seek(0)
            with patch.multiple(sys, stdin=given, stdout=texts[0], stderr=texts[not merged]):
                yield out, err
                for text in texts:
                    text.flush()
    finally:
        os.chdir(before)
        time.tzset()
        for text in texts:
            text.detach()
