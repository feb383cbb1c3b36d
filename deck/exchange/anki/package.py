"""The zip archive of a package: the collection in it, its media, and what is refused.

Three generations: `collection.anki2`, `collection.anki21` (the same, next to an old one that only
says "please update"), and `collection.anki21b`, in which collection, media list and media are
compressed with Zstandard.  An archive is never unpacked as one: names in it are no paths here.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast
from weakref import finalize

from deck.errors import reason
from deck.exchange.model import ExchangeError

COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
#: Bytes that a package may unpack to: so many in any case, and so many for each of its own.
_ALWAYS, _TIMES = 1 << 29, 100
_MEDIUM = 1 << 30
_LIST = 1 << 27
_PIECE = 1 << 20
#: Years of collecting are a hundred thousand files.
_ENTRIES = 2_000_000


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
    is_new = found.endswith("b")
    media = _media(path, archive, is_new, allowed)
    folder = Path(tempfile.mkdtemp(prefix="deltadeck-"))
    try:
        source = archive.open(found)
        limited = ZstdStream(source, allowed, "the collection in it") if is_new else source
        with limited, (folder / "collection.sqlite").open("xb") as copy:
            while piece := limited.read(_PIECE):
                copy.write(piece)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    package = Package(path, folder / "collection.sqlite", media)
    finalize(package, shutil.rmtree, folder, ignore_errors=True)
    return package


# Its media: a list of names, and a file for each.


def _media(
    path: Path, archive: zipfile.ZipFile, is_new: bool, allowed: int
) -> dict[str, Callable[[], IO[bytes]]]:
    if "media" not in archive.NameToInfo:
        return {}
    with archive.open("media") as file:
        data = file.read(_LIST)
    if data.startswith(_ZSTD_MAGIC):
        with ZstdStream(io.BytesIO(data), _LIST, "the list of its media") as stream:
            data = stream.read()
    listed = _listed_new(data) if is_new else _listed_old(data)
    if sum(size for _, _, size in listed) > allowed:
        raise ExchangeError(
            "its media would unpack to far more than a package of its size can hold: they could "
            "fill the disk, and it is not taken."
        )
    media: dict[str, Callable[[], IO[bytes]]] = {}
    for entry, name, size in listed:
        if entry in archive.NameToInfo:
            media.setdefault(name, partial(_medium, path, entry, size, is_new))
    return media


def _listed_old(data: bytes) -> list[tuple[str, str, int]]:
    """(name in the archive, name, size or 0)."""
    try:
        table = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ExchangeError("the list of its media is damaged.")
    return [(entry, name, 0) for entry, name in table.items() if isinstance(name, str)]


def _listed_new(data: bytes) -> list[tuple[str, str, int]]:
    found = []
    for number, (key, value) in enumerate(proto_fields(data)):
        if key == 1 and isinstance(value, bytes):
            entry = proto_int(value, 255) or number
            found.append((str(entry), proto_text(value, 1), proto_int(value, 2)))
    return found


def _medium(path: Path, entry: str, size: int, is_new: bool) -> IO[bytes]:
    """Opened at the moment when it is copied; the archive stays closed in between."""
    try:
        with zipfile.ZipFile(path) as archive:
            source = archive.open(entry)  # holds the file by itself
        if is_new:
            return cast(IO[bytes], ZstdStream(source, min(size or _MEDIUM, _MEDIUM), "the file"))
        return cast(IO[bytes], _Stream(source, _MEDIUM))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise ExchangeError(f"it is damaged in the package ({error}).") from error


class _Stream:
    """A file of the archive that gives no more than `limit` bytes, and whose damage is an error of
    ours."""

    def __init__(self, source: IO[bytes], limit: int) -> None:
        self._source, self._left = source, limit

    def read(self, size: int = -1) -> bytes:
        """Raises ExchangeError."""
        try:
            data = self._source.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ExchangeError(f"it is damaged in the package ({error}).") from error
        self._left -= len(data)
        if self._left < 0:
            raise ExchangeError("it is larger than 1 GB.")
        return data

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# Zstandard streams: by the standard library where it has them (Python 3.14).

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_CHUNK = 1 << 18


def zstd_library() -> Any:
    """The module that compresses.  Raises ExchangeError where there is none."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            import backports.zstd as zstd
    except ImportError as error:
        raise ExchangeError(
            "the package is compressed with Zstandard, which this Python cannot read: "
            "`pip install backports.zstd`, or export it from Anki with "
            "'Support older Anki versions'."
        ) from error
    return zstd


class ZstdStream(_Stream):
    """A decompressed stream; `name` is for messages."""

    def __init__(self, source: IO[bytes], limit: int, name: str) -> None:
        super().__init__(source, limit)
        self._library, self._name = zstd_library(), name
        self._stream = self._library.ZstdFile(source)

    def read(self, size: int = -1) -> bytes:
        """Raises ExchangeError."""
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        data = bytearray()
        try:
            while wanted > len(data):
                piece = self._stream.read(min(wanted - len(data), _ZSTD_CHUNK))
                if not piece:
                    break
                data += piece
        except (self._library.ZstdError, EOFError, OSError) as error:
            raise ExchangeError(f"{self._name} is damaged: {error}.") from error
        self._left -= len(data)
        if self._left < 0:
            raise ExchangeError(
                f"{self._name} unpacks to far more than it should: it could fill the disk, "
                "and is not taken."
            )
        return bytes(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


# As much of protobuf's wire format as a package holds (protobuf.dev, "Encoding").  The messages are
# those of Anki's `notetypes.proto` and `import_export.proto`: only their field numbers are known.

_BROKEN = "a part of it is damaged (protobuf)."


def proto_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in their order: number, and a number or bytes.

    Raises:
        ExchangeError: it is no message.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ExchangeError(_BROKEN)
        if at + length > len(data):
            raise ExchangeError(_BROKEN)
        yield number, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, at + shift + 1
    raise ExchangeError(_BROKEN)


def proto_text(data: bytes, number: int) -> str:
    """The last field of this number as a text; "" where there is none."""
    found = [value for key, value in proto_fields(data) if key == number]
    return next((v.decode("utf-8", "replace") for v in found[::-1] if isinstance(v, bytes)), "")


def proto_int(data: bytes, number: int) -> int:
    """The last field of this number as a number; 0 where there is none."""
    found = [value for key, value in proto_fields(data) if key == number]
    return next((value for value in found[::-1] if isinstance(value, int)), 0)


# A stranger's SQLite file, opened so that nothing in its schema is trusted.

#: No text is longer; SQLite refuses what is.
_LONGEST = 300_000_000
_CAREFUL = (
    *("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"),
    *("mmap_size = 0", "temp_store = 1"),
)


def open_untrusted(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    db.create_collation("unicase", _unicase)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.row_factory = sqlite3.Row
    return db


def _unicase(one: str, other: str) -> int:
    a, b = one.casefold(), other.casefold()
    return (a > b) - (a < b)


def plain_tables(db: sqlite3.Connection) -> set[str]:
    """The names of those that are no view, and nothing that runs code of a module."""
    for pragma in _CAREFUL:
        db.execute(f"PRAGMA {pragma}")
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows if "virtual" not in str(row[1])[:30].lower()}
