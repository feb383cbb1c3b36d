"""The wheel, built offline and installed into an environment that has nothing of ours but it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

_PTH = "locked.pth"


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment, and a folder of its own to work in."""

    python: Path
    work: Path
    env: Mapping[str, str]

    def run(self, *words: str | Path, code: int = 0) -> str:
        """Standard output of a program of the environment, started outside of the source tree."""
        done = subprocess.run(
            [self.python.parent / words[0], *words[1:]],
            cwd=self.work,
            env=dict(self.env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout


def build(target: Path) -> list[Path]:
    """Sdist and wheel, by the locked back end: nothing is fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return sorted(target.iterdir(), key=lambda path: path.suffix)


def install(wheel: Path, folder: Path) -> Installed:
    """A new environment with the wheel, which sees the libraries that we test with, but not us.

    What a .pth file names is searched, and the .pth files there (our own editable install is one)
    are not read.
    """
    where = folder / "venv"
    venv.create(where, with_pip=False, symlinks=True)
    python = where / "bin" / "python"
    own = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(own) / _PTH).write_text("".join(f"{path}\n" for path in libraries), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    take = [
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--ignore-installed",
        str(wheel),
    ]
    subprocess.run([*pip, *take], check=True, capture_output=True, timeout=120)
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}
    return Installed(python, work, env)
