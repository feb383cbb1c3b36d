"""Tests tried on cards, formulas and answers: the project's own, and those shared beside it.

Each decorator marks its test with `material`, which `.ci/run` selects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import pytest
import yaml

from tests.paths import MATERIAL, OWN

Entry = dict[str, Any]


def _each(name: str, values: Iterable[tuple[str, object]]) -> pytest.MarkDecorator:
    marked = [pytest.param(value, id=key, marks=pytest.mark.material) for key, value in values]
    return pytest.mark.parametrize(name, marked)


def formulas(*sets: str) -> dict[str, list[Entry]]:
    """The entries of each material: `set`, `tex`, `display`, and the `letters` it shows."""
    found = {}
    for each in MATERIAL:
        lines = each.formulas.read_text("utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        found[each.name] = [entry for entry in entries if not sets or entry["set"] in sets]
    return found


def answers(*kinds: str) -> list[tuple[str, Entry]]:
    """An id and an entry for each answer: `answer`, its `verdict`, and what else is asked of it."""
    found = []
    for each in MATERIAL:
        listed = yaml.safe_load(each.answers.read_text("utf-8"))
        for kind in kinds:
            for number, entry in enumerate(listed[kind]):
                found.append((f"{each.name}-{kind}-{number}", entry))
    return found


def each_answer(*kinds: str) -> pytest.MarkDecorator:
    return _each("entry", answers(*kinds))


#: Of everyday notes; the others hold rarer constructs.
EVERYDAY: Final = ("seed", "notes")
OWN_CARDS: Final = sorted(OWN.cards.glob("*.md"))
CARDS: Final = [path for each in MATERIAL for path in sorted(each.cards.glob("*.md"))]
each_card: Final = _each("path", ((path.stem, path) for path in CARDS))
each_corpus: Final = _each(
    "corpus", ((name, [entry["tex"] for entry in each]) for name, each in formulas().items())
)
each_formulas: Final = _each("entries", formulas().items())
