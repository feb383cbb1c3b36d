"""What to do about a name that nobody knows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

from engine.formula import names

#: What a name is decorated with in print: ŷ is yhat here.
_MARKS = re.compile(r"(?<=.)(_?(hat|bar|tilde|dot|vec)|_?[0-9]+|_[A-Za-z]|['*])+$")


def unknown(
    name: str, given: Sequence[str], others: Iterable[str], numbers: Collection[str]
) -> str:
    """The name that is meant, or else all that there are; `numbers` go without saying."""
    told = [*given, *others, *names.REDUCERS, *names.FUNCTIONS]
    bare = _MARKS.sub("", name)
    for word in (bare, name.lower(), name.upper(), bare.lower(), bare.upper()):
        if word in told and word != name and word not in numbers:
            return f"did you mean '{word}'?"
    lowered = {word.lower(): word for word in told if len(word) > 1}
    found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.7)
    if found and lowered[found[0]] != name:
        return f"did you mean '{lowered[found[0]]}'?"
    shown = [word for word in given if word not in numbers]
    return f"the names are {', '.join(shown)}; others need a line of their own that defines them"
