"""Answers that are NumPy functions: run in the sandbox, judged on the same inputs as formulas.

The function never sees the reference: it is handed inputs, and its numbers come back.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from types import TracebackType
from typing import Any, Final

from engine.exercise import Exercise
from engine.grade import grade
from engine.grader import Array, Handed
from engine.sandbox import FunctionError, Session, Worker
from engine.verdict import Verdict

#: After so many batches the function goes on in a new child, with new time.
_BATCHES: Final = 12


@cache
def shared_worker() -> Worker:
    """The process in which functions run, started at the first call and ended with ours."""
    worker = Worker()
    atexit.register(worker.close)
    return worker


def check_function(
    source: str, exercise: Exercise, worker: Worker, seed: int = 0, trials: int = 300
) -> Verdict:
    """Judge a function as `engine.check` judges a formula.

    "unreadable" is a function that gives no numbers: it does not compile, fails on some input,
    returns another shape, takes too long.  Raises WorkerError where no process can be had.
    """
    grader = exercise.grader()
    with Function(source, worker, grader) as function:
        try:
            first = grader.drawn(seed, trials)[0]
            target = function.target_of(first)
            verdict = grade(function, target, exercise, seed, trials, function.head)
        except FunctionError as error:
            fault = error.fault
            verdict = Verdict(
                "unreadable",
                "",
                seed,
                tried=0,
                message=fault.message,
                line=fault.line,
                trace=fault.trace,
            )
        return replace(verdict, printed=function.printed, layers=worker.layers)


@dataclass
class Function:
    """A learner's function as a rule over batches; it opens sessions as it needs them."""

    source: str
    worker: Worker
    grader: Any

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self._session: Session | None = None
        self._batches = 0
        self._printed = ""
        self._target: object = None

    def __enter__(self) -> Function:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def head(self) -> str:
        """The line that names the function and its parameters."""
        lines = [line.strip() for line in self.source.splitlines()]
        heads = [line for line in lines if line.startswith("def ")]
        return next((line for line in heads if "backward" in line), (heads or [""])[-1])

    @property
    def printed(self) -> str:
        """What it printed on the first inputs."""
        self._end()
        return self._printed

    def target_of(self, batch: Any) -> object:
        """Which message the function gives, told by the shape of its first result."""
        handed: Handed = self.grader.handed(batch)
        shapes = list(dict.fromkeys(handed.targets.values()))
        shape, _ = self._call(handed, _rows(handed.arrays, 1), shapes)
        self._target = next(t for t, wanted in handed.targets.items() if wanted == shape)
        return self._target

    def __call__(self, batch: Any) -> Array:
        handed: Handed = self.grader.handed(batch)
        shape = handed.targets[self._target]
        _, found = self._call(handed, handed.arrays, [shape])
        return found

    def _call(
        self, handed: Handed, arrays: dict[str, Array], shapes: list[tuple[int, ...]]
    ) -> tuple[tuple[int, ...], Array]:
        return self._open().call(arrays, handed.scalars, shapes, handed.given)

    def _open(self) -> Session:
        if self._session is None or self._batches >= _BATCHES:
            self._end()
            self._batches = 0
            self._session = self._stack.enter_context(self.worker.session(self.source))
        self._batches += 1
        return self._session

    def _end(self) -> None:
        if self._session is not None:
            self._session.finish()
            self._printed = self._printed or self._session.printed
            self._session = None
            self._stack.close()


def _rows(arrays: dict[str, Array], count: int) -> dict[str, Array]:
    return {name: array[:count] for name, array in arrays.items()}
