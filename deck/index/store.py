"""The life of the index's database: made, opened, sealed when it is closed, thrown away when bad.

SQLite finds most damage when it comes across it, but not a changed digit.  So the file is sealed:
whoever closes it last notes size and time of change beside it.  A file that is not as it was
sealed was cut, copied over or garbled, and is made anew; after a crash (its log is still there,
the seal is not) SQLite's own check decides.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deck.index.schema import APPLICATION, EVENT_INDEXES, SCHEMA, VERSION
from deck.index.workers import Workers

#: Seconds that one program waits while another writes; each writes for a fraction of one.
_PATIENCE = 20.0
_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -8000;
PRAGMA mmap_size = 0;
"""


class Store:
    """The database at `path`; where no file can be kept there, one in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        """Why nothing can be kept on the disk, in the system's words."""
        self._threads = threading.local()
        self._connections: list[sqlite3.Connection] = []
        # Leaving without `close` loses nothing: what is forgotten lets its connections go.  At the
        # program's end that is the system's business, which takes no time.
        weakref.finalize(self, _let_go, self._connections).atexit = False
        self._name = str(path)
        self._lock: int | None = None
        self.workers = Workers()
        """Who help with what is much."""
        self.generation = 0
        """Another number, another database: what was remembered of the old one is void."""
        self._open()

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        held: tuple[int, sqlite3.Connection] | None = getattr(self._threads, "held", None)
        if held is None or held[0] != self.generation:
            held = self._threads.held = (self.generation, self._connect())
        return held[1]

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One change, whole or not at all; no other program or thread writes meanwhile."""
        db = self.db
        if db.in_transaction:  # a part of a larger change
            yield db
            return
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Much is written at once: the log is copied into the file, and waits for it, rarely."""
        self.db.execute("PRAGMA wal_autocheckpoint = 16000")
        try:
            yield
        finally:
            self.db.execute("PRAGMA wal_autocheckpoint = 1000")

    def noted(self, name: str) -> str:
        """A note about the whole; "" where there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, name: str, value: str) -> bool:
        """Keeps a note; whether it is news."""
        if self.noted(name) == value:
            return False
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
        return True

    def rebuild(self) -> None:
        """Throws the database away; the next one is empty."""
        self._disconnect()
        self.generation += 1
        if self._name == str(self.path):
            _remove(self.path)
        self._make()

    def recover(self, error: sqlite3.Error) -> None:
        """After an error: a new file where this one is damaged, memory where none can be kept."""
        if isinstance(error, sqlite3.OperationalError):
            self._keep_in_memory(error)
            return
        try:
            self.rebuild()
        except (OSError, sqlite3.Error) as again:
            self._keep_in_memory(again)

    def close(self) -> None:
        """Seals the file, where no other program has it open."""
        self._disconnect()
        lock, self._lock = self._lock, None
        if lock is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _seal_path(self.path).write_text(_stamp(self.path), encoding="ascii")
            os.close(lock)

    # Inside.

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            alone = self._take_lock()
            if self.path.exists() and not (alone and _is_suspect(self.path)):
                with contextlib.suppress(sqlite3.DatabaseError):
                    if _is_ours(self.db):
                        self._unseal(alone)
                        return
            self.rebuild()
            self._unseal(alone)
        except (OSError, sqlite3.Error) as error:
            self._keep_in_memory(error)

    def _take_lock(self) -> bool:
        """Marks the file as open; whether no other program has it open."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._lock = os.open(self.path.with_suffix(".open"), flags, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            return False
        return True

    def _unseal(self, alone: bool) -> None:
        if alone and self._lock is not None:
            _seal_path(self.path).unlink(missing_ok=True)
            fcntl.flock(self._lock, fcntl.LOCK_SH)

    def _keep_in_memory(self, error: OSError | sqlite3.Error) -> None:
        self._disconnect()
        self.trouble = str(error)
        self.generation += 1
        self._name = f"file:deltadeck-{id(self)}?mode=memory&cache=shared"
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._make()

    def _make(self) -> None:
        db = self.db
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(f"BEGIN; {SCHEMA} {'; '.join(EVENT_INDEXES.values())}; COMMIT;")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("PRAGMA synchronous = NORMAL")

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self._name,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            uri=self._name.startswith("file:"),
        )
        self._connections.append(db)
        db.executescript(_SETTINGS)
        return db

    def _disconnect(self) -> None:
        self._threads = threading.local()
        _let_go(self._connections)


def _let_go(connections: list[sqlite3.Connection]) -> None:
    while connections:
        with contextlib.suppress(sqlite3.Error):
            connections.pop().close()


def _is_ours(db: sqlite3.Connection) -> bool:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    return bool((application, version) == (APPLICATION, VERSION))


def _is_suspect(path: Path) -> bool:
    """Whether the file is not as it was left, as far as can be told without using it."""
    try:
        if _seal_path(path).read_text(encoding="ascii", errors="replace") == _stamp(path):
            return False
    except OSError:
        pass
    if not path.with_name(path.name + "-wal").exists():
        return True
    with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(_plain(path)) as db:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    return True


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE)


def _seal_path(path: Path) -> Path:
    return path.with_suffix(".seal")


def _stamp(path: Path) -> str:
    stat = path.stat()
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
