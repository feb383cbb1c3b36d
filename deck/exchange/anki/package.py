"""The zip archive of a package: the collection in it, its media, and what is refused.

Three generations: `collection.anki2`, `collection.anki21` (the same, next to an old one that only
says "please update"), and `collection.anki21b`, in which collection, media list and media are
compressed with Zstandard.  An archive is never unpacked as one: names in it are no paths here.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Protocol, cast
from weakref import finalize

from deck.errors import reason
from deck.exchange.anki import protobuf, zstd
from deck.exchange.bundle import ExchangeError

COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
#: Bytes that a package may unpack to: so many in any case, and so many for each of its own.
_ALWAYS, _TIMES = 1 << 29, 100
_MEDIUM = 1 << 30
_LIST = 1 << 27
_PIECE = 1 << 20
#: Years of collecting are a hundred thousand files.
_ENTRIES = 2_000_000


class Stream(Protocol):
    """What is read of a file."""

    def read(self, size: int = -1, /) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Package:
    """An opened package."""

    path: Path
    database: Path
    """A temporary copy of the collection, in a folder of its own, for SQLite puts files beside it;
    the folder goes with this value."""
    media: dict[str, Callable[[], IO[bytes]]]
    """By the name that the cards use."""


def open_package(path: Path) -> Package:
    """Raises ExchangeError for what is no package, is damaged, or would fill the disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive)
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise ExchangeError(
            f"{path}: the package is damaged ({error}). Export or download it again."
        ) from error
    except RuntimeError as error:  # zipfile's word for a password
        raise ExchangeError(f"{path}: {error}.") from error
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {reason(error)}.") from error


def _read(path: Path, archive: zipfile.ZipFile) -> Package:
    names = archive.NameToInfo
    found = next((name for name in COLLECTIONS if name in names), None)
    if found is None:
        raise ExchangeError("this archive holds no collection of Anki's.")
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        raise ExchangeError(
            "it is locked with a password, which Anki never does: unpack it with the program "
            "that locked it, and pack it again without one."
        )
    allowed = max(_ALWAYS, _TIMES * path.stat().st_size)
    declared = sum(entry.file_size for entry in entries)
    if declared > allowed or len(entries) > _ENTRIES:
        raise ExchangeError(
            f"it would unpack to {declared / 1e9:,.1f} GB, far more than a package of its size "
            "can hold: it could fill the disk, and is not taken."
        )
    new = found.endswith("b")
    media = _media(path, archive, new, allowed)
    package = Package(path, _database(archive, found, allowed, new), media)
    finalize(package, shutil.rmtree, package.database.parent, ignore_errors=True)
    return package


def _database(archive: zipfile.ZipFile, name: str, allowed: int, packed: bool) -> Path:
    source: Stream = archive.open(name)
    if packed:
        source = zstd.Limited(cast(IO[bytes], source), allowed, "the collection in it")
    folder = Path(tempfile.mkdtemp(prefix="deltadeck-"))
    try:
        copy = folder / "collection.sqlite"
        with copy.open("xb") as file:
            while piece := source.read(_PIECE):
                file.write(piece)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        source.close()
    return copy


def _media(
    path: Path, archive: zipfile.ZipFile, new: bool, allowed: int
) -> dict[str, Callable[[], IO[bytes]]]:
    if "media" not in archive.NameToInfo:
        return {}
    with archive.open("media") as file:
        data = file.read(_LIST)
    if data.startswith(zstd.MAGIC):
        with zstd.Limited(io.BytesIO(data), _LIST, "the list of its media") as stream:
            data = stream.read()
    listed = _listed_new(data) if new else _listed_old(data)
    if sum(size for _, _, size in listed) > allowed:
        raise ExchangeError(
            "its media would unpack to far more than a package of its size can hold: they could "
            "fill the disk, and it is not taken."
        )
    media: dict[str, Callable[[], IO[bytes]]] = {}
    for entry, name, size in listed:
        if entry in archive.NameToInfo:
            media.setdefault(name, partial(_medium, path, entry, size, new))
    return media


def _listed_old(data: bytes) -> list[tuple[str, str, int]]:
    """(name in the archive, name, size or 0)."""
    try:
        table = json.loads(data or b"{}")
    except (ValueError, RecursionError) as error:
        raise ExchangeError("the list of its media is damaged.") from error
    if not isinstance(table, dict):
        raise ExchangeError("the list of its media is damaged.")
    return [(entry, name, 0) for entry, name in table.items() if isinstance(name, str)]


def _listed_new(data: bytes) -> list[tuple[str, str, int]]:
    found = []
    for number, (key, value) in enumerate(protobuf.fields(data)):
        if key == 1 and isinstance(value, bytes):
            size = protobuf.whole(value, 2)
            entry = protobuf.whole(value, 255) or number
            found.append((str(entry), protobuf.text(value, 1), size))
    return found


def _medium(path: Path, entry: str, size: int, new: bool) -> IO[bytes]:
    """Opened at the moment when it is copied; the archive stays closed in between."""
    try:
        with zipfile.ZipFile(path) as archive:
            source = archive.open(entry)  # holds the file by itself
        if new:
            limited = zstd.Limited(source, min(size or _MEDIUM, _MEDIUM), "the file")
            return cast(IO[bytes], limited)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise ExchangeError(f"it is damaged in the package ({error}).") from error
    return cast(IO[bytes], _Checked(source))


class _Checked:
    """A file of the archive whose damage is an error of ours."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source, self._left = source, _MEDIUM

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._source.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ExchangeError(f"it is damaged in the package ({error}).") from error
        self._left -= len(data)
        if self._left < 0:
            raise ExchangeError("it is larger than 1 GB.")
        return data

    def __enter__(self) -> _Checked:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()
