"""What can go wrong with a collection, each with the place and the way out."""

from __future__ import annotations

from pathlib import Path

from cards.model import Problem


class CollectionError(ValueError):
    """A folder, setting or item that cannot be used; `problem` names the place and the way out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class JournalError(OSError):
    """A line could not be written to the journal: it is as before, and so is every schedule."""


def broken(path: Path | None, message: str, hint: str, line: int = 1, column: int = 1) -> Problem:
    """A problem at `path`, by default at its beginning."""
    return Problem(path, line, column, message, hint)


def odd(path: Path | None, message: str, hint: str, line: int = 1, column: int = 1) -> Problem:
    """A warning at `path`: everything else still works."""
    return Problem(path, line, column, message, hint, "warning")


def refusal(path: Path | None, message: str, hint: str, line: int = 0) -> CollectionError:
    """The error for what cannot be gone round; by default it is the whole of `path`."""
    return CollectionError(broken(path, message, hint, line, min(line, 1)))


def reason(error: OSError) -> str:
    """The system's words for what failed, without its number and path."""
    return error.strerror or str(error) or type(error).__name__


def unrecorded(path: Path, what: str, error: OSError) -> JournalError:
    """The error for an answer that the disk refused: what failed, why, and the way out."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        why, way_out = "a file stands where a folder is needed", "Move the file away"
    elif isinstance(error, FileNotFoundError):
        why, way_out = "its folder is gone", "Bring the collection's folder back"
    else:
        why = reason(error)
        way_out = "Make room on the disk, or make the collection's folder writable"
    return JournalError(f"{path}: the {what}: {why}. {way_out}; nothing was recorded.")
