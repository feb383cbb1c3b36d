"""A card's file: read whole with every failure explained, written whole or not at all.

A folder of cards that was copied, mounted or shared may hold anything under any name: a pipe, a
socket or a device might never end, or never answer, so that only regular files are opened.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cards.model import CardError, Diagnostics, Problem
from cards.text import place

MAX_BYTES = 1_000_000
#: What is said of a link that is not followed, and the way out.
LEAVING = (
    "This link leads out of the collection and is not followed.",
    "Copy what it names into the collection, or remove the link.",
)
_DRAFT = re.compile(r"\.[0-9a-f]{16}\.deltadeck-tmp")
#: Files of `write_texts` that wait for the disk together, and those whose folders then wait once.
_AT_ONCE, _TOGETHER = 8, 64


def refusal(
    path: Path | None, message: str, hint: str, line: int = 1, column: int = 1
) -> CardError:
    return CardError(Problem(path, line, column, message, hint))


def refuse_leaving(path: Path, root: Path | None) -> None:
    """Raises CardError for a link in the collection `root` that leads out of it."""
    if root is not None and leads_out(path, root):
        raise refusal(path, *LEAVING)


def read_text(path: Path, root: Path | None = None) -> str:
    """The file's text, line endings and BOM as they are.

    Raises CardError, also where `path` is below the collection `root` and a link leads out of it.
    """
    refuse_leaving(path, root)
    try:
        with open_regular(path) as file:
            # No more than there is: room for a megabyte would be made for every card.
            size = min(os.fstat(file.fileno()).st_size, MAX_BYTES)
            data = file.read(size + 1)
            if len(data) > size:
                data += file.read(MAX_BYTES + 1 - len(data))
    except IsADirectoryError:
        hint = "Name a card inside it, a file that ends in .md."
        raise refusal(path, "This is a folder, not a card.", hint) from None
    except NotRegularError:
        hint = "Name a text file that ends in .md."
        raise refusal(path, "This is not a regular file.", hint) from None
    except FileNotFoundError:
        if path.is_symlink():
            message = "This link leads nowhere: the file that it names does not exist."
            raise refusal(path, message, "Remove the link, or restore the file.") from None
        raise refusal(path, "There is no such file.", "Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise _explained(path, "The file cannot be read", error) from None
    _refuse_large(len(data), path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place(data[: error.start].decode("utf-8"), error.start)
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        encoding = "It looks like UTF-16: save" if wide else "Save"
        message = f"The byte 0x{data[error.start]:02x} is not UTF-8."
        hint = f"{encoding} the file as UTF-8 in your editor."
        raise refusal(path, message, hint, line, column) from None


def _refuse_large(size: int, path: Path | None) -> None:
    """Raises CardError for a card above the bound."""
    if size > MAX_BYTES:
        hint = "Split it into several cards, or keep large data in files beside it."
        raise refusal(path, "The card is larger than 1 MB.", hint)


def write_text(path: Path, text: str, seen: str | None, root: Path | None = None) -> None:
    """Replaces the file by `text` atomically, or creates it where `seen` is None; it is on the disk
    when this returns.

    Raises CardError, with the file as it was, where it differs from `seen`, where it exists
    although `seen` is None, and where the disk refuses.  A symbolic link stays one: the file
    that it names is written, unless that is outside of the collection `root`.  Permission bits
    stay.
    """
    _sync_folder(_replaced(path, text, seen, root))


class TextChange(NamedTuple):
    """What `write_text` is told of a file."""

    path: Path
    text: str
    seen: str | None


def write_texts(
    changes: Iterable[TextChange], root: Path | None = None
) -> Iterator[CardError | None]:
    """`write_text` for many files, none of them twice; several wait for the disk at once.

    Yields, for each change in turn, None when the file is on the disk, or the error that left it
    as it was.
    """
    from concurrent.futures import ThreadPoolExecutor  # 10 ms, and only for many

    def write(change: TextChange) -> Path | CardError:
        try:
            return _replaced(*change, root)
        except CardError as error:
            return error

    rest = iter(changes)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        while together := list(islice(rest, _TOGETHER)):
            each_of = threads.map if len(together) > 1 else map
            written = list(each_of(write, together))
            for folder in {each for each in written if isinstance(each, Path)}:
                _sync_folder(folder)
            yield from (None if isinstance(each, Path) else each for each in written)


def _replaced(path: Path, text: str, seen: str | None, root: Path | None) -> Path:
    """Writes the file as `write_text` does; the folder whose list of names is to be synced."""
    refuse_leaving(path, root)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line, column = place(text, error.start)
        hint = "Remove the character there."
        raise refusal(path, "Half a surrogate pair cannot be saved.", hint, line, column) from None
    _refuse_large(len(data), path)
    _refuse_changed(path, seen)
    try:
        return _write(path, data, seen)
    except CardError:  # a ValueError too
        raise
    except (OSError, ValueError) as error:
        raise _explained(path, "The card was not saved", error) from None


def _refuse_changed(path: Path, seen: str | None) -> None:
    if seen is None:
        if os.path.lexists(path):
            raise refusal(path, "There is a file of this name.", "Choose another id, or edit it.")
    elif not os.path.lexists(path):
        hint = "Save the text as a new card."
        raise refusal(path, "The file was removed since it was read.", hint)
    elif read_text(path) != seen:
        hint = "Read it again and make your change there; nothing was written."
        raise refusal(path, "The file changed on disk since it was read.", hint)


def _write(path: Path, data: bytes, seen: str | None) -> Path:
    target = path if seen is None else Path(os.path.realpath(path))
    mode = None if seen is None else stat.S_IMODE(target.stat().st_mode)
    effective = os.access in os.supports_effective_ids
    if seen is not None and not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, "the file is read-only")
    temporary = target.with_name(f".{os.urandom(8).hex()}.deltadeck-tmp")
    name = str(temporary)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as file:
            mark_as_held(file.fileno())
            file.write(data)
            file.flush()
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(file.fileno())
            # As late as possible: another program may have saved while we wrote.
            _refuse_changed(path, seen)
            _place(temporary, target, new=seen is None)
    finally:
        # The first call, and one of C: before it Python sees no Ctrl+C.
        try:  # noqa: SIM105
            os.unlink(name)  # noqa: PTH108
        except FileNotFoundError:
            pass
    return target.parent


def is_draft(name: str) -> bool:
    """Whether a file of this name is a card's text on its way into the card."""
    return _DRAFT.fullmatch(name) is not None


