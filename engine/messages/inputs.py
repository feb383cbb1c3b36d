"""Inputs for a forward message: random ones, those about borders, small ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.formula.axes import Array, TooLargeError, TooMuchError
from engine.formula.tree import FormulaError, OffsetError
from engine.messages.borders import Border, Borders, Measure, Rows, aim, apart, of_numbers, untried
from engine.messages.model import Batch, Bounds, Model
from engine.messages.shapes import Lengths
from engine.messages.targets import Target

# -- Random inputs for any forward message: kinds of values on which wrong answers show.
#
# Distinct steps, repeats with zeros, all negative, Gaussian, gaps of 1e-9, constant, large.  Where
# the message bends its inputs (exp, log, division), they stay small: a saturated function hides
# every mistake.  Where it only compares them, as max pooling does, none is too large or too near.


#: What a card may say of an input, each with what it means.
KINDS: Final[dict[str, str]] = {
    "real": "any number",
    "positive": "above 0",
    "unit": "between 0 and 1",
    "integer": "a whole number",
    "counts": "a whole number, at least 0",
    "sign": "-1 or 1",
    "binary": "0 or 1",
    "index": "the number of an entry",
    "one-hot": "one 1, all others 0",
    "distribution": "at least 0, summing to 1",
    "positive-distribution": "above 0, summing to 1",
    "stochastic": "at least 0, each row summing to 1",
    "positive-stochastic": "above 0, each row summing to 1",
    "symmetric": "a symmetric matrix",
    "posdef": "a symmetric, positive definite matrix",
    "invertible": "a matrix with a determinant above 0",
    "orthogonal": "an orthogonal matrix",
}
#: Kinds whose entries sum to 1, each with that which has no 0 among them.
SIMPLEX: Final = {
    **{"distribution": "positive-distribution", "stochastic": "positive-stochastic"},
    **{name: name for name in ("positive-distribution", "positive-stochastic")},
}
#: Kinds of square matrices.
SQUARE: Final = ("symmetric", "posdef", "invertible", "orthogonal")
Shape: TypeAlias = tuple[int, ...]
Words: TypeAlias = NDArray[np.str_]


#: The spans of kinds: what a card assumes narrows them.
SPANS: Final = {
    **{"real": Bounds(), "positive": Bounds(0.0), "unit": Bounds(0.0, 1.0)},
    **{"integer": Bounds(whole=True), "counts": Bounds(-0.5, whole=True)},
}


def _ranks(rng: np.random.Generator, rows: int, cells: int) -> Array:
    ranks = np.tile(np.arange(cells, dtype=np.float64), (rows, 1))
    return np.asarray(rng.permuted(ranks, axis=1))


def _step(cells: int, gentle: bool) -> float:
    return min(0.5, 4 / cells) if gentle else 1.0


#: Beyond all that an answer begins a maximum at.
HUGE: Final = 1e40
#: The share of each kind of numbers in percent.
MIXTURE: Final = {
    "distinct": 35,
    "repeats": 25,
    "negative": 15,
    "gaussian": 10,
    "gaps": 8,
    "constant": 4,
    "large": 3,
}


def mixed(rng: np.random.Generator, rows: int, only: str | None = None) -> Words:
    """What kind of numbers each of some inputs has: (rows,).

    `only` takes one part of the mixture in place of all, or "each", as many of each.
    """
    if only is None:
        return rng.choice(list(MIXTURE), size=rows, p=np.array([*MIXTURE.values()]) / 100)
    return rng.permutation(np.resize(list(MIXTURE) if only == "each" else [only], rows))


def filled(
    rng: np.random.Generator, kinds: Words, cells: int, gentle: bool, compared: bool = False
) -> Array:
    """Draw an input of each of some kinds of numbers: (rows, cells)."""
    found = np.empty((len(kinds), cells))
    for kind in MIXTURE:
        here = np.flatnonzero(kinds == kind)
        if here.size:
            found[here] = _of_kind(rng, kind, here.size, cells, gentle, compared)
    return found


def _of_kind(
    rng: np.random.Generator, kind: str, rows: int, cells: int, gentle: bool, compared: bool
) -> Array:
    match kind:
        case "distinct" | "large":
            zero = np.asarray(cells // 2)
            if not compared:
                zero = rng.integers(-1, cells + 1, (rows, 1)) - rng.choice(
                    [0, 0.25, 0.5], (rows, 1)
                )
            found = np.asarray((_ranks(rng, rows, cells) - zero) * _step(cells, gentle))
            if kind == "distinct":
                return found
            large = found * (3.0 if gentle else 1e6)
            if not compared:
                return large
            # Half of them below what a maximum is begun at: -1e9, the least integer.
            below = -HUGE * (1 + _ranks(rng, rows, cells))
            return np.where(rng.random((rows, 1)) < 0.5, below, large)
        case "repeats":
            return rng.integers(-2, 3, (rows, cells)) * (0.5 if gentle else 1.0)
        case "negative":
            return -(_ranks(rng, rows, cells) + 1) * _step(cells, gentle)
        case "gaussian":
            return rng.normal(size=(rows, cells))
        case "gaps":
            # Around 0, whoever divides by them would lose all digits.
            around, gap = np.ones((rows, 1)), np.full((rows, 1), 1e-9)
            if compared:
                # A third of them closer still, for whoever takes "near" to be 1e-10 or 1e-12.
                gap[rng.random(rows) < 1 / 3] = 7e-13
            else:
                around = rng.choice([-2.0, -1.0, 1.0, 2.0], (rows, 1))
            return np.asarray(around + _ranks(rng, rows, cells) * gap)
    assert kind == "constant"
    return np.repeat(rng.integers(-2, 3, (rows, 1)) * 0.5, cells, axis=1)


#: Kinds of whole numbers: the least, and what all are below.
_WHOLE: Final = {"binary": (0, 2), "counts": (0, 7), "integer": (-5, 6)}


def draw_input(
    rng: np.random.Generator,
    model: Model,
    name: str,
    length: Lengths,
    rows: int,
    only: str | None = None,
) -> Array:
    """Draw `rows` values of one input of a message: (rows, *shape).  `only` is as in `mixed`."""
    kind, shape = model.kinds[name], model.shape(name, length)
    most = model.most(name, length) if kind == "index" else 0
    return values_of(rng, kind, rows, shape, only, model.gentle, most, model.axes.get(name, -1))


def values_of(
    rng: np.random.Generator,
    kind: str,
    rows: int,
    shape: Shape,
    only: str | None = None,
    gentle: bool = True,
    most: int = 0,
    axis: int = -1,
) -> Array:
    """Draw `rows` values of a kind: (rows, *shape).

    `only` is as in `mixed`: of "gaussian" other kinds have numbers of all digits, too.  `most` is
    what an index is below, `axis` that of the shape along which entries sum to 1.
    """
    fine = only == "gaussian"
    if kind == "index":
        return rng.integers(0, most, (rows, *shape)).astype(np.float64)
    if kind in _WHOLE:
        low, high = _WHOLE[kind]
        return rng.integers(low, high, (rows, *shape)).astype(np.float64)
    if kind == "sign":
        return np.asarray(2.0 * rng.integers(0, 2, (rows, *shape)) - 1)
    if kind == "unit":
        parts = rng.integers(1, 20, (rows, *shape)) / 20
        return parts + rng.uniform(-0.02, 0.02, parts.shape) if fine else parts
    if kind in SQUARE:
        return _matrices(rng, kind, rows, shape, fine)
    if kind == "one-hot" or kind in SIMPLEX:
        axis = axis % max(1, len(shape))
        hot = _one_hot(rng, rows, shape, axis)
        if kind == "one-hot":
            return hot
        positive = kind == SIMPLEX[kind]
        weights = np.asarray(rng.integers(0, 5, (rows, *shape)) + (1 if positive else hot))
        if fine:
            weights = weights + rng.random((rows, *shape))
        spread = weights / weights.sum(axis=axis + 1, keepdims=True)
        soft = rng.random((rows, *[1] * len(shape))) < (1.0 if positive else 0.6)
        return np.asarray(np.where(soft, spread, hot))
    kinds = mixed(rng, rows, only)
    real = filled(rng, kinds, int(np.prod(shape)), gentle).reshape(rows, *shape)
    if kind == "positive":
        return np.abs(real) + np.where(np.abs(real) < 0.1, 0.5, 0.0)
    return real


def _matrices(
    rng: np.random.Generator, kind: str, rows: int, shape: Shape, fine: bool = False
) -> Array:
    """Square matrices of a kind, along the last two dimensions of a shape."""
    size = shape[-1]
    whole = rng.integers(-2, 3, (rows, *shape)).astype(np.float64)
    if fine:
        whole = rng.normal(size=whole.shape)
    turned = np.swapaxes(whole, -1, -2)
    if kind == "symmetric":
        return np.asarray(np.triu(whole) + np.swapaxes(np.triu(whole, 1), -1, -2))
    if kind == "posdef":  # the least eigenvalue is at least 1/2
        return np.asarray((whole @ turned + 2 * np.eye(size)) / 4)
    if kind == "invertible":  # its symmetric part is positive definite
        return np.asarray((whole @ turned) / 4 + np.eye(size) + (whole - turned) / 2)
    found, scale = np.linalg.qr(rng.normal(size=(rows, *shape)))
    found = found * np.sign(np.diagonal(scale, axis1=-2, axis2=-1))[..., None, :]
    # Half of them have one entry in each row and column: exact, and not all of them rotations.
    order = np.argsort(rng.random((rows, *shape[:-1])), axis=-1)
    plain = np.eye(size)[order] * rng.choice([-1.0, 1.0], (rows, *shape[:-1], 1))
    return np.asarray(np.where(rng.random((rows, *[1] * len(shape))) < 0.5, plain, found))


def _one_hot(rng: np.random.Generator, rows: int, shape: Shape, axis: int) -> Array:
    length = shape[axis]
    others = [size for place, size in enumerate(shape) if place != axis]
    at = rng.integers(0, length, (rows, *others))
    return np.moveaxis(np.eye(length)[at], -1, axis + 1)


def messages(rng: np.random.Generator, rows: int, shape: Shape) -> Array:
    """Upstream messages: signed quarters, distinct and none whole; in one of eight some are 0."""
    cells = int(np.prod(shape))
    ranks = _ranks(rng, rows, cells)
    sign = rng.choice([-1.0, 1.0], (rows, cells))
    found = sign * (ranks // 3 + (ranks % 3 + 1) / 4)
    blank = (rng.random((rows, 1)) < 1 / 8) & (rng.random((rows, cells)) < 1 / 2)
    return np.asarray(np.where(blank, 0.0, found)).reshape(rows, *shape)


# -- The borders of a forward message and of an answer, and batches of inputs about them.


#: An answer, evaluated on a batch; it notes its borders.
Rule = Callable[[Batch, Borders], object]
#: So many inputs, each with entries of one size.
_SPREAD = 16
#: As far as entries go where the message bends them, and where it does not.
_GENTLE, _FAR = 12.0, 1e3
#: Inputs beside those about an answer's borders: what rounding is to be measured by.
_BESIDE = 40
#: So many numbers of a function are aimed at.
_HEARD = 4


def with_borders(model: Model, batch: Batch, rng: np.random.Generator) -> Batch:
    """The batch with inputs of every size, and about the borders of its message, behind it."""
    if not batch.inputs:
        return batch
    spread = _spread(model, batch, rng)
    rows = {name: np.concatenate([v, spread[name]]) for name, v in _rows(batch).items()}
    measure = _of_message(model, batch.length)
    try:
        return _aimed(batch, rows, measure, apart(measure(rows), []))
    except (OffsetError, TooLargeError):
        return batch


def about(rule: Rule, batch: Batch) -> Batch | None:
    """Inputs about the borders that an answer has and its exercise has not; None where none."""

    def measure(rows: Rows) -> list[Border]:
        met = Borders(equalities=True)
        with np.errstate(all="ignore"):
            rule(_batch(batch, batch.model.standing(rows, batch.length)), met)
        return met.found

    return measured(measure, batch)


def about_numbers(numbers: tuple[float, ...], batch: Batch) -> Batch | None:
    """Inputs about the numbers that stand in a function."""
    found = measured(of_numbers(numbers[:_HEARD]), batch)
    return replace(found, unmet=untried(numbers)) if found else None


def measured(measure: Measure, batch: Batch) -> Batch | None:
    """Inputs about borders that the exercise has not; None where there are no such borders."""
    model, rows = batch.model, _rows(batch)
    try:
        first = measure(rows)
        which = apart(first, _of_message(model, batch.length)(rows) if first else [])
        return _aimed(batch, rows, measure, which, _BESIDE) if which else None
    except (OffsetError, TooLargeError, TooMuchError):
        return None


def _aimed(
    batch: Batch, rows: Rows, measure: Measure, which: list[int], beside: int | None = None
) -> Batch:
    """A batch of the first so many rows, or of all, and of inputs about some borders."""
    found = aim(rows, {**batch.model.kinds, "delta": "real"}, measure, which)
    aimed = _finite(batch.model, batch.length, found.rows)
    every = {name: np.concatenate([value[:beside], aimed[name]]) for name, value in rows.items()}
    return _batch(batch, every, found.unmet)


def _rows(batch: Batch) -> dict[str, Array]:
    message = {} if batch.delta is None else {"delta": batch.delta}
    return {**batch.inputs, **message}


def _batch(like: Batch, rows: Rows, unmet: tuple[str, ...] = ()) -> Batch:
    is_input = "delta" in like.inputs
    inputs = like.model.within({name: v for name, v in rows.items() if is_input or name != "delta"})
    delta = None if is_input else rows.get("delta")
    return Batch(like.model, like.length, like.grown, inputs, delta, unmet)


def _of_message(model: Model, length: Lengths) -> Measure:
    def measure(rows: Rows) -> list[Border]:
        met = Borders()
        given = {name: value for name, value in rows.items() if name in model.forward.inputs}
        with np.errstate(all="ignore"):
            tables = model.run(model.within(given), length, borders=met)
        finite = _has_values({name: table.value for name, table in tables.items()})
        return [b._replace(off=np.where(finite[:, None], b.off, np.nan)) for b in met.found]

    return measure


def _has_values(values: Mapping[str, Array]) -> Array:
    """(B,): where every array is finite."""
    found = np.ones(max(len(value) if value.ndim else 1 for value in values.values()), dtype=bool)
    for value in values.values():
        if value.ndim:
            found &= np.isfinite(value.reshape(len(value), -1)).all(axis=1)
    return found


def _finite(model: Model, length: Lengths, rows: Rows) -> dict[str, Array]:
    """Those of some inputs on which the message has a value."""
    if not len(next(iter(rows.values()))):
        return dict(rows)
    rows = model.within(rows)
    inputs = {name: value for name, value in rows.items() if name in model.forward.inputs}
    with np.errstate(all="ignore"):
        tables = model.run(inputs, length)
    kept = _has_values({name: table.value for name, table in tables.items()})
    return {name: value[kept] for name, value in rows.items()}


def _spread(model: Model, batch: Batch, rng: np.random.Generator) -> dict[str, Array]:
    """Inputs of all sizes, from a thousandth on."""
    count = min(_SPREAD, len(batch))
    rows = {name: value[:count].copy() for name, value in _rows(batch).items()}
    most = _GENTLE if model.gentle else _FAR
    sizes = np.minimum(np.geomspace(1e-3, 10 * most, count), most)
    for name, value in rows.items():
        if name != "delta" and model.kinds[name] in ("real", "positive"):
            size = sizes.reshape(count, *[1] * (value.ndim - 1))
            sign = np.where(rng.random(value.shape) < 0.5, -1.0, 1.0)
            some = size * rng.uniform(0.85, 1.0, value.shape) * sign
            rows[name] = np.abs(some) if model.kinds[name] == "positive" else some
    return _finite(model, batch.length, rows)


# -- Random inputs over several sizes.


#: So many inputs of the card's own sizes try a reason.
_FRESH = 112
#: So often an input on which the message loses its digits is halved; each third stays as it is.
_HALVED = 4
#: Inputs of each size that an answer's own numbers ask for.
_SIZED = 6
#: Larger sizes are not drawn only to be even.
_EVEN = 5


@lru_cache(maxsize=16)
def drawn(model: Model, output: str, seed: int, trials: int) -> tuple[Batch, ...]:
    """Draw `trials` inputs over several sizes.  The same arguments give the same inputs.

    Behind those of the card's own sizes, which come first, are some of every order of magnitude
    and about the borders of the message (`bordering`).
    """
    larger = _larger(model)
    # The card's own sizes half of all times.
    shares = [
        trials - trials // 2,
        *np.diff(np.linspace(0, trials // 2, len(larger) + 1).astype(int)),
    ]
    if not larger:
        shares = [trials]
    found = []
    for n, (grown, count) in enumerate(zip([{}, *larger], shares, strict=True)):
        if count:
            rng = np.random.default_rng([seed, n])
            batch = _calmed(draw(model, output, rng, int(count), grown))
            found.append(batch if grown else with_borders(model, batch, rng))
    return tuple(found)


@lru_cache(maxsize=16)
def fresh(model: Model, output: str, seed: int) -> tuple[Batch, ...]:
    """Draw inputs that may refute what others suggest: of every kind as many, and of one sign."""
    larger = dict.fromkeys(model.sized, 0 if model.rigid else 1)
    found = []
    for n, grown in enumerate([{}, larger] if any(larger.values()) else [{}]):
        rng = np.random.default_rng([seed, n, 1])
        batch = draw(model, output, rng, _FRESH >> n, grown, "each")
        part = len(batch) // 4
        for name, value in batch.inputs.items():
            if model.kinds[name] == "real":
                value[:part] = np.abs(value[:part])
                value[part : 2 * part] = -np.abs(value[part : 2 * part])
        found.append(batch if grown else with_borders(model, batch, rng))
    return tuple(found)


def _larger(model: Model) -> list[dict[str, int]]:
    """Each size one more, and all of them one more; all of them equal, where none would be.

    Only where two sizes are equal a transposed array has values to compare.
    """
    if model.rigid:
        return []
    if not model.drawn:  # sizes are all there is
        return [{**dict.fromkeys(model.sized, 0), **grown} for grown in _sizes_alone(model)]
    every = [dict.fromkeys(model.sized, 1)] if len(model.sized) > 1 else []
    return [*({name: 1} for name in model.sized[:4]), *every, *_even(model)]


def _sizes_alone(model: Model) -> Iterator[dict[str, int]]:
    """Each size alone, and all together, some more and some less."""
    for by in range(-_EVEN, 2 * _EVEN):
        some = {name: max(by, 1 - model.own_sizes[name]) for name in model.sized}
        yield from ({name: size} for name, size in some.items())
        yield some


def _even(model: Model) -> list[dict[str, int]]:
    length = model.lengths()
    known = {**model.letters(length), **length.numbers}
    sizes = {name: int(known[name]) for name in model.sized if name in known}
    top = max(sizes.values(), default=0)
    apart = {name: top - size for name, size in sizes.items() if size < top}
    near = any(abs(a - b) < 2 for a in sizes.values() for b in sizes.values() if a != b)
    return [apart] if apart and not near and top <= _EVEN else []


def _calmed(batch: Batch) -> Batch:
    """The batch with smaller numbers in most inputs on which the message loses its digits."""
    movable = [name for name, kind in batch.model.kinds.items() if kind == "real"]
    at = np.flatnonzero(batch.saturated & (np.arange(len(batch)) % 3 > 0))
    if batch.model.aim or not (batch.model.gentle and movable and at.size):
        return batch
    inputs = {name: value.copy() for name, value in batch.inputs.items()}
    for _ in range(_HALVED):
        for name in movable:
            inputs[name][at] /= 2
        part = {name: value[at] for name, value in inputs.items()}
        at = at[Batch(batch.model, batch.length, batch.grown, part, None).saturated]
        if not at.size:
            break
    return Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)


def draw(
    model: Model,
    output: str,
    rng: np.random.Generator,
    count: int,
    grown: Mapping[str, int],
    only: str | None = None,
) -> Batch:
    """Draw one batch.  `output` is what the upstream message is for, "" for none."""
    length = model.lengths(grown)
    found = {name: draw_input(rng, model, name, length, count, only) for name in model.drawn}
    delta = messages(rng, count, model.shape(output, length)) if output else None
    return Batch(model, length, grown, model.within(found), delta)


@lru_cache(maxsize=64)
def of_size(
    model: Model, output: str, target: Target, name: str, number: int, more: int
) -> Batch | None:
    """Inputs of a size about a number; None where the message has none, or takes too long."""
    rng, grown = np.random.default_rng(number), {name: number + more - model.own_sizes[name]}
    try:
        batch = draw(model, output, rng, _SIZED, grown)
        target.reference(batch)
    except (OffsetError, FormulaError, IndexError, TooLargeError):
        return None
    return batch


@lru_cache(maxsize=64)
def single(model: Model, output: str, name: str) -> tuple[Batch, ...]:
    """Inputs like those drawn, with one size 1; none where the message has no such size."""
    own = model.own_sizes[name]
    try:
        return (draw(model, output, np.random.default_rng(own), 84, {name: 1 - own}, "each"),)
    except (OffsetError, IndexError):
        return ()


# -- Small inputs: sizes from small to large, then values from plain to odd.


#: So many inputs of one set of sizes.
_LISTED = 96


def small(model: Model, output: str) -> Iterator[Batch]:
    """Batches of small inputs, from the smallest sizes to the card's own."""
    batches = (_small(model, output, changes) for changes in _sizes(model))
    return (batch for batch in batches if batch is not None)


