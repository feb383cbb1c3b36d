"""What differs between two trees, in a learner's words: answers, cards, settings."""

from __future__ import annotations

import platform
from contextlib import suppress
from dataclasses import dataclass, fields

from cards.model import CardError
from deck.errors import JournalError
from deck.events import LineError, read_line
from deck.files import CONFIG, PRIVATE
from deck.journal import own_device
from deck.sync.belongs import is_card, is_journal
from deck.sync.card_merge import written_id
from deck.sync.repository import Repository
from deck.sync.trees import Change, blobs, changes

#: The line of a commit's message that says on which device it was made.
TRAILER = "Deltadeck-Device"
#: The one that says when the settings were written that it brings, in seconds since 1970.
SETTINGS = "Deltadeck-Settings"


@dataclass(frozen=True, slots=True)
class Changes:
    """How many of each."""

    answers: int = 0
    events: int = 0
    """Other lines of the journal that tell a deed: undone, suspended, checked, ..."""
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
    added, gone, edited, same = _sorted(repository, cards)
    answers, events = _answers(repository, journals)
    settings = sum(path == f"{PRIVATE}/{CONFIG}" for path, _ in named)
    others = len(found) - len(journals) - len(cards) + same - settings
    return Changes(answers, events, added, edited, gone, settings, others)


def _sorted(repository: Repository, cards: list[Change]) -> tuple[int, int, int, int]:
    """How many came, went, say something else, and only have another `status:`.

    Cards go by their ids; one that is in another file says something else.
    """
    if all(change.old is None for change in cards):
        return len(cards), 0, 0, 0
    oids = (entry.oid for change in cards for entry in (change.old, change.new) if entry)
    texts = dict(blobs(repository.git, oids))
    before = _by_id({c.path: texts[c.old.oid] for c in cards if c.old})
    after = _by_id({c.path: texts[c.new.oid] for c in cards if c.new})
    stayed = before.keys() & after.keys()
    same = sum(_is_same(before[name], after[name]) for name in stayed)
    added, gone = len(after) - len(stayed), len(before) - len(stayed)
    return added, gone, len(stayed) - same, same


def _by_id(texts: dict[str, bytes]) -> dict[str, tuple[str, bytes]]:
    """Path and text of each card; of a file without an id, or with another one's, by its path."""
    found: dict[str, tuple[str, bytes]] = {}
    for path, text in sorted(texts.items()):
        name = written_id(text)
        key = f"id {name}" if name and f"id {name}" not in found else f"path {path}"
        found[key] = path, text
    return found


def _is_same(one: tuple[str, bytes], other: tuple[str, bytes]) -> bool:
    return one[0] == other[0] and same_but_status(one[1], other[1])


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
    from cards.diagnostics import Report
    from cards.frontmatter import read_header

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
                events += kind not in ("review", "status", "")
    return answers, events


def _kind(row: bytes) -> str:
    try:
        return read_line(row).kind
    except LineError:
        return ""


def message(what: Changes, learners: str | None, set_at: float = 0) -> str:
    """Of a commit; the learner's own words come first."""
    said = f"deltadeck: {what.words() or 'nothing new'} on {here()}"
    said = f"{learners}\n\n{said}" if learners else said
    trailers = [f"{SETTINGS}: {set_at:.0f}"] if set_at else []
    with suppress(JournalError):
        trailers.append(f"{TRAILER}: {own_device()}")
    return "\n".join([said, "", *trailers])


def here() -> str:
    """This device's name where the learner gave it one, else the computer's."""
    try:
        device = own_device()
    except JournalError:
        device = "device-"
    name = platform.node().split(".")[0]
    return device if not device.startswith("device-") else name or device
