"""An exercise proposed for a card that has none, from its question and its own solution."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from engine.checking import by_steps, check
from engine.exercise import POOLING, Exercise, ExerciseError, GivenError, language_of
from engine.formula import statements
from engine.formula.tokens import tokenize
from engine.formula.tree import OffsetError, located
from engine.formula.unparse import unparse
from engine.messages.exercise import GivenExercise
from engine.messages.layers import AND
from engine.prose import without
from engine.registry import CardLike, exercise_for
from engine.sandbox.program import program
from engine.tags import by_tags
from engine.verdict import Proposal, Verdict
from engine.written import formulas, written

# -- What is proposed, and what its card's own solution is worth under it.


def proposed(question: str, solution: str, tags: Iterable[str] = ()) -> Proposal:
    """The exercise that the text of a card means.

    It is the first, in the order of what the question says, under which the card's own solution is
    right; where it is right under none, the verdict says what it is.  Raises ExerciseError with
    what is missing.
    """
    found: list[Proposal] = []
    refused: list[ExerciseError] = []
    for keys, remarks in _candidates(question, solution, tuple(tags), refused):
        try:
            exercise = exercise_for(keys, (), "derivation")
        except ExerciseError as error:
            refused.append(error)
            continue
        assert exercise is not None
        one = Proposal(_tidy(keys, exercise), solution_verdict(solution, exercise), remarks)
        if one.verdict.verdict in ("correct", "incomplete"):
            return one
        found.append(one)
    if found:
        return min(found, key=lambda one: _WORTH.get(one.verdict.verdict, 1))
    raise ExerciseError(_missing(question, solution, refused))


#: What a solution's verdict says of the proposal: one that is wrong was at least read.
_WORTH: Final = {"correct-except-ties": 0, "unreadable": 2}


def solution_verdict(solution: str, exercise: Exercise, seed: int = 0) -> Verdict:
    """The verdict on a card's own solution, which is read and never run as a program."""
    answer = without(solution)
    if language_of(answer) == "function" or program(answer) is not None:
        said = "The solution is a program, and no card's text is run."
        hint = "write the result as a formula beside it"
        return Verdict("unreadable", "", seed, 0, message=said, hint=hint, line=1, column=1)
    found, grader = check(solution, exercise, seed), exercise.grader()
    if found.verdict == "unreadable" and "$" in solution:
        # Behind what is asked for an author explains, in numbers and in words.
        found = by_steps(found, grader.steps(solution), grader, seed) or found
    if found.line is None and found.verdict != "correct":
        wrong = next((side for side in grader.steps(solution) if side.mark == "wrong"), None)
        if wrong is not None:
            place = located(OffsetError("", "", wrong.at), solution)
            found = replace(found, line=place.line, column=place.column)
    return found


# -- The lines of a card's text: which define something, and which are derivatives.


@dataclass(frozen=True, slots=True)
class _Equation:
    left: str
    right: str
    """Of a chain the first side behind the left one."""

    @property
    def name(self) -> str:
        found = _NAME.match(self.left)
        return found[0] if found else ""

    @property
    def text(self) -> str:
        return f"{self.left} = {self.right}"

    @property
    def is_derivative(self) -> bool:
        return bool(_DERIVED.search(self.left) or _DERIVATIVE.search(self.right))

    @property
    def is_definition(self) -> bool:
        return bool(_DEFINED.fullmatch(self.left)) and not self.is_derivative


_NAME: Final = re.compile(r"[^\W\d_]\w*")
_CELL: Final = r"[^\W\d_]\w*(?:\[[^\]]*\])?"
_D: Final = r"(?:∂|(?<![^\W\d_])d)"
#: ∂L/∂x[j], d^2y/dx^2, ∂²L/∂w[a]∂w[b].
_DERIVATIVE: Final = re.compile(
    rf"{_D}\s*(?:²|\^\(?2\)?)?\s*{_CELL}\s*/\s*{_D}\s*{_CELL}\s*(?:\^\(?2\)?|{_D}\s*{_CELL})?"
)
#: What no forward message defines: a derivative, a message, a slope.
_DERIVED: Final = re.compile(r"∂|∇|^(?:δ|delta|Δ)(?![^\W\d_])|^d\w*\s*/|'")
#: A name with its indices, and with what it is a function of.
_DEFINED: Final = re.compile(rf"{_CELL}(?:\s*\(\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\))?")
#: f'(x)
_PRIMED: Final = re.compile(r"([^\W\d_]\w*)'\s*\(\s*([^\W\d_]\w*)\s*\)")
#: An estimate of what is given.
_ESTIMATE: Final = re.compile(r".+(?:hat|tilde|star|\*|_?(?:ML|MLE|MAP|new))")
_MESSAGE: Final = re.compile(r"(?:δ|delta)_?(?P<cell>[^\W\d_](?:\[[^\]]*\])?)")
_NUMBER: Final = re.compile(r"[-−]?\d+(?:\.\d+)?")


