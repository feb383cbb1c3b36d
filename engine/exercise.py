"""The common face of every exercise, how its answers are graded, and what its keys share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import tee
from math import prod
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
)
from unicodedata import normalize

if TYPE_CHECKING:
    from engine.formula.axes import Array, Mask
    from engine.formula.tree import Chains, FormulaError
    from engine.verdict import Counterexample, Kind, Mark, Mistake, Outcome, Verdict


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
        """How an answer is written, shown by one to another exercise."""

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


#: The messages of a squared error and of a running sum: how an answer is written, shown to whoever
#: derives another, so that it tells nothing of what is asked.
EXAMPLES: Final = ("dL/dp[n] = 2 * (p[n] - t[n])", "dL/du[n] = sum(delta[m] for m if m >= n)")


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

_VECTORS: Final = ("ones", "diag", "norm", "outer", "softmax", "inv", "solve")
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
    """The exercise's names of several letters, also as print has them: kh and k_h; and D, which
    else may be a derivative."""
    found = r"[A-Za-z]\w+|\bD\b"
    told = {name for left, _ in exercise.symbols for name in re.findall(found, left)}
    # Max pooling alone has no vectors: there, what these stand for in print has no meaning.
    vectors = () if exercise.layer == POOLING else _VECTORS
    return frozenset((*told, *(f"{name[0]}_{name[1:]}" for name in told), *vectors))


# -- What the check needs of an exercise: one face for max pooling and for every other message.
#
# An answer is read, evaluated on batches of random inputs, and judged; where it fails, the grader
# looks for the reason.  `engine.grading.grade` is the order in which that happens.


B = TypeVar("B")
T = TypeVar("T")


class Judged(Protocol):
    """A batch with what an answer gives on it."""

    @property
    def batch(self) -> Any: ...

    @property
    def tried(self) -> int:
        """How many of its inputs can be judged."""

    @property
    def left_out(self) -> int:
        """How many cannot: nothing says what would be right there."""

    @property
    def left_out_mask(self) -> Mask:
        """(B,): which these are; they count as valid."""

    @property
    def valid(self) -> Mask:
        """(B,): whether the answer is right, by any valid subgradient at ties and kinks."""

    @property
    def astray(self) -> Mask:
        """(B,): whether it is wrong somewhere that the derivative exists."""

    @property
    def entries(self) -> Entries:
        """Which of its entries are off."""

    def shown(self, n: int) -> Counterexample:
        """One of its inputs, with the answer's numbers on it."""


J = TypeVar("J", bound=Judged)


@dataclass(frozen=True, slots=True)
class Judge(Generic[B, J]):
    """Judges an answer on a batch; it may be told ahead which batches come next."""

    one: Callable[[B], J]
    expect: Callable[[Iterator[B], bool], None] | None = None
    """Told the batches that come next, and whether all of them will."""

    def __call__(self, batch: B) -> J:
        return self.one(batch)

    def every(self, batches: Iterable[B]) -> list[J]:
        return list(self._told(batches, True))

    def each(self, batches: Iterable[B]) -> Iterator[J]:
        """Judge one batch after the other, each when it is asked for."""
        return self._told(batches, False)

    def _told(self, batches: Iterable[B], all_of_them: bool) -> Iterator[J]:
        if self.expect is None:
            return map(self.one, batches)
        asked, told = tee(batches)
        self.expect(told, all_of_them)
        return map(self.one, asked)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """An answer that was read: what it is the answer to, and in our notation."""

    target: T
    echo: str
    formula: Any
    """None of a function, which is known by its numbers alone."""
    numbers: tuple[float, ...] = ()
    """The numbers that stand in it, but for 0, 1 and 2."""
    beyond: set[str] = field(default_factory=set, compare=False)
    """Arrays that terms of its sums were seen to read beyond their range, where they are 0."""
    begun: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Indices whose sums begin at 1, though all indices count from 0, with their places."""
    chains: Chains = field(default=(), compare=False)
    part: str = field(default="", compare=False)
    """What `Grader.read` takes for the target."""
    others: tuple[str, ...] = field(default=(), compare=False)
    """The same of the parts of the exercise that the answer gives besides."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What a function that is an answer is given, and which shapes its result may have."""

    arrays: dict[str, Array]
    """(B, ...) of each, by the names that the function's parameters may have."""
    scalars: dict[str, object]
    """Set as globals of the function."""
    targets: dict[Any, tuple[int, ...]]
    """The shape of one result for each target that the exercise takes, the likeliest first."""
    given: int
    """How many of the arrays, in their order, a function takes that names its parameters freely."""
    output: str = ""
    """The array that the message from above is about; "" where the loss itself is given."""
    whole: tuple[str, ...] = ()
    """Arrays of whole numbers: they may be indices."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that print has for the arrays."""
    open: bool = False
    """Whether a result of any shape is an answer to the first target, right or wrong."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of one batch of inputs that can be judged."""

    off: Mask
    """(B, ...): where the answer differs."""
    known: Mask
    """(B, ...): where it can be said."""
    letters: tuple[str, ...]
    """The index of each dimension behind the first."""
    places: Mapping[str, Mask] = field(default_factory=dict)
    """Regions by their names, each of a shape that broadcasts to that of `off`."""


@dataclass(frozen=True, slots=True)
class Condition(Generic[B]):
    name: str
    met: Callable[[B], Mask]
    """(B,): on which inputs of a batch it holds."""
    apart: Callable[[B], Iterable[B]] | None = None
    """Inputs much like those of a batch on which it does not hold; None where none can be made."""


