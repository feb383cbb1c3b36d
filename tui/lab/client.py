"""The app's side of the lab's helper process: ask it, and end it where it takes too long.

NumPy holds the interpreter's lock for milliseconds at a time; in a process of its own a check
never makes a key wait, and one that takes too long can be ended.
"""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from engine.exercise import ExerciseError
from engine.verdict import Proposal, Verdict
from tui.lab.requests import (
    ExerciseSpec,
    FaultError,
    LabRequest,
    LabResponse,
    Request,
    Result,
    SolutionRequest,
    read,
    unreadable,
    write,
)

if TYPE_CHECKING:
    from cards.model import Card

#: Seconds after which a request is given up for a newer one.
PATIENCE: Final = 0.4
#: Seconds after which it is given up in any case: no answer takes so long that can be tried.
LONGEST: Final = 10.0
#: A look at whether something newer waits, in between, in seconds.
GLANCE: Final = 0.05
#: Several exercises are tried before one is proposed.
_PROPOSING: Final = 4.0
_PROGRAM: Final = "import sys; sys.path[:] = sys.argv[1:]; from tui.lab.server import main; main()"


class SupersededError(Exception):
    """The request was given up for a newer one."""


class TooLongError(Exception):
    """The request took longer than it may."""


class GoneError(Exception):
    """There is no helper process: it cannot start, or it ended twice; a sentence says why."""


class LabProcess:
    """Starts its process at the first call of `start` or `ask`; a process that died, again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to start the process, so that the first request finds it warm."""
        with self._lock, suppress(GoneError):  # whoever asks is told
            self._running()

    def close(self) -> None:
        with self._lock:
            self._end()

    def ask(
        self,
        request: Request[Result],
        newer: Callable[[], bool] = lambda: False,
        times: float = 1.0,
    ) -> Result:
        """What a request comes to; waits, but never holds the interpreter's lock.

        `newer` says whether something newer waits to be asked, `times` how many times LONGEST it
        may take.  Raises SupersededError, TooLongError, GoneError, or FaultError for a fault of
        ours.
        """
        with self._lock:
            try:
                found = self._asked(request, newer, times)
            except (BrokenPipeError, EOFError):
                # It was ended from outside: once more, with a new one.
                try:
                    found = self._asked(request, newer, times)
                except (BrokenPipeError, EOFError) as error:
                    said = "The process that tries answers ended on this one."
                    raise GoneError(said) from error
        if isinstance(found, FaultError):
            raise found
        result: Result = found
        return result

    def _asked(self, request: object, newer: Callable[[], bool], times: float) -> Any:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write(process.stdin, request)
            since = monotonic()
            answered = select.poll()  # unlike select(), of any number of open files
            answered.register(process.stdout, select.POLLIN)
            while not answered.poll(1000 * GLANCE):
                if monotonic() - since > LONGEST * times:
                    raise TooLongError
                if monotonic() - since > PATIENCE and newer():
                    raise SupersededError
            return read(process.stdout)
        except (TooLongError, SupersededError, BrokenPipeError, EOFError):
            self._end()
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            try:
                self._process = _started()
            except OSError as error:
                raise GoneError(f"The process that tries answers cannot start: {error}.") from error
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in filter(None, (self._process.stdin, self._process.stdout)):
                with suppress(BrokenPipeError):  # what was not written is lost with the process
                    stream.close()
            self._process = None


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Keys of the terminal are for the app alone.
        start_new_session=True,
        # Arrays this small gain nothing from threads, and these would spin beside the app.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )


@cache
def shared_process() -> LabProcess:
    """The one of this program, ended with it."""
    checker = LabProcess()
    atexit.register(checker.close)
    return checker


def checked(asked: LabRequest, newer: Callable[[], bool]) -> LabResponse:
    """An answer's verdict; what is given up for something newer is never shown."""
    try:
        return shared_process().ask(asked, newer)
    except SupersededError:
        return LabResponse(None, None, None)
    except (TooLongError, GoneError) as error:
        return LabResponse(given_up(error), None, None)


def tried_solution(card: Card, proposing: bool = False) -> Proposal:
    """A card's own solution under its exercise; with `proposing`, under one that its text means.

    What takes too long is unreadable.  Raises ExerciseError where there is no exercise.
    """
    solution = card.solution
    if card.exercise is not None:
        # What an explanation says is no step of the solution: lines are left, to keep places.
        for body in (each.body for each in card.sections if each.title == "Explanation"):
            solution = solution.replace(body, "\n" * body.count("\n"))
    text = (card.question, solution)
    task = ExerciseSpec(card.exercise, tuple(card.tags), card.type, *text)
    try:
        times = _PROPOSING if proposing else 1.0
        found = shared_process().ask(SolutionRequest(task, proposing), times=times)
    except (TooLongError, GoneError) as error:
        verdict = given_up(error)
        if proposing:
            way = "Write the forward message under `given`."
            raise ExerciseError(f"{verdict.message} {way}") from error
        return Proposal({}, verdict)
    if isinstance(found, Exception):
        raise found
    if found is None:
        raise ExerciseError("The card has no exercise.")
    return found


def given_up(error: TooLongError | GoneError) -> Verdict:
    """What is said of an answer that took too long, or ended its process."""
    if isinstance(error, GoneError):
        return unreadable(str(error), "end other programs, and try it again")
    hint = "use fewer sums inside sums, or shorter loops"
    return unreadable("This answer takes too long to be tried.", hint)
