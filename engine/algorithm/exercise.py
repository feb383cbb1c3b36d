"""A NumPy function as an exercise: it is to equal a brute-force definition, and may grow so fast.

The definition comes with the card, and decks are shared: it is run like a learner's function, in a
confined process, and a process of its own: an answer never sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Any, Final, NoReturn

import numpy as np

from engine.algorithm.judge import (
    JUMP,
    NO_NUMBER,
    OVERFLOW,
    SLOW,
    AlgorithmBatch,
    Cost,
    JudgedResult,
    Result,
    Slip,
    agrees,
    apart,
    grows,
    growths,
    largest,
    slips,
)
from engine.exercise import (
    Condition,
    Conditions,
    Exercise,
    ExerciseError,
    Grader,
    Handed,
    Reading,
    refuse_others,
)
from engine.formula.axes import Array, Mask
from engine.formula.tree import FormulaError
from engine.messages.borders import wholes
from engine.messages.inputs import KINDS as COMMON
from engine.messages.inputs import SIMPLEX, SQUARE, values_of
from engine.messages.kinds import kind_said
from engine.messages.shapes import LARGEST
from engine.messages.spec import sizes_of
from engine.sandbox.function_answer import plain, shared_worker
from engine.sandbox.wire import FunctionBatch, FunctionError
from engine.verdict import Mistake, Verdict

# -- What a card says of an input, "index(M)[n]": a kind and its dimensions.


#: Each with what it means; what is to sum to 1 has no 0 here.
KINDS: Final[dict[str, str]] = {
    **{kind: COMMON[SIMPLEX.get(kind, kind)] for kind in COMMON},
    "index": "a whole number from 0",
    "large": "any number, of a size up to some thousands",
    "permutation": "the numbers from 0 on, each once, in any order",
    "size": "a size: a whole number from 1 on",
}
#: NumPy has them as whole numbers.
_WHOLE: Final = frozenset(("integer", "counts", "permutation", "index", "size"))
#: What the last digits of may be moved; those that may be 0, too.
_MAY_BE_ZERO: Final = frozenset(("real", "large", "symmetric"))
_MOVABLE: Final = _MAY_BE_ZERO | {"unit", "positive", *SIMPLEX, *SQUARE}
_DIMENSION: Final = re.compile(r"([A-Za-z]\w*)?\s*([+-]?\s*\d+)?")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A size letter with a number added, as in n+1, or a number alone."""

    letter: str
    more: int = 0

    def of(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(self.letter, 0) + self.more

    def __str__(self) -> str:
        return (
            f"{self.letter}{self.more:+d}"
            if self.letter and self.more
            else self.letter or (str(self.more))
        )


@dataclass(frozen=True, slots=True)
class Input:
    kind: str
    dimensions: tuple[Dimension, ...] = ()
    most: Dimension | None = None
    """Of an index, what it is below."""

    @property
    def every(self) -> tuple[Dimension, ...]:
        return (*self.dimensions, *((self.most,) if self.most else ()))

    def has(self, letter: str) -> bool:
        return any(dimension.letter == letter for dimension in self.dimensions)

    @property
    def told(self) -> str:
        return KINDS[self.kind] + (f" to {self.most} - 1" if self.most else "")

    def drawn(
        self, rng: np.random.Generator, rows: int, sizes: Mapping[str, int], only: str
    ) -> Array:
        """(rows, ...)."""
        shape = tuple(one.of(sizes) for one in self.dimensions)
        match self.kind:
            case "size":
                return np.full(rows, shape[0])
            case "permutation":
                places = np.broadcast_to(np.arange(shape[-1]), (rows, *shape))
                return rng.permuted(places, axis=-1)
            case "large":
                size = 10.0 ** rng.uniform(0, 3.3, size=(rows, *[1] * len(shape)))
                return np.round(rng.normal(size=(rows, *shape)) * size, 1)
        most = self.most.of(sizes) if self.most is not None else 0
        kind = SIMPLEX.get(self.kind, self.kind)
        found = values_of(rng, kind, rows, shape, only, most=most)
        return found.astype(np.int64) if kind in _WHOLE else found

    def moved(self, rng: np.random.Generator, values: Array, zeros: bool) -> list[Array]:
        """Values with their digits moved this way and just as far the other: at a tie of two cases,
        one of these is on each side."""
        if self.kind not in (_MAY_BE_ZERO if zeros else _MOVABLE):
            return [values, values]
        by = _MOVE * rng.choice((-1, 1), values.shape) * rng.uniform(0.5, 1.0, values.shape)
        if self.kind in ("symmetric", "posdef"):
            by = np.triu(by) + np.triu(by, 1).swapaxes(-1, -2)
        ways = [values + sign * by * (values == 0 if zeros else values) for sign in (1, -1)]
        return [
            way / way.sum(axis=-1, keepdims=True) if self.kind in SIMPLEX else way for way in ways
        ]


#: Relative, and of a 0 absolute: far more than rounding does, and less than any input means.
_MOVE: Final = 1e-10


def input_of(name: str, said: str) -> Input:
    """Raises ExerciseError."""
    kind, most, told = kind_said(said)
    dimensions = tuple(_dimension(name, one) for one in told.split(",")) if told else ()
    square = len(dimensions) == 2 and dimensions[0] == dimensions[1]
    summing = kind in SIMPLEX or kind in ("one-hot", "permutation")
    allowed = ""
    if kind not in KINDS:
        kinds = ", ".join(KINDS)
        allowed = (
            f"one of {kinds} is allowed, with dimensions as in real[N,D], and index(M)[n] for "
            "numbers below M"
        )
    elif bool(most) != (kind == "index"):
        allowed = "index(M) says below which number it is, and no other kind does"
    elif (kind in SQUARE and not square) or (kind == "size" and told):
        allowed = f"{kind}{'[D,D]' * (kind != 'size')} is allowed"
    elif summing and not dimensions:
        allowed = f"{kind}[K] is allowed"
    if allowed:
        raise ExerciseError(f"exercise: inputs: {name} is {said!r}: {allowed}.")
    if kind == "size":
        return Input(kind, (Dimension(name),))
    return Input(kind, dimensions, _dimension(name, most) if most else None)


def _dimension(name: str, said: str) -> Dimension:
    found = _DIMENSION.fullmatch(said.strip())
    number = int((found[2] or "0").replace(" ", "")) if found else 0
    if found is None or abs(number) > LARGEST or not (found[1] or number >= 1):
        raise ExerciseError(
            f"exercise: inputs: {name} has the dimension {said.strip()!r}: a letter, n+1, or a "
            f"number up to {LARGEST} is allowed."
        )
    return Dimension(found[1] or "", number)


# -- The exercise.


#: What kind of numbers is drawn, as in `engine.messages.inputs.mixed`; and what small inputs have.
_STYLES: Final = ("gaussian", "distinct", "repeats", "constant")
_SMALL: Final = ("repeats", "distinct")

_KEYS: Final = ("function", "inputs", "sizes", "cost")
_USUAL: Final = 3
#: Inputs of the same sizes; fewer of the larger ones, on which a definition takes long.
_ROWS, _ROWS_OF_LARGE, _FRESH = 14, 6, 120
#: So many times two ways of rounding are tried where an answer makes another choice.
_WAYS: Final = 25
_PARAMETERS: Final = re.compile(r"^def\s+(\w+)\s*\(([^()]*)\)", re.MULTILINE)


@dataclass(eq=False)
class AlgorithmExercise(Exercise, Grader[AlgorithmBatch, Result, JudgedResult]):
    """Which function, on which inputs; two made of the same keys are the same object."""

    source: str
    """The definition's."""
    name: str
    inputs: Mapping[str, Input]
    """In the order of the definition's parameters."""
    usual: Mapping[str, int]
    """Of each size letter."""
    cost: str = ""
    layer: str = ""
    answer: str = ""
    unconfined: bool = False
    _drawn: dict[Any, tuple[AlgorithmBatch, ...]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return f"{self.name}({', '.join(self.inputs)})"

    @property
    def about(self) -> str:
        return f"the card's function {self.name}"

    @property
    def description(self) -> str:
        grows = f"; it may grow as {self.cost}" if self.cost else ""
        return f"Write a NumPy function that equals {self.head}{grows}."

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        return tuple((self._cell(name), f"given, {one.told}") for name, one in self.inputs.items())

    def _cell(self, name: str) -> str:
        one = self.inputs[name]
        told = ",".join(map(str, one.dimensions))
        return f"{name}[{told}]" if told and one.kind != "size" else name

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (letter, f"a size: {least} to {most} are tried")
            for letter, (least, most) in self._ranges.items()
        )

    @property
    def example(self) -> str:
        return f"def {self.head}:\n    return 0"

    @property
    def called(self) -> str:
        return self.name

    def grader(self) -> AlgorithmExercise:
        return self

    def allow(self, unconfined: bool) -> None:
        self.unconfined = unconfined

    # Answers.

    def read(self, answer: str, part: str = "", step: int | None = None) -> NoReturn:  # noqa: ARG002
        said = "A NumPy function is asked for here."
        raise FormulaError(said, f"write it as `def {self.head}: ...`", 1, 1)

    def evaluate(self, reading: Reading[Result], batch: AlgorithmBatch) -> NoReturn:  # noqa: ARG002
        self.read("")

    def handed(self, batch: AlgorithmBatch) -> Handed:
        whole = tuple(name for name, one in self.inputs.items() if one.kind in _WHOLE)
        shapes: dict[Any, tuple[int, ...]] = {self.target: batch.expected.shape[1:]}
        arrays = dict(batch.inputs)
        return Handed(arrays, {}, shapes, len(arrays), whole=whole, open=True)

    def judged(
        self,
        batch: AlgorithmBatch,
        target: Result,
        got: Array,
        rule: Any = None,  # noqa: ARG002
    ) -> JudgedResult:
        return JudgedResult(batch, target, got, self._nearby)

    def _nearby(self, batch: AlgorithmBatch, rows: Array) -> Array:
        """The definition's results (2 _WAYS, R, ...) on rows of a batch, moved in many ways."""
        rng = np.random.default_rng(6)
        ways: dict[str, list[Array]] = {name: [] for name in self.inputs}
        for name, one in self.inputs.items():
            for _ in range(_WAYS):
                ways[name] += one.moved(rng, batch.inputs[name][rows], False)
        results, _ = self.defined({name: np.concatenate(way) for name, way in ways.items()})
        return results.reshape(2 * _WAYS, len(rows), *results.shape[1:])

    @cached_property
    def target(self) -> Result:
        """The axes of the result are known by sizes that they always have."""
        batches = self.drawn(0, 60)
        axes = []
        for axis in range(1, batches[0].expected.ndim):
            shared = (
                letter
                for letter in self.usual
                if all(b.expected.shape[axis] == b.sizes[letter] for b in batches)
            )
            axes.append(f"entry along {next(shared, f'axis {axis - 1}')}")
        return Result(self.head, tuple(axes))

    # Inputs.

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        """Of each size letter the least and the most that is drawn."""
        least = dict.fromkeys(self.usual, 1)
        for dimension in (each for one in self.inputs.values() for each in one.every):
            if dimension.letter:
                least[dimension.letter] = max(least[dimension.letter], 1 - dimension.more)
        return {n: (least[n], max(least[n], usual) + 1) for n, usual in self.usual.items()}

    def drawn(self, seed: int, trials: int) -> Sequence[AlgorithmBatch]:
        if (seed, trials) not in self._drawn:
            if len(self._drawn) > 8:
                self._drawn.clear()
            self._drawn[seed, trials] = self._several(seed, 1, trials)
        return self._drawn[seed, trials]

    def nth(self, number: int) -> AlgorithmBatch:
        """One input of those drawn, by its number, round and round."""
        batches = self.drawn(0, 300)
        turn, n = divmod(number, len(batches))
        return batches[n].one(turn % len(batches[n]))

    def fresh(self, seed: int) -> Sequence[AlgorithmBatch]:
        return self._several(seed, 2, _FRESH)

    def _several(self, seed: int, turn: int, count: int) -> tuple[AlgorithmBatch, ...]:
        rng = np.random.default_rng([seed, turn])
        found: list[AlgorithmBatch] = []
        while count > 0:
            n = len(found)
            rows = min(count, _ROWS if n % 4 < 3 else _ROWS_OF_LARGE)
            only = _STYLES[n // 2 % len(_STYLES)]
            found.append(self._batch(seed + 1000 * turn, self._some(rng, n), only, rows))
            count -= rows
        return _of_any(found, self.head)

    def aimed(
        self,
        reading: Reading[Result],
        drawn: Sequence[AlgorithmBatch],  # noqa: ARG002
    ) -> Sequence[AlgorithmBatch]:
        found = []
        for letter, number in product(self.usual, wholes(reading.numbers)[:6]):
            for size in (number, number + 1):
                if self._ranges[letter][0] <= size <= LARGEST:
                    sizes = {n: min(most, 2) for n, (_, most) in self._ranges.items()}
                    found.append(self._batch(7, {**sizes, letter: size}, _STYLES[0], 4))
        return [batch for batch in found if len(batch)]

    def small(self) -> Iterator[AlgorithmBatch]:
        ways = product(*(range(least, least + 3) for least, _ in self._ranges.values()))
        for way in sorted(ways, key=lambda sizes: (sum(sizes), sizes))[:40]:
            for only in _SMALL:
                batch = self._batch(11, dict(zip(self.usual, way, strict=True)), only, 5)
                if len(batch):
                    yield batch

    def _some(self, rng: np.random.Generator, n: int) -> dict[str, int]:
        """Sizes; every fourth time one is larger, and the others are small."""
        sizes = {
            letter: int(rng.integers(least, most + 1))
            for letter, (least, most) in self._ranges.items()
        }
        if n % 4 == 3 and sizes:
            letter = [*sizes][int(rng.integers(len(sizes)))]
            sizes = {other: min(size, self._ranges[other][0] + 1) for other, size in sizes.items()}
            sizes[letter] = min(LARGEST, self._ranges[letter][1] + 2)
        return sizes

    def _inputs(
        self, seed: int, sizes: Mapping[str, int], only: str, rows: int
    ) -> dict[str, Array]:
        rng = np.random.default_rng([seed, rows, *sizes.values()])
        return {name: one.drawn(rng, rows, sizes, only) for name, one in self.inputs.items()}

    def _batch(self, seed: int, sizes: Mapping[str, int], only: str, rows: int) -> AlgorithmBatch:
        """Inputs on which it is known what is right.  Raises FormulaError, and UnconfinedError."""
        inputs = self._inputs(seed, sizes, only, rows)
        rng = np.random.default_rng(5)
        parts = [inputs]
        movable = [name for name, one in self.inputs.items() if one.kind in _MOVABLE]
        some_zero = any((inputs[name] == 0).any() for name in movable)
        for zeros in (False, True)[: bool(movable) * (1 + some_zero)]:
            ways = {n: one.moved(rng, inputs[n], zeros) for n, one in self.inputs.items()}
            parts += [{name: way[n] for name, way in ways.items()} for n in (0, 1)]
        every = {name: np.concatenate([part[name] for part in parts]) for name in inputs}
        results, whole = self.defined(every)
        base, *others = np.split(results, len(parts))
        axes = tuple(range(1, base.ndim))
        most = np.zeros(rows) if whole else JUMP * largest(base)

        def jumps(*moved: Array) -> tuple[Array, Mask]:
            moves = np.max([apart(each, base) for each in moved], axis=0)
            return moves, ~(moves.max(axis=axes, initial=0.0) <= most)

        moves, left_out = jumps(*others[:2] or [base])
        tied = jumps(*others[2:] or [base])[1] & ~left_out
        at = ~(left_out | np.isnan(base).any(axis=axes))
        inputs = {name: value[at] for name, value in inputs.items()}
        results_of = base[at], moves[at], tied[at], int((~at).sum())
        return AlgorithmBatch(sizes, inputs, *results_of, whole=whole)

    def defined(self, inputs: Mapping[str, Array]) -> tuple[Array, bool]:
        """The definition's results (B, ...), NaN where arithmetic fails; whether they are whole.

        Raises FormulaError where it gives none, and UnconfinedError as for an answer.
        """
        whole = tuple(name for name, one in self.inputs.items() if one.kind in _WHOLE)
        asked = FunctionBatch(inputs, {}, [], whole=whole, called=self.name, partial=True)
        worker = shared_worker("definitions")
        try:
            with worker.session(self.source, unconfined=self.unconfined) as session:
                return session.call(asked)[1], session.whole
        except FunctionError as error:
            line = f", line {error.fault.line}" if error.fault.line else ""
            said = f"The card's own function {self.name} gives no result: {error.fault.message}"
            slow = error.fault.kind in ("time", "memory")
            hint = "give smaller `sizes`" if slow else f"mend `function` of the card{line}"
            raise FormulaError(said, hint, 1, 1) from None

    # What is wrong with an answer.

    def named(
        self,
        judged: Sequence[JudgedResult],
        fresh: Sequence[JudgedResult],
        thorough: bool,  # noqa: ARG002
    ) -> Mistake | None:
        every = (*judged, *fresh)
        axes = [axis.removeprefix("entry along ") for axis in self.target.axes]
        for mistake, slip in (*slips(axes), *self._other_inputs()):
            if agrees(every, slip):
                return mistake
        odd = next((one for one in every if not one.fits), None)
        if odd is not None:
            shapes = f"{odd.given.shape[1:]}, where {odd.expected.shape[1:]} is right"
            sizes = ", ".join(f"{name} = {size}" for name, size in odd.batch.sizes.items())
            return Mistake("the shape of the result", f"It is {shapes}: with {sizes}.")
        off = [one.got[one.differs] for one in every]
        if all(not np.isfinite(values).any() for values in off):
            large = any(one.kind == "large" for one in self.inputs.values())
            return OVERFLOW if large else NO_NUMBER
        return None

    def _other_inputs(self) -> Iterator[tuple[Mistake, Slip]]:
        """Mistakes that the definition makes, too, where its inputs are changed."""
        for name, one in self.inputs.items():
            if len(one.dimensions) == 2 and one.dimensions[0] == one.dimensions[1]:
                teaching = f"Rows and columns of {name} are exchanged: see which index comes first."
                if one.kind not in SQUARE:
                    yield Mistake(f"{name} is transposed", teaching), partial(self._turned, name)
        for letter in self.usual:
            teaching = f"See where the loop over {letter} begins and ends."
            along = any(one.kind != "size" and one.has(letter) for one in self.inputs.values())
            for first in (True, False) if along else (True,):
                end = f"the {'first' if first else 'last'} entry along {letter} is left out"
                name = end if along else f"{letter} is one too small"
                yield Mistake(name, teaching), partial(self._trimmed, letter, first)

    def _turned(self, name: str, one: JudgedResult) -> Array:
        changed = one.batch.inputs[name].swapaxes(-1, -2)
        return self._slipped(one, {**one.batch.inputs, name: changed})

    def _trimmed(self, letter: str, first: bool, one: JudgedResult) -> Array | None:
        if one.batch.sizes[letter] <= self._ranges[letter][0]:
            return np.full(one.given.shape, np.nan)
        changed = dict(one.batch.inputs)
        for name, given in self.inputs.items():
            if given.kind == "size" and given.dimensions[0].letter == letter:
                changed[name] = changed[name] - 1
            elif given.most is not None and given.most.letter == letter:
                return None
            else:
                for axis, dimension in enumerate(given.dimensions, 1):
                    if dimension.letter == letter:
                        at = range(int(first), changed[name].shape[axis] - (not first))
                        changed[name] = changed[name].take(at, axis)
        return self._slipped(one, changed)

    def _slipped(self, one: JudgedResult, inputs: Mapping[str, Array]) -> Array:
        """NaN where the definition has no result for inputs that are none of its own."""
        try:
            return self.defined(inputs)[0]
        except FormulaError:
            return np.full(one.given.shape, np.nan)

    @cached_property
    def conditions(self) -> Conditions[AlgorithmBatch]:
        ways: list[Condition[AlgorithmBatch]] = []
        for letter, (least, _) in self._ranges.items():
            for size in (least, least + 1):
                ways.append(Condition(f"{letter} is above {size}", partial(_above, letter, size)))
        for name, one in self.inputs.items():
            if one.kind in ("real", "large", "integer", "symmetric"):
                said = (
                    f"an entry of {name} is negative" if one.dimensions else f"{name} is negative"
                )
                ways.append(Condition(said, partial(_negative, name)))
        return Conditions([(way,) for way in ways])

    # How fast a right answer grows.

    def refined(self, verdict: Verdict, steps: Callable[[AlgorithmBatch], float]) -> Verdict:
        if not self.cost:
            return verdict
        try:
            cost = Cost.read(self.cost, tuple(self.usual))
            found = list(growths(cost, lambda sizes: steps(self._unjudged(sizes))))
        except FunctionError as error:
            said = f"How fast it grows could not be counted: {error.fault.message}"
            remark = " ".join(filter(None, (verdict.remark, said)))
            return replace(verdict, remark=remark)
        fast = [one for one in found if one.excess]
        if not fast and not all(one.known for one in found):
            remark = "How fast it grows was not found: it takes too many steps on small inputs."
            return replace(verdict, remark=remark)
        if not fast:
            return verdict
        return replace(
            verdict, verdict=SLOW, remark=f"It grows {grows(fast)}; {self.cost} would do."
        )

    def _unjudged(self, some: Mapping[str, int]) -> AlgorithmBatch:
        """Inputs of any size, of which it is not asked what is right."""
        sizes = {n: max(least, some.get(n, some[""])) for n, (least, _) in self._ranges.items()}
        inputs = self._inputs(3, sizes, _STYLES[0], 1)
        nothing = np.zeros((1, 0))
        return AlgorithmBatch(sizes, inputs, nothing, nothing, np.zeros(1, dtype=np.bool_))


def _of_any(found: Sequence[AlgorithmBatch], head: str) -> tuple[AlgorithmBatch, ...]:
    """Those batches that have inputs; what was left out of the others is counted with the first."""
    some = [batch for batch in found if len(batch)]
    if not some:
        said = f"The card's own function {head} has no result that stays where inputs are moved."
        raise FormulaError(
            said, "give it inputs on which it does not divide by 0, and that are not tied", 1, 1
        )
    lost = sum(batch.left_out for batch in found if not len(batch))
    return (replace(some[0], left_out=some[0].left_out + lost), *some[1:])


def _above(letter: str, size: int, batch: AlgorithmBatch) -> Mask:
    return np.full(len(batch), batch.sizes[letter] > size)


def _negative(name: str, batch: AlgorithmBatch) -> Mask:
    return np.asarray((batch.inputs[name].reshape(len(batch), -1) < 0).any(axis=1))


# -- The keys of a card.


def from_mapping(card: Mapping[str, object]) -> AlgorithmExercise:
    """Read {function: ..., inputs: ..., sizes: ..., cost: ...}.  Raises ExerciseError."""
    return _made(json.dumps(card, default=str))


@lru_cache(maxsize=16)
def _made(keys: str) -> AlgorithmExercise:
    card = json.loads(keys)
    refuse_others(card, _KEYS, "a function")
    if not isinstance(card["function"], str) or not isinstance(card.get("inputs"), dict):
        raise ExerciseError(
            "exercise: function is a text, and inputs says what it is given: "
            "{p: 'distribution[K]', n: size}."
        )
    source = plain(card["function"])
    inputs = {str(name): input_of(str(name), str(said)) for name, said in card["inputs"].items()}
    name, parameters = _definition(source, tuple(inputs))
    letters = (each.letter for one in inputs.values() for each in one.every if each.letter)
    usual = _usual(tuple(dict.fromkeys(letters)), card.get("sizes"))
    cost = str(card.get("cost") or "").strip()
    cost = re.sub(r"^O\s*\((.*)\)$", r"\1", cost)
    if cost:
        Cost.read(cost, tuple(usual))
    return AlgorithmExercise(source, name, {n: inputs[n] for n in parameters}, usual, cost)


def _definition(source: str, inputs: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The name of the definition and its parameters: told without running it."""
    for found in _PARAMETERS.finditer(source):
        told = [re.split(r"[:=]", one)[0].strip() for one in found[2].split(",")]
        parameters = tuple(one for one in told if one and one not in ("/", "*"))
        if {*parameters} == {*inputs}:
            return found[1], parameters
    listed = ", ".join(inputs)
    raise ExerciseError(
        f"exercise: function: nothing begins with `def name({listed}):`, with the names that "
        "inputs has."
    )


def _usual(letters: Sequence[str], said: object) -> dict[str, int]:
    sizes, _, shapes = sizes_of(said)
    for name in (*sizes, *shapes):
        if name not in letters:
            known = ", ".join(letters)
            raise ExerciseError(f"exercise: sizes: {name!r} is no size of the inputs: {known} are.")
    return {letter: sizes.get(letter, _USUAL) for letter in letters}
