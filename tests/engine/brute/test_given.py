"""Verdicts on forward messages that cards give, against central differences in plain Python."""

from __future__ import annotations

import pytest

from tests.engine.brute.given import contested
from tests.engine.brute.given_exercises import EXERCISES, Given


@pytest.mark.parametrize("given", EXERCISES, ids=lambda given: given.name)
def test_the_verdict_on_a_mutant_is_that_of_differences(given: Given) -> None:
    tried, off = contested(given, 12, every=6)
    assert tried > 5
    assert not off
