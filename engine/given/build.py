"""From the keys of a card's exercise to an exercise: given, find, sizes, constants, inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.problem import OffsetError, located
from engine.formula.tokens import Token, tokenize
from engine.given import inputs as kinds
from engine.given import reading
from engine.given.answer import Target
from engine.given.batch import Batch, draw
from engine.given.forward import Forward
from engine.given.heads import Derivative, derivative
from engine.given.model import Model, targets_of_cross_entropy
from engine.given.shapes import LARGEST, Survey, Variable
from engine.given.vocabulary import LOSSES, Words

KEYS = ("given", "find", "sizes", "constants", "inputs", "fixed")
_SPARE = "ijklmnpq"


class GivenError(ExerciseError):
    """An exercise whose formula cannot be read; `line` and `column` are within that key's text.

    `row` is the line itself.
    """

    def __init__(self, key: str, text: str, trouble: OffsetError) -> None:
        found = located(trouble, text)
        place = f"line {found.line}, column {found.column}"
        super().__init__(f"exercise: {key}, {place}: {found.message} ({found.hint})")
        rows = text.splitlines() or [""]
        self.key, self.message, self.hint = key, found.message, found.hint
        self.line, self.column = found.line, found.column
        self.row = rows[min(found.line, len(rows)) - 1]


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked, ready to be tried."""

    text: str
    model: Model
    words: Words
    targets: tuple[Target, ...]


def task(card: Mapping[str, object]) -> Task:
    """Read the keys of an exercise.  Raises ExerciseError, at a formula's fault GivenError."""
    for key in card:
        if key not in KEYS:
            raise ExerciseError(f"exercise: {key!r} is unknown: {', '.join(KEYS)} are allowed.")
    text = str(card["given"]).rstrip()
    sizes, links, shapes = _sizes(card.get("sizes"))
    constants = _constants(card.get("constants"))
    try:
        forward = reading.read(text, [*sizes, *links], constants, {*links.values()})
        model = Model(forward, sizes, links, shapes, {}, {}, fixed=_yes(card.get("fixed")))
        model.lengths()
    except OffsetError as trouble:
        raise GivenError("given", text, trouble) from None
    _known(forward, model, sizes, links, shapes)
    words, targets = _targets(card.get("find"), forward, model.survey)
    declared = _kinds(card.get("inputs"), forward)
    try:
        model = _with_kinds(model, declared, targets)
    except OffsetError as trouble:
        raise GivenError("given", text, trouble) from None
    return Task(text, model, words, _with_diagonals(model, targets))


def _yes(value: object) -> bool:
    return str(value).strip().lower() in ("yes", "true", "on", "1")


# Sizes and constants.


def _sizes(
    value: object,
) -> tuple[dict[str, int], dict[str, str], dict[str, tuple[int, ...]]]:
    """The sizes of letters and names, letters that have another's, and shapes of arrays."""
    sizes: dict[str, int] = {}
    links: dict[str, str] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, size in _pairs("sizes", value, "{j: 3, k: 2}").items():
        texts = list(size) if isinstance(size, list | tuple) else re.split(r"[x×,]", str(size))
        words = [str(text).strip() for text in texts]
        if all(re.fullmatch(r"[0-9]{1,3}", word) for word in words):
            numbers = tuple(int(word) for word in words)
            if not all(1 <= number <= LARGEST for number in numbers):
                raise ExerciseError(
                    f"exercise: sizes: {name} is {size!r}: 1 to {LARGEST} is allowed."
                )
            if len(numbers) > 1 or isinstance(size, list | tuple):
                shapes[name] = numbers
            else:
                sizes[name] = numbers[0]
        elif len(words) == 1 and words[0].isidentifier():
            links[name] = words[0]
        else:
            raise ExerciseError(
                f"exercise: sizes: {name} is {size!r}: a whole number from 1 to {LARGEST}, "
                "or the name of another size, is allowed."
            )
    for name, other in links.items():
        if other not in sizes:
            raise ExerciseError(f"exercise: sizes: {name} is {other!r}, which has no size.")
        sizes[name] = sizes[other]
    return sizes, links, shapes


