"""Whose version of a file stands, and whose is the other, beside a version to choose from.

`<the other version>.from.json` says it: each computer then knows which of the two is its own.  The
name has two endings, so that it is never taken for a version itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cards.regular import open_regular
from deck.device import own_device
from deck.errors import JournalError

if TYPE_CHECKING:  # who only opens a collection reads notes, and runs no git
    from deck.sync.repository import Repository

ENDING = ".from.json"
_NAMED = re.compile(r"^deltadeck: .* on (\S+)$")


@dataclass(frozen=True, slots=True)
class Origin:
    """Of two versions of a file; a device is "" where nobody knows it."""

    kept: str = ""
    """The device whose version is in the file."""
    kept_on: str = ""
    """Its name, for people."""
    other: str = ""
    other_on: str = ""
    at: str = ""
    """When they met: ISO 8601, to the minute."""

    def words(self, here: str) -> str:
        """What is in the file, and what the other version is, as seen on the device `here`."""
        kept, other = self.kept_on or "another computer", self.other_on or "another computer"
        when = f" ({self.at.replace('T', ' ')})" if self.at else ""
        if here and here == self.kept:
            return f"{other} has another version; the one of this computer was kept"
        if here and here == self.other:
            return f"it is now as on {kept}{when}; the other version is yours, of this computer"
        if not self.kept:
            return "two computers have different versions; one is in the file, the other is kept"
        return f"it is now as on {kept}{when}; the other version is from {other}"


def origin_path(other: Path) -> Path:
    return other.with_name(other.name + ENDING)


def to_json(origin: Origin) -> bytes:
    return json.dumps(asdict(origin), ensure_ascii=False, indent=1).encode() + b"\n"


def origin_of(other: Path) -> Origin:
    """What is known of the version at `other`; nothing, where its note is missing or broken."""
    try:
        with open_regular(origin_path(other)) as file:
            found = json.loads(file.read(10_000).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Origin()
    if not isinstance(found, dict):
        return Origin()
    known = {each.name: found.get(each.name) for each in fields(Origin)}
    return Origin(**{key: " ".join(v.split()) for key, v in known.items() if isinstance(v, str)})


def meeting(
    repository: Repository, base: str | None, theirs: str, now: datetime
) -> Callable[[str], Origin]:
    """For a path of git's: this computer's version stands; the other is of the commit there that
    changed it last."""
    from deck.sync.changes import TRAILER, here

    since = [f"^{base}"] if base else []

    def met(path: str) -> Origin:
        form = f"--format=%(trailers:key={TRAILER},valueonly)%x00%s"
        said = repository.git.text("log", "-1", form, theirs, *since, "--", path)
        device, _, subject = said.partition("\0")
        named = _NAMED.search(subject)
        name = named[1] if named else ""
        return Origin(this_device(), here(), device.strip(), name, f"{now:%Y-%m-%dT%H:%M}")

    return met


def this_device() -> str:
    """Its name in the journal; "" where it has none and cannot get one."""
    try:
        return own_device()
    except JournalError:
        return ""
