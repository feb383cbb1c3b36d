"""Whatever is written, a reader reads it or says where it cannot: no crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.engine.brute import fuzz


@pytest.mark.parametrize(
    ("name", "texts", "many"),
    [
        ("formulas", fuzz.formulas, 400),
        ("LaTeX", fuzz.latex_texts, 400),
        ("functions", fuzz.functions, 60),
    ],
)
def test_no_text_crashes_a_reader(
    name: str, texts: Callable[[int, int], Iterator[str]], many: int
) -> None:
    crashed, _ = fuzz.tried(texts(3, many), fuzz.READERS[name])
    assert not crashed
