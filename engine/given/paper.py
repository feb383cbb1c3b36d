"""Sums as they stand in print: the limits 1 and n of an index that only reads arrays mean all.

Here indices count from 0.  On paper they count from 1, and sum_{k=1}^{K} with a K that nobody
declares is the sum over every k.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any, TypeVar, cast

from engine.formula import echo
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Binder,
    Cell,
    Comparison,
    Name,
    Node,
    Number,
    Over,
    Pair,
    Range,
    Reduce,
    Window,
    Windows,
    children,
)

N = TypeVar("N")


def whole(
    node: N,
    known: Collection[str],
    sizes: Collection[str] = (),
    first: int = 0,
    numbers: Collection[str] | None = None,
) -> N:
    """The tree with every "k = 1 .. K" of an unknown K, or of a K among `sizes`, made "all k".

    `first` is where the card's indices begin: where that is 1, a known K is meant as it stands.
    With `numbers`, the names that are no indices, k may also be compared with other indices.
    """
    same = rebuilt(node, lambda part: whole(part, known, sizes, first, numbers))
    if isinstance(same, Reduce):
        binders = tuple(
            _of_first(binder, known) if first else _binder(binder, same, known, sizes, numbers)
            for binder in same.binders
        )
        if binders != same.binders:
            return replace(same, binders=binders)
    return same


def begun(*nodes: Node) -> dict[str, int]:
    """The indices of formulas whose sums begin at 1, as they are written, with their places."""
    found: dict[str, int] = {}
    for node in nodes:
        for binder in node.binders if isinstance(node, Reduce) else ():
            if isinstance(binder.domain, Range) and binder.domain.start == Number(1.0):
                found |= dict.fromkeys(binder.names, binder.at)
        found |= begun(*children(node))
    return found


def bound_in(node: Node) -> set[str]:
    """The indices that the sums of a tree run over."""
    own = set(node.names) if isinstance(node, Reduce) else set()
    return own.union(*map(bound_in, children(node)))


def letters_in(node: Node) -> set[str]:
    """Every plain name of a tree: indices, bound or not, among them."""
    own = {node.name} if isinstance(node, Name) else set()
    if isinstance(node, Reduce):
        own |= {*node.names}
    return own.union(*map(letters_in, children(node)))


def inside(node: Node) -> Iterator[Node]:
    """A node and all that it is made of."""
    yield node
    for part in children(node):
        yield from inside(part)


def names_in(node: Node) -> Iterator[str]:
    """Every array, definition and scalar that a tree speaks of, bound indices left out."""
    return (name for name, _ in named_in(node))


def named_in(node: Node, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, int]]:
    """The same, each with its place."""
    match node:
        case Name(name, at):
            if name not in bound:
                yield name, at
        case Cell(array, _, at):
            yield array, at
        case Reduce():
            bound = bound | frozenset(node.names)
    for child in children(node):
        yield from named_in(child, bound)


def replaced(node: N, written: str, by: Node) -> N:
    """The tree with every array cell that is `written` so, as in "s[k]", replaced."""
    if isinstance(node, Cell) and echo.text(node) == written:
        return cast(N, by)
    return rebuilt(node, lambda part: replaced(part, written, by))


def renamed(node: N, name: str, by: Node) -> N:
    """The tree with a name replaced wherever no sum binds it."""
    if node == Name(name):
        return cast(N, by)
    if isinstance(node, Reduce) and name in node.names:
        return node
    return rebuilt(node, lambda part: renamed(part, name, by))


def exchanged(node: N, old: Node, new: Node) -> N:
    """The tree with every part that equals `old` replaced."""
    if node == old:
        return cast(N, new)
    return rebuilt(node, lambda part: exchanged(part, old, new))


def rebuilt(node: N, change: Callable[[Any], Any]) -> N:
    """A node, or a binder, with its parts changed; anything else as it is."""
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed: dict[str, Any] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, tuple):
            new: Any = tuple(map(change, value))
            same_parts = all(map(is_, new, value))
        else:
            new = change(value)
            same_parts = new is value
        if not same_parts:  # to compare them would walk through all that they are made of
            changed[part.name] = new
    same: N = replace(node, **changed) if changed else node
    return same


def _of_first(binder: Binder, known: Collection[str]) -> Binder:
    """k = 1 .. K where indices count from 1: all k, where nobody says how many K are."""
    match binder.domain:
        case Range(Number(1.0), Arithmetic("+", Name(limit), Number(1.0))) if limit not in known:
            return Binder(binder.names, None, binder.at)
    return binder


def _binder(
    binder: Binder,
    node: Reduce,
    known: Collection[str],
    sizes: Collection[str],
    numbers: Collection[str] | None,
) -> Binder:
    every = Binder(binder.names, None, binder.at)
    match binder.domain:
        case Range(Number(1.0), Arithmetic("+", last, Number(1.0)), at):
            if len(binder.names) == 1 and _reads_only(node, binder.names[0], numbers):
                if isinstance(last, Name) and last.name in sizes:
                    return Binder(binder.names, Range(Number(0.0), last, at), binder.at)
                if isinstance(last, Name) and last.name not in known:
                    return every
                if isinstance(last, Reduce) and last.body == Number(1.0):
                    return every
        case Range(Number(0.0), Name(limit)) if limit not in known and len(binder.names) == 1:
            return every
    return binder


def _reads_only(node: Reduce, name: str, numbers: Collection[str] | None) -> bool:
    """Whether an index stands for a place alone: it means the same wherever counting begins."""
    parts: list[Node] = [node.body, *([node.condition] if node.condition is not None else [])]
    return all(_only(part, name, numbers) for part in parts)


def _only(node: Node, name: str, numbers: Collection[str] | None) -> bool:
    parts: Iterable[Node] = children(node)
    match node:
        case Name():
            return node.name != name
        case Cell(_, indices) | Window(indices) | Windows(indices):
            parts = [index for index in indices if index != Name(name)]
        case Comparison(_, operands) | Apply("kron", operands) if numbers is not None:
            if all(_place(part, numbers) for part in operands):
                parts = [part for part in operands if not isinstance(part, Name | Pair)]
    return all(_only(part, name, numbers) for part in parts)


def _place(node: Node, numbers: Collection[str]) -> bool:
    """Whether a node is an index, a pair of indices, or the place or the set of some."""
    match node:
        case Name(name):
            return name not in numbers
        case Pair(items):
            return all(_place(item, numbers) for item in items)
        case Reduce(kind) | Over(kind):
            return kind in ("argmax", "argmin")
    return isinstance(node, Window | Windows)
