"""The layers against the node tests of ONNX."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.engine.layers.onnx_cases import OPERATORS, cases, run, why_not

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_layer_gives_what_onnx_expects(case: Any) -> None:
    reason = why_not(case)
    if reason is not None:
        pytest.skip(reason)
    pairs = run(case)
    assert pairs
    for got, expected in pairs:
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=case.rtol, atol=case.atol)
        if expected.dtype.kind == "f":
            assert got.dtype == expected.dtype


def test_every_operator_is_run_and_little_is_skipped() -> None:
    """The counts of onnx 1.23; a later version may add cases, but none may go missing."""
    of = Counter(case.model.graph.node[0].op_type for case in CASES if why_not(case) is None)
    assert set(of) == set(OPERATORS)
    assert sum(of.values()) >= 102
    reasons = Counter(why_not(case) for case in CASES)
    assert sum("half the kernel" in (reason or "") for reason in reasons.elements()) <= 1
    assert not any("no layer of ours" in (reason or "") for reason in reasons)
