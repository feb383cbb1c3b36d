"""Known wrong rules, found by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np

from engine.formula.axes import Array
from engine.formula.rewrite import inside, names_in
from engine.formula.tree import Arithmetic, Definition, Node, Number, OffsetError
from engine.formula.unparse import unparse
from engine.messages.judge import TOLERANCE, JudgedMessage
from engine.messages.model import Batch, Model
from engine.messages.mutations import (
    inlined,
    input_mutations,
    masks,
    missing,
    mutations,
    place_mutations,
    together,
    unit_mutations,
)
from engine.messages.targets import Target
from engine.verdict import Mistake

# -- A known wrong rule: its name, the sentence that mends it, and what it gives.


#: What a wrong rule gives on a batch: of the answer's shape, NaN where it says nothing.
Rule: TypeAlias = Callable[[JudgedMessage], Array]
Known: TypeAlias = tuple[Mistake, Rule]


def _mistake(name: str, teaching: str, rule: Rule) -> Known:
    return Mistake(name, teaching), rule


# -- Known wrong rules that are a factor times what is right: lengths, scalars, any number.


def lengths(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """Divided, or multiplied, by how many of an index there are."""
    for name in judged[0].batch.model.sized:
        if len({_size(one, name) for one in judged}) < 2:
            continue
        size = partial(_size, name=name)
        yield _mistake(
            f"divided by the number of {name}",
            "Nothing is averaged here: the terms are added as they are.",
            lambda one, size=size: one.expected / size(one),  # type: ignore[misc]
        )
        yield _mistake(
            f"not divided by the number of {name}",
            f"The mean has a factor 1 over the number of {name}; the derivative keeps it.",
            lambda one, size=size: one.expected * size(one),  # type: ignore[misc]
        )
        yield _mistake(
            f"divided by the square root of the number of {name}",
            f"The root of the number of {name} is part of another step, or counted twice.",
            lambda one, size=size: one.expected / np.sqrt(size(one)),  # type: ignore[misc]
        )


def _size(one: JudgedMessage, name: str) -> float:
    return float(one.batch.letters.get(name, one.batch.length.numbers.get(name, 1)))


def scalars(few: JudgedMessage) -> Iterator[Known]:
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
        said, inverse = unparse(below), unparse(Arithmetic("/", Number(1.0), below))
        yield _mistake(
            f"not divided by {said}",
            f"What divides stays: {inverse} is a factor.",
            lambda one, below=below: one.expected * _value(one, below),  # type: ignore[misc]
        )
        yield _mistake(
            f"divided by {said} twice",
            f"The factor {inverse} is there once.",
            lambda one, below=below: one.expected / _value(one, below),  # type: ignore[misc]
        )


def _denominators(node: Node) -> Iterator[Node]:
    for part in inside(node):
        if isinstance(part, Arithmetic) and part.op == "/" and not isinstance(part.right, Number):
            yield part.right


def _value(one: JudgedMessage, node: Node) -> Array:
    """A number without indices, for each input: (B, 1, ...); NaN where it has any."""
    found = one.batch.number(node)
    if found.size not in (1, len(one.batch)):
        return np.full((1,) * one.expected.ndim, np.nan)
    return one.wide(np.broadcast_to(found.reshape(-1), (len(one.batch),)))


def constant(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """A number times what is right, whichever the answer has."""
    times = _ratio(judged)
    if times is None:
        return
    name = f"a constant factor: {times:g} times what is right"
    teaching = "Follow the factors in front: those of a power, a mean or a square."
    if times in (2.0, 0.5) and judged[0].batch.squares:
        name = f"the 2 of the square is {'there once too often' if times == 2 else 'missing'}"
        teaching = "The square brings a factor 2 down, which a 1/2 in front takes away."
    yield Mistake(name, teaching), lambda one: times * one.expected


def _bodies(one: JudgedMessage) -> list[Node]:
    return [d.body for d in one.batch.model.forward.arrays]


def _ratio(judged: Sequence[JudgedMessage]) -> float | None:
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


def _known(one: JudgedMessage) -> Array:
    return np.where(one.wide(one.left_out_mask) | one.contested, 0.0, one.expected)


# -- Known wrong rules for a loss whose derivative is the difference of two arrays, as p - t.


def parts(one: JudgedMessage) -> tuple[str, str] | None:
    """The p and t of p - t; None where the derivative is no such thing."""
    if not one.target.of_loss:
        return None
    values = one.batch.values
    known = [name for name in one.batch.shapes if values[name].shape == one.expected.shape]
    for above in known:
        for below in known:
            if _equal(one, values[above] - values[below]):
                return above, below
    return None


def _equal(one: JudgedMessage, values: Array) -> bool:
    clear = ~one.wide(one.left_out_mask) & np.isfinite(values)
    return bool((np.abs(values - one.expected) <= one.slack)[clear].all())


def rules(few: JudgedMessage) -> Iterator[Known]:
    found = parts(few)
    if found is None:
        return
    p, t = found
    right = f"What is left of the chain rule is {p} - {t}"

    ways: dict[str, Callable[[Array, Array], Array]] = {
        f"{t} is forgotten in {p} - {t}": lambda a, b: a + 0 * b,
        f"{p} is forgotten in {p} - {t}": lambda a, b: 0 * a - b,
        f"{p} + {t} in place of {p} - {t}": lambda a, b: a + b,
        f"{p} - 1 in place of {p} - {t}": lambda a, b: a - 1 + 0 * b,
        f"the size of {p} - {t} without its sign": lambda a, b: np.abs(a - b),
        f"the square of {p} - {t} in place of its slope": lambda a, b: (a - b) ** 2,
        f"half the square of {p} - {t}: the loss itself": lambda a, b: (a - b) ** 2 / 2,
        f"{p} (1 - {p}) is a factor too many": lambda a, b: (a - b) * a * (1 - a),
        f"divided by {p} (1 - {p})": lambda a, b: (a - b) / (a * (1 - a)),
        f"divided by {p}": lambda a, b: (a - b) / a,
    }
    for name, made in ways.items():
        yield _mistake(
            name,
            f"{right}, nothing else.",
            lambda one, made=made: made(one.batch.values[p], one.batch.values[t]),  # type: ignore[misc]
        )
    values = few.batch.values
    for name in few.batch.shapes:
        if name not in (p, t) and values[name].shape == few.expected.shape:
            yield _mistake(
                f"{name} in place of {p}",
                f"{right}: {p}, and not {name}.",
                lambda one, name=name: one.batch.values[name] - one.batch.values[t],  # type: ignore[misc]
            )


# -- Known wrong rules that are made of the right numbers: signs, factors, sums, places.


def first(few: JudgedMessage) -> Iterator[Known]:
    """Rules that are looked for before any other."""
    yield _sign(few), lambda one: -one.expected
    if few.target.upstream:
        yield _mistake(
            "upstream message forgotten",
            "By the chain rule each output's slope is multiplied by its delta before summing.",
            lambda one: one.reference.jacobian.sum(axis=1).reshape(one.expected.shape),
        )
        yield _mistake(
            "the upstream message comes in twice",
            "The message from above is a factor once: the layer's own slope knows no delta.",
            _twice,
        )
    yield _mistake(
        "transposed",
        "Each index keeps its meaning: compare the sides letter by letter.",
        _transposed,
    )


def last(judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """Rules that are looked for when no slip explains the numbers."""
    target = judged[0].target
    if target.upstream:
        yield _mistake(
            "the message of the wrong output",
            "The delta inside the sum has the output's index, that which is summed over.",
            _wrong_output,
        )
        yield _mistake(
            "the sum over the messages is forgotten",
            "Every output pulls at every input: that term is multiplied by the sum of delta.",
            _unsummed,
        )
        output = target.above
        yield _mistake(
            f"{output} in place of the message delta",
            f"What comes from above is dL/d{output}, not {output} itself.",
            _output_for_message,
        )
        yield _mistake(
            f"the derivative at delta in place of {target.below}",
            f"Where the slope is taken, {target.below} says; delta only multiplies it.",
            _at_message,
        )
    yield from rules(judged[0])
    if target.jacobian:
        yield from _unequal(judged[0])
    yield _mistake(
        f"{target.below} comes in as a factor",
        f"The slope by {target.below} is what {target.below} is multiplied by.",
        _own_factor,
    )
    yield from lengths(judged)
    yield from scalars(judged[0])
    count = judged[0].got.ndim - 1
    for axis in range(count):
        letter = _letters(judged[0])[axis]
        yield _mistake(
            f"summed over {letter}",
            f"{letter} says which entry it is: nothing runs over it.",
            lambda one, axis=axis: _summed(one, axis),  # type: ignore[misc]
        )
        yield _mistake(
            f"the entries are in reverse order along {letter}",
            "Each place is read where it was written: nothing is turned round.",
            lambda one, axis=axis: np.flip(one.expected, axis + 1),  # type: ignore[misc]
        )
    if target.upstream:
        yield _mistake(
            "every output counts everywhere",
            "Only the outputs that an input takes part in send it a message.",
            _everywhere,
        )


def _output_for_message(one: JudgedMessage) -> Array:
    values = one.batch.values[one.target.above].reshape(len(one.batch), 1, -1)
    return np.asarray((values @ one.reference.jacobian).reshape(one.expected.shape))


def _at_message(one: JudgedMessage) -> Array:
    """The message of the same layer at an input that is delta."""
    batch, below = one.batch, one.target.below
    delta = batch.values["delta"]
    if below not in batch.inputs or delta.shape != batch.inputs[below].shape:
        return np.full(one.expected.shape, np.nan)
    other = Batch(batch.model, batch.length, batch.grown, {**batch.inputs, below: delta}, delta)
    found = other.reference(one.target.above, below)
    numbers = one.numbers(found.jacobian)
    return np.where(one.wide(found.met | found.left_out), np.nan, numbers)


def _everywhere(one: JudgedMessage) -> Array:
    """The slope, the same wherever there is one, times the sum of all messages."""
    local = one.reference.jacobian.reshape(len(one.batch), -1)
    largest = local.max(axis=1, initial=0.0)
    same = ((local == 0) | (np.abs(local - largest[:, None]) <= 1e-12)).all(axis=1)
    total = one.batch.values["delta"].reshape(len(one.batch), -1).sum(axis=1)
    sparse = same & (local == 0).any(axis=1)
    found = np.where(sparse, largest * total, np.nan)
    return np.broadcast_to(one.wide(found), one.expected.shape)


def _own_factor(one: JudgedMessage) -> Array:
    values = one.batch.values[one.target.below]
    if values.shape != one.expected.shape:
        return np.full(one.expected.shape, np.nan)
    return np.asarray(one.expected * values)


def _unequal(few: JudgedMessage) -> Iterator[Known]:
    """Of a Jacobian the entries with equal indices, for all: [k = m] is forgotten."""
    letters = _letters(few)
    count = few.target.above_count
    for first in range(count if few.full or not few.target.diagonal else 0):
        for second in range(count, len(letters)):
            name = f"[{letters[first]} = {letters[second]}] is forgotten"
            teaching = f"Where {letters[first]} and {letters[second]} differ, the slope is another."
            yield _mistake(
                name,
                teaching,
                lambda one, first=first, second=second: _spread(one, first, second),  # type: ignore[misc]
            )


def _spread(one: JudgedMessage, first: int, second: int) -> Array:
    whole = one.expected
    if whole.shape[first + 1] != whole.shape[second + 1]:
        return np.full(whole.shape, np.nan)
    diagonal = np.diagonal(whole, axis1=first + 1, axis2=second + 1)
    wide = np.expand_dims(np.moveaxis(diagonal, -1, first + 1), second + 1)
    return np.broadcast_to(wide, whole.shape)


def _letters(one: JudgedMessage) -> tuple[str, ...]:
    indices = one.target.indices
    return indices if one.full else tuple(dict.fromkeys(indices))


def _sign(one: JudgedMessage) -> Mistake:
    """The sign; of a difference of two arrays, which of them is taken off."""
    found = parts(one)
    if found is not None:
        above, below = found
        return Mistake(
            f"{below} - {above} in place of {above} - {below}",
            f"Where {above} is larger than {below}, the loss grows with it: the slope is "
            "positive there.",
        )
    return Mistake("sign", "The size is right: look for a minus that was lost or is one too many.")


def _twice(one: JudgedMessage) -> Array:
    delta = one.batch.values["delta"].reshape(len(one.batch), 1, -1) ** 2
    return np.asarray((delta @ one.reference.jacobian).reshape(one.expected.shape))


def _transposed(one: JudgedMessage) -> Array:
    found = np.full(one.expected.shape, np.nan)
    if found.ndim >= 3:
        rows: int = min(found.shape[-2:])
        turned = np.swapaxes(one.expected, -1, -2)
        found[..., :rows, :rows] = turned[..., :rows, :rows]
    return found


def _wrong_output(one: JudgedMessage) -> Array:
    """The slopes summed, times the delta at the input's own index."""
    delta = one.batch.values["delta"]
    total = one.reference.jacobian.sum(axis=1).reshape(one.expected.shape)
    if delta.ndim != total.ndim:
        return np.full(total.shape, np.nan)
    wide = np.full(total.shape, np.nan)
    part = tuple(slice(0, min(a, b)) for a, b in zip(delta.shape, total.shape, strict=True))
    wide[part] = delta[part]
    return np.asarray(total * wide)


