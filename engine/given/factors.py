"""Known wrong rules that are a factor times what is right: lengths, scalars, any number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.formula import echo
from engine.formula.axes import Array
from engine.formula.tree import Arithmetic, Node, Number, children
from engine.given.judge import Judged
from engine.given.known import Rule
from engine.given.paper import names_in
from engine.verdict import Mistake


def lengths(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    """Divided, or multiplied, by how many of an index there are."""
    for name in judged[0].batch.model.sized:
        if len({_size(one, name) for one in judged}) < 2:
            continue
        yield (
            Mistake(
                f"divided by the number of {name}",
                "Nothing is averaged here: the terms are added as they are.",
            ),
            lambda one, name=name: one.expected / _size(one, name),  # type: ignore[misc]
        )
        yield (
            Mistake(
                f"not divided by the number of {name}",
                f"The mean has a factor 1 over the number of {name}; the derivative keeps it.",
            ),
            lambda one, name=name: one.expected * _size(one, name),  # type: ignore[misc]
        )
        yield (
            Mistake(
                f"divided by the square root of the number of {name}",
                f"The root of the number of {name} is part of another step, or counted twice.",
            ),
            lambda one, name=name: one.expected / np.sqrt(_size(one, name)),  # type: ignore[misc]
        )


def _size(one: Judged, name: str) -> float:
    return float(one.batch.letters.get(name, one.batch.length.numbers.get(name, 1)))


def scalars(few: Judged) -> Iterator[tuple[Mistake, Rule]]:
    """Divided once too often, or not at all, by one number that the forward message divides by."""
    model = few.batch.model
    known = {*model.forward.constants, *few.batch.values, *few.batch.length.numbers}
    seen: list[Node] = []
    for body in _bodies(few):
        for below in _denominators(body):
            names = set(names_in(below))
            if below not in seen and names and names <= known:
                seen.append(below)
    for below in seen:
        said, inverse = echo.text(below), echo.text(Arithmetic("/", Number(1.0), below))
        yield (
            Mistake(f"not divided by {said}", f"What divides stays: {inverse} is a factor."),
            lambda one, below=below: one.expected * _value(one, below),  # type: ignore[misc]
        )
        yield (
            Mistake(f"divided by {said} twice", f"The factor {inverse} is there once."),
            lambda one, below=below: one.expected / _value(one, below),  # type: ignore[misc]
        )


def _denominators(node: Node) -> Iterator[Node]:
    if isinstance(node, Arithmetic) and node.op == "/" and not isinstance(node.right, Number):
        yield node.right
    for part in children(node):
        yield from _denominators(part)


def _value(one: Judged, node: Node) -> Array:
    """A number without indices, for each input: (B, 1, ...); NaN where it has any."""
    found = one.batch.number(node)
    if found.size not in (1, len(one.batch)):
        return np.full((1,) * one.expected.ndim, np.nan)
    return one.wide(np.broadcast_to(found.reshape(-1), (len(one.batch),)))


def constant(judged: Sequence[Judged]) -> Iterator[tuple[Mistake, Rule]]:
    """A number times what is right, whichever the answer has."""
    times = _ratio(judged)
    if times is None:
        return
    name = f"a constant factor: {times:g} times what is right"
    teaching = "Follow the factors in front: those of a power, a mean or a square."
    if times in (2.0, 0.5) and any(map(_squares, _bodies(judged[0]))):
        name = f"the 2 of the square is {'there once too often' if times == 2 else 'missing'}"
        teaching = "The square brings a factor 2 down, which a 1/2 in front takes away."
    yield Mistake(name, teaching), lambda one: times * one.expected


def _bodies(one: Judged) -> list[Node]:
    return [d.body for d in one.batch.model.forward.arrays]


def _squares(node: Node) -> bool:
    square = isinstance(node, Arithmetic) and node.op == "^" and node.right == Number(2.0)
    return square or any(map(_squares, children(node)))


def _ratio(judged: Sequence[Judged]) -> float | None:
    """The factor between the answer and what is right, taken where the latter is largest."""
    one = max(judged, key=lambda j: float(np.abs(_known(j)).max(initial=0.0)))
    known = np.abs(_known(one))
    if not known.size or not known.max(initial=0.0) > 0:
        return None
    at = np.unravel_index(int(known.argmax()), known.shape)
    factor = float(one.got[at] / one.expected[at])
    if not np.isfinite(factor) or factor in (0.0, 1.0):
        return None
    return float(f"{factor:.9g}")


def _known(one: Judged) -> Array:
    return np.where(one.wide(one.left_out_mask) | one.contested, 0.0, one.expected)
