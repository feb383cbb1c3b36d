"""The index's database: its tables, and how it is made, opened, asked, thrown away where damaged.

It lies in the user's cache folder, by the collection's own path.  SQLite finds most damage when it
comes across it, but not a changed digit.  So the file is sealed: its size and time of change stand
in a file beside it.  Only a checkpoint changes the file, and that seals it again.  A file that is
not as it was sealed was cut, copied over or garbled, and is made anew; where a checkpoint was
killed, SQLite's own check decides.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import struct
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from deck.errors import CollectionError, refusal
from deck.index.workers import Workers

# The tables.  Whoever changes one, or what is written into it, raises `VERSION`.

#: Another version is thrown away and built again.  Also raised when cards are read differently.
VERSION = 16
#: "delt": tells our file from another's that got its name.
APPLICATION = 0x64656C74

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Ids of items, of cards and of the journal alike: a number each, which survives both.
CREATE TABLE thing (item INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);

-- A line a Markdown file.  `key`: the path below the root, its parts joined by NUL, which sorts
-- like the parts do.  `digest`: of the text; empty where it must be read again.
CREATE TABLE file (
    file INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL,
    digest BLOB NOT NULL, problem TEXT);
CREATE INDEX file_problem ON file (key) WHERE problem IS NOT NULL;
-- Files that may have changed again since, within one tick of the clock.
CREATE INDEX file_young ON file (key) WHERE mtime < 0;
-- Of each folder (what its files' keys begin with) `deck.files.sum_of` its other files: where a
-- look gives the same sum, these are as they were.
CREATE TABLE folder (folder BLOB PRIMARY KEY, sum INTEGER NOT NULL) WITHOUT ROWID;

-- The cards that read, by their file.  `clash`: the id and the file by which another has it.
CREATE TABLE card (
    card INTEGER PRIMARY KEY, id TEXT NOT NULL, deck INTEGER NOT NULL, type TEXT NOT NULL,
    status TEXT NOT NULL, difficulty INTEGER, points REAL, tags TEXT NOT NULL,
    items TEXT NOT NULL, titles TEXT NOT NULL, related TEXT NOT NULL, gives TEXT NOT NULL,
    line INTEGER NOT NULL, added INTEGER, words INTEGER NOT NULL, digest BLOB NOT NULL,
    clash TEXT);
CREATE INDEX card_id ON card (id);
CREATE INDEX card_words ON card (words);
CREATE INDEX card_clash ON card (card) WHERE clash IS NOT NULL;
CREATE TABLE name (name TEXT, card INTEGER, PRIMARY KEY (name, card)) WITHOUT ROWID;
-- What a card may be called, folded: 0 its id, 1 its file's name, 2 a title or an alias.
CREATE TABLE called (fold TEXT, rank INTEGER, card INTEGER, PRIMARY KEY (fold, rank, card))
    WITHOUT ROWID;
CREATE TABLE tag (tag TEXT, card INTEGER, PRIMARY KEY (tag, card)) WITHOUT ROWID;
CREATE TABLE deck (deck INTEGER PRIMARY KEY, course TEXT, path TEXT, UNIQUE (course, path));
-- `deck.search.words` of the question, the solution, and of all else that a bare word finds.  The
-- texts are not kept, so nothing can be taken out: a card whose words changed gets a new row, and
-- `card.words` tells which row counts.  A hash of the words tells whether they changed.
CREATE VIRTUAL TABLE words USING fts5
    (question, solution, rest, content = "", tokenize = "unicode61 remove_diacritics 0");

-- The items of the cards that have their ids to themselves.
-- `mine`: put aside by the card's own `status:`; `aside`: by that, or by the journal.
-- `fresh`: new and neither suspended nor buried by the journal, so that a queue may begin it.
-- `words`: the card's row of words.
CREATE TABLE item (
    item INTEGER PRIMARY KEY, card INTEGER NOT NULL, place INTEGER NOT NULL, key BLOB NOT NULL,
    deck INTEGER NOT NULL, difficulty INTEGER NOT NULL, several INTEGER NOT NULL,
    mine INTEGER NOT NULL, aside INTEGER NOT NULL, fresh INTEGER NOT NULL,
    words INTEGER NOT NULL);
CREATE INDEX item_card ON item (card);
CREATE INDEX item_words ON item (words);
CREATE INDEX item_aside ON item (item) WHERE aside;
CREATE INDEX item_deck ON item (deck);
CREATE INDEX item_path ON item (key, place);
CREATE INDEX item_fresh ON item (deck, difficulty, key, place) WHERE fresh;
CREATE INDEX item_first ON item (deck, key, place) WHERE fresh;

-- The journal's files: how far each was read, and the digest of what was read.
CREATE TABLE segment (
    segment INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL,
    read INTEGER NOT NULL, lines INTEGER NOT NULL, digest BLOB NOT NULL, problems TEXT NOT NULL);

-- The events.  A review without a verdict is in the columns; any other event is its `line`.
CREATE TABLE event (
    event INTEGER PRIMARY KEY, id BLOB NOT NULL, segment INTEGER NOT NULL, item INTEGER NOT NULL,
    at INTEGER NOT NULL, offset INTEGER NOT NULL, day INTEGER NOT NULL,
    rating INTEGER, took INTEGER, model INTEGER, step INTEGER, promise REAL,
    target BLOB, line BLOB);
-- Events whose id stands for another event, which counts: see `deck.replay.dedupe_events`.
CREATE TABLE rival AS SELECT * FROM event;
CREATE INDEX rival_id ON rival (id);
-- Items that an event concerns beside its own.
CREATE TABLE also (item INTEGER, event INTEGER, PRIMARY KEY (item, event)) WITHOUT ROWID;
CREATE TABLE model (
    model INTEGER PRIMARY KEY, name TEXT, parameters TEXT, status TEXT,
    UNIQUE (name, parameters, status));

-- Where the items stand that are not new; `due` is a study day, or for a learning step a time.
-- Of its item: `there`, 0 where no card has it, 1 where it is put aside, else 2; `deck`; `sibling`,
-- the card where that has several.
CREATE TABLE state (
    item INTEGER PRIMARY KEY, learning INTEGER NOT NULL, due INTEGER NOT NULL,
    stability REAL NOT NULL, difficulty REAL NOT NULL, interval INTEGER NOT NULL,
    reviewed INTEGER NOT NULL, day INTEGER NOT NULL, repetitions INTEGER NOT NULL,
    lapses INTEGER NOT NULL, relearning INTEGER NOT NULL, there INTEGER NOT NULL,
    deck INTEGER, sibling INTEGER);
CREATE INDEX state_due ON state (learning, due, stability, day, there, deck, sibling);
CREATE INDEX state_day ON state (day, stability, there);
CREATE TRIGGER item_comes AFTER INSERT ON item
    BEGIN UPDATE state SET there = 2 - new.aside, deck = new.deck,
        sibling = iif(new.several, new.card, NULL) WHERE item = new.item; END;
CREATE TRIGGER item_goes AFTER DELETE ON item
    BEGIN UPDATE state SET there = 0 WHERE item = old.item; END;
CREATE TRIGGER item_moves AFTER UPDATE OF aside ON item WHEN new.aside != old.aside
    BEGIN UPDATE state SET there = 2 - new.aside WHERE item = new.item; END;
CREATE INDEX state_stability ON state (stability, learning) WHERE there = 2;
CREATE INDEX state_difficulty ON state (difficulty) WHERE there = 2;
CREATE INDEX state_interval ON state (interval) WHERE there = 2 AND learning = 0;
-- Items whose events changed since they were folded; since their answers were counted.
CREATE TABLE unfolded (item INTEGER PRIMARY KEY);
CREATE TABLE uncounted (item INTEGER PRIMARY KEY);
-- What the journal says beside: suspended, or buried until a study day.
CREATE TABLE held (item INTEGER PRIMARY KEY, suspended INTEGER NOT NULL, buried INTEGER);

-- The answers to an item that stand, as `schedule.SeenAnswer`s, and the day of the first.
CREATE TABLE past (item INTEGER PRIMARY KEY, first INTEGER NOT NULL, answers BLOB NOT NULL);
-- Sums of them, so that figures about a million answers are read from some thousand rows; of `hour`
-- and `class`, reviews alone count.
CREATE TABLE cell (
    day INTEGER, kind INTEGER, rating INTEGER, answers INTEGER, took INTEGER,
    PRIMARY KEY (day, kind, rating)) WITHOUT ROWID;
CREATE TABLE hour (
    day INTEGER, hour INTEGER, answers INTEGER, recalled INTEGER,
    PRIMARY KEY (hour, day)) WITHOUT ROWID;
CREATE TABLE class (
    day INTEGER, class INTEGER, answers INTEGER, recalled INTEGER, predicted REAL, loss REAL,
    PRIMARY KEY (class, day)) WITHOUT ROWID;
"""

