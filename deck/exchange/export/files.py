"""A file that is written whole or not at all, and takes no other's place unasked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from deck.errors import reason
from deck.exchange.bundle import ExchangeError
from deck.files import sync_folder


@contextmanager
def whole_file(path: Path, force: bool) -> Iterator[IO[bytes]]:
    """A draft beside `path`, which takes its name when all went well.

    Raises:
        ExchangeError: something is there already (without `force`), or nothing can be written.
    """
    refuse_taken(path, force)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        refuse_taken(path, force)
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        hint = "Make room on the disk, or name another file."
        raise ExchangeError(f"{path}: it cannot be written: {reason(error)}. {hint}") from error
    finally:
        with suppress(OSError):  # a folder that takes no file lets none go either
            draft.unlink(missing_ok=True)


def refuse_taken(path: Path, force: bool) -> None:
    """Raises ExchangeError where the file may not be made."""
    if path.is_dir():
        raise ExchangeError(f"{path}: this is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise ExchangeError(f"{path}: there is no folder {path.parent}. Make it, or name another.")
    if not force and os.path.lexists(path):
        raise ExchangeError(f"{path}: it is there already. Name another, or add --force.")