def is_left(draft: Path) -> bool:
    """Whether the program that wrote the draft is gone."""
    try:
        with open_regular(draft) as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def mark_as_held(handle: int) -> None:
    """Keeps `is_left` from taking a draft for one that a program left."""
    with contextlib.suppress(OSError):  # some network disks know no locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _place(temporary: Path, target: Path, new: bool) -> None:
    if new:
        # A link refuses a name that was taken meanwhile; a rename would overwrite it.
        try:
            os.link(temporary, target)
        except FileExistsError:
            hint = "Choose another id, or edit it."
            raise refusal(target, "There is a file of this name.", hint) from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                raise
        else:
            return
    temporary.replace(target)


def _sync_folder(folder: Path) -> None:
    # The text is in place already; file systems that cannot sync a folder say so with an error.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_FULL, _DENIED = (errno.ENOSPC, errno.EDQUOT), (errno.EACCES, errno.EPERM)
_REASONS = {
    **dict.fromkeys(_FULL, "the disk is full"),
    **dict.fromkeys(_DENIED, "permission denied"),
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "this link leads back to itself",
}
_WAYS_OUT = {
    **dict.fromkeys(
        (*_FULL, errno.EFBIG), "Free some space and save again; the file is as it was."
    ),
    **dict.fromkeys(
        (*_DENIED, errno.EROFS),
        "Check the permissions of the file and its folder, or copy the deck elsewhere.",
    ),
    errno.ENOENT: "Create the folder first.",
    errno.ELOOP: "Remove the link, or let it name a card or a folder.",
}


def _explained(path: Path, what: str, error: OSError | ValueError) -> CardError:
    """What the system says, and the way out."""
    code = error.errno if isinstance(error, OSError) else None
    text = (error.strerror if isinstance(error, OSError) else str(error)) or "unknown error"
    why = _REASONS.get(code or 0) or text[:1].lower() + text[1:]
    way_out = _WAYS_OUT.get(code or 0, "Check the file's name and its folder.")
    return refusal(path, f"{what}: {why}.", way_out)


def refuse_large_text(report: Diagnostics) -> None:
    """The same bound for a text that never was a file."""
    if len(report.text) > MAX_BYTES // 4:
        _refuse_large(len(report.text.encode("utf-8", "surrogatepass")), report.path)


# Opening only what is a file


class NotRegularError(OSError):
    """There is something of this name, but neither a file nor a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file", str(path))


def open_regular(path: Path) -> BinaryIO:
    """The file at `path`, links followed, for reading its bytes.  Never waits for another program.

    Raises:
        NotRegularError: it is a pipe, a socket or a device.
        IsADirectoryError: it is a folder.
        OSError: it cannot be opened.
        ValueError: no file can have this name.
    """
    # First, because opening a device may already do something.
    refuse_irregular(path, path.stat().st_mode)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        refuse_irregular(path, os.fstat(handle).st_mode)  # the name may mean something else by now
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def leads_out(path: Path, root: Path) -> bool:
    """Whether a path below `root` leaves it through a link; `root` itself may be behind one."""
    real = os.path.realpath(root)
    below = tuple(os.path.join(each, "") for each in (os.path.abspath(root), real))  # noqa: PTH100, PTH118
    is_below = os.path.abspath(path).startswith(below)  # noqa: PTH100
    return is_below and not f"{os.path.realpath(path)}/".startswith(below[1])


def refuse_irregular(path: Path, mode: int) -> None:
    """Raises NotRegularError or IsADirectoryError for a mode of `stat` that is no file's."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise NotRegularError(path)
