"""What the check needs of an exercise: one small face for max pooling and for every other message.

An answer is read, evaluated on batches of random inputs, and judged; where it fails, the grader
looks for the reason.  `engine.grade.grade` is the order in which that happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import tee
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.formula.tree import Chains
from engine.near import Entries
from engine.verdict import Outcome, Shown

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
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
    def valid(self) -> Mask:
        """(B,): whether the answer is right, by any valid subgradient at ties and kinks."""

    @property
    def astray(self) -> Mask:
        """(B,): whether it is wrong somewhere that the derivative exists."""

    @property
    def entries(self) -> Entries:
        """Which of its entries are off."""


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


class Known(Protocol):
    """A wrong rule that has a name."""

    @property
    def name(self) -> str: ...
    @property
    def teaching(self) -> str: ...


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


@dataclass(frozen=True, slots=True)
class Search(Generic[J]):
    """What looking for the smallest failing input came to."""

    found: Shown | None
    tried: tuple[J, ...]
    """The small inputs that were tried, the last of them those that it was found among."""


class Grader(Protocol[B, T, J]):
    @property
    def assumed(self) -> str:
        """What the card assumes of the inputs, in words; "" where nothing."""

    def read(self, answer: str, part: str = "", step: int | None = None) -> Reading[T]:
        """Read an answer.  Raises FormulaError, also where it answers another question.

        Of several answers in one, that to `part` is read.  With `step`, the side of a chain that
        begins at this offset stands in the place of the last one.
        """

    def evaluate(self, reading: Reading[T], batch: B) -> Array:
        """The answer's numbers on a batch.  Raises FormulaError."""

    def parts(self, target: T) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Which parts of the exercise a target is, and the others; () of an exercise of one."""

    def beyond(self, batch: B) -> str:
        """What of a batch lies beyond what the card states, in words; "" where nothing does."""

    def handed(self, batch: B) -> Handed:
        """What a NumPy function is given of a batch."""

    def drawn(self, seed: int, trials: int) -> Sequence[B]:
        """Random inputs; the same seed and number of trials give the same."""

    def fresh(self, seed: int) -> Sequence[B]:
        """Some more inputs, of every kind alike, that may refute what those drawn suggest."""

    def aimed(self, reading: Reading[T], drawn: Sequence[B]) -> Sequence[B]:
        """Inputs on both sides of what an answer compares, and as large as it speaks of.

        The `unmet` of a batch are sides on which no input was found, in words.
        """

    def judged(
        self, batch: B, target: T, got: Array, rule: Callable[[B], Array] | None = None
    ) -> J:
        """The numbers of an answer beside the reference; `rule` gives them on other batches."""

    def smallest(
        self, judge: Judge[B, J], fails: Callable[[J], Mask], seen: Sequence[J]
    ) -> Search[J]:
        """The smallest input that fails, from small ones or else from those `seen`."""

    def named(self, judged: Sequence[J], fresh: Sequence[J]) -> Known | None:
        """The known wrong rule that the numbers agree with, those on fresh inputs too."""

    def wrong_when(
        self,
        seen: Sequence[J],
        fresh: Sequence[J],
        judge: Judge[B, J],
        fails: Callable[[J], Mask],
    ) -> tuple[str, ...]:
        """Conditions that tell the failing inputs from the passing ones, of fresh ones too."""

    def outcome(self, judged: Sequence[J], judge: Judge[B, J], seed: int, known: bool) -> Outcome:
        """The verdict of an answer that goes astray where the derivative exists."""
