"""Programs that are killed at any moment lose nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from deck.backup import back_up, backups, bring_back, contents, read_backup, restore
from deck.collection import Collection
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from deck.replay import replay
from tests.deck.given import (
    CONFIG,
    NOON,
    append_events,
    configure,
    later,
    line_of,
    opened,
    review,
    write_card,
)
from tests.deck.killing import Stopper, kill_sessions

# Restores, repairs, backups and settings that are killed half-way: nothing is lost.


FIRST = review()
SECOND = review(Rating.EASY, at=later(minutes=1), random=2)
THIRD = review(Rating.HARD, at=later(minutes=2), random=3)
MOMENTS = 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its `copy` is where acts are done, and where the user's data is looked for."""
    made = tmp_path / "made"
    for name in ("copy", "cards", "own"):
        (made / name).mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(made / "copy" / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(made / "copy" / "own"))
    return made


def ids(root: Path) -> set[str]:
    return {event.id for event in read_journal(root / ".deltadeck").events}


def everything_kept(root: Path) -> set[bytes]:
    """Every line of any file of the collection, and of its backups."""
    files = [path.read_bytes() for path in (root / ".deltadeck").rglob("*") if path.is_file()]
    files += [data for backup in backups(root) for data in read_backup(backup.path).values()]
    return {line.strip() for data in files for line in data.split(b"\n")}


def with_backup(folder: Path) -> Path:
    """Cards whose backup has the first and third event, and whose journal the first and second."""
    root = folder / "copy" / "cards"
    write_card(root, "a")
    configure(root, "new_per_day = 3\n")
    append_events(root / ".deltadeck", [FIRST])
    append_events(root / ".deltadeck", [THIRD], "phone")
    assert back_up(root, NOON) is not None
    (root / ".deltadeck" / "journal" / "phone" / "2026-11.jsonl").unlink()
    append_events(root / ".deltadeck", [SECOND])
    configure(root, "new_per_day = 9\n")
    for name in ("cards", "own"):
        (folder / name).rmdir()
        (folder / "copy" / name).rename(folder / name)
    return root


def test_a_restore_that_is_stopped_anywhere_loses_nothing(folder: Path) -> None:
    root = with_backup(folder)
    lines = {line_of(event).strip() for event in (FIRST, SECOND, THIRD)}
    seen = set()
    for _ in Stopper(folder).moments("restore", 12, after=0.92):
        assert lines <= everything_kept(root)
        interrupted = [f for f in examine(root) if ".restoring-" in str(f.problem.path)]
        assert all(finding.mends and finding.problem.hint for finding in interrupted)
        whole = [{FIRST.id, SECOND.id}, {FIRST.id, THIRD.id}]
        if not interrupted:
            assert ids(root) in whole
        repair(root)
        assert ids(root) in [*whole, {FIRST.id, SECOND.id, THIRD.id}]
        assert not any(finding.mends for finding in examine(root))
        seen.add((bool(interrupted), len(ids(root)), THIRD.id in ids(root)))
        target = read_backup(backups(root)[-1].path)
        restore(root, backups(root)[-1].path, later(days=3))
        assert contents(root) == target
        assert lines <= everything_kept(root)
    assert len(seen) >= 3, "before, in the middle of and after the exchange"


@pytest.mark.parametrize("come", [(), ("journal",), ("journal", "config.toml")])
@pytest.mark.parametrize("gone", [("journal",), ("journal", "config.toml")])
def test_an_answer_given_after_a_stopped_restore_stays(
    root: Path, gone: tuple[str, ...], come: tuple[str, ...]
) -> None:
    """As `_exchange` leaves it: some of what was there gone, some of what comes in its place."""
    write_card(root, "a")
    private = root / ".deltadeck"
    append_events(private, [FIRST, SECOND])
    configure(root, "new_per_day = 9\n")
    pending = private / ".restoring-20261121T120000Z"
    append_events(pending / "new", [FIRST, THIRD])
    (pending / "new" / "config.toml").write_text("new_per_day = 3\n")
    (pending / "old").mkdir()
    for name in gone:
        (private / name).rename(pending / "old" / name)
    for name in come if set(come) <= set(gone) else ():
        (pending / "new" / name).rename(private / name)
    collection = opened(root)
    assert "deltadeck doctor" in str(collection.problems[0])
    event = collection.rate("a", Rating.GOOD, later(hours=1), 0)
    collection.close()
    repair(root)
    assert {FIRST.id, SECOND.id, event.id} <= ids(root)
    collection = opened(root)
    assert collection.problems == ()
    assert collection.config.new_per_day == 9
    assert not any(finding.mends for finding in examine(root))


