"""Versions of a card: merged, or kept to be chosen from."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from cards.files import open_regular
from cards.model import Card, CardError, Problem
from deck.errors import CollectionError, JournalError, odd, reason, refusal
from deck.files import DATA_DIR, key_parts, unused_path, walk, write_whole
from deck.journal import own_device
from deck.repair import Repair, move
from deck.replay import SUSPENDED

# == Which files of a collection travel: cards, media, journal, settings.  Paths are below its
# root.


#: What a card shows or plays, or a learner keeps beside it.
_MEDIA = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".jpe", ".gif", ".svg", ".webp", ".avif", ".bmp", ".tif"),
        *(".tiff", ".ico", ".heic", ".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a"),
        *(".aac", ".mp4", ".m4v", ".webm", ".ogv", ".mov", ".mkv", ".avi", ".pdf", ".djvu"),
        *(".csv", ".tsv", ".tex", ".bib", ".txt", ".css", ".woff", ".woff2"),
    )
)
_JOURNAL = f"{DATA_DIR}/journal/"
_LISTS = (".gitignore", ".gitattributes")
CONFLICTS = f"{DATA_DIR}/conflicts"
#: Below `.deltadeck/`, what is of one computer, or set aside.
IGNORED = (
    *("lock", "drafts/", "replaced-*/", ".restoring-*/"),
    *("*.aside", "*.torn", "config.toml.[0-9]*", ".*.jsonl.*"),
)


def is_journal(path: str) -> bool:
    return path.startswith(_JOURNAL) and path.endswith(".jsonl")


def is_card(path: str) -> bool:
    return path.lower().endswith(".md") and not path.startswith(f"{DATA_DIR}/")


def is_record(path: str) -> bool:
    """Whether it is a version of a card that is still to be chosen from."""
    return path.startswith(f"{CONFLICTS}/")


def is_list(path: str) -> bool:
    """Whether both sides' lines hold where they changed the same ones."""
    return path.removeprefix(f"{DATA_DIR}/") in _LISTS


def belongs(path: str) -> bool:
    """Whether a file that git does not know yet is added by a sync."""
    parts = PurePosixPath(path).parts
    if parts[0] == DATA_DIR:
        return _private(parts[1:])
    if path in _LISTS:
        return True
    hidden = any(part.startswith(".") for part in parts)
    return not hidden and PurePosixPath(path).suffix.lower() in {".md", *_MEDIA}


def _private(parts: tuple[str, ...]) -> bool:
    name = parts[-1]
    if name in _LISTS and len(parts) == 1:
        return True
    if parts[0] == "conflicts":
        return not name.endswith(".deltadeck-tmp")
    if any(part.startswith(".") for part in parts) or name.endswith((".aside", ".torn")):
        return False
    local = parts[0] in ("lock", "drafts") or parts[0].startswith("replaced-")
    return not local and not (name.startswith("config.toml.") and name != "config.toml")


# == Two versions of a card to one: as text, but for `status:`, which follows the history.


TextMerge = Callable[[bytes, bytes, bytes], bytes | None]
"""Base, ours, theirs to one text; None where both changed the same lines."""
Scheduled = Callable[[Card], str | None]
"""The status that the history of both sides gives a card; None where nobody knows."""


def merge_cards(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, scheduled: Scheduled
) -> bytes | None:
    """The text that has both sides' changes; None where a learner must choose.

    A `status:` that both changed is no reason to ask.  A text that merges and is no card any more,
    though both sides are, is.
    """
    status = _status(base, ours, theirs, scheduled)
    first, mine, yours = (_with_status(text, status) for text in (base, ours, theirs))
    if mine == yours:
        return mine
    if not base:
        return None
    merged = mine if yours == first else yours if mine == first else merge(first, mine, yours)
    if merged is None or not _reads_as_both(merged, ours, theirs):
        return None
    return merged


def with_agreed_status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> bytes:
    """Ours, with the status that both sides come to."""
    return _with_status(ours, _status(base, ours, theirs, scheduled))


def card_id(data: bytes) -> str | None:
    """The id of the card; None of a text that is none."""
    card = card_of(data)
    return card.id if card else None


def written_id(data: bytes) -> str | None:
    """The id in the frontmatter, also of a card that is broken below; None of another text."""
    from cards.diagnostics import Report
    from cards.frontmatter import read_header

    try:
        field = read_header(Report(data.decode("utf-8"), None)).fields.get("id")
    except (CardError, UnicodeDecodeError):
        return None
    return field.value.strip() or None if field and isinstance(field.value, str) else None


def card_of(data: bytes) -> Card | None:
    from cards.parse import parse_card

    try:
        return parse_card(data.decode("utf-8"))
    except (CardError, UnicodeDecodeError):
        return None


