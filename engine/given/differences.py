"""Known wrong rules for a loss whose derivative is the difference of two arrays, as p - t."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from engine.formula.axes import Array
from engine.given.judge import Judged
from engine.given.known import Rule
from engine.verdict import Mistake


def parts(one: Judged) -> tuple[str, str] | None:
    """The p and t of p - t; None where the derivative is no such thing."""
    if not one.target.of_loss:
        return None
    values = one.batch.values
    known = [name for name in one.batch.shapes if values[name].shape == one.expected.shape]
    for above in known:
        for below in known:
            if _equal(one, values[above] - values[below]):
                return above, below
    return None


def _equal(one: Judged, values: Array) -> bool:
    clear = ~one.wide(one.left_out_mask) & np.isfinite(values)
    return bool((np.abs(values - one.expected) <= one.slack)[clear].all())


def rules(few: Judged) -> Iterator[tuple[Mistake, Rule]]:
    found = parts(few)
    if found is None:
        return
    p, t = found
    right = f"What is left of the chain rule is {p} - {t}"

    def rule(name: str, made: Callable[[Array, Array], Array]) -> tuple[Mistake, Rule]:
        return (
            Mistake(name, f"{right}, nothing else."),
            lambda one: made(one.batch.values[p], one.batch.values[t]),
        )

    yield rule(f"{t} is forgotten in {p} - {t}", lambda a, b: a + 0 * b)
    yield rule(f"{p} is forgotten in {p} - {t}", lambda a, b: 0 * a - b)
    yield rule(f"{p} + {t} in place of {p} - {t}", lambda a, b: a + b)
    yield rule(f"{p} - 1 in place of {p} - {t}", lambda a, b: a - 1 + 0 * b)
    yield rule(f"the size of {p} - {t} without its sign", lambda a, b: np.abs(a - b))
    yield rule(f"the square of {p} - {t} in place of its slope", lambda a, b: (a - b) ** 2)
    yield rule(f"half the square of {p} - {t}: the loss itself", lambda a, b: (a - b) ** 2 / 2)
    yield rule(f"{p} (1 - {p}) is a factor too many", lambda a, b: (a - b) * a * (1 - a))
    yield rule(f"divided by {p} (1 - {p})", lambda a, b: (a - b) / (a * (1 - a)))
    yield rule(f"divided by {p}", lambda a, b: (a - b) / a)
    values = few.batch.values
    for name in few.batch.shapes:
        if name not in (p, t) and values[name].shape == few.expected.shape:
            yield (
                Mistake(f"{name} in place of {p}", f"{right}: {p}, and not {name}."),
                lambda one, name=name: one.batch.values[name] - one.batch.values[t],  # type: ignore[misc]
            )
