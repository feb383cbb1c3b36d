"""`status:` follows the schedule: one line of the file changes, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, Reset, Undone
from deck.fsrs import Memory, Rating
from deck.replay import New, Review, status_of
from tests.deck.given import CLOZE, NOON, configure, later, write_card
from tests.material import each_card
from tests.paths import SEED


def opened(root: Path) -> Collection:
    return Collection.open(root, NOON, "desk")


def status_line(path: Path) -> str:
    (line,) = [x for x in path.read_text("utf-8").splitlines() if x.startswith("status:")]
    return line.removeprefix("status:").strip()


def copied(source: Path, root: Path) -> Path:
    return Path(shutil.copy(source, root))


@each_card
def test_an_answer_changes_exactly_the_status_line_of_a_card(root: Path, path: Path) -> None:
    path = copied(path, root)
    before = path.read_bytes()
    collection = opened(root)
    (card_id,) = collection.cards
    collection.rate(card_id, Rating.GOOD, NOON, 1000)
    assert collection.problems == ()
    assert path.read_bytes() == before.replace(b"status: to_learn", b"status: learning", 1)
    assert collection.cards[card_id].status == "learning"
    collection.undo(NOON)
    assert path.read_bytes() == before


def test_a_status_that_a_crash_left_behind_is_finished_on_the_next_start(root: Path) -> None:
    path = copied(SEED, root)
    before = path.read_bytes()
    opened(root).rate("ssu_batch4_004", Rating.EASY, NOON, 1000)
    after = path.read_bytes()
    path.write_bytes(before)  # the journal has the answer, the card file does not
    opened(root).finish_status()
    assert path.read_bytes() == after


def test_a_status_that_the_learner_wrote_since_the_last_answer_stays(root: Path) -> None:
    path = copied(SEED, root)
    opened(root).rate("ssu_batch4_004", Rating.EASY, NOON, 1000)
    mine = path.read_bytes().replace(b"status: reviewing", b"status: mastered")
    path.write_bytes(mine)
    opened(root).finish_status()
    assert path.read_bytes() == mine


def test_line_endings_comments_and_quotes_stay(root: Path) -> None:
    text = "---\r\nid: a # mine\r\nstatus: 'to_learn'   # as yet\r\n---\r\n# Question\r\nQ\r\n"
    text += "---\r\n# Solution\r\nS"
    path = root / "a.md"
    path.write_bytes(text.encode())
    collection = opened(root)
    collection.rate("a", Rating.EASY, NOON, 0)
    lines, expected = path.read_bytes().split(b"\n"), text.encode().split(b"\n")
    changed = [i for i, pair in enumerate(zip(lines, expected, strict=True)) if pair[0] != pair[1]]
    assert changed == [2]
    assert b"reviewing" in lines[2]
    assert b"# as yet\r" in lines[2]


def test_the_status_goes_with_the_schedule(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert status_line(path) == "learning"
    collection.rate("a", Rating.GOOD, later(minutes=10), 0)
    assert status_line(path) == "reviewing"
    collection.rate("a", Rating.EASY, later(days=20), 0)
    assert status_line(path) == "mastered"
    collection.rate("a", Rating.AGAIN, later(days=200), 0)
    assert status_line(path) == "learning"
    for status in ("mastered", "reviewing", "learning", "to_learn"):
        collection.undo(later(days=200))
        assert status_line(path) == status


def test_the_least_advanced_item_decides(root: Path) -> None:
    path = write_card(root, "pair", question=CLOZE, type="cloze")
    collection = opened(root)
    collection.rate("pair/c1", Rating.EASY, NOON, 0)
    assert status_line(path) == "to_learn"
    collection.rate("pair/c2", Rating.GOOD, NOON, 0)
    assert status_line(path) == "learning"


def test_twenty_one_days_of_stability_are_mastery() -> None:
    def review(stability: float) -> Review:
        return Review(Memory(stability, 5.0), 1, NOON.date(), NOON, NOON.date(), 1, 0)

    assert status_of([review(21.0)]) == "mastered"
    assert status_of([review(20.9)]) == "reviewing"
    assert status_of([review(99.0), New()]) == "to_learn"


def test_it_can_be_turned_off(root: Path) -> None:
    configure(root, "write_status = false\n")
    path = write_card(root, "a")
    before = path.read_bytes()
    collection = opened(root)
    collection.rate("a", Rating.GOOD, NOON, 0)
    collection.undo(NOON)
    collection.suspend("a", NOON)
    assert path.read_bytes() == before


def test_a_suspension_in_the_file_stays_whatever_is_answered(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    path.write_text(path.read_text().replace("to_learn", "suspended"))
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert status_line(path) == "suspended"
    assert collection.queue(later(minutes=10)).entries == ()


def test_suspending_all_items_suspends_the_card_and_taking_one_up_ends_it(root: Path) -> None:
    path = write_card(root, "pair", question=CLOZE, type="cloze")
    collection = opened(root)
    collection.suspend("pair/c1", NOON)
    assert status_line(path) == "to_learn"
    collection.suspend("pair/c2", NOON)
    assert status_line(path) == "suspended"
    collection.suspend("pair/c1", NOON, on=False)
    assert status_line(path) == "to_learn"
    assert collection.is_suspended("pair/c2")
    assert not collection.is_suspended("pair/c1")


def test_what_the_learner_wrote_meanwhile_stays(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    path.write_text(path.read_text() + "A line written in an editor.\n")
    collection.rate("a", Rating.GOOD, NOON, 0)
    assert path.read_text().endswith("A line written in an editor.\n")
    assert status_line(path) == "learning"
    assert collection.problems == ()


def test_a_file_that_cannot_follow_is_a_problem_and_the_answer_stands(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    text = path.read_text()
    path.unlink()
    path.mkdir()
    collection.rate("a", Rating.GOOD, NOON, 0)
    (problem,) = collection.problems
    assert problem.path == path
    assert "status: learning" in problem.message
    assert problem.severity == "warning"
    path.rmdir()
    path.write_text(text)
    assert collection.state("a") == opened(root).state("a") != New()
    collection.rate("a", Rating.GOOD, later(minutes=10), 0)
    assert status_line(path) == "reviewing"
    assert collection.problems == ()


def test_a_reset_and_its_undo_change_the_status_too(root: Path) -> None:
    path = write_card(root, "a")
    collection = opened(root)
    collection.rate("a", Rating.EASY, NOON, 1000)
    assert status_line(path) == "reviewing"
    reset = collection.record("a", Reset(), later(hours=1))
    assert status_line(path) == "to_learn"
    buried = collection.record("a", Buried(later(days=1).date()), later(hours=2))
    collection.record("a", Undone(reset.id), later(hours=3))
    assert status_line(path) == "reviewing"
    path.write_text(path.read_text().replace("reviewing", "learning"))
    collection.record("a", Undone(buried.id), later(hours=4))
    assert status_line(path) == "learning"


def test_a_status_that_waits_follows_when_it_is_asked_to(root: Path) -> None:
    path = copied(SEED, root)
    before, collection = path.read_bytes(), opened(root)
    collection.rate("ssu_batch4_004", Rating.GOOD, NOON, 1000, settle=False)
    assert path.read_bytes() == before
    assert opened(root).state("ssu_batch4_004") == collection.state("ssu_batch4_004")
    collection.settle()
    assert status_line(path) == "learning"
    collection.settle()
    assert status_line(path) == "learning"


DEEDS = st.lists(
    st.tuples(st.sampled_from(["rate", "undo", "suspend", "lift", "reset"]), st.integers(0, 2)),
    max_size=8,
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DEEDS)
def test_a_status_that_waits_is_as_if_it_had_not(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int]]
) -> None:
    """Whatever is done next, and when the collection is closed."""
    folders = [tmp_path_factory.mktemp("late"), tmp_path_factory.mktemp("early")]
    for folder, settle in zip(folders, (False, True), strict=True):
        for number in range(3):
            write_card(folder, f"c{number}")
        configure(folder, "")
        collection = opened(folder)
        for step, (deed, number) in enumerate(deeds):
            now, card = later(minutes=step), f"c{number}"
            match deed:
                case "rate":
                    collection.rate(card, Rating.GOOD, now, 1000, settle=settle)
                case "undo":
                    collection.undo(now)
                case "reset":
                    collection.record(card, Reset(), now)
                case _:
                    collection.suspend(card, now, on=deed == "suspend")
        collection.close()
    late, early = (
        {path.name: path.read_bytes() for path in sorted(f.rglob("*.md"))} for f in folders
    )
    assert late == early


def test_a_card_that_went_away_owes_nothing(root: Path) -> None:
    path = copied(SEED, root)
    collection = opened(root)
    collection.rate("ssu_batch4_004", Rating.GOOD, NOON, 1000, settle=False)
    path.unlink()
    collection.reload(NOON)
    collection.settle()
    assert collection.problems == ()


WORDS = [
    *("to_learn", "learning", "mastered", "To Learn", "my own word", "   to_learn   ", '"mine"'),
    *("'to_learn'  # as yet", "", "~", "[a, b]", ">-\n  to_learn", "|\n  mine\n"),
]
LINES = [None, *WORDS]
ENDS = ["\n", "\r\n"]


def undo_of(deed: str, collection: Collection) -> None:
    """Does it with the card "a", then takes it back in a program of another computer."""
    now, root = later(hours=1), collection.root
    if deed == "answers":
        for minutes in (0, 20, 40):
            collection.rate("a", Rating.GOOD, later(minutes=minutes), 1000)
        collection.close()
        for _ in range(3):
            assert Collection.open(root, now, "lab").undo(now) is not None
        return
    if deed == "answer":
        collection.rate("a", Rating.EASY, NOON, 1000)
        collection.close()
        assert Collection.open(root, now, "lab").undo(now) is not None
    elif deed == "suspend":
        collection.suspend("a", NOON)
        Collection.open(root, now, "lab").suspend("a", now, on=False)
    else:
        what = Reset() if deed == "reset" else Buried(later(days=1).date())
        event = collection.record("a", what, NOON)
        Collection.open(root, now, "lab").record("a", Undone(event.id), now)


@pytest.mark.parametrize("deed", ["answer", "answers", "suspend", "reset", "bury"])
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("ending", ENDS)
def test_an_undo_gives_the_file_back_byte_for_byte(
    root: Path, line: str | None, ending: str, deed: str
) -> None:
    path = root / "a.md"
    status = "" if line is None else f"status: {line}\n"
    for text in (f"id: a\n{status}tags: [x]\n", f"{status}id: a\n", f"id: a\n{status}"):
        whole = f"---\n{text}---\n\n# Question\nWhy?\n\n---\n\n# Solution\nBecause.\n"
        path.write_bytes(whole.replace("\n", ending).encode())
        before = path.read_bytes()
        collection = Collection.open(root, NOON, "desk")
        if deed == "reset":
            collection.rate("a", Rating.EASY, NOON, 1000)
            path.write_bytes(before)
            collection.reload(NOON)
        undo_of(deed, collection)
        assert path.read_bytes() == before
        collection.close()


@pytest.mark.parametrize("line", LINES)
def test_an_undo_keeps_what_else_was_edited_since_and_a_status_that_was_written_since(
    root: Path, line: str | None
) -> None:
    path = root / "a.md"
    status = "" if line is None else f"status: {line}\n"
    path.write_text(f"---\nid: a\n{status}---\n\n# Question\nWhy?\n\n---\n\n# Solution\nS\n")
    before, collection = path.read_text(), opened(root)

    def edited(text: str) -> str:
        return text.replace("Why?", "Why not?").replace("id: a\n", "id: a # mine\n")

    collection.rate("a", Rating.EASY, NOON, 1000)
    path.write_text(edited(path.read_text()))
    collection.reload(NOON)
    collection.undo(later(hours=1))
    assert path.read_text() == edited(before)
    collection.rate("a", Rating.EASY, later(hours=2), 1000)
    mine = path.read_text().replace("reviewing", "mastered")
    path.write_text(mine)
    collection.reload(NOON)
    collection.undo(later(hours=3))
    assert path.read_text() == mine
