"""The files of a collection: its folder `.deltadeck/`; to write, walk and watch them."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from cards.files import LEAVING, is_draft, is_left, leads_out, mark_as_held
from cards.model import Problem
from deck.errors import CollectionError, broken, odd, reason, refusal

DATA_DIR = ".deltadeck"
CONFIG = "config.toml"


def make_private(folder: Path) -> None:
    """Makes `folder` (a `.deltadeck/`), and tells git to leave the lock out.  Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
        (folder / ".gitignore").write_text("lock\n", encoding="ascii")


def unused_path(path: Path) -> Path:
    """`path`, or one like it that is not taken."""
    found, number = path, 2
    while os.path.lexists(found):
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return found


def sync_folder(folder: Path) -> None:
    """Waits until the folder's list of names is on the disk: a new file survives a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(folder: Path) -> None:
    """`mkdir -p`, each new name on the disk.  Raises OSError."""
    if not folder.is_dir():
        make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def write_whole(path: Path, data: bytes, parents: bool = True) -> None:
    """Puts a small file in place, whole or not at all, also where the power goes; makes its folder,
    and those above with `parents`.  Raises OSError."""
    if parents:
        make_folders(path.parent)
    else:
        path.parent.mkdir(exist_ok=True)
    with whole(path) as file:
        file.write(data)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its place when the block has ended well.  Raises OSError."""
    draft = path.with_name(f".{os.urandom(8).hex()}.deltadeck-tmp")
    try:
        with draft.open("xb") as file:
            mark_as_held(file.fileno())
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):  # it is in its place, or an error is on its way
            draft.unlink()


# The path of a file below the collection's folder as one value that sorts as its parts do.


def path_key(parts: tuple[str, ...]) -> bytes:
    """A path below the root; keys sort as the parts do.  NUL is in no file's name."""
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def key_parts(key: bytes) -> tuple[str, ...]:
    return tuple(key.decode("utf-8", "surrogatepass").split("\0"))


# The card files of a folder and its sub-folders.


FileStamp = tuple[int, int, int]
"""Size, time of change (ns) and inode: another stamp, another content."""
#: The stamp of what cannot be looked at: never the same as before.
NO_STAMP = (-1, -1, -1)

File = tuple[int, int, int, int]
"""A Markdown file of a folder: its name's bytes as a number, and its stamp."""
Files = dict[bytes, list[File]]
"""By folder: what the keys of its files begin with."""


