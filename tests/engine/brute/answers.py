"""Right answers to max pooling, which the mutants are made of, and functions of learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.verdict import Outcome
from tests.engine.cases import table

_RIGHT: Final = table("right")
FORMULAS: Final[tuple[str, ...]] = (*_RIGHT["formulas"],)
LATEX: Final[tuple[str, ...]] = (*_RIGHT["latex"],)
FUNCTIONS: Final[tuple[str, ...]] = (*_RIGHT["functions"],)


@dataclass(frozen=True, slots=True)
class Written:
    """A function as learners write them."""

    name: str
    source: str
    verdict: Outcome
    formula: str = ""
    """One that gives the same numbers, where there is one."""


def _written() -> list[Written]:
    found: dict[str, Written] = {}
    for row in table("functions"):
        source = row.get("source") or found[row["name"].partition(",")[0]].source
        for old, new in row.get("but", ()):
            assert old in source
            source = source.replace(old, new)
        found[row["name"]] = Written(row["name"], source, row["verdict"], row.get("formula", ""))
    return [*found.values()]


WRITTEN: Final = _written()