@dataclass(frozen=True, slots=True)
class Conditions(Generic[B]):
    """What may be said of all failing inputs of one forward message."""

    ways: Sequence[Sequence[Condition[B]]]
    """In the order in which they are named; of those in one row only the first that tells."""
    joined: Sequence[Condition[B]] = ()
    """Those that may be named together, where none tells alone."""


class Judgement(Protocol):
    """One side of a line of a derivation, judged."""

    @property
    def at(self) -> int:
        """Its place in the answer."""

    @property
    def mark(self) -> Mark: ...

    @property
    def kind(self) -> Kind: ...

    @property
    def read(self) -> str:
        """As it was understood, with its sign, and the left side where it is the first behind it;
        "" where it cannot be read.
        """

    @property
    def tex(self) -> str:
        """The same in LaTeX."""

    @property
    def message(self) -> str:
        """What stands in the way, where it cannot be read or does not fit."""

    @property
    def hint(self) -> str: ...

    @property
    def part(self) -> str:
        """What is asked for, where it is an answer to that, worked out."""

    @property
    def reading(self) -> Reading[Any] | None: ...

    def verdict(self, seed: int, trials: int, thorough: bool) -> Verdict:
        """The verdict on it; with a reason where it is not right."""


class Grader(ABC, Generic[B, T, J]):
    """Reads the answers to one exercise, draws its inputs, and judges numbers on them."""

    @property
    def assumed(self) -> str:
        """What the card assumes of the inputs, in words; "" where nothing."""
        return ""

    @property
    def called(self) -> str:
        """What a function that is an answer is called, where there are others beside it."""
        return "backward"

    def allow(self, unconfined: bool) -> None:
        """Say whether a card's own function may run where nothing confines it."""

    def refined(self, verdict: Verdict, steps: Callable[[B], float]) -> Verdict:  # noqa: ARG002
        """The verdict on a right function, of which `steps` counts the steps on a batch.

        It may raise what `steps` raises.
        """
        return verdict

    def unmarked(self, answer: str) -> str:
        """The answer as it was typed, with blanks in the place of marks that say nothing."""
        return answer

    @abstractmethod
    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[T]:
        """Read an answer.  Raises FormulaError, also where it answers another question.

        Of several answers in one, that to `part` is read.  With `step`, the side of a chain that
        begins at this offset stands in the place of the last one.
        """

    def steps(self, answer: str, thorough: bool = True) -> Sequence[Judgement]:  # noqa: ARG002
        """Each side of each line of a derivation; none where only its result is judged."""
        return ()

    @abstractmethod
    def evaluate(self, reading: Reading[T], batch: B) -> Array:
        """The answer's numbers on a batch.  Raises FormulaError."""

    def asks_for(self, target: T) -> bool:  # noqa: ARG002
        """Whether an answer to a target is one to the exercise."""
        return True

    def parts(self, target: T) -> tuple[tuple[str, ...], tuple[str, ...]]:  # noqa: ARG002
        """Which parts of the exercise a target is, and the others; () of an exercise of one."""
        return (), ()

    def beyond(self, batch: B) -> str:  # noqa: ARG002
        """What of a batch lies beyond what the card states, in words; "" where nothing does."""
        return ""

    @abstractmethod
    def handed(self, batch: B) -> Handed:
        """What a NumPy function is given of a batch."""

    def lone(self, batch: B) -> int:
        """How many arrays of a batch have one entry alone, though they might have several."""
        handed = self.handed(batch)
        shapes = [value.shape[1:] for value in handed.arrays.values()]
        return sum(s != () and prod(s) == 1 for s in (*shapes, *handed.targets.values()))

    @abstractmethod
    def drawn(self, seed: int, trials: int) -> Sequence[B]:
        """Random inputs; the same seed and number of trials give the same."""

    @abstractmethod
    def fresh(self, seed: int) -> Sequence[B]:
        """Some more inputs, of every kind alike, that may refute what those drawn suggest."""

    @abstractmethod
    def aimed(self, reading: Reading[T], drawn: Sequence[B]) -> Sequence[B]:
        """Inputs on both sides of what an answer compares, and as large as it speaks of.

        The `unmet` of a batch are sides on which no input was found, in words.
        """

    @abstractmethod
    def small(self) -> Iterable[B]:
        """Small inputs on which an answer may fail, the smallest first."""

    @abstractmethod
    def judged(
        self, batch: B, target: T, got: Array, rule: Callable[[B], Array] | None = None
    ) -> J:
        """The numbers of an answer beside the reference; `rule` gives them on other batches."""

    @abstractmethod
    def named(self, judged: Sequence[J], fresh: Sequence[J], thorough: bool) -> Mistake | None:
        """The known wrong rule that the numbers agree with, those on fresh inputs too.

        Where it is to be `thorough`, also a slip that is found by changing the answer.
        """

    @property
    @abstractmethod
    def conditions(self) -> Conditions[B]:
        """What all inputs may share on which an answer fails."""

    def outcome(
        self,
        judged: Sequence[J],  # noqa: ARG002
        judge: Judge[B, J],  # noqa: ARG002
        seed: int,  # noqa: ARG002
    ) -> Outcome:
        """The verdict of an answer that goes astray where the derivative exists, unexplained."""
        return "wrong"
