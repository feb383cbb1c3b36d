CREATE TABLE notetypes (id integer primary key, name text COLLATE unicase, mtime_secs integer,
    usn integer, config blob);
CREATE TABLE fields (ntid integer, ord integer, name text COLLATE unicase, config blob,
    primary key (ntid, ord)) without rowid;
CREATE TABLE templates (ntid integer, ord integer, name text COLLATE unicase, mtime_secs integer,
    usn integer, config blob, primary key (ntid, ord)) without rowid;
CREATE UNIQUE INDEX idx_notetypes_name ON notetypes (name);
CREATE TABLE decks (id integer primary key, name text COLLATE unicase, mtime_secs integer,
    usn integer, common blob, kind blob);
CREATE TABLE config (KEY text primary key, usn integer, mtime_secs integer, val blob)
    without rowid;
