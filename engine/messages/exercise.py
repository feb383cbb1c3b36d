"""Exercises about a forward message: of a card, of a layer, of layers that tags name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Any, Final
from unicodedata import normalize

from engine.checking import check, fails
from engine.exercise import POOL_TAGS, Exercise, ExerciseError, first_index, word
from engine.formula.unparse import unparse
from engine.grading import Grader
from engine.messages.grader import GivenGrader
from engine.messages.inputs import KINDS
from engine.messages.layers import AND, LAYERS, Layer, layer_of, merged
from engine.messages.spec import Task, task_of, usual
from engine.messages.targets import Target, shown
from engine.pooling.exercise import PoolingExercise

# -- A card's own forward message as an exercise.


@dataclass(frozen=True, eq=False)
class GivenExercise(Exercise):
    """Which derivative of which forward message; two made of the same keys are the same object."""

    task: Task
    layer: str = ""
    title: str = ""
    """What a layer is called in a sentence; "" for a card's own message."""
    answer: str = ""
    """A right answer, where the exercise is one of ours."""
    stated: frozenset[str] = frozenset()
    """The sizes that the card gives: an answer need not hold for others."""
    any_of: bool = False
    """Whether an answer to one of its targets is an answer to the exercise."""

    @property
    def about(self) -> str:
        return self.title or "the card's forward message"

    @property
    def description(self) -> str:
        """One sentence that tells the learner what is asked."""
        loss = self.task.words.loss or "L"
        asked = [target.written(loss=loss) for target in self.task.targets]
        asked = list(dict.fromkeys(self.labels.values())) or asked
        *first, last = asked
        said = f"{', '.join(first)} {'and' if self.labels else 'or'} {last}" if first else last
        upstream = next((t for t in self.task.targets if t.upstream), None)
        given = ""
        if upstream is not None:
            given = f", given {self._cell('delta', upstream.above)} = " + (
                f"dL/d{self._cell(upstream.above, upstream.above)}"
            )
        assumed = self.task.model.assumed
        return f"Write {said} of {self.about}{given}{assumed and f', for {assumed}'}."

    @cached_property
    def labels(self) -> dict[str, str]:
        """Of each target its part, by its key.  A message and the Jacobian in it are one part."""
        loss = self.task.words.loss or "L"
        first: dict[tuple[str, str], str] = {}
        for one in self.task.targets:
            first.setdefault((one.above, one.below), one.written(loss=loss))
        if self.any_of or len(first) == 1:
            return {}
        return {one.key: first[one.above, one.below] for one in self.task.targets}

    def _cell(self, name: str, array: str) -> str:
        letters = self._letters(array)
        return f"{name}[{','.join(letters)}]" if letters else name

    def _letters(self, array: str) -> tuple[str, ...]:
        survey = self.task.model.survey
        if array in survey.parameters:
            return tuple(variable.letter for variable in survey.parameters[array])
        return usual(array, survey, ())

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """What an answer may speak of, each with its meaning."""
        model = self.task.model
        found = [
            (self._cell(name, name), f"given, {KINDS[model.kinds[name]]}")
            for name in model.forward.inputs
        ]
        found += [(name, f"{value:g}") for name, value in model.forward.constants.items()]
        found += [(name, "a size") for name in sorted(model.forward.scalars)]
        for one in (*model.forward.functions, *model.forward.arrays):
            left = one.names[0]
            if one.parameters:
                brackets = "()" if one in model.forward.functions else "[]"
                left += f"{brackets[0]}{','.join(one.parameters)}{brackets[1]}"
            body = shown(self.task.written.get(one.names[0], one.body), self.task.words)
            found.append((left, unparse(body)))
        output = self.task.words.output
        if output:
            cell = self._cell(output, output)
            found.append((self._cell("delta", output), f"the upstream message dL/d{cell}"))
        return tuple(found)

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        """Each index letter with what it runs over, as in ("j", "0 to 2")."""
        model = self.task.model
        letters = model.letters(model.lengths())
        first = self.task.first
        varied = "" if model.fixed else "; other lengths are tried too"
        return tuple(
            (letter, f"{first} to {first + size - 1}{'' if letter in self.stated else varied}")
            for letter, size in letters.items()
        )

    @property
    def example(self) -> str:
        """A well-formed answer to show the notation; it need not be right."""
        if self.answer:
            return self.answer
        target = self.task.targets[0]
        left = target.written(loss=self.task.words.loss or "L")
        return f"{left} = {self._some(target)}"

    def _some(self, target: Target) -> str:
        """Something that the answer's indices fit, and that is hardly ever right."""
        own = target.indices[target.above_count :]
        below = f"{target.below}[{','.join(own)}]" if own else target.below
        if not target.upstream:
            return f"2 * {below}"
        letters = self._letters(target.above)
        delta = self._cell("delta", target.above)
        running = [letter for letter in letters if letter not in own]
        if not running:
            return f"{delta} * {below}"
        return f"sum({delta} for {','.join(running)}) * {below}"

    def grader(self) -> Grader[Any, Any, Any]:
        return self._grader

    @cached_property
    def _grader(self) -> GivenGrader:
        return GivenGrader(self.task, self.example, self.stated, self.labels)


