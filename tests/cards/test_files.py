"""Files: read with every failure explained, written whole or not at all, also at a Ctrl+C."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from cards import CardError, Problem, read_card, replace_section, save_card, set_field
from cards.files import TextChange, write_text, write_texts
from tests.cards.builders import card_text
from tests.paths import ROOT


def refused(path: Path) -> Problem:
    with pytest.raises(CardError) as caught:
        read_card(path)
    assert caught.value.problem.path == path
    assert caught.value.problem.hint
    return caught.value.problem


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "x.md"
    path.write_text(card_text("status: to_learn  # now"))
    return path


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write anywhere: give the test the rights of a common user."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("data", "line", "column", "word"),
    [
        (b"", 1, 1, "empty"),
        (b"---\nid: x\n---\n# Qu\xe9stion\n", 4, 5, "0xe9"),
        (b"---\r\nid: \xc5\x99\xff\r\n", 2, 6, "0xff"),
        ("---\nid: x\n".encode("utf-16"), 1, 1, "UTF-8"),
        (b"x" * 1_000_001, 1, 1, "1 MB"),
    ],
)
def test_unreadable_bytes(tmp_path: Path, data: bytes, line: int, column: int, word: str) -> None:
    path = tmp_path / "bad.md"
    path.write_bytes(data)
    problem = refused(path)
    assert word in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path).message
    assert "no such file" in refused(tmp_path / "missing.md").message
    os.mkfifo(tmp_path / "pipe")
    assert "regular" in refused(tmp_path / "pipe").message
    (tmp_path / "loop").symlink_to("loop")
    assert "leads back to itself" in refused(tmp_path / "loop").message
    (tmp_path / "link").symlink_to("missing.md")
    assert "leads nowhere" in refused(tmp_path / "link").message
    assert "cannot be read" in refused(tmp_path / "nul\0").message


def test_permission_denied_is_said() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "x.md"
        path.write_text(card_text())
        path.chmod(0)
        with as_nobody():
            assert "permission denied" in refused(path).message


def test_an_edit_returns_the_card_as_it_now_is(card: Path) -> None:
    before = read_card(card)
    after = set_field(card, "status", "learning", before.source)
    assert after.status == "learning"
    assert card.read_text() == after.source == before.source.replace("to_learn", "learning")
    after = replace_section(card, "Solution", "It is so.", after.source)
    assert (after.solution, read_card(card)) == ("It is so.", after)
    assert [path.name for path in card.parent.iterdir()] == ["x.md"]


@pytest.mark.parametrize("change", ["other", None])
def test_a_file_that_changed_or_went_is_not_written(card: Path, change: str | None) -> None:
    seen = read_card(card).source
    card.unlink()
    if change:
        card.write_text(change)
    with pytest.raises(CardError, match="since it was read"):
        set_field(card, "status", "learning", seen)
    assert (card.read_text() if change else None) == change


def test_a_text_that_is_no_card_is_not_written(card: Path) -> None:
    seen = card.read_text()
    with pytest.raises(CardError, match="# Solution"):
        save_card(card, seen.split("\n---\n# Solution")[0], seen)
    assert card.read_text() == seen


def test_a_new_card_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "new.md"
    assert save_card(path, card_text()).path == path
    with pytest.raises(CardError, match="of this name"):
        save_card(path, card_text(question="Other?"))
    assert path.read_text() == card_text()
    with pytest.raises(CardError, match="Create the folder"):
        save_card(tmp_path / "none" / "new.md", card_text())


def test_permission_bits_and_symbolic_links_stay(card: Path) -> None:
    card.chmod(0o640)
    link = card.with_name("link.md")
    link.symlink_to(card.name)
    set_field(link, "status", "learning", card.read_text())
    assert link.is_symlink()
    assert "learning" in card.read_text()
    assert card.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_read_only_file_or_folder_loses_nothing(closed: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.md"
        path.write_text(card_text())
        path.chmod(0o444 if closed == "file" else 0o666)
        Path(folder).chmod(0o555 if closed == "folder" else 0o777)
        with as_nobody(), pytest.raises(CardError, match=r"not saved.*permissions"):
            set_field(path, "status", "learning", card_text())
        assert path.read_text() == card_text()
        assert [each.name for each in Path(folder).iterdir()] == ["x.md"]
        Path(folder).chmod(0o755)


def test_a_disk_that_takes_no_more_loses_nothing(card: Path) -> None:
    # A limit on the size of files fails in the middle of a write, as a full disk does.
    seen = card.read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(CardError, match=r"not saved.*Free some space"):
            save_card(card, card_text(question="x" * 100_000), seen)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert card.read_text() == seen
    assert [path.name for path in card.parent.iterdir()] == ["x.md"]


def test_of_many_files_each_is_written_or_says_why_it_was_not(tmp_path: Path) -> None:
    paths = [tmp_path / str(number % 3) / f"{number}.md" for number in range(200)]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("old\n")
    changes = [TextChange(path, "new\n", "old\n") for path in paths]
    paths[5].write_text("mine\n")
    paths[70].unlink()
    outside = tmp_path.with_name(f"{tmp_path.name}-outside.md")
    outside.write_text("old\n")
    paths[199].unlink()
    paths[199].symlink_to(outside)
    first = TextChange(tmp_path / "first.md", "new\n", None)
    refused = {}
    for number, error in enumerate(write_texts([*changes, first], tmp_path)):
        if error is None:
            assert [*paths, first.path][number].read_text() == "new\n"
        else:
            refused[number] = error.problem.message
    assert sorted(refused) == [5, 70, 199]
    assert "changed on disk" in refused[5]
    assert "removed" in refused[70]
    assert "leads out" in refused[199]
    assert (paths[5].read_text(), outside.read_text()) == ("mine\n", "old\n")
    assert not list(tmp_path.glob("**/.*"))


def test_many_files_are_asked_for_while_the_first_are_written(tmp_path: Path) -> None:
    changes = (TextChange(tmp_path / f"{n}.md", "new\n", None) for n in range(10**9))
    assert next(write_texts(changes)) is None
    written = list(tmp_path.iterdir())
    assert len(written) < 1000
    assert all(path.read_text() == "new\n" for path in written)


def test_importing_the_room_brings_no_yaml_and_no_markdown() -> None:
    code = "import cards, sys; print({'yaml', 'markdown_it', 'frontmatter'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "set()"


WRITES: dict[str, Callable[[Path], None]] = {
    "new": lambda path: write_text(path, "new\n", None),
    "again": lambda path: write_text(path, "new\n", "old\n"),
}


def interrupted_at(number: int, write: Callable[[], None]) -> bool:
    """Runs `write` with a Ctrl+C as the so-manieth call begins, or ends in C: there Python sees
    a signal.  False where there were fewer."""
    left = [number]

    def count(_frame: FrameType, event: str, _: object) -> None:
        if event in ("c_return", "call"):
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        write()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(before)
    return False


# A handle that no `with` has yet is the garbage collector's: it closes it, and warns.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("kind", WRITES)
def test_an_interrupt_anywhere_leaves_the_card_whole_and_no_draft(
    tmp_path: Path, kind: str
) -> None:
    number, texts = 0, set()
    while True:
        number += 1
        path = tmp_path / f"{number}.md"
        if kind == "again":
            path.write_text("old\n")
        ended = not interrupted_at(number, partial(WRITES[kind], path))
        texts.add(path.read_text() if path.exists() else "")
        assert [each.name for each in tmp_path.iterdir() if each != path] == []
        path.unlink(missing_ok=True)
        if ended:
            break
    assert number > 8
    assert texts == {"new\n", "old\n" if kind == "again" else ""}


def test_a_file_that_appears_meanwhile_is_said_once_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Two" / "X.md"
    path.parent.mkdir()
    monkeypatch.setattr("cards.files.os.urandom", lambda _: path.write_text("mine") and b"0")
    with pytest.raises(CardError) as caught:
        WRITES["new"](path)
    problem = caught.value.problem
    assert (problem.path, problem.message) == (path, "There is a file of this name.")
    assert path.read_text() == "mine"
    assert list(path.parent.iterdir()) == [path]
