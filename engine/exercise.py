"""What a card asks to be derived, and in which language an answer is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeAlias, get_args
from unicodedata import normalize

if TYPE_CHECKING:
    from engine.formula.tree import FormulaError
    from engine.grading import Grader


# -- What a card asks to be derived: an exercise tells what it is about, and how it is graded.


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

    from_card: ClassVar[Callable[[Any], Exercise | None]] = NotImplemented
    """The exercise of a card; None where it has none.  Raises ExerciseError.

    engine/registry.py, which knows every kind of exercise, gives it.
    """


#: Max pooling, as a card calls it under `layer`, and in its tags, without hyphens.
POOLING: Final = "max-pool"
POOLING_TAGS: Final = frozenset(("maxpool", "maxpooling", "maxpool2d", "maxpooling2d"))


def request(asked: Sequence[str], about: str, *notes: str, every: bool = False) -> str:
    """Write dL/dx[j] or dy[k]/dx[j] of ReLU, given delta[k] = dL/dy[k]."""
    *first, last = asked
    listed = f"{', '.join(first)} {'and' if every else 'or'} {last}" if first else last
    return f"Write {listed} of {about}{''.join(f', {note}' for note in notes if note)}."


def word(text: str) -> str:
    """A tag or a layer's name without case, accents, spaces and hyphens."""
    return re.sub(r"[^a-z0-9]", "", normalize("NFKD", text.lower()))


def refuse_others(keys: Iterable[str], allowed: Sequence[str], layer: str = "") -> None:
    """Refuse a key of an exercise that is none of those allowed; `layer` is what they are of."""
    for key in keys:
        if key not in allowed:
            said = f"{key!r} is unknown{layer and f' for {layer}'}"
            raise ExerciseError(f"exercise: {said}: {', '.join(allowed)} are allowed.")


def first_index(value: object) -> int:
    """Where indices begin: at 0, or where the card says so at 1."""
    text = str(value if value is not None else "").strip()
    if text not in ("", "0", "1"):
        raise ExerciseError(
            f"exercise: indices is {value!r}: 0 or 1 is allowed, the first value of every index."
        )
    return int(text or 0)


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
    vectors = () if exercise.layer == POOLING else _VECTORS
    return frozenset((*told, *(f"{name[0]}_{name[1:]}" for name in told), *vectors))
