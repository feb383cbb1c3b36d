"""A forward message that can be run and differentiated on batches of inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from engine.formula import tree as t
from engine.formula.axes import BATCH, DIRECTION, Array, Axes, Mask, TooLargeError
from engine.formula.rewrite import inside, names_in
from engine.formula.tree import FormulaError
from engine.messages.autodiff import Duals
from engine.messages.borders import Borders
from engine.messages.dual import (
    ROUNDINGS,
    SMOOTH,
    BranchChoice,
    Dual,
    DualArray,
    Record,
    Replay,
    Rounding,
    branches,
)
from engine.messages.forward import Forward, targets_of_cross_entropy
from engine.messages.shapes import Lengths, Survey, lengths

# -- A forward message with everything that is needed to draw inputs for it and to run it.


Shape = tuple[int, ...]


class LargeMessageError(FormulaError, TooLargeError):
    """A forward message, or its derivative, of too many cells on so many inputs."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is assumed of each entry of an input: it lies between two numbers, and is not others."""

    low: float = -np.inf
    high: float = np.inf
    apart: tuple[float, ...] = ()
    whole: bool = False
    """Whether they are whole numbers."""

    def both(self, other: Bounds) -> Bounds:
        low, high = max(self.low, other.low), min(self.high, other.high)
        whole = self.whole or other.whole
        return Bounds(low, high, (*self.apart, *other.apart), whole)

    @property
    def empty(self) -> bool:
        """Whether no number lies between, as far as the bounds tell."""
        if self.whole:
            return bool(np.floor(self.low) + 1 > np.ceil(self.high) - 1)
        return not self.low < self.high

    def within(self, values: Array) -> Array:
        """The values, those that the span excludes moved into it."""
        if self.whole:
            return self._wholly(values)
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

    def _wholly(self, values: Array) -> Array:
        """The same of whole numbers, which stay such."""
        least, most = np.floor(self.low) + 1, np.ceil(self.high) - 1
        first = least if np.isfinite(least) else min(most, 5.0) - 9
        allowed = np.arange(first, min(most, first + 9) + 1)
        allowed = allowed[~np.isin(allowed, self.apart)]
        fits = (least <= values) & (values <= most) & ~np.isin(values, self.apart)
        at = np.abs(values).astype(np.intp) % allowed.size
        return np.asarray(np.where(fits, values, allowed[at]))


