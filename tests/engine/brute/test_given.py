"""Verdicts on forward messages that cards give, against central differences in plain Python."""

from __future__ import annotations

import pytest

from tests.engine.brute.given import contested
from tests.engine.brute.given_exercises import EXERCISES, Given


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("given", EXERCISES, ids=lambda given: given.name)
def test_the_verdict_on_a_mutant_is_that_of_differences(given: Given, every: int) -> None:
    tried, off = contested(given, 12, every)
    assert tried > 2
    assert not off
