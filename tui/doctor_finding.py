"""What the doctor found: a value, with its way out."""

from __future__ import annotations

from dataclasses import dataclass
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
