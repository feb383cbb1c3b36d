"""A function as it was pasted, which one is the answer, and what its parameters are given."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.function_answer import heads, plain
from engine.sandbox.wire import FunctionBatch, UnclearError, arguments, chosen
from tests.engine.cases import table

FUNCTION = "def backward(x, delta):\n    return x"


@pytest.mark.parametrize("pasted", table("worker")["pasted"])
def test_a_fence_and_a_margin_are_no_part_of_a_function(pasted: str) -> None:
    found = plain(pasted)
    assert found.strip().replace("\t    ", "    ") == FUNCTION
    assert heads(found) == {"backward": "def backward(x, delta):"}


def test_a_fence_inside_a_function_is_its_own() -> None:
    text = "def f(x):\n    '''\n    ```\n    f(1)\n    ```\n    '''\n    return x"
    assert plain(text) == text


@given(st.text("d e\n`~f(:", max_size=60))
def test_lines_keep_their_numbers(text: str) -> None:
    assert plain(text).count("\n") == text.count("\n")


def test_only_functions_at_the_margin_can_be_the_answer() -> None:
    text = "class A:\n    def backward(self): pass\nasync def g(x): pass\nf = lambda x: x"
    assert list(heads(text)) == ["g", "f"]


TABLE = table("arguments", typed=True)


def batch(
    arrays: list[str], given: int, scalars: tuple[str, ...] = (), numbers: tuple[str, ...] = (),
    **names: Any,
) -> FunctionBatch:  # fmt: skip
    shaped = {name: np.ones(1 if name in numbers else (1, 1)) for name in arrays}
    return FunctionBatch(shaped, dict.fromkeys(scalars), [], given, **names)


INPUTS = {name: batch(**fields) for name, fields in TABLE["inputs"].items()}


def bound(parameters: str, inputs: str) -> dict[str, str]:
    """The value of each parameter, by its name."""
    function: Callable[..., object] = eval(f"lambda {parameters}: 0")
    takes = list(signature(function).parameters.values())
    placed, named = arguments(takes, INPUTS[inputs])
    return {**dict(zip((p.name for p in takes), placed, strict=False)), **named}


@pytest.mark.parametrize("name", TABLE["upstream"])
@pytest.mark.parametrize("inputs", ["softmax", "pooling", "linear"])
def test_the_message_from_above_is_known_by_its_names(name: str, inputs: str) -> None:
    assert bound(f"x, {name}", inputs) == bound(f"{name}, x", inputs) == {"x": "x", name: "delta"}


@pytest.mark.parametrize("order", permutations(["x", "w", "b", "dy"]))
def test_a_known_name_keeps_its_value_wherever_it_stands(order: tuple[str, ...]) -> None:
    assert bound(", ".join(order), "linear") == {"x": "x", "w": "W", "b": "b", "dy": "delta"}


@pytest.mark.parametrize(("parameters", "inputs", "values"), TABLE["bound"])
def test_each_parameter_gets_what_its_name_means(
    parameters: str, inputs: str, values: list[str]
) -> None:
    found = list(bound(parameters, inputs).values())
    assert found == ["x" if value == "a" else value for value in values]


def test_names_that_differ_by_their_case_alone_are_two() -> None:
    both = batch(["X", "x", "delta"], 2)
    takes = list(signature(lambda x, X: 0).parameters.values())  # noqa: ARG005
    assert arguments(takes, both) == (["x", "X"], {})


@pytest.mark.parametrize(("parameters", "inputs"), TABLE["unclear"])
def test_what_is_not_certain_is_refused_with_the_names_that_are_there(
    parameters: str, inputs: str
) -> None:
    with pytest.raises(UnclearError, match=", ".join(INPUTS[inputs].arrays)):
        bound(parameters, inputs)


@pytest.mark.parametrize(("names", "answer"), TABLE["chosen"])
def test_of_several_functions_the_one_named_for_it_is_the_answer(
    names: list[str], answer: str
) -> None:
    assert chosen(names) == answer


@pytest.mark.parametrize("names", [["f", "g"], ["relu", "backward_x", "backward_w"]])
def test_where_no_name_decides_those_that_there_are_are_told(names: list[str]) -> None:
    with pytest.raises(UnclearError, match=f"`{names[-2]}` and `{names[-1]}`: call it `backward`"):
        chosen(names)
