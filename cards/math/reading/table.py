"""Every token that means something, in one table."""

from __future__ import annotations

from functools import cache

from cards.math.reading import (
    colours,
    delimiters,
    environments,
    fonts,
    fractions,
    groups,
    macros,
    marks,
    operators,
    scripts,
    spaces,
    text,
)
from cards.math.reading.core import Entry
from cards.math.reading.stops import STOPS
from cards.math.reading.symbols import symbols


@cache
def entries() -> dict[str, Entry]:
    """Symbols first; what reads arguments takes precedence over them."""
    found = symbols()
    for readers in (
        scripts.READERS,
        delimiters.READERS,
        marks.READERS,
        fonts.READERS,
        fractions.READERS,
        text.READERS,
        spaces.READERS,
        operators.READERS,
        environments.READERS,
        macros.READERS,
        groups.READERS,
    ):
        found.update(readers)
    found.update(colours.READERS)
    found.update(STOPS)
    return found
