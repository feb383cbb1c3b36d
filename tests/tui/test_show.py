"""`deltadeck show`: a card as a page on a terminal, and in a pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deck.collection import Collection
from tests.paths import ROOT
from tests.tui.driving import CHOICE, Clock, basic, write
from tui.commands.cards import card_page
from tui.main import main

FOLDED = "## Part\n\nSee [[b]] and [x](https://a.example), $\\frac12$, `code`."


@pytest.fixture
def collection(folder: Path) -> Collection:
    write(folder, "a", basic("a", FOLDED, "**Solved.**"))
    write(folder, "b", CHOICE.format(id="b"))
    return Collection.open(folder, now=Clock()())


def page(collection: Collection, card: str, width: int = 60, styled: bool = False) -> str:
    return card_page(collection.cards[card], collection, width, styled)


def test_a_pipe_gets_plain_text_with_addresses(collection: Collection) -> None:
    shown = page(collection, "a")
    assert "\x1b" not in shown
    assert "See b and x (https://a.example), 1/2, code." in shown
    assert "▾" not in shown
    assert "Solved." in shown


def test_a_terminal_gets_styles_and_hyperlinks(collection: Collection) -> None:
    shown = page(collection, "a", styled=True)
    assert "\x1b[1mSolved.\x1b[0m" in shown
    assert "\x1b]8;;https://a.example\x1b\\" in shown
    assert shown.count("\x1b]8;;\x1b\\") == shown.count("\x1b]8;;https")


def test_options_and_their_verdict_are_part_of_the_page(collection: Collection) -> None:
    assert " ✓ B) one" in page(collection, "b")
    asked = card_page(collection.cards["b"], collection, 60, styled=False, solution=False)
    assert "   B) one" in asked
    assert "✓" not in asked


def test_the_width_is_kept(
    collection: Collection, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collection.cards
    assert main(["show", "a", "-C", str(folder), "--width", "20"]) == 0
    rows = capsys.readouterr().out.split("\n\n", 1)[1].split("\n")
    assert max(map(len, rows)) <= 20
    assert main(["show", "a", "-C", str(folder), "--width", "3"]) == 2
    assert "--width" in capsys.readouterr().err


def test_what_a_stranger_wrote_steers_no_terminal(folder: Path) -> None:
    write(folder, "c", basic("c", "[a](https://x.example/%1b]0;t%07) \x1b]0;title\x07 `\x9b31m`"))
    collection = Collection.open(folder, now=Clock()())
    shown = page(collection, "c", styled=True)
    assert "\x1b]0" not in shown
    assert "\x9b" not in shown
    assert "\x07" not in shown


def test_printing_a_card_does_not_bring_the_app_in(folder: Path) -> None:
    write(folder, "a", basic("a", FOLDED))
    code = (
        "import sys; from tui.main import main; "
        f"main(['show', 'a', '-C', {str(folder)!r}]); "
        "print([m for m in ('textual', 'numpy', 'pygments') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("setting", "course", "card", "stays"),
    [
        ("", "", "", False),
        ("", "", "true", True),
        ("line_breaks = true", "", "", True),
        ("line_breaks = true", "", "false", False),
        ("", "line_breaks = true", "", True),
        ("line_breaks = true", "line_breaks = false", "", False),
        ("line_breaks = true", "line_breaks = false", "true", True),
    ],
)
def test_line_breaks_stay_as_card_course_and_collection_say(
    folder: Path, setting: str, course: str, card: str, stays: bool
) -> None:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    settings = f"{setting}\n[courses.Algebra]\n{course}\n"
    (folder / ".deltadeck" / "config.toml").write_text(settings)
    head = f"id: a\ncourse: Algebra\ntype: multiple_choice\n{card and f'line_breaks: {card}'}"
    options = "## Options\nA) first\nline\nB) other"
    text = f"---\n{head}\n---\n# Question\none\ntwo\n\n{options}\n\n# Solution\nthree\nfour\n"
    write(folder, "a", text)
    collection = Collection.open(folder, now=Clock()())
    shown = page(collection, "a")
    for words in ("one two", "three four", "first line"):
        assert (words in shown) is not stays
    assert collection.cards["a"].warnings[1:] == ()


def test_what_line_breaks_does_not_take_is_said(folder: Path) -> None:
    write(folder, "a", "---\nid: a\nline_breaks: perhaps\n---\n# Question\nWhy?\n# Solution\nSo.\n")
    (problem,) = Collection.open(folder, now=Clock()()).cards["a"].warnings
    assert "line_breaks" in problem.message