def file_key(folder: bytes, name: int) -> bytes:
    """The key of a file of a folder."""
    return folder + name.to_bytes((name.bit_length() + 7) // 8)


def file_of(key: bytes, stamp: FileStamp) -> tuple[bytes, File]:
    """The folder of a key, and the file in it."""
    cut = key.rfind(b"\0") + 1
    return key[:cut], (int.from_bytes(key[cut:]), *stamp)


def sum_of(files: Iterable[File]) -> int:
    """Tells these files from others, in 62 bits: what SQLite can add.

    Python's hash of whole numbers is the same in every process.  A sum, as one file comes or goes.
    """
    return sum(map(hash, files)) & SUM


SUM = (1 << 62) - 1

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def walk(root: Path) -> tuple[Files, list[Problem]]:
    """Every `*.md` below `root`, and the folders that cannot be read, in the order of their paths.

    Hidden files and folders are left out.  A link is followed within `root` only, and only to what
    is not found without it: no card is there twice, and no link leads round in a circle.

    Raises:
        CollectionError: `root` is missing, no folder, or cannot be read.
    """
    found = _Walk(str(root))
    try:
        folders = found.enter(())
    except FileNotFoundError as error:
        hint = "Check the name, or make a collection there with `deltadeck init`."
        raise refusal(root, "There is no such folder.", hint) from error
    except NotADirectoryError as error:
        hint = "Name the folder that holds the cards."
        raise refusal(root, "This is not a folder.", hint) from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        hint = "Check its permissions and its name."
        raise refusal(root, f"The folder cannot be read: {why}.", hint) from error
    found.below(folders)
    found.behind_links()
    return found.files, [found.problems[parts] for parts in sorted(found.problems)]


def card_keys(root: Path) -> list[bytes]:
    """The keys of the files that `walk` finds, in their order."""
    return sorted(file_key(folder, f[0]) for folder, files in walk(root)[0].items() for f in files)


def has_way_out(root: Path) -> bool:
    """Whether a link of a folder, hidden ones too, leads out of `root`."""
    return any(
        path.is_symlink() and leads_out(path, root)
        for folder, folders, _ in os.walk(root)
        for path in (Path(folder, name) for name in folders)
    )


def leftover_drafts(root: Path) -> list[Path]:
    """The files below `root` that a card's text was being written into; no program has them."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if is_draft(name)]
    return sorted(path for path in found if is_left(path))


def is_card_name(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(".md")


def stamp_of(path: Path) -> FileStamp:
    try:
        return stamp_from(path.stat())
    except (OSError, ValueError):
        return NO_STAMP


def stamp_from(stat: os.stat_result) -> FileStamp:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


_Parts = tuple[str, ...]
"""Of a path below the root."""


class _Walk:
    """What was come by."""

    def __init__(self, root: str) -> None:
        self.files: Files = {}
        self.problems: dict[_Parts, Problem] = {}
        self._root = root
        self._folders: list[_Parts] = []
        self._links: list[tuple[bytes, FileStamp]] = []
        self._seen: set[tuple[int, int]] = set()

    def below(self, folders: list[_Parts]) -> None:
        """Enters them by their names, so that of two ways into one (a link) always the same one is
        gone."""
        while folders:
            parts = folders.pop()
            try:
                folders += self.enter(parts)
            except OSError as error:
                self._refuse(parts, error)

    def behind_links(self) -> None:
        """Takes what only links lead to, in the order of their names."""
        while self._folders:
            folders, self._folders = sorted(self._folders, reverse=True), []
            self.below(folders)
        if self._links:
            known = {file[1:] for files in self.files.values() for file in files}
            for key, stamp in sorted(self._links):
                if stamp == NO_STAMP or stamp not in known:
                    folder, file = file_of(key, stamp)
                    self.files[folder].append(file)
                    known.add(stamp)

    def enter(self, parts: _Parts) -> list[_Parts]:
        """Takes a folder's files; the folders in it, the last one by name first.  Raises OSError.

        By its number, so that the system need not go through the path for each file in it.
        """
        folder = os.open("/".join((self._root, *parts)), _FOLDER)
        try:
            stat = os.fstat(folder)
            identity = stat.st_dev, stat.st_ino
            if identity in self._seen:
                return []
            self._seen.add(identity)
            with os.scandir(folder) as entries:
                inside = self._take(parts, entries)
        finally:
            os.close(folder)
        return [(*parts, name) for name in sorted(inside, reverse=True)]

    def _take(self, parts: _Parts, entries: Iterable[os.DirEntry[str]]) -> list[str]:
        """Takes the files; the names of the folders.

        Written for speed, as every start comes by with every file: a look at each is the one way to
        hear of what was written over in its place, of which the folder's own time says nothing.
        """
        folders, number = [], int.from_bytes
        put = self.files.setdefault(path_key((*parts, "")), []).append
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if entry.is_symlink():
                self._link((*parts, name), entry)
                continue
            try:
                if entry.is_dir():
                    folders.append(name)
                    continue
            except OSError as error:
                self._refuse((*parts, name), error)
                continue
            if name.endswith(".md") or is_card_name(name):
                key = number(name.encode("utf-8", "surrogatepass"))
                try:
                    stat = entry.stat()
                except OSError:
                    put((key, *NO_STAMP))
                else:
                    put((key, stat.st_size, stat.st_mtime_ns, stat.st_ino))
        return folders

    def _link(self, parts: _Parts, entry: os.DirEntry[str]) -> None:
        """Notes a link for later, or says that it leads out."""
        path, is_card = Path(self._root, *parts), is_card_name(entry.name)
        try:
            is_folder = entry.is_dir()
            if (is_folder or is_card) and leads_out(path, Path(self._root)):
                self.problems[parts] = odd(path, *LEAVING)
            elif is_folder:
                self._folders.append(parts)
            elif is_card:
                self._links.append((path_key(parts), stamp_of(path)))
        except OSError as error:
            self._refuse(parts, error)

    def _refuse(self, parts: _Parts, error: OSError) -> None:
        message = f"The folder cannot be read: {reason(error)}."
        hint = "Check its permissions, or move it away."
        if error.errno == errno.ELOOP:
            message = "This link leads back to itself: there is nothing behind it."
            hint = "Remove the link, or let it name a card or a folder."
        self.problems[parts] = broken(Path(self._root, *parts), message, hint)


# Watching them.


#: Milliseconds: changes that follow each other so closely are taken up together ...
_TOGETHER = 200
#: ... and after so many at the latest the system's list of changes is looked at.
_STEP = 100
_ROUND = 1000
#: Where the system cannot watch (too many folders, some network disks), a walk now and then: the
#: share of the time that walking may take, and the shortest pause in seconds.
_SHARE, _PAUSE = 0.05, 2.0

Seen = Callable[[Iterable[Path] | None], None]
"""Takes up a change of these card files, or (None) of whatever changed."""


class Watcher:
    """Watches `root` from a thread of its own until `stop`; begins with a look at everything."""

    def __init__(self, root: Path, seen: Seen) -> None:
        self._root = root
        self._seen = seen
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch the cards", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when the last change was taken up."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                if has_way_out(self._root):  # the system would watch all that is out there
                    self._look_now_and_then()
                else:
                    self._listen()
            except (OSError, RuntimeError):  # a RuntimeError of the library: the system refused
                self._look_now_and_then()

    def _listen(self) -> None:
        """Until `stop`, or until another folder stands where this one was: a disk that came back,
        a fresh clone.  The system would go on to report the folder that is gone."""
        from watchfiles import watch  # 40 ms, and only where a program stays open

        real, looked = Path(os.path.realpath(self._root)), False
        folder = real.stat()
        for changes in watch(
            real,
            watch_filter=None,
            debounce=_TOGETHER,
            step=_STEP,
            rust_timeout=_ROUND,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            if not os.path.samestat(self._root.stat(), folder):
                return
            if not looked:  # what changed before the system listened
                looked = True
                self._take_up(None)
            paths = [Path(path).relative_to(real) for _, path in changes]
            if paths:
                shown = [path for path in paths if not any(p.startswith(".") for p in path.parts)]
                others = [path for path in shown if not is_card_name(path.name)]
                if all((real / path).is_file() for path in others):
                    self._take_up([self._root / each for each in shown if each not in others])
                else:  # a folder, or what is gone, and may have been one
                    self._take_up(None)

    def _look_now_and_then(self) -> None:
        start = time.monotonic()
        self._take_up(None)
        took = time.monotonic() - start
        self._stop.wait(max(_PAUSE, took / _SHARE))

    def _take_up(self, paths: list[Path] | None) -> None:
        # Where the folder is gone for now, the program says so when it is asked to do more.
        with suppress(CollectionError):
            self._seen(paths)
