"""`status:` follows the schedule: one line of the file changes, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, Reset, Suspended, Undone
from deck.fsrs import Memory, Rating
from deck.replay import Learning, New, Review, status_of
from tests.deck.given import CLOZE, NOON, configure, later, opened, rated, write_card
from tests.material import each_card


def status_line(path: Path) -> str:
    (line,) = [x for x in path.read_text("utf-8").splitlines() if x.startswith("status:")]
    return line.removeprefix("status:").strip()


@each_card
def test_an_answer_changes_exactly_the_status_line_of_a_card(root: Path, path: Path) -> None:
    path = Path(shutil.copy(path, root))
    before = path.read_bytes()
    collection = opened(root)
    (card_id,) = collection.cards
    rated(collection, card_id, Rating.GOOD, NOON)
    assert collection.problems == ()
    assert path.read_bytes() == before.replace(b"status: to_learn", b"status: learning", 1)
    assert collection.cards[card_id].status == "learning"
    collection.undo(NOON)
    assert path.read_bytes() == before


def test_line_endings_comments_and_quotes_stay(root: Path) -> None:
    text = "---\r\nid: a # mine\r\nstatus: 'to_learn'   # as yet\r\n---\r\n# Question\r\nQ\r\n"
    text += "---\r\n# Solution\r\nS"
    path = root / "a.md"
    path.write_bytes(text.encode())
    rated(opened(root), "a", Rating.EASY, NOON)
    (line,) = [row for row in path.read_bytes().split(b"\n") if row.startswith(b"status:")]
    assert b"reviewing" in line
    assert line.endswith(b"# as yet\r")
    first = path.read_bytes().replace(line, b"status: 'to_learn'   # as yet\r")
    assert first == text.encode()


def test_the_status_goes_with_the_schedule_there_and_back(root: Path) -> None:
    path, off = write_card(root, "a"), write_card(root.with_name("off"), "a")
    configure(off.parent, "write_status = false\n")
    collection, silent, before = opened(root), opened(off.parent), off.read_bytes()
    for status, rating, when in (
        ("learning", Rating.GOOD, NOON),
        ("reviewing", Rating.GOOD, later(minutes=10)),
        ("mastered", Rating.EASY, later(days=20)),
        ("learning", Rating.AGAIN, later(days=200)),
    ):
        rated(collection, "a", rating, when)
        rated(silent, "a", rating, when)
        assert status_line(path) == status
    for status in ("mastered", "reviewing", "learning", "to_learn"):
        collection.undo(later(days=200))
        silent.undo(later(days=200))
        assert status_line(path) == status
    silent.suspend("a", NOON)
    assert off.read_bytes() == before, "where it is turned off, no line is written"


def test_the_least_advanced_item_decides_and_all_must_be_suspended(root: Path) -> None:
    path = write_card(root, "pair", question=CLOZE, type="cloze")
    collection = opened(root)
    collection.suspend("pair/c1", NOON)
    assert status_line(path) == "to_learn"
    collection.suspend("pair/c2", NOON)
    assert status_line(path) == "suspended"
    collection.suspend("pair/c1", NOON, on=False)
    assert status_line(path) == "to_learn"
    assert [collection.is_suspended(f"pair/c{n}") for n in (1, 2)] == [False, True]
    rated(collection, "pair/c1", Rating.EASY, NOON)
    assert status_line(path) == "to_learn"
    rated(collection, "pair/c2", Rating.GOOD, NOON)
    assert status_line(path) == "learning"


def test_items_of_one_card_are_suspended_and_unsuspended_together(root: Path) -> None:
    path = write_card(root, "pair", question=CLOZE, type="cloze")
    path.write_text(path.read_text().replace("status: to_learn\n", ""))
    collection, before = opened(root), path.read_text()
    for on in (True, False):
        list(collection.record_each([(f"pair/c{n}", Suspended(on)) for n in (1, 2)], NOON))
        assert ("suspended" in path.read_text()) is on
        assert collection.problems == ()
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("stability", "status"), [(21.0, "mastered"), (20.9, "reviewing"), (99.0, "mastered")]
)
def test_twenty_one_days_of_stability_are_mastery(stability: float, status: str) -> None:
    state = Review(Memory(stability, 5.0), 1, NOON.date(), NOON, NOON.date(), 1, 0)
    assert status_of([state]) == status
    assert status_of([state, New()]) == "to_learn"


def test_what_the_learner_writes_meanwhile_stays_a_suspension_too(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    path.write_text(path.read_text() + "A line written in an editor.\n")
    rated(collection, "a", Rating.GOOD, NOON)
    assert path.read_text().endswith("A line written in an editor.\n")
    assert status_line(path) == "learning"
    path.write_text(path.read_text().replace("learning", "suspended"))
    rated(collection, "a", Rating.GOOD, later(minutes=10))
    assert status_line(path) == "suspended"
    assert collection.queue(later(days=99)).entries == ()
    assert collection.problems == ()


def test_a_file_that_cannot_follow_is_a_problem_and_the_answer_stands(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    text = path.read_text()
    path.unlink()
    path.mkdir()
    rated(collection, "a", Rating.GOOD, NOON)
    (problem,) = collection.problems
    assert (problem.path, problem.severity) == (path, "warning")
    assert "status: learning" in problem.message
    path.rmdir()
    path.write_text(text)
    assert collection.state("a") == opened(root).state("a") != New()
    rated(collection, "a", Rating.GOOD, later(minutes=10))
    assert status_line(path) == "reviewing"
    assert collection.problems == ()


def test_a_reset_and_its_undo_change_the_status_too(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    rated(collection, "a", Rating.EASY, NOON)
    reset = collection.record("a", Reset(), later(hours=1))
    assert status_line(path) == "to_learn"
    buried = collection.record("a", Buried(later(days=1).date()), later(hours=2))
    collection.record("a", Undone(reset.id), later(hours=3))
    assert status_line(path) == "reviewing"
    path.write_text(path.read_text().replace("reviewing", "learning"))
    collection.record("a", Undone(buried.id), later(hours=4))
    assert status_line(path) == "learning"


# A line that waits (`settle`), or that a crash left behind.


def test_a_status_that_a_crash_left_behind_is_finished_but_no_word_of_the_learner(
    root: Path,
) -> None:
    path = write_card(root, "a")
    before = path.read_bytes()
    configure(root, "write_status = false")
    opened(root).rate("a", Rating.EASY, NOON)  # as if killed: the card's file does not have it
    configure(root, "")
    mine = before.replace(b"status: to_learn", b"status: mastered")
    after = before.replace(b"status: to_learn", b"status: reviewing")
    for left, finished in ((mine, mine), (before, after)):
        path.write_bytes(left)
        opened(root).finish_status()
        assert path.read_bytes() == finished


def test_a_crash_keeps_the_status_of_no_card_that_was_answered_from_it(root: Path) -> None:
    paths = [write_card(root, f"c{number}") for number in range(3)]
    rated(opened(root), "c0")
    configure(root, "write_status = false")
    collection = opened(root)
    for number in (1, 2):
        collection.rate(f"c{number}", Rating.GOOD, later(minutes=number))
    configure(root, "")
    opened(root).finish_status()
    assert [status_line(path) for path in paths] == ["learning"] * 3


def test_a_status_that_waits_follows_when_it_is_asked_to_while_the_card_is_there(
    root: Path,
) -> None:
    path = write_card(root, "a")
    before, collection = path.read_bytes(), opened(root)
    collection.rate("a", Rating.GOOD, NOON)
    assert path.read_bytes() == before
    assert opened(root).state("a") == collection.state("a")
    for _ in range(2):
        collection.settle()
        assert status_line(path) == "learning"
    collection.rate("a", Rating.GOOD, later(minutes=10))
    path.unlink()
    collection.reload(NOON)
    collection.settle()
    assert collection.problems == ()


DEEDS = st.lists(
    st.tuples(st.sampled_from(["rate", "undo", "suspend", "lift", "reset"]), st.integers(0, 2)),
    max_size=8,
)


@given(DEEDS)
def test_a_status_that_waits_is_as_if_it_had_not(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int]]
) -> None:
    """Whatever is done next, and when the collection is closed."""
    left = []
    for settle in (False, True):
        folder = tmp_path_factory.mktemp("cards")
        paths = [write_card(folder, f"c{number}") for number in range(3)]
        collection = opened(folder)
        for step, (deed, number) in enumerate(deeds):
            now, card = later(minutes=step), f"c{number}"
            match deed:
                case "rate":
                    collection.rate(card, Rating.GOOD, now)
                    if settle:
                        collection.settle()
                case "undo":
                    collection.undo(now)
                case "reset":
                    collection.record(card, Reset(), now)
                case _:
                    collection.suspend(card, now, on=deed == "suspend")
        collection.close()
        left.append([path.read_bytes() for path in paths])
    assert left[0] == left[1]


# An undo gives back what there was, however it was written.


LINES = [
    *(None, "to_learn", "'to_learn'  # as yet", "", ">-\n  to_learn", "|\n  mine\n", "mastered"),
    *("learning", "To Learn", "my own word", "   to_learn   ", '"mine"', "~", "[a, b]"),
]


def head(line: str | None) -> str:
    return "" if line is None else f"status: {line}\n"


def undo_of(deed: str, collection: Collection) -> None:
    """Does it with the card "a", then takes it back in a program of another computer."""
    now, root = later(hours=1), collection.root
    if deed in ("answer", "answers"):
        count = 1 if deed == "answer" else 3
        for number in range(count):
            rated(collection, "a", Rating.EASY, later(minutes=20 * number))
        collection.close()
        for _ in range(count):
            assert Collection.open(root, now, "lab").undo(now) is not None
    elif deed == "suspend":
        collection.suspend("a", NOON)
        Collection.open(root, now, "lab").suspend("a", now, on=False)
    else:
        what = Reset() if deed == "reset" else Buried(later(days=1).date())
        event = collection.record("a", what, NOON)
        Collection.open(root, now, "lab").record("a", Undone(event.id), now)


@pytest.mark.parametrize(
    ("deed", "line"),
    [
        *(("answer", line) for line in LINES),
        *((deed, line) for deed in ("answers", "suspend", "reset", "bury") for line in LINES[:6]),
    ],
)
def test_an_undo_gives_the_file_back_byte_for_byte(root: Path, line: str | None, deed: str) -> None:
    path, status = root / "a.md", head(line)
    ways = [(f"id: a\n{status}tags: [x]\n", "\n"), (f"{status}id: a\n", "\r\n")]
    for text, ending in [*ways, (f"id: a\n{status}", "\n")][: 3 if deed == "answer" else 1]:
        whole = f"---\n{text}---\n\n# Question\nWhy?\n\n---\n\n# Solution\nBecause.\n"
        path.write_bytes(whole.replace("\n", ending).encode())
        before = path.read_bytes()
        collection = opened(root)
        if deed == "reset":
            rated(collection, "a", Rating.EASY, NOON)
            path.write_bytes(before)
            collection.reload(NOON)
        undo_of(deed, collection)
        assert path.read_bytes() == before
        collection.close()


@pytest.mark.parametrize("line", LINES[:7])
def test_an_undo_keeps_what_else_was_edited_since_and_a_status_that_was_written_since(
    root: Path, line: str | None
) -> None:
    path = root / "a.md"
    path.write_text(f"---\nid: a\n{head(line)}---\n\n# Question\nWhy?\n\n---\n\n# Solution\nS\n")
    before, collection = path.read_text(), opened(root)

    def edited(text: str) -> str:
        return text.replace("Why?", "Why not?").replace("id: a\n", "id: a # mine\n")

    rated(collection, "a", Rating.EASY, NOON)
    path.write_text(edited(path.read_text()))
    collection.reload(NOON)
    collection.undo(later(hours=1))
    assert path.read_text() == edited(before)
    rated(collection, "a", Rating.EASY, later(hours=2))
    mine = path.read_text().replace("reviewing", "mastered")
    path.write_text(mine)
    collection.reload(NOON)
    collection.undo(later(hours=3))
    assert path.read_text() == mine


def test_an_undo_says_what_the_other_items_of_the_card_have_come_to(root: Path) -> None:
    path, collection = write_card(root, "c", CLOZE, type="cloze"), opened(root)
    for number, rating in enumerate((Rating.EASY, Rating.AGAIN)):
        for item in ("c/c1", "c/c2"):
            rated(collection, item, rating, later(days=9 * number))
    collection.undo(later(days=9), ["c/c1"])
    assert isinstance(collection.state("c/c2"), Learning)
    assert status_line(path) == "learning"
