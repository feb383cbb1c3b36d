"""Whose version of a file stands, and whose is the other, beside a version to choose from.

`<the other version>.from.json` says it: each computer then knows which of the two is its own.  The
name has two endings, so that it is never taken for a version itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from cards.files import open_regular
from deck.errors import JournalError
from deck.journal import own_device

ENDING = ".from.json"


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


def this_device() -> str:
    """Its name in the journal; "" where it has none and cannot get one."""
    try:
        return own_device()
    except JournalError:
        return ""
