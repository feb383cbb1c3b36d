"""What kind of numbers each input is: said by the card, or told by its place in the formula."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.characters import plain
from engine.formula.problem import OffsetError
from engine.given import inputs as kinds
from engine.given.drawing import draw
from engine.given.forward import Forward
from engine.given.keys import pairs
from engine.given.logs import targets_of_cross_entropy
from engine.given.model import LargeMessageError, Model, Span
from engine.given.source import source
from engine.given.target import Target
from engine.given.vocabulary import NUMBERS

_AND = re.compile(r"\band\b")
#: An input, whole or at letters: all of its entries.
_INPUT = re.compile(r"(\w+?)(?:\[[A-Za-z, ]*\]|_\{?[a-z],?[a-z]?\}?)?")
_RELATION = re.compile(r"(<=|>=|!=|<|>)")
_TURNED = str.maketrans("<>", "><")


def kinds_of(value: object, forward: Forward) -> dict[str, str]:
    found = {}
    for name, kind in pairs("inputs", value, "{t: one-hot}").items():
        word = str(kind).strip().lower().replace("_", "-").replace(" ", "-")
        word = (
            "distribution" if word.startswith("probabilit") else word.replace("onehot", "one-hot")
        )
        if name not in forward.inputs:
            raise ExerciseError(
                f"exercise: inputs: {name} is no input: {', '.join(forward.inputs)} are."
            )
        if word not in kinds.KINDS:
            raise ExerciseError(
                f"exercise: inputs: {name} is {kind!r}: {', '.join(kinds.KINDS)} are allowed."
            )
        if word in ("one-hot", "distribution") and not forward.inputs[name]:
            raise ExerciseError(f"exercise: inputs: {name} has no index to sum over.")
        found[name] = word
    return found


def assuming(
    model: Model, value: object, declared: Mapping[str, str]
) -> tuple[Model, dict[str, str]]:
    """The model with what the card assumes, and the kinds of inputs that follow from it.

    Raises GivenError where an assumption cannot be read, or nothing fulfils it.
    """
    lines = value if isinstance(value, list | tuple) else [value] if value else []
    inputs = model.forward.inputs
    text = source("assume", "\n".join(map(str, lines)), inputs)
    spans: dict[str, Span] = {}
    said = []
    try:
        for found in re.finditer("[^\n;]+", _AND.sub(";  ", plain(text.text)[0])):
            said.append(" ".join(_RELATION.sub(r" \1 ", found[0]).split()))
            for name, more in _narrowed(found[0], found.start(), model):
                kind = "index" if name in model.survey.indexers else declared.get(name, "real")
                if kind not in kinds.SPANS:
                    hint = f"only {', '.join(kinds.SPANS)} inputs take an assumption"
                    raise OffsetError(f"{name} is of the kind {kind}.", hint, found.start())
                spans[name] = span = spans.get(name, kinds.SPANS[kind]).both(more)
                if not span.low < span.high:
                    raise OffsetError(f"No {name} fulfils this.", "check the bounds", found.start())
    except OffsetError as trouble:
        raise text.trouble(trouble) from None
    told = {n: _kind(span) for n, span in spans.items()}
    return replace(model, spans=spans, assumed=", ".join(said)), {**told, **declared}


def _kind(span: Span) -> str:
    if span.low >= 0:
        return "unit" if span.high <= 1 else "positive"
    return "real"


def _narrowed(text: str, at: int, model: Model) -> Iterator[tuple[str, Span]]:
    """The inputs that 0 < a < 1 is about, each with what it leaves of them."""
    inputs, parts = model.forward.inputs, [part.strip() for part in _RELATION.split(text)]
    for left, op, right in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
        if not (found := _INPUT.fullmatch(left)) or found[1] not in inputs:
            found, right, op = _INPUT.fullmatch(right), left, op.translate(_TURNED)
        name, number = found[1] if found else "", _number(right, model.forward.constants)
        if name not in inputs or number is None:
            hint = f"write 0 < a < 1, or x != 0; the inputs are {', '.join(inputs)}"
            raise OffsetError("An assumption compares an input with a number.", hint, at)
        # Bounds are open ones: a closed one lies just outside.
        low = np.nextafter(number, -np.inf) if op == ">=" else number if op == ">" else -np.inf
        high = np.nextafter(number, np.inf) if op == "<=" else number if op == "<" else np.inf
        yield name, Span(float(low), float(high), (number,) if op == "!=" else ())
    if len(parts) < 3:
        raise OffsetError("An assumption is a comparison.", "write 0 < a < 1, or x != 0", at)


def _number(text: str, constants: Mapping[str, float]) -> float | None:
    """A number, or a constant with or without a minus."""
    size = text.removeprefix("-").strip()
    found = constants.get(size, NUMBERS.get(size))
    if found is None and re.fullmatch(r"[\d.]+(e[+-]?\d+)?", size):
        found = float(size)
    return -found if found is not None and text.startswith("-") else found


def with_kinds(model: Model, declared: Mapping[str, str], targets: tuple[Target, ...]) -> Model:
    """The model with a kind for each input: as declared, or as its place in the formula tells.

    The targets of a cross-entropy are a distribution; what a logarithm or a root needs positive is.
    Raises OffsetError where the message has no value on any inputs.
    """
    below = {target.below for target in targets}
    found = dict.fromkeys(model.survey.indexers, "index")
    axes = {}
    for name, axis in targets_of_cross_entropy(model.forward):
        axes[name] = axis
        if name not in below:
            found[name] = "distribution"
    found.update(declared)
    open_ = [name for name in model.forward.inputs if name not in found]
    for choice in _choices(len(open_)):
        tried = {**found, **dict(zip(open_, choice, strict=True))}
        candidate = replace(model, kinds=tried, axes=axes)
        try:
            if _has_values(candidate, targets):
                return candidate
        except LargeMessageError as trouble:
            raise OffsetError(trouble.message, trouble.hint, 0) from None
    _no_place_beyond(model)
    raise OffsetError(
        "The forward message has no finite value on any of the inputs tried.",
        "say in `inputs` which of them are positive, or in `sizes` how long they are",
        0,
    )


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


def _choices(count: int) -> list[tuple[str, ...]]:
    """Kinds for so many inputs, from the freest to the narrowest."""
    names = ("real", "positive", "unit")
    rest = ("real",) * (count - 5)
    found = [(*rest, *one) for one in product(names, repeat=min(count, 5))]
    return sorted(found, key=lambda choice: sum(map(names.index, choice)))


def _has_values(model: Model, targets: tuple[Target, ...]) -> bool:
    """Whether most inputs of these kinds give finite values and slopes."""
    for grown in ({}, *({name: 1} for name in model.sized[:1] if not model.rigid)):
        batch = draw(model, "", np.random.default_rng(0), 16, grown)
        if any(batch.reference(t.above, t.below).left_out.mean() > 0.4 for t in targets):
            return False
    return True