#: By name.  Made after many first events are in: an index grows faster from sorted rows.
EVENT_INDEXES = {
    "event_id": "CREATE INDEX IF NOT EXISTS event_id ON event (id)",
    "event_item": "CREATE INDEX IF NOT EXISTS event_item ON event (item)",
    "event_day": "CREATE INDEX IF NOT EXISTS event_day ON event (day)",
    "event_segment": "CREATE INDEX IF NOT EXISTS event_segment ON event (segment)",
    "event_target": (
        "CREATE INDEX IF NOT EXISTS event_target ON event (target) WHERE target IS NOT NULL"
    ),
    "event_line": "CREATE INDEX IF NOT EXISTS event_line ON event (day) WHERE line IS NOT NULL",
}

#: What an index says, without its own numbers: of the same files, every index says the same.
SAID = {
    "meta": "SELECT name, value FROM meta WHERE name IN ('folders', 'misplaced', 'fold')",
    "file": "SELECT key, size, inode, digest, problem FROM file",
    "card": (
        "SELECT f.key, c.id, d.course, d.path, c.type, c.status, c.difficulty, c.points, c.tags,"
        " c.items, c.titles, c.related, c.gives, c.line, c.added, c.digest, c.clash,"
        " (SELECT 1 FROM words w WHERE w.rowid = c.words)"
        " FROM card c JOIN file f ON f.file = c.card JOIN deck d ON d.deck = c.deck"
    ),
    "item": (
        "SELECT t.id, i.key, i.place, f.key, i.difficulty, i.several, i.mine, i.aside, i.fresh,"
        " d.course, d.path, i.words = c.words FROM item i JOIN thing t ON t.item = i.item"
        " JOIN card c ON c.card = i.card JOIN file f ON f.file = i.card"
        " JOIN deck d ON d.deck = i.deck"
    ),
    "name": "SELECT n.name, f.key FROM name n JOIN file f ON f.file = n.card",
    "called": "SELECT n.fold, n.rank, f.key FROM called n JOIN file f ON f.file = n.card",
    "tag": "SELECT t.tag, f.key FROM tag t JOIN file f ON f.file = t.card",
    "segment": "SELECT path, size, read, lines, digest, problems FROM segment",
    "event": (
        "SELECT e.id, s.path, t.id, e.at, e.offset, e.day, e.rating, e.took, m.name, m.parameters,"
        " m.status, e.step, e.promise, e.target, e.line FROM event e"
        " JOIN segment s ON s.segment = e.segment JOIN thing t ON t.item = e.item"
        " LEFT JOIN model m ON m.model = e.model"
    ),
    "rival": "SELECT r.id, s.path, r.day, r.line FROM rival r JOIN segment s USING (segment)",
    "also": (
        "SELECT t.id, e.id, s.path FROM also a JOIN thing t ON t.item = a.item"
        " JOIN event e ON e.event = a.event JOIN segment s ON s.segment = e.segment"
    ),
    "state": (
        "SELECT t.id, s.learning, s.due, s.stability, s.difficulty, s.interval, s.reviewed, s.day,"
        " s.repetitions, s.lapses, s.relearning, s.there FROM state s JOIN thing t USING (item)"
    ),
    "unfolded": "SELECT t.id FROM unfolded u JOIN thing t USING (item)",
    "held": "SELECT t.id, h.suspended, h.buried FROM held h JOIN thing t USING (item)",
    "schema": "SELECT name FROM sqlite_master WHERE tbl_name = 'event'",
}


