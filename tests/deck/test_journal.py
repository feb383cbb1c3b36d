"""The journal: what is acknowledged is there, and what is wrong is said."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.events import Event, Unknown, write_line
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.journal import Journal, append_line, kept_device, locked, own_device
from tests.deck.given import NOON, history_of, later, review, write_card

# The journal survives crashes, full disks, other programs and nonsense.


FIRST = review(Rating.GOOD)
SECOND = review(Rating.EASY, at=later(minutes=1), seen=FIRST.id)
THIRD = review(Rating.HARD, at=later(minutes=2), seen=SECOND.id)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return tmp_path / ".deltadeck"


def file_of(private: Path, device: str = "desk") -> Path:
    return private / "journal" / device / "2026-11.jsonl"


def written(private: Path, data: bytes, device: str = "desk") -> Path:
    path = file_of(private, device)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


def add(journal: Journal, new: Event) -> None:
    with journal.locked():
        journal.append(new)


# Files.


@pytest.mark.parametrize("change", [{"kind": "dream"}, {"v": 2}])
def test_news_from_a_newer_program_are_kept_and_reported(
    private: Path, change: dict[str, object]
) -> None:
    record = json.dumps(json.loads(write_line(FIRST)) | change).encode() + b"\n"
    written(private, record + write_line(SECOND))
    journal = read_journal(private)
    assert isinstance(journal.events[0].what, Unknown)
    assert journal.events[1] == SECOND
    assert [p.line for p in journal.problems] == [1]


def test_reading_makes_nothing(private: Path) -> None:
    journal = read_journal(private)
    assert journal.events == []
    assert not private.exists()


def test_an_event_is_in_the_file_of_its_device_and_month(private: Path) -> None:
    journal = Journal(private, "desk")
    december = review(at=NOON.replace(month=12), seen=FIRST.id)
    add(journal, FIRST)
    add(journal, december)
    assert file_of(private).read_bytes() == write_line(FIRST)
    assert file_of(private).with_name("2026-12.jsonl").read_bytes() == write_line(december)
    assert read_journal(private).events == [FIRST, december]


@pytest.mark.parametrize("length", range(1, len(write_line(SECOND))))
def test_a_last_line_torn_at_any_byte_is_set_aside_and_the_rest_kept(
    private: Path, length: int
) -> None:
    torn = write_line(SECOND)[:length]
    path = written(private, write_line(FIRST) + torn)
    journal = read_journal(private)
    whole = length == len(write_line(SECOND)) - 1
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


def test_broken_lines_in_the_middle_are_named_and_hide_nothing(private: Path) -> None:
    middle = [b"<<<<<<< HEAD", b"\xff\xfe", b"{}", b"[1]", b'"text"']
    lines = [write_line(FIRST), *(line + b"\n" for line in middle), b"\r\n", write_line(SECOND)]
    written(private, b"".join(lines))
    journal = read_journal(private)
    assert journal.events == [FIRST, SECOND]
    assert [problem.line for problem in journal.problems] == [2, 3, 4, 5, 6]
    assert all(problem.hint and problem.path for problem in journal.problems)


def test_a_file_of_nonsense_is_a_short_report(private: Path) -> None:
    written(private, b"nonsense\n" * 5000)
    assert len(read_journal(private).problems) < 50


def test_lines_of_another_system_are_read(private: Path) -> None:
    written(private, write_line(FIRST).replace(b"\n", b"\r\n"))
    assert read_journal(private).events == [FIRST]


def test_two_programs_see_each_other(private: Path) -> None:
    desk, lab = Journal(private, "desk"), Journal(private, "lab")
    add(desk, FIRST)
    add(lab, SECOND)
    add(desk, THIRD)
    assert read_journal(private).events == [FIRST, THIRD, SECOND], "file by file"


def test_a_file_that_git_took_back_takes_its_events_along(private: Path) -> None:
    path = written(private, write_line(FIRST) + write_line(SECOND))
    history = history_of(private)
    path.write_bytes(write_line(FIRST))
    history.refresh()
    assert history.events("a") == [FIRST]


# Failing disks.


def full(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_full_disk_leaves_the_file_as_it_was(
    private: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    journal = Journal(private, "desk")
    add(journal, FIRST)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(JournalError, match="No space left"):
            add(journal, SECOND)
    assert file_of(private).read_bytes() == write_line(FIRST)
    add(journal, THIRD)
    assert read_journal(private).events == [FIRST, THIRD]


def test_half_a_line_on_a_disk_that_filled_up_is_taken_back(private: Path) -> None:
    path = written(private, write_line(FIRST))
    limit = path.stat().st_size + 20
    script = (
        "import sys, resource, signal, pathlib, deck.journal, deck.errors\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try:\n"
        "    deck.journal.append_line(pathlib.Path(sys.argv[1]), b'x' * 200 + b'\\n')\n"
        "except deck.errors.JournalError as error:\n"
        "    sys.exit(str(error))\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "nothing was recorded" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_bytes() == write_line(FIRST)


def test_a_file_in_the_place_of_a_folder_is_a_sentence(private: Path) -> None:
    private.write_text("not a folder")
    with pytest.raises(JournalError, match="nothing was recorded"):
        add(Journal(private, "desk"), FIRST)


def test_a_journal_folder_that_is_a_file_is_a_sentence(private: Path) -> None:
    private.mkdir()
    (private / "journal").write_text("")
    with pytest.raises(JournalError, match="journal"):
        append_line(file_of(private), b"{}\n")


def test_a_program_that_keeps_the_lock_is_named(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private.mkdir()
    monkeypatch.setattr("deck.journal._TRIES", 1)
    monkeypatch.setattr("deck.journal._PAUSE", 0)
    with locked(private / "lock"), pytest.raises(JournalError, match="another program"):
        add(Journal(private, "desk"), FIRST)
    add(Journal(private, "desk"), FIRST)


def test_every_acknowledged_line_survives_sigkill(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib, deck.journal\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "for number in range(10**6):\n"
        "    deck.journal.append_line(path, b'%d\\n' % number)\n"
        "    print(number, flush=True)\n"
    )
    path = tmp_path / "lines.jsonl"
    command = [sys.executable, "-c", script, str(path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        seen = [int(writer.stdout.readline()) for _ in range(5)]
        writer.send_signal(signal.SIGKILL)
        seen += [int(line) for line in writer.stdout.read().split(b"\n") if line]
    lines = path.read_bytes().split(b"\n")
    assert [int(line) for line in lines[: len(seen)]] == seen == list(range(len(seen)))


# The device's name in the journal.


def test_a_device_keeps_the_name_that_its_first_write_made() -> None:
    assert own_device() == own_device()


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", ".hidden", "x" * 65, "a\n"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CollectionError, match="Use letters"):
        Journal(tmp_path, name)


def test_an_unusable_name_on_the_disk_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "user-data" / "deltadeck" / "device"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"../../\xff\n")
    name = own_device()
    assert path.read_text().strip() == name == own_device()


def test_a_name_that_cannot_be_kept_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text("a file in the place of a folder")
    with pytest.raises(JournalError, match="device's name"):
        own_device()


LEFT = [b"", b"\0" * 20, b"devi", b"../..\xff\n"]


@pytest.mark.parametrize("left", [None, *LEFT])
@pytest.mark.parametrize("which", ["device", "device.copy"])
def test_a_name_outlives_what_a_power_cut_leaves_of_a_file(
    tmp_path: Path, which: str, left: bytes | None
) -> None:
    name, path = own_device(), tmp_path / "user-data" / "deltadeck" / which
    if left is None:
        path.unlink()
    else:
        path.write_bytes(left)
    assert kept_device() == own_device() == name
    assert path.read_text().strip() == name, "and the next power cut costs nothing either"


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
    collection = Collection.open(root, NOON, "desk")
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
    collection = Collection.open(root, NOON, "desk")
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


def test_a_collection_without_a_journal_and_hidden_files_are_no_problem(root: Path) -> None:
    write_card(root, "a")
    journal = root / ".deltadeck" / "journal"
    assert Collection.open(root, NOON).problems == ()
    journal.mkdir(parents=True)
    (journal / ".gitkeep").touch()
    assert Collection.open(root, NOON).problems == ()


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("call", ["open", "write", "fsync", "mkdir"])
def test_a_disk_that_refuses_is_a_sentence_and_the_schedule_stays(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    collection = answered(root)
    before, real = collection.state("a"), getattr(os, call)
    file = root / ".deltadeck" / "journal" / "desk" / f"{NOON:%Y-%m}.jsonl"
    lines = file.read_bytes()
    when = later(days=60) if call == "mkdir" else later(days=1)

    def refuse(*args: object, **options: object) -> object:
        if call == "open" and not str(args[0]).endswith(".jsonl"):
            return real(*args, **options)
        raise OSError(code, os.strerror(code))

    if call == "mkdir":
        collection._journal._device = "phone"  # its folder is not there yet
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(JournalError) as raised:
            collection.rate("a", Rating.GOOD, when, 1000)
    assert os.strerror(code) in str(raised.value)
    assert "nothing was recorded" in str(raised.value)
    assert (collection.state("a"), file.read_bytes()) == (before, lines)


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_card_that_cannot_be_saved_is_a_warning_and_the_answer_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = write_card(root, "a")
    collection = Collection.open(root, NOON, "desk")
    text, real = path.read_bytes(), os.open

    def refuse(name: str | Path, flags: int, mode: int = 0o777, dir_fd: int | None = None) -> int:
        if str(name).endswith(".deltadeck-tmp"):
            raise OSError(code, os.strerror(code))
        return real(name, flags, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        collection.rate("a", Rating.GOOD, NOON, 1000)
    (problem,) = collection.problems
    assert problem.severity == "warning"
    assert "was not saved" in problem.message
    assert problem.hint
    assert path.read_bytes() == text
    assert Collection.open(root, NOON).queue(NOON).counts.new == 0