def from_mapping(card: Mapping[str, object]) -> GivenExercise:
    """Read {given: ..., find: ..., sizes: ...}.  Raises ExerciseError."""
    return cached(json.dumps(card, sort_keys=True, default=str))


@lru_cache(maxsize=64)
def cached(
    keys: str,
    layer: str = "",
    title: str = "",
    answer: str = "",
    own: tuple[str, ...] = (),
    any_of: bool = False,
) -> GivenExercise:
    """The exercise of some keys, as JSON: made once, so that its inputs are drawn once.

    Of a layer `own` are the sizes that the card itself says.
    """
    card = json.loads(keys)
    if not isinstance(card.get("given"), str):
        raise ExerciseError("exercise: given is a text, a line for each definition.")
    sizes = card.get("sizes")
    task = task_of(card)
    said = own if layer else tuple(sizes) if isinstance(sizes, dict) else ()
    stated = frozenset((*said, *(task.model.sized_as(name) for name in said)))
    if layer:
        task = replace(task, words=replace(task.words, names=layer_of(layer).names))
    find = card.get("find")
    listed = isinstance(find, list) and not {*map(str, find)} & {"any", "either"}
    return GivenExercise(task, layer, title, answer, stated, any_of or not listed)


# -- Exercises on built-in layers: each is a forward message as a card could give it.


def layer_exercise(
    name: str,
    find: Sequence[str] = (),
    sizes: Mapping[str, object] | None = None,
    indices: object = None,
) -> GivenExercise:
    """The exercise on a layer by its name in LAYERS, or on several, with AND between them.

    `indices` is the first value of each index.  Raises ExerciseError.
    """
    layer = layer_of(name, first_index(indices))
    keys = {
        "given": layer.given,
        "find": list(find or layer.find),
        "sizes": {**layer.sizes, **(sizes or {})},
        "constants": dict(layer.constants),
        "inputs": dict(layer.inputs),
        "indices": first_index(indices),
    }
    # The example answers what is asked first.
    answer = layer.answer if list(find[:1]) in ([], [layer.find[0]]) else ""
    return cached(json.dumps(keys), name, layer.title, answer, tuple(sizes or ()), not find)


def from_layer(given: Mapping[str, object]) -> GivenExercise:
    """Read {layer: elu, find: dx, sizes: {k: 4}}, or {layers: [linear, elu]}.

    Raises ExerciseError.
    """
    key = "layers" if "layers" in given else "layer"
    row = given[key]
    if (key == "layers" and not isinstance(row, list | tuple)) or not row:
        raise ExerciseError(f"exercise: layers is {row!r}: a list like [linear, relu] is allowed.")
    names = row if isinstance(row, list | tuple) else [row]
    name = merged([_name(one, key == "layers") for one in names])
    for other in given:
        if other not in (key, "find", "sizes", "indices"):
            raise ExerciseError(
                f"exercise: {other!r} is unknown for {name}: {key}, find, sizes, indices"
                " are allowed."
            )
    find = given.get("find") or ()
    texts = [str(one) for one in (find if isinstance(find, list | tuple) else [find])]
    if [text.strip().lower() for text in texts] in (["any"], ["either"]):
        texts = []
    sizes = given.get("sizes")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise ExerciseError(f"exercise: sizes is {sizes!r}: a mapping like {{k: 3}} is allowed.")
    return layer_exercise(name, texts, sizes, given.get("indices"))


def _name(value: object, joined: bool) -> str:
    wanted = word(str(value))
    for name, layer in LAYERS.items():
        if wanted in (word(name), *layer.tags):
            return name
    known = ", ".join(LAYERS if joined else ("max-pool", *LAYERS))
    said = "cannot be joined" if joined else "is unknown"
    raise ExerciseError(f"exercise: layer {value!r} {said}: {known} are allowed.")


# -- The exercise of a card that names layers by its tags, where its own solution answers it.


