"""Pictures that cards show: where their files are, and a name for each in one flat folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

from cards.files import open_regular
from cards.links import find, leaves

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:", re.IGNORECASE)
#: What Anki plays, and what it shows.
PLAYED = frozenset(
    {".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a", ".aac", ".mp4", ".webm"}
)
SHOWN = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp", ".tif"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
#: What no system's and no program's media folder takes in a name.
_ODD = re.compile(r'[\[\]<>:"/?*^\\|\x00-\x1f\x7f]+')
#: Bytes of a name, its ending included; file systems take 255.
_LONGEST = 120
#: Bytes of a picture; larger is no picture for a card.
_LARGEST = 100 * 2**20


def is_medium(target: str) -> bool:
    """Whether a link leads to a picture or a sound beside the cards: a file to take along."""
    name = unquote(target).split("#", 1)[0].strip()
    return (
        not _SCHEME.match(name) and not _ADDRESS.match(name) and ending_of(name) in PLAYED | SHOWN
    )


def ending_of(name: str) -> str:
    """ ".mp3" of "a.MP3"."""
    return Path(name).suffix.lower()


def linked(text: str) -> list[str]:
    """The media that a text links to without showing them; code and formulas left out."""
    if "[" not in text:
        return []
    names = [each.name for each in find(text) if not each.embed and each.kind != "wiki"]
    return [name for name in dict.fromkeys(names) if is_medium(name)]


@dataclass(frozen=True, slots=True)
class Picture:
    """A file to be shown, or the reason why there is none."""

    path: Path | None
    why: str = ""


@dataclass(slots=True)
class Pictures:
    """Finds pictures below `root`, never outside of it."""

    root: Path
    _real: Path = field(init=False)
    _by_name: dict[str, Path] | None = None

    def __post_init__(self) -> None:
        self._real = self.root.resolve()

    def find(self, target: str, card: Path | None) -> Picture:
        """The file that a card means: beside it, then below the collection, then by its name
        anywhere in it, as Obsidian does."""
        name = unquote(target).split("#", 1)[0].strip()
        if _ADDRESS.match(name):
            return Picture(None, "it is on the web, and nothing is fetched")
        if not name or (leaves(target) and leaves(name)):
            return Picture(None, "it is outside of the collection")
        for folder in [*([card.parent] if card else []), self.root]:
            if (found := self._usable(folder / name)) is not None:
                return found
        path = self._anywhere().get(Path(name).name.casefold())
        return (path and self._usable(path)) or Picture(None, "there is no such file")

    def _usable(self, path: Path) -> Picture | None:
        try:
            if not path.is_file():
                return None
            # A link in a shared deck must not carry a private file away.
            if not path.resolve().is_relative_to(self._real):
                return Picture(None, "it is a link that leaves the collection")
            if path.stat().st_size > _LARGEST:
                return Picture(None, f"it is larger than {_LARGEST // 2**20} MB")
        except (OSError, ValueError):
            return None
        return Picture(path)

    def _anywhere(self) -> dict[str, Path]:
        """Every file that is no card, by its name; of two alike the first one."""
        if self._by_name is None:
            self._by_name = {}
            for folder, folders, names in os.walk(self.root):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(names):
                    if not name.startswith(".") and not name.lower().endswith(".md"):
                        self._by_name.setdefault(name.casefold(), Path(folder) / name)
        return self._by_name


@dataclass(slots=True)
class Names:
    """Gives each file a name of its own in one folder without folders."""

    _of: dict[Path, str] = field(default_factory=dict)
    _taken: dict[str, Path] = field(default_factory=dict)

    def name(self, path: Path) -> str:
        if path not in self._of:
            name = media_name(path.name)
            if name.casefold() in self._taken:
                stem, dot, ending = name.rpartition(".")
                mark = blake2b(os.fsencode(path), digest_size=4).hexdigest()
                name = f"{stem}-{mark}.{ending}" if dot else f"{name}-{mark}"
            self._taken[name.casefold()] = path
            self._of[path] = name
        return self._of[path]

    def files(self) -> dict[str, Path]:
        """By the names given, in their order."""
        return {name: path for path, name in self._of.items()}


def media_name(name: str) -> str:
    """`name` as a file's name that every system takes."""
    plain = normalize("NFC", _ODD.sub("_", os.fsencode(name).decode("utf-8", "replace")))
    stem, dot, ending = plain.strip(" .").rpartition(".")
    if not dot:
        stem, ending = ending, ""
    room = _LONGEST - len(ending.encode()) - 1
    short = stem.encode()[: max(room, 1)].decode("utf-8", "ignore") or "picture"
    return f"{short}.{ending}" if dot else short


def read_picture(path: Path) -> bytes:
    """The bytes of a picture.  Raises OSError."""
    with open_regular(path) as file:
        return file.read(_LARGEST)