def index_path(root: Path) -> Path:
    """The database's file; nothing is made.  One folder under two names has one index."""
    import platformdirs

    try:
        real = os.path.realpath(root)
    except ValueError:  # no folder can have this name: opening it says so
        real = str(root)
    name = blake2b(os.fsencode(real), digest_size=12).hexdigest()
    return platformdirs.user_cache_path("deltadeck") / "index" / f"{name}.sqlite"


Progress = Callable[[str, int, int], None]
"""What is being read ("cards", "reviews", "schedules"), how many are done, how many there
are; of reviews, bytes of the journal."""


def silent(what: str, done: int, total: int) -> None:
    """Hears progress, and says nothing."""


#: Seconds that one program waits while another writes; each writes for a fraction of one.
_PATIENCE = 20.0
_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -8000;
PRAGMA mmap_size = 0;
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 0;
PRAGMA temp_store = MEMORY;
"""
#: Bytes of the log from which it is copied into the file; the second while much is written at once.
_LONG, _LONGER = 4_000_000, 64_000_000
#: The seal of a file that a checkpoint is changing.
_MOVING = "moving"
#: A seal is always as long, so that it is never read half written.
_WIDE = 80
#: What a garbled value may raise.
_GARBLED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: An index is made anew on the disk, then in memory, and then it is given up.
_TRIES = 4

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Store:
    """The database at `path`; where no file can be kept there, one in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        """Why nothing can be kept on the disk, in the system's words."""
        self.refill: Callable[[], object] = lambda: None
        """Takes up what the files say, after the index was made anew."""
        self._threads = threading.local()
        self._connections: set[sqlite3.Connection] = set()
        # Without `close`, too: SQLite writes the log into the file when the last connection goes.
        weakref.finalize(self, _leave, path, self._connections)
        self._files = [f"{path}{end}" for end in ("", "-wal", "-shm")]
        self._name = self._files[0]
        self.healing = threading.RLock()
        """Held while the database is made anew and filled, and around other locks that are held
        while it is asked."""
        self._is_empty = self._is_closed = False
        self._opened: list[int] = []
        """The inodes of the files that are open."""
        self._seen: tuple[int, int] | None = None
        """Size and time of change of the file as it was last found sealed."""
        self._long = _LONG
        self.workers = Workers()
        """Who help with what is much."""
        self.generation = 0
        """Another number, another database: what was remembered of the old one is void."""
        self._open()
        self._is_empty = False  # who opens it fills it, and says how far it is

    def ask(self, question: Callable[[], _Result]) -> _Result:
        """The answer to a question that uses the database.

        Where the database turns out to be damaged, or another than the one that was opened, it is
        made anew and asked again.  A question within a question is a part of it.

        Raises:
            CollectionError: another program keeps it busy, or it cannot be made anew.
        """
        if getattr(self._threads, "asks", False):
            return question()
        self._threads.asks, error = True, None
        try:
            for again in range(_TRIES):
                generation = self.generation
                try:
                    self._fill()
                    answer = question()
                except sqlite3.Error as found:
                    error = found
                    if self._is_closed:
                        raise self._closed() from error
                    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                    if code in _BUSY and self._is_sound():
                        continue  # another program writes for long
                except _GARBLED:
                    if self._is_sound():
                        raise
                else:
                    if generation == self.generation and self._is_sound():
                        return answer
                self._heal(generation, in_memory=again > 0)
        finally:
            self._threads.asks = False
        hint = "Restart the program; cards and journal are as they were."
        raise refusal(self.path, f"The index cannot be used: {error}.", hint) from error

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        held: tuple[int, sqlite3.Connection] | None = getattr(self._threads, "held", None)
        if self._is_closed:
            raise self._closed()
        if held is not None and held[0] == self.generation:
            return held[1]
        if held is not None:
            del self._threads.held
            self._connections.discard(held[1])  # another thread may have closed it
            held[1].close()
        if self._opened and not self._is_sound():
            raise sqlite3.DatabaseError("the file was changed by another program")
        self._threads.held = (self.generation, self._connect())
        return self.db

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
        with contextlib.suppress(OSError):  # the next question finds what became of the file
            if not self.trouble and os.stat(self._files[1]).st_size > self._long:  # noqa: PTH116
                with _moving(self.path):
                    db.execute("PRAGMA wal_checkpoint")

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Much is written at once: the log grows longer, and what is sorted may fill files."""
        self._long = _LONGER
        self.db.execute("PRAGMA temp_store = FILE")
        try:
            yield
        finally:
            self._long = _LONG
            self.db.execute("PRAGMA temp_store = MEMORY")

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
        with _moving(self.path):
            self._begin_anew()
            for name in self._files:
                Path(name).unlink(missing_ok=True)
            self._make()
            self._know_files()

    def close(self) -> None:
        """Writes the log into the file and seals it."""
        sealing = not (self._is_closed or self.trouble) and self._is_sound()
        self._is_closed = True
        _let_go(self.path, self._connections, sealing)

    # Inside.

    def _open(self, *, in_memory: bool = False) -> None:
        """Takes the database that is there, unless it is the one that was open; else makes one."""
        try:
            if in_memory or self.trouble:
                raise OSError(self.trouble or "it is damaged again and again")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            is_other = self.path.exists() and self.path.stat().st_ino not in self._opened
            self._begin_anew()
            if not (is_other and self._adopt()):
                self.rebuild()
        except (OSError, sqlite3.Error) as error:
            self._begin_anew()
            self.trouble = str(error)
            self._name = f"file:/deltadeck-{os.urandom(8).hex()}?vfs=memdb"
            self._make()

    def _adopt(self) -> bool:
        """Takes the database that is there, where it is one of ours and whole."""
        if not (self.path.is_file() and _is_whole(self.path)):
            return False
        with contextlib.suppress(sqlite3.DatabaseError):
            names = ("application_id", "user_version")
            marks = [self.db.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
            if marks == [APPLICATION, VERSION]:
                with _moving(self.path):
                    self._know_files()
                return True
        return False

    def _heal(self, generation: int, *, in_memory: bool) -> None:
        """Makes the database anew, or takes the one that another thread or program has made."""
        with self.healing:
            if generation == self.generation and not self._is_closed:
                self._open(in_memory=in_memory)

    def _begin_anew(self) -> None:
        """What is asked next waits until the new database is filled."""
        self._is_empty = True
        self.generation += 1
        self._opened, self._seen = [], None

    def _closed(self) -> CollectionError:
        return refusal(self.path, "The index was closed.", "Open the collection again.")

    def _fill(self) -> None:
        with self.healing if self._is_empty else contextlib.nullcontext():
            if self._is_empty:
                self.refill()
                self._is_empty = False

    def _is_sound(self) -> bool:
        """Whether the files are those that were opened, and the database's is as it was sealed."""
        if self.trouble or self._is_closed:
            return True
        for _ in range(3):  # another program may be at a checkpoint
            try:
                found = [os.stat(name) for name in self._files]  # noqa: PTH116
            except OSError:
                return False
            if [each.st_ino for each in found] != self._opened:
                return False
            size_and_time = found[0].st_size, found[0].st_mtime_ns
            if size_and_time == self._seen:
                return True
            sealed = _sealed(self.path)
            if sealed == _MOVING:
                return True
            if sealed == _stamp(found[0]):
                self._seen = size_and_time
                return True
        return False

    def _know_files(self) -> None:
        self._opened = [os.stat(name).st_ino for name in self._files]  # noqa: PTH116

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
        self._connections.add(db)
        db.executescript(_SETTINGS)
        return db