def _pairs(key: str, value: object, example: str) -> Mapping[str, object]:
    if value is None or value == "":
        return {}
    if isinstance(value, Mapping):
        return {str(name): part for name, part in value.items()}
    raise ExerciseError(f"exercise: {key} is {value!r}: a mapping like {example} is allowed.")


def _constants(value: object) -> dict[str, float]:
    found = {}
    for name, number in _pairs("constants", value, "{eps: 1e-5}").items():
        try:
            found[name] = float(str(number))
        except ValueError:
            found[name] = np.nan
        if not np.isfinite(found[name]):
            raise ExerciseError(f"exercise: constants: {name} is {number!r}: a number is allowed.")
    return found


def _known(
    forward: Forward,
    model: Model,
    sizes: Mapping[str, int],
    links: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
) -> None:
    """Refuses a size that nothing has; a size given for an array of one index is its length."""
    letters = {variable.letter for variable in model.survey.variables}
    for name in sizes:
        if name not in letters and name not in forward.scalars and name not in links.values():
            known = ", ".join(sorted(letters | forward.scalars)) or "none"
            raise ExerciseError(
                f"exercise: sizes: {name} is no index of the forward message: {known} are."
            )
    for name, shape in shapes.items():
        if forward.inputs.get(name) != len(shape):
            raise ExerciseError(f"exercise: sizes: {name} is no input with {len(shape)} indices.")


# What is to be found.


def _targets(value: object, forward: Forward, survey: Survey) -> tuple[Words, tuple[Target, ...]]:
    outputs = forward.outputs
    output = outputs[-1] if outputs else forward.arrays[-1].names[0]
    defined = forward.defined
    loss = output if output in LOSSES and not defined[output].parameters else ""
    arities = {
        **forward.inputs,
        **dict.fromkeys((*forward.constants, *forward.scalars), 0),
        **{d.names[0]: len(d.parameters) for d in (*forward.arrays, *forward.functions)},
    }
    words = Words(
        arities,
        frozenset(n for n in (*forward.inputs, *defined) if arities[n]),
        "" if loss else output,
        loss,
        fixed=frozenset((*forward.inputs, *forward.constants, *forward.scalars)),
        letters=frozenset(v.letter for v in survey.variables),
    )
    texts = [str(text) for text in value] if isinstance(value, list | tuple) else [str(value or "")]
    targets: list[Target] = []
    for text in texts:
        if text.strip().lower() in ("any", "either"):
            targets += _every(words, forward, survey)
        else:
            targets.append(_target(text, words, forward, survey))
    targets = list(dict.fromkeys(targets))
    upstream = any(target.upstream for target in targets)
    asked = frozenset(target.key for target in targets)
    return replace(words, output=output if upstream else "", asked=asked), tuple(targets)


def _every(words: Words, forward: Forward, survey: Survey) -> list[Target]:
    """The message to every input that a derivative goes by, and each Jacobian."""
    found = []
    own = words.loss or words.output
    for name in forward.inputs:
        if name in survey.indexers or name in dict(targets_of_cross_entropy(forward)):
            continue
        found.append(Target(own, name, not words.loss, usual(name, survey, ())))
    if not words.loss:
        for target in list(found):
            upper = tuple(v.letter for v in survey.parameters[own])
            lower = usual(target.below, survey, upper)
            found.append(Target(own, target.below, False, (*upper, *lower), len(upper)))
    return found


def _target(text: str, words: Words, forward: Forward, survey: Survey) -> Target:
    try:
        if not text.strip():
            raise OffsetError("find is missing.", "write find: dL/dx[j]", 0)
        found = derivative(_tokens(text), words)
        if found is None:
            raise OffsetError(
                "This is no derivative by something that the forward message has.",
                f"write one like dL/d{next(iter(forward.inputs), 'x')}",
                0,
            )
        return _asked(found, words, survey, forward)
    except OffsetError as trouble:
        raise GivenError("find", text, trouble) from None


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind != "newline"]


