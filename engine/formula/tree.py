"""What an answer is, once read.  Places are kept beside the meaning: equality ignores them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Target = Literal["dx", "J"]
#: Of which array an index counts, and along which of its two axes.
Role: TypeAlias = tuple[Literal["input", "output"], int]
#: Where the sides of each chain a = b = c begin; the last is that of the answer, () for none.
Chains: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """An index, a scalar, a definition without parameters, or a whole array."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """x[i,j], delta[k,l], f[k,l], J[k,l,i,j], or a definition with parameters."""

    array: str
    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of numbers: abs, exp, ..., and min or max of several."""

    function: str
    arguments: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    op: str
    left: Node
    right: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negative:
    operand: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A chain: operands[0] ops[0] operands[1] ops[1] ...; "in" and "not in" among the ops."""

    ops: tuple[str, ...]
    operands: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Logic:
    op: Literal["and", "or"]
    operands: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Indicator:
    """[condition]: 1 where it holds, 0 elsewhere."""

    condition: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    condition: Node
    then: Node
    otherwise: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pair:
    items: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Window:
    """Omega(k,l): the input coordinates of window (k,l)."""

    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Windows:
    """windows(i,j): the windows (k,l) with (i,j) in Omega(k,l)."""

    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Range:
    """The integers start <= n < stop."""

    start: Node
    stop: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Places:
    """{(p,q) in Omega(k,l) : C}: a set of one's own.  None is left in a tree that is an answer."""

    names: tuple[str, ...]
    domain: Node | None
    condition: Node | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Over:
    """An operator over the inputs of a window, or over a whole array (`region` is its Name)."""

    kind: str
    region: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binder:
    """Bound indices with their domain; None: all inputs or all outputs, by their use."""

    names: tuple[str, ...]
    domain: Node | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Reduce:
    kind: str
    body: Node
    binders: tuple[Binder, ...]
    condition: Node | None
    at: int = field(default=0, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for binder in self.binders for name in binder.names)


Node: TypeAlias = (
    Number
    | Name
    | Cell
    | Apply
    | Arithmetic
    | Negative
    | Comparison
    | Logic
    | Not
    | Indicator
    | Choice
    | Pair
    | Window
    | Windows
    | Range
    | Places
    | Over
    | Reduce
)


@dataclass(frozen=True, slots=True)
class Definition:
    """m = ..., m[k,l] = ..., or (i*,j*) = ... (then two names and a body that is a pair)."""

    names: tuple[str, ...]
    parameters: tuple[str, ...]
    body: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """`indices`: of dx the input's two; of J the output's two, then the input's two."""

    target: Target
    indices: tuple[str, ...]
    definitions: tuple[Definition, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Formula:
    target: Literal["dx", "J", "either"]
    echo: str
    """What was understood, in our notation; reads back to the same tree."""
    tree: Answer
    source: str = field(default="", compare=False)
    roles: dict[tuple[int, str], Role] = field(default_factory=dict, compare=False, repr=False)
    """What the indices of its sums run over, by binder, once it was told."""
    beyond: set[str] = field(default_factory=set, compare=False, repr=False)
    """What was read beyond its range where the formula was evaluated, and counted as 0."""
    chains: Chains = field(default=(), compare=False)


def children(node: Node) -> Iterator[Node]:
    """The direct parts of a node, in the order written."""
    match node:
        case Number() | Name():
            return
        case Cell(_, parts) | Apply(_, parts) | Comparison(_, parts) | Logic(_, parts):
            yield from parts
        case Pair(parts) | Window(parts) | Windows(parts):
            yield from parts
        case Arithmetic(_, left, right) | Range(left, right):
            yield from (left, right)
        case Negative(part) | Not(part) | Indicator(part) | Over(_, part):
            yield part
        case Choice(condition, then, otherwise):
            yield from (condition, then, otherwise)
        case Places(_, domain, condition):
            yield from (part for part in (domain, condition) if part is not None)
        case Reduce(_, body, binders, condition):
            yield body
            yield from (binder.domain for binder in binders if binder.domain is not None)
            if condition is not None:
                yield condition
