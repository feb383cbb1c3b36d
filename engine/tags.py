"""The exercise that a card's tags mean, where its own question and solution tell it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Final
from unicodedata import normalize

from engine.checking import check, fails
from engine.exercise import POOLING, POOLING_TAGS, Exercise, ExerciseError, word
from engine.messages.exercise import GivenExercise, layer_exercise
from engine.messages.layers import AND, LAYERS, Layer, layer_of, merged
from engine.pooling.exercise import PoolingExercise
from engine.written import set_apart

# -- What the words of a card may mean.


#: What print calls its output is what matters.
_WINDOWS: Final = Layer("max pooling", "f = x", "", ())
_NAMES: Final = {
    **dict.fromkeys(POOLING_TAGS, POOLING),
    **{tag: name for name, layer in LAYERS.items() for tag in layer.tags},
}
#: More layers, formulas or characters would take too long to be tried.
_LAYERS, _FORMULAS, _LENGTH = 3, 30, 20_000
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


# -- Of the exercises that the tags may mean, the one that the solution answers.


@lru_cache(maxsize=64)
def by_tags(tags: tuple[str, ...], question: str, solution: str) -> tuple[Exercise | None, str]:
    """The exercise that a card's tags mean; without one, a sentence that says why, or "".

    Tags leave open in which order layers stand, whether they have a bias, and what is asked.  So it
    is the first join of them to which the card's own solution is a right answer.
    """
    tagged = [_NAMES[tag] for tag in map(word, tags) if tag in _NAMES]
    found = [*_spoken(question[:_LENGTH]), *tagged] if tagged else []
    parts = {part for name in found if name != POOLING for part in LAYERS[name].beyond}
    named = [name for name in dict.fromkeys(found) if name not in parts]
    long, way = len(question) + len(solution) > _LENGTH, ""
    solved = [one for one in _formulas("" if long else solution) if "=" in one]
    told = _derivatives(solved)
    for name in _rows(named, " ".join([*_formulas(question[:_LENGTH]), *solved])):
        try:
            layer = _WINDOWS if name == POOLING else layer_of(name)
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
    return PoolingExercise() if name == POOLING else layer_exercise(name, find)


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
    if not 1 <= len(named) <= _LAYERS or POOLING in named:
        yield from named if named == [POOLING] else ()
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
    text = _HATTED.sub("y", text)
    found = (text[start:end] for _, (start, end) in set_apart(text))
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
