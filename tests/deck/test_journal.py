"""The journal: its lines, what is acknowledged is there, and what is wrong is said."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.events import (
    Checked,
    Event,
    LineError,
    Reviewed,
    Suspended,
    Undone,
    Unknown,
    is_event_id,
    next_id,
    read_line,
    write_line,
)
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.journal import Journal, kept_device, own_device
from deck.replay import replay
from tests.deck.given import CONFIG, NOON, event, journal_of, later, opened, review, write_card

FIRST = review()


@pytest.mark.parametrize(
    "new",
    [
        FIRST,
        event(Undone(FIRST.id)),
        event(Suspended(False), item="ž/c1\n\u2028\ud800"),
        event(Checked({"verdict": "correct", "x": [[1.5, "inf"]], "ok": None})),
    ],
)
def test_an_event_comes_back_from_its_line(new: Event) -> None:
    line = write_line(new)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert read_line(line[:-1]) == new


def test_numbers_that_json_lacks_become_words() -> None:
    line = write_line(event(Checked({"dx": (float("inf"), [float("-inf")], 1.0)})))
    assert json.loads(line)["data"] == {"dx": ["inf", ["-inf"], 1.0]}


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"[" * 100_000)
@example(b'{"v":' + b"1" * 5000 + b"}")
def test_whatever_is_no_event_says_so(line: bytes) -> None:
    with pytest.raises(LineError):
        read_line(line)


@given(
    st.sampled_from(list(json.loads(write_line(FIRST)))),
    st.none() | st.integers() | st.floats() | st.text() | st.lists(st.integers()) | st.booleans(),
)
def test_a_field_of_the_wrong_kind_never_breaks_the_reading(key: str, value: object) -> None:
    record = json.loads(write_line(FIRST)) | {key: value}
    with suppress(LineError):
        assert isinstance(read_line(json.dumps(record).encode()), Event)


# Files.


SECOND = review(Rating.EASY, at=later(minutes=1), seen=FIRST.id)
THIRD = review(Rating.HARD, at=later(minutes=2), seen=SECOND.id)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return tmp_path / ".deltadeck"


def written(private: Path, data: bytes) -> Path:
    path = journal_of(private.parent)
    path.write_bytes(data)
    return path


def add(journal: Journal, new: Event) -> None:
    with journal.locked():
        journal.append(new)


def test_an_event_is_in_the_file_of_its_device_and_month(private: Path) -> None:
    journal = Journal(private, "desk")
    december = review(at=NOON.replace(month=12), seen=FIRST.id)
    add(journal, FIRST)
    add(journal, december)
    assert journal_of(private.parent).read_bytes() == write_line(FIRST)
    assert journal_of(private.parent).with_name("2026-12.jsonl").read_bytes() == write_line(
        december
    )
    assert read_journal(private).events == [FIRST, december]


WHOLE = len(write_line(SECOND)) - 1


@pytest.mark.parametrize("length", [1, 2, *range(9, WHOLE, 25), WHOLE - 1, WHOLE])
def test_a_last_line_torn_anywhere_is_set_aside_and_the_rest_kept(
    private: Path, length: int
) -> None:
    torn = write_line(SECOND)[:length]
    path = written(private, write_line(FIRST) + torn)
    journal = read_journal(private)
    whole = length == WHOLE
    kept = [FIRST, SECOND] if whole else [FIRST]
    assert journal.events == kept
    assert len(journal.problems) == (0 if whole else 1)
    assert path.read_bytes() == write_line(FIRST) + torn, "reading never writes"

    add(Journal(private, "desk"), THIRD)
    assert read_journal(private).events == [*kept, THIRD]
    assert read_journal(private).problems == ()
    aside = path.with_name("2026-11.jsonl.torn")
    assert aside.exists() is not whole
    assert whole or aside.read_bytes() == torn + b"\n"


def test_a_program_that_keeps_the_lock_is_named(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private.mkdir()
    monkeypatch.setattr("deck.journal._TRIES", 1)
    monkeypatch.setattr("deck.journal._PAUSE", 0)
    with Journal(private).locked(), pytest.raises(JournalError, match="another program"):
        add(Journal(private, "desk"), FIRST)
    add(Journal(private, "desk"), FIRST)


# The device's name in the journal.


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", ".hidden", "x" * 65, "a\n"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CollectionError, match="Use letters"):
        Journal(tmp_path, name)


def test_a_name_that_cannot_be_kept_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text("a file in the place of a folder")
    with pytest.raises(JournalError, match="device's name"):
        own_device()


@pytest.mark.parametrize("left", [None, b"", b"\0" * 20, b"devi", b"../..\xff\n"])
def test_a_name_outlives_what_a_power_cut_leaves_of_a_file(
    tmp_path: Path, left: bytes | None
) -> None:
    name, folder = own_device(), tmp_path / "user-data" / "deltadeck"
    for path in (folder / "device", folder / "device.copy"):
        path.unlink()
        if left is not None:
            path.write_bytes(left)
        assert kept_device() == own_device() == name
        assert path.read_text().strip() == name, "and the next power cut costs nothing either"
    for path in folder.iterdir():
        path.write_bytes(left or b"../..")
    assert own_device() not in ("", "..", name), "where both are lost, there is another"


def test_a_name_is_on_the_disk_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is synced before it gets its name, and the folder behind it."""
    calls: list[tuple[str, bool]] = []
    sync, link = os.fsync, os.link

    def synced(handle: int) -> None:
        calls.append(("fsync", stat.S_ISDIR(os.fstat(handle).st_mode)))
        sync(handle)

    def linked(source: Path, target: Path) -> None:
        calls.append(("link", False))
        link(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link", linked)
    own_device()
    names = [number for number, call in enumerate(calls) if call[0] == "link"]
    assert names
    for number in names:
        assert ("fsync", False) in calls[:number]
        assert ("fsync", True) in calls[number:]


# What stands in the place of the journal's folders is said, never taken for an empty journal.


PLACES = [".deltadeck", ".deltadeck/journal", ".deltadeck/journal/desk"]
WAYS: list[Callable[[Path], object]] = [
    lambda path: path.write_text("no folder"),
    lambda path: path.symlink_to(path.with_name("nowhere")),
]


def answered(root: Path) -> Collection:
    write_card(root, "a")
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 1000)
    return collection


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("make", WAYS, ids=["file", "dangling link"])
def test_a_folder_of_the_journal_that_is_none_is_an_error(
    root: Path, place: str, make: Callable[[Path], object]
) -> None:
    answered(root)
    path = root / place
    path.rename(root / "aside")
    make(path)
    collection = opened(root)
    (problem,) = collection.problems
    assert (problem.path, problem.severity) == (path, "error")
    assert "missing" in problem.message
    assert problem.hint
    with pytest.raises(JournalError, match="nothing was recorded") as raised:
        collection.rate("a", Rating.GOOD, later(days=1), 1000)
    assert "where a folder is needed" in str(raised.value)
    path.unlink()
    (root / "aside").rename(path)
    collection.reload(NOON)
    assert collection.problems == ()
    assert collection.queue(NOON).counts.new == 0


