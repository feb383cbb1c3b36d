"""Imports: what they write, a second time, and after they were killed."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.model import Value
from deck.collection import Collection
from deck.exchange.apply import take
from deck.exchange.model import ExchangeError, ForeignCard
from deck.exchange.plan import look, plan
from tests.deck.exchange.foreign import CARD, bundle, learnt, taken, tree
from tests.deck.exchange.packages import NOW, Made, altered, package
from tests.deck.exchange.taking import imported
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


ONE, TWO, THREE = (replace(CARD, solution=word) for word in ("One.", "Two.", "Three."))
PICTURE = replace(CARD, question="![](x.png)", media=("x.png",))


def solution(root: Path) -> str:
    return Collection.open(root, NOON).cards["why"].solution


def test_a_change_that_is_taken_back_there_is_taken_back_here(root: Path) -> None:
    for card in (ONE, TWO, ONE, TWO, ONE):
        done = taken(root, card)
        assert (done.new + done.changed, done.lost) == (1, [])
        assert solution(root) == card.solution
        assert taken(root, card).unchanged == 1


def test_a_row_that_is_corrected_back_is_corrected_back_here(tmp_path: Path) -> None:
    table, root = tmp_path / "rv.csv", tmp_path / "cards"
    for answer in ("Paris", "Pariss", "Paris"):
        table.write_text(f"id,question,answer\nfr_cap,Capital of France?,{answer}\n", "utf-8")
        deck, _ = imported(table, root)
        assert deck.cards["fr_cap"].solution == answer


def test_what_was_put_back_here_by_hand_stays_until_there_is_something_else(root: Path) -> None:
    taken(root, ONE)
    taken(root, TWO)
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("Two.", "One."))
    assert taken(root, TWO).unchanged == 1
    assert solution(root) == "One."
    assert taken(root, THREE).changed == 1


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from("TH"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_an_edit_is_never_lost_and_an_untouched_card_is_the_sources(
    tmp_path_factory: pytest.TempPathFactory, turns: list[str], words: list[str]
) -> None:
    """T: an import; H: the learner writes what no import ever brought."""
    root = tmp_path_factory.mktemp("cards")
    taken(root, replace(CARD, solution="z"))
    path, wanted, edited = root / "Networks" / "Pooling" / "why.md", "z", False
    for number, (turn, word) in enumerate(zip(turns, words, strict=False)):
        if turn == "T":
            taken(root, replace(CARD, solution=word))
            wanted = wanted if edited else word
        else:
            head, _, _ = path.read_text().rpartition("# Solution\n")
            wanted, edited = f"mine {number}", True
            path.write_text(f"{head}# Solution\n{wanted}\n")
        assert solution(root) == wanted


@pytest.mark.parametrize(
    ("before", "after"),
    [((9, 5), (8, 6)), ((9, 5), (9, 4))],
    ids=["the note is older", "the package is older"],
)
def test_an_older_package_changes_nothing_and_is_said(
    root: Path, before: tuple[int, int], after: tuple[int, int]
) -> None:
    (version, made), (old_version, old_made) = before, after
    taken(root, replace(ONE, version=old_version), made=old_made)
    taken(root, replace(TWO, version=version), made=made)
    done = taken(root, replace(ONE, version=old_version), made=old_made)
    assert (done.changed, done.unchanged, solution(root)) == (0, 1, "Two.")
    assert ["cards: 1;" in lost.what for lost in done.lost] == [True]


def test_an_older_package_puts_no_old_picture_back(root: Path) -> None:
    path = root / "media" / "x.png"
    taken(root, replace(PICTURE, version=7), media={"x.png": b"old"}, made=1)
    taken(root, replace(PICTURE, version=7), media={"x.png": b"new"}, made=2)
    assert path.read_bytes() == b"new"
    done = taken(root, replace(PICTURE, version=7), media={"x.png": b"old"}, made=1)
    assert path.read_bytes() == b"new"
    assert ["sounds: 1." in lost.what for lost in done.lost] == [True]
    taken(root, replace(PICTURE, version=7), media={"x.png": b"old"}, made=3)
    assert path.read_bytes() == b"old", "a later package has the old one again"


def test_a_picture_that_was_edited_here_stays_in_its_place(root: Path) -> None:
    taken(root, PICTURE, media={"x.png": b"theirs"})
    (root / "media" / "x.png").write_bytes(b"mine")
    done = taken(root, PICTURE, media={"x.png": b"theirs"})
    assert (done.unchanged, done.media) == (1, 0)
    assert [p.read_bytes() for p in (root / "media").iterdir()] == [b"mine"]


def test_what_another_device_imported_last_counts(root: Path) -> None:
    taken(root, ONE, device="desk")
    taken(root, TWO, device="a_phone", now=NOON + timedelta(hours=1))
    taken(root, ONE, device="desk", now=NOON + timedelta(hours=2))
    assert solution(root) == "One."
    assert taken(root, TWO, device="a_phone", now=NOON + timedelta(hours=3)).changed == 1


def test_notes_of_an_earlier_version_without_times_count(root: Path) -> None:
    taken(root, ONE)
    (notes,) = (root / ".deltadeck" / "imports").iterdir()
    marks = [line for line in notes.read_text().splitlines() if not line.startswith("@")]
    notes.write_text("\n".join([*marks, "0123"]))
    assert taken(root, TWO).changed == 1
    assert taken(root, ONE).changed == 1


@pytest.mark.parametrize("new", [False, True])
def test_a_package_of_ankis_says_how_old_its_notes_are(tmp_path: Path, new: bool) -> None:
    path, root, at = tmp_path / "a.apkg", tmp_path / "cards", int(NOW.timestamp())
    for word, mod, made, stands in [
        ("one", at, at, "one"),
        ("two", at + 5, at, "two"),
        ("one", at, at + 9, "two"),  # of a device that knew less, exported later
        ("one", at + 6, at + 9, "one"),
        ("two", at + 6, at + 8, "one"),
        ("two", at + 6, at + 10, "two"),
    ]:
        package(path, [Made("g", ("why", word), mod=mod)], new=new)
        deck, _ = imported(altered(path, f"UPDATE col SET mod = {made * 1000}"), root)
        assert deck.cards["why"].solution == stands


#: What a learner writes in the place of `source: anki:k1`.
SOURCES = [
    "",
    "source: page 12 of Bishop\n",
    "source: 'anki: the deck of Ada'\n",
    "source: [Bishop, Ada]\n",
    "source: anki:k9\n",
    "source:\n",
    "imported: by hand\nsource: x\n",
]


@pytest.mark.parametrize("line", SOURCES)
@pytest.mark.parametrize("moved", [False, True])
def test_another_source_makes_no_second_copy(root: Path, line: str, moved: bool) -> None:
    other = replace(CARD, key="k2", wanted_id="other", question="Other?")
    taken(root, ONE, other)
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("source: anki:k1\n", line))
    if moved:
        path = path.rename(root / "mine.md")
    mine = path.read_text()
    for card in (ONE, TWO, THREE):
        done = taken(root, card, other)
        assert (done.new, done.changed, done.lost) == (0, 0, [])
        assert done.listed.get("kept", []) == ([] if card is ONE else ["why"])
        assert len(list(root.rglob("*.md"))) == 2
        assert path.read_text() == mine, "the learner's own words stay"


@pytest.mark.parametrize("line", SOURCES)
def test_answers_reach_a_card_with_another_source(root: Path, line: str) -> None:
    taken(root, learnt((9, 3, 3)))
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("source: anki:k1\n", line))
    assert taken(root, learnt((9, 3, 3), (6, 3, 10))).reviews == 1
    assert {event.item for event in Collection.open(root, NOON).events("why")} == {"why"}


def test_an_id_that_another_import_has_got_since_is_not_the_first_ones(root: Path) -> None:
    other = replace(CARD, key="k2", question="Other?")
    taken(root, ONE)
    path = root / "Networks" / "Pooling" / "why.md"
    path.unlink()
    taken(root, other)
    path.write_text(path.read_text().replace("source: anki:k2\n", ""))
    assert taken(root, ONE, other).new == 1, "a card that was deleted comes back"
    assert "Other?" in path.read_text()


def test_cards_of_an_import_that_noted_no_ids_are_noted_by_the_next(root: Path) -> None:
    taken(root, ONE)
    (notes,) = (root / ".deltadeck" / "imports").iterdir()
    lines = notes.read_text().splitlines(keepends=True)
    notes.write_text("".join(line for line in lines if not line.startswith("=")))
    taken(root, ONE)
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("source: anki:k1\n", ""))
    assert taken(root, ONE).new == 0


COUNT, WRITTEN = 230, 210
"""More than are noted together; and the last, when it is killed."""


def cards(word: str) -> list[ForeignCard]:
    return [replace(CARD, key=f"k{n}", wanted_id=f"c{n}", solution=word) for n in range(COUNT)]


def killed(root: Path, word: str, call: Literal["link", "replace"]) -> None:
    """An import that is killed as it has written so many cards: nothing is done behind it."""
    child = os.fork()
    if not child:
        done, real = [0], getattr(os, call)

        def last(source: str, target: str) -> None:
            real(source, target)
            if str(target).endswith(".md"):
                done[0] += 1
            if done[0] == WRITTEN:
                os._exit(9)

        setattr(os, call, last)
        try:
            taken(root, *cards(word))
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def solutions(root: Path) -> list[str]:
    return [card.solution for card in Collection.open(root, NOON).cards.values()]


@pytest.mark.parametrize("after", ["Two.", "Three.", "One."])
def test_after_an_update_that_was_killed_the_next_one_takes_every_card(
    root: Path, after: str
) -> None:
    taken(root, *cards("One."))
    killed(root, "Two.", "replace")
    assert solutions(root).count("Two.") == WRITTEN
    done = taken(root, *cards(after))
    assert done.kept == 0
    assert solutions(root) == [after] * COUNT
    assert taken(root, *cards("One.")).kept == 0
    assert solutions(root) == ["One."] * COUNT


def test_after_a_first_import_that_was_killed_a_later_version_takes_every_card(root: Path) -> None:
    killed(root, "One.", "link")
    assert len(solutions(root)) == WRITTEN
    done = taken(root, *cards("Two."))
    assert (done.new, done.changed, done.kept) == (COUNT - WRITTEN, WRITTEN, 0)


def test_an_edit_of_a_card_that_it_was_about_to_write_stays(root: Path) -> None:
    taken(root, *cards("One."))
    path = root / "Networks" / "Pooling" / f"c{COUNT - 1}.md"
    mine = path.read_text().replace("One.", "Mine.")
    path.write_text(mine)
    killed(root, "Two.", "replace")
    assert taken(root, *cards("Three.")).listed["kept"] == [f"c{COUNT - 1}"]
    assert path.read_text() == mine
