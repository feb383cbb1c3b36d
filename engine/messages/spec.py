"""The keys of an exercise: given, find, sizes, inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from engine.exercise import ExerciseError, GivenError, first_index, refuse_others
from engine.formula.rewrite import names_in
from engine.formula.tokens import plain, tokenize
from engine.formula.tree import NUMBERS, FormulaError, Node, OffsetError, located
from engine.formula.unparse import unparse
from engine.latex.transcribe import POOLING, looks_like_latex, transcription
from engine.messages.forward import (
    HELD,
    Forward,
    averaged,
    forward_from_zero,
    read,
    shifted,
    targets_of_cross_entropy,
)
from engine.messages.gradient import Gradient
from engine.messages.hessian import Hessian
from engine.messages.inputs import SPANS, draw
from engine.messages.jacobian import Jacobian
from engine.messages.kinds import bounded, kind_said, kinds_of, with_kinds
from engine.messages.message import Message
from engine.messages.model import Bounds, Model
from engine.messages.optimum import asked, moving
from engine.messages.problem import KEYS as AIMED
from engine.messages.problem import aim_of
from engine.messages.shapes import LARGEST, Survey, Variable
from engine.messages.targets import SPARE, Derivative, Target, doubled, named, usual
from engine.messages.value import Value
from engine.messages.vocabulary import LOSSES, Words

# -- A formula of a card as it stands there: index notation, or LaTeX with its places.


_OPEN = (r"\begin", "{")
_CLOSED = (r"\end", "}")


@dataclass(frozen=True, slots=True)
class SpecSource:
    key: str
    """Of the card: given, find."""
    written: str
    text: str
    """In index notation."""
    offsets: tuple[int, ...]
    """For each character of `text`, the place in `written`."""

    def trouble(self, found: OffsetError) -> GivenError:
        """A fault in `text`, at its place in what is written."""
        hint = found.hint
        if "window (k,l)" in hint:
            # The grammar's own hint speaks of windows, which there are none of.
            hint = "write argmax(x[k] for k)"
        at = self.offsets[min(found.at, len(self.offsets) - 1)] if self.offsets else 0
        moved = OffsetError(found.message, hint, at)
        return GivenError(self.key, self.written, located(moved, self.written))


def source(key: str, written: str, names: Collection[str] = ()) -> SpecSource:
    """Read LaTeX where there is some; `names` are those of several letters.  Raises GivenError."""
    known = POOLING | frozenset(names)
    parts: list[str] = []
    offsets: list[int] = []
    for start, part in _statements(written):
        text, places = part, tuple(range(len(part)))
        if looks_like_latex(part):
            try:
                found = transcription(part, known)
            except FormulaError as error:
                before = part.split("\n")[: error.line - 1]
                at = start + sum(len(row) + 1 for row in before) + error.column - 1
                moved = OffsetError(error.message, error.hint, at)
                raise GivenError(key, written, located(moved, written)) from None
            text, places = found.text, found.offsets
        parts.append(text)
        offsets += [*(start + place for place in places), start + len(part)]
    return SpecSource(key, written, "\n".join(parts), tuple(offsets))


def _statements(written: str) -> Iterator[tuple[int, str]]:
    r"""The lines, each with its place; a line that leaves \begin or { open goes on in the next."""
    start, taken = 0, ""
    for row in written.split("\n"):
        taken = f"{taken}\n{row}" if taken else row
        opened = sum(map(taken.count, _OPEN)) - sum(map(taken.count, _CLOSED))
        if opened <= 0 or not looks_like_latex(written):
            yield start, taken
            start, taken = start + len(taken) + 1, ""
    if taken:
        yield start, taken


# -- The plain keys of an exercise: sizes, constants.


def yes(value: object) -> bool:
    return str(value).strip().lower() in ("yes", "true", "on", "1")


def sizes_of(
    value: object,
) -> tuple[dict[str, int], dict[str, str], dict[str, tuple[int, ...]]]:
    """The sizes of letters and names, letters that have another's, and shapes of arrays."""
    sizes: dict[str, int] = {}
    links: dict[str, str] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, size in pairs("sizes", value, "{j: 3, k: 2}").items():
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


def pairs(key: str, value: object, example: str) -> Mapping[str, object]:
    if value is None or value == "":
        return {}
    if isinstance(value, Mapping):
        # Greek letters by their names, as the formulas have them.
        return {plain(str(name))[0].strip(): part for name, part in value.items()}
    raise ExerciseError(f"exercise: {key} is {value!r}: a mapping like {example} is allowed.")


def constants_of(value: object) -> dict[str, float]:
    found = {}
    for name, number in pairs("constants", value, "{eps: 1e-5}").items():
        try:
            found[name] = float(str(number))
        except ValueError:
            found[name] = np.nan
        if not np.isfinite(found[name]):
            raise ExerciseError(f"exercise: constants: {name} is {number!r}: a number is allowed.")
    return found


def refuse_idle(constants: Mapping[str, float], forward: Forward) -> None:
    """Refuses a constant that the forward message does not speak of: a misspelt name."""
    bodies = [definition.body for definition in (*forward.arrays, *forward.functions)]
    used = {name for body in bodies for name in names_in(body)}
    for name in constants:
        if name not in used:
            raise ExerciseError(f"exercise: constants: {name} is not in the forward message.")


def refuse_unknown(
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
            known = ", ".join(sorted({*letters, *forward.scalars})) or "none"
            raise ExerciseError(
                f"exercise: sizes: {name} is no index of the forward message: {known} are."
            )
    for name, shape in shapes.items():
        if forward.inputs.get(name) != len(shape):
            raise ExerciseError(f"exercise: sizes: {name} is no input with {len(shape)} indices.")


def _inputs_said(card: Mapping[str, object]) -> Mapping[str, object]:
    return pairs("inputs", card.get("inputs"), "{t: one-hot}")


def indexes_of(said: Mapping[str, object]) -> frozenset[str]:
    """The inputs that the card says are the number of an entry."""
    return frozenset(name for name, kind in said.items() if kind_said(kind)[0] == "index")


def as_letters(
    forward: Forward, sizes: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]
) -> tuple[Mapping[str, int], Mapping[str, tuple[int, ...]]]:
    """The shape of an input as the sizes of its letters, where each of its places has one."""
    places = Survey(forward).places
    found, rest = dict(sizes), dict(shapes)
    for name, shape in shapes.items():
        letters = [places.get((name, place)) for place in range(len(shape))]
        if all(letter is not None for letter in letters):
            rest.pop(name)
        for letter, size in zip(letters, shape, strict=False):
            if letter is not None:
                found.setdefault(letter.letter, size)
    return found, rest


# -- What is to be found: the key `find`, read as derivatives by their names.


#: What asks for all second derivatives of the last number.
_HESSIAN = re.compile(r"(the )?hess(ian)?( matrix)?( of (?P<of>\w+))?", re.IGNORECASE)
#: The kinds of what may be asked for; the first that reads what `find` says has it.
TARGETS: Final[tuple[type[Target], ...]] = (Hessian, Message, Gradient, Jacobian, Value)


def _written(survey: Survey, name: str, place: int) -> str:
    """The range of a place that is read by a written range alone, as in sum_{j=1}^{n}."""
    for use in survey.uses.get(name, ()):
        index = use.indices[place]
        for letter in names_in(index):
            domain = use.scope[letter].domain if letter in use.scope else None
            if domain is not None:
                return f"{letter}:{unparse(index)}, {unparse(domain)}"
    return f"{SPARE[place]}:{name}"


def targets_of(value: object, forward: Forward, survey: Survey) -> tuple[Words, tuple[Target, ...]]:
    """What `find` asks for, and the names of an answer to it.  Raises ExerciseError."""
    words = words_of(forward, survey)
    texts = [str(text) for text in value] if isinstance(value, list | tuple) else [str(value or "")]
    found = [target for text in texts for target in _named(text, words, survey)]
    targets = tuple(dict.fromkeys(found))
    if not targets:
        raise ExerciseError("exercise: given: the forward message depends on no input.")
    spoken = replace(words, output="", asked=frozenset(target.key for target in targets))
    for target in targets:
        spoken = target.vocabulary(spoken, forward)
    return spoken, targets


def links(words: Words, forward: Forward) -> Words:
    """The words of a step on the way to an answer: every derivative may stay as it is."""
    below = [name for name in (*forward.inputs, *forward.defined) if name not in words.indexers]
    pairs = {f"d{above}/d{name}" for above in forward.defined for name in below if name != above}
    loss = words.loss or words.output
    messages = {f"d{name}" for name in below if name != loss}
    return replace(words, local=frozenset(pairs | (messages if loss else set())), is_step=True)


def words_of(forward: Forward, survey: Survey) -> Words:
    outputs = forward.outputs
    output = outputs[-1] if outputs else forward.arrays[-1].names[0]
    defined = forward.defined
    loss = output if output in LOSSES and not defined[output].parameters else ""
    spoken = [d for d in forward.arrays if not d.names[0].startswith(HELD)]
    arities = {
        **forward.inputs,
        **dict.fromkeys((*forward.constants, *forward.scalars), 0),
        **{d.names[0]: len(d.parameters) for d in (*spoken, *forward.functions)},
    }
    return Words(
        arities,
        frozenset(n for n in (*forward.inputs, *defined) if arities.get(n)),
        "" if loss else output,
        loss,
        fixed=frozenset((*forward.inputs, *forward.constants, *forward.scalars)),
        letters=frozenset(v.letter for v in survey.variables),
        dims=dimensions(survey, arities),
        functions={d.names[0]: d for d in forward.functions if len(d.parameters) == 1},
        sizes=frozenset(forward.scalars),
        shifted=any(shifted(d.body) for d in forward.arrays),
        averaged=frozenset(name for d in forward.arrays for name in averaged(d.body)),
        indexers=survey.indexers,
    )


def dimensions(survey: Survey, arities: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """The range of each index of each array, named by its letter; "i#2" for another range of i."""
    names: dict[int, str] = {}
    for variable in survey.ranges():
        letter = variable.letter
        again = sum(other.partition("#")[0] == letter for other in names.values())
        names[id(variable.root)] = f"{letter}#{again + 1}" if again else letter
    found: dict[str, tuple[str, ...]] = {}
    for name in (*survey.forward.inputs, *survey.parameters):
        if name in survey.parameters:
            own: list[Variable | None] = [*survey.parameters[name]]
        else:
            own = [survey.places.get((name, place)) for place in range(arities[name])]
        found[name] = tuple(
            _written(survey, name, place) if one is None else names.get(id(one.root), one.letter)
            for place, one in enumerate(own)
        )
    return found


def _named(text: str, words: Words, survey: Survey) -> list[Target]:
    inputs = survey.forward.inputs
    word = re.sub(r"\s|_\w+|\[[^\]]*\]", "", text.replace("∂", "d")).lower()
    kinds = [kind for kind in TARGETS if word in kind.called] if "x" in inputs else []
    if kinds:
        found = [kind.of("x", words, survey) for kind in kinds]
    elif word in ("any", "either"):
        classes = dict(targets_of_cross_entropy(survey.forward))
        names = [name for name in inputs if name not in survey.indexers and name not in classes]
        names.sort(key=lambda name: name != "x")
        found = [kind.of(name, words, survey) for kind in TARGETS for name in names]
    else:
        found = [_target(text, words, survey)]
    return [target for target in found if target is not None]


def _target(written: str, words: Words, survey: Survey) -> Target:
    asked = source("find", written, (*words.arities, *(f"d{name}" for name in words.arities)))
    try:
        if not asked.text.strip():
            raise OffsetError("find is missing.", "write find: dL/dx[j]", 0)
        text = _HESSIAN.sub(lambda one: f"d2{one['of'] or words.loss or words.output}", asked.text)
        tokens = [token for token in tokenize(doubled(text)) if token.kind != "newline"]
        found, own = named(tokens, words)
        if found is None and re.match(r"\s*d2", doubled(text)):
            said = "This is a second derivative of nothing that the forward message gives."
            raise OffsetError(said, "write d^2L/dx[i] dx[j], where L = ... is given", 0)
        names_it = found is not None and (own is None or found.above in survey.forward.defined)
        target = target_of(found, words, survey) if found is not None and names_it else None
        if target is not None:
            return target
        said = "This is no derivative by something that the forward message has."
        hint = f"write one like dL/d{next(iter(survey.forward.inputs), 'x')}"
        raise OffsetError(said, hint, 0)
    except OffsetError as trouble:
        raise asked.trouble(trouble) from None


def target_of(found: Derivative, words: Words, survey: Survey) -> Target | None:
    """What a left side names, with all of its indices.  Raises OffsetError."""
    whole = _complete(_by_input(found, survey), words, survey)
    return next(filter(None, (kind.read(whole, words) for kind in TARGETS)), None)


def _by_input(found: Derivative, survey: Survey) -> Derivative:
    """A second derivative that does not say by what: by x, or by the only input."""
    forward = survey.forward
    if found.second != "*":
        return found
    below = "x" if "x" in forward.inputs else next(iter(forward.inputs), "")
    if below != "x" and len(forward.inputs) > 1:
        said = "This second derivative does not say by what."
        raise OffsetError(said, f"write d^2{found.above}/d{below}^2", found.at)
    if forward.defined[found.above].parameters:
        said = f"A Hessian is the second derivative of one number; {found.above} has indices."
        raise OffsetError(said, f"write d^2{found.above}[...]/d{below}[...]^2", found.at)
    return replace(found, below=below, second=below, lower=None, last=None)


def _complete(found: Derivative, words: Words, survey: Survey) -> Derivative:
    """What `find` names, with all of its indices; by the loss where one is given and none named."""
    forward = survey.forward
    for name in (found.above, found.below, found.second):
        if name and name not in forward.inputs and name not in forward.defined:
            said = f"{name} is a number that does not change."
            raise OffsetError(said, "choose another", found.at)
    for letter in found.indices or ():
        if letter in survey.indexers or words.arities.get(letter):
            said = f"{letter} is given, it cannot be an index."
            raise OffsetError(said, "choose another letter", found.at)
    if found.below in survey.indexers:
        raise OffsetError(f"{found.below} is an index, not a number.", "choose another", found.at)
    if found.above and found.above not in forward.defined:
        said = f"{found.above} is given from outside: it depends on nothing."
        hint = f"write the derivative of {words.output or words.loss}"
        raise OffsetError(said, hint, found.at)
    upper = () if not found.above else found.upper
    if upper is None:
        upper = tuple(v.letter for v in survey.parameters[found.above])
    lower = () if not found.below else found.lower
    if lower is None:
        lower = usual(found.below, survey, upper)
    last = () if not found.second else found.last
    if last is None:
        last = usual(found.second, survey, (*upper, *lower))
    for name, at in ((found.above, upper), (found.below, lower), (found.second, last)):
        if name and len(at) != words.arities[name]:
            said = f"{name} has {words.arities[name]} indices, here are {len(at)}."
            raise OffsetError(said, "write one letter for each", found.at)
    if found.second and found.second != found.below:
        _no_way_between(found, survey)
    above = found.above or words.loss
    return replace(found, above=above, upper=upper, lower=lower, last=last)


def _no_way_between(found: Derivative, survey: Survey) -> None:
    """Refuses a second derivative by two arrays of which one is made of the other."""
    for one, other in ((found.below, found.second), (found.second, found.below)):
        known = {one}
        for definition in survey.forward.arrays:
            if known.intersection(names_in(definition.body)):
                known.add(definition.names[0])
        if other in known:
            said = f"{other} is made of {one}: it does not move by itself."
            raise OffsetError(said, "take two inputs, or one of these twice", found.at)


# -- What the card assumes of its inputs: comparisons with numbers.


_AND = re.compile(r"\band\b")
#: An input, whole or at letters: all of its entries.
_INPUT = re.compile(r"(\w+?)(?:\[[A-Za-z, ]*\]|_\{?[a-z],?[a-z]?\}?)?")
_RELATION = re.compile(r"(<=|>=|!=|<|>)")
_TURNED = str.maketrans("<>", "><")


def assuming(
    model: Model, value: object, declared: Mapping[str, str]
) -> tuple[Model, dict[str, str]]:
    """The model with what the card assumes, and the kinds of inputs that follow from it.

    Raises GivenError where an assumption cannot be read, or nothing fulfils it.
    """
    lines = value if isinstance(value, list | tuple) else [value] if value else []
    inputs = model.forward.inputs
    text = source("assume", "\n".join(map(str, lines)), inputs)
    spans: dict[str, Bounds] = {}
    said = []
    try:
        for found in re.finditer("[^\n;]+", _AND.sub(";  ", plain(text.text)[0])):
            said.append(" ".join(_RELATION.sub(r" \1 ", found[0]).split()))
            for name, more in _narrowed(found[0], found.start(), model):
                kind = "index" if name in model.survey.indexers else declared.get(name, "real")
                if kind not in SPANS:
                    hint = f"only {', '.join(SPANS)} inputs take an assumption"
                    raise OffsetError(f"{name} is of the kind {kind}.", hint, found.start())
                spans[name] = span = spans.get(name, SPANS[kind]).both(more)
                if span.empty:
                    raise OffsetError(f"No {name} fulfils this.", "check the bounds", found.start())
    except OffsetError as trouble:
        raise text.trouble(trouble) from None
    told = {n: _kind(span) for n, span in spans.items()}
    return replace(model, spans=spans, assumed=", ".join(said)), {**told, **declared}


def _kind(span: Bounds) -> str:
    if span.whole:
        return "integer"
    if span.low >= 0:
        return "unit" if span.high <= 1 else "positive"
    return "real"


def _narrowed(text: str, at: int, model: Model) -> Iterator[tuple[str, Bounds]]:
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
        yield name, Bounds(float(low), float(high), (number,) if op == "!=" else ())
    if len(parts) < 3:
        raise OffsetError("An assumption is a comparison.", "write 0 < a < 1, or x != 0", at)


def _number(text: str, constants: Mapping[str, float]) -> float | None:
    """A number, or a constant with or without a minus."""
    size = text.removeprefix("-").strip()
    found = constants.get(size, NUMBERS.get(size))
    if found is None and re.fullmatch(r"[\d.]+(e[+-]?\d+)?", size):
        found = float(size)
    return -found if found is not None and text.startswith("-") else found


def with_others(model: Model, targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The targets, with what else is asked for by them, as a derivative at equal indices."""
    batch = draw(model, "", np.random.default_rng(1), 8, {})
    others = (other for target in targets for other in target.also(batch))
    return tuple(dict.fromkeys((*targets, *others)))


# -- From the keys of a card's exercise to an exercise: given, find, sizes, constants, inputs.


KEYS = ("given", "find", "sizes", "constants", "inputs", "assume", "fixed", "indices", *AIMED)


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked, ready to be tried."""

    text: str
    model: Model
    words: Words
    targets: tuple[Target, ...]
    first: int = 0
    """The first value of every index."""
    written: Mapping[str, Node] = field(default_factory=dict)
    """The definitions as the card has them."""


def task_of(card: Mapping[str, object]) -> Task:
    """Read the keys of an exercise.  Raises ExerciseError, at a formula's fault GivenError."""
    refuse_others(card, KEYS)
    names = names_of(card)
    given = source("given", str(card["given"]).rstrip(), names)
    aim = aim_of(card, lambda key, text: plain(source(key, text, names).text)[0])
    names = names if aim is None else names.union(aim.names)
    sizes, links, shapes = sizes_of(card.get("sizes"))
    constants = constants_of(card.get("constants"))
    try:
        indexes = indexes_of(_inputs_said(card))
        limits = (kind_said(kind)[1] for kind in _inputs_said(card).values())
        numbers = [*links.values(), *(name for name in limits if name in sizes)]
        first = first_index(card.get("indices"))
        letters = [*sizes, *links]
        text = given.text
        if aim is not None:
            aim, text = aim.added(text, letters, names, card)
        forward = read(text, letters, constants, numbers, indexes, first, names)
        written = {d.names[0]: d.body for d in forward.arrays}
        if first:
            forward = forward_from_zero(forward)
        fixed = yes(card.get("fixed"))
        own, other = as_letters(forward, sizes, shapes)
        model = Model(forward, own, links, other, {}, {}, fixed=fixed)
        model = model if aim is None else aim.problem(model)
        model.lengths()
    except OffsetError as trouble:
        if trouble.at > len(given.text):
            said = f"exercise: subject_to: {trouble.message} ({trouble.hint})"
            raise ExerciseError(said) from None
        raise given.trouble(trouble) from None
    forward = model.forward
    refuse_idle(constants, forward)
    refuse_unknown(forward, model, sizes, links, shapes)
    declared, limited, square = kinds_of(_inputs_said(card), forward, model.survey)
    try:
        model = bounded(model, limited, square)
    except OffsetError as trouble:
        raise given.trouble(trouble) from None
    if aim is None:
        words, targets = targets_of(card.get("find"), model.forward, model.survey)
    else:
        words, targets = asked(aim, words_of(model.forward, model.survey), model)
    words = replace(words, first=first)
    model, declared = assuming(model, card.get("assume"), declared)
    try:
        model = with_kinds(model, declared, targets)
        if aim is not None:
            model = moving(model, declared)
        targets = with_others(model, targets)
    except OffsetError as trouble:
        raise given.trouble(trouble) from None
    weights = [n for n, kind in model.kinds.items() if kind == "distribution"]
    if len(weights) == 1 and forward.inputs[weights[0]] == 1:
        words = replace(words, weights=weights[0])
    return Task(given.text, model, words, targets, first, written)


def names_of(card: Mapping[str, object]) -> frozenset[str]:
    """The names that the keys of a card declare."""
    keys = [card.get(key) for key in ("sizes", "constants", "inputs")]
    told = (str(name) for key in keys if isinstance(key, Mapping) for name in key)
    return frozenset((*told, *re.findall(r"[A-Za-z]\w*", str(card.get("assume", "")))))
