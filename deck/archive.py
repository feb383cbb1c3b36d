"""A backup's file: a zip of the journal's files and the settings, written whole or not at all."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from deck.append import whole
from deck.errors import CollectionError, reason, refusal
from deck.place import CONFIG

#: What the library raises for a file that is no zip, or a damaged one, or another program's.
_DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, ValueError),
    *(NotImplementedError, RuntimeError, OverflowError, MemoryError),
)


def read_backup(path: Path) -> dict[str, bytes]:
    """What `deck.backup.contents` was when the backup was made.

    Raises:
        CollectionError: the file is no backup, or it is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            found = {_file_name(name): archive.read(name) for name in archive.namelist()}
    except OSError as error:
        raise _damaged(path, reason(error)) from error
    except _DAMAGE as error:
        raise _damaged(path, str(error) or type(error).__name__) from error
    if not found:
        # None is made of nothing; a zip whose list of files lost its length looks so.
        raise _damaged(path, "it holds nothing")
    for name in found:
        first, *inside = name.split("/")
        of_journal = first == "journal" and inside and not {"", ".", ".."} & {*inside}
        if name != CONFIG and not of_journal:
            raise _damaged(path, f"it holds {name!a}, which no backup does")
    return found


def write_archive(path: Path, files: Mapping[str, Iterable[bytes]]) -> None:
    """Makes a backup of files, by name, each given in parts.  Raises OSError."""
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, parts in files.items():
            entry = zipfile.ZipInfo(_zip_name(name))  # no time: one state is one file
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as packed:
                for part in parts:
                    packed.write(part)


def _zip_name(name: str) -> str:
    """A name in a zip is text: bytes that are not UTF-8 are spelt out, and so is a backslash."""
    plain = name.replace("\\", r"\x5c").encode("utf-8", "surrogateescape")
    return plain.decode("utf-8", "backslashreplace")


def _file_name(name: str) -> str:
    spelt = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), name.encode())
    return spelt.decode("utf-8", "surrogateescape")


def _damaged(path: Path, why: str) -> CollectionError:
    return refusal(path, f"This backup cannot be used: {why}.", "Choose another one.")