def _sizes(model: Model) -> list[tuple[tuple[str, int], ...]]:
    """Changes of the sizes: all 1, one of them 2, all 2, none."""
    names = model.sized
    if model.rigid or not names:
        return [()]
    own = model.own_sizes
    ones = dict.fromkeys(names, 1)
    wanted = [ones, *({**ones, name: 2} for name in names), dict.fromkeys(names, 2), own]
    changes = [tuple((n, size - own[n]) for n, size in one.items()) for one in wanted]
    return list(dict.fromkeys(changes))


@lru_cache(maxsize=128)
def _small(model: Model, output: str, changes: tuple[tuple[str, int], ...]) -> Batch | None:
    """Inputs of one set of sizes from plain to odd; None where the message has no such sizes."""
    try:
        length = model.lengths(dict(changes))
        values = {name: _listed(model, name, length) for name in model.drawn}
        shape = model.shape(output, length) if output else ()
        rows = _combined(model.within(values))
        deltas = None
        if output:
            cells = int(np.prod(shape))
            plain = 10.0 ** np.arange(cells) if cells <= 4 else np.arange(1.0, cells + 1)
            signed = np.where(np.arange(cells) % 2, -1.0, 1.0) * np.arange(2, cells + 2)
            pair = np.stack([plain, signed]).reshape(2, *shape)
            count = len(next(iter(rows.values())))
            deltas = np.repeat(pair, count, axis=0)
            rows = {name: np.concatenate([value, value]) for name, value in rows.items()}
        batch = Batch(model, length, dict(changes), rows, deltas)
        batch.shapes  # noqa: B018 (evaluates the message: sizes that cannot be show here)
    except (OffsetError, IndexError, ValueError):
        return None
    return batch


