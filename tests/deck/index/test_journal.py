"""The index tells the same history as a fold of the whole journal, however the journal grew, and
whatever was read before."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck import journal
from deck.events import (
    Buried,
    Checked,
    Event,
    Interval,
    LearningStep,
    Rescheduled,
    Reset,
    Reviewed,
    Suspended,
    Undone,
    Unknown,
    read_line,
    write_line,
)
from deck.files import stamp_of
from deck.fsrs import MODEL, Rating
from deck.history import AppliedReview, History
from deck.index import lines, schedule
from deck.index.codec import event_row, read_event
from deck.index.lines import plan, plan_on, quick_row, read_journal, read_piece
from deck.index.store import SAID, Store
from deck.index.workers import Workers
from deck.journal import Journal, Stamps
from deck.repair import examine
from deck.replay import New, ReplayCursor, dedupe_events, replay_item, undone_ids
from tests.deck.given import CONFIG, NOON, append_events, event, history_of, later, line_of, review

ITEMS = "abc"
DAY = later(days=20).date()
#: Of which events have one each, so that several may have the same.
IDS = [event(Reset(), at=later(days=day)).id for day in range(6)]
WHATS = st.one_of(
    st.builds(lambda rating: Reviewed(rating, 1000, MODEL, ""), st.sampled_from(Rating)),
    st.builds(Undone, st.sampled_from(IDS)),
    st.builds(Suspended, st.booleans()),
    st.sampled_from([Reset(), Buried(DAY), Checked({}), Unknown("dream")]),
    st.builds(Rescheduled, st.dictionaries(st.sampled_from(ITEMS), st.just(DAY))),
)
EVENTS = st.builds(
    lambda what, item, number: replace(
        event(what, "" if isinstance(what, Rescheduled) else item, later(days=number)),
        id=IDS[number],
    ),
    WHATS,
    st.sampled_from(ITEMS),
    st.integers(0, len(IDS) - 1),
)
#: A device's file grows, is written anew, or (of none) taken away.
FILES = st.tuples(st.sampled_from("xyz"), st.booleans(), st.lists(EVENTS, max_size=5))


def told(history: History) -> object:
    """All that a history says."""
    return (
        [history.folded(item) for item in ITEMS],
        [history.events(item) for item in ITEMS],
        [history.answers(item) for item in ITEMS],
        history.last_id,
        history.answers_on(NOON.date()),
        history.after(NOON.date()),
        history.deleted(),
    )


def check(history: History, private: Path) -> None:
    """A history is what a fresh one says, and what the fold of the journal says."""
    fresh = private / "fresh.sqlite"
    fresh.unlink(missing_ok=True)
    anew = History(Store(fresh), private, CONFIG)
    anew.refresh()
    assert told(history) == told(anew)
    known = list(dedupe_events(read_journal(private).events))
    undone = undone_ids(known)
    for item in ITEMS:
        own = [each for each in known if item in each.items]
        assert history.events(item) == own
        assert history.folded(item) == replay_item(item, own, undone, CONFIG)
    reviews: dict[str, list[date]] = {}
    for each in known:
        if isinstance(each.what, Reviewed) and each.id not in undone:
            reviews.setdefault(each.item, []).append(each.day)
    told_deleted = [(d.item_id, d.answers, d.last) for d in history.deleted()]
    assert told_deleted == [(item, len(days), max(days)) for item, days in sorted(reviews.items())]
    assert history.state("never") == New()


def put(private: Path, device: str, events: list[Event], grows: bool = False) -> None:
    path = private / "journal" / device / "2026-11.jsonl"
    if not grows:
        path.unlink(missing_ok=True)
    if events:
        append_events(private, events, device)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return tmp_path / ".deltadeck"


@given(st.lists(FILES, min_size=1, max_size=6), st.booleans())
def test_the_index_and_the_fold_agree_whatever_becomes_of_the_files(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, bool, list[Event]]], many: bool
) -> None:
    """Also where lines that differ stand under one id; by a few at a time, or by one worker."""
    private = tmp_path_factory.mktemp("one") / ".deltadeck"
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr("deck.index.journal.SPREAD", 1)
            patch.setattr(os, "cpu_count", lambda: 1)  # processes take long to start
        history = history_of(private)
        for device, grows, events in files:
            put(private, device, events, grows)
            history.refresh()
            check(history, private)


@given(st.lists(FILES, min_size=1, max_size=4), st.lists(FILES, max_size=3), st.integers(0, 6))
def test_other_settings_are_folded_behind_and_meanwhile_each_item_stands_by_them(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[tuple[str, bool, list[Event]]],
    meanwhile: list[tuple[str, bool, list[Event]]],
    steps: int,
) -> None:
    """Whatever comes meanwhile, and where another start goes on."""
    private = tmp_path_factory.mktemp("behind") / ".deltadeck"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deck.index.schedule._SPREAD", 1)
        patch.setattr("deck.index.schedule._SLICE", 1)
        # As far ahead as can be.
        patch.setattr(Workers, "answers", lambda _, ask, of, __: [ask(each) for each in of])
        history = history_of(private)
        for device, grows, events in files:
            put(private, device, events, grows)
        history.refresh()
        first, second = (History(Store(private / "index.sqlite"), private, OTHER) for _ in "12")
        first.folds_behind = second.folds_behind = True
        first.take_up()
        by_item(first, private)
        left, rest = iter(range(steps)), iter(meanwhile)

        def goes_on() -> bool:
            for device, grows, events in islice(rest, 1):
                put(private, device, events, grows)
                second.refresh()
            by_item(second, private)
            return next(left, None) is not None

        first.fold_behind(goes_on)
        second.take_up()
        second.fold_behind(lambda: True)
        by_item(second, private)
        fresh = History(Store(private / "fresh.sqlite"), private, OTHER)
        fresh.take_up()
        (told, sums), (expected, anew) = kept(second), kept(fresh)
        assert told == expected
        assert sums == pytest.approx(anew, abs=1e-9)


OTHER = replace(
    CONFIG,
    desired_retention=0.8,
    parameters=(*CONFIG.parameters[:-1], 0.3),
    leech_lapses=1,
    leech_action="suspend",
)


def by_item(history: History, private: Path) -> None:
    known = list(dedupe_events(read_journal(private).events))
    undone = undone_ids(known)
    for item in ITEMS:
        own = [each for each in known if item in each.items]
        assert history.folded(item) == replay_item(item, own, undone, OTHER)


def kept(history: History) -> tuple[list[set[object]], tuple[float, float]]:
    """What an index keeps of states and answers, and the sums of what was predicted."""
    db = history._store.db
    schedule.count_answers(history._store, history.config)
    told = [
        *(SAID[table] for table in ("state", "held", "unfolded")),
        "SELECT t.id, p.first, p.answers FROM past p JOIN thing t USING (item)",
        *("SELECT * FROM cell", "SELECT * FROM hour"),
        "SELECT day, class, answers, recalled FROM class",
        "SELECT * FROM meta WHERE name IN ('fold', 'behind')",
    ]
    sums = db.execute("SELECT total(predicted), total(loss) FROM class").fetchone()
    return [set(db.execute(sql)) for sql in told], sums


@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(Rating)), max_size=12), st.data())
def test_what_is_folded_at_once_is_what_the_journal_says(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[str, Rating]], data: st.DataObject
) -> None:
    """Answers of two programs, each with an index of its own or the same one."""
    private = tmp_path_factory.mktemp("at once")
    store = Store(private / "index.sqlite")
    one, two = History(store, private, CONFIG), History(store, private, CONFIG)
    one.refresh()
    two.refresh()
    for number, (item, rating) in enumerate(answers):
        history, device = data.draw(st.sampled_from([(one, "desk"), (two, "desk"), (two, "lab")]))
        if not history.is_current():
            history.refresh()
        new = review(rating, item, seen=history.last_id, random=number)
        before = history.folded(item)
        cursor = ReplayCursor(item, CONFIG, before.state)
        assert isinstance(new.what, Reviewed)
        cursor.answer(rating, new.at, new.day, new.what.promise)
        applied = AppliedReview(new, before, before._replace(state=cursor.state()))
        history.apply([applied], Journal(private, device).append(new))
        history.answers_on(NOON.date())
        if data.draw(st.booleans()):
            history.flush()
    for history in (one, two):
        history.refresh()
        check(history, private)


def test_a_last_line_without_its_end_counts_once(private: Path) -> None:
    first, second = review(), review(Rating.EASY, random=2)
    append_events(private, [first])
    path = private / "journal" / "desk" / "2026-11.jsonl"
    with path.open("ab") as file:
        file.write(line_of(second)[:-1])
    history = history_of(private)
    assert [e.id for e in history.events("a")] == [first.id, second.id]
    with path.open("ab") as file:
        file.write(b"\n" + b"half a li")
    history.refresh()
    assert [e.id for e in history.events("a")] == [first.id, second.id]
    assert [p.severity for p in history.problems] == ["warning"]
    check(history, private)


def test_the_doctor_names_the_line_that_does_not_count(root: Path) -> None:
    one, other = event(Reset(), "a"), event(Undone(IDS[2]), "b")
    put(root / ".deltadeck", "x", [one])
    put(root / ".deltadeck", "y", [other])
    (found,) = examine(root)
    assert found.kind == "corrupt"
    (counts,) = dedupe_events([one, other])
    lost = "x" if counts == other else "y"
    assert found.problem.path == root / ".deltadeck" / "journal" / lost / "2026-11.jsonl"


# Lines: the short way to read one is the long one, where it is taken at all.

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
REVIEWS = st.builds(
    Reviewed,
    st.sampled_from(Rating),
    st.integers(0, 10**10),
    TEXTS,
    TEXTS,
    TEXTS,
    st.sampled_from([None, {"verdict": "correct"}]),
    st.none()
    | st.integers(1, 36500).map(Interval)
    | st.builds(
        LearningStep, st.integers(0, 3), st.integers(1, 90_000).map(lambda s: timedelta(seconds=s))
    ),
)
USUAL = Reviewed(Rating.GOOD, 5300, "FSRS-6", "9c0f1a2b", "to_learn", None, Interval(12))


@given(REVIEWS, TEXTS.filter(bool), st.integers(-(10**6), 10**6))
def test_an_events_row_reads_back_to_the_event(what: Reviewed, item: str, minutes: int) -> None:
    line = write_line(event(what, item, later(minutes=minutes)))[:-1]
    assert json.dumps(json.loads(line), separators=(",", ":")).encode() == line
    row = event_row(read_line(line), line)
    assert read_event((*row[:7], 1, *row[8:]), {1: row[7]}) == read_line(line)
    assert quick_row(line) in (None, row)


@pytest.mark.parametrize("promise", [Interval(12), LearningStep(1, timedelta(minutes=10))])
def test_what_this_program_writes_for_an_answer_takes_the_short_way(
    promise: Interval | LearningStep,
) -> None:
    what = replace(USUAL, promise=promise)
    line = write_line(event(what, "ssu_batch4_004/c1", NOON))[:-1]
    assert quick_row(line) == event_row(read_line(line), line)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "01a1fdfa-4600-4000-8d8f-16ad91b7584a"),
        ("id", "ffffffff-ffff-7fff-8d8f-16ad91b7584a"),
        ("at", "2026-02-30T12:00:00.000Z"),
        ("at", "3026-11-21T12:00:00.000Z"),
        ("day", "2026-11-26"),
        ("day", "2026-13-01"),
        ("rating", 5),
        ("offset", 2000),
        ("v", 2),
        ("kind", "dream"),
    ],
)
def test_a_line_with_an_error_is_left_to_the_long_way(key: str, value: object) -> None:
    record = json.loads(write_line(event(USUAL, "a"))) | {key: value}
    assert quick_row(json.dumps(record, separators=(",", ":")).encode()) is None


@given(st.integers(0, 210), st.integers(32, 126))
def test_one_changed_character_is_read_alike_both_ways(place: int, character: int) -> None:
    line = bytearray(write_line(event(USUAL, "a"))[:-1])
    line[place % len(line)] = character
    quick = quick_row(bytes(line))
    assert quick is None or quick == event_row(read_line(bytes(line)), bytes(line))


def test_a_broken_line_names_the_command_that_sets_it_aside(tmp_path: Path) -> None:
    """`deltadeck doctor` alone changes nothing."""
    path = tmp_path / "desk.jsonl"
    path.write_bytes(b"oops\n")
    (problem,) = read_piece(plan(path).pieces[0]).problems
    assert "`deltadeck doctor --repair`" in problem.hint


@given(st.lists(st.binary(max_size=20), max_size=6), st.integers(0, 100), st.booleans())
def test_a_file_that_grew_is_read_on_and_another_beginning_is_told(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], place: int, trusted: bool
) -> None:
    """Of a file that is trusted to have grown, by its last block alone."""
    path, data = tmp_path_factory.getbasetemp() / "grows.jsonl", b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", 8)
        path.write_bytes(data)
        known = plan(path)
        for part in parts:
            data += part
            path.write_bytes(data)
            before, known = known, plan(path)
            on = plan_on(path, before.read, before.lines, before.digest, trusted)
            assert on is not None
            assert on[1:] == known[1:]
        if known.read:
            other, place = bytearray(data), place % known.read
            other[place] ^= 1
            path.write_bytes(other)
            on = plan_on(path, known.read, known.lines, known.digest, trusted)
            assert (on is None) == (not trusted or place >= known.read // 8 * 8)


# The journal's files as they were last seen: the usual changes are seen at a glance.

OLD, NEW = "journal/desk/2026-10.jsonl", "journal/desk/2026-11.jsonl"
PHONE = "journal/phone/2026-11.jsonl"


@pytest.fixture
def stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stamps:
    monkeypatch.setattr(journal, "HIDES", 0)
    made = Stamps(tmp_path)
    assert made.seem_same()
    assert made.are_same(), "without a journal"
    for name in (OLD, NEW, PHONE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("line\n")
        made.known[name] = stamp_of(path)
    assert made.are_same()
    assert made.seem_same()
    return made


def changed(path: Path, text: str, is_new_file: bool) -> None:
    """A line is appended, or another file put in its place; no clock need have moved since."""
    path.parent.mkdir(exist_ok=True)
    if not is_new_file:
        with path.open("a") as file:
            file.write(text)
        return
    draft = path.parent.parent / "draft"
    draft.write_text(f"{text} of another file\n")
    os.utime(path.parent, ns=(1, 1))
    draft.replace(path)


@pytest.mark.parametrize(
    ("name", "is_new_file", "at_a_glance"),
    [
        (NEW, False, True),
        (PHONE, False, True),
        (OLD, False, False),
        (OLD, True, True),
        ("journal/desk/2026-12.jsonl", True, True),
        ("journal/lab/2026-11.jsonl", True, True),
    ],
)
def test_what_another_program_writes_is_seen(
    tmp_path: Path, stamps: Stamps, name: str, is_new_file: bool, at_a_glance: bool
) -> None:
    changed(tmp_path / name, "more\n", is_new_file)
    assert stamps.seem_same() is not at_a_glance
    assert not stamps.are_same()


def test_what_this_program_wrote_is_as_it_left_it(tmp_path: Path, stamps: Stamps) -> None:
    for name in (NEW, OLD):
        changed(tmp_path / name, "more\n", is_new_file=False)
        stamps.put(name, stamp_of(tmp_path / name))
        assert stamps.seem_same()
        assert stamps.are_same()


def test_no_time_of_a_folder_that_has_just_changed_is_trusted(
    tmp_path: Path, stamps: Stamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "HIDES", 10**18)
    assert stamps.are_same()
    changed(tmp_path / OLD, "more\n", is_new_file=False)
    assert not stamps.seem_same(), "every file is looked at until the folders have settled"