def _reads_as_both(merged: bytes, ours: bytes, theirs: bytes) -> bool:
    ids = {card_id(ours), card_id(theirs)}
    return None in ids or {card_id(merged)} == ids


def _status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> str | None:
    """The one that both sides come to; None where one of them has no such line."""
    first, mine, yours = (_status_of(text) for text in (base, ours, theirs))
    if mine is None or yours is None or mine == yours:
        return mine if mine == yours else None
    if mine == first:
        return yours
    if yours == first:
        return mine
    if SUSPENDED in (mine, yours):  # the learner's word; the schedule never changes it
        return SUSPENDED
    card = card_of(ours)
    return (scheduled(card) if card else None) or mine


def _status_of(data: bytes) -> str | None:
    from cards.diagnostics import Report
    from cards.frontmatter import read_header

    try:
        field = read_header(Report(data.decode("utf-8"), None)).fields.get("status")
    except (CardError, UnicodeDecodeError):
        return None
    return field.value if field and isinstance(field.value, str) else None


def _with_status(data: bytes, status: str | None) -> bytes:
    from cards.edit import with_field

    if status is None or _status_of(data) in (None, status):
        return data
    try:
        return with_field(data.decode("utf-8"), "status", status).encode("utf-8")
    except CardError:
        return data


# == Whose version of a file stands, and whose is the other, beside a version to choose from.
#
# `<the other version>.from.json` says it: each computer then knows which of the two is its own.
# The
# name has two endings, so that it is never taken for a version itself.


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


# == Versions of a card that came from elsewhere, and are still to be chosen from.
#
# `.deltadeck/conflicts/<path of the card>.<8 digits>.md` holds such a version; the card's file is
# as
# it was here.  The name says what is in it, so that two computers never mean different things by
# it;
# it travels with the collection, and once it is gone on one computer, it is gone on all.
# `origin`
# is the note beside it of whose version it is.


_NAME = re.compile(r"(?P<stem>.+?)\.(?P<digits>[0-9a-f]{8})(?P<suffix>\.[^.]*)?", re.DOTALL)
#: Bytes of a record's name, at most: its note has a longer one, and a file system takes 255.
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Conflict:
    """A version that is still to be chosen, or given up."""

    path: Path
    """The file that it is about."""
    other: Path
    """Where the other version is."""

    def text(self) -> bytes:
        """The other version.  Raises CollectionError."""
        try:
            with open_regular(self.other) as file:
                return file.read()
        except OSError as error:
            message = f"The other version cannot be read: {reason(error)}."
            raise refusal(self.other, message, "Make it readable.") from error


def record_name(relative: str, oid: str) -> str:
    """Where the other version of a file is kept; both are paths below the collection's root."""
    path = PurePosixPath(relative)
    room = max(_LONGEST - len(os.fsencode(path.suffix)) - 10, 1)
    return f"{CONFLICTS}/{path.with_name(f'{_cut(path.stem, room)}.{oid[:8]}{path.suffix}')}"


def _cut(text: str, room: int) -> str:
    while len(os.fsencode(text)) > room:
        text = text[:-1]
    return text


def digits(data: bytes) -> str:
    """For `record_name`, of what comes from no git."""
    return blake2b(data, digest_size=4).hexdigest()


def conflicts(root: Path) -> list[Conflict]:
    """All that are open, by path; nothing is read but names."""
    top = root / CONFLICTS
    if not top.is_dir():
        return []
    found = []
    for folder, _, names in os.walk(top):
        below = Path(folder).relative_to(top)
        for name in names:
            named = _NAME.fullmatch(name)
            if named and not name.endswith(".deltadeck-tmp"):
                plain = _plain(root / below, name, named["stem"], named["suffix"] or "")
                found.append(Conflict(plain, Path(folder, name)))
    return sorted(found, key=lambda conflict: (conflict.path, conflict.other))


def _plain(folder: Path, name: str, stem: str, suffix: str) -> Path:
    """The file that a version is about: where the name was cut, one that begins so."""
    path = folder / f"{stem}{suffix}"
    if len(os.fsencode(name)) > _LONGEST - 4 and folder.is_dir() and not path.exists():
        like = [n for n in os.listdir(folder) if n.startswith(stem) and n.endswith(suffix)]  # noqa: PTH208
        return folder / min(like, default=path.name)
    return path


def conflicts_of(root: Path, path: Path, card_id: str | None = None) -> list[Conflict]:
    """Those about the card at `path`: also where it moved since then, and not those of a card
    that had its file's name before."""
    found = []
    for conflict in conflicts(root):
        name = _id_in(conflict.other) if card_id else None
        if conflict.path == path:
            if name in (None, card_id):
                found.append(conflict)
        elif name is not None and name == card_id and _id_in(conflict.path) != name:
            found.append(conflict)
    return found


