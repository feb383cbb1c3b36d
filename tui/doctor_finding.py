"""What the doctor found: a value, with its way out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Status = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    """ "versions", "functions", "terminal", "cards", "journal" or "backups"."""
    name: str
    said: str
    status: Status = "ok"
    hint: str = ""
    """The way out, where there is something to mend."""
    command: str = ""
    """The command that mends it, or that leads there."""


def quoted(path: Path) -> str:
    """As a shell and our own commands read it: what begins with a minus would be an option."""
    import shlex

    return shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
