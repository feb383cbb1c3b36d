"""What cannot be is refused with a ValueError that names it, its value and what is allowed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import engine

GOOD = np.zeros((4, 4))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernel": -2}, "kernel is -2: an integer of at least 1, or a pair of them, is allowed"),
        ({"kernel": ()}, "kernel is (): 1 to 3 integers are allowed"),
        ({"kernel": "2"}, "kernel is '2': an integer of at least 1"),
        ({"kernel": 2**31}, "kernel is 2147483648: at most 2147483647 is allowed"),
        ({"kernel": 10**30}, f"kernel is {10**30}: at most 2147483647 is allowed"),
        ({"stride": (2, 0)}, "stride is (2, 0): an integer of at least 1"),
        ({"stride": 2.0}, "stride is 2.0: an integer of at least 1"),
        ({"dilation": 0}, "dilation is 0: an integer of at least 1"),
        ({"dilation": (1, -3)}, "dilation is (1, -3): an integer of at least 1"),
        ({"dilation": (1, 2, 3)}, "dilation is (1, 2, 3): an integer of at least 1, or a pair"),
        ({"padding": 2}, "padding is 2: at most half the kernel (2, 2) is allowed"),
        ({"padding": ((0, 2), (0, 0))}, "padding is ((0, 2), (0, 0)): at most half the kernel"),
        ({"padding": ((0, 1),)}, "padding is ((0, 1),): 2 of them are allowed"),
        ({"kernel": 5}, "kernel is (5, 5): at most the padded input (4, 4) fits"),
        ({"dilation": 4}, "kernel is (2, 2), dilated to (5, 5): at most the padded input (4, 4)"),
        ({"ceil_mode": 1}, "ceil_mode is 1: True or False is allowed"),
        ({"return_indices": "no"}, "return_indices is 'no': True or False is allowed"),
        ({"threads": 0}, "threads is 0: an integer of at least 1 is allowed"),
        ({"x": np.zeros(4)}, "x has 1 axes: at least 2 (..., H, W) are allowed"),
        ({"x": GOOD, "kernel": (1, 1, 1)}, "x has 2 axes: at least 3 (..., D, H, W) are allowed"),
        ({"x": 1.0, "kernel": (1,)}, "x has 0 axes: at least 1 (..., W) are allowed"),
        ({"x": np.zeros((0, 4, 4))}, "x has the shape (0, 4, 4): at least 1 is allowed"),
        ({"x": np.zeros((4, 0))}, "x has 4 rows and 0 columns: at least 1 is allowed"),
        ({"x": np.zeros(0), "kernel": (1,)}, "x has 0 inputs: at least 1 is allowed"),
        ({"x": GOOD.astype(object)}, "x holds object: real numbers are allowed"),
        ({"x": [[2**70, 1], [1, 1]]}, "x holds object: real numbers are allowed"),
        ({"x": GOOD > 0}, "x holds bool: real numbers are allowed"),
        ({"x": [["a", "b"]]}, "x holds <U1: real numbers are allowed"),
        ({"x": [[1.0, 2.0], [3.0]]}, "x is ragged: an array with rows of one length is allowed"),
        ({"x": None}, "x holds object: real numbers are allowed"),
    ],
)
def test_max_pool_refuses_by_name(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_pool(**{"x": GOOD, "kernel": 2, **arguments})


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "dilation", "indices"),
    [
        ((2, 2), (2, 2), (1, 1), (3, 3), [6]),
        ((2, 3), (2, 1), (1, 0), (3, 1), [6, 7, 8]),
        ((3, 2), (1, 2), (0, 1), (1, 3), [2, 4, 6]),
        ((2, 4), (2, 2), (1, 1), (3, 2), [9, 8, 9, 10]),
        ((2,), (2,), (1,), (3,), [2]),
        ((2, 2, 2), (2, 2, 2), (1, 1, 1), (3, 3, 3), [14]),
    ],
)
def test_a_window_that_steps_over_the_input_gives_what_pytorch_gives(
    size: Any, kernel: Any, padding: Any, dilation: Any, indices: list[int]
) -> None:
    """The indices are those that PyTorch 2.13 prints."""
    x = np.arange(float(np.prod(size))).reshape(size)
    given = {"kernel": kernel, "stride": 1, "padding": padding, "dilation": dilation}
    f, at = engine.max_pool(x, **given, return_indices=True)
    assert (f == -np.inf).all()
    assert at.reshape(-1).tolist() == indices
    sent = engine.max_pool_backward(x, np.ones(f.shape), **given, indices=at)
    assert (sent == 0).all()
    layer = engine.MaxPool(kernel, 1, padding, dilation=dilation)
    layer.forward(x)
    assert (layer.backward(np.ones(f.shape)) == 0).all()
    assert (layer.jvp(x) == 0).all()
    assert layer.valid(x, J=layer.jacobian(x)).all()
    assert not layer.valid(x, J=layer.jacobian(x) + 0.5).any()
    assert layer.valid(x, dx=sent, delta=np.ones(f.shape)).all()


@pytest.mark.parametrize(
    ("indices", "sentence"),
    [
        ([[0.0]], "indices holds float64: integers are allowed"),
        ([[0, 1]], "indices has the shape (1, 2): (1, 1) is allowed"),
        ([[4]], "indices holds 4: 0 to 3 is allowed"),
        ([[-1]], "indices holds -1: 0 to 3 is allowed"),
    ],
)
def test_indices_are_refused_by_name(indices: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_pool_backward(np.zeros((2, 2)), [[1.0]], 2, indices=indices)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        engine.max_unpool([[1.0]], indices, 2)


def test_an_index_outside_its_window_is_refused() -> None:
    with pytest.raises(ValueError, match="indices holds 3 for a window without it"):
        engine.max_pool_backward(np.zeros((1, 4)), [[1.0, 1.0]], (1, 2), indices=[[3, 2]])


def test_delta_ties_and_size_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=re.escape("delta has the shape (4, 4): (2, 2)")):
        engine.max_pool_backward(GOOD, GOOD, 2)
    with pytest.raises(ValueError, match="ties is 'random': allowed are first, last, split, all"):
        engine.max_pool_backward(GOOD, np.zeros((2, 2)), 2, ties="random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=re.escape("size is (4,): 2 integers of at least 1")):
        engine.max_unpool([[1.0]], [[0]], 2, size=(4,))
    with pytest.raises(ValueError, match="ties is 'all': unpooling takes 'first' or 'last'"):
        engine.MaxPool(2, ties="all").unpool([[1.0]])


def test_a_kernel_far_larger_than_its_padded_input_costs_no_more_than_the_input() -> None:
    f, at = engine.max_pool(np.eye(4), 2**31 - 1, 1, 2**30 - 1, return_indices=True)
    assert (f == 1).all()
    assert (at == 0).all()
