"""What kind of numbers each input is: said by the card, or told by its place in the formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.exercise import ExerciseError
from engine.formula import echo
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError
from engine.formula.statements import split
from engine.formula.tokens import tokenize
from engine.formula.tree import (
    Arithmetic,
    Cell,
    Comparison,
    Logic,
    Name,
    Negative,
    Node,
    Number,
)
from engine.given import inputs as kinds
from engine.given.calculus import ARITHMETIC
from engine.given.drawing import draw
from engine.given.forward import Forward
from engine.given.keys import pairs
from engine.given.logs import targets_of_cross_entropy
from engine.given.model import Model
from engine.given.source import source
from engine.given.target import Target
from engine.given.vocabulary import NUMBERS, Words

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def kinds_of(value: object, forward: Forward) -> dict[str, str]:
    found = {}
    for name, kind in pairs("inputs", value, "{t: one-hot}").items():
        word = str(kind).strip().lower().replace("_", "-").replace(" ", "-")
        word = {
            "onehot": "one-hot",
            "probability": "distribution",
            "probabilities": "distribution",
        }.get(word, word)
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
    if value in (None, "", []):
        return model, dict(declared)
    lines = value if isinstance(value, list | tuple) else [value]
    inputs, constants = model.forward.inputs, model.forward.constants
    known = {**inputs, **dict.fromkeys(constants, 0)}
    words = Words(known, frozenset(name for name, count in inputs.items() if count))
    text = source("assume", "\n".join(map(str, lines)), known)
    spans: dict[str, kinds.Span] = {}
    said = []
    try:
        for row in split(tokenize(text.text)):
            node = Parser(row, known, words).whole()
            for part in node.operands if isinstance(node, Logic) and node.op == "and" else (node,):
                said.append(echo.text(part))
                for name, more in _narrowed(part, inputs, constants):
                    span = spans.get(name) or kinds.SPANS.get(declared.get(name, "real"))
                    if span is None or name in model.survey.indexers:
                        kind = declared.get(name, "index")
                        hint = "an assumption is about inputs that are real, positive or unit"
                        raise OffsetError(f"{name} is an input of the kind {kind}.", hint, part.at)
                    spans[name] = span = span.both(more)
                    if not span.low < span.high:
                        raise OffsetError(f"No {name} fulfils this.", "check the bounds", part.at)
    except OffsetError as trouble:
        raise text.trouble(trouble) from None
    found = {name: _kind(span) for name, span in spans.items()} | dict(declared)
    return replace(model, spans=spans, assumed=", ".join(said)), found


def _kind(span: kinds.Span) -> str:
    if span.low >= 0:
        return "unit" if span.high <= 1 else "positive"
    return "real"


def _narrowed(
    node: Node, inputs: Mapping[str, int], constants: Mapping[str, float]
) -> Iterator[tuple[str, kinds.Span]]:
    """The inputs that a comparison is about, each with what it leaves of them."""
    if not isinstance(node, Comparison):
        raise OffsetError("An assumption is a comparison.", "write 0 < a < 1, or x != 0", node.at)
    for op, (left, right) in zip(node.ops, pairwise(node.operands), strict=True):
        if not _input(left, inputs):
            left, right, op = right, left, _TURNED.get(op, op)
        name, number = _input(left, inputs), _number(right, constants)
        if not name or number is None or op not in ("!=", *_TURNED):
            hint = f"write 0 < a < 1, or x != 0; the inputs are {', '.join(inputs)}"
            raise OffsetError("An assumption compares an input with a number.", hint, node.at)
        # Bounds are open ones: a closed one lies just outside.
        low = np.nextafter(number, -np.inf) if op == ">=" else number if op == ">" else -np.inf
        high = np.nextafter(number, np.inf) if op == "<=" else number if op == "<" else np.inf
        yield name, kinds.Span(float(low), float(high), (number,) if op == "!=" else ())


def _input(node: Node, inputs: Mapping[str, int]) -> str:
    """The input that p or p[k] stands for; "" where it is something else."""
    name = node.name if isinstance(node, Name) else node.array if isinstance(node, Cell) else ""
    return name if name in inputs else ""


def _number(node: Node, constants: Mapping[str, float]) -> float | None:
    match node:
        case Number(value):
            return value
        case Name(name):
            return constants.get(name, NUMBERS.get(name))
        case Negative(part):
            inner = _number(part, constants)
            return None if inner is None else -inner
        case Arithmetic(op, left, right) if op in ARITHMETIC:
            one, two = _number(left, constants), _number(right, constants)
            return None if one is None or two is None else float(ARITHMETIC[op](one, two))
    return None


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
        if _has_values(candidate, targets):
            return candidate
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
    found: list[tuple[str, ...]] = [()]
    for _ in range(min(count, 5)):
        found = [(*rest, name) for rest in found for name in names]
    rest = ("real",) * max(0, count - 5)
    return sorted(((*rest, *one) for one in found), key=lambda c: sum(names.index(n) for n in c))


def _has_values(model: Model, targets: tuple[Target, ...]) -> bool:
    """Whether most inputs of these kinds give finite values and slopes."""
    for grown in ({}, *({name: 1} for name in model.sized[:1] if not model.rigid)):
        batch = draw(model, "", np.random.default_rng(0), 16, grown)
        for target in targets:
            reference = batch.reference(target.above, target.below)
            if reference.left_out.mean() > 0.4:
                return False
    return True
