"""The tables of the index.  Whoever changes one, or what is written into it, raises `VERSION`."""

from __future__ import annotations

#: Another version is thrown away and built again.  Also raised when cards are read differently.
VERSION = 12
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
-- Events whose id stands for another event, which counts: see `deck.replay.unique`.
CREATE TABLE rival AS SELECT * FROM event;
CREATE INDEX rival_id ON rival (id);
-- Items that an event concerns beside its own.
CREATE TABLE also (item INTEGER, event INTEGER, PRIMARY KEY (item, event)) WITHOUT ROWID;
CREATE TABLE model (
    model INTEGER PRIMARY KEY, name TEXT, parameters TEXT, status TEXT,
    UNIQUE (name, parameters, status));

-- Where the items stand that are not new; `due` is a study day, or for a learning step a time.
-- `there`: 0 where no card has the item, 1 where it is put aside, else 2.
CREATE TABLE state (
    item INTEGER PRIMARY KEY, learning INTEGER NOT NULL, due INTEGER NOT NULL,
    stability REAL NOT NULL, difficulty REAL NOT NULL, interval INTEGER NOT NULL,
    reviewed INTEGER NOT NULL, day INTEGER NOT NULL, repetitions INTEGER NOT NULL,
    lapses INTEGER NOT NULL, relearning INTEGER NOT NULL, there INTEGER NOT NULL);
CREATE INDEX state_due ON state (learning, due, stability, day, there);
CREATE INDEX state_day ON state (day, stability, there);
CREATE TRIGGER item_comes AFTER INSERT ON item
    BEGIN UPDATE state SET there = 2 - new.aside WHERE item = new.item; END;
CREATE TRIGGER item_goes AFTER DELETE ON item
    BEGIN UPDATE state SET there = 0 WHERE item = old.item; END;
CREATE TRIGGER item_moves AFTER UPDATE OF aside ON item WHEN new.aside != old.aside
    BEGIN UPDATE state SET there = 2 - new.aside WHERE item = new.item; END;
-- Items whose events changed since they were folded.
CREATE TABLE unfolded (item INTEGER PRIMARY KEY);
-- What the journal says beside: suspended, or buried until a study day.
CREATE TABLE held (item INTEGER PRIMARY KEY, suspended INTEGER NOT NULL, buried INTEGER);
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
    "schema": "SELECT name FROM sqlite_master WHERE tbl_name = 'event' AND name != 'event_line'",
}
