"""Driving the lab alone: one card, its lab in front, and nothing to press before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import TextArea

from tests.tui.driving import Driver, running
from tui.lab.requests import ExerciseSpec
from tui.lab.server import answered, lookup
from tui.lab.worksheet import Worksheet, WorksheetRequest
from tui.screens.lab import LabScreen

CARD = """---
id: {name}
course: Layers
type: derivation
exercise: {exercise}
---

# Question
What is its message?

---
# Solution
{solution}
"""
FIXED = CARD.format(
    name="fixed",
    exercise="{layer: max-pool, kernel: 3, stride: 2, find: J}",
    solution="It is one or zero.",
)
GIVEN = CARD.format(
    name="elu",
    exercise="""
  given: |
    s[k] = sum(W[k,j] * x[j] for j)
    y[k] = s[k] if s[k] > 0 else exp(s[k]) - 1
  find: "dL/dx[j]"
  sizes: {j: 3, k: 2}""",
    solution="$$ \\delta_{x,j} = \\sum_k \\delta_k f'(s_k) W_{kj} $$",
)
PARTS = CARD.format(
    name="unit",
    exercise="""
  given: |
    s[k] = sum(W[k,j] * x[j] for j) + b[k]
    y[k] = tanh(s[k])
  find: ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]"]""",
    solution="$$ \\delta_s = \\delta \\odot (1 - y^2) $$",
)
FUNCTION = """def backward(x, delta):
    print(x.shape)
    dx = np.zeros_like(x)
    for k in range(delta.shape[0]):
        for l in range(delta.shape[1]):
            r, c = max(k * sh - ph, 0), max(l * sw - pw, 0)
            w = x[r:k * sh - ph + kh, c:l * sw - pw + kw]
            p = np.unravel_index(np.argmax(w), w.shape)
            dx[r + p[0], c + p[1]] += delta[k, l]
    return dx
"""


async def open_lab(app: Driver) -> None:
    """The lab of the only card of the folder."""
    [card] = app.app.open_collection.cards.values()
    brief = lookup(ExerciseSpec.of(card)).brief
    assert brief is not None
    app.app.push_screen(LabScreen(card.items[0].id, card, brief))
    await app.settle()


@asynccontextmanager
async def in_lab(folder: Path, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Driver]:
    async with running(folder, size) as app:
        await open_lab(app)
        yield app


async def write_answer(app: Driver, answer: str) -> None:
    app.app.screen.query_one(TextArea).load_text(answer)
    await app.settle()


def worksheet_of(exercise: object = None, seed: int = 1) -> Worksheet:
    """The small input of a number, of max pooling where no exercise is named."""
    tags = () if exercise else ("max-pooling", "backpropagation")
    found = answered(WorksheetRequest(ExerciseSpec(exercise, tags, "derivation"), seed))
    assert found is not None
    return found
