"""The second derivative as a kind of exercise: d^2L/dx[i] dx[j], d^2y/dx^2, a mixed one.

The forward message is extended by the first derivatives of its definitions, as formulas
(`engine/formula/slopes.py`).  What is asked for is the Jacobian of the last of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import Array
from engine.formula.rewrite import names_in, rebuilt, renamed, times
from engine.formula.slopes import slope_of
from engine.formula.tree import OffsetError
from engine.formula.unparse import tex_name, unparse
from engine.messages.forward import Forward
from engine.messages.jacobian import Jacobian
from engine.messages.judge import JudgedMessage
from engine.messages.model import Batch, Model, Reference, flat
from engine.messages.shapes import Survey
from engine.messages.targets import (
    Derivative,
    KnownRule,
    Target,
    in_brackets,
    tex_indices,
)
from engine.messages.vocabulary import Words
from engine.verdict import Mistake

# -- What is asked for.


#: Of a sum of more terms none is looked at alone.
_MOST_TERMS: Final = 4


@dataclass(frozen=True, slots=True)
class Hessian(Jacobian):
    """The derivative by `second` of the derivative of `above` by `below`."""

    second: str
    last: tuple[str, ...]
    """The index letters of `second`."""

    title: ClassVar[str] = "the second derivative"
    called: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def of(cls, below: str, words: Words, survey: Survey) -> Hessian | None:  # noqa: ARG003
        return None

    @classmethod
    def read(cls, found: Derivative, words: Words) -> Hessian | None:  # noqa: ARG003
        if not found.second:
            return None
        lower, last = found.lower or (), found.last or ()
        return cls(found.above, found.below, lower, found.upper or (), found.second, last)

    def also(self, batch: Batch) -> Iterator[Target]:
        """Beside d^2y[k]/dx[i] dx[j] also d^2y[k]/dx[k]^2, where all else is 0.

        Raises OffsetError where the rules of differentiation do not reach.
        """
        self._first(batch)
        shape = batch.shapes[self.below]
        if self.below != self.second or not shape or self.diagonal:
            return
        equal = self.upper if batch.shapes[self.above] == shape else self.lower
        if equal is self.lower and self.upper:
            return
        one = replace(self, lower=equal, last=equal)
        if self.is_paired(batch, one):
            yield one

    @property
    def key(self) -> str:
        return f"d2{self.above}/d{self.below}d{self.second}"

    @property
    def pair(self) -> tuple[str, str]:
        return self.above, f"{self.below},{self.second}"

    @property
    def chained(self) -> bool:
        return False

    @property
    def arrays(self) -> tuple[str, ...]:
        return self.above, self.below, self.second

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        return self.upper, self.lower, self.last

    def lettered(self, indices: tuple[str, ...]) -> Hessian:
        upper, lower, last = self.grouped(indices)
        return replace(self, upper=upper, lower=lower, last=last)

    def written(self, indices: tuple[str, ...] | None = None) -> str:
        upper, lower, last = self.grouped(indices)
        below = f"d{self.below}{in_brackets(lower)}"
        same = self.below == self.second and lower == last
        behind = "^2" if same else f" d{self.second}{in_brackets(last)}"
        return f"d^2{self.above}{in_brackets(upper)}/{below}{behind}"

    def tex(self, indices: tuple[str, ...]) -> str:
        upper, lower, last = self.grouped(indices)
        below = rf"\partial {tex_name(self.below, tex_indices(lower))}"
        same = self.below == self.second and lower == last
        behind = "^2" if same else rf" \partial {tex_name(self.second, tex_indices(last))}"
        above = rf"\partial^2 {tex_name(self.above, tex_indices(upper))}"
        return rf"\frac{{{above}}}{{{below}{behind}}}"

    def vocabulary(self, words: Words, forward: Forward) -> Words:  # noqa: ARG002
        at = (self.above, self.below, self.second)
        return replace(words, hessians={**words.hessians, self.key: at})

    def named_by(self, found: Derivative) -> bool:
        both = [found.below, found.second]
        by = both == ["*", "*"] or sorted(both) == sorted((self.below, self.second))
        return bool(found.second) and found.above == self.above and by

    def oriented(self, found: Derivative) -> Derivative:
        """d^2L/db dw as d^2L/dw db, which is the same."""
        if found.below == self.below or found.below == "*":
            return found
        return replace(
            found, below=found.second, second=found.below, lower=found.last, last=found.lower
        )

    # What it comes to: the Jacobian of the first derivative, on the same inputs.

    def reference(self, batch: Batch) -> Reference:
        return self._first(batch).reference(_slope(self.above), self.second)

    def moved(self, batch: Batch, n: int) -> Array:
        return self._first(batch).moved(n, _slope(self.above), self.second)

    def falsified(self, batch: Batch, **changes: Any) -> Array:
        return self._first(batch).falsified((_slope(self.above), self.second), **changes)

    def _first(self, batch: Batch) -> Batch:
        """The inputs of a batch for the message with its first derivatives."""
        key = ("first derivatives", self.above, self.below)
        if key not in batch.kept:
            model = extended(batch.model, self.above, self.below)
            at = (model, model.lengths(batch.grown), batch.grown, batch.inputs, None)
            batch.kept[key] = Batch(*at)
        found = batch.kept[key]
        assert isinstance(found, Batch)
        return found

    # What is often got wrong.

    def likely(self, few: JudgedMessage) -> Iterator[KnownRule]:  # noqa: ARG002
        whole = "The second derivative is the derivative of the first one"
        yield (
            Mistake("the first derivative in place of the second", f"{whole}: once more."),
            lambda one: one.numbers(self._gradients(one.batch, product=False)),
        )
        yield (
            Mistake(
                "the product of first derivatives in place of the second derivative",
                f"{whole}, not its square.",
            ),
            lambda one: one.numbers(self._gradients(one.batch, product=True)),
        )
        if self.below == self.second and self.lower and not self.diagonal:
            teaching = f"d{self.below} at another place moves the first derivative, too."
            yield (
                Mistake("only the diagonal of the second derivative", teaching),
                lambda one: one.numbers(_diagonal(one, True)),
            )
            yield (
                Mistake(
                    "the diagonal of the second derivative is forgotten",
                    "Where the two indices agree there is a term more.",
                ),
                lambda one: one.numbers(_diagonal(one, False)),
            )

    def _terms(self, batch: Batch) -> Iterator[KnownRule]:
        """Of the first derivative's terms and factors some are taken for constant."""
        first = self._first(batch).model.forward.defined[_slope(self.above)]
        body: t.Node = first.body
        rest: t.Node | None = None
        if self.lower:  # behind it stands what its letters run over
            assert isinstance(body, t.Arithmetic)
            rest = body.right
            body = body.left
        terms = [*_summands(body)]

        def rule(part: t.Node) -> Callable[[JudgedMessage], Array]:
            ranged = part if rest is None else t.Arithmetic("+", part, rest)
            one = {first.names[0]: replace(first, body=ranged)}
            return lambda judged: judged.numbers(self.falsified(judged.batch, instead=one))

        for n, term in enumerate(terms if 1 < len(terms) <= _MOST_TERMS else ()):
            teaching = "The first derivative is a sum: each of its terms moves, A + A^T and not A."
            told = f"only term {n + 1} of the first derivative is differentiated"
            yield Mistake(told, teaching), rule(term)
            yield Mistake(f"{told}, twice", teaching), rule(times(t.Number(len(terms)), term))
        if len(terms) == 1:
            yield from self._factors(body, rule)

    def _factors(
        self, term: t.Node, rule: Callable[[t.Node], Callable[[JudgedMessage], Array]]
    ) -> Iterator[KnownRule]:
        """The product and the quotient rule without one of their terms, or with its sign wrong."""
        negative = isinstance(term, t.Negative)
        body = term.operand if isinstance(term, t.Negative) else term
        if not isinstance(body, t.Arithmetic) or body.op not in ("*", "/"):
            return
        held = [
            replace(body, left=t.Apply("~held", (body.left,))),
            replace(body, right=t.Apply("~held", (body.right,))),
        ]
        rules = [rule(t.Negative(one) if negative else one) for one in held]
        for part, one in zip((body.left, body.right), rules, strict=True):
            said = unparse(self._told(part))
            yield (
                Mistake(
                    f"{said} taken for constant in the second derivative",
                    f"Both parts of the first derivative move, {said} as well.",
                ),
                one,
            )
        yield (
            Mistake(
                "the sign between the terms of the second derivative",
                "The product rule adds its terms, that of a quotient subtracts the second.",
            ),
            lambda judged: rules[1](judged) - rules[0](judged),
        )

    def _told(self, node: t.Node) -> t.Node:
        """A part of the first derivative with the letters of the card."""
        if isinstance(node, t.Cell) and node.array.startswith("~"):
            node = replace(node, array=f"d{node.array[1:]}/d{self.below}")
        if isinstance(node, t.Name) and node.name.startswith("~"):
            place = node.name[1:]
            if place.isdigit():
                return t.Name(self.lower[int(place)])
            return t.Name(f"d{place}/d{self.below}")
        return rebuilt(node, self._told)

    def mistakes(self, few: Any, others: Iterator[KnownRule]) -> Iterator[KnownRule]:
        """Beside those of every kind, what is taken for constant the second time."""
        yield from self._terms(few.batch)
        model = self._first(few.batch).model
        for name in model.forward.defined:
            if name != _slope(self.above) and name != self.below:
                said = f"d{name[1:]}/d{self.below}" if name.startswith("~") else name
                teaching = f"The first derivative has {said} in it, which moves with {self.second}."
                yield (
                    Mistake(f"{said} taken for constant in the second derivative", teaching),
                    lambda j, name=name: j.numbers(  # type: ignore[misc]
                        self.falsified(j.batch, bent={name: flat})
                    ),
                )
        yield from others

    def _gradients(self, batch: Batch, product: bool) -> Array:
        """The first derivative by `below`, at every entry of `second`, or times that by it."""
        rows = len(batch)
        first = batch.reference(self.above, self.below).jacobian
        other = batch.reference(self.above, self.second).jacobian
        whole = first[:, :, :, None] * (
            other[:, :, None, :] if product else 1 + 0 * other[:, :, None]
        )
        return np.asarray(whole.reshape(rows, -1, other.shape[-1]))


