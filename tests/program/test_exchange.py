"""`deltadeck import` and `export`, as files and in pipes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from deck.exchange.log import import_lock
from tests.deck.exchange.packages import Made, package
from tests.paths import ROOT
from tests.program.shell import ITEM, Shell
from tests.program.terminal import Terminal, environment

CURRENT = ROOT / "tests" / "deck" / "exchange" / "anki" / "current.apkg"


def test_a_package_is_said_taken_and_known_again(bare: Shell) -> None:
    dry = bare("import", CURRENT, "--dry-run")
    assert dry.returncode == 0
    assert "6 cards would be new" in dry.stdout
    assert list(bare.folder.iterdir()) == []
    with import_lock(bare.folder):
        assert "another import is going on here" in bare.refused("import", CURRENT)
        assert bare("import", CURRENT, "--dry-run").returncode == 0
    assert list(bare.folder.iterdir()) == []
    done = bare("import", CURRENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 cards new" in done.stdout
    assert "2 files copied" in done.stdout
    assert (bare.folder / "Languages" / "Czech" / "house.md").is_file()
    assert bare("lint").returncode == 0
    again = bare.json("import", CURRENT)
    (said,) = again["files"]
    counts = ("new", "changed", "kept", "reviews", "suspended", "media")
    assert {said[name] for name in counts} == {0}
    assert (again["dry_run"], said["unchanged"], said["lost"]) == (False, 6, [])
    assert bare("search", "is:suspended", "--ids").stdout == "house/r\n"
    assert bare("review", "--undo").returncode == 1, "no answer of one's own"


def test_below_a_folder(bare: Shell) -> None:
    assert bare("import", CURRENT, "--into", "Anki/Old").returncode == 0
    below = bare.folder / "Anki" / "Old"
    assert (below / "media" / "tone.mp3").is_file()
    card = (below / "Networks" / "Pooling" / "what_does_max_pooling_do.md").read_text()
    assert "(Anki/Old/media/tone.mp3)" in card
    refused = bare.refused("import", CURRENT, "--into", "../x")
    assert "inside the collection" in refused


def test_bad_input_is_a_sentence_and_changes_nothing(bare: Shell, tmp_path: Path) -> None:
    broken, noise = tmp_path / "broken.apkg", tmp_path / "noise.bin"
    broken.write_bytes(CURRENT.read_bytes()[:5000])
    noise.write_bytes(bytes(range(256)) * 40)
    for words, said in (
        ([broken], "is damaged"),
        ([bare.folder / "none.apkg"], "no such file"),
        ([noise], "no format"),
        ([CURRENT, "--format", "x"], "There is no format"),
        ([CURRENT, bare.folder / "none.apkg"], "no such file"),  # before the first is taken
    ):
        assert said in bare.refused("import", *words)
    for data in (b"", noise.read_bytes()):
        for more in ((), ("--format", "org"), ("--columns", "front,back")):
            done = bare("import", "-", *more, stdin=data)
            if done.returncode == 2:
                assert done.stderr.startswith("deltadeck: standard input"), (data[:9], more)
            else:  # nothing is there to be read, and nothing is lost
                assert done.stdout.startswith("standard input: 0 cards new."), (data[:9], more)
    assert "once" in bare.refused("import", "-", "-", stdin=b"front;back\na;b\n")
    assert list(bare.folder.rglob("*.md")) == []


def test_a_stopped_import_says_how_far_it_is(empty: Path, tmp_path: Path) -> None:
    """Ctrl+S holds it at its first bar, so that Ctrl+C comes before its end on any machine; how
    far it is in its midst, tests/tui/test_import_stopped.py asks."""
    big = package(tmp_path / "big.apkg", [Made(f"g{n}", (f"q{n}", "a")) for n in range(4000)])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**environment(tmp_path), "TMPDIR": str(temporary)}
    with Terminal("import", big, "-C", empty, columns=160, env=env) as app:
        app.press("\x13")
        app.until(lambda _: bool(list(temporary.iterdir())), "got under way")
        app.press("\x03")
        app.see("Stopped: no card is in; import the same file again.")
        assert app.process.wait(30) == 130
    assert list(temporary.iterdir()) == []
    assert list(empty.rglob("*.md")) == []


#: Formats as one file each; their first answer is changed later.
PIPED = {
    "csv": b"front;back;tags\nOne?;first;a\nTwo?;second;b\n",
    "json": b'[{"question": "One?", "answer": "first #flashcards"}, {"question": "Two?"}]',
}


def said(bare: Shell, *words: str | Path, stdin: bytes = b"") -> dict[str, object]:
    (found,) = bare.json("import", *words, stdin=stdin)["files"]
    return {key: found[key] for key in ("file", "new", "changed", "unchanged", "kept")}


@pytest.mark.parametrize("ending", PIPED)
def test_standard_input_is_read_as_a_file_is(ending: str, bare: Shell, tmp_path: Path) -> None:
    data = PIPED[ending]
    path = tmp_path / f"standard input.{ending}"
    path.write_bytes(data)
    other = tmp_path / "other"
    other.mkdir()
    assert said(Shell(bare.home, other), path)["new"] == 2
    first = {"file": "standard input", "new": 2, "changed": 0, "unchanged": 0, "kept": 0}
    assert said(bare, "-", stdin=data) == first
    cards = {card.relative_to(bare.folder): card.read_text() for card in bare.folder.rglob("*.md")}
    of_file = {card.relative_to(other): card.read_text() for card in other.rglob("*.md")}
    assert cards == {at: text.replace(path.name, path.stem) for at, text in of_file.items()}
    assert said(bare, "-", stdin=data) == first | {"new": 0, "unchanged": 2}
    after = said(bare, "-", stdin=data.replace(b"first", b"1st"))
    assert after == first | {"new": 0, "changed": 1, "unchanged": 1}


def test_a_package_comes_through_standard_input(bare: Shell) -> None:
    data = CURRENT.read_bytes()
    assert bare("import", "-", stdin=data).stdout.startswith("standard input: 6 cards new.\n")
    again = bare("import", "-", CURRENT, stdin=data).stdout
    assert again.startswith("standard input: 0 cards new, 6 unchanged.\n")


def test_a_table_without_a_header_has_its_columns_named(bare: Shell) -> None:
    rows = b"rozhled;view;12;noun travel\nd\xc5\xafm;house;3;noun\n"
    words = ("import", "-", "--columns", "front,back,-,tags")
    assert bare(*words, stdin=rows).stdout == "standard input: 2 cards new.\n"
    assert bare("search", "tag:travel", "--ids").stdout == "rozhled\n"
    again = bare(*words, stdin=rows.replace(b"house", b"home"))
    assert again.stdout == "standard input: 0 cards new, 1 changed, 1 unchanged.\n"
    refused = bare.refused("import", "-", "--columns", "front,rear", stdin=rows)
    assert "'rear'" in refused
    assert "question, answer, id" in refused
    both = bare.refused("import", "-", "--columns", "front", "--format", "org", stdin=rows)
    assert "--columns" in both


# Out.


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_ending_says_the_format(deck: Shell, tmp_path: Path) -> None:
    deck("review", ITEM, "good")
    for name in ("all.apkg", "all.json", "all.csv", "all.html"):
        done = deck("export", "--to", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert "2 cards" in done.stdout
        assert (tmp_path / name).stat().st_size > 0
    assert zipfile.is_zipfile(tmp_path / "all.apkg")
    assert len(json.loads((tmp_path / "all.json").read_text())["cards"]) == 2
    (row,) = table(deck("export", "--format", "journal").stdout)
    assert (row["kind"], row["item"], row["rating"]) == ("review", ITEM, "3")


def test_a_search_or_ids_choose_the_cards(deck: Shell) -> None:
    done = deck("export", "--format", "csv", "--search", "type:cloze")
    assert [row["id"] for row in table(done.stdout)] == ["pair"]
    done = deck("export", "-", "--format", "items", stdin=b"pair/c1\npair/c2\n")
    assert [row["item"] for row in table(done.stdout)] == ["pair/c1", "pair/c2"]
    done = deck("export", "pair/c2", "--format", "items")
    assert done.stdout.count("\n") == 2
    done = deck("export", "--search", "tag:none", "--format", "csv")
    assert (done.returncode, done.stdout) == (1, "")


def test_the_report_says_what_is_missing(deck: Shell, tmp_path: Path) -> None:
    text = "---\nid: gone\n---\n# Question\n![x](gone.png)\n\n---\n# Solution\nNone.\n"
    (deck.folder / "gone.md").write_text(text)
    value = deck.json("export", "gone", "--to", tmp_path / "a.html")
    assert value["written"] == {"cards": 1}
    assert value["lost"][0]["where"] == "gone"
    done = deck("export", "gone", "--to", tmp_path / "b.html")
    assert (done.returncode, "gone.png" in done.stderr) == (1, True)


def test_what_cannot_be_is_refused(deck: Shell, tmp_path: Path) -> None:
    taken = tmp_path / "a.json"
    taken.write_text("mine")
    for words, said in (
        (["--to", taken], "--force"),
        (["--to", tmp_path / "a.xyz"], "--format"),
        ([], "--format"),
        (["--format", "doc"], "no format 'doc'"),
        (["--format", "apkg"], "needs a file"),
        (["--format", "json", "--json"], "--to"),
        (["x", "--format", "csv"], "no card 'x'"),
        (["--to", tmp_path / "no" / "a.csv"], "no folder"),
    ):
        assert said in deck.refused("export", *words)
    assert taken.read_text() == "mine"
    assert deck("export", "--to", taken, "--force").returncode == 0


def test_on_a_terminal_it_says_how_far_it_is(deck: Shell, tmp_path: Path) -> None:
    arguments = ("export", "--to", tmp_path / "all.json", "-C", deck.folder)
    with Terminal(*arguments, env=environment(tmp_path / "home"), columns=120) as terminal:
        assert terminal.wait() == 0
        assert "2 cards" in terminal.text()
        assert b"100%" in terminal.raw
        assert "%" not in terminal.text()
