"""Items are put off, put aside and made new from the command line; sessions are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program.shell import Shell

ITEM = "ssu_batch4_004"
CLOZE = "---\nid: pair\ncourse: Clozes\ntype: cloze\n---\n# Question\n{{c1::One}}, {{c2::two}}.\n"


@pytest.fixture
def deck(folder: Path) -> Path:
    (folder / "pair.md").write_text(CLOZE)
    return folder


def found(shell: Shell, deck: Path, query: str) -> list[str]:
    return shell("search", query, "--ids", "-C", deck).stdout.split()


def test_ids_come_from_standard_input(deck: Path, shell: Shell) -> None:
    ids = shell("search", "type:cloze", "--ids", "-C", deck).stdout
    done = shell("suspend", "-", "-C", deck, "--json", stdin=ids.encode())
    assert json.loads(done.stdout) == {"items": ["pair/c1", "pair/c2"]}
    assert found(shell, deck, "is:suspended") == ["pair/c1", "pair/c2"]
    done = shell("suspend", ITEM, "-", "--off", "-C", deck, stdin=b"pair\n")
    assert done.stdout == "pair/c1: taken up again.\npair/c2: taken up again.\n"
    assert "There is no card" in shell.refused("suspend", "-", "-C", deck, stdin=b"pair\nnone\n")
    assert "not UTF-8" in shell.refused("suspend", "-", "-C", deck, stdin=b"\xff\n")
    assert "--search" in shell.refused("suspend", "-C", deck)


def test_what_is_put_off_is_not_due_until_then(deck: Path, shell: Shell) -> None:
    assert "again in 3 days" in shell("bury", ITEM, "--days", "3", "-C", deck).stdout
    assert shell("due", "--ids", "--search", "tag:cnn", "-C", deck).stdout == ""
    assert found(shell, deck, "is:buried") == [ITEM]
    assert shell("bury", ITEM, "pair", "--off", "-C", deck).stdout.count("\n") == 1
    assert found(shell, deck, "is:buried") == []
    assert "from 1 to" in shell.refused("bury", ITEM, "--days", "0", "-C", deck)


def test_a_reset_item_is_new_and_keeps_its_history(deck: Path, shell: Shell) -> None:
    shell("review", ITEM, "easy", "-C", deck)
    assert shell("reset", ITEM, "-C", deck).stdout == f"{ITEM}: new again.\n"
    assert ITEM in found(shell, deck, "is:new")
    assert found(shell, deck, "rated:1") == [ITEM]
    assert "new already" in shell("reset", ITEM, "-C", deck).stdout


def test_a_day_takes_more_once(deck: Path, shell: Shell) -> None:
    private = deck / ".deltadeck"
    private.mkdir()
    (private / "config.toml").write_text('new_per_day = 0\n[courses."Clozes"]\nnew_per_day = 0\n')
    assert shell("due", "--ids", "-C", deck).stdout == ""
    done = shell("raise", "--new", "1", "--deck", "clozes", "-C", deck)
    assert done.stdout == "Today of Clozes: 1 new card more.\n"
    assert shell("due", "--ids", "-C", deck).stdout == "pair/c1\n"
    value = json.loads(shell("raise", "--new", "1", "--json", "-C", deck).stdout)
    assert value["left"]["new"] == 2
    assert "Nothing is raised" in shell.refused("raise", "-C", deck)
    assert "--new takes" in shell.refused("raise", "--new", "x", "-C", deck)
    assert "Did you mean Clozes" in shell.refused(
        "raise", "--new", "1", "--deck", "Cloze", "-C", deck
    )


def test_a_session_of_its_own_kind_is_listed(deck: Path, shell: Shell) -> None:
    assert shell("due", "--cram", "--ids", "-C", deck).stdout.split() == [
        "pair/c1",
        "pair/c2",
        ITEM,
    ]
    assert shell("due", "--cram", "--limit", "1", "-C", deck).stdout == "1 item: 1 new.\n"
    assert shell("due", "--deck", "clozes", "--list", "-C", deck).stdout == "new       pair/c1\n"
    assert json.loads(shell("due", "--ahead", "3", "--json", "-C", deck).stdout)["queue"] == []
    assert "no is:nwe" in shell.refused_at_length("due", "--search", "is:nwe", "-C", deck)
    assert "--limit takes" in shell.refused("due", "--limit", "0", "-C", deck)
    assert "no deck" in shell.refused("study", deck, "--deck", "Nowhere")
    assert "no is:nwe" in shell.refused_at_length("study", deck, "--search", "is:nwe")
    assert "needs a terminal" in shell.refused("study", deck, "--cram")
