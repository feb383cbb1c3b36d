"""What is found wrong with one card while it is read."""

from __future__ import annotations

from pathlib import Path

from cards.model import CardError, Problem, Severity
from cards.text import one_line, place

# A screen shows a few; a hostile card could ask for hundreds of thousands.
MAX_WARNINGS = 100


class Diagnostics:
    """Collects the problems of one text; errors and warnings keep the order of their finding."""

    def __init__(self, text: str, path: Path | None) -> None:
        self.text = text
        self.path = path
        self.problems: list[Problem] = []

    def warn(self, offset: int, message: str, hint: str) -> None:
        if len(self.problems) < MAX_WARNINGS:
            self.problems.append(self.problem(offset, message, hint, "warning"))

    def hint(self, offset: int, message: str, hint: str) -> None:
        """What is worth knowing, and may be as it is meant."""
        if len(self.problems) < MAX_WARNINGS:
            self.problems.append(self.problem(offset, message, hint, "hint"))

    def error(self, offset: int, message: str, hint: str) -> None:
        """An error that still lets the rest of the card be looked at."""
        self.problems.append(self.problem(offset, message, hint, "error"))

    def fatal(self, offset: int, message: str, hint: str) -> CardError:
        """An error after which there is nothing to read, ready to be raised."""
        self.error(offset, message, hint)
        return CardError(self.problems[-1])

    def problem(self, offset: int, message: str, hint: str, severity: Severity) -> Problem:
        line, column = place(self.text, offset)
        return Problem(self.path, line, column, one_line(message), one_line(hint), severity)

    def first_error(self) -> Problem | None:
        return next((each for each in self.problems if each.severity == "error"), None)


def quoted(text: str, limit: int = 60) -> str:
    """A user's text inside a message: printable, on one line, shortened."""
    text = one_line(text)
    return f"`{text if len(text) <= limit else text[: limit - 1] + '…'}`"
