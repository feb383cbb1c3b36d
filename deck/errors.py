"""What can go wrong with a collection, each with the place and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EMFILE, ENFILE
from pathlib import Path

from cards.model import Problem


class CollectionError(ValueError):
    """A folder, setting or item that cannot be used; `problem` names the place and the way out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class JournalError(OSError):
    """A line could not be written to the journal.

    Where `recorded` is 0, the journal is as before, and so is every schedule.
    """

    def __init__(self, said: str, outcome: str = "", recorded: int | None = 0) -> None:
        super().__init__(f"{said}; {outcome}." if outcome else said)
        self.said = said
        self.recorded = recorded
        """How many events are in the journal all the same; None where one cannot look."""


def broken(path: Path | None, message: str, hint: str, line: int = 1, column: int = 1) -> Problem:
    """A problem at `path`, by default at its beginning."""
    return Problem(path, line, column, message, hint)


def odd(path: Path | None, message: str, hint: str, line: int = 1, column: int = 1) -> Problem:
    """A warning at `path`: everything else still works."""
    return Problem(path, line, column, message, hint, "warning")


def refusal(path: Path | None, message: str, hint: str, line: int = 0) -> CollectionError:
    """The error for what cannot be gone round; by default it is the whole of `path`."""
    return CollectionError(broken(path, message, hint, line, min(line, 1)))


@contextmanager
def refusing(path: Path, what: str, hint: str) -> Iterator[None]:
    """What the system refuses within is raised as a `refusal`: what failed, why, the way out."""
    try:
        yield
    except OSError as error:
        raise refusal(path, f"{what}: {reason(error)}.", hint) from error


def reason(error: OSError) -> str:
    """The system's words for what failed, without its number and path."""
    return error.strerror or str(error) or type(error).__name__


def unrecorded(
    path: Path, what: str, error: OSError, recorded: int | None = 0, total: int = 1
) -> JournalError:
    """The error for `total` events that the disk refused: what failed, why, and the way out."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        why, way_out = "a file stands where a folder is needed", "Move the file away"
    elif isinstance(error, FileNotFoundError):
        why, way_out = "its folder is gone", "Bring the collection's folder back"
    elif error.errno in (EMFILE, ENFILE):
        why, way_out = reason(error), "Close other programs, or raise the limit (`ulimit -n`)"
    else:
        why = reason(error)
        way_out = "Make room on the disk, or make the collection's folder writable"
    if recorded is None:
        outcome = "it may be recorded" if total == 1 else f"up to {total} of them may be recorded"
    elif recorded:
        which = "it is" if total == 1 else f"{recorded} of {total} are"
        outcome = f"{which} recorded, but the disk did not confirm it"
    else:
        outcome = "nothing was recorded"
    return JournalError(f"{path}: the {what}: {why}. {way_out}", outcome, recorded)


def with_count(error: JournalError, done: int, total: int, what: str = "answers") -> JournalError:
    """The error that ended `total` of them, of which `done` preceded the write that failed."""
    if error.recorded is None:
        return JournalError(error.said, f"at least {done} of {total} {what} were recorded", None)
    done += error.recorded
    if not done:
        return JournalError(error.said, "nothing was recorded")
    return JournalError(error.said, f"{done} of {total} {what} were recorded", done)