# The schedule is a pure function of the journal.


STEPS = st.tuples(
    st.sampled_from(["review", "review", "review", "undo", "suspend", "news"]),
    st.sampled_from("abc"),
    st.sampled_from(Rating),
    st.integers(-30, 60),
)


@st.composite
def journals(draw: st.DrawFn) -> list[Event]:
    """Events of two devices, whose clocks jump about, with undos of earlier reviews."""
    events: list[Event] = []
    now, seen = NOON, {0: "", 1: ""}
    for number, (kind, item, rating, days) in enumerate(draw(st.lists(STEPS, max_size=14))):
        device = draw(st.integers(0, 1))
        now += timedelta(days=days, minutes=number)
        reviews = [known for known in events if isinstance(known.what, Reviewed)]
        if kind == "undo" and reviews:
            target = draw(st.sampled_from(reviews))
            new = event(Undone(target.id), target.item, now, seen[device], number)
        elif kind == "suspend":
            new = event(Suspended(bool(days % 2)), item, now, seen[device], number)
        elif kind == "news":
            new = event(Unknown("dream"), item, now, seen[device], number)
        else:
            new = review(rating, item, now, seen[device], number)
        seen[device] = new.id
        events.append(new)
    return events


@given(journals(), st.randoms(use_true_random=False))
def test_the_order_of_reading_changes_nothing(events: list[Event], rng: object) -> None:
    mixed = [*events, *events[:3]]
    getattr(rng, "shuffle")(mixed)  # noqa: B009
    assert replay(mixed, CONFIG) == replay(events, CONFIG)


@given(journals(), st.data())
def test_an_undone_review_was_never_given(events: list[Event], data: st.DataObject) -> None:
    reviews = [known for known in events if isinstance(known.what, Reviewed)]
    if not reviews:
        return
    target = data.draw(st.sampled_from(reviews))
    undo = event(Undone(target.id), target.item, later(days=999), random=77)
    without = [known for known in events if known != target]
    assert replay([*events, undo], CONFIG) == replay(without, CONFIG)


def test_two_events_under_one_id_give_the_same_choice_in_either_order() -> None:
    good, easy = review(Rating.GOOD), review(Rating.EASY)
    assert good.id == easy.id
    assert replay([good, easy], CONFIG) == replay([easy, good], CONFIG)


def test_dates_far_apart_do_not_break_the_fold() -> None:
    far = review(Rating.EASY, at=NOON.replace(year=2999, month=12))
    back = review(Rating.EASY, at=NOON.replace(year=1970), seen=far.id)
    assert len(replay([review(Rating.EASY), far, back], CONFIG)) == 1


@given(st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=30), st.binary(min_size=8))
def test_a_later_id_always_sorts_later_whatever_the_clock_says(
    clock: list[int], random: bytes
) -> None:
    ids = [""]
    for seconds in clock:
        ids.append(next_id(ids[-1], later(seconds=seconds), random))
    assert ids == sorted(set(ids))
    assert all(map(is_event_id, ids[1:]))


def test_more_ids_than_the_counter_holds_in_one_millisecond_still_ascend() -> None:
    ids = [next_id("", NOON, bytes(8))]
    for _ in range(5000):
        ids.append(next_id(ids[-1], NOON, bytes(8)))
    assert ids == sorted(set(ids))