@contextmanager
def _moving(path: Path) -> Iterator[None]:
    """Within it the file may change; no other program or thread is within.  Raises OSError."""
    seal = os.open(path.with_suffix(".seal"), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(seal, fcntl.LOCK_EX)
        os.pwrite(seal, _MOVING.ljust(_WIDE).encode(), 0)
        yield
        os.pwrite(seal, _stamp(path.stat()).ljust(_WIDE).encode(), 0)
    finally:
        os.close(seal)


def _leave(path: Path, connections: set[sqlite3.Connection]) -> None:
    """Closes what nobody uses any more."""
    with contextlib.suppress(OSError):
        _let_go(path, connections, bool(connections) and _sealed(path) == _stamp(path.stat()))


def _let_go(path: Path, connections: set[sqlite3.Connection], sealing: bool) -> None:
    with contextlib.suppress(OSError), _moving(path) if sealing else contextlib.nullcontext():
        while connections:
            with contextlib.suppress(sqlite3.Error):
                connections.pop().close()


def _is_whole(path: Path) -> bool:
    """Whether the file is as it was sealed, as far as can be told."""
    sealed = _sealed(path)
    if sealed != _MOVING:
        return sealed == _stamp(path.stat())
    with (
        contextlib.suppress(sqlite3.DatabaseError),
        contextlib.closing(sqlite3.connect(path)) as db,
    ):
        return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    return False


def _sealed(path: Path) -> str:
    try:
        return path.with_suffix(".seal").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def asking(
    method: Callable[Concatenate[Any, _P], _Result],
) -> Callable[Concatenate[Any, _P], _Result]:
    """A method of what has a `_store`, as one question to that."""

    @wraps(method)
    def asked(self: Any, /, *args: _P.args, **given: _P.kwargs) -> _Result:
        store: Store = self._store
        return store.ask(lambda: method(self, *args, **given))

    return asked
