"""The lab, where a card asks for several messages, and where a step on the way is not right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import journal
from tests.tui.lab_driving import in_lab, write_answer

CARD = """---
id: unit
course: Layers
type: derivation
exercise:
  given: |
    s[k] = sum(W[k,j] * x[j] for j) + b[k]
    y[k] = tanh(s[k])
  find: ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"]
---

# Question
The messages of a linear layer followed by tanh?

---
# Solution
$$ \\delta_s = \\delta \\odot (1 - y^2) $$
"""
DX = "dx = W.T @ (delta * (1 - y^2))"
DW = "dW = outer(delta * (1 - y^2), x)"
DB = "db = delta * (1 - y^2)"


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    folder = tmp_path / "cards"
    folder.mkdir()
    (folder / "unit.md").write_text(CARD, "utf-8")
    return folder


async def test_a_part_is_counted_and_the_others_are_named(unit: Path) -> None:
    async with in_lab(unit, size=(80, 24)) as app:
        await write_answer(app, DX)
        assert "✓ right so far, 1 of 3 parts" in app.shown()
        assert "open  dL/dW[k,j], dL/db[k]" in app.shown()
        await write_answer(app, f"{DX}\n{DW}\n{DB}")
        assert "✓ correct: all 3 parts" in app.shown()
        assert "open  " not in app.shown()


async def test_parts_are_remembered_from_one_answer_to_the_next(unit: Path) -> None:
    async with in_lab(unit) as app:
        await write_answer(app, DX)
        await write_answer(app, DW)
        assert "✓ right so far, 2 of 3 parts" in app.shown()
        await write_answer(app, "db = delta")
        assert "✗ wrong: dL/db[k]" in app.shown()
        assert "right  dL/dx[j], dL/dW[k,j]" in app.shown()
        await write_answer(app, DB)
        assert "✓ correct: all 3 parts" in app.shown()
        await app.press("escape")
        [check] = journal(unit, "check")
        data = check["data"]
        assert (data["verdict"], len(data["parts"]), data["open"]) == ("correct", 3, [])


async def test_a_part_that_was_right_and_is_made_wrong_is_open_again(unit: Path) -> None:
    async with in_lab(unit) as app:
        await write_answer(app, DB)
        await write_answer(app, "db = delta")
        assert "open  dL/db[k], dL/dx[j], dL/dW[k,j]" in app.shown()
        assert "right  " not in app.shown()


async def test_a_hint_of_a_part_says_what_is_open(unit: Path) -> None:
    async with in_lab(unit) as app:
        await write_answer(app, DB)
        await app.press("ctrl+g")
        assert app.said() == ["What is written is right. Still open: dL/dx[j], dL/dW[k,j]."]


async def test_a_false_step_has_a_caret_and_its_failing_inputs(unit: Path) -> None:
    async with in_lab(unit, size=(80, 24)) as app:
        await write_answer(app, "db = delta * y = delta * (1 - y^2)")
        shown = app.shown()
        assert "✗ the result is right; this step is not" in shown
        lines = shown.splitlines()
        at = next(n for n, line in enumerate(lines) if line.strip() == "^")
        assert lines[at - 1][lines[at].index("^") :].startswith("delta * y")
        assert "this step  dL/db[k] = delta[k] * y[k]" in shown
        assert "dL/db[k], expected" in shown
        await app.press("ctrl+n")
        assert "failing input 1 of" in app.shown()
        assert "✗" in app.shown().split("dL/db[k], yours")[1]