def _unsummed(one: JudgedMessage) -> Array:
    """delta_j - p_j for delta_j - p_j sum(delta): of slopes that are the same for all other k."""
    local = one.reference.jacobian
    rows, size = len(local), local.shape[1]
    if size != local.shape[2] or size < 2:
        return np.full(one.expected.shape, np.nan)
    column = np.take_along_axis(local, (np.arange(size)[None, None, :] + 1) % size, axis=1)[:, 0]
    same = (np.abs(local - column[:, None, :]) <= 1e-9) | np.eye(size, dtype=np.bool_)
    own = np.einsum("npp->np", local) - column
    delta = one.batch.values["delta"].reshape(rows, -1)
    found = np.where(same.all(axis=(1, 2))[:, None], delta * own + column, np.nan)
    return found.reshape(one.expected.shape)


def _summed(one: JudgedMessage, axis: int) -> Array:
    total = one.expected.sum(axis=axis + 1, keepdims=True)
    return np.broadcast_to(total, one.expected.shape)


# -- Wrong slopes of one array by another of the same shape, as a softmax has them.


#: The wrong slope (B, P, P) from the right one and the values (B, P); NaN where there is none.
Change: TypeAlias = Callable[[Array, Array], Array]


def softmaxes(model: Model, target: Target) -> Iterator[Known]:
    """Wrong slopes of whatever turns out to be a softmax."""
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _softmax(later, earlier):
            yield mistake, _linked_by(later, earlier, change)


