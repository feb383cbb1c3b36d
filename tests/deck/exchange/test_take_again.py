"""A source that is imported again and again: its last word is taken, and the learner's stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from tests.deck.exchange.foreign import CARD, learnt, taken
from tests.deck.exchange.packages import NOW, Made, altered, package
from tests.deck.exchange.taking import imported
from tests.deck.given import NOON

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
