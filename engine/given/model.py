"""A forward message with everything that is needed to draw inputs for it and to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from engine.formula.axes import Array, Axes, TooLargeError
from engine.formula.problem import FormulaError
from engine.formula.tree import (
    Apply,
    Arithmetic,
    Cell,
    Definition,
    Node,
    Reduce,
    children,
)
from engine.given import calculus
from engine.given.arrays import BATCH, DIRECTION
from engine.given.borders import Borders
from engine.given.dual import Chooser, Dual, Table
from engine.given.duals import Duals
from engine.given.forward import Forward
from engine.given.lengths import Lengths
from engine.given.paper import inside, names_in
from engine.given.rounding import Rounding
from engine.given.shapes import Survey, lengths

Shape = tuple[int, ...]


class LargeMessageError(FormulaError, TooLargeError):
    """A forward message, or its derivative, of too many cells on so many inputs."""


@dataclass(frozen=True, slots=True)
class Span:
    """What is assumed of each entry of an input: it lies between two numbers, and is not others."""

    low: float = -np.inf
    high: float = np.inf
    apart: tuple[float, ...] = ()

    def both(self, other: Span) -> Span:
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Span(low, high, (*self.apart, *other.apart))

    def within(self, values: Array) -> Array:
        """The values, those that the span excludes moved into it."""
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        moved = values
        if below and above:
            share = (1 + 0.98 * values / (1 + np.abs(values))) / 2
            moved = self.low + (self.high - self.low) * share
        elif below or above:
            end = self.low if below else self.high
            off = np.abs(values - end) + np.where(values == end, 0.5, 0.0)
            moved = end + off if below else end - off
        values = np.where((self.low < values) & (values < self.high), values, moved)
        for number in self.apart:
            aside = min(number + 0.5, (number + self.high) / 2)
            values = np.where(values == number, aside, values)
        return np.asarray(values)


@dataclass(frozen=True, eq=False)
class Model:
    forward: Forward
    sizes: Mapping[str, int]
    links: Mapping[str, str]
    """Letters whose size is that of another name."""
    shapes: Mapping[str, Shape]
    """Of inputs whose shape the card says."""
    kinds: Mapping[str, str]
    """Of each input, a key of `inputs.KINDS`."""
    axes: Mapping[str, int]
    """Along which dimension a distribution sums to 1."""
    fixed: bool
    """Whether the sizes are those alone."""
    spans: Mapping[str, Span] = field(default_factory=dict)
    """Of inputs what the card assumes of them."""
    assumed: str = ""
    """The same in words."""

    @property
    def rigid(self) -> bool:
        """Whether nothing but the card's own sizes can be tried."""
        return self.fixed or bool(self.shapes)

    @cached_property
    def survey(self) -> Survey:
        return Survey(self.forward)

    @cached_property
    def gentle(self) -> bool:
        """Whether large inputs would drown what is asked for."""
        return any(_bends(d.body) for d in (*self.forward.arrays, *self.forward.functions))

    def lengths(self, grown: Mapping[str, int] | None = None) -> Lengths:
        """The length of every range, some of them changed.  Raises OffsetError."""
        more = dict(grown or {})
        for letter, name in self.links.items():
            if name in more:
                more[letter] = more[name]
        return lengths(self.survey, self.sizes, more)

    def shape(self, name: str, length: Lengths) -> Shape:
        return self.survey.shape(name, length, self.shapes)

    def most(self, name: str, length: Lengths) -> int:
        """How many entries an index input may name."""
        return self.survey.serves(name, length, self.shapes)

    def within(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Inputs, and the upstream message, as the card assumes them."""
        return {n: self.spans[n].within(v) if n in self.spans else v for n, v in inputs.items()}

    def letters(self, length: Lengths) -> dict[str, int]:
        """The length that each index letter has."""
        found: dict[str, int] = {}
        for variable in self.survey.variables:
            found.setdefault(variable.letter, length.of(variable))
        return found

    @cached_property
    def sized(self) -> tuple[str, ...]:
        """One letter or name of every size that may vary."""
        groups: dict[int, str] = {}
        for variable in self.survey.ranges():
            letters = self.survey.letters(variable)
            linked = next((self.links[x] for x in letters if x in self.links), None)
            groups.setdefault(id(variable.root), linked or letters[0])
        names = [*groups.values(), *(self.forward.scalars - set(self.links))]
        return tuple(dict.fromkeys(names))

    def sized_as(self, name: str) -> str:
        """Of the names in `sized`, the one that a letter of the same range goes by."""
        for variable in self.survey.ranges():
            letters = self.survey.letters(variable)
            if name in (*letters, *(self.links.get(letter) for letter in letters)):
                return next((one for one in self.sized if one in (*letters, name)), name)
        return name

    def run(
        self,
        inputs: Mapping[str, Array],
        length: Lengths,
        wrt: str | None = None,
        kinks: Chooser | None = None,
        sizes: bool = False,
        known: Mapping[str, Table] | None = None,
        bent: Mapping[str, Callable[[dict[str, Table]], Array | None]] | None = None,
        slipped: Mapping[str, Definition] | None = None,
        instead: Mapping[str, Definition] | None = None,
        hidden: list[Array] | None = None,
        borders: Borders | None = None,
        rounding: Rounding | None = None,
    ) -> dict[str, Table]:
        """Evaluate the message: every array by name, with slopes by the entries of array `wrt`.

        With `sizes` the slopes are sums of the sizes of all their terms: what rounding is to be
        measured by.  `bent` gives slopes of some definitions, in place of those that they have;
        `slipped` other formulas for the slopes alone, `instead` for the values as well; `known`
        are the arrays without any of these, of which those that they do not change are kept.
        `hidden` takes where a factor 0 hides that a slope does not exist (`Duals`), `borders` how
        far each comparison is from its border; `rounding` moves what is rounded.

        Raises OffsetError where it has no derivative at all, as for %.
        """
        rows = len(next(iter(inputs.values()))) if inputs else 1
        axes = Axes(rows, -(10**12))
        entries = int(np.prod(self.shape(wrt, length))) if wrt is not None else 1
        axes.new(entries)
        tables = {name: Table(np.asarray(value)) for name, value in length.numbers.items()}
        for name, value in inputs.items():
            tables[name] = Table(value, _seed(value, entries) if name == wrt else None)
        bound, letters = self.survey.bound, self.letters(length)

        def extent(name: str, node: Reduce) -> int:
            own = bound.get(id(node))
            # A sum that is not of this message itself, but of a slip of it.
            return letters[name] if own is None else length.of(own[name])

        functions = self.forward.functions
        duals = Duals(axes, tables, extent, functions, kinks, sizes, hidden=hidden)
        duals.borders, duals.rounding = borders, rounding
        changed = {*(bent or ()), *(slipped or ()), *(instead or ())}
        for definition in self.forward.arrays:
            name = definition.names[0]
            if known is not None and changed.isdisjoint(self.forward.uses[name]):
                duals.tables[name] = known[name]
                continue
            changed.add(name)
            shape = self.shape(name, length)
            table = _evaluated(duals, (instead or {}).get(name, definition), shape)
            if slipped is not None and name in slipped:
                duals.lenient = True
                table = Table(table.value, _evaluated(duals, slipped[name], shape).slope)
                duals.lenient = False
            if name == wrt:
                table = Table(table.value, _seed(table.value, entries))
            if bent is not None and name in bent:
                table = Table(table.value, bent[name](duals.tables))
            duals.tables[name] = table
        return duals.tables

    def held(self, above: str, below: str) -> list[tuple[str, ...]]:
        """Arrays on the way from `below` to `above` that may be mistaken for constants.

        Those that fewer indices belong to than to `above` also all together, as a mean and a
        variance.
        """
        names = [d.names[0] for d in self.forward.arrays if d.names[0] not in (above, below)]
        most = self.survey.indices_of(above)
        small = tuple(name for name in names if self.survey.indices_of(name) < most)
        together = [small] if len(small) > 1 else []
        return [*together, *((name,) for name in names)]

    def moved(self, below: str) -> frozenset[str]:
        """The arrays that depend on `below`."""
        found: set[str] = {below}
        for definition in self.forward.arrays:
            if found.intersection(names_in(definition.body)):
                found.add(definition.names[0])
        return frozenset(found)

    def links_of_chain(self, above: str, below: str) -> list[tuple[str, str]]:
        """Arrays between `below` and `above`, each with the array of as many indices it is of."""
        found = []
        for definition in self.forward.arrays:
            name = definition.names[0]
            if not definition.parameters:
                continue
            for used in dict.fromkeys(names_in(definition.body)):
                same = used in self.forward.defined or used == below
                if same and self.survey.indices_of(used) == self.survey.indices_of(name):
                    found.append((name, used))
            if name == above:
                break
        return found


def _evaluated(duals: Duals, definition: Definition, shape: Shape) -> Table:
    """A definition at all of its indices."""
    axes = duals.axes
    at = [axes.new(size) for size in shape]
    scope = {p: Dual(index) for p, index in zip(definition.parameters, at, strict=True)}
    own = tuple(axis for index in at for axis in index.axes)
    try:
        found = duals.dual(definition.body, scope)
        value = axes.full(found.value, (BATCH, *own)).data
        if found.slope is None:
            return Table(value)
        return Table(value, axes.full(found.slope, (BATCH, DIRECTION, *own)).data)
    except TooLargeError:
        raise LargeMessageError(
            f"The forward message is too large to be tried on {axes.sizes[BATCH]} inputs at once.",
            "give smaller `sizes` on the card, 2 to 4 are enough, or try fewer inputs",
            1,
            1,
        ) from None


def _seed(value: Array, entries: int) -> Array:
    """The slope of an input by its own entries: (B, D, *shape), 1 at the entry itself."""
    own = np.eye(entries).reshape(1, entries, *value.shape[1:])
    return np.broadcast_to(own, (len(value), *own.shape[1:]))


def _bends(node: Node) -> bool:
    match node:
        case Apply(function):
            if function in calculus.SMOOTH:
                return True
        case Arithmetic("/" | "^", _, right):
            if any(isinstance(part, Cell | Reduce) for part in inside(right)):
                return True
    return any(_bends(part) for part in children(node))
