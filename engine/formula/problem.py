"""The one error of this language: a sentence, a hint, and the place in the learner's own text."""

from __future__ import annotations


class FormulaError(ValueError):
    """An answer that cannot be read or evaluated.  `line` and `column` are 1-based.

    `echo` is what was understood, where it was read and is only not what is asked for.
    """

    def __init__(self, message: str, hint: str, line: int, column: int, echo: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line
        self.column = column
        self.echo = echo


class OffsetError(Exception):
    """Inside the language a place is an offset; `located` turns it into line and column."""

    def __init__(self, message: str, hint: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.at = at


def located(trouble: OffsetError, text: str) -> FormulaError:
    at = min(trouble.at, len(text))
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return FormulaError(trouble.message, trouble.hint, line, column)