def _lines(text: str) -> list[_Equation]:
    """The equations of a text."""
    return list(chain.from_iterable(map(_equations, written(text, frozenset()).text.split("\n"))))


def _equations(line: str) -> Iterator[_Equation]:
    with suppress(OffsetError):
        for row in statements.split(tokenize(line)):
            if row[0].text in statements.LEADING:
                row = row[1:]
            sides = statements.sides_of(row, lambda _before, _last: False)
            texts = [line[side[0].at : side[-1].at].strip() for side in sides]
            if len(texts) > 1:
                yield _Equation(texts[0], texts[1])


def _definitions(lines: Iterable[_Equation]) -> dict[str, _Equation]:
    """By its name, what defines each first, with as many indices as it has anywhere."""
    found: dict[str, _Equation] = {}
    for line in lines:
        before = found.get(line.name)
        if line.is_definition and (before is None or _indices(line) > _indices(before)):
            found[line.name] = line
    called = " ".join(line.right for line in found.values())
    return {name: _uncalled(line, called) for name, line in found.items()}


def _indices(line: _Equation) -> int:
    inside = re.search(r"\[([^\]]*)\]", line.left)
    return len(inside[1].split(",")) if inside else 0


def _uncalled(line: _Equation, others: str) -> _Equation:
    """L(w) = ... without what it is a function of, where nothing calls it."""
    is_called = re.search(rf"(?<!\w){re.escape(line.name)}\s*\(", others)
    return line if is_called else replace(line, left=re.sub(r"\s*\([^)]*\)$", "", line.left))


# -- What a card asks for.


_RESPECT: Final = re.compile(
    r"(?:respect to|w\.?\s?r\.?\s?t\.?|(?:gradients?|derivatives?|messages?|hessian) (?:by|in|of)"
    r"|podle|vzhledem ke?)\s+(?P<names>[^.;?\n]{1,80})",
    re.I,
)
_SEVERAL: Final = re.compile(r"paramet|messages|gradients|derivatives|zpráv|gradienty", re.I)
_TWICE: Final = re.compile(r"hess|second (?:order |partial )*deriv|druh\w+ (?:\w+ )*deriv", re.I)
_SAYS_VALUE: Final = re.compile(
    r"show|prove|express|simplif|posterior|marginal|closed form|dokaž|ukaž|vyjádř|odvoď", re.I
)
_OPTIMUM: Final = re.compile(
    r"(?P<least>minimi[sz]|least squares)|maximum (?:likelihood|a posteriori)|maximi[sz]|\bMLE\b",
    re.I,
)


def _by_names(question: str, output: _Equation | None) -> Iterator[str]:
    """The derivatives that a question asks for in words: the gradient with respect to $w$."""
    is_whole = output is not None and (not _indices(output) or "acobi" in question)
    above = output.name if output is not None and is_whole else "L"
    for found in _RESPECT.finditer(question):
        for name in formulas(found["names"]):
            if "$" in found["names"] and re.fullmatch(_CELL, name) and name != above:
                yield f"d{above}/d{name}"


def _asked(question: str, output: str) -> Iterator[str]:
    """The derivatives that stand in a question, but for what comes from above."""
    equated = {line.right for line in _lines(question)}
    for formula in formulas(question):
        for found in _DERIVATIVE.finditer(formula):
            below = _NAME.match(found[0].rpartition("/")[2].strip().lstrip("∂d "))
            if found[0].strip() not in equated and (below is None or below[0] != output):
                yield found[0].strip()
        yield from (f"d{name}/d{by}" for name, by in _PRIMED.findall(formula) if name == output)


def _solved(lines: Iterable[_Equation], output: str) -> Iterator[str]:
    """The derivatives that a solution works out, those of the last array or of a loss."""
    lefts = [line.left for line in lines]
    found = [left for left in lefts if _DERIVATIVE.fullmatch(left)]
    primed = filter(None, map(_PRIMED.fullmatch, lefts))
    found += [f"d{one[1]}/d{one[2]}" for one in primed if one[1] == output]
    ends = [left for left in found if _above(left) in (output, "L", "E", "J", "C")]
    yield from ends or found
    for left in lefts:
        message = _MESSAGE.fullmatch(left)
        if message and "[" in message["cell"]:
            yield f"dL/d{message['cell']}"


