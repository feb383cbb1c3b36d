"""Runs the command line as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.program.terminal import environment


class Shell:
    """Runs `deltadeck` as a process, with a home folder of its own, and in it: what is said of the
    current folder is never done to the source tree."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home, self.env = home, environment(home)

    def __call__(
        self, *arguments: str | Path, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *map(str, arguments)],
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

    def refused(self, *arguments: str | Path, stdin: bytes = b"") -> str:
        """Standard error of a call that must be refused: exit code 2, a sentence, no output."""
        done = self(*arguments, stdin=stdin)
        assert done.returncode == 2, done
        assert done.stderr.strip()
        assert done.stderr.count("\n") <= 2
        return done.stderr

    def refused_at_length(self, *arguments: str | Path) -> str:
        """As `refused`, of a search: its line, a caret and the way out follow."""
        done = self(*arguments)
        assert done.returncode == 2, done
        assert done.stderr.count("\n") <= 4
        return done.stderr
