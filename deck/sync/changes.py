"""What differs between two trees, in a learner's words: answers, cards, settings."""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields

from cards.model import CardError
from deck.device import own_device
from deck.errors import JournalError
from deck.line import LineError, read_line
from deck.place import CONFIG, PRIVATE
from deck.sync.belongs import is_card, is_journal
from deck.sync.repository import Repository
from deck.sync.trees import Change, blobs, changes

#: The line of a commit's message that says on which device it was made.
TRAILER = "Deltadeck-Device"


@dataclass(frozen=True, slots=True)
class Changes:
    """How many of each."""

    answers: int = 0
    events: int = 0
    """Lines of the journal that are no answers: undone, suspended, checked, ..."""
    added: int = 0
    changed: int = 0
    """Cards with more than another `status:`, which follows the answers."""
    removed: int = 0
    settings: int = 0
    others: int = 0
    """Files: media, versions to choose from, lines of status."""

    def __bool__(self) -> bool:
        return any(self.as_numbers())

    def as_numbers(self) -> tuple[int, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))

    def words(self) -> str:
        """As in "34 answers, 2 cards changed"; events are undone, suspended, checked ones."""
        said = [_counted(self.answers, "answer")] if self.answers else []
        for number, deed in (
            (self.added, "added"),
            (self.changed, "changed"),
            (self.removed, "removed"),
        ):
            if number:
                said.append(f"{_counted(number, 'card')} {deed}")
        if self.settings:
            said.append("settings changed")
        if self.events:
            more = "other " if self.answers else ""
            said.append(_counted(self.events, f"{more}event"))
        if not said and self.others:
            said.append(f"{_counted(self.others, 'file')} changed")
        return ", ".join(said)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def count(repository: Repository, old: str, new: str) -> Changes:
    """What of the collection differs between two trees."""
    found = changes(repository.git, old, new, repository.scope)
    named = [(repository.relative(change.path) or "", change) for change in found]
    cards = [change for path, change in named if is_card(path)]
    journals = [change for path, change in named if is_journal(path)]
    added, gone, edited = _sorted(repository, cards)
    answers, events = _answers(repository, journals)
    settings = sum(path == f"{PRIVATE}/{CONFIG}" for path, _ in named)
    others = len(found) - len(journals) - added - gone - edited - settings
    return Changes(answers, events, added, edited, gone, settings, others)


def _sorted(repository: Repository, cards: list[Change]) -> tuple[int, int, int]:
    """How many came, went, and say something else; one that only moved says something else."""
    came = {change.new.oid for change in cards if change.new and not change.old}
    moved = sum(bool(change.old and not change.new and change.old.oid in came) for change in cards)
    added = sum(change.old is None for change in cards) - moved
    gone = sum(change.new is None for change in cards) - moved
    both = [(c.old.oid, c.new.oid) for c in cards if c.old and c.new]
    texts = dict(blobs(repository.git, (oid for pair in both for oid in pair)))
    edited = sum(not same_but_status(texts[a], texts[b]) for a, b in both)
    return added, gone, edited + moved


def same_but_status(one: bytes, other: bytes) -> bool:
    """Whether two texts of a card differ at most in the value of `status:`."""
    if one == other:
        return True
    rows, others = one.splitlines(), other.splitlines()
    if abs(len(rows) - len(others)) > 1:
        return False
    try:
        return _without_status(one) == _without_status(other)
    except (CardError, UnicodeDecodeError):
        return False


def _without_status(data: bytes) -> str:
    from cards.frontmatter import read_header
    from cards.report import Report

    text = data.decode("utf-8")
    found = read_header(Report(text, None)).fields.get("status")
    if found is None:
        return text
    before, after = text[: found.key_at], text[found.end :]
    return before + after.lstrip(" \t").removeprefix("\r").removeprefix("\n")


def _answers(repository: Repository, journals: list[Change]) -> tuple[int, int]:
    """Answers, and all other events, that came in between."""
    pairs = [(c.old.oid if c.old else "", c.new.oid) for c in journals if c.new]
    known = dict(blobs(repository.git, (oid for pair in pairs for oid in pair if oid)))
    answers = events = 0
    for old, new in pairs:
        before = set(known.get(old, b"").split(b"\n"))
        for row in known[new].split(b"\n"):
            if row.strip() and row not in before:
                kind = _kind(row)
                answers += kind == "review"
                events += kind not in ("review", "")
    return answers, events


def _kind(row: bytes) -> str:
    try:
        return read_line(row).kind
    except LineError:
        return ""


def message(what: Changes, learners: str | None) -> str:
    """Of a commit; the learner's own words come first."""
    said = f"deltadeck: {what.words() or 'nothing new'} on {here()}"
    said = f"{learners}\n\n{said}" if learners else said
    try:
        return f"{said}\n\n{TRAILER}: {own_device()}"
    except JournalError:
        return said


def here() -> str:
    """This device's name where the learner gave it one, else the computer's."""
    try:
        device = own_device()
    except JournalError:
        device = "device-"
    name = platform.node().split(".")[0]
    return device if not device.startswith("device-") else name or device