def wrong_links(model: Model, target: Target) -> Iterator[Known]:
    for later, earlier in model.links_of_chain(target.above, target.below):
        for mistake, change in _changes(later, earlier):
            yield mistake, _linked_by(later, earlier, change)


def _linked_by(later: str, earlier: str, change: Change) -> Rule:
    return lambda one: one.numbers(one.batch.linked(one.target, later, earlier, change))


def _softmax(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    whole = f"The slope of {y}[k] by {x}[j] is {y}[k] ([k = j] - {y}[j])"
    yield (
        Mistake(f"softmax taken entry by entry: {y} (1 - {y})",
                f"Every {y} depends on all {x}: {whole}, summed over k."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _diagonal(d - p)),
    )  # fmt: skip
    yield (
        Mistake("the sign of the softmax's second term", f"{whole}, with a minus."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d + p),
    )
    yield (
        Mistake("the diagonal of the softmax's derivative is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: 0 * d - p),
    )
    yield (
        Mistake("the softmax's second term is forgotten", f"{whole}: the sum below moves too."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d + 0 * p),
    )
    yield (
        Mistake(f"the {y} inside the softmax's sum is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d - (p != 0) * d.sum(2)[:, None, :]),
    )

    yield (
        Mistake("the mean in place of the sum in the softmax's second term", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: d - p / _width(local)),
    )
    yield (
        Mistake(f"the {y} in front of the softmax's bracket is forgotten", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _ones(d) - _per_distribution(y, p)),
    )
    yield (
        Mistake(f"the identity in place of diag({y})", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _ones(d) - p),
    )
    yield (
        Mistake(f"{y}^T {y} in place of {y} {y}^T", f"{whole}: an entry for each k and j."),
        lambda local, y: _if_softmax(local, y, _less_square),
    )
    yield (
        Mistake("1 in place of [k = j] in the softmax's derivative", f"{whole}."),
        lambda local, y: _if_softmax(local, y, lambda d, p: _per_distribution(y, d + p) - p),
    )


def _ones(diagonal: Array) -> Array:
    return np.broadcast_to(np.eye(diagonal.shape[1]), diagonal.shape)


def _per_distribution(y: Array, pattern: Array) -> Array:
    """y_k at every j of each row of the softmax, which is where `pattern` is not 0."""
    return np.asarray(np.where(pattern != 0, y[:, :, None], 0.0))


def _width(local: Array) -> Array:
    """(B, P, 1): how many entries each row of a softmax has."""
    return np.asarray((local != 0).sum(axis=2, keepdims=True))


def _less_square(diagonal: Array, outer: Array) -> Array:
    """diag(y) - y^T y, the inner product of each row with itself, taken off every entry."""
    eye = np.eye(outer.shape[1])
    square = np.asarray((outer * eye).sum(axis=2))
    rows = np.einsum("bpq,bq->bp", (outer != 0) * 1.0, square)
    return np.asarray(diagonal - rows[:, :, None] * eye)


def _changes(y: str, x: str) -> Iterator[tuple[Mistake, Change]]:
    yield (
        Mistake(f"each {y} taken to depend on its own {x} alone",
                f"Every entry of {y} depends on all entries of {x}: sum over them."),
        lambda local, _: _diagonal(local),
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} is missing",
                f"{y} is a function of {x}: the chain rule multiplies by its derivative."),
        lambda local, _: _ones(local),
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} comes in twice",
                "The chain rule has each step once."),
        lambda local, _: local @ local,
    )  # fmt: skip
    yield (
        Mistake(f"the slope of {y} by {x} is transposed",
                "The message goes back along the output's index: that one is summed over."),
        lambda local, _: local.transpose(0, 2, 1),
    )  # fmt: skip


