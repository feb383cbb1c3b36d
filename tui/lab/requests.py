"""What the app asks the lab's helper process, what it gets, and how both travel: no NumPy.

Both sides (tui/lab/client.py, tui/lab/server.py) send frames: a length, then a pickle. They are one
program; what a learner's function returns never reaches them (engine/sandbox).
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Generic, TypeVar

from engine.verdict import Proposal, Verdict

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box
    from cards.model import Card
    from engine.exercise import Exercise, Language
    from engine.verdict import Mark, Numbers

Result = TypeVar("Result", covariant=True)


class Request(Generic[Result]):
    """Something to be computed in the helper process: picklable."""

    __slots__ = ()


class FaultError(RuntimeError):
    """A fault of ours in the helper, with its traceback."""


#: Of a frame: the length of the pickle that follows.
_HEAD: Final = struct.Struct("!I")


def write(stream: IO[bytes], what: Any) -> None:
    data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    stream.write(_HEAD.pack(len(data)) + data)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Raises EOFError where the other side is gone."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    (length,) = _HEAD.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


#: Characters; the engine reads fewer, and says so.
LONGEST_ANSWER = 10_000
#: Kinds of values that can be asked for, as the screen names them; "any" is the check's mixture.
VALUES = ("any", "distinct", "repeats", "negative", "gaussian", "constant")

Rows = list[list[float]]
Cell = tuple[int, int]
Pair = tuple[int, int]


# Which exercise.


@dataclass(frozen=True, slots=True)
class ExerciseSpec:
    """The card fields an exercise is built from; picklable."""

    exercise: object
    tags: tuple[str, ...]
    type: str
    question: str = ""
    solution: str = ""

    @classmethod
    def of(cls, card: Card) -> ExerciseSpec:
        text = (card.question, card.solution) if not card.exercise else ()
        return cls(card.exercise, tuple(card.tags), card.type, *text)

    def made(self) -> Exercise:
        from engine.registry import exercise_of

        found = exercise_of(self)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class ExerciseInfo:
    """What the lab's screens say of an exercise."""

    description: str
    """One sentence that tells what is asked."""
    symbols: tuple[tuple[str, str], ...]
    """What an answer may speak of, each with its meaning."""
    left: str
    """The left side of an answer: "dx[i,j]", "dL/dx[j]"; "" where it must be a function."""
    example: str
    """How an answer is written, shown by one to another exercise."""
    answer: str
    """A right answer; "" for a card's own forward message."""
    handed: tuple[str, ...]
    """The arguments of an answer that is a function, by name."""
    pooling: bool
    window: PoolingWindow | None = None
    """Of max pooling, where the sliders begin; None where the card leaves nothing free."""
    values: tuple[str, ...] = ()
    """Kinds of values that an input can be asked for; none where there is no choice."""
    called: str = "backward"
    """An answer that is a function, by its name."""
    parts: tuple[str, ...] = ()
    """The messages that are asked for, where there are several: "dL/dx[j]"."""
    sized: bool = False
    """Whether inputs of another size can be asked for."""

    @property
    def signature(self) -> str:
        """The first line of an answer that is a function."""
        return f"def {self.called}({', '.join(self.handed)}):"


@dataclass(frozen=True, slots=True)
class ExerciseLookupResult:
    """What is known of a card's exercise."""

    brief: ExerciseInfo | None
    """None where the card has no exercise."""
    problem: str = ""
    """Why an exercise that is asked for cannot be, in a sentence."""


@dataclass(frozen=True, slots=True)
class ExerciseRequest(Request[ExerciseLookupResult]):
    task: ExerciseSpec


# Which input is shown.


@dataclass(frozen=True, slots=True)
class PoolingWindow:
    """A pooling window of equal sides, as the sliders set it."""

    kernel: int
    stride: int
    padding: int


@dataclass(frozen=True, slots=True)
class InputRequest:
    """Which input is shown: a random one, or the failing one of a number."""

    seed: int = 1
    window: PoolingWindow | None = None
    """Of max pooling, where the exercise leaves it free; None: as the exercise says."""
    values: str = "any"
    failing: int | None = None
    """Counts the inputs on which the answer failed, round and round; None for a random input."""
    part: str = ""
    """Of several messages, which is shown while nothing is written."""
    more: int = 0
    """By how much its sizes are larger than the usual ones."""


