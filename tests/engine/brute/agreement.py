"""What an answer's verdict must be, by brute force, and whether the engine's agrees.

A counterexample that the engine shows is one input more: it must be one to the loops as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from engine.formula import tree
from engine.messages.answer import Read
from engine.verdict import Counterexample, Verdict
from tests.engine.brute import interpreter, pooling
from tests.engine.brute.pooling import Case, output_size

#: So many inputs are tried before an answer that the engine calls wrong is held to be right apart.
PATIENCE: Final = 2_000


@dataclass
class Standing:
    """What brute force found so far: each stays True until an input shows otherwise."""

    valid: bool = True
    """Right by some valid subgradient."""
    exists: bool = True
    """Right wherever the derivative exists."""
    apart: bool = True
    """Right wherever it exists while windows do not overlap."""

    @property
    def outcome(self) -> str:
        if self.valid:
            return "correct"
        if self.exists:
            return "correct-except-ties"
        return "only-without-overlap" if self.apart else "wrong"


def look(answer: Read, case: Case, standing: Standing) -> None:
    """Try the answer on one more input."""
    if answer.target.jacobian:
        J = interpreter.jacobian(answer, case)
        valid = pooling.valid_jacobian(case, J)
        exists = valid or pooling.jacobian_where_it_exists(case, J)
    else:
        dx = interpreter.message(answer, case)
        valid = pooling.valid_message(case, dx)
        exists = valid or pooling.message_where_it_exists(case, dx)
    standing.valid &= valid
    standing.exists &= exists
    standing.apart &= exists or case.overlaps


def disagreement(
    answer: Read,
    found: Verdict,
    cases: Sequence[Case],
    apart: Callable[[], Iterator[Case]],
    general: bool = True,
) -> str | None:
    """Why the verdict cannot stand; None where brute force agrees.

    `apart` are inputs for the exercise's kernels whose windows do not overlap, as many as one
    likes: whether an answer holds there is only asked of one that fails where they do.  A `general`
    exercise is about any kernel.
    """
    standing = Standing()
    shown = found.counterexample
    if shown is not None:
        look(answer, shown_case(shown), standing)
        if standing.valid and ("delta" in shown.inputs or not uses_delta(answer)):
            return "the counterexample is none"
    elif found.verdict != "correct":
        return "no counterexample is shown"
    for case in cases:
        if standing.outcome == "wrong":
            break
        look(answer, case, standing)
    stricter = found.verdict == "wrong" and standing.outcome != "wrong"
    if stricter or standing.outcome == "only-without-overlap":
        for case in islice(apart(), PATIENCE if stricter else len(cases)):
            if not standing.apart:
                break
            sideways = Standing()
            look(answer, case, sideways)
            standing.apart = sideways.exists
            # Of a general exercise, these are inputs like the others.
            standing.exists &= sideways.exists or not general
            standing.valid &= sideways.valid or not general
    if found.verdict == standing.outcome:
        return None
    # What agrees with a known wrong rule is wrong, wherever it happens to be right.
    if found.verdict == "wrong" and found.misconception and not standing.exists:
        return None
    return f"{found.verdict} (misconception {found.misconception}), but {standing.outcome}"


def shown_case(shown: Counterexample) -> Case:
    """A counterexample as an input; of a Jacobian, which needs none, with some upstream message."""
    windows, arrays = shown.windows, shown.inputs
    assert windows is not None
    layout = windows.kernel, windows.stride, windows.padding
    x: Any = arrays["x"]
    high, wide = output_size(*layout, (len(x), len(x[0])))
    delta: Any = arrays.get("delta", [[0.3] * wide for _ in range(high)])
    return Case(*layout, x, delta)


def uses_delta(answer: Read) -> bool:
    def within(node: tree.Node) -> bool:
        named = isinstance(node, tree.Name) and node.name == "delta"
        cell = isinstance(node, tree.Cell) and node.array == "delta"
        return named or cell or any(map(within, tree.children(node)))

    return within(answer.body) or any(within(d.body) for d in answer.definitions)
