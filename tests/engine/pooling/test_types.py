"""Laws of the types: what goes in comes out, exactly, for halves and for every integer."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.pooling.layer import MaxPool
from tests.engine.pooling import reference
from tests.engine.pooling.reference import Layer

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
few = settings(max_examples=80, deadline=None)


@few
@given(reference.layers(), st.sampled_from(FLOATS + INTEGERS), st.integers(0, 2**32 - 1))
def test_any_type_is_pooled_in_itself_from_its_lowest_to_its_highest(
    layer: Layer, name: str, seed: int
) -> None:
    dtype = np.dtype(name)
    info: Any = np.finfo(dtype) if name in FLOATS else np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, 1], dtype)
    x = np.random.default_rng(seed).choice(values, layer.size)
    f, at = engine.max_pool(x, **layer.arguments, return_indices=True)
    assert f.dtype == dtype
    np.testing.assert_array_equal(f, reference.forward(layer, x))
    np.testing.assert_array_equal(at, reference.indices(layer, x))


@few
@given(
    reference.inputs(odd=False), st.sampled_from(FLOATS), st.sampled_from(["first", "split", "all"])
)
def test_messages_have_the_type_of_x_and_delta(given: Any, name: str, ties: Any) -> None:
    layer, x, delta = given
    pool = MaxPool(**layer.arguments, ties=ties)
    pool.forward(x.astype(name))
    dx = pool.backward(delta.astype(name))
    assert dx.dtype == pool.jacobian(x.astype(name)).dtype == pool.jvp(dx).dtype == np.dtype(name)
    tolerance = float(np.finfo(name).eps) * 64
    np.testing.assert_allclose(dx, reference.backward(layer, x, delta, ties), atol=tolerance)


def test_whole_messages_of_whole_inputs_stay_whole() -> None:
    pool = MaxPool(2, 1)
    pool.forward(np.array([[1, 2, 0], [0, 0, 0]], np.int8))
    dx = pool.backward(np.array([[3, 4]], np.int8))
    assert (dx.dtype, dx.tolist()) == (np.dtype(np.int8), [[0, 7, 0], [0, 0, 0]])


def test_whole_messages_whose_sum_might_not_fit_are_refused() -> None:
    pool = MaxPool(2, 1)
    pool.forward(np.zeros((3, 3), np.int8))
    sentence = "delta holds 32 in int8, and up to 4 windows add up: at most 31 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.backward(np.full((2, 2), -32, np.int8))


def test_whole_tangents_whose_sum_might_not_fit_are_refused() -> None:
    tangent = np.full((3, 3), 15, np.int8)
    pool = MaxPool(3, ties="all")
    pool.forward(np.zeros((3, 3), np.int8))
    sentence = "tangent holds 15 in int8, and up to 9 inputs add up: at most 14 is allowed"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pool.jvp(tangent)
    assert pool.jvp(tangent - 1).tolist() == [[126]]
    one = MaxPool(3)
    one.forward(np.zeros((3, 3), np.int8))
    assert one.jvp(np.full((3, 3), -128, np.int8)).tolist() == [[-128]]


def test_a_split_message_has_fractions_even_for_whole_numbers() -> None:
    pool = MaxPool((1, 2), ties="split")
    pool.forward([[1, 1]])
    assert pool.backward([[1]]).tolist() == [[0.5, 0.5]]


def test_another_byte_order_and_any_memory_layout_are_welcome() -> None:
    x = np.arange(24.0).reshape(4, 6)
    expected = MaxPool(2).forward(x)
    np.testing.assert_array_equal(MaxPool(2).forward(x.astype(">f8")), expected)
    np.testing.assert_array_equal(MaxPool(2).forward(np.asfortranarray(x)), expected)
    backwards = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    np.testing.assert_array_equal(MaxPool(2).forward(backwards), expected)
    channels_last = np.ascontiguousarray(x.reshape(2, 3, 4)[..., None])[..., 0]
    np.testing.assert_array_equal(
        MaxPool(2).forward(channels_last), MaxPool(2).forward(x.reshape(2, 3, 4))
    )
