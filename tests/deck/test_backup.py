"""Backups keep journal and settings, and give them back without losing anything."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deck.backup import (
    Backup,
    back_up,
    backup_folder,
    backups,
    bring_back,
    contents,
    kept,
    read_backup,
    restore,
)
from deck.collection import Collection
from deck.errors import CollectionError
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.repair import examine, repair
from tests.deck.children import ordinary
from tests.deck.given import (
    NOON,
    append_events,
    configure,
    later,
    line_of,
    opened,
    review,
    write_card,
)

FIRST = review()
SECOND = review(Rating.EASY, seen=FIRST.id)
THIRD = review(Rating.HARD, at=later(minutes=2), random=3)


@pytest.fixture
def kept_root(root: Path) -> Path:
    configure(root, "new_per_day = 3\n")
    append_events(root / ".deltadeck", [FIRST])
    return root


def backed_up(root: Path) -> Backup:
    made = back_up(root, NOON)
    assert made is not None
    return made


def test_a_backup_holds_journal_and_settings_and_nothing_else(kept_root: Path) -> None:
    write_card(kept_root, "a")
    made = backed_up(kept_root)
    assert read_backup(made.path) == contents(kept_root)
    assert set(contents(kept_root)) == {"config.toml", "journal/desk/2026-11.jsonl"}
    # Another program thins them out, and not everything of that form is one.
    made.path.with_name("20261399T999999Z-0123456789abcdef.zip").write_bytes(b"no time")
    made.path.with_name("20261122T120000Z-0123456789abcdef.zip").symlink_to("nowhere")
    assert backups(kept_root) == [made]
    assert backup_folder(kept_root) != backup_folder(kept_root / "another" / "cards")


def test_the_same_state_is_backed_up_once_and_nothing_is_no_state(
    kept_root: Path, tmp_path: Path
) -> None:
    assert back_up(kept_root, NOON) is not None
    assert back_up(kept_root, later(days=1)) is None
    append_events(kept_root / ".deltadeck", [SECOND])
    assert back_up(kept_root, later(days=1)) is not None
    assert [backup.at for backup in backups(kept_root)] == [later(days=1), NOON]
    assert back_up(tmp_path / "elsewhere", NOON) is None


@given(st.lists(st.integers(0, 3 * 365 * 24), max_size=99))
def test_thinning_out_keeps_the_newest_and_stays_small(hours: list[int]) -> None:
    times = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in hours]
    stay = kept(times)
    assert stay <= set(times)
    assert set(sorted(times)[-1:]) <= stay
    assert len(stay) <= 5 + 7 + 5 + 24
    assert kept(stay) == stay
    for month in {time.strftime("%Y-%m") for time in times}:
        newest = max(time for time in times if time.strftime("%Y-%m") == month)
        assert newest in stay or len({t.strftime("%Y-%m") for t in times}) > 24


def test_restore_gives_the_state_back_and_keeps_what_it_replaces(kept_root: Path) -> None:
    write_card(kept_root, "a")
    then = contents(kept_root)
    made = backed_up(kept_root)
    append_events(kept_root / ".deltadeck", [SECOND], "phone")
    configure(kept_root, "new_per_day = 9\n")
    replaced = contents(kept_root)
    done = restore(kept_root, made.path, later(hours=1))
    assert contents(kept_root) == then
    assert (done.files, done.lines) == (2, 0)
    assert done.aside is not None
    assert (done.aside / "journal" / "phone" / "2026-11.jsonl").read_bytes() == line_of(SECOND)
    assert read_backup(backups(kept_root)[0].path) == replaced
    assert Collection.open(kept_root, NOON).config.new_per_day == 3
    (kept_root / ".deltadeck").rename(kept_root / "lost")
    assert restore(kept_root, made.path, NOON).lines == 1, "also where everything is gone"
    assert contents(kept_root) == then
    assert restore(kept_root, made.path, NOON).files == 0


def test_bringing_back_adds_lost_lines_and_leaves_the_rest(kept_root: Path) -> None:
    append_events(kept_root / ".deltadeck", [SECOND])
    made = backed_up(kept_root)
    path = kept_root / ".deltadeck" / "journal" / "desk" / "2026-11.jsonl"
    third = review(Rating.HARD, seen=SECOND.id)
    path.write_bytes(line_of(SECOND) + line_of(third))
    done = bring_back(kept_root, made.path)
    assert (done.files, done.lines) == (1, 1)
    assert path.read_bytes() == line_of(SECOND) + line_of(third)
    history = Collection.open(kept_root, NOON).events("a")
    assert history == [FIRST, SECOND, third]
    assert bring_back(kept_root, made.path).lines == 0


@pytest.mark.parametrize("damage", ["cut", "nonsense", "strange", "gone"])
def test_a_damaged_backup_is_a_sentence_and_changes_nothing(kept_root: Path, damage: str) -> None:
    made = backed_up(kept_root)
    before = contents(kept_root)
    match damage:
        case "cut":
            made.path.write_bytes(made.path.read_bytes()[:-30])
        case "nonsense":
            made.path.write_bytes(b"nonsense")
        case "strange":
            with zipfile.ZipFile(made.path, "a") as archive:
                archive.writestr("../outside", b"")
        case "gone":
            made.path.unlink()
    with pytest.raises(CollectionError, match="cannot be used") as raised:
        restore(kept_root, made.path, NOON)
    assert raised.value.problem.hint
    assert contents(kept_root) == before


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
    assert {FIRST.id, SECOND.id, event.id} <= {e.id for e in read_journal(private).events}
    collection = opened(root)
    assert collection.problems == ()
    assert collection.config.new_per_day == 9
    assert not any(finding.mends for finding in examine(root))


# What a journal's folder may hold.


def test_a_device_that_is_a_link_is_backed_up_and_one_that_leads_back_ends(
    kept_root: Path, tmp_path: Path
) -> None:
    real = tmp_path / "cloud"
    real.mkdir()
    (real / "2026-11.jsonl").write_bytes(line_of(SECOND))
    journal = kept_root / ".deltadeck" / "journal"
    (journal / "phone").symlink_to(real)
    (journal / "round").symlink_to(journal)
    made = backed_up(kept_root)
    assert read_backup(made.path)["journal/phone/2026-11.jsonl"] == line_of(SECOND)
    assert len(read_backup(made.path)) == 3


@pytest.mark.parametrize("name", ["journal/desktop.ini", "journal/desk/old/2026-10.jsonl"])
def test_what_else_lies_in_the_journal_spoils_no_backup(kept_root: Path, name: str) -> None:
    path = kept_root / ".deltadeck" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"a note")
    made = backed_up(kept_root)
    path.write_bytes(b"another")
    restore(kept_root, made.path, later(days=1))
    assert path.read_bytes() == b"a note"


def test_a_folder_that_cannot_be_read_makes_no_backup_without_it(kept_root: Path) -> None:
    append_events(kept_root / ".deltadeck", [SECOND], "phone")
    folder = kept_root / ".deltadeck" / "journal" / "phone"
    folder.chmod(0)
    try:
        said = ordinary(
            """
