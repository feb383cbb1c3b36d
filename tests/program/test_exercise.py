"""`deltadeck exercise`, and `lint --solutions`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program.shell import Shell
from tests.tui.driving import write

HEAD = "---\nid: {id}\n# mine\ntype: derivation\n{more}---\n\n# Question\n"
QUESTION = (
    "Let $s = \\sum_j w_j x_j$ and $L = \\frac12 (s - t)^2$. Derive $\\partial L/\\partial w_j$.\n"
)
RIGHT = "$$\\frac{\\partial L}{\\partial w_j} = (s - t) x_j$$"
WRONG = RIGHT.replace("= (s", "= 2 (s")
LINES = """exercise:
  given: |
    s = sum(w[j] * x[j] for j)
    L = 1/2 * (s - t)^2
  find: "dL/dw[j]"
"""


def card(name: str, solution: str = RIGHT, question: str = QUESTION, more: str = "") -> str:
    return f"{HEAD.format(id=name, more=more)}{question}\n---\n# Solution\nSo\n{solution}\n"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    write(tmp_path, "right", card("right"))
    write(tmp_path, "wrong", card("wrong", WRONG))
    write(tmp_path, "none", card("none", question="Derive the messages of your layer.\n"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("right", 0, [LINES, "✓ correct", "Proposed: paste it"]),
        ("wrong", 1, [LINES, "✗ wrong", "the factor 1/2 is forgotten", "Proposed: paste it"]),
        ("none", 2, ["none: Neither the question nor the solution has a formula", "`given`"]),
    ],
)
def test_an_exercise_is_proposed_with_the_verdict_on_the_solution(
    deck: Path, shell: Shell, name: str, code: int, said: list[str]
) -> None:
    done = shell("exercise", name, "-C", deck)
    assert done.returncode == code
    assert all(words in done.stdout + done.stderr for words in said), done
    assert "exercise:" not in (deck / f"{name}.md").read_text()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_it_is_written_into_the_card_which_keeps_all_else(
    deck: Path, shell: Shell, ending: str
) -> None:
    path = deck / "right.md"
    before = card("right").replace("\n", ending)
    path.write_bytes(before.encode())
    done = shell("exercise", "right", "--write", "-C", deck)
    assert (done.returncode, "Written to" in done.stdout) == (0, True), done
    after = before.replace(f"derivation{ending}", f"derivation{ending}{LINES}", 1)
    assert path.read_bytes().decode() == after.replace("\r\n", "\n").replace("\n", ending)
    again = shell("exercise", "right", "--write", "-C", deck)
    assert (again.returncode, "Proposed" in again.stdout) == (0, False)
    assert shell("check", "right", "--answer", "dL/dw[j] = (s-t)*x[j]", "-C", deck).returncode == 0


def test_for_a_program_it_is_data(deck: Path, shell: Shell) -> None:
    done = shell("exercise", "right", "none", "--json", "-C", deck)
    right, none = json.loads(done.stdout)
    assert done.returncode == 2
    assert right["exercise"]["find"] == "dL/dw[j]"
    assert (right["proposed"], right["written"]) == (True, False)
    assert right["verdict"]["verdict"] == "correct"
    assert (none["id"], none["exercise"]) == ("none", None)
    assert "formula" in none["message"]


def test_solutions_are_tried_only_where_that_is_asked_for(deck: Path, shell: Shell) -> None:
    for name, solution in (("right", RIGHT), ("wrong", WRONG), ("unread", "$$dL/dw_j = ?$$")):
        write(deck, name, card(name, solution, more=LINES))
    assert shell("lint", deck).returncode == 0
    done = shell("lint", "--solutions", deck)
    rows = done.stdout.splitlines()
    row = next(n for n, each in enumerate(rows) if each.startswith("warning:"))
    assert done.returncode == 1
    assert "wrong.md:18:" in rows[row]
    assert "the factor 1/2 is forgotten" in rows[row]
    assert rows[row + 2].index("^") == rows[row + 1].index("2 (s")
    assert any(each.startswith("hint:") and "unread.md:18:" in each for each in rows)
    assert not any("right.md" in each for each in rows)
    write(deck, "right", card("right", f"{RIGHT}\n\n## Explanation\nOf $w = 3$.", more=LINES))
    assert not shell.json("lint", "--solutions", deck / "right.md")
    found = shell.json("lint", "--solutions", deck / "wrong.md")
    assert [(each["severity"], each["line"]) for each in found] == [("warning", 18)]
