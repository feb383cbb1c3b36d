"""Whether an answer could be recorded here: found by looking at rights; nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tui.doctor_finding import Finding, quoted


def recording(folder: Path) -> Iterator[Finding]:
    """What keeps every answer from being recorded: the folder's rights, or the user's own data."""
    if folder.is_dir():
        yield from _of_folder(folder)
        yield from _of_device()


def _of_folder(folder: Path) -> Iterator[Finding]:
    from deck.files import PRIVATE
    from deck.journal import written_by_an_answer
    from tui.clock import now

    private = folder / PRIVATE
    for path in written_by_an_answer(private, _device() or "new", now()):
        place = _refusing(path)
        if place is not None:
            said = f"no answer can be recorded: {place} may not be written"
            whole = private if private in (place, *place.parents) else place
            yield _finding("this folder", said, whole, "copy the cards to a folder of your own")
            return


def _of_device() -> Iterator[Finding]:
    from deck.errors import reason
    from deck.journal import device_path, kept_device

    path, name = device_path(), "this device's name"
    elsewhere = "let XDG_DATA_HOME name a folder of your own"
    try:
        if kept_device() is not None:
            return
    except OSError as error:
        said = f"no answer can be recorded: {path} cannot be read: {reason(error)}"
        yield _finding(name, said, path, elsewhere)
        return
    place = _refusing(path.with_name("device.new"))
    if place is not None:
        said = f"no answer can be recorded: the name cannot be kept, {place} may not be written"
        yield _finding(name, said, place, elsewhere)


def _device() -> str | None:
    from deck.journal import kept_device

    try:
        return kept_device()
    except OSError:  # `_of_device` tells
        return None


def _refusing(path: Path) -> Path | None:
    """The file, or of one that is not there the nearest folder, that may not be written."""
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110, no error for its rights
        path = path.parent
    needed = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
    effective = os.access in os.supports_effective_ids
    return None if os.access(path, needed, effective_ids=effective) else path


def _finding(name: str, said: str, place: Path, elsewhere: str) -> Finding:
    """With the way out: of the owner a command, else what may be done by another."""
    hint, command = f"Ask its owner for the right to write there, or {elsewhere}.", ""
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        hint = f"The disk is mounted for reading only: mount it for writing, or {elsewhere}."
    elif os.geteuid() in (0, place.stat().st_uid):
        hint = f"Take the right to write there, or {elsewhere}."
        command = f"chmod -R u+rwX {quoted(place)}"
        if place.name != ".deltadeck":  # what else is in it is not ours
            command = f"chmod u+rwX {quoted(place)}"
    return Finding("journal", name, said, "error", hint, command)
