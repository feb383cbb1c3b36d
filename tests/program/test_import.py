"""`deltadeck import`: packages of Anki's, said before they are taken, and taken once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deck.exchange.log import import_lock
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


#: Each format as one file, and what changes one answer of it.
PIPED = {
    "csv": (b"front;back;tags\nOne?;first;a\nTwo?;second;b\n", b"first", b"1st"),
    "tsv": (b"front\tback\nOne?\tfirst\nTwo?\tsecond\n", b"first", b"1st"),
    "txt": (b"#separator:tab\n#html:false\nOne?\tfirst\nTwo?\tsecond\n", b"first", b"1st"),
    "json": (
        b'[{"question": "One?", "answer": "first #flashcards"}, {"question": "Two?"}]',
        b"first",
        b"1st",
    ),
    "md": (b"#flashcards\n\nOne?::first\n\nTwo?::second\n", b"first", b"1st"),
    "markdown": (b"Q: One?\nA: first\n\nQ: Two?\nA: second\n", b"", b""),
    "org": (
        b"* One?  :fc:\n:PROPERTIES:\n:FC_TYPE: normal\n:ID: 1\n:END:\nfirst\n"
        b"* Two?  :fc:\n:PROPERTIES:\n:FC_TYPE: normal\n:ID: 2\n:END:\nsecond\n",
        b"first",
        b"1st",
    ),
}


def said(deck: Path, shell: Shell, *words: str | Path, stdin: bytes = b"") -> dict[str, object]:
    (found,) = json.loads(shell("import", *words, "--json", "-C", deck, stdin=stdin).stdout)[
        "files"
    ]
    return {key: found[key] for key in ("file", "new", "changed", "unchanged", "kept")}


@pytest.mark.parametrize("ending", PIPED)
def test_standard_input_is_what_a_file_of_the_same_content_is(
    ending: str, deck: Path, shell: Shell, tmp_path: Path
) -> None:
    data, old, new = PIPED[ending]
    path = tmp_path / f"standard input.{ending}"
    path.write_bytes(data)
    other = tmp_path / "other"
    other.mkdir()
    assert said(other, shell, path)["new"] == 2
    first = {"file": "standard input", "new": 2, "changed": 0, "unchanged": 0, "kept": 0}
    assert said(deck, shell, "-", stdin=data) == first
    cards = {card.relative_to(deck): card.read_text() for card in deck.rglob("*.md")}
    of_file = {card.relative_to(other): card.read_text() for card in other.rglob("*.md")}
    assert cards == {at: text.replace(path.name, path.stem) for at, text in of_file.items()}
    assert said(deck, shell, "-", stdin=data) == first | {"new": 0, "unchanged": 2}
    if old:
        after = said(deck, shell, "-", stdin=data.replace(old, new))
        assert after == first | {"new": 0, "changed": 1, "unchanged": 1}


def test_a_package_comes_through_standard_input(deck: Path, shell: Shell, tmp_path: Path) -> None:
    big = package(tmp_path / "big.apkg", [Made(f"g{n}", (f"q{n}", "a")) for n in range(3500)])
    data = big.read_bytes()
    done = shell("import", "-", "-C", deck, stdin=data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "standard input: 3500 cards new.\n"
    again = shell("import", "-", CURRENT, "-C", deck, stdin=data).stdout
    assert "standard input: 0 cards new, 3,500 unchanged.\ncurrent.apkg: 6 cards new." in again


def test_bad_standard_input_is_a_sentence_that_names_it(deck: Path, shell: Shell) -> None:
    for data in (b"", b"\n", bytes(range(256)) * 40, CURRENT.read_bytes()[:5000]):
        for more in ((), ("--format", "anki"), ("--format", "org"), ("--columns", "front,back")):
            done = shell("import", "-", *more, "-C", deck, stdin=data)
            if done.returncode == 2:
                assert done.stderr.startswith("deltadeck: standard input"), (data[:9], more)
            else:  # nothing is there to be read, and nothing is lost
                assert done.stdout.startswith("standard input: 0 cards new."), (data[:9], more)
    assert "once" in shell.refused("import", "-", "-", "-C", deck, stdin=b"front;back\na;b\n")
    assert list(deck.rglob("*.md")) == []


def test_a_table_without_a_header_has_its_columns_named(deck: Path, shell: Shell) -> None:
    rows = b"rozhled;view;12;noun travel\nd\xc5\xafm;house;3;noun\n"
    words = ("import", "-", "--columns", "front,back,-,tags", "-C", deck)
    assert shell(*words, stdin=rows).stdout == "standard input: 2 cards new.\n"
    assert shell("search", "tag:travel", "--ids", "-C", deck).stdout == "rozhled\n"
    again = shell(*words, stdin=rows.replace(b"house", b"home"))
    assert again.stdout == "standard input: 0 cards new, 1 changed, 1 unchanged.\n"
    refused = shell.refused("import", "-", "--columns", "front,rear", "-C", deck, stdin=rows)
    assert "'rear'" in refused
    assert "question, answer, id" in refused
    both = shell.refused("import", "-", "--columns", "front", "--format", "org", stdin=rows)
    assert "--columns" in both


def test_of_two_imports_at_once_the_second_says_so_and_takes_nothing(
    deck: Path, shell: Shell
) -> None:
    with import_lock(deck):
        assert "another import is going on here" in shell.refused("import", CURRENT, "-C", deck)
        assert shell("import", CURRENT, "-C", deck, "--dry-run").returncode == 0
    assert list(deck.iterdir()) == []
    assert shell("import", CURRENT, "-C", deck).returncode == 0
