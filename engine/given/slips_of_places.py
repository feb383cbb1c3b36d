"""Slips of where a layer reads: stride, padding, direction, in every place that says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.formula import echo
from engine.formula.tree import (
    Arithmetic,
    Binder,
    Cell,
    Comparison,
    Name,
    Node,
    Number,
    Range,
    Reduce,
    children,
)
from engine.given.paper import exchanged
from engine.given.slips import everywhere
from engine.verdict import Mistake


def slips(node: Node) -> Iterator[tuple[Mistake, Node]]:
    """Each computed index x[i*s+a-p] put wrongly, with the conditions that speak of it."""
    computed = dict.fromkeys(index for index in _indices(node) if isinstance(index, Arithmetic))
    ways = {index: [*_index(index, echo.text(index))] for index in computed}
    for index, found in ways.items():
        for mistake, other in found:
            yield mistake, exchanged(node, index, other)
    if len(computed) > 1:
        # In both dimensions of an image at once.
        for alike in zip(*ways.values(), strict=False):
            changed = node
            for index, (_, other) in zip(ways, alike, strict=True):
                changed = exchanged(changed, index, other)
            yield alike[0][0], changed
    if computed:
        yield from everywhere(node, _here)


def _indices(node: Node) -> Iterator[Node]:
    if isinstance(node, Cell):
        yield from node.indices
    for part in children(node):
        yield from _indices(part)


def _index(index: Node, whole: str) -> Iterator[tuple[Mistake, Node]]:
    match index:
        case Arithmetic("*", (Name() | Number()) as one, (Name() | Number()) as two):
            pairs: tuple[tuple[Node, Node], ...] = ((one, two), (two, one))
            for kept, other in pairs:
                name = f"the stride {echo.text(other)} is forgotten"
                yield Mistake(name, f"The place that is read is {whole}, all of it."), kept
        case Arithmetic("-" | "+" as op, left, right):
            name = "the padding" if op == "-" else "the place inside the window"
            teaching = f"The place that is read is {whole}, all of it."
            yield Mistake(f"{name} {echo.text(right)} is forgotten", teaching), left
            turned = Arithmetic("+" if op == "-" else "-", left, right)
            said = f"{echo.text(turned)} in place of {echo.text(index)}"
            yield Mistake(f"the index runs the other way: {said}", teaching), turned
            for mistake, inside in _index(left, whole):
                yield mistake, Arithmetic(op, inside, right)
            if isinstance(left, Arithmetic) and isinstance(left.left, Name):
                name = f"only {left.left.name} of the place {whole} is read"
                yield Mistake(name, teaching), left.left


def _here(node: Node) -> Iterator[tuple[Mistake, Node]]:
    if isinstance(node, Reduce):
        yield from _ends(node)
    yield from _flipped(node)


def _ends(node: Reduce) -> Iterator[tuple[Mistake, Node]]:
    """A written range that begins or ends one too late or too early."""
    for place, binder in enumerate(node.binders):
        if not isinstance(binder.domain, Range):
            continue
        letter, (start, stop) = binder.names[0], (binder.domain.start, binder.domain.stop)
        teaching = f"{letter} runs from {echo.text(start)} to before {echo.text(stop)}."
        for name, domain in (
            (f"one too many at the end of {letter}", Range(start, _next(stop, "+"))),
            (f"one too few at the end of {letter}", Range(start, _next(stop, "-"))),
            (f"one too few at the beginning of {letter}", Range(_next(start, "+"), stop)),
            (f"the first of {letter} alone", Range(start, _next(start, "+"))),
        ):
            binders = list(node.binders)
            binders[place] = replace(binder, domain=domain)
            yield Mistake(name, teaching), replace(node, binders=tuple(binders))


def _next(node: Node, sign: str) -> Node:
    return Arithmetic(sign, node, Number(1.0))


def _flipped(node: Node) -> Iterator[tuple[Mistake, Node]]:
    """W[n-1-a] for W[a] beside a computed index; the length is counted by the array itself."""
    if not isinstance(node, Cell) or not all(isinstance(index, Name) for index in node.indices):
        return
    teaching = "Each entry goes back by the weight that it went forward by: nothing is turned."
    for place, index in enumerate(node.indices):
        assert isinstance(index, Name)
        own = Comparison(("==",), (node, node))
        length = Reduce("count", own, (Binder((index.name,), None),), None)
        last = Arithmetic("-", Arithmetic("-", length, Number(1.0)), index)
        changed = (*node.indices[:place], last, *node.indices[place + 1 :])
        name = f"{node.array} is flipped along {index.name}"
        yield Mistake(name, teaching), replace(node, indices=changed)
