"""Driving the lab alone: one card, its lab in front, and nothing to press before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import TextArea

from tests.tui.driving import Driver, running
from tui.lab.requests import ExerciseRequest, ExerciseSpec
from tui.screens.lab import LabScreen

FIXED = """---
id: fixed
course: Pooling
type: derivation
exercise: {layer: max-pool, kernel: 3, stride: 2, find: J}
---

# Question
The Jacobian of max pooling?

---
# Solution
It is one or zero.
"""
GIVEN = """---
id: elu
course: Layers
type: derivation
exercise:
  given: |
    s[k] = sum(W[k,j] * x[j] for j)
    y[k] = s[k] if s[k] > 0 else exp(s[k]) - 1
  find: "dL/dx[j]"
  sizes: {j: 3, k: 2}
---

# Question
The backward message of a linear layer followed by ELU?

---
# Solution
$$ \\delta_{x,j} = \\sum_k \\delta_k f'(s_k) W_{kj} $$
"""


@asynccontextmanager
async def in_lab(folder: Path, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Driver]:
    """The lab of the only card of a folder."""
    async with running(folder, size) as app:
        [card] = app.app.open_collection.cards.values()
        brief = ExerciseRequest(ExerciseSpec.of(card)).evaluate().brief
        assert brief is not None
        app.app.push_screen(LabScreen(card.items[0].id, card, brief, None))
        await app.settle()
        yield app


async def write_answer(app: Driver, answer: str) -> None:
    editor = app.app.screen.query_one(TextArea)
    editor.load_text(answer)
    await app.settle()
