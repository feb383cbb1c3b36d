"""Whatever a journal's file holds: each line that is an event counts, the rest is said and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Checked, Event, write_line
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import New, replay
from tests.deck.given import (
    CONFIG,
    NOON,
    append_events,
    event,
    journal_of,
    later,
    line_of,
    opened,
    review,
    write_card,
)

FIRST = review(item="a")
SECOND = review(Rating.EASY, "b", later(minutes=1), random=2)
LINES = line_of(FIRST), line_of(SECOND)


@pytest.fixture
def journal(root: Path) -> Path:
    for item in "ab":
        write_card(root, item)
    return journal_of(root)


def counted(root: Path) -> list[str]:
    """The events that count, through the index and without it."""
    collection = opened(root)
    states = replay(read_journal(root / ".deltadeck").events, collection.config)
    for item in "ab":
        assert collection.state(item) == states.get(item, New())
    found = [event.id for item in "ab" for event in collection.events(item)]
    assert all(p.message and p.hint for p in collection.problems)
    assert all(len(str(p)) < 1000 for p in collection.problems), "of a stranger's text, a little"
    collection.close()
    return found


def said(root: Path) -> list[str]:
    return [problem.message for problem in Collection.open(root, NOON).problems]


STRANGE: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b"\xff\xfe\xc3(", "it is not UTF-8 text"),
    "UTF-16": ('{"v":1}'.encode("utf-16"), "it is not UTF-8 text"),
    "NUL bytes": (b"\0" * 5000, "nothing but NUL bytes, as a power cut leaves them"),
    "a merge begun": (b"<<<<<<< HEAD", "the mark of an unfinished merge in git"),
    "a merge's middle": (b"=======", "the mark of an unfinished merge in git"),
    "a merge's base": (b"||||||| 5f1c", "the mark of an unfinished merge in git"),
    "a merge's end": (b">>>>>>> phone", "the mark of an unfinished merge in git"),
    "a note": (b"# by hand", "it is not JSON"),
    "a list": (b"[1,2]", "it is not a JSON object"),
    "nothing of an event": (b"{}", "it has no 'id'"),
    "half of one": (LINES[0][:80], "it is not JSON"),
    "a megabyte of a time": (
        json.dumps(json.loads(LINES[0]) | {"at": "x" * 1_000_000}).encode(),
        "Invalid isoformat string",
    ),
    "a time without a zone": (
        json.dumps(json.loads(LINES[0]) | {"at": "2026-11-21T12:00:00"}).encode(),
        "its time names no zone",
    ),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_line_is_said_kept_and_hides_nothing(
    root: Path, journal: Path, name: str
) -> None:
    line, why = STRANGE[name]
    data = LINES[0] + line + b"\n" + LINES[1]
    journal.write_bytes(data)
    assert counted(root) == [FIRST.id, SECOND.id]
    (message,) = said(root)
    assert why in message
    assert journal.read_bytes() == data, "reading never writes"
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.line) == ("corrupt", True, 2)
    (mended,) = repair(root)
    assert mended.aside.read_bytes() == line + b"\n"
    assert (examine(root), said(root)) == ([], [])
    assert counted(root) == [FIRST.id, SECOND.id]


@pytest.mark.parametrize(
    "noise", [b"x" * 3_000_000 + b"\n", b"nonsense\n" * 5000], ids=["megabytes", "very many"]
)
def test_a_line_of_megabytes_and_very_many_are_said_shortly_and_hide_nothing(
    root: Path, journal: Path, noise: bytes
) -> None:
    journal.write_bytes(LINES[0] + noise + LINES[1])
    assert counted(root) == [FIRST.id, SECOND.id]
    assert len(said(root)) < 50
    (mended,) = repair(root)
    assert mended.aside.read_bytes() in (noise, b"nonsense\n")
    assert journal.read_bytes() == b"".join(LINES)


SOUND: dict[str, Callable[[bytes], bytes]] = {
    "a BOM": lambda data: b"\xef\xbb\xbf" + data,
    "a BOM on each line": lambda data: data.replace(b'{"v"', b'\xef\xbb\xbf{"v"'),
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: data.replace(b"\n", b"\n\n  \n"),
    "NUL bytes before it": lambda data: b"\0" * 512 + data,
    "spread out": lambda data: b"\n".join(
        json.dumps(json.loads(line)).encode() for line in data.splitlines()
    ),
    "other orders": lambda data: b"\n".join(
        json.dumps(json.loads(line), sort_keys=True).encode() for line in data.splitlines()
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_editors_and_systems_do_to_a_whole_file_costs_no_event(
    root: Path, journal: Path, name: str
) -> None:
    check = event(Checked({"verdict": "correct"}), "a", later(minutes=2), random=3)
    journal.write_bytes(SOUND[name](b"".join(LINES) + write_line(check)))
    assert counted(root) == [FIRST.id, check.id, SECOND.id]
    assert said(root) == []
    assert examine(root) == []


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": 2, "kind": "dream"},
        {"v": 7, "item": ["a", "b"]},
        {"v": 2, "id": "another form", "at": 5, "day": None},
        {"kind": "dream"},
    ],
)
def test_lines_of_a_later_version_are_kept_where_they_are_and_said(
    root: Path, journal: Path, change: dict[str, object]
) -> None:
    newer = json.dumps(json.loads(line_of(review(random=9))) | change).encode() + b"\n"
    journal.write_bytes(LINES[0] + newer + LINES[1])
    before = journal.read_bytes()
    assert {FIRST.id, SECOND.id} <= set(counted(root))
    (problem,) = Collection.open(root, NOON).problems
    assert (problem.severity, problem.line) == ("warning", 2)
    assert "newer deltadeck" in problem.hint
    (finding,) = examine(root)
    assert (finding.kind, finding.mends) == ("corrupt", False)
    assert repair(root) == []
    assert journal.read_bytes() == before


def test_lines_that_are_there_twice_or_in_two_files_count_once(root: Path, journal: Path) -> None:
    journal.write_bytes(LINES[0] * 3 + LINES[1])
    append_events(root / ".deltadeck", [SECOND, FIRST], "phone")
    assert counted(root) == [FIRST.id, SECOND.id]
    assert [finding.kind for finding in examine(root)] == ["copy", "copy"]
    (mended,) = repair(root)
    assert mended.lines == 2
    assert counted(root) == [FIRST.id, SECOND.id]


@pytest.mark.parametrize(
    "line",
    [
        LINES[0][:-1] + LINES[1],
        LINES[0][:90] + LINES[1],
        b"\0\0" + LINES[0][:30] + LINES[0][:-1] + LINES[1][:-1],
        LINES[0][:-1] + b"<<<<<<< HEAD" + LINES[1],
    ],
    ids=["two whole", "half and whole", "half and two whole, torn", "with a mark between"],
)
def test_lines_that_ran_into_one_are_taken_apart_and_the_line_is_kept(
    root: Path, journal: Path, line: bytes
) -> None:
    """As tools leave them that join files without a line feed at their end."""
    third = review(item="a", at=later(minutes=5), random=7)
    journal.write_bytes(line_of(third) + line)
    (finding,) = examine(root)
    assert (finding.kind, finding.mends, finding.problem.line) == ("corrupt", True, 2)
    kept = repair(root)[0].aside.read_bytes()
    assert line.removesuffix(b"\n") in kept
    assert {SECOND.id, third.id} <= set(counted(root))
    assert examine(root) == [] == repair(root)


NOISE = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([line for line, _ in STRANGE.values() if len(line) < 200]),
    st.integers(0, 9).map(lambda n: line_of(review(item="ab"[n % 2], random=n))),
    st.integers(0, 200).map(lambda n: LINES[0][:n]),
)


def all_lines(root: Path) -> set[bytes]:
    files = (root / ".deltadeck").rglob("*.jsonl*")
    lines = (line.strip() for path in files for line in path.read_bytes().split(b"\n"))
    return {line for line in lines if line}


@given(st.lists(NOISE, max_size=10), st.sampled_from([b"\n", b"\r\n", b""]))
def test_any_mixture_opens_agrees_with_a_fresh_fold_and_mends_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], end: bytes
) -> None:
    root = tmp_path_factory.mktemp("mixture")
    for item in "ab":
        write_card(root, item)
    journal_of(root).write_bytes(end.join(parts))
    before: list[Event] = read_journal(root / ".deltadeck").events
    lines = all_lines(root)
    assert set(counted(root)) == {event.id for event in before}
    repair(root)
    assert lines <= all_lines(root), "none is lost"
    after = read_journal(root / ".deltadeck").events
    assert {event.id for event in before} <= {event.id for event in after}
    assert repair(root) == []
    assert not any(finding.mends for finding in examine(root))
    opened(root).rate("a", Rating.GOOD, later(hours=1), 0)
    assert len(read_journal(root / ".deltadeck").events) == len(after) + 1
    assert replay(after, CONFIG).keys() <= {"a", "b"}