from deck.backup import back_up, backups
try:
    back_up(root, NOON)
except CollectionError as error:
    print(error.problem, len(backups(root)))
""",
            kept_root,
        )
    finally:
        folder.chmod(0o755)
    assert "nothing can be backed up: Permission denied" in said[0]
    assert said[0].endswith(" 0")


@pytest.fixture(scope="module")
def whole_backup(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, dict[str, bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        root = tmp_path_factory.mktemp("whole")
        append_events(root / ".deltadeck", [review(random=n) for n in range(60)])
        made = back_up(root, NOON)
        assert made is not None
        return made.path, made.path.read_bytes(), contents(root)


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=3))
@example([(491.5 / 501, 0)])  # the length of the zip's list of files
def test_a_backup_with_any_bytes_changed_is_refused_or_as_it_was(
    whole_backup: tuple[Path, bytes, dict[str, bytes]], changes: list[tuple[float, int]]
) -> None:
    path, whole, held = whole_backup
    data = bytearray(whole)
    for place, value in changes:
        data[int(place * len(data))] = value
    path.write_bytes(data)
    try:
        read = read_backup(path)
    except CollectionError as error:
        said = error.problem
    else:
        assert read == held
        return
    assert "cannot be used" in said.message
    assert said.hint


def test_a_year_of_daily_backups_is_thinned_out_as_they_come(kept_root: Path) -> None:
    for day in range(2, 400, 9):
        append_events(kept_root / ".deltadeck", [review(random=day)])
        assert back_up(kept_root, later(days=day)) is not None
    known = backups(kept_root)
    assert len(known) <= 5 + 7 + 5 + 24
    assert known[0].at == later(days=398)
    assert known[-1].at < later(days=60), "one of each month, back to the first"
    assert all(read_backup(backup.path) for backup in known)
    restore(kept_root, known[-1].path, later(days=400))
    assert contents(kept_root) == read_backup(known[-1].path)
