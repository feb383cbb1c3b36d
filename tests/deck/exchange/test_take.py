"""Taking what a plan says: the cards and their media; the learner's word stays."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cards.model import Value
from deck.collection import Collection
from deck.exchange.apply import take
from deck.exchange.model import ExchangeError
from deck.exchange.plan import look, plan
from tests.deck.exchange.foreign import CARD, bundle, learnt, taken, tree
from tests.deck.given import NOON, card_text

# Cards.


def test_a_dry_run_says_what_the_import_does_and_writes_nothing(root: Path) -> None:
    cards = (learnt((9, 3, 4), (5, 3, 9), suspended=True), replace(CARD, key="k2"))
    said = look(plan(bundle(*cards), Collection.open(root, NOON, "desk"), NOON))
    assert tree(root) == {}
    done = taken(root, *cards)
    assert said == done
    assert (done.new, done.reviews, done.suspended) == (2, 2, 1)


def test_a_card_reads_back_as_it_was_meant(root: Path) -> None:
    fields: dict[str, Value] = {"course": "Networks", "tags": ["a", "b::c"]}
    taken(root, replace(CARD, fields=fields))
    card = Collection.open(root, NOON).cards["why"]
    assert card.path == root / "Networks" / "Pooling" / "why.md"
    assert (card.question, card.solution) == ("Why?", "Because.")
    assert (card.course, card.tags, card.extra["source"]) == ("Networks", ("a", "b::c"), "anki:k1")
    assert card.warnings == ()


@pytest.mark.parametrize(
    "text",
    ["# Solution\nx", "a\n\n---\n\nb", "```\nopen", "Question\n===", "x\n\n## Options\nA) b", "$$"],
)
def test_a_text_that_looks_like_parts_of_a_card_stays_text(root: Path, text: str) -> None:
    taken(root, replace(CARD, question=text), replace(CARD, key="k2", solution=f"Well:\n\n{text}"))
    cards = Collection.open(root, NOON).cards
    assert len(cards) == 2
    assert cards["why"].solution == "Because."
    assert len([each for each in cards.values() if each.question == "Why?"]) == 1


def test_two_cards_of_one_wanted_id_get_two(root: Path) -> None:
    (root / "other.md").write_text(card_text("taken"))
    done = taken(root, CARD, replace(CARD, key="k2"), replace(CARD, key="k3", wanted_id="Taken"))
    ids = done.listed["new"]
    assert ids[0] == "why"
    assert len(set(ids)) == 3
    assert not set(ids) & {"taken", "Taken"}
    assert ids[1].startswith("why_")


def test_a_second_import_takes_what_changed_and_nothing_else(root: Path) -> None:
    taken(root, CARD, replace(CARD, key="k2", wanted_id="two"))
    before = tree(root)
    again = taken(root, CARD, replace(CARD, key="k2", wanted_id="two"))
    assert (again.new, again.changed, again.unchanged) == (0, 0, 2)
    assert tree(root) == before
    changed = taken(root, replace(CARD, solution="Otherwise."), replace(CARD, key="k2"))
    assert (changed.new, changed.changed, changed.unchanged) == (0, 1, 1)
    assert Collection.open(root, NOON).cards["why"].solution == "Otherwise."


def test_what_was_edited_here_is_kept(root: Path) -> None:
    taken(root, CARD)
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("Because.", "Mine."))
    same = taken(root, CARD)
    assert (same.kept, same.unchanged) == (0, 1)
    changed = taken(root, replace(CARD, solution="Otherwise."))
    assert (changed.kept, changed.listed["kept"]) == (1, ["why"])
    assert "Mine." in path.read_text()


def test_a_status_line_and_another_place_are_no_edits(root: Path) -> None:
    taken(root, CARD)
    path = root / "Networks" / "Pooling" / "why.md"
    moved = root / "mine.md"
    path.rename(moved)
    moved.write_text(moved.read_text().replace("to_learn", "learning"))
    done = taken(root, replace(CARD, solution="Otherwise."))
    assert (done.new, done.changed) == (0, 1)
    assert "Otherwise." in moved.read_text()
    assert "status: learning" in moved.read_text()
    assert not path.exists()


def test_without_its_notes_an_import_overwrites_nothing(root: Path) -> None:
    taken(root, CARD)
    shutil.rmtree(root / ".deltadeck" / "imports")
    done = taken(root, replace(CARD, solution="Otherwise."))
    assert (done.kept, done.changed) == (1, 0)
    assert taken(root, CARD).unchanged == 1
    assert taken(root, replace(CARD, solution="Otherwise.")).changed == 1, "noted again"


def test_folders_below_the_one_named(root: Path) -> None:
    collection = Collection.open(root, NOON)
    card = replace(CARD, folder=("Networks", "../..", "CON", ".hid", "a/b"),
                   fields={"course": "Networks"})  # fmt: skip
    take(plan(bundle(card), collection, NOON, "From Anki"))
    (path,) = root.rglob("*.md")
    parts = ("From Anki", "Networks", "_", "_CON", "hid", "a_b", "why.md")
    assert path.relative_to(root).parts == parts
    assert "course:" not in path.read_text(), "the folders alone are the decks"
    for outside in ("../x", "/x", "a/../../x", ".deltadeck", "~/x", "C:\\x"):
        with pytest.raises(ExchangeError, match="inside the collection"):
            plan(bundle(card), collection, NOON, outside)


# Media.


def test_media_come_beside_the_cards_under_names_that_are_safe(root: Path) -> None:
    names = ["../../up.png", "a b.png", "con.png", "CON.PNG", "x.md", "ok.png", "a\\b:c.png"]
    shown = " ".join(f"![](<{name}>)" for name in names)
    card = replace(CARD, question=f"See {shown} [s](a%20b.png)", media=tuple(names))
    done = taken(root, card, media={name: name.encode() for name in names})
    assert done.media == len(names)
    files = {p.name: p.read_bytes() for p in (root / "media").iterdir()}
    assert sorted(files.values()) == sorted(name.encode() for name in names)
    assert not any(name.lower().startswith("con.") or name.endswith(".md") for name in files)
    assert not (root.parent / "up.png").exists()
    question = Collection.open(root, NOON).cards["why"].question
    assert all(f"media/{name}" in question for name in files)
    assert "ok.png" in files


def test_another_file_is_not_overwritten_and_an_own_one_is_renewed(root: Path) -> None:
    card = replace(CARD, question="![](x.png)", media=("x.png",))
    (root / "media").mkdir()
    (root / "media" / "x.png").write_bytes(b"mine")
    taken(root, card, media={"x.png": b"theirs"})
    assert (root / "media" / "x.png").read_bytes() == b"mine"
    (copy,) = (p for p in (root / "media").iterdir() if p.name != "x.png")
    assert copy.read_bytes() == b"theirs"
    assert copy.name in Collection.open(root, NOON).cards["why"].question
    assert taken(root, card, media={"x.png": b"theirs"}).media == 0
    (root / "media" / "x.png").unlink()
    other = replace(card, key="k2")
    taken(root, other, media={"x.png": b"1"})
    taken(root, other, media={"x.png": b"2"})
    assert (root / "media" / "x.png").read_bytes() == b"2"


def test_what_an_import_left_is_put_away_when_it_is_old(root: Path) -> None:
    media = root / "media"
    media.mkdir()
    medium, text, young = (
        folder / f".{sign * 16}.deltadeck-tmp"
        for folder, sign in ((media, "0"), (root, "1"), (root, "2"))
    )
    for path in (medium, text, young):
        path.write_text("half a")
    for path in (medium, text):
        os.utime(path, (1e9, 1e9))
    taken(root, CARD)
    assert [medium.exists(), text.exists(), young.exists()] == [False, False, True]
    assert [path.read_text() for path in (root / ".deltadeck" / "drafts").iterdir()] == ["half a"]


@pytest.mark.parametrize("below", ["Networks", "Networks/Pooling"])
def test_nothing_is_imported_through_a_link_out_of_the_collection(
    root: Path, tmp_path: Path, below: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / below).parent.mkdir(parents=True, exist_ok=True)
    (root / below).symlink_to(outside)
    with pytest.raises(ExchangeError, match="leads out of the collection"):
        taken(root, CARD)
    assert tree(outside) == {}


def test_no_picture_is_copied_through_a_link_out_of_the_collection(
    root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "media").symlink_to(outside)
    card = replace(CARD, question="![](x.png)", media=("x.png",))
    found = bundle(card, media={"x.png": b"theirs"})
    take(plan(found, Collection.open(root, NOON, "desk"), NOON))
    assert tree(outside) == {}
    (lost,) = found.lost
    assert "x.png was not copied" in lost.what
    assert "leads out of the collection" in lost.what