def _above(derivative: str) -> str:
    found = re.match(rf"{_D}\s*(?:²|\^\(?2\)?)?\s*([^\W\d_]\w*)", derivative)
    return found[1] if found else ""


def _finds(
    question: str, solved: Sequence[_Equation], given: Mapping[str, _Equation]
) -> Iterator[list[str]]:
    """What may be asked for, most likely first."""
    names = list(given)
    used = {name for line in given.values() for name in re.findall(r"[^\W\d_]\w*", line.right)}
    outputs = [name for name in names if name not in used]
    output = outputs[-1] if outputs else ""
    worked = [one for one in _solved(solved, output) if _below(one) not in given]
    said = list(dict.fromkeys(_asked(question, output)))
    worded = list(_by_names(question, given.get(output)))
    if _TWICE.search(question):
        twice = [one for one in worked if _is_second(one)]
        yield from ([one] for one in (*twice, "Hessian"))
    elif said or worded:
        more = worked if _SEVERAL.search(question) else []
        yield [*said, *worded, *more]
        yield [*said, *worded]
    if worked:
        yield worked
    claimed = [line.name for line in (*_lines(question), *solved) if line.is_definition]
    values = [name for name in names if claimed.count(name) > 1]
    if values and (_SAYS_VALUE.search(question) or not (said or worded or worked)):
        yield values[-1:]


def _below(derivative: str) -> str:
    found = _NAME.match(re.sub(rf"^\s*{_D}\s*", "", derivative.rpartition("/")[2]))
    return found[0] if found else ""


def _bare(derivative: str) -> str:
    return re.sub(r"\s", "", derivative)


def _is_second(derivative: str) -> bool:
    return bool(re.match(rf"{_D}\s*(?:²|\^)", derivative))


# -- The candidates: mappings, as a card could have them.


_Keys = dict[str, Any]


def _candidates(
    question: str, solution: str, tags: tuple[str, ...], refused: list[ExerciseError]
) -> Iterator[tuple[_Keys, tuple[str, ...]]]:
    solved = _lines(solution)
    own = _definitions(_lines(question))
    inputs = set(re.findall(r"[^\W\d_]\w*", " ".join(line.right for line in own.values())))
    more = {
        name: line
        for name, line in _definitions(solved).items()
        if name not in own and name not in inputs and not _ESTIMATE.fullmatch(name)
    }
    optimum = _OPTIMUM.search(question)
    for given in filter(None, (own, {**own, **more} if more else {})):
        found = _read(given, question, refused)
        if found is None:
            continue
        keys, left_out = found
        if whole := _whole_arrays(f"{question}\n{solution}", keys):
            refused.append(whole)
            continue
        kept = {name: line for name, line in given.items() if name not in left_out}
        taken = [line.text for name, line in kept.items() if name not in own]
        remarks = [f"{row!r} is taken from the solution." for row in taken]
        remarks += [f"{given[name].text!r} is left out: {why}" for name, why in left_out.items()]
        if optimum:
            last = list(kept)[-1]
            over = next(iter(_estimated(question)), "")
            sense = "minimise" if optimum["least"] else "maximise"
            yield {**keys, sense: last, "over": over}, tuple(remarks)
        worked = {*map(_bare, _solved(solved, ""))}
        first: list[str] = []
        for wanted in _finds(question, solved, kept):
            lost: list[str] = []
            named = list(_readable(wanted, keys, refused, lost))
            if not named:
                continue
            first = first or [*named, *(one for one in lost if _bare(one) not in worked)]
            rest = [one for one in first if one not in named]
            said = f"The question asks for {', '.join(rest)}, and this does not."
            find = named if len(named) > 1 else named[0]
            yield {**keys, "find": find}, (*remarks, *([said] if rest else []))
    exercise, _ = by_tags(tags, question, solution)
    if exercise is not None:
        yield _layer_keys(exercise), ()


def _estimated(question: str) -> Iterator[str]:
    """What an optimum is by: the names behind "of" and "with respect to"."""
    for found in re.finditer(
        r"(?:estimat\w+ (?:of|for)|respect to|over)\s+([^.;?\n]{1,60})", question
    ):
        for name in formulas(found[1]):
            if "$" in found[1] and re.fullmatch(_CELL, name):
                yield name