def _combined(values: dict[str, Array]) -> dict[str, Array]:
    """Every combination of the listed values, as far as there are not too many."""
    counts = [len(value) for value in values.values()]
    combinations: list[tuple[int, ...]] = []
    for total in range(sum(counts) - len(counts) + 1):
        if len(combinations) < _LISTED:
            level = _summing(counts, total)
            combinations += sorted(level, key=lambda picks: max(picks, default=0))
    picks = np.array(combinations[:_LISTED]).reshape(-1, len(values))
    return {name: value[picks[:, n]] for n, (name, value) in enumerate(values.items())}


def _summing(counts: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    """Picks below each of `counts` that add up to `total`."""
    if not counts:
        yield ()
        return
    most = sum(counts[1:]) - len(counts) + 1
    for first in range(max(0, total - most), min(counts[0], total + 1)):
        for rest in _summing(counts[1:], total - first):
            yield (first, *rest)


#: Values from plain to odd, for counterexamples.
PLAIN: Final = (1.0, 2.0, -1.0, 0.0, 3.0, -2.0)


def _listed(model: Model, name: str, length: Lengths) -> Array:
    """Small values of one input from plain to odd: (n, *shape)."""
    kind, shape = model.kinds[name], model.shape(name, length)
    cells = int(np.prod(shape))
    if kind in SQUARE:
        return np.concatenate([_plainest(kind, shape), _drawn_small(model, name, length, 3)])
    if kind not in ("real", "positive", "unit", "integer", "counts"):
        return _drawn_small(model, name, length, 4)
    values = np.array(PLAIN)
    if kind in ("positive", "unit"):
        values = np.array([1.0, 2.0, 3.0, 0.5]) / (4 if kind == "unit" else 1)
    elif kind == "counts":
        values = np.array([1.0, 2.0, 0.0, 3.0])
    ranks = values[np.arange(cells) % len(values)]
    rows = [ranks, np.full(cells, values[0]), ranks[::-1]]
    if kind in ("real", "integer"):
        rows += [np.full(cells, -1.0), np.arange(1.0, cells + 1), -ranks, np.zeros(cells)]
    return np.stack(rows).reshape(-1, *shape)


def _drawn_small(model: Model, name: str, length: Lengths, rows: int) -> Array:
    cells = int(np.prod(model.shape(name, length)))
    return draw_input(np.random.default_rng(cells), model, name, length, rows)


def _plainest(kind: str, shape: Shape) -> Array:
    """The identity, and a matrix with as few digits: (2, *shape)."""
    unit = np.eye(shape[-1])
    other = unit[::-1] if kind == "orthogonal" else unit * np.arange(2, shape[-1] + 2)
    if kind in ("symmetric", "posdef", "invertible") and shape[-1] > 1:
        other = other.copy()
        other[0, 1] = 1.0
        other[1, 0] = -1.0 if kind == "invertible" else 1.0
    return np.stack([np.broadcast_to(one, shape) for one in (unit, other)])
