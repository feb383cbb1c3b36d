"""Ctrl+C while a card is written: the card is whole, old or new, and nothing lies beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from cards import CardError
from cards.files import write_new, write_text

WRITES: dict[str, Callable[[Path], None]] = {
    "new, of many": lambda path: write_new(path, "new\n"),
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


@pytest.mark.parametrize("kind", ["new, of many", "new"])
def test_a_file_that_appears_meanwhile_is_said_once_and_stays(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Two" / "X.md"
    path.parent.mkdir()
    monkeypatch.setattr("cards.files.secrets.token_hex", lambda _: path.write_text("mine") and "0")
    with pytest.raises(CardError) as caught:
        WRITES[kind](path)
    problem = caught.value.problem
    assert (problem.path, problem.message) == (path, "There is a file of this name.")
    assert path.read_text() == "mine"
    assert list(path.parent.iterdir()) == [path]