def _diagonal(local: Array) -> Array:
    return np.asarray(local * np.eye(local.shape[-1]))


def _if_softmax(local: Array, y: Array, made: Callable[[Array, Array], Array]) -> Array:
    """From diag(y) and y y^T, the latter within each row that sums to 1."""
    diagonal = y[:, :, None] * np.eye(y.shape[1])
    outer = y[:, :, None] * y[:, None, :] * (local != 0)
    right = np.abs(local - (diagonal - outer)).max(initial=0.0) <= 1e-9
    # Where every y depends on its own x alone, there is no sum to speak of.
    right &= bool((local != 0).sum() > y.size)
    return made(diagonal, outer) if right else np.full_like(local, np.nan)


# -- Known wrong rules for any forward message, each computed from the message itself.
#
# There are hundreds for one message, so each is first tried on a few inputs; what agrees there is
# tried on all of them.


#: Definitions that are put in the place of the message's own, by their names.
Slip: TypeAlias = dict[str, Definition]
#: On so many inputs a rule must say something, or on all that fail: it may be NaN where it does
#: not apply.
_TELLING: Final = 20
#: So many inputs sift the rules.
_FEW: Final = 24
#: No more slips than these are tried, and fewer of a message of more parts than these: a verdict
#: must not wait.
_MOST: Final = 160
_LARGE: Final = 150