def test_bringing_back_that_is_stopped_anywhere_is_done_by_doing_it_again(folder: Path) -> None:
    root = with_backup(folder)
    for _ in Stopper(folder).moments("bring back", MOMENTS):
        assert ids(root) in [{FIRST.id, SECOND.id}, {FIRST.id, SECOND.id, THIRD.id}]
        bring_back(root, backups(root)[-1].path)
        assert ids(root) == {FIRST.id, SECOND.id, THIRD.id}
        assert bring_back(root, backups(root)[-1].path).lines == 0


def test_a_repair_that_is_stopped_anywhere_is_done_by_doing_it_again(folder: Path) -> None:
    cards = folder / "cards"
    append_events(cards / ".deltadeck", [FIRST])
    journal = cards / ".deltadeck" / "journal" / "desk"
    with (journal / "2026-11.jsonl").open("ab") as file:
        file.write(b"nonsense\n" + line_of(FIRST) + line_of(SECOND)[:-1] + line_of(THIRD) + b"to")
    copy = journal / "2026-11 (conflicted copy 2026-11-21).jsonl"
    copy.write_bytes(line_of(review(random=9)))
    root = folder / "copy" / "cards"
    for _ in Stopper(folder).moments("repair", MOMENTS):
        kept = everything_kept(root)
        assert {b"nonsense", b"to", line_of(FIRST).strip()} <= kept
        repair(root)
        assert len(ids(root)) == 4
        assert examine(root) == []
        assert repair(root) == []


def test_a_backup_that_is_stopped_anywhere_is_whole_or_absent(folder: Path) -> None:
    root = with_backup(folder)
    for _ in Stopper(folder).moments("back up", MOMENTS):
        known = backups(root)
        assert len(known) in (1, 2)
        assert all(zipfile.ZipFile(backup.path).testzip() is None for backup in known)
        made = back_up(root, later(days=9))
        assert (made is None) == (len(known) == 2)
        assert read_backup(backups(root)[0].path) == contents(root)


@pytest.mark.parametrize("act", ["first answer", "make", "set"])
def test_whatever_else_is_stopped_the_collection_opens_as_before_or_after(
    folder: Path, act: str
) -> None:
    write_card(folder / "cards", "a")
    if act == "set":
        configure(folder / "cards", "# mine\nnew_per_day = 3\n")
    root = folder / "copy" / "cards"
    for _ in Stopper(folder).moments(act, MOMENTS):
        collection = Collection.open(root, NOON)
        assert collection.problems == ()
        events = read_journal(root / ".deltadeck").events
        assert len(events) in (0, 1)
        assert collection.config.new_per_day in (3, 7, 20)
        collection.rate("a", Rating.EASY, later(days=1), 0)
        assert (
            collection.state("a") == replay(read_journal(root / ".deltadeck").events, CONFIG)["a"]
        )
        assert repair(root) == [] or act == "first answer"
        collection.close()


# A program that is killed: what it acknowledged is there, the rest is whole or absent.
#
# `python -m tests.bench.faults killed` does it 300 times; docs/performance.md has its figures.


def test_what_was_acknowledged_survives_kills_at_random_moments(tmp_path: Path) -> None:
    toll = kill_sessions(tmp_path, seed=2026, kills=20)
    assert toll.kills == 20
    assert toll.acknowledged > 40
