"""A number, a vector or a matrix by the formula of its entries.

The dimensions are named by the ranges of the exercise's indices ("k", "j"), not by sizes: W is
k×j, and W^T a product of it, even where a card gives K and n the same size.  A vector is a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from engine.formula.problem import OffsetError
from engine.formula.tree import Node

#: A dimension of a constant (the vector of ones, the identity) fits every range.
ANY: Final = "?"
Dims: TypeAlias = tuple[str, ...]
#: The formula at some indices; the letters are taken, so that a sum inside chooses others.
Entry: TypeAlias = Callable[[tuple[Node, ...], frozenset[str]], Node]


class ShapeError(OffsetError):
    """Two shapes that exclude each other."""


@dataclass(frozen=True, eq=False, slots=True)
class Shaped:
    dims: Dims
    entry: Entry
    at: int
    row: bool = False
    """Of a vector: whether it is transposed."""
    of: frozenset[str] = frozenset()
    """The arrays that each entry is made of; "" among them where it is not made entry by entry."""
    diagonal: Shaped | None = field(default=None)
    """Of a diagonal matrix: its diagonal; of the identity itself nothing."""
    identity: bool = False
    link: tuple[str, str] | None = None
    """Of a whole derivative in a step: what stands above ("" for the loss), and below."""

    @property
    def said(self) -> str:
        """Its shape in words: "k×j", "a column of k"."""
        letters = [dim.partition("#")[0].partition(":")[0] for dim in self.dims]
        if not letters:
            return "one number"
        if len(letters) == 1:
            return f"a {'row' if self.row else 'column'} of {letters[0]}"
        return "×".join(letters)

    def turned(self) -> Shaped:
        if len(self.dims) == 1:
            return replace(self, row=not self.row)
        entry = self.entry
        if not self.dims or self.diagonal is not None or self.identity:
            return self
        return replace(
            self,
            dims=self.dims[::-1],
            entry=lambda at, used: entry(at[::-1], used),
            link=None,
        )


def scalar(node: Node) -> Shaped:
    return constant((), node)


def constant(dims: Dims, node: Node) -> Shaped:
    """What is the same at every index."""

    def entry(at: tuple[Node, ...], used: frozenset[str]) -> Node:
        del at, used
        return node

    return Shaped(dims, entry, node.at)


def same(one: str, other: str) -> bool:
    return one == other or ANY in (one, other)


def alike(one: Dims, other: Dims) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def known(one: Dims, other: Dims) -> Dims:
    """The dimensions of both, where each may know what the other does not."""
    return tuple(b if a == ANY else a for a, b in zip(one, other, strict=True))
