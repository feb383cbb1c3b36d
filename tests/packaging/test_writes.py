"""What is written, and where: only the collection, and the user's own folders for deltadeck."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from tests.docs.session import Command, differences, page_environment
from tests.program.terminal import Terminal

_RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
_FUNCTION = "def backward(x, delta): return 0 * x"
_SESSION = (
    "deltadeck init deck --starter",
    "deltadeck due -C deck",
    "deltadeck review pool_ties good -C deck",
    "deltadeck review --undo -C deck",
    "deltadeck suspend pool_linear -C deck",
    f"deltadeck check ssu_batch4_004 -C deck --answer '{_RIGHT}'",
    f"deltadeck check ssu_batch4_004 -C deck --answer '{_FUNCTION}' # exit code 1",
    "deltadeck stats -C deck",
    "deltadeck search pooling -C deck",
    "deltadeck lint deck",
    "deltadeck doctor -C deck || true",
    "deltadeck backup -C deck",
    "printf '\\n3\\n' | deltadeck study deck --plain",
    "deltadeck export --to deck/deck.apkg -C deck || test $? = 1",
    "deltadeck init other",
    "deltadeck import deck/deck.apkg -C other || test $? = 1",
)


def test_no_file_is_written_but_into_collections_and_own_folders(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    (home / "tmp").mkdir(parents=True)
    work.mkdir()
    env = page_environment(home)
    given = [Command(line, [line]) for line in _SESSION]
    assert not differences(given, work, env)
    _open_the_app(work / "deck", env)
    assert _strays(tmp_path, work, home) == []
    assert {path.name for path in work.iterdir()} == {"deck", "other"}
    assert list((home / "tmp").iterdir()) == []


def _open_the_app(folder: Path, env: Mapping[str, str]) -> None:
    with Terminal(str(folder), env={**env, "TERM": "xterm-256color"}) as terminal:
        terminal.see("Decks", "Quit")
        terminal.press("\r")
        terminal.see("Reveal")
        terminal.press("e")
        terminal.see("Save")
        terminal.press("unsaved")
        terminal.see("unsaved")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM


def _strays(root: Path, *allowed: Path) -> list[Path]:
    """The files below `root` that are neither in collections nor in a folder of ours."""
    collections, home = allowed
    ours = [home / kind / "deltadeck" for kind in ("cache", "config", "data", "state")]
    return [
        path
        for path in root.rglob("*")
        if path.is_file() and not any(path.is_relative_to(place) for place in (collections, *ours))
    ]