_POOL: Final = "max-pool"
#: What print calls its output is what matters.
_WINDOWS: Final = Layer("max pooling", "f = x", "", ())
_NAMES: Final = {
    **dict.fromkeys(POOL_TAGS, _POOL),
    **{tag: name for name, layer in LAYERS.items() for tag in layer.tags},
}
#: More layers, formulas or characters would take too long to be tried.
_LAYERS, _FORMULAS, _LENGTH = 3, 30, 20_000
_MATH: Final = re.compile(
    r"\$\$(.{1,999}?)\$\$|\$(.{1,999}?)\$|\\\[(.{1,999}?)\\\]|\\\((.{1,999}?)\\\)", re.DOTALL
)
#: Print's name of an output.
_HATTED: Final = re.compile(r"\\hat\s*(?:y|\{\s*y\s*\})")
#: What parts the formulas of one display.
_NEXT: Final = re.compile(r"[,;.]?\s*\\q?quad\s*(?=\\[dt]?frac|\\nabla|\\delta)")
_DRESSED: Final = r"(?:[{\s]|\\(?:mathbf|boldsymbol|bm|vec|mathrm)(?![a-z]))*(\\?[A-Za-z])"
_D: Final = r"(?:\\partial|\\mathrm\{d\}|(?<![A-Za-z\\])d)"
_BELOW: Final = re.compile(rf"(?:{_D}|\\nabla_|\\delta_)" + _DRESSED)
#: A question's derivatives by something: below a line, at a nabla or a delta.
_ASKED: Final = re.compile(rf"(?:(?:\}}\s*\{{|/)\s*{_D}|\\nabla_|\\delta_)" + _DRESSED)
#: What a forward message defines, functions left out; and a slope, f'.
_DEFINED: Final = re.compile(r"^(\w+)(?:\[[^]]*\])? = ", re.MULTILINE)
_PRIMED: Final = re.compile(r"\b[fgh]\s*(?:'|\^\{?\\prime)")
#: What layers call the parameters that print has Greek letters for: alpha, gamma, beta.
_LETTERS: Final = {r"\a": "a", r"\g": "g", r"\b": "b"}
#: In words: that derivatives are asked for, that they are only spoken of, and by what.
_ASKS: Final = re.compile(r"gradient|deriv|jacobi|backward|zpetn|messag|zprav|partial|nabla|delta_")
_HIGHER: Final = re.compile(
    r"second (?:order |partial )*deriv|hess|druh\w+ (?:\w+ )*deriv|partial\s*\^"
)
_SPEAKS: Final = re.compile(r"vanish|explod|\bmiz|\bwhy\b|expla|\bproc\b|vysvetl|compar|porovn")
_BY: Final = re.compile(
    r"(?:respect to|w\.?r\.?t\.?|(?:gradients?|derivatives?) by|podle|vzhledem ke?)\s[^.;?\n]{1,60}"
)
_PARAMETERS: Final = re.compile(r"paramet|\bweight|\bvah|\bbias|\bslope|\bsklon")
_INPUTS: Final = re.compile(r"backward|zpetn|(?:respect to|podle|ke)\s(?:\w+\s)?(?:input|vstup)")


@lru_cache(maxsize=64)
def by_tags(tags: tuple[str, ...], question: str, solution: str) -> tuple[Exercise | None, str]:
    """The exercise that a card's tags mean; without one, a sentence that says why, or "".

    Tags leave open in which order layers stand, whether they have a bias, and what is asked.  So it
    is the first join of them to which the card's own solution is a right answer.
    """
    tagged = [_NAMES[tag] for tag in map(word, tags) if tag in _NAMES]
    found = [*_spoken(question[:_LENGTH]), *tagged] if tagged else []
    parts = {part for name in found if name != _POOL for part in LAYERS[name].beyond}
    named = [name for name in dict.fromkeys(found) if name not in parts]
    long, way = len(question) + len(solution) > _LENGTH, ""
    solved = [one for one in _formulas("" if long else solution) if "=" in one]
    told = _derivatives(solved)
    for name in _rows(named, " ".join([*_formulas(question[:_LENGTH]), *solved])):
        try:
            layer = _WINDOWS if name == _POOL else layer_of(name)
        except ExerciseError:  # these do not fit behind each other
            continue
        row, find = name.split(AND), [one for one in layer.find if one != "any"]
        key = f"layers: [{', '.join(row)}]" if len(row) > 1 else f"layer: {name}"
        asks = (*find, "dL/dx")[0].partition("[")[0]
        way = way or f"write it as `exercise: {{{key}, find: {asks}}}`, or"
        if not question and not solution and len(row) == 1:
            return _made(name, ()), ""
        *inner, output = steps = _DEFINED.findall(layer.given)
        below = {*layer.below}
        if not told or not _wanted(question, below, below, steps):
            continue
        more = [f"d{output}/d{step}" for step in inner] if len(row) > 1 else []
        borne = _borne_out(_made(name, [*find, *more]), told, steps) & below
        wanted = _wanted(question, borne, below, steps)
        # A bias behind a layer has the same slope as one before it, if delta is that in between.
        if wanted & borne and (len(row) == 1 or borne - {"b", "c"}):
            find = [one for one in find if one.rpartition("/d")[2].partition("[")[0] in wanted]
            return _made(name, find), ""
    said = ", ".join(named)
    return None, said and (
        f"Its tags name {said}, but its question and its solution do not tell what is asked of "
        f"which forward message: {way} write the message under `given`, or `exercise: none`."
    )


