"""Where the next of something is, asked from places that only go forward: a text is read once."""

from __future__ import annotations

import re


class Next:
    """The places of each pattern in a text, found as they are asked for.

    A search from every opener for a closer that is not there would take the square of the text's
    length; an answer holds until a place behind it is asked for, and "none" for good.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def of(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The first match that begins at `at` or behind it."""
        since, found = self._found.get(pattern, (len(self._text) + 1, None))
        if since <= at and (found is None or found.start() >= at):
            return found
        found = pattern.search(self._text, at)
        self._found[pattern] = at, found
        return found