def flat(tables: object) -> None:
    """No slope, as a constant has: for `bent` of `Model.run`."""


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
    spans: Mapping[str, Bounds] = field(default_factory=dict)
    """Of inputs what the card assumes of them."""
    assumed: str = ""
    """The same in words."""

    @property
    def drawn(self) -> Mapping[str, int]:
        """The inputs that are drawn, with the number of indices of each."""
        return self.forward.inputs

    @property
    def sums_to_one(self) -> Mapping[str, int]:
        """Inputs that by convention are a distribution, and along which dimension."""
        return dict(targets_of_cross_entropy(self.forward))

    @property
    def aim(self) -> str:
        """What is asked for beside what the message gives, in words; "" for nothing."""
        return ""

    def standing(self, inputs: Mapping[str, Array], length: Lengths) -> Mapping[str, Array]:  # noqa: ARG002
        """The inputs with any numbers for what it would take long to find."""
        return inputs

    def extended(self, forward: Forward, name: str) -> Model:  # noqa: ARG002
        """The same with what a derivation says that a name is."""
        return replace(self, forward=forward)

    @property
    def anywhere(self) -> Model:
        """The same where nothing is at its best."""
        return self

    @property
    def unfit(self) -> tuple[str, str]:
        """What is wrong where nothing can be judged on any inputs, and the way out."""
        return (
            "The forward message has no finite value on any of the inputs tried.",
            "say in `inputs` which of them are positive, or in `sizes` how long they are",
        )

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
        for variable in self.survey.ranges() if self.forward.square else ():
            letters = self.survey.letters(variable)
            by = next((more[letter] for letter in letters if letter in more), None)
            more.update({} if by is None else dict.fromkeys(letters, by))
        return lengths(self.survey, self.sizes, more)

    def shape(self, name: str, length: Lengths) -> Shape:
        return self.survey.shape(name, length, self.shapes)

    def most(self, name: str, length: Lengths) -> int:
        """How many entries an index input may name."""
        return self.survey.serves(name, length, self.shapes)

    def within(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Inputs, and the upstream message, as the card assumes them."""
        found = {n: self.spans[n].within(v) if n in self.spans else v for n, v in inputs.items()}
        for many, some in self.chosen:
            if {many, some} <= found.keys() and found[many].shape == found[some].shape:
                found[many] = np.maximum(found[many], found[some])
        return found

    @cached_property
    def chosen(self) -> tuple[tuple[str, str], ...]:
        """The counts n and k of each binom(n, k): no more are chosen than there are."""
        pairs = (
            tuple(map(t.name_of, node.arguments))
            for one in (*self.forward.arrays, *self.forward.functions)
            for node in inside(one.body)
            if isinstance(node, t.Apply) and node.function == "binom"
        )
        counts = {name for name, kind in self.kinds.items() if kind == "counts"}
        return tuple((n, k) for n, k in pairs if {n, k} <= counts)

    def letters(self, length: Lengths) -> dict[str, int]:
        """The length that each index letter has."""
        found: dict[str, int] = {}
        for variable in self.survey.variables:
            found.setdefault(variable.letter, length.of(variable))
        return found

    @cached_property
    def own_sizes(self) -> dict[str, int]:
        """The card's own value of every size that may vary."""
        length = self.lengths()
        now = {**self.letters(length), **{n: int(v) for n, v in length.numbers.items()}}
        return {name: now.get(name, 1) for name in self.sized}

    @cached_property
    def sized(self) -> tuple[str, ...]:
        """One letter or name of every size that may vary."""
        groups: dict[int, str] = {}
        for variable in self.survey.ranges():
            letters = self.survey.letters(variable)
            linked = next((self.links[x] for x in letters if x in self.links), None)
            groups.setdefault(id(variable.root), linked or letters[0])
        sizes = (name for name in self.forward.scalars if name not in self.links)
        return tuple(dict.fromkeys((*groups.values(), *sizes)))

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
        kinks: BranchChoice | None = None,
        sizes: bool = False,
        known: Mapping[str, DualArray] | None = None,
        bent: Mapping[str, Callable[[dict[str, DualArray]], Array | None]] | None = None,
        slipped: Mapping[str, t.Definition] | None = None,
        instead: Mapping[str, t.Definition] | None = None,
        hidden: list[Array] | None = None,
        borders: Borders | None = None,
        rounding: Rounding | None = None,
    ) -> dict[str, DualArray]:
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
        tables = {name: DualArray(np.asarray(value)) for name, value in length.numbers.items()}
        for name, value in inputs.items():
            tables[name] = DualArray(value, _seed(value, entries) if name == wrt else None)
        bound, letters = self.survey.bound, self.letters(length)

        def extent(name: str, node: t.Reduce) -> int:
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
                table = DualArray(table.value, _evaluated(duals, slipped[name], shape).slope)
                duals.lenient = False
            if name == wrt:
                table = DualArray(table.value, _seed(table.value, entries))
            if bent is not None and name in bent:
                table = DualArray(table.value, bent[name](duals.tables))
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
        """The arrays that depend on `below`, or with "" on any input."""
        found = {below} if below else {*self.forward.inputs}
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


def _evaluated(duals: Duals, definition: t.Definition, shape: Shape) -> DualArray:
    """A definition at all of its indices."""
    axes = duals.axes
    at = [axes.new(size) for size in shape]
    scope = {p: Dual(index) for p, index in zip(definition.parameters, at, strict=True)}
    own = tuple(axis for index in at for axis in index.axes)
    try:
        found = duals.dual(definition.body, scope)
        value = axes.full(found.value, (BATCH, *own)).data
        if found.slope is None:
            return DualArray(value)
        return DualArray(value, axes.full(found.slope, (BATCH, DIRECTION, *own)).data)
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


def _bends(body: t.Node) -> bool:
    for node in inside(body):
        match node:
            case t.Apply(function) if function in SMOOTH:
                return True
            case t.Arithmetic("/" | "^", _, right):
                if any(isinstance(part, t.Cell | t.Reduce) for part in inside(right)):
                    return True
    return False


# -- Inputs of one set of sizes, with what the forward message and its derivatives come to.


