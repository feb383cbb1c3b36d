"""`deltadeck export` as it is used: by a file's ending, by a search, in pipes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.program.shell import Shell
from tests.program.terminal import Terminal, environment

ITEM = "ssu_batch4_004"


@pytest.fixture
def deck(folder: Path) -> Path:
    (folder / "pair.md").write_text(
        "---\nid: pair\ncourse: Clozes\ntype: cloze\n---\n# Question\n{{c1::One}}, {{c2::two}}.\n"
    )
    return folder


def test_the_ending_says_the_format(deck: Path, shell: Shell, tmp_path: Path) -> None:
    shell("review", ITEM, "good", "-C", deck)
    for name in ("all.apkg", "all.json", "all.csv", "all.html"):
        done = shell("export", "--to", tmp_path / name, "-C", deck)
        assert done.returncode == 0, done.stderr
        assert "2 cards" in done.stdout
        assert (tmp_path / name).stat().st_size > 0
    assert zipfile.is_zipfile(tmp_path / "all.apkg")
    assert len(json.loads((tmp_path / "all.json").read_text())["cards"]) == 2


def test_a_search_or_ids_choose_the_cards(deck: Path, shell: Shell) -> None:
    done = shell("export", "--format", "csv", "--search", "type:cloze", "-C", deck)
    assert [row["id"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["pair"]
    ids = shell("search", "type:cloze", "--ids", "-C", deck).stdout
    done = shell("export", "-", "--format", "items", "-C", deck, stdin=ids.encode())
    items = [row["item"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert items == ["pair/c1", "pair/c2"]
    done = shell("export", "pair/c2", "--format", "items", "-C", deck)
    assert done.stdout.count("\n") == 2
    done = shell("export", "--search", "tag:none", "--format", "csv", "-C", deck)
    assert (done.returncode, done.stdout) == (1, "")


def test_the_report_says_what_is_missing(deck: Path, shell: Shell, tmp_path: Path) -> None:
    text = "---\nid: gone\n---\n# Question\n![x](gone.png)\n\n---\n# Solution\nNone.\n"
    (deck / "gone.md").write_text(text)
    done = shell("export", "gone", "--to", tmp_path / "a.html", "--json", "-C", deck)
    assert done.returncode == 1
    value = json.loads(done.stdout)
    assert value["written"] == {"cards": 1}
    assert value["lost"][0]["where"] == "gone"
    done = shell("export", "gone", "--to", tmp_path / "b.html", "-C", deck)
    assert "gone.png" in done.stderr


def test_what_cannot_be_is_refused(deck: Path, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("mine")
    refused = shell.refused
    assert "--force" in refused("export", "--to", tmp_path / "a.json", "-C", deck)
    assert (tmp_path / "a.json").read_text() == "mine"
    assert shell("export", "--to", tmp_path / "a.json", "--force", "-C", deck).returncode == 0
    assert "--format" in refused("export", "--to", tmp_path / "a.xyz", "-C", deck)
    assert "--format" in refused("export", "-C", deck)
    assert "no format 'doc'" in refused("export", "--format", "doc", "-C", deck)
    assert "needs a file" in refused("export", "--format", "apkg", "-C", deck)
    assert "--to" in refused("export", "--format", "json", "--json", "-C", deck)
    assert "no card 'x'" in refused("export", "x", "--format", "csv", "-C", deck)
    assert "no folder" in refused("export", "--to", tmp_path / "no" / "a.csv", "-C", deck)


def test_the_journal_is_a_table(deck: Path, shell: Shell) -> None:
    shell("review", ITEM, "good", "-C", deck)
    done = shell("export", "--format", "journal", "-C", deck)
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["kind"], row["item"], row["rating"]) == ("review", ITEM, "3")


def test_on_a_terminal_it_says_how_far_it_is(deck: Path, tmp_path: Path) -> None:
    arguments = ("export", "--to", str(tmp_path / "all.json"), "-C", str(deck))
    with Terminal(*arguments, env=environment(tmp_path / "home"), columns=120) as terminal:
        assert terminal.wait() == 0
        assert "2 cards" in terminal.text()
        assert b"100%" in terminal.raw
        assert "%" not in terminal.text()
