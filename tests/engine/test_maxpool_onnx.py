"""Max pooling against the node tests of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.pooling.layer import MaxPool
from tests.engine.onnx_nodes import Array, attributes, cases, expected, given, operator

CASES = cases(("maxpool", "globalmaxpool"), ("MaxPool", "GlobalMaxPool"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_max_pooling_gives_what_onnx_expects(case: Any) -> None:
    if _too_padded(case):
        pytest.skip("more padding than half the kernel, which max pooling refuses (as PyTorch)")
    (x,) = given(case).values()
    layer = _layer(case, x)
    got = [layer.forward(x), *_places(layer, x, case)]
    wanted = expected(case)
    for ours, theirs in zip(got[: len(wanted)], wanted, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)
    assert got[0].dtype == wanted[0].dtype


def test_little_is_skipped() -> None:
    """The counts of onnx 1.23; a later version may add cases, but none may go missing."""
    skipped = [case.name for case in CASES if _too_padded(case)]
    assert skipped == ["test_maxpool_2d_pads"]
    assert len(CASES) - len(skipped) >= 20


def _too_padded(case: Any) -> bool:
    a = attributes(case)
    return bool(2 * max(a.get("pads", [0])) > min(a.get("kernel_shape", [2])))


def _layer(case: Any, x: Array) -> MaxPool:
    if operator(case) == "GlobalMaxPool":
        return MaxPool(x.shape[2:])
    a = attributes(case)
    kernel = a["kernel_shape"]
    axes = len(kernel)
    strides = a.get("strides", [1] * axes)
    pads = a.get("pads", [0] * 2 * axes)
    margins = list(zip(pads[:axes], pads[axes:], strict=True))
    if (same := a.get("auto_pad", "NOTSET")) != "NOTSET":
        sides = zip(x.shape[2:], kernel, strides, strict=True)
        margins = [_same(n, k, s, same == "SAME_UPPER") for n, k, s in sides]
    return MaxPool(
        tuple(kernel),
        tuple(strides),
        tuple(margins),
        dilation=tuple(a.get("dilations", [1] * axes)),
        ceil_mode=bool(a.get("ceil_mode", 0)),
    )


def _same(size: int, kernel: int, stride: int, upper: bool) -> tuple[int, int]:
    """As much padding as leaves ceil(size / stride) windows; the odd one behind if `upper`."""
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    low, high = total // 2, total - total // 2
    return (low, high) if upper else (high, low)


def _places(layer: MaxPool, x: Array, case: Any) -> list[Array]:
    """Where the maxima are, flat, of the first image and channel: no others are shipped."""
    if x.ndim != 4:
        return []
    row, column = np.moveaxis(layer.argmax(x), -1, 0)
    height, width = x.shape[-2:]
    by_column = attributes(case).get("storage_order", 0)
    return [row + column * height if by_column else row * width + column]
