"""What a card links to and what it shows is taken along, once, and no false alarm is raised."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from deck.collection import Collection
from tests.deck.exchange.exporting import AT, PNG, exported
from tests.deck.exchange.foreign import CARD, taken
from tests.deck.exchange.taking import imported
from tests.deck.given import write_card


def listening(root: Path) -> Collection:
    question = "Hear [s.mp3](s.mp3) and [this](<s.mp3>) of [us](https://example.org/s.mp3)."
    taken(root, replace(CARD, question=question, media=("s.mp3",)), media={"s.mp3": b"sound"})
    return Collection.open(root, AT, "desk")


def test_a_sound_is_played_by_anki_and_packed(root: Path, tmp_path: Path) -> None:
    report = exported(listening(root), tmp_path / "a.apkg")
    assert (report.counts["media"], report.lost) == (1, [])
    with zipfile.ZipFile(tmp_path / "a.apkg") as archive:
        assert json.loads(archive.read("media")) == {"0": "s.mp3"}
        assert archive.read("0") == b"sound"
        archive.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as db:
        (fields,) = db.execute("SELECT flds FROM notes").fetchone()
    assert fields.startswith("<p>Hear [sound:s.mp3] and this [sound:s.mp3] of <a ")
    assert not any(sign in fields for sign in "\x02\x03\x1e")


def test_a_sound_goes_through_json(root: Path, tmp_path: Path) -> None:
    report = exported(listening(root), tmp_path / "a.json")
    assert (report.counts["media"], report.lost) == (1, [])
    other = tmp_path / "other"
    other.mkdir()
    deck, done = imported(tmp_path / "a.json", other)
    assert (done.media, done.lost) == (1, [])
    assert (other / "media" / "s.mp3").read_bytes() == b"sound"
    assert deck.cards["why"].question.count("(media/s.mp3)") == 2


def test_a_sound_that_is_gone_is_named_and_a_page_says_what_it_leaves(
    root: Path, tmp_path: Path
) -> None:
    deck = listening(root)
    assert any("Sounds" in what for what in exported(deck, tmp_path / "a.html").plain)
    (root / "media" / "s.mp3").unlink()
    for name in ("a.apkg", "a.json"):
        assert {lost.where for lost in exported(deck, tmp_path / name).lost} == {"why"}


def test_of_several_pictures_only_the_missing_one_is_named(root: Path, tmp_path: Path) -> None:
    (root / "a.png").write_bytes(PNG)
    write_card(root, "one", "![](a.png) ![](gone.png) ![](https://example.org/x.png)")
    exported(Collection.open(root, AT, "desk"), tmp_path / "a.json")
    other = tmp_path / "other"
    other.mkdir()
    _, done = imported(tmp_path / "a.json", other)
    assert done.media == 1
    assert len(done.lost) == 1
    assert "gone.png" in done.lost[0].what