@dataclass(frozen=True, slots=True)
class InputSelection:
    """Which input the lab shows, and at which of its windows: a value, changed by keys."""

    look: InputRequest = InputRequest()
    at: int = 0
    """Counts windows, round and round."""
    stepping: bool = False
    """Whether only the messages that have flowed back up to that window are shown."""

    def at_random(self) -> InputSelection:
        """After a key: the answer is another, and what failed is not known."""
        return replace(self, look=replace(self.look, failing=None), stepping=False)

    def another(self) -> InputSelection:
        return InputSelection(replace(self.look, failing=None, seed=self.look.seed + 1))

    def of_another_size(self) -> InputSelection:
        """One larger; behind two of these it is the usual one again."""
        found = self.another()
        return replace(found, look=replace(found.look, more=(found.look.more + 1) % 3))

    def next_failing(self) -> InputSelection:
        number = 0 if self.look.failing is None else self.look.failing + 1
        return InputSelection(replace(self.look, failing=number))

    def stepped(self, step: int) -> InputSelection:
        """The first step begins where the window is; each later one goes on."""
        at = self.at + step if self.stepping else self.at
        return replace(self, at=at, stepping=True)

    def turned(self, sliders: Mapping[str, str]) -> InputSelection:
        """As the sliders say now."""
        window = self.look.window
        if "kernel" in sliders:
            window = PoolingWindow(
                *(int(sliders[name]) for name in ("kernel", "stride", "padding"))
            )
        values = sliders.get("values", self.look.values)
        return InputSelection(replace(self.look, failing=None, window=window, values=values))


@dataclass(frozen=True, slots=True)
class PoolingView:
    """The windows of a max pooling's input."""

    kernel: Pair
    stride: Pair
    padding: Pair
    maxima: dict[Cell, Cell] = field(default_factory=dict)
    """The (i, j) of the first maximum of each window (k, l), in the windows' order."""


@dataclass(frozen=True, slots=True)
class InputView:
    """One input with the engine's message and the answer's."""

    named: str
    """Which input it is: "input 3", "failing input 2 of 80"."""
    inputs: dict[str, Numbers]
    """x and delta, or whatever the forward message takes, and what it comes to."""
    target: str
    """dx, df/dx, dL/dW[k,j]: what `right` and `yours` are."""
    right: Numbers
    yours: Numbers | None = None
    off: tuple[tuple[int, ...], ...] = ()
    """Where `yours` is not a right value."""
    pooling: PoolingView | None = None


# An answer.


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One side of a derivation, typeset, with what becomes of it."""

    box: Box
    mark: Mark
    line: int
    """Of the answer, from 1."""


@dataclass(frozen=True, slots=True)
class LabResponse:
    verdict: Verdict | None
    """None where nothing is written yet."""
    picture: InputView | None
    """None where no input of the exercise can be drawn."""
    formula: Box | None
    """What was read, typeset; None where nothing was, and for a function."""
    open_to_it: str = ""
    """Of a function that was not run, because nothing confines it: what is open to it."""
    lines: tuple[MarkedLine, ...] = ()
    """Of a derivation, in place of the formula."""
    unexplained: bool = False
    """Whether a thorough search may still find why it is wrong, or read a line."""


@dataclass(frozen=True, slots=True)
class LabRequest(Request[LabResponse]):
    """An answer to be judged, and tried on the input that is shown."""

    answer: str
    task: ExerciseSpec
    look: InputRequest
    width: int
    """Columns for the typeset formula."""
    unconfined: bool = False
    """Whether the learner said to run this function where nothing confines it."""
    thorough: bool = True
    """Whether a reason is searched for that no known mistake gives: it takes the most time."""


@dataclass(frozen=True, slots=True)
class CheckRequest(Request["Verdict | Exception | None"]):
    """An answer to a card, for `deltadeck check`; an error to be raised there is the result."""

    card: Card
    answer: str | None
    """None where only the card's exercise is asked for."""
    path: Path
    said: Language | None
    seed: int
    trials: int
    unconfined: bool


@dataclass(frozen=True, slots=True)
class SolutionRequest(Request[Proposal | Exception | None]):
    """A card's own solution under the card's exercise; None without one.

    With `proposing`, under an exercise that its text means, or an error that says what is missing.
    """

    task: ExerciseSpec
    proposing: bool = False


def unreadable(message: str, hint: str) -> Verdict:
    """Of an answer that was not tried."""
    return Verdict("unreadable", "", 0, tried=0, message=message, hint=hint)