#: The known wrong rules, from a few inputs and from all of them; most do not ask for the latter.
Rules: TypeAlias = Callable[[JudgedMessage, Sequence[JudgedMessage]], Iterator[Known]]


def named_mistake(
    judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], rules: Rules
) -> Mistake | None:
    """The first known wrong rule that the numbers agree with on every input tried."""
    if all((np.abs(one.got) <= one.slack).all() for one in judged):
        return None  # 0 everywhere agrees with every rule that forgets all
    sieve = _sieve(judged, rules)
    if sieve is None:
        return None
    own = judged[sieve.place]
    got, moves = own.got[sieve.rows], own.moves[sieve.rows]
    for mistake, rule, found in sieve.rules():
        if sieve.passes(got, found, moves) and _holds(judged, fresh, rule):
            return mistake
    for mistake, rule in constant(judged):
        if _holds(judged, fresh, rule):
            return mistake
    return None


def _holds(judged: Sequence[JudgedMessage], fresh: Sequence[JudgedMessage], rule: Rule) -> bool:
    telling = astray = 0
    for one in (*judged, *fresh):
        astray += int((one.astray & ~one.reference.met).sum())
        # Many rules have nothing to say of most sizes, whatever the answer.
        silent = one.batch.kept.setdefault(("silent", one.target, one.full), set())
        if rule in silent:
            continue
        found = rule(one)
        if not _agrees(one, found):
            return False
        told = np.isfinite(found)
        if not told.any():
            silent.add(rule)
        told &= np.isfinite(one.got)
        rows = (told & one.off).reshape(len(found), -1).any(axis=1) & ~one.reference.met
        telling += int((rows & one.astray).sum())
    return telling >= min(_TELLING, max(3, astray))


