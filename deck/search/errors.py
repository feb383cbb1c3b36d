"""What is wrong with a search, and where."""

from __future__ import annotations


class SearchError(ValueError):
    """A search that cannot be read."""

    def __init__(self, message: str, hint: str, column: int, text: str = "") -> None:
        super().__init__(f"{message} {hint}".rstrip())
        self.message = message
        """What is wrong, as a sentence."""
        self.hint = hint
        """The way out, as a sentence."""
        self.column = column
        """1-based, in characters of `text`; one behind its end where something is missing."""
        self.text = text
        """The search (or the saved search) in which it is."""
