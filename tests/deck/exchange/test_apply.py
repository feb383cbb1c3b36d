"""Imports: what they write, a second time, and after they were killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.model import Value
from cards.parse import analyse
from deck.collection import Collection
from deck.events import EventPayload, LimitsRaised, Rescheduled
from deck.exchange import plan as planning
from deck.exchange.model import ExchangeError, ForeignCard
from deck.exchange.plan import Plan, look
from tests.deck.exchange.foreign import CARD, bundle, learnt, saved, take_in, taken, tree
from tests.deck.exchange.packages import NOW, Made, altered, package
from tests.deck.given import NOON, card_text

#: Where CARD is written.
PLACE = Path("Networks", "Pooling", "why.md")
ONE, TWO, THREE = (replace(CARD, solution=word) for word in ("One.", "Two.", "Three."))
OTHER = replace(CARD, key="k2", wanted_id="other", question="Other?")
PICTURE = replace(CARD, question="![](x.png)", media=("x.png",))


def solution(root: Path) -> str:
    return Collection.open(root, NOON).cards["why"].solution


def edit(path: Path, old: str, new: str) -> str:
    path.write_text(path.read_text().replace(old, new))
    return path.read_text()


# Cards.


def test_a_dry_run_says_what_the_import_does_and_writes_nothing(root: Path) -> None:
    cards = (learnt((9, 3, 4), (5, 3, 9), suspended=True), replace(CARD, key="k2"))
    said = look(Plan(bundle(*cards), Collection.open(root, NOON, "desk"), NOON))
    assert tree(root) == {}
    done = taken(root, *cards)
    assert said == done
    assert (done.new, done.reviews, done.suspended) == (2, 2, 1)
    assert analyse(Collection.open(root, NOON).cards["why"].source)[1] == ()


@pytest.mark.parametrize(
    "text",
    ["# Solution\nx", "a\n\n---\n\nb", "```\nopen", "Question\n===", "x\n\n## Options\nA) b", "$$"],
)
def test_a_card_reads_back_as_it_was_meant(root: Path, text: str) -> None:
    fields: dict[str, Value] = {"course": "Networks", "tags": ["a", "b::c"]}
    other = replace(CARD, key="k2", solution=f"Well:\n\n{text}")
    taken(root, replace(CARD, question=text, fields=fields), other)
    cards = Collection.open(root, NOON).cards
    assert len(cards) == 2
    card = cards["why"]
    assert (card.path, card.solution) == (root / PLACE, "Because.")
    assert (card.course, card.tags, card.extra["source"]) == ("Networks", ("a", "b::c"), "anki:k1")
    assert len([each for each in cards.values() if each.question == "Why?"]) == 1


@pytest.mark.parametrize(
    "what", [LimitsRaised(5, 0, ""), Rescheduled({"other": date(2026, 11, 9)})]
)
def test_events_of_the_whole_collection_are_no_new_cards_history(
    root: Path, what: EventPayload
) -> None:
    root.mkdir(exist_ok=True)
    deck = Collection.open(root, NOON, "desk")
    deck.record("", what, NOON)
    deck.close()
    done = taken(root, CARD)
    assert (done.new, done.lost) == (1, [])
    assert Collection.open(root, NOON).events("why") == []


def test_two_cards_of_one_wanted_id_get_two(root: Path) -> None:
    (root / "other.md").write_text(card_text("taken"))
    done = taken(root, CARD, replace(CARD, key="k2"), replace(CARD, key="k3", wanted_id="Taken"))
    first, second, third = done.listed["new"]
    assert first == "why"
    assert second.startswith("why_")
    assert third not in ("taken", "Taken")


def test_folders_below_the_one_named(root: Path) -> None:
    deck = Collection.open(root, NOON)
    names = ("Networks", "../..", "CON", ".hid", "a/b")
    take_in(root, bundle(replace(CARD, folder=names, fields={"course": "Networks"})), into="From X")
    (path,) = root.rglob("*.md")
    parts = ("From X", "Networks", "_", "_CON", "hid", "a_b", "why.md")
    assert path.relative_to(root).parts == parts
    assert "course:" not in path.read_text(), "the folders alone are the decks"
    for outside in ("../x", "/x", "a/../../x", ".deltadeck", "~/x", "C:\\x"):
        with pytest.raises(ExchangeError, match="inside the collection"):
            Plan(bundle(CARD), deck, NOON, outside)


@pytest.mark.parametrize("below", ["Networks", "Networks/Pooling"])
def test_nothing_is_written_through_a_link(root: Path, tmp_path: Path, below: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / below).parent.mkdir(parents=True, exist_ok=True)
    (root / below).symlink_to(outside)
    with pytest.raises(ExchangeError, match="leads out of the collection"):
        taken(root, CARD)
    (root / "media").symlink_to(outside)
    (lost,) = taken(root, replace(PICTURE, folder=()), media={"x.png": b"theirs"}).lost
    assert "x.png was not copied" in lost.what
    assert "leads out of the collection" in lost.what
    assert tree(outside) == {}


# A second time.


def test_what_was_put_back_by_hand_stays_until_there_is_something_else(root: Path) -> None:
    taken(root, ONE, OTHER)
    for card in (TWO, ONE, TWO):  # a change that is taken back there is taken back here
        done = taken(root, card, OTHER)
        assert (done.new, done.changed, done.unchanged, done.lost) == (0, 1, 1, [])
    edit(root / PLACE, "Two.", "One.")
    assert taken(root, TWO).unchanged == 1
    assert solution(root) == "One."
    assert taken(root, THREE).changed == 1


def test_a_status_line_and_another_place_are_no_edits_and_an_edit_is_kept(root: Path) -> None:
    taken(root, CARD)
    moved = (root / PLACE).rename(root / "mine.md")
    edit(moved, "to_learn", "learning")
    done = taken(root, ONE)
    assert (done.new, done.changed, solution(root)) == (0, 1, "One.")
    assert "status: learning" in moved.read_text()
    assert not (root / PLACE).exists()
    edit(moved, "One.", "Mine.")
    assert taken(root, ONE).unchanged == 1
    assert taken(root, TWO).listed == {"kept": ["why"]}
    shutil.rmtree(root / ".deltadeck" / "imports")
    edit(moved, "Mine.", "One.")
    assert taken(root, TWO).kept == 1, "without its notes an import overwrites nothing"
    assert taken(root, ONE).unchanged == 1
    assert taken(root, TWO).changed == 1, "noted again"


def test_notes_that_cannot_be_read_are_said_and_no_card_counts_as_edited(root: Path) -> None:
    taken(root, ONE)
    (notes,) = (root / ".deltadeck" / "imports").iterdir()
    notes.rename(root / "kept")
    notes.mkdir()
    with pytest.raises(ExchangeError, match="cannot be read"):
        taken(root, TWO)
    notes.rmdir()
    (root / "kept").rename(notes)
    assert taken(root, TWO).changed == 1


@settings(max_examples=12)  # each is several imports
@given(st.lists(st.sampled_from("TH"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_an_edit_is_never_lost(
    tmp_path_factory: pytest.TempPathFactory, turns: list[str], words: list[str]
) -> None:
    """T: an import; H: the learner writes what no import ever brought."""
    root = tmp_path_factory.mktemp("cards")
    taken(root, replace(CARD, solution="z"))
    path, wanted, edited = root / PLACE, "z", False
    for number, (turn, word) in enumerate(zip(turns, words, strict=False)):
        if turn == "T":
            taken(root, replace(CARD, solution=word))
            wanted = wanted if edited else word
        else:
            head, _, _ = path.read_text().rpartition("# Solution\n")
            wanted, edited = f"mine {number}", True
            path.write_text(f"{head}# Solution\n{wanted}\n")
        assert solution(root) == wanted


@pytest.mark.parametrize("old", [(8, 6), (9, 4)], ids=["an older note", "an older package"])
def test_what_is_older_changes_nothing_and_is_said(root: Path, old: tuple[int, int]) -> None:
    older, newer = replace(PICTURE, version=old[0]), replace(PICTURE, version=9, solution="Two.")
    taken(root, older, media={"x.png": b"old"}, made=old[1])
    taken(root, newer, media={"x.png": b"new"}, made=5)
    done = taken(root, older, media={"x.png": b"old"}, made=old[1])
    assert (done.changed, done.unchanged, solution(root)) == (0, 1, "Two.")
    assert ["cards: 1;" in lost.what for lost in done.lost] == [True]
    if old[1] < 5:
        assert "sounds: 1." in done.lost[0].what
        assert (root / "media" / "x.png").read_bytes() == b"new"
    taken(root, newer, media={"x.png": b"old"}, made=7)
    assert (root / "media" / "x.png").read_bytes() == b"old", "a later package has it again"


def test_a_package_of_ankis_says_how_old_its_notes_are(tmp_path: Path) -> None:
    path, root, at = tmp_path / "a.apkg", tmp_path / "cards", int(NOW.timestamp())
    for word, mod, made, stands in [
        ("one", at, at, "one"),
        ("two", at + 5, at, "two"),
        ("one", at, at + 9, "two"),  # of a device that knew less, exported later
        ("one", at + 6, at + 9, "one"),
        ("two", at + 6, at + 8, "one"),
        ("two", at + 6, at + 10, "two"),
    ]:
        package(path, [Made("g", ("why", word), mod=mod)], new=made > at)
        take_in(root, altered(path, f"UPDATE col SET mod = {made * 1000}"))
        assert solution(root) == stands


def test_what_another_device_imported_last_counts(root: Path) -> None:
    for hours, card, device in ((0, ONE, "desk"), (1, TWO, "a_phone"), (2, ONE, "desk")):
        taken(root, card, device=device, now=NOON + timedelta(hours=hours))
    assert solution(root) == "One."
    assert taken(root, TWO, device="a_phone", now=NOON + timedelta(hours=3)).changed == 1


def test_notes_of_earlier_versions_count(root: Path) -> None:
    """Those without times; those without ids, which the next import notes."""
    taken(root, ONE)
    (notes,) = (root / ".deltadeck" / "imports").iterdir()
    lines = notes.read_text().splitlines()
    notes.write_text("\n".join([*(line for line in lines if line[:1] not in "@="), "0123"]))
    assert taken(root, TWO).changed == 1
    assert taken(root, ONE).changed == 1
    edit(root / PLACE, "source: anki:k1\n", "")
    assert taken(root, ONE).new == 0


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


@pytest.mark.parametrize(("at", "line"), enumerate(SOURCES))
def test_another_source_makes_no_second_copy(root: Path, at: int, line: str) -> None:
    taken(root, ONE, OTHER)
    mine = edit(root / PLACE, "source: anki:k1\n", line)
    path = (root / PLACE).rename(root / "mine.md") if at % 2 else root / PLACE
    for card in (ONE, TWO, THREE):
        done = taken(root, card, OTHER)
        assert (done.new, done.changed, done.lost) == (0, 0, [])
        assert done.listed.get("kept", []) == ([] if card is ONE else ["why"])
        assert len(list(root.rglob("*.md"))) == 2
        assert path.read_text() == mine, "the learner's own words stay"
    assert taken(root, learnt((9, 3, 3), (6, 3, 10))).reviews == 2
    assert {event.item for event in Collection.open(root, NOON).events("why")} == {"why"}


def test_an_id_that_another_import_has_got_since_is_not_the_first_ones(root: Path) -> None:
    other = replace(CARD, key="k2", question="Other?")
    taken(root, ONE)
    (root / PLACE).unlink()
    taken(root, other)
    edit(root / PLACE, "source: anki:k2\n", "")
    assert taken(root, ONE, other).new == 1, "a card that was deleted comes back"
    assert "Other?" in (root / PLACE).read_text()


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
    mine = saved(root, "", b"mine", "media/x.png")
    taken(root, PICTURE, media={"x.png": b"theirs"})
    assert mine.read_bytes() == b"mine"
    (copy,) = (p for p in (root / "media").iterdir() if p.name != "x.png")
    assert copy.read_bytes() == b"theirs"
    assert copy.name in Collection.open(root, NOON).cards["why"].question
    assert taken(root, PICTURE, media={"x.png": b"theirs"}).media == 0
    mine.unlink()
    for data in (b"1", b"2"):
        taken(root, replace(PICTURE, key="k2"), media={"x.png": data})
        assert mine.read_bytes() == data
    mine.write_bytes(b"edited")
    done = taken(root, replace(PICTURE, key="k2"), media={"x.png": b"2"})
    assert (done.unchanged, done.media, mine.read_bytes()) == (1, 0, b"edited")


def test_a_medium_that_cannot_be_read_is_said(root: Path) -> None:
    def unreadable() -> object:
        raise ExchangeError("it is damaged") from OSError(5, "Input/output error")

    found = replace(bundle(PICTURE), media={"x.png": unreadable})  # type: ignore[dict-item]
    done = take_in(root, found)
    assert (done.new, ["not copied" in lost.what for lost in done.lost]) == (1, [True])


def test_what_an_import_left_is_put_away_when_it_is_old(root: Path) -> None:
    medium, text, young = (
        saved(root, "", "half a", f"{folder}.{sign * 16}.deltadeck-tmp")
        for folder, sign in (("media/", "0"), ("", "1"), ("", "2"))
    )
    for path in (medium, text):
        os.utime(path, (1e9, 1e9))
    taken(root, CARD)
    assert [medium.exists(), text.exists(), young.exists()] == [False, False, True]
    assert [path.read_text() for path in (root / ".deltadeck" / "drafts").iterdir()] == ["half a"]


# Imports that were killed.

COUNT, WRITTEN = 60, 21
"""More than are noted together; and the last, when it is killed."""


@pytest.fixture(scope="module", autouse=True)
def _noted_together() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_BATCH", 20)
        yield


def cards(word: str) -> list[ForeignCard]:
    return [replace(CARD, key=f"k{n}", wanted_id=f"c{n}", solution=word) for n in range(COUNT)]


def killed(root: Path, word: str, call: Literal["link", "replace"]) -> None:
    """An import that is killed as it has written so many cards, or some more: it writes several at
    once."""
    child = os.fork()
    if not child:
        done, real = [0], getattr(os, call)

        def last(source: str, target: str) -> None:
            real(source, target)
            if str(target).endswith(".md"):
                done[0] += 1
            if done[0] >= WRITTEN:
                os._exit(9)

        setattr(os, call, last)
        try:
            taken(root, *cards(word))
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def solutions(root: Path) -> list[str]:
    return [card.solution for card in Collection.open(root, NOON).cards.values()]


@pytest.fixture(scope="module")
def half_updated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose cards said "One." when an import of "Two." was killed; the last one was
    edited before."""
    root = tmp_path_factory.mktemp("killed")
    taken(root, *cards("One."))
    edit(root / "Networks" / "Pooling" / f"c{COUNT - 1}.md", "One.", "Mine.")
    killed(root, "Two.", "replace")
    return root


@pytest.mark.parametrize("after", ["Two.", "Three.", "One."])
def test_an_update_that_was_killed(half_updated: Path, tmp_path: Path, after: str) -> None:
    root = Path(shutil.copytree(half_updated, tmp_path / "cards"))
    assert WRITTEN <= solutions(root).count("Two.") < COUNT - 1
    last = [f"c{COUNT - 1}"]
    done = taken(root, *cards(after))
    assert done.listed.get("kept", []) == ([] if after == "One." else last)
    assert sorted(solutions(root)) == sorted(["Mine.", *[after] * (COUNT - 1)])
    assert taken(root, *cards("One.")).kept == 0
    assert sorted(solutions(root)) == sorted(["Mine.", *["One."] * (COUNT - 1)])


def test_a_first_import_that_was_killed(root: Path) -> None:
    killed(root, "One.", "link")
    written = len(solutions(root))
    assert WRITTEN <= written < COUNT
    done = taken(root, *cards("Two."))
    assert (done.new, done.changed, done.kept) == (COUNT - written, written, 0)