def _diagonal(one: JudgedMessage, kept: bool) -> Array:
    """The second derivative on the diagonal alone, or off it."""
    jacobian = one.reference.jacobian
    size = jacobian.shape[-1]
    same = np.tile(np.eye(size), (jacobian.shape[1] // size, 1))
    return np.asarray(jacobian * (same if kept else 1 - same))


def _summands(node: t.Node) -> Iterator[t.Node]:
    match node:
        case t.Arithmetic("+", left, right):
            yield from (*_summands(left), *_summands(right))
        case t.Arithmetic("-", left, right):
            yield from _summands(left)
            yield from (t.Negative(part) for part in _summands(right))
        case _:
            yield node


# -- The forward message with the first derivatives of what it defines.


def _spelt(node: t.Node, model: Model) -> t.Node:
    """max(x) with an index."""
    if isinstance(node, t.Over) and isinstance(node.region, t.Name):
        names = tuple(f"o{n}" for n in range(model.survey.indices_of(node.region.name)))
        cell = t.Cell(node.region.name, tuple(map(t.Name, names)))
        return t.Reduce(node.kind, cell, (t.Binder(names, None),), None, node.at)
    return rebuilt(node, lambda part: _spelt(part, model))


def _slope(name: str) -> str:
    """What the first derivative of an array is called: a name that nobody can type."""
    return f"~{name}"


@lru_cache(maxsize=32)
def extended(model: Model, above: str, below: str) -> Model:
    """The model with the derivatives by `below` of the arrays that `above` is made of.

    Raises OffsetError where the rules of differentiation do not reach.
    """
    forward = model.forward
    own = model.survey.indices_of(below)
    letters = tuple(f"~{n}" for n in range(own))
    at = tuple(map(t.Name, letters))
    moving = [below]
    moving += [f.names[0] for f in forward.functions if below in names_in(f.body)]
    functions = {one.names[0]: one for one in forward.functions}

    def leaf(node: t.Name | t.Cell) -> t.Node:
        name = t.name_of(node)
        indices = node.indices if isinstance(node, t.Cell) else ()
        if name != below:
            return (
                t.Cell(_slope(name), (*indices, *at)) if (*indices, *at) else t.Name(_slope(name))
            )
        if len(indices) == 1 < own:  # a place of two indices
            return t.Indicator(t.Comparison(("==",), (indices[0], t.Pair(at))))
        found: t.Node = t.Number(1.0)
        for pair in zip(indices, at, strict=True):
            found = times(found, t.Indicator(t.Comparison(("==",), pair)))
        return found

    found: list[t.Definition] = []
    for one in forward.arrays:
        name = one.names[0]
        if name == below or set(moving).isdisjoint(names_in(one.body)):
            continue
        # In the slope of erf there is a pi, which is no name of the card's.
        body = renamed(_spelt(one.body, model), "pi", t.Name("pi of the card"))
        try:
            slope = slope_of(body, moving, leaf, functions)
        except OffsetError as trouble:
            said = f"The second derivative of {above} is not known: {trouble.message}"
            raise OffsetError(said, "ask for the first derivative", trouble.at) from None
        moving.append(name)
        slope = renamed(slope, "pi", t.Number(t.NUMBERS["pi"]))
        slope = renamed(slope, "pi of the card", t.Name("pi"))
        if at:  # so that the letters run as far as those of `below`
            ranged = t.Arithmetic("*", t.Number(0.0), t.Cell(below, at))
            slope = t.Arithmetic("+", slope, ranged)
        found.append(t.Definition((_slope(name),), (*one.parameters, *letters), slope))
        if name == above:
            break
    if not found or found[-1].names[0] != _slope(above):
        found.append(
            t.Definition(
                (_slope(above),),
                (*forward.defined[above].parameters, *letters),
                t.Arithmetic("*", t.Number(0.0), t.Cell(below, at) if at else t.Name(below)),
            )
        )
    return replace(model, forward=replace(forward, arrays=(*forward.arrays, *found)))
