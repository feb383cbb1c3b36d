"""Answers that are NumPy functions: run in the sandbox, judged on the same inputs as formulas.

The function never sees the reference: it is handed inputs, and its numbers come back."""

from __future__ import annotations

import atexit
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from math import inf
from textwrap import dedent
from typing import Any, Final

import numpy as np

from engine.exercise import Exercise, Grader, Handed, Reading
from engine.formula.axes import Array, Mask
from engine.formula.tree import FormulaError
from engine.grading import grade
from engine.messages.borders import numbers
from engine.sandbox.wire import FunctionBatch, FunctionError, UnclearError, chosen
from engine.sandbox.worker import SECONDS, Worker, WorkerSession
from engine.verdict import Verdict

# -- A function as it was pasted: out of its fence, at the margin, on the lines that it had.


_FENCE: Final = re.compile(r"\s*(?:```+|~~~+)\s*[\w+-]*\s*")
_HEAD: Final = re.compile(r"(?:async\s+)?def\s+(\w+)\s*\(|(\w+)\s*=\s*lambda\b")


def plain(source: str) -> str:
    """The source without fences and what stands outside them, and without a common margin.

    Every line keeps its number.  Spaces that do not break, as web pages have them, are spaces.
    """
    lines = source.replace("\r\n", "\n").replace("\xa0", " ").split("\n")
    fences = [n for n, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if fences and not any(_HEAD.match(line.lstrip()) for line in lines[: fences[0]]):
        inside = False
        for n, line in enumerate(lines):
            if n in fences:
                inside = not inside
            lines[n] = line if inside and n not in fences else ""
    elif len(fences) % 2 and not any(line.strip() for line in lines[fences[-1] + 1 :]):
        lines[fences[-1]] = ""  # the end of one whose beginning was not copied
    return dedent("\n".join(lines))


def heads(source: str) -> dict[str, str]:
    """The line that begins each function at the margin, by the function's name."""
    found = {}
    for line in source.split("\n"):
        if head := _HEAD.match(line):
            found[head[1] or head[2]] = line.strip()
    return found


# -- A function on batches, as any other answer: a rule that is judged.


#: After so many batches the function has new time: in a new child, if this one was not quick.
_BATCHES: Final = 12
_QUICK: Final = 0.25
"""Seconds: what is left of a child's processor time must do for as many batches again."""
_AHEAD: Final = 26
"""Inputs that the child has before it, at most, when it is sent a batch that may not come."""

#: The way out, by the kind of a fault.
_HINTS: Final = {
    "time": f"a function has {SECONDS:.0f} seconds: check that its loops end, or use whole arrays",
    "memory": "a function has 1 GB of memory: check the shapes of its arrays",
}


@cache
def shared_worker(of: str = "answers") -> Worker:  # noqa: ARG001 (there is one for each)
    """The process in which functions run, started at the first call and ended with ours.

    `of` tells apart those that run functions of one kind while one of another has its session.
    """
    worker = Worker()
    atexit.register(worker.close)
    return worker


def check_function(
    source: str,
    exercise: Exercise,
    worker: Worker,
    seed: int = 0,
    trials: int = 300,
    unconfined: bool = False,
    key: str = "",
) -> Verdict:
    """Judge a function as `engine.check` judges a formula; with `key`, as the answer to that alone.

    "unreadable" is a function that gives no numbers: it does not compile, fails on every input,
    returns another shape, takes too long.  One that fails on some inputs is wrong there, and the
    verdict is about these alone, with what it raised as `message`.  Raises WorkerError where no
    process can be had, and UnconfinedError where none is confined, unless `unconfined` says to run
    it all the same.
    """
    grader = exercise.grader()
    unreadable = partial(Verdict, "unreadable", "", seed, 0)
    with Function(source, worker, grader, unconfined) as function:
        try:
            grader.allow(unconfined)
            # Of several of one shape, the first where it is right: that was asked.
            heard = numbers(function.source)
            targets = function.targets_of(grader.drawn(seed, trials), key)
            readings = [Reading(t, function.head, None, heard) for t in targets]
            found = (
                grade(function, one.target, grader, seed, trials, True, function.expect, one)
                for one in readings
            )
            verdict = next(found)
            if verdict.verdict not in ("correct", "incomplete"):
                right = (one for one in found if one.verdict in ("correct", "incomplete"))
                verdict = next(right, verdict)
            if verdict.verdict not in ("correct", "incomplete") and function.fails:
                about = (grader, seed, trials, True, function.expect, readings[0])
                failing = partial(function.failing, readings[0].target)
                failure = grade(failing, readings[0].target, *about, told=function.fault)
                verdict = _of_failure(failure, verdict) if failure.message else verdict
            if verdict.verdict == "correct":
                verdict = grader.refined(verdict, function.steps)
        except FormulaError as error:
            verdict = unreadable(message=error.message, hint=error.hint)
        except FunctionError as error:
            fault = error.fault
            hint = _HINTS.get(fault.kind)
            verdict = unreadable(
                message=fault.message, hint=hint, line=fault.line, trace=fault.trace
            )
        return replace(verdict, printed=function.printed, layers=worker.confinement.layers)


def _of_failure(failure: Verdict, found: Verdict) -> Verdict:
    """The verdict on a function that fails on some inputs; `found` is that on its numbers."""
    more = found.failed - failure.failed
    where = f"wrong on {more} of the others" if more > 0 else "right"
    remark = f"Where it gives a result, it is {where}."
    case = failure.counterexample and replace(failure.counterexample, note="")
    return replace(failure, verdict="wrong", near=None, remark=remark, counterexample=case)


class Function:
    """A learner's function as a rule over batches; it opens sessions as it needs them.

    Batches that it is told to expect are sent ahead, so that the child works while we judge.
    """

    def __init__(
        self, source: str, worker: Worker, grader: Grader[Any, Any, Any], unconfined: bool = False
    ) -> None:
        self.source, self.worker, self.grader = plain(source), worker, grader
        self._unconfined = unconfined
        self._sessions = ExitStack()
        self._session: WorkerSession | None = None
        self._opened = 0.0
        self._batches = 0
        self._printed = ""
        self._target: object = None
        self._expected: Iterator[Any] = iter(())
        self._ahead: float = _AHEAD
        self._sent: dict[Any, int] = {}
        self._found: dict[Any, Array | FunctionError] = {}
        self._failed: dict[Any, Mask] = {}

    def __enter__(self) -> Function:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def head(self) -> str:
        """The line that names the function and its parameters."""
        found = heads(self.source)
        try:
            return found[chosen(list(found), self.grader.called)]
        except UnclearError:
            return ""

    @property
    def printed(self) -> str:
        """What it printed on the first inputs."""
        self._end()
        return self._printed

    def targets_of(self, batches: Sequence[Any], key: str = "") -> list[object]:
        """Which messages the function may give, told by the shape of its first result.

        With a `key`, that of its name alone.  Where it raises on the very first input, others are
        looked for on which it does not.  Raises FunctionError.
        """
        try:
            return self._fitting(batches[0], key, first=True)
        except FunctionError as error:
            if error.fault.kind != "exception":
                raise
            self._end()
            found = (self._fitting(batch, key, first=False) for batch in batches)
            if fitting := next(filter(None, found), None):
                return fitting
            raise

    def _fitting(self, batch: Any, key: str, first: bool) -> list[object]:
        """The targets that results on a batch, or on its first input, have the shape of."""
        handed: Handed = self.grader.handed(batch)
        if key:
            own = {one: shape for one, shape in handed.targets.items() if one.key == key}
            handed = replace(handed, targets=own)
        session, shapes = self._open(), list(dict.fromkeys(handed.targets.values()))
        asked = self._asked(handed, [] if handed.open else shapes, slice(1 if first else None))
        shape, _ = session.call(replace(asked, failing=not first))
        if session.failed.all():
            return []
        found = [t for t, wanted in handed.targets.items() if handed.open or wanted == shape]
        self._target = found[0]
        return found[:1] if handed.open else found

    def expect(self, batches: Iterator[Any], all_of_them: bool = False) -> None:
        """Say which batches come next, in this order, and whether all of them will.

        Those that do not come are no harm.
        """
        self._expected = batches
        self._ahead = inf if all_of_them else _AHEAD

    def __call__(self, batch: Any) -> Array:
        """The function's numbers on a batch.  Raises FunctionError."""
        while batch not in self._found:
            self._send_ahead()
            if batch not in self._sent and self._may_send:
                self._send(batch)
            self._receive()
        found = self._found[batch]
        if isinstance(found, FunctionError):
            raise found
        self._send_ahead()
        return found

    def steps(self, batch: Any) -> float:
        """How many steps it takes on one input; infinite where too many.  Raises FunctionError."""
        self._end()
        asked = replace(self._asked(self.grader.handed(batch), [()]), counted=True)
        try:
            with self.worker.session(self.source, unconfined=self._unconfined) as session:
                return float(session.call(asked)[1].sum())
        except FunctionError as error:
            if error.fault.kind in ("time", "memory"):
                return inf
            raise

    @property
    def fails(self) -> bool:
        """Whether there was no result on some input."""
        return any(failed.any() for failed in self._failed.values())

    def failing(self, target: object, batch: Any) -> Array:
        """What is right on a batch, and NaN where the function fails."""
        right: Array = self.grader.judged(batch, target, self(batch)).expected
        return np.where(self._failed[batch].reshape(-1, *[1] * (right.ndim - 1)), np.nan, right)

    def fault(self, batch: Any, n: int) -> dict[str, Any]:
        """What it says where it fails, as a verdict has it.  Raises FunctionError."""
        self._end()
        asked = self._asked_of(batch, slice(n, n + 1))
        try:
            with self.worker.session(self.source, unconfined=self._unconfined) as session:
                session.call(asked)
        except FunctionError as error:
            fault = error.fault
            return {"message": fault.message, "line": fault.line, "trace": fault.trace}
        return {"message": "It fails here, and did not when it was called by itself once more."}

    def _send_ahead(self) -> None:
        """Keep the child at work while we judge, with little that may prove to be for nothing."""
        while sum(self._sent.values()) < self._ahead and self._may_send:
            batch = next(self._expected, None)
            if batch is None:
                return
            if batch not in self._sent and batch not in self._found:
                self._send(batch)

    def _send(self, batch: Any) -> None:
        asked, session = self._asked_of(batch), self._open()
        self._sent[batch] = asked.count
        with self._faults():
            session.ask(replace(asked, failing=True))

    def _receive(self) -> None:
        """The results on the batch that was sent first, if the session still stands."""
        if self._session is not None and self._sent:
            with self._faults():
                _, found = self._session.answer()
                batch = next(iter(self._sent))
                self._failed[batch] = self._session.failed
                del self._sent[batch]
                self._found[batch] = found

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """A fault is that of the batch that was sent first; to the others there is no answer."""
        try:
            yield
        except FunctionError as error:
            self._found[next(iter(self._sent))] = error
            self._end()

    @property
    def _may_send(self) -> bool:
        """A dozen must be answered before the next: only then is it known how long they took."""
        return self._batches < _BATCHES or not self._sent

    def _open(self) -> WorkerSession:
        if self._batches >= _BATCHES and time.monotonic() - self._opened > _QUICK:
            self._end()
        if self._session is None:
            self._batches, self._opened = 0, time.monotonic()
            session = self.worker.session(self.source, unconfined=self._unconfined)
            self._session = self._sessions.enter_context(session)
        elif self._batches >= _BATCHES:
            self._batches = 0
            self._session.renew(SECONDS)
        self._batches += 1
        return self._session

    def _end(self) -> None:
        self._sent.clear()
        if self._session is not None:
            self._session.finish()
            self._printed = self._printed or self._session.printed
            self._session = None
            self._sessions.close()

    def _asked_of(self, batch: Any, rows: slice = slice(None)) -> FunctionBatch:
        handed: Handed = self.grader.handed(batch)
        return self._asked(handed, [] if handed.open else [handed.targets[self._target]], rows)

    def _asked(
        self, handed: Handed, shapes: list[tuple[int, ...]], rows: slice = slice(None)
    ) -> FunctionBatch:
        arrays = {name: array[rows] for name, array in handed.arrays.items()}
        known = (handed.given, handed.whole, handed.output, handed.aliases, self.grader.called)
        return FunctionBatch(arrays, handed.scalars, shapes, *known)
