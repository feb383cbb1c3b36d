"""What is to be found: the key `find`, read as derivatives by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.exercise import ExerciseError, GivenError
from engine.formula import echo
from engine.formula.problem import FormulaError, OffsetError
from engine.formula.tokens import Token, tokenize
from engine.given.forward import Forward, averaged, shifted
from engine.given.heads import Derivative, derivative
from engine.given.lengths import Variable
from engine.given.logs import targets_of_cross_entropy
from engine.given.paper import names_in
from engine.given.shapes import Survey
from engine.given.source import source
from engine.given.target import Target
from engine.given.vocabulary import LOSSES, Words

_SPARE = "ijklmnpq"


#: d^2 L/..., ∂²L/..., \frac{\partial^2 L}{...}, Hessian.
_SECOND = re.compile(
    r"[\s($]*(\\[dt]?frac\s*\{\s*)?([d∂]|\\partial)\s*(\^?\s*[({]?\s*[2-9]|[²³])|\s*hessian",
    re.IGNORECASE,
)
#: Names that `find` has for every layer with an input x, and whether they mean its Jacobian.
_BACKWARD = {"backward": False, "j": True, "jacobian": True, "df/dx": True}


def _written(survey: Survey, name: str, place: int) -> str:
    """The range of a place that is read by a written range alone, as in sum_{j=1}^{n}."""
    for use in survey.uses.get(name, ()):
        index = use.indices[place]
        for letter in names_in(index):
            domain = use.scope[letter].domain if letter in use.scope else None
            if domain is not None:
                return f"{letter}:{echo.text(index)}, {echo.text(domain)}"
    return f"{_SPARE[place]}:{name}"


def targets_of(value: object, forward: Forward, survey: Survey) -> tuple[Words, tuple[Target, ...]]:
    """What `find` asks for, and the names of an answer to it.  Raises ExerciseError."""
    words = _words(forward, survey)
    texts = [str(text) for text in value] if isinstance(value, list | tuple) else [str(value or "")]
    found = [target for text in texts for target in _named(text, words, forward, survey)]
    targets = tuple(dict.fromkeys(found))
    if not targets:
        raise ExerciseError("exercise: given: the forward message depends on no input.")
    upstream = any(target.upstream for target in targets)
    if upstream and "delta" in words.arities:
        raise ExerciseError(
            "exercise: given: delta is the message from above here: call yours by another name."
        )
    asked = frozenset(target.key for target in targets)
    output = words.output if upstream else ""
    local = steps(forward) if upstream else frozenset()
    return replace(words, output=output, asked=asked, local=local), targets


def steps(forward: Forward) -> frozenset[str]:
    """The links of the chain rule: "dy/ds" where y is written with s."""
    known = {*forward.defined, *forward.inputs}
    return frozenset(
        f"d{definition.names[0]}/d{below}"
        for definition in forward.arrays
        for below in names_in(definition.body)
        if below in known
    )


def links(words: Words, forward: Forward) -> Words:
    """The words of a step on the way to an answer: every derivative may stay as it is."""
    below = [name for name in (*forward.inputs, *forward.defined) if name not in words.indexers]
    pairs = {f"d{above}/d{name}" for above in forward.defined for name in below if name != above}
    loss = words.loss or words.output
    messages = {f"d{name}" for name in below if name != loss}
    return replace(words, local=frozenset(pairs | (messages if loss else set())), is_step=True)


def _words(forward: Forward, survey: Survey) -> Words:
    outputs = forward.outputs
    output = outputs[-1] if outputs else forward.arrays[-1].names[0]
    defined = forward.defined
    loss = output if output in LOSSES and not defined[output].parameters else ""
    arities = {
        **forward.inputs,
        **dict.fromkeys((*forward.constants, *forward.scalars), 0),
        **{d.names[0]: len(d.parameters) for d in (*forward.arrays, *forward.functions)},
    }
    return Words(
        arities,
        frozenset(n for n in (*forward.inputs, *defined) if arities[n]),
        "" if loss else output,
        loss,
        fixed=frozenset((*forward.inputs, *forward.constants, *forward.scalars)),
        letters=frozenset(v.letter for v in survey.variables),
        dims=dimensions(survey, arities),
        functions={d.names[0]: d for d in forward.functions if len(d.parameters) == 1},
        sizes=forward.scalars,
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


def _named(text: str, words: Words, forward: Forward, survey: Survey) -> list[Target]:
    word = re.sub(r"\s|_\w+|\[[^\]]*\]", "", text.replace("∂", "d")).lower()
    if word in ("any", "either"):
        return _every(words, forward, survey)
    if word in _BACKWARD and "x" in forward.inputs:
        return [_by_x(words, survey, word)]
    return [_target(text, words, forward, survey)]


def _every(words: Words, forward: Forward, survey: Survey) -> list[Target]:
    """The message to every input that a derivative goes by, and each Jacobian."""
    found = []
    own = words.loss or words.output
    for name in sorted(forward.inputs, key=lambda name: name != "x"):
        if name in survey.indexers or name in dict(targets_of_cross_entropy(forward)):
            continue
        indices = usual(name, survey, ())
        found.append(Target(own, name, not words.loss, indices, of_loss=bool(words.loss)))
    if not words.loss:
        for target in list(found):
            upper = tuple(v.letter for v in survey.parameters[own])
            lower = usual(target.below, survey, upper)
            found.append(Target(own, target.below, False, (*upper, *lower), len(upper)))
    return found


def _by_x(words: Words, survey: Survey, word: str) -> Target:
    """The message at x, or the Jacobian by it, by the name that every layer knows."""
    own = words.loss or words.output
    if not _BACKWARD[word] or words.loss:
        indices = usual("x", survey, ())
        return Target(own, "x", not words.loss, indices, of_loss=bool(words.loss))
    upper = tuple(variable.letter for variable in survey.parameters[own])
    return Target(own, "x", False, (*upper, *usual("x", survey, upper)), len(upper))


def _target(written: str, words: Words, forward: Forward, survey: Survey) -> Target:
    if _SECOND.match(written):
        said = "This is a second derivative; only first derivatives are asked for."
        way = "write the first one under given, g[k] = ..., and ask for dg[k]/dx[j]"
        raise GivenError("find", written, FormulaError(said, way, 1, 1))
    asked = source("find", written, (*words.arities, *(f"d{name}" for name in words.arities)))
    text = asked.text
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
        raise asked.trouble(trouble) from None


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind != "newline"]


def _asked(found: Derivative, words: Words, survey: Survey, forward: Forward) -> Target:
    for name in (found.above, found.below):
        if name and name not in forward.inputs and name not in forward.defined:
            raise OffsetError(
                f"{name} is a number that does not change.", "choose another", found.at
            )
    for letter in (*(found.upper or ()), *(found.lower or ())):
        if letter in survey.indexers or words.arities.get(letter):
            raise OffsetError(
                f"{letter} is given, it cannot be an index.", "choose another letter", found.at
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
    of_loss = not upstream and above == words.loss
    return Target(above, found.below, upstream, (*upper, *lower), len(upper), of_loss)


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
        spare = (s for s in _SPARE if s not in (*used, *wanted, *survey.indexers))
        free = letter if letter is not None and letter not in used else next(spare)
        used.append(free)
        found.append(free)
    return tuple(found)


# What the inputs are.