def place(root: Path, conflict: Conflict) -> Path:
    """Where the card is now that a version is of; another one may have its file's name.

    Where it is nowhere any more, a path that no file has.
    """
    name, here = _id_in(conflict.other), conflict.path
    if name is None or _is_there(conflict):
        return here
    for key in sorted(file[0] for file in walk(root)[0]):
        path = root.joinpath(*key_parts(key))
        if _id_in(path) == name:
            return path
    return unused_path(here)


def _id_in(path: Path) -> str | None:

    try:
        with open_regular(path) as file:
            return written_id(file.read()) if path.suffix.lower() == ".md" else None
    except OSError:
        return None


def settle(root: Path, conflict: Conflict) -> Repair:
    """Ends a conflict: the other version is put aside, into `.deltadeck/drafts`, on this computer.

    Raises:
        JournalError: the disk refuses; it is as it was.
    """
    with suppress(OSError):
        origin_path(conflict.other).unlink(missing_ok=True)
    done = move(conflict.other, unused_path(root / DATA_DIR / "drafts" / conflict.other.name))
    for folder in conflict.other.parents:
        try:
            if folder == root / DATA_DIR:
                break
            folder.rmdir()
        except OSError:  # there are others
            break
    return done


def problems(root: Path) -> list[Problem]:
    """A sentence for each that is open."""
    return [_problem(conflict) for conflict in conflicts(root)]


def _problem(conflict: Conflict) -> Problem:
    words = origin_of(conflict.other).words(this_device())
    message = f"There are two versions of this file: {words}."
    if conflict.path.suffix.lower() != ".md":
        hint = f"It is {conflict.other}. Take it over by hand, or remove it; then sync."
    elif _is_there(conflict):
        hint = "Edit the card: it shows what differs, and lets you choose. Then sync."
    else:
        hint = "`deltadeck sync --take` or `--keep` with its file name ends this."
        message = (
            "There is another version of the card that this file had, from another computer; "
            "it has another name now, or is deleted."
        )
    return odd(conflict.path, message, hint)


def _is_there(conflict: Conflict) -> bool:
    """Whether the file is still of the card that the version is of, as far as it can be read."""
    ids = {_id_in(conflict.path), _id_in(conflict.other)}
    return conflict.path.exists() and (None in ids or len(ids) == 1)


def write_new(path: Path, data: bytes) -> None:
    """Writes a file that is not there yet, whole.  Raises CollectionError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise failed(path, error) from error


def failed(path: Path, error: OSError) -> CollectionError:
    message = f"The file cannot be written: {reason(error)}."
    return refusal(path, message, "Mend that and sync again: it goes on where it stopped.")


# == Ends conflicts: the file stays as it is, or becomes the other version.


def named(root: Path, name: str, path: Path | None = None) -> list[Conflict]:
    """The conflicts that `name` means: a path, else of the card at `path`, else a file's name.

    Raises:
        CollectionError: there is none, or there are several files of this name.
    """
    wanted = {Path(name).absolute(), (root / name).absolute()}
    every = conflicts(root)
    found = [c for c in every if {c.path.absolute(), c.other.absolute()} & wanted]
    found = found or [c for c in every if path is not None and place(root, c) == path]
    found = found or [c for c in every if name in (c.path.name, c.other.name)]
    if not found:
        hint = "`deltadeck sync --dry-run` lists those that are open."
        raise refusal(root, f"There is no other version of {name!a} to choose.", hint)
    paths = sorted({str(conflict.path.relative_to(root)) for conflict in found})
    if len(paths) > 1:
        message = f"{len(paths)} files of the name {name!a} have another version."
        raise refusal(root, message, f"Name one with its folder: {', '.join(paths)}.")
    return found


def keep(root: Path, conflict: Conflict) -> None:
    """The file stays as it is.  Raises JournalError."""
    settle(root, conflict)


def take(root: Path, conflict: Conflict) -> Path:
    """The file becomes the other version; what it was is put aside into `.deltadeck/drafts`.

    The path of the file: the card may have moved since then.

    Raises:
        CollectionError: a file cannot be read or written; both are as they were.
        CardError: the other version is no card.
        JournalError: the other version cannot be put aside.
    """
    other, path = conflict.text(), place(root, conflict)
    try:
        now = path.read_bytes() if path.exists() else None
    except OSError as error:
        hint = "Make it readable."
        raise refusal(path, f"The file cannot be read: {reason(error)}.", hint) from error
    if now is not None:
        write_new(unused_path(root / DATA_DIR / "drafts" / path.name), now)
    if path.suffix.lower() == ".md":
        from cards.edit import save_card

        path.parent.mkdir(parents=True, exist_ok=True)
        seen = None if now is None else now.decode("utf-8", "replace")
        save_card(path, other.decode("utf-8", "replace"), seen, root)
    else:
        write_new(path, other)
    settle(root, conflict)
    return path
