"""What a card asks to be derived, and in which language an answer is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, get_args
from unicodedata import normalize

if TYPE_CHECKING:
    from engine.formula.tree import FormulaError
    from engine.grading import Grader


# -- What a card asks to be derived: an exercise tells what it is about, and how it is graded.


POOL_TAGS: Final = {"maxpool", "maxpooling", "maxpool2d", "maxpooling2d"}
_MESSAGE_TAGS: Final = {
    "backpropagation",
    "backprop",
    "backwardpass",
    "gradients",
    "gradient",
    "zpetnesireni",
}


class ExerciseError(ValueError):
    """A card's exercise that cannot be; the sentence names the key, the value and what may be."""


class GivenError(ExerciseError):
    """An exercise whose formula cannot be read; `line` and `column` are within that key's text.

    `row` is the line itself.
    """

    def __init__(self, key: str, text: str, found: FormulaError) -> None:
        place = f"line {found.line}, column {found.column}"
        super().__init__(f"exercise: {key}, {place}: {found.message} ({found.hint})")
        rows = text.splitlines() or [""]
        self.key, self.message, self.hint = key, found.message, found.hint
        self.line, self.column = found.line, found.column
        self.row = rows[min(found.line, len(rows)) - 1]


class CardLike(Protocol):
    """What of a card matters here: its `exercise` value as written, tags, type and text."""

    @property
    def exercise(self) -> object: ...
    @property
    def tags(self) -> Iterable[str]: ...
    @property
    def type(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def solution(self) -> str: ...


class Exercise(Protocol):
    """One exercise, of whatever layer: how it is told to the learner, and how it is graded."""

    @property
    def layer(self) -> str:
        """The name of its layer; "" for a card's own forward message."""

    @property
    def about(self) -> str:
        """The forward message, in a few words: "max pooling"."""

    @property
    def description(self) -> str:
        """One sentence that tells the learner what is asked."""

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """What an answer may speak of, each with its meaning."""

    @property
    def example(self) -> str:
        """A well-formed answer to show the notation; it need not be right."""

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        """The index letters, each with what it runs over."""

    @property
    def answer(self) -> str:
        """A right answer; "" for a card's own forward message."""

    def grader(self) -> Grader[Any, Any, Any]:
        """What reads an answer to it, draws its inputs and judges the numbers."""

    @staticmethod
    def from_card(card: CardLike) -> Exercise | None:
        """The exercise of a card; None where it has none.  Raises ExerciseError."""
        return exercise_for(card.exercise, card.tags, card.type, card.question, card.solution)


def exercise_for(
    exercise: object, tags: Iterable[str], type: str, question: str = "", solution: str = ""
) -> Exercise | None:
    """Return a card's exercise, from its `exercise` value or else from its tags; None without one.

    The value is a mapping ({layer: max-pool, kernel: 2, find: dx}, {layers: [linear, relu]}, or one
    with the card's own forward message under `given`), the name of a layer, or "none".  With no
    value, a derivation whose tags name layers together with backpropagation or gradients asks for
    these layers in a row, as its question and its solution tell.  Raises ExerciseError.
    """
    if exercise is None or exercise == "":
        return _by_tags(tags, type, question, solution)[0]
    if isinstance(exercise, str):
        if exercise.strip().lower() in ("none", "no", "off", "false"):
            return None
        return _from_mapping({"layer": exercise})
    if isinstance(exercise, Mapping):
        return _from_mapping(exercise)
    raise ExerciseError(
        f"exercise is {exercise!r}: a layer ({', '.join(layers())}), `none`, "
        "or a mapping like {layer: max-pool, kernel: 2} is allowed."
    )


def why_none(card: CardLike) -> str:
    """Why a card whose tags name layers has no exercise, in a sentence; "" where nothing is odd."""
    written = card.exercise is not None and card.exercise != ""
    return "" if written else _by_tags(card.tags, card.type, card.question, card.solution)[1]


def may_ask(exercise: object, tags: Iterable[str], type: str) -> bool:
    """Whether a card looks as if it had an exercise, told without making one (no NumPy)."""
    if exercise is None or exercise == "":
        return type == "derivation" and bool(_MESSAGE_TAGS & set(map(word, tags)))
    return True


def layers() -> tuple[str, ...]:
    """The names of all layers that there are exercises for."""
    return ("max-pool", *_above("messages.layers").LAYERS)


def word(text: str) -> str:
    """A tag or a layer's name without case, accents, spaces and hyphens."""
    return re.sub(r"[^a-z0-9]", "", normalize("NFKD", text.lower()))


def first_index(value: object) -> int:
    """Where indices begin: at 0, or where the card says so at 1."""
    text = str(value if value is not None else "").strip()
    if text not in ("", "0", "1"):
        raise ExerciseError(
            f"exercise: indices is {value!r}: 0 or 1 is allowed, the first value of every index."
        )
    return int(text or 0)


def _by_tags(
    tags: Iterable[str], type: str, question: str, solution: str
) -> tuple[Exercise | None, str]:
    if not may_ask(None, tags := tuple(tags), type):
        return None, ""
    found: tuple[Exercise | None, str] = _above(_GIVEN).by_tags(tags, question, solution)
    return found


def _from_mapping(given: Mapping[str, object]) -> Exercise:
    made: Exercise
    if "given" in given:
        made = _above(_GIVEN).from_mapping(given)
    elif "layer" not in given and "layers" not in given:
        raise ExerciseError(f"exercise: layer is missing: {', '.join(layers())} are allowed.")
    elif word(str(given.get("layer", ""))) in POOL_TAGS:
        made = _above(_POOLING).from_mapping(given)
    else:
        made = _above(_GIVEN).from_layer(given)
    return made


#: The kinds of exercise: the modules that read their keys.
_GIVEN, _POOLING = "messages.exercise", "pooling.exercise"


def _above(name: str) -> Any:
    """A module that stands above this one, by its name: it is loaded when it is asked for.

    A start does not pay for NumPy, nor max pooling for what the other messages need.
    """
    return import_module(f"engine.{name}")


# -- In which language an answer is written, told by its looks alone.


Language: TypeAlias = Literal["formula", "latex", "function"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_VECTORS: Final = ("ones", "diag", "norm", "outer", "softmax")
_FUNCTION: Final = re.compile(
    r"^[ \t]*((async\s+)?def\s+\w+\s*\(|(import|from)\s+\w+|@\w+|\w+\s*=\s*lambda\b)",
    re.MULTILINE,
)


def language_of(answer: str) -> Language:
    """A NumPy function begins with `def`, LaTeX has a backslash; all else is an index formula."""
    if _FUNCTION.search(answer):
        return "function"
    # Ω(k,l) \ {(i,j)}, a set without a place, is no LaTeX.
    return "latex" if re.search(r"\\(?!\s)", answer) else "formula"


def names_of(exercise: Exercise) -> frozenset[str]:
    """The exercise's names of several letters, also as print has them: kh and k_h."""
    told = {name for left, _ in exercise.symbols for name in re.findall(r"[A-Za-z]\w+", left)}
    # Max pooling alone has no vectors: there, what these stand for in print has no meaning.
    vectors = () if exercise.layer == "max-pool" else _VECTORS
    return frozenset((*told, *(f"{name[0]}_{name[1:]}" for name in told), *vectors))
