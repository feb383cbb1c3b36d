"""`deltadeck search`, `list`, `stats`, `exam` and `optimize`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.shell import ITEM, Shell
from tests.tui.studied import make


def first_words(text: str) -> list[str]:
    return [row.split()[0] for row in text.splitlines()]


def test_a_search_names_what_it_finds(deck: Shell) -> None:
    found = deck("search", "tag:cnn", "is:new", "--ids")
    assert (found.returncode, found.stdout) == (0, f"{ITEM}\n")
    table = deck("search", "type:cloze or tag:cnn").stdout
    assert first_words(table) == ["pair/c1", "pair/c2", ITEM]
    (first,) = deck.json("search", "id:pair/c2")
    assert (first["card"], first["state"], first["r"]) == ("pair", "new", None)
    nothing = deck("search", "zzz")
    assert (nothing.returncode, nothing.stdout) == (1, "Nothing is found.\n")
    assert first_words(deck("list").stdout) == ["pair", ITEM]
    assert [card["id"] for card in deck.json("list")] == ["pair", ITEM]


@pytest.mark.parametrize("command", ["list", "due", "search is:new"])
def test_what_cannot_be_read_is_named_beside_what_is_found(deck: Shell, command: str) -> None:
    (deck.folder / "half.md").write_text("---\nid: half\n")
    for form in ([], ["--ids"], ["--json"]):
        done = deck(*command.split(), *form)
        assert done.returncode == 0, "it is no fault of what was asked for"
        assert "half.md:" in done.stderr
        assert "pair" in done.stdout or "deck" in done.stdout
        assert "half" not in done.stdout
    assert deck("lint", deck.folder).returncode == 2


def test_a_search_that_cannot_be_read_has_a_caret_under_the_place(deck: Shell) -> None:
    rows = deck.refused("search", "tag:cnn is:du", rows=4).splitlines()
    assert rows[0] == "deltadeck: Unknown state `du`."
    assert rows[1].index("du") == rows[2].index("^")
    assert rows[3].strip() == "Did you mean due?"
    for command in ("list", "stats"):
        assert deck(command, "tag:").returncode == 2


def test_statistics_are_said_and_are_data(deck: Shell) -> None:
    deck("review", ITEM, "good", "--seconds", "60")
    said = deck("stats").stdout
    assert "1 answer in 1 min · 1 day in a row" in said
    (day,) = deck.json("stats")["days"]
    assert f"{day['day']}: 1 answer in 1 min, 1 day\n" in said
    stats = deck.json("stats", "tag:cnn")
    assert stats["standing"]["learning"] == 1
    assert stats["days"][0]["answers"]["new"] == 1
    assert deck.json("stats", "-tag:cnn pair")["days"] == []


def test_an_exam_is_planned_and_an_unreachable_target_said(deck: Shell) -> None:
    assert "has an exam" in deck.refused("exam")
    course = "Statistical Machine Learning"
    private = deck.folder / ".deltadeck"
    private.mkdir()
    settings = f'[courses."{course}"]\nexam = 2000-01-20\ntarget = 99\n'
    (private / "config.toml").write_text(settings)
    past = deck("exam")
    assert past.returncode == 1
    assert "cannot be reached" in past.stdout
    (found,) = deck.json("exam", course, "--plan")
    assert found["now"]["points"] == 5
    assert found["target"]["reached"] is False
    assert found["days_of_plan"] == []
    assert "no course 'Other'" in deck.refused("exam", "Other")


def test_a_fit_on_too_few_reviews_is_refused_and_the_workload_is_a_table(deck: Shell) -> None:
    assert "fit needs 1,000 reviews" in deck.refused("optimize")
    assert "goes with --apply" in deck.refused("optimize", "--reschedule")
    rows = deck("optimize", "--workload").stdout.splitlines()
    assert rows[0] == "A year with 3 items:"
    assert len(rows) == 17


def test_figures_are_chosen_by_name_and_printed_plain(empty: Path, shell: Shell) -> None:
    make(empty, 12)
    said = shell("stats", "--plot", "buttons,added", "--span", "all", "-C", empty).stdout
    assert "\x1b" not in said
    assert "Answer buttons" in said
    assert "12 cards were added" in said
    assert "True retention" not in said
    assert max(map(len, said.splitlines())) < 80
    refused = shell.refused("stats", "--plot", "x", "-C", empty)
    assert "Known: forecast, calendar" in refused
    refused = shell.refused("stats", "--course", "x", "-C", empty)
    assert "there is Control, Machine Learning" in refused
    shell.env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    said = shell.process("stats", "-C", empty).stdout
    assert said.isascii()
    assert "##" in said
    assert "You gave" in said