def _asked(found: Derivative, words: Words, survey: Survey, forward: Forward) -> Target:
    for name in (found.above, found.below):
        if name and name not in forward.inputs and name not in forward.defined:
            raise OffsetError(
                f"{name} is a number that does not change.", "choose another", found.at
            )
    if found.below in survey.indexers:
        raise OffsetError(f"{found.below} is an index, not a number.", "choose another", found.at)
    if found.above and found.above not in forward.defined:
        raise OffsetError(
            f"{found.above} is given from outside: it depends on nothing.",
            f"write the derivative of {words.output or words.loss}",
            found.at,
        )
    above = found.above or words.loss or words.output
    upstream = not found.above and not words.loss
    upper = () if not found.above else found.upper
    if upper is None:
        upper = tuple(v.letter for v in survey.parameters[above])
    lower = found.lower
    if lower is None:
        lower = usual(found.below, survey, upper)
    for name, at in ((found.above, upper), (found.below, lower)):
        if name and len(at) != words.arities[name]:
            raise OffsetError(
                f"{name} has {words.arities[name]} indices, here are {len(at)}.",
                "write one letter for each",
                found.at,
            )
    return Target(above, found.below, upstream, (*upper, *lower), len(upper))


def usual(name: str, survey: Survey, taken: Iterable[str]) -> tuple[str, ...]:
    """Letters for the indices of an array: those of the text, as far as they are not taken."""
    used = list(taken)
    found = []
    if name in survey.parameters:
        wanted: list[str | None] = [v.letter for v in survey.parameters[name]]
    else:
        count = survey.forward.inputs[name]
        known = [survey.places.get((name, place)) for place in range(count)]
        wanted = [v.letter if v else None for v in known]
    for letter in wanted:
        spare = (s for s in _SPARE if s not in used and s not in wanted)
        free = letter if letter is not None and letter not in used else next(spare)
        used.append(free)
        found.append(free)
    return tuple(found)


# What the inputs are.


def _kinds(value: object, forward: Forward) -> dict[str, str]:
    found = {}
    for name, kind in _pairs("inputs", value, "{t: one-hot}").items():
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


def _with_kinds(model: Model, declared: Mapping[str, str], targets: tuple[Target, ...]) -> Model:
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
    raise OffsetError(
        "The forward message has no finite value on any of the inputs tried.",
        "say in `inputs` which of them are positive, or in `sizes` how long they are",
        0,
    )


def _with_diagonals(model: Model, targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Beside dy[k]/dx[j] also dy[k]/dx[k], where no y depends on another x."""
    found = list(targets)
    batch = draw(model, "", np.random.default_rng(1), 8, {})
    for target in targets:
        if not target.jacobian or target.diagonal:
            continue
        paired = _paired(model, target)
        if paired is not None and _is_diagonal(batch, target, paired):
            found.append(replace(target, indices=paired))
    return tuple(dict.fromkeys(found))


def _paired(model: Model, target: Target) -> tuple[str, ...] | None:
    """The target's indices with those of `below` named as those of `above` of the same range."""
    survey, count = model.survey, target.above_count
    above = survey.parameters[target.above]
    if target.below in survey.parameters:
        below: list[Variable | None] = [*survey.parameters[target.below]]
    else:
        places = range(len(target.indices) - count)
        below = [survey.places.get((target.below, place)) for place in places]
    letters = list(target.indices)
    for place, variable in enumerate(below):
        for upper, other in enumerate(above):
            taken = letters[upper] in letters[count:]
            if variable is not None and variable.root is other.root and not taken:
                letters[count + place] = letters[upper]
    return tuple(letters) if tuple(letters) != target.indices else None


def _is_diagonal(batch: Batch, target: Target, paired: tuple[str, ...]) -> bool:
    """Whether the derivative is 0 wherever the paired indices differ."""
    shapes = batch.shapes
    shape = (*shapes[target.above], *shapes[target.below])
    jacobian = batch.reference(target.above, target.below).jacobian.reshape(len(batch), *shape)
    grids = np.indices(shape)
    apart = np.zeros(shape, dtype=np.bool_)
    for place, letter in enumerate(paired):
        apart |= grids[place] != grids[paired.index(letter)]
    return bool((np.nan_to_num(jacobian)[:, apart] == 0).all())


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
    for grown in ({}, *({name: 1} for name in model.sized[:1] if not model.fixed)):
        batch = draw(model, "", np.random.default_rng(0), 16, grown)
        for target in targets:
            reference = batch.reference(target.above, target.below)
            if reference.left_out.mean() > 0.4:
                return False
    return True
