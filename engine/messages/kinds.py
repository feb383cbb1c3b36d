"""What kind of numbers each input is: said by the card, or told by its place in the formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.rewrite import inside
from engine.formula.tree import OF_MATRICES, Apply, Cell, OffsetError, Reduce, name_of
from engine.messages.forward import Forward
from engine.messages.inputs import KINDS, SIMPLEX, SQUARE, draw
from engine.messages.model import LargeMessageError, Model
from engine.messages.shapes import Survey
from engine.messages.targets import Target

# -- What the card says.


#: What a kind is called as well; labels are told by their use.
_CALLED: Final[dict[str, str]] = {
    **dict.fromkeys(("number", "numbers", "any"), "real"),
    **dict.fromkeys(("integers", "int", "whole-number", "whole-numbers"), "integer"),
    **dict.fromkeys(("count", "natural", "natural-number", "non-negative-integer"), "counts"),
    **dict.fromkeys(("signs", "-1/1", "-1/+1", "+1/-1", "+-1", "±1", "-1-or-1"), "sign"),
    **dict.fromkeys(("boolean", "bit", "bits", "mask", "0/1", "0-or-1"), "binary"),
    **dict.fromkeys(("sequence", "class", "classes", "indices"), "index"),
    **dict.fromkeys(("label", "class-label", "class-labels"), "labels"),
    **dict.fromkeys(("onehot",), "one-hot"),
    **dict.fromkeys(("simplex", "probability-vector"), "distribution"),
    **dict.fromkeys(("row-stochastic", "stochastic-matrix", "transition-matrix"), "stochastic"),
    **dict.fromkeys(("transition-probabilities",), "stochastic"),
    **dict.fromkeys(("symmetric-matrix",), "symmetric"),
    **dict.fromkeys(("positive-definite", "pos-def", "spd", "covariance"), "posdef"),
    **dict.fromkeys(("symmetric-positive-definite", "positive-definite-matrix"), "posdef"),
    **dict.fromkeys(("regular", "nonsingular", "non-singular"), "invertible"),
    **dict.fromkeys(("orthonormal", "orthogonal-matrix"), "orthogonal"),
}
_OF = re.compile(
    r"(?P<kind>.*?)\s*(?:\((?P<most>[^()]*)\))?\s*(?:\[(?P<shape>[^][]*)\])?\s*", re.DOTALL
)


def kind_said(said: object) -> tuple[str, str, str]:
    """A kind by its name in KINDS (or "labels"), the M of index(M), the K,K of stochastic[K,K]."""
    found = _OF.fullmatch(str(said).strip())
    assert found is not None
    kind = re.sub(r"[-_\s]+", "-", found["kind"].lower())
    kind = "distribution" if kind.startswith("probabilit") else kind
    return _CALLED.get(kind, kind), (found["most"] or "").strip(), found["shape"] or ""


def kinds_of(
    told: Mapping[str, object], forward: Forward, survey: Survey
) -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """The kind of each input that the card tells, of index(M) the M, and which are square.

    Raises ExerciseError.
    """
    found, limits, square = {}, {}, set[str]()
    for name, said in told.items():
        kind, most, shape = kind_said(said)
        if name not in forward.inputs:
            raise ExerciseError(
                f"exercise: inputs: {name} is no input: {', '.join(forward.inputs)} are."
            )
        if kind == "labels":
            kind = "index" if name in (*survey.indexers, *survey.labels) else "sign"
        if kind not in KINDS or (most and kind != "index"):
            raise ExerciseError(
                f"exercise: inputs: {name} is {said!r}: {', '.join(KINDS)} are allowed."
            )
        count = forward.inputs[name]
        if not count and kind == "distribution" and str(said).strip().lower() == "probability":
            kind = "unit"
        if not count and (kind == "one-hot" or kind in SIMPLEX):
            raise ExerciseError(f"exercise: inputs: {name} has no index to sum over.")
        if count < 2 and (kind in SQUARE or kind.endswith("stochastic")):
            raise ExerciseError(
                f"exercise: inputs: {name} is {said!r}: that is a matrix, and {name} has "
                f"{count} ind{'ex' if count == 1 else 'ices'}."
            )
        if shape and len(shape.split(",")) != count:
            raise ExerciseError(
                f"exercise: inputs: {name} is {said!r}, and has "
                f"{count} ind{'ex' if count == 1 else 'ices'}: write one size for each."
            )
        if most and not re.fullmatch(r"[1-9][0-9]?", most) and most not in _sizes(forward, survey):
            raise ExerciseError(
                f"exercise: inputs: {name} is {said!r}: a number, or the name of a size, "
                "is expected in the brackets."
            )
        found[name] = kind
        limits.update({name: most} if most else {})
        ends = [size.strip() for size in shape.split(",")][-2:]
        if kind in SQUARE or (len(ends) == 2 and ends[0] == ends[1]):
            square.add(name)
    return found, limits, frozenset(square)


def _sizes(forward: Forward, survey: Survey) -> set[str]:
    return {*forward.scalars, *(variable.letter for variable in survey.variables)}


def bounded(model: Model, limits: Mapping[str, str], square: frozenset[str]) -> Model:
    """The model with what the card says of how far indices run.

    Raises OffsetError where a matrix that is to be square is none.
    """
    if not square and not limits:
        return model
    model = replace(model, forward=replace(model.forward, square=square, limits=limits))
    for name in square:
        shape = model.shape(name, model.lengths())
        if shape[-1] != shape[-2]:
            said = f"{name} is {shape[-2]}x{shape[-1]}, and is said to be square."
            raise OffsetError(said, "give both of its indices the same size", 0)
    return model


# -- What the formula tells.


def with_kinds(model: Model, declared: Mapping[str, str], targets: tuple[Target, ...]) -> Model:
    """The model with a kind for each input: as declared, or as its place in the formula tells.

    The targets of a cross-entropy are a distribution; what a logarithm or a root needs positive is.
    Raises OffsetError where the message has no value on any inputs.
    """
    survey = model.survey
    below = {target.below for target in targets}
    told = [*survey.indexers, *(name for name in survey.labels if name not in below)]
    found = {**dict.fromkeys(told, "index"), **dict.fromkeys(_counted(model, below), "counts")}
    axes = {}
    for name, axis in model.sums_to_one.items():
        axes[name] = axis
        if name not in below:
            found[name] = "distribution"
    found.update((name, kind) for name, kind in declared.items() if name in model.drawn)
    axes = {name: axis for name, axis in axes.items() if not found.get(name, "").endswith("tic")}
    open_ = [name for name in model.drawn if name not in found]
    matrices = {*_of_determinants(model)}
    for choice in _choices([_MATRICES if name in matrices else _NUMBERS for name in open_]):
        tried = {**found, **dict(zip(open_, choice, strict=True))}
        try:
            chosen = _with_values(replace(model, kinds=tried, axes=axes), targets)
        except LargeMessageError as trouble:
            raise OffsetError(trouble.message, trouble.hint, 0) from None
        if chosen is not None:
            return chosen
    _no_place_beyond(model)
    raise OffsetError(*model.unfit, 0)


#: Functions of whole numbers: what they are of is counted, where nothing else is said.
_COUNTING: Final = {"factorial": 1, "binom": 2, "poisson": 1}


def _counted(model: Model, below: Collection[str]) -> Iterator[str]:
    """Inputs that n! or binom(n, k) is of, but for those by which is differentiated."""
    for definition in model.forward.arrays:
        for node in inside(definition.body):
            if isinstance(node, Apply) and node.function in _COUNTING:
                for part in node.arguments[: _COUNTING[node.function]]:
                    name = name_of(part)
                    if name in model.forward.inputs and name not in below:
                        yield name


def _no_place_beyond(model: Model) -> None:
    """Refuses a reading beyond the end of an array, or before its beginning."""
    survey, length = model.survey, model.lengths()
    for array, uses in survey.uses.items():
        if array not in model.forward.inputs and array not in model.forward.defined:
            continue
        shape = model.shape(array, length)
        for use in uses:
            for place, size in enumerate(shape):
                low, high = survey.reach(use, place, length)
                if low < 0 or high >= size:
                    beyond = low if low < 0 else high
                    raise OffsetError(
                        f"{array} is read at place {beyond:g}, where it has none.",
                        "keep the index inside by a condition, or say other sizes",
                        use.at,
                    )


#: Kinds that are tried where nothing is said, from the freest to the narrowest.
_NUMBERS: Final = ("real", "positive", "unit")
_MATRICES: Final = ("real", "invertible")
#: So many inputs of a message are tried as others than real.
_OPEN: Final = 5


def _choices(open_: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Kinds for inputs that may have such, from the freest to the narrowest."""
    kinds = [names[:1] for names in open_[:-_OPEN]] + open_[-_OPEN:]
    places = sorted(product(*(range(len(names)) for names in kinds)), key=sum)
    return [tuple(names[n] for names, n in zip(kinds, one, strict=True)) for one in places]


