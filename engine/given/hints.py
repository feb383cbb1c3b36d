"""What to do about a name that nobody knows."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence

from engine.formula import names


def unknown(
    name: str, given: Sequence[str], others: Iterable[str], numbers: Collection[str]
) -> str:
    """The name that is meant, or else all that there are; `numbers` go without saying."""
    told = [*given, *others, *names.REDUCERS, *names.FUNCTIONS]
    lowered = {word.lower(): word for word in told if len(word) > 1}
    found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.7)
    if found and lowered[found[0]] != name:
        return f"did you mean '{lowered[found[0]]}'?"
    shown = [word for word in given if word not in numbers]
    return f"the names are {', '.join(shown)}; others need a line of their own that defines them"