#: So many rows are run through every branch at once.
_CHUNK = 24
#: Where a change of the inputs by some last digits moves the derivative by more than this share of
#: its terms, nobody's digits can be judged.
_SHAKE, _STEADY = 4e-15, 1e-9
#: Of a value that moves with what is rounded by more than this share, few digits are left.
_LOST = 1e-11
#: Where all slopes of one input are tiny, those of the batch are the scale: a saturated function
#: leaves no digits to compare, and neither does a normalisation of inputs 1e-9 apart.
FLOOR = 1e-2


@dataclass(frozen=True, eq=False)
class Reference:
    """d above / d below on a batch: `jacobian` (B, O, P), entries of above and below in a row."""

    jacobian: Array
    met: Array
    """(B,): whether the derivative does not exist there: a kink, where its branches differ."""
    branch_of: Array
    """(R,): of which trial each branch is."""
    branches: Array
    """(R, O, P): the derivative along each branch."""
    left_out: Array
    """(B,): where nothing can be judged: a jump, a pole, or a kink with too many branches."""
    gain: Array
    """(B,): the most that the terms of one entry's derivatives come to, cancelled or not."""
    record: Record
    """The branches that `jacobian` took."""

    @classmethod
    def of_values(cls, values: Array, known: Mask) -> Reference:
        """Values (B, O, P) that take no branch; `known` (B,) is where they can be judged."""
        rows = len(values)
        size = np.where(known, np.abs(np.nan_to_num(values)).max(axis=(1, 2), initial=0.0), 0.0)
        least = FLOOR * float(np.median(size[known])) if known.any() else 0.0
        none = np.zeros(rows, dtype=np.bool_)
        branches = np.zeros(0, dtype=np.intp), np.zeros((0, *values.shape[1:]))
        gain = np.maximum(size, least)
        return cls(values, none, *branches, np.logical_not(known), gain, Record())