def _read(
    given: Mapping[str, _Equation], question: str, refused: list[ExerciseError]
) -> tuple[_Keys, dict[str, str]] | None:
    """The keys of a forward message that can be read, without lines that stand in its way.

    With the names of these, and why.
    """
    left_out: dict[str, str] = {}
    rows = dict(given)
    kinds = ["unit", "positive", "real"]
    kind = ""
    while rows:
        keys: _Keys = {"given": "\n".join(line.text for line in rows.values())}
        keys |= _sizes(keys["given"])
        keys |= _letters(keys["given"], [*rows], kind) if kind else {}
        try:
            exercise_for({**keys, "find": "any"}, (), "derivation")
        except GivenError as error:
            refused.append(error)
            if kinds and _letters(keys["given"], [*rows], "real"):
                kind = kinds.pop()
                continue
            if error.key != "given" or len(rows) == 1:
                return None
            name = list(rows)[min(error.line, len(rows)) - 1]
            left_out[name] = error.message
            del rows[name]
            continue
        except ExerciseError as error:
            refused.append(error)
            return None
        return {**keys, **_kinds(question, keys)}, left_out
    return None


def _letters(given: str, defined: Sequence[str], kind: str) -> _Keys:
    """Numbers that have a letter of indices: m, which stands in no bracket and no sum binds."""
    inside = " ".join(re.findall(r"\[[^\]]*\]|_\{[^}]*\}", given))
    indices = {*re.findall(r"[a-z]", inside), *defined}
    found = set(re.findall(r"(?<![\w])([a-z])(?![\w(\[])", given)) - indices - {"e"}
    return {"inputs": dict.fromkeys(sorted(found), kind)} if found else {}


#: What only arrays have: bold letters, a transpose, a product entry by entry.
_ARRAYS: Final = re.compile(
    r"\\(?:mathbf|boldsymbol|bm|vec|top|intercal|odot)(?![a-z])|\^\{?\s*T\b|[⊤⊙ᵀ]"
)


def _whole_arrays(text: str, keys: _Keys) -> GivenError | None:
    """The fault of a forward message whose matrices have no indices: they would be numbers."""
    if not _ARRAYS.search(text):
        return None
    exercise = exercise_for({**keys, "find": "any"}, (), "derivation")
    assert isinstance(exercise, GivenExercise)
    matrices = [n for n, count in exercise.task.model.forward.inputs.items() if n.isupper() > count]
    if not matrices:
        return None
    given = keys["given"]
    said = f"{matrices[0]} stands here as a whole array, which `given` does not read."
    hint = "write entries: s[k] = sum(W[k,j] * x[j] for j)"
    at = re.search(rf"(?<!\w){matrices[0]}(?!\w)", given)
    return GivenError(
        "given", given, located(OffsetError(said, hint, at.start() if at else 0), given)
    )


#: A sum from 1 to n, and what an input is one of.
_RANGE: Final = re.compile(r"_\{?\(?(\w)=[01]\)?\}?\^\{?\(?([A-Za-z])\b\)?\}?")
_SETS: Final = {"-1,1": "sign", "1,-1": "sign", "0,1": "binary"}
_MEMBER: Final = re.compile(r"([^\W\d_]\w*)(?:\[[^\]]*\])?\s*∈\s*\{([^{}]*)\}")
_THAN: Final = r"\s*(?:[<>≤≥]|<=|>=)\s*"
_COMPARED: Final = re.compile(
    rf"(?:{_NUMBER.pattern}{_THAN})?{_CELL}{_THAN}{_NUMBER.pattern}|{_NUMBER.pattern}{_THAN}{_CELL}"
)


def _sizes(given: str) -> _Keys:
    """Sizes of what is counted: the n of 1/n beside a sum from 1 to n."""
    ranges = _RANGE.findall(given)
    rest = _RANGE.sub(" ", given)
    found: dict[str, object] = {}
    for letter, name in ranges:
        if re.search(rf"(?<![\w]){name}(?![\w\[])", rest):
            found |= {name: "3", letter: name}
    return {"sizes": found} if found else {}


