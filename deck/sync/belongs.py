"""Which files of a collection travel: cards, media, journal, settings.  Paths are below its
root."""

from __future__ import annotations

from pathlib import PurePosixPath

from deck.files import PRIVATE

#: What a card shows or plays, or a learner keeps beside it.
_MEDIA = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".jpe", ".gif", ".svg", ".webp", ".avif", ".bmp", ".tif"),
        *(".tiff", ".ico", ".heic", ".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a"),
        *(".aac", ".mp4", ".m4v", ".webm", ".ogv", ".mov", ".mkv", ".avi", ".pdf", ".djvu"),
        *(".csv", ".tsv", ".tex", ".bib", ".txt", ".css", ".woff", ".woff2"),
    )
)
_JOURNAL = f"{PRIVATE}/journal/"
_LISTS = (".gitignore", ".gitattributes")
CONFLICTS = f"{PRIVATE}/conflicts"
#: Below `.deltadeck/`, what is of one computer, or set aside.
IGNORED = (
    *("lock", "drafts/", "replaced-*/", ".restoring-*/"),
    *("*.aside", "*.torn", "config.toml.[0-9]*", ".*.jsonl.*"),
)


def is_journal(path: str) -> bool:
    return path.startswith(_JOURNAL) and path.endswith(".jsonl")


def is_card(path: str) -> bool:
    return path.lower().endswith(".md") and not path.startswith(f"{PRIVATE}/")


def is_record(path: str) -> bool:
    """Whether it is a version of a card that is still to be chosen from."""
    return path.startswith(f"{CONFLICTS}/")


def is_list(path: str) -> bool:
    """Whether both sides' lines hold where they changed the same ones."""
    return path.removeprefix(f"{PRIVATE}/") in _LISTS


def belongs(path: str) -> bool:
    """Whether a file that git does not know yet is added by a sync."""
    parts = PurePosixPath(path).parts
    if parts[0] == PRIVATE:
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
