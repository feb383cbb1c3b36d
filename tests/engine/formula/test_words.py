"""Plain words of a condition: is the argmax of, is the max of."""

from __future__ import annotations

import pytest

from engine.formula.reader import read
from engine.formula.tree import FormulaError


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (
            "1 if (i,j) is the argmax of Omega(k,l), otherwise 0",
            "J[k,l,i,j] = 1 if (i,j) == argmax(k,l) else 0",
        ),
        (
            "1 if x_ij is the max of window(k,l), otherwise 0",
            "J[k,l,i,j] = 1 if x[i,j] == max(window(k,l)) and (i,j) in Omega(k,l) else 0",
        ),
        (
            "1 if x_ij = max(window(k,l)), otherwise 0",
            "J[k,l,i,j] = 1 if x[i,j] == max(window(k,l)) else 0",
        ),
    ],
)
def test_words_say_what_they_say(answer: str, echo: str) -> None:
    assert read(answer).echo == echo
    assert read(echo).echo == echo


@pytest.mark.parametrize("answer", ["1 if x_ij is the best, else 0", "x_ij is the the max of x"])
def test_other_words_are_refused(answer: str) -> None:
    with pytest.raises(FormulaError):
        read(answer)