def _made(name: str, find: Sequence[str]) -> Exercise:
    return PoolingExercise() if name == _POOL else layer_exercise(name, find)


def _derivatives(formulas: Iterable[str]) -> list[tuple[str, str]]:
    """Those of the formulas that are derivatives, each with what it is the derivative by."""
    found = []
    for formula in formulas:
        below = _BELOW.findall(formula.partition("=")[0])
        if below and below[-1] not in "ijklmn":
            found.append((_LETTERS.get(below[-1], below[-1]), formula))
    return found


def _spoken(text: str) -> list[str]:
    """The layers that a text speaks of, also in other cases of Czech: "sigmoidou"."""
    words = re.findall(r"[a-z0-9]+", _folded(re.sub(r"(\\sigma|σ)\s*\(", " sigmoid ", text)))
    found: list[str] = []
    while words:
        most = next((n for n in (4, 3, 2) if "".join(words[:n]) in _NAMES), 1)
        said = "".join(words[:most])
        found += [
            _NAMES[tag]
            for tag in _NAMES
            if tag == said or (len(tag) > 5 and most == 1 and said.startswith(tag))
        ][:1]
        words = words[most:]
    return found


def _folded(text: str) -> str:
    return re.sub(r"[\u0300-\u036f]", "", normalize("NFKD", text.lower()))


def _rows(named: Sequence[str], formulas: str) -> Iterator[str]:
    """The names of the joins to be tried."""
    if not 1 <= len(named) <= _LAYERS or _POOL in named:
        yield from named if named == [_POOL] else ()
        return
    letters = re.sub(r"\\(?:text|operatorname|mathrm)\{[^}]*\}|\\[A-Za-z]+", " ", formulas)
    linear = "linear" if "W" in letters or "w" not in letters else "linear-unit"
    linear += "" if "b" in letters or not formulas.strip() else "-without-bias"
    row = [linear if name == "linear" else name for name in named]
    losses = [name for name in row if LAYERS[name].loss]
    for order in permutations(name for name in row if name not in losses):
        yield merged([*order, *losses])
        if linear not in row and "w" in letters.lower():
            yield merged([linear, *order, *losses])


def _formulas(text: str) -> list[str]:
    found = ["".join(groups) for groups in _MATH.findall(_HATTED.sub("y", text))]
    return [part.strip() for one in found for part in _NEXT.split(one)]


def _wanted(
    question: str, borne: set[str], below: Collection[str], steps: Collection[str]
) -> set[str]:
    """What the question wants derivatives by; nothing where it wants none, or by something else."""
    words = _folded(question)
    asked = {name for one in _formulas(question) for name in _ASKED.findall(one)}
    for one in _formulas(" ".join(_BY.findall(question))):
        asked |= {*re.findall(rf"^{_DRESSED}", one)} if not re.search("=|partial", one) else set()
    asked = {_LETTERS.get(name, name) for name in asked}
    asked -= {name for name in (*"ijklmnLEf", *steps) if name not in below}
    parameters, inputs = _PARAMETERS.search(words), _INPUTS.search(words)
    idle = _HIGHER.search(words) or (_SPEAKS.search(words) and not asked)
    if not _ASKS.search(words) or idle or asked - {*below}:
        return set()
    if not (asked or parameters or inputs):
        return borne
    asked |= borne - {"x"} if parameters or "x" not in below else set()
    return asked | (borne & {"x"} if inputs else set())


def _borne_out(
    exercise: Exercise, told: Sequence[tuple[str, str]], steps: Collection[str]
) -> set[str]:
    """By what the solution has derivatives that are right; nothing where one of them is not.

    Nor where all leave open what an f' is.
    """
    found: dict[str, str] = {}
    sure = False
    if len(told) >= _FORMULAS:
        return set()
    if isinstance(exercise, GivenExercise) and any(fails(one, exercise, 60) for _, one in told):
        return set()
    for below, formula in told:
        left, right = formula.partition("=")[0], formula.rpartition("=")[2]
        outcome = check(formula, exercise, 0, 60, "latex").verdict
        if outcome.startswith("wrong"):
            return set()
        sure |= outcome in ("correct", "incomplete") and not _PRIMED.search(right)
        # An example, dL/dx_2 = 5, is no formula.
        if outcome != "unreadable" or below != "x" or not re.search(r"\d", left):
            found[below] = outcome
    unread = {name for name, outcome in found.items() if outcome == "unreadable"}
    return set() if unread - {*steps} or not sure else {*found} - unread
