"""What a sync is asked for, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from deck.sync.changes import Changes
from deck.sync.conflicts import Conflict
from deck.sync.copies import Cleared
from deck.sync.merging import Merged


@dataclass(slots=True)
class Synced:
    """What was done with one repository."""

    top: Path
    branch: str
    remote: str | None = None
    there: str | None = None
    """The remote's branch."""
    sent: Changes = field(default_factory=Changes)
    """What the remote gets, or has got where `pushed` says so; else what was committed here."""
    received: Changes = field(default_factory=Changes)
    pushed: bool = False
    pulls_only: bool = False
    reviews: bool = False
    """Whether it is the reviews' own, beside the one of the cards."""
    merged: Merged = field(default_factory=Merged)
    nested: list[str] = field(default_factory=list)
    """Folders, below `top`, that are repositories of their own: what is in them is not synced."""


@dataclass(slots=True)
class Report:
    """What a sync did."""

    repositories: list[Synced] = field(default_factory=list)
    """None where the folder is in no repository: then only copies were cleared away."""
    copies: Cleared = field(default_factory=Cleared)
    open: list[Conflict] = field(default_factory=list)
    """The versions that are still to be chosen from."""
    apart: bool = False
    """Whether the reviews are no part of the cards' repository, and in none of their own."""


@dataclass(frozen=True, slots=True)
class Wish:
    remote: str | None = None
    message: str | None = None
    dry: bool = False