@dataclass(eq=False)
class Sieve:
    """The rules on a few inputs: worked out once, and kept with the inputs for all answers."""

    few: JudgedMessage
    place: int
    """Of which of the batches they are."""
    rows: Array
    source: Iterator[Known]
    done: list[tuple[Mistake, Rule, Array]] = field(default_factory=list)

    def rules(self) -> Iterator[tuple[Mistake, Rule, Array]]:
        """Each rule with what it gives on the few inputs; those without a slope are left out."""
        yield from self.done
        for mistake, rule in self.source:
            try:
                found = np.array(rule(self.few))
            except (OffsetError, KeyError):
                continue  # an index would have to be differentiated, or runs over nothing known
            self.done.append((mistake, rule, found))
            yield self.done[-1]

    def passes(self, got: Array, found: Array, moves: Array) -> bool:
        slack = self.few.slack + moves + 10 * TOLERANCE * np.abs(found)
        told = np.isfinite(found) & np.isfinite(got)
        return bool((np.abs(got - found) <= slack)[told].all())


def _sieve(judged: Sequence[JudgedMessage], rules: Rules) -> Sieve | None:
    """On inputs that the answer says something of; None where there are none."""
    place = next((n for n, one in enumerate(judged) if np.isfinite(one.got[_rows(one)]).any()), -1)
    if place < 0:
        return None
    one = judged[place]
    key = (one.target, one.full, len(judged), place)
    kept = one.batch.kept
    if key not in kept:
        rows = _rows(one)
        few = replace(one, batch=one.batch.some(rows), got=one.got[rows], rule=None)
        blank = [replace(each, rule=None) for each in judged]
        kept[key] = Sieve(few, place, rows, rules(few, blank))
    found = kept[key]
    assert isinstance(found, Sieve)
    return found


def _rows(one: JudgedMessage) -> Array:
    """Inputs of a batch that sift the rules."""
    return np.flatnonzero(~one.reference.met & ~one.left_out_mask)[:_FEW]


def derived_rules(few: JudgedMessage, judged: Sequence[JudgedMessage]) -> Iterator[Known]:
    """The wrong rules that are made from a forward message itself, and those of every message."""
    yield from first(few)
    target, model = few.target, few.batch.model
    yield from softmaxes(model, target)
    moved = model.moved(target.below)
    slipped = (one for one in _slipped(model, moved) if one[2] or moved.intersection(one[1]))
    parts = sum(1 for one in model.forward.arrays for _ in inside(one.body))
    for mistake, changed, anew in islice(slipped, _MOST * _LARGE // max(_LARGE, parts)):
        yield mistake, _by(**{"instead" if anew else "slipped": changed})
    for held in model.held(target.above, target.below):
        said = " and ".join(held)
        mistake = Mistake(
            f"{said} taken for constant",
            f"{target.below} moves {said} too: the chain rule goes through there as well.",
        )
        yield mistake, _by(bent=dict.fromkeys(held, _flat))
    yield from wrong_links(model, target)
    yield from last(judged)


def _by(**changes: Any) -> Rule:
    return lambda one: one.numbers(one.batch.falsified(one.target, **changes))


def _flat(tables: object) -> None:
    """No slope, as a constant has."""


@lru_cache(maxsize=64)
def _slipped(model: Model, moved: frozenset[str]) -> tuple[tuple[Mistake, Slip, bool], ...]:
    """Slips of the definitions, and whether their values are wrong as well."""
    found: list[tuple[Mistake, Slip, bool]] = []
    bodies = [
        replace(d, body=inlined(d.body, model.forward.functions)) for d in model.forward.arrays
    ]

    def add(one: Definition, ways: Iterator[tuple[Mistake, Node]], anew: bool = False) -> None:
        name = one.names[0]
        found.extend((m, {name: replace(one, body=body)}, anew) for m, body in ways)

    for one in bodies:
        add(one, unit_mutations(one))
    for one in reversed(bodies):
        add(one, place_mutations(one.body))
    for one in reversed(bodies):
        add(one, masks(one.body, model))
        add(one, mutations(one.body, moved))
        add(one, input_mutations(one.body, model))
    found += [(m, changed, False) for m, changed in together(bodies)]
    for one in bodies:
        add(one, missing(one.body, model), anew=True)
    return tuple(found)


def _agrees(one: JudgedMessage, rule: Array) -> bool:
    told = np.isfinite(rule) & np.isfinite(one.got)
    clear = ~one.wide(one.left_out_mask | one.reference.met) & told
    # A rule need not be 0 where the message from above is.
    gain = one.wide(one.reference.gain)
    slack = one.slack + one.moves + 10 * TOLERANCE * np.abs(rule) + TOLERANCE * gain
    return bool((np.abs(one.got - rule) <= slack)[clear].all())
