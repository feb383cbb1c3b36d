"""`deltadeck import`: packages of Anki's, said before they are taken, and taken once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deck.exchange.alone import alone
from tests.deck.exchange.packages import Made, package
from tests.paths import ROOT
from tests.program.shell import Shell
from tests.program.terminal import Terminal, environment

CURRENT = ROOT / "tests" / "deck" / "exchange" / "anki" / "current.apkg"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    folder = tmp_path / "cards"
    folder.mkdir()
    return folder


def test_a_package_is_said_taken_and_known_again(deck: Path, shell: Shell) -> None:
    dry = shell("import", CURRENT, "-C", deck, "--dry-run")
    assert dry.returncode == 0
    assert "6 cards would be new" in dry.stdout
    assert list(deck.iterdir()) == []
    done = shell("import", CURRENT, "-C", deck)
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 cards new" in done.stdout
    assert "2 files copied" in done.stdout
    assert (deck / "Languages" / "Czech" / "house.md").is_file()
    assert shell("lint", deck).returncode == 0
    again = json.loads(shell("import", CURRENT, "-C", deck, "--json").stdout)
    (said,) = again["files"]
    assert {said[name] for name in ("new", "changed", "kept", "reviews", "suspended", "media")} == {
        0
    }
    assert (again["dry_run"], said["unchanged"], said["lost"]) == (False, 6, [])
    assert shell("search", "is:suspended", "--ids", "-C", deck).stdout == "house/r\n"
    assert shell("review", "--undo", "-C", deck).returncode == 1, "no answer of one's own"


def test_below_a_folder(deck: Path, shell: Shell) -> None:
    assert shell("import", CURRENT, "-C", deck, "--into", "Anki/Old").returncode == 0
    assert (deck / "Anki" / "Old" / "media" / "tone.mp3").is_file()
    card = (
        deck / "Anki" / "Old" / "Networks" / "Pooling" / "what_does_max_pooling_do.md"
    ).read_text()
    assert "(Anki/Old/media/tone.mp3)" in card
    assert "inside the collection" in shell.refused("import", CURRENT, "--into", "../x", "-C", deck)


def test_bad_input_is_a_sentence_and_changes_nothing(deck: Path, shell: Shell) -> None:
    broken = deck.parent / "broken.apkg"
    broken.write_bytes(CURRENT.read_bytes()[:5000])
    assert "is damaged" in shell.refused("import", broken, "-C", deck)
    assert "no such file" in shell.refused("import", deck / "none.apkg", "-C", deck)
    noise = deck.parent / "noise.bin"
    noise.write_bytes(bytes(range(256)) * 40)
    assert "no format" in shell.refused("import", noise, "-C", deck)
    assert "There is no format" in shell.refused("import", CURRENT, "--format", "x", "-C", deck)
    both = shell.refused("import", CURRENT, deck / "none.apkg", "-C", deck)
    assert "no such file" in both, "before the first is taken"
    assert list(deck.iterdir()) == []


def test_an_import_that_is_stopped_says_how_far_it_is_and_leaves_no_copy(
    deck: Path, tmp_path: Path
) -> None:
    """Ctrl+S holds it at its first bar, so that Ctrl+C comes before its end on any machine; how
    far it is in its midst, tests/tui/test_import_stopped.py asks."""
    big = package(tmp_path / "big.apkg", [Made(f"g{n}", (f"q{n}", "a")) for n in range(4000)])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**environment(tmp_path), "TMPDIR": str(temporary)}
    with Terminal("import", str(big), "-C", str(deck), columns=160, env=env) as app:
        app.press("\x13")
        app.until(lambda _: bool(list(temporary.iterdir())), "got under way")
        app.press("\x03")
        app.see("Stopped: no card is in; import the same file again.")
        assert app.process.wait(30) == 130
    assert list(temporary.iterdir()) == []
    assert list(deck.rglob("*.md")) == []


def test_of_two_imports_at_once_the_second_says_so_and_takes_nothing(
    deck: Path, shell: Shell
) -> None:
    with alone(deck):
        assert "another import is going on here" in shell.refused("import", CURRENT, "-C", deck)
        assert shell("import", CURRENT, "-C", deck, "--dry-run").returncode == 0
    assert list(deck.iterdir()) == []
    assert shell("import", CURRENT, "-C", deck).returncode == 0
