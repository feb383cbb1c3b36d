CREATE TABLE notes (id integer primary key, guid text, mid integer, mod integer, usn integer,
    tags text, flds text, sfld integer, csum integer, flags integer, data text);
CREATE TABLE cards (id integer primary key, nid integer, did integer, ord integer, mod integer,
    usn integer, type integer, queue integer, due integer, ivl integer, factor integer,
    reps integer, lapses integer, left integer, odue integer, odid integer, flags integer,
    data text);
CREATE TABLE revlog (id integer primary key, cid integer, usn integer, ease integer, ivl integer,
    lastIvl integer, factor integer, time integer, type integer);
CREATE TABLE col (id integer primary key, crt integer, mod integer, scm integer, ver integer,
    dty integer, usn integer, ls integer, conf text, models text, decks text, dconf text,
    tags text);