def _kinds(question: str, keys: _Keys) -> _Keys:
    """What the question says that inputs are, as far as that makes an exercise."""
    before: Mapping[str, object] = keys.get("inputs", {})
    inputs = dict(before)
    assumed: list[str] = []
    for formula in formulas(question):
        for name, values in _MEMBER.findall(formula):
            kind = _SETS.get(re.sub(r"\s|\+", "", values).replace("−", "-"))
            if kind:
                inputs[name] = kind
        if _COMPARED.fullmatch(formula):
            assumed.append(formula.replace("≤", "<=").replace("≥", ">=").replace("−", "-"))
    found: _Keys = {}
    more: list[_Keys] = [{"inputs": inputs}] if inputs != before else []
    more += [{"assume": [*dict.fromkeys(assumed)]}] if assumed else []
    for one in more:
        with suppress(ExerciseError):
            exercise_for({**keys, **found, **one, "find": "any"}, (), "derivation")
            found |= one
    return found


def _readable(
    finds: Iterable[str], keys: _Keys, refused: list[ExerciseError], lost: list[str]
) -> Iterator[str]:
    """Those that the forward message has, each once, as an exercise writes them.

    The others are added to `lost`.
    """
    told: set[tuple[str, str]] = set()
    for find in finds:
        try:
            exercise = exercise_for({**keys, "find": find}, (), "derivation")
        except ExerciseError as error:
            refused.append(error)
            lost.append(find)
            continue
        assert isinstance(exercise, GivenExercise)
        target = exercise.task.targets[0]
        if target.pair not in told:
            told.add(target.pair)
            yield target.written()


def _tidy(keys: _Keys, exercise: Exercise) -> _Keys:
    """The same keys with `given` in the notation of the reference, where that is the same.

    What nothing uses is left out, as n = 3 is.
    """
    if not isinstance(exercise, GivenExercise) or "given" not in keys:
        return keys
    forward = exercise.task.model.forward
    used = {target.above for target in exercise.task.targets}
    for one in reversed(forward.arrays):
        used |= forward.uses[one.names[0]] if one.names[0] in used else set()
    rows = []
    for one in (*forward.functions, *forward.arrays):
        if one.names[0] not in used:
            continue
        body = exercise.task.written.get(one.names[0], one.body)
        inside = ",".join(one.parameters)
        brackets = "({})" if one in forward.functions else "[{}]"
        rows.append(f"{one.names[0]}{brackets.format(inside) if inside else ''} = {unparse(body)}")
    tidied = {**keys, "given": "\n".join(rows)}
    try:
        again = exercise_for(tidied, (), "derivation")
    except ExerciseError:
        return keys
    assert isinstance(again, GivenExercise)
    same = {*again.symbols} <= {*exercise.symbols} and again.description == exercise.description
    return tidied if same else keys


def keys_of(exercise: Exercise, card: CardLike) -> _Keys:
    """The keys of a card's exercise; where its tags alone tell it, as it could have them."""
    written = card.exercise
    if isinstance(written, Mapping):
        return {**written}
    return {"layer": written} if written else _layer_keys(exercise)


def _layer_keys(exercise: Exercise) -> _Keys:
    """The keys of an exercise on layers."""
    if exercise.layer == POOLING or not isinstance(exercise, GivenExercise):
        return {"layer": exercise.layer}
    names = exercise.layer.split(AND)
    find = [*{one.key: one.written() for one in reversed(exercise.task.targets)}.values()][::-1]
    row: _Keys = {"layers": names} if len(names) > 1 else {"layer": names[0]}
    return {**row, "find": find if len(find) > 1 else find[0]}


# -- What is missing where none can be made.


def _missing(question: str, solution: str, refused: Sequence[ExerciseError]) -> str:
    given = _definitions(_lines(question)) or _definitions(_lines(solution))
    way = "Write the forward message under `given`, a definition a line, and what is asked, `find`."
    if not given:
        said = "Neither the question nor the solution has a formula that defines something"
        return f"{said}, as y[k] = ... does. {way}"
    faults = [str(error) for error in refused if isinstance(error, GivenError)]
    whole = next((error for error in refused if isinstance(error, GivenError)), None)
    if whole is not None and whole.key == "given":
        return (
            f"What the question defines cannot be read: {whole.row.strip()!r}: {whole.message} "
            f"{whole.hint[:1].upper()}{whole.hint[1:]}."
        )
    if faults:
        return f"What is asked is no derivative of what is defined: {faults[0]}"
    said = ", ".join(given)
    return (
        f"The card defines {said}, and neither its question nor its solution says which derivative "
        f"or value is asked for. Write it under `find`, as in find: dL/dx[j]."
    )