def _of_determinants(model: Model) -> Iterator[str]:
    """Matrices of which there is a determinant."""
    for definition in model.forward.arrays:
        for node in inside(definition.body):
            if isinstance(node, Reduce) and node.kind in OF_MATRICES:
                cells = (part for part in inside(node.body) if isinstance(part, Cell))
                yield from (one.array for one in cells if len(one.indices) == 2)


#: So many inputs may have no value; what no 0 in a distribution leaves of these is no matter.
_MOST_LEFT_OUT: Final = 0.4
_NO_MATTER: Final = 0.1


def _with_values(model: Model, targets: tuple[Target, ...]) -> Model | None:
    """The model, if most inputs of these kinds give finite values and slopes; else None.

    Distributions have entries of 0 as long as these do no harm: log(0) has no value.
    """
    open_ = [name for name, kind in model.kinds.items() if SIMPLEX.get(kind, kind) != kind]
    subsets = [open_, [], *([name] for name in open_ if len(open_) > 1)]
    without_0 = (
        replace(model, kinds={**model.kinds, **{n: SIMPLEX[model.kinds[n]] for n in names}})
        for names in subsets
    )
    gentlest = next(without_0)
    least = _left_out(gentlest, targets)
    if least > _MOST_LEFT_OUT:
        return None
    most = min(least + _NO_MATTER, _MOST_LEFT_OUT)
    others = without_0 if open_ else iter(())
    return next((one for one in others if _left_out(one, targets) <= most), gentlest)


def _left_out(model: Model, targets: tuple[Target, ...]) -> float:
    """The largest share of inputs on which a target has no value."""
    share = 0.0
    for grown in ({}, *({name: 1} for name in model.sized[:1] if not model.rigid)):
        batch = draw(model, "", np.random.default_rng(0), 16, grown)
        for target in targets:
            share = max(share, float(target.reference(batch).left_out.mean()))
            if share > _MOST_LEFT_OUT:
                return share
    return share