@dataclass(frozen=True, eq=False)
class Batch:
    model: Model
    length: Lengths
    grown: Mapping[str, int]
    """By how much each size differs from the card's."""
    inputs: Mapping[str, Array]
    """(B, ...) of each."""
    delta: Array | None
    """(B, ...): dL/d output, None where the loss itself is given."""
    unmet: tuple[str, ...] = ()
    """Sides of the message's comparisons on which no input was found."""
    rounding: Rounding | None = None
    """What moves all that is computed from the inputs."""
    unmoved: Batch | None = None
    """The same inputs without `rounding`."""
    kept: dict[object, Any] = field(default_factory=dict)
    """What is the same for every answer: known wrong rules, conditions."""
    _references: dict[tuple[str, str], Reference] = field(default_factory=dict)
    _moved: dict[tuple[int, str, str], Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values()), ((),)))  # sizes alone are one input

    def some(self, rows: Array) -> Batch:
        """Some of these inputs."""
        inputs = {name: value[rows] for name, value in self.inputs.items()}
        delta = None if self.delta is None else self.delta[rows]
        return Batch(self.model, self.length, self.grown, inputs, delta)

    @property
    def squares(self) -> bool:
        """Whether the forward message has a square."""
        nodes = (node for one in self.model.forward.arrays for node in inside(one.body))
        powers = (n for n in nodes if isinstance(n, t.Arithmetic) and n.op == "^")
        return any(node.right == t.Number(2.0) for node in powers)

    @cached_property
    def values(self) -> dict[str, Array]:
        """Every input, definition, constant and the upstream message, by name."""
        with np.errstate(all="ignore"):
            tables = self.model.run(self.inputs, self.length, rounding=self.rounding)
        found = {name: table.value for name, table in tables.items()}
        return found if self.delta is None else {**found, "delta": self.delta}

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        constants = self.length.numbers
        return {n: v.shape[1:] for n, v in self.values.items() if n not in constants}

    @property
    def computed(self) -> dict[str, Array]:
        """What the forward message comes to, in its order, without constants."""
        names = [definition.names[0] for definition in self.model.forward.arrays]
        told = (name for name in names if name in self.shapes and name[0] != "~")
        return {name: self.values[name] for name in told}

    @cached_property
    def letters(self) -> dict[str, int]:
        return self.model.letters(self.length)

    def number(self, node: t.Node) -> Array:
        """What a formula without free indices comes to: (B,), or (1,) where nothing varies."""
        axes = Axes(len(self))
        tables = {name: DualArray(np.asarray(value)) for name, value in self.values.items()}
        letters = self.letters
        duals = Duals(axes, tables, lambda name, _: letters[name], self.model.forward.functions)
        return np.asarray(duals.number(node, {}).data)

    @cached_property
    def _tables(self) -> dict[str, dict[str, DualArray]]:
        """Every array with its slopes, by the array that these go by."""
        return {}

    def reference(self, above: str, below: str) -> Reference:
        """The exact derivative d above / d below."""
        if (above, below) not in self._references:
            with np.errstate(all="ignore"):
                self._references[above, below] = self._reference(above, below)
        return self._references[above, below]

    @cached_property
    def rounded(self) -> tuple[Batch, ...]:
        """The same inputs, and what is computed from them as rounding might have made it."""
        at = (self.model, self.length, self.grown, self.inputs, self.delta)
        return tuple(Batch(*at, rounding=one, unmoved=self) for one in ROUNDINGS)

    @cached_property
    def saturated(self) -> Array:
        """(B,): where the forward message has no value, or rounding takes it too many digits."""
        found = np.zeros(len(self), dtype=np.bool_)
        for name in (definition.names[0] for definition in self.model.forward.arrays):
            one, other = (b.values[name].reshape(len(self), -1) for b in (self, self.rounded[0]))
            with np.errstate(all="ignore"):
                moved = np.abs(other - one).max(axis=1, initial=0.0)
            found |= ~(moved <= _LOST * np.abs(one).max(axis=1, initial=0.0))
        return found

    def moved(self, n: int, above: str, below: str) -> Array:
        """The derivative as one rounding might have made it, on the branches of `reference`."""
        if (n, above, below) not in self._moved:
            told = [usual for _, usual in self.reference(above, below).record.calls]
            self._moved[n, above, below] = self.rounded[n]._jacobian(above, below, Replay(told))
        return self._moved[n, above, below]

    def _jacobian(self, above: str, below: str, kinks: Replay | None = None) -> Array:
        with np.errstate(all="ignore"):
            tables = self.model.run(self.inputs, self.length, below, kinks, rounding=self.rounding)
        return _laid_out(tables[above].value, tables[above].slope, self.shapes[below])

    def _reference(self, above: str, below: str) -> Reference:
        record = Record()
        hidden: list[Array] = []
        table = self.model.run(self.inputs, self.length, below, record, hidden=hidden)[above]
        jacobian = _laid_out(table.value, table.slope, self.shapes[below])
        met = record.met(len(self))
        values = table.value.reshape(len(table.value), -1)
        broken = ~(np.isfinite(jacobian).all(axis=(1, 2)) & np.isfinite(values).all(axis=1))
        for mask in hidden:
            broken |= mask
        of, along, jumps = self._branched(record, np.flatnonzero(met & ~broken), above, below)
        undecided = met & ~np.isin(np.arange(len(self)), of)
        broken |= undecided | jumps
        met &= _differ(jacobian, of, along)
        gain = self._gain(above, below)
        broken |= ~met & ~(self._shaken(jacobian, above, below) <= _STEADY * gain)
        return Reference(jacobian, met, of, along, broken, gain, record)

    def step(self, name: str) -> Array:
        """The derivative "dy/ds" as it is: (B, *shape of y, *shape of s); dL/ds of "ds"."""
        first, _, second = name.rpartition("/")
        above, below = first[1:] or self.model.forward.outputs[-1], second[1:]
        if self.rounding is not None:
            found = self._jacobian(above, below)
        else:
            found = self.reference(above, below).jacobian
        upper = self.shapes[above]
        if not first and self.delta is not None:
            found, upper = self.delta.reshape(len(self), 1, -1) @ found, ()
        return found.reshape(len(self), *upper, *self.shapes[below])

    def linked(
        self, at: tuple[str, str], later: str, earlier: str, change: Callable[[Array, Array], Array]
    ) -> Array:
        """The derivative of one array by another, with the slope of `later` by `earlier` falsified.

        `change` makes the wrong one from the right one (B, P, P) and the values of `later` (B, P).
        NaN where the two are not of one shape.
        """
        rows, shapes = len(self), self.shapes
        if shapes[later] != shapes[earlier]:
            return np.full_like(self.reference(*at).jacobian, np.nan)
        values = self.values[later].reshape(rows, -1)
        local = change(self.reference(later, earlier).jacobian, values)
        if np.isnan(local).all():
            return np.full_like(self.reference(*at).jacobian, np.nan)

        def bent(tables: dict[str, DualArray]) -> Array | None:
            slope = tables[earlier].slope
            if slope is None:
                return None
            flat = slope.reshape(rows, slope.shape[1], -1)
            return (flat @ local.transpose(0, 2, 1)).reshape(rows, -1, *shapes[later])

        return self.falsified(at, bent={later: bent})

    def falsified(self, at: tuple[str, str], **changes: Any) -> Array:
        """The derivative with changes to some arrays, as `Model.run` takes them."""
        above, below = at
        with np.errstate(all="ignore"):
            if below not in self._tables:
                self._tables[below] = self.model.run(self.inputs, self.length, below)
            known = self._tables[below]
            tables = self.model.run(self.inputs, self.length, below, known=known, **changes)
        return _laid_out(tables[above].value, tables[above].slope, self.shapes[below])

    def _branched(
        self, record: Record, trials: Array, above: str, below: str
    ) -> tuple[Array, Array, Array]:
        """All branches of the trials that meet a kink, and in which trials the value jumps."""
        shape = (0, int(np.prod(self.shapes[above])), int(np.prod(self.shapes[below])))
        rows, found = [np.zeros(0, dtype=np.intp)], [np.zeros(shape)]
        jumps = np.zeros(len(self), dtype=np.bool_)
        for start in range(0, len(trials), _CHUNK):
            of, replay = branches(record, trials[start : start + _CHUNK])
            if not of.size:
                continue
            part = {name: value[of] for name, value in self.inputs.items()}
            table = self.model.run(part, self.length, below, replay)[above]
            found.append(_laid_out(table.value, table.slope, self.shapes[below]))
            rows.append(of)
            usual = self.values[above][of].reshape(len(of), -1)
            far = np.abs(table.value.reshape(len(of), -1) - usual) > 1e-9 * (1 + np.abs(usual))
            jumps[of[far.any(axis=1)]] = True
            jumps[of[~np.isfinite(found[-1]).all(axis=(1, 2))]] = True
        return np.concatenate(rows), np.concatenate(found), jumps

    def _gain(self, above: str, below: str) -> Array:
        table = self.model.run(self.inputs, self.length, below, sizes=True)[above]
        terms = np.abs(_laid_out(table.value, table.slope, self.shapes[below]))
        gain = terms.sum(axis=1).max(axis=1, initial=0.0)
        known = gain[np.isfinite(gain)]
        least = FLOOR * float(np.median(known)) if known.size else 0.0
        return np.asarray(np.maximum(np.where(np.isfinite(gain), gain, 0.0), least))

    def _shaken(self, jacobian: Array, above: str, below: str) -> Array:
        """(B,): how far the derivative moves when the inputs move by their last digits."""
        by = np.random.default_rng(0)
        moved = {
            name: value * (1 + _SHAKE * by.uniform(-1, 1, value.shape))
            if self.model.kinds.get(name) in (None, "real", "positive", "unit")
            else value
            for name, value in self.inputs.items()
        }
        other = Batch(self.model, self.length, self.grown, moved, None)._jacobian(above, below)
        return np.asarray(np.abs(other - jacobian).max(axis=(1, 2), initial=0.0))


def _laid_out(value: Array, slope: Array | None, below: tuple[int, ...]) -> Array:
    """(B, O, P) from the slope (B, D, ...)."""
    rows, entries = len(value), int(np.prod(below))
    outputs = int(np.prod(value.shape[1:]))
    if slope is None:
        return np.zeros((rows, outputs, entries))
    return slope.reshape(rows, entries, outputs).transpose(0, 2, 1)


def _differ(jacobian: Array, of: Array, along: Array) -> Array:
    """(B,): whether some branch has another derivative."""
    differ = np.zeros(len(jacobian), dtype=np.bool_)
    size = np.abs(jacobian[of]).max(axis=(1, 2), initial=1.0)
    far = np.abs(along - jacobian[of]).max(axis=(1, 2), initial=0.0) > 1e-12 * size
    differ[of[far]] = True
    return differ
