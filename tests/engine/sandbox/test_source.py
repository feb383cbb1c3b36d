"""Which function is the answer, and which value goes to which parameter."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.source import FunctionInputs, UnclearError, arguments, chosen, heads, plain
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


SOFTMAX = FunctionInputs(["x", "delta", "y"], 2, {"k": 3}, "y")
POOLING = FunctionInputs(["x", "delta"], 2, {"W": 6, "kernel": (2, 2)}, "f")
LINEAR = FunctionInputs(["W", "x", "b", "delta", "y"], 4, {"k": 2, "j": 3}, "y")
LOSS = FunctionInputs(["x", "t", "p", "L"], 2, {"k": 3}, "", {}, ["L"])
SQUARED = FunctionInputs(["x", "t", "L"], 2, {}, "", {}, ["L"])
NORM = FunctionInputs(["x", "g", "b", "delta", "h", "y"], 4, {}, "y", {"gamma": "g", "beta": "b"})
TWICE = FunctionInputs(["x", "delta", "y", "z"], 2, {}, "z")


def bound(parameters: str, table: FunctionInputs) -> dict[str, str]:
    """The value of each parameter, by its name."""
    function: Callable[..., object] = eval(f"lambda {parameters}: 0")
    takes = list(signature(function).parameters.values())
    placed, named = arguments(takes, table)
    return {**dict(zip((p.name for p in takes), placed, strict=False)), **named}


UPSTREAM = (
    *("delta", "dout", "dy", "dY", "grad", "grad_output", "grad_out", "upstream", "g", "d"),
    *(
        "dL_dy",
        "delta_y",
        "delta_out",
        "δ",
        "grad_y",
        "gradOutput",
        "d_y",
        "dL_dout",
        "upstream_grad",
    ),
)


@pytest.mark.parametrize("name", UPSTREAM)
@pytest.mark.parametrize("table", [SOFTMAX, POOLING, LINEAR])
def test_the_message_from_above_is_known_by_its_names(name: str, table: FunctionInputs) -> None:
    assert bound(f"x, {name}", table) == bound(f"{name}, x", table) == {"x": "x", name: "delta"}


@pytest.mark.parametrize("order", permutations(["x", "w", "b", "dy"]))
def test_a_known_name_keeps_its_value_wherever_it_stands(order: tuple[str, ...]) -> None:
    assert bound(", ".join(order), LINEAR) == {"x": "x", "w": "W", "b": "b", "dy": "delta"}


@pytest.mark.parametrize(
    ("parameters", "table", "values"),
    [
        ("dout, y", SOFTMAX, ["delta", "y"]),
        ("grad, y", SOFTMAX, ["delta", "y"]),
        ("out, dout", SOFTMAX, ["y", "delta"]),
        ("target, x", LOSS, ["t", "x"]),
        ("y_true, p", LOSS, ["t", "p"]),
        ("labels, pred", SQUARED, ["t", "x"]),
        ("inputs, weights, bias, dout", LINEAR, ["x", "W", "b", "delta"]),
        ("dout, gamma, x", NORM, ["delta", "g", "x"]),
        ("x, g, b, dy", NORM, ["x", "g", "b", "delta"]),
        ("x, dz", TWICE, ["x", "delta"]),
        ("x, dout=1, d=2", SOFTMAX, ["x", "delta"]),
        ("delta, x, grad=None", SOFTMAX, ["delta", "x"]),
        ("dout, a", POOLING, ["delta", "a"]),
        ("x, delta, kernel=2, eps=1, W=0", POOLING, ["x", "delta", "kernel", "W"]),
        ("p, q", POOLING, ["x", "delta"]),
        ("a, b, c", FunctionInputs(["W", "x", "delta"], 3), ["W", "x", "delta"]),
    ],
)
def test_each_parameter_gets_what_its_name_means(
    parameters: str, table: FunctionInputs, values: list[str]
) -> None:
    found = list(bound(parameters, table).values())
    assert found == ["x" if value == "a" else value for value in values]


@pytest.mark.parametrize(
    ("parameters", "table"),
    [
        ("a, delta", SOFTMAX),  # the activation, or what goes in?
        ("s, dout", SOFTMAX),
        ("x, dx", SOFTMAX),
        ("x, dy", TWICE),
        ("out, dout", POOLING),
        ("f, dout", POOLING),
        ("x, dout", LOSS),
        ("y_hat, target", LOSS),
        ("x, y", LOSS),
        ("dout, grad", SOFTMAX),
        ("dout, dz, x", SOFTMAX),
        ("dz, x", SOFTMAX),
        ("dA, z", SOFTMAX),
        ("a, b, c", SOFTMAX),
        ("x, X", FunctionInputs(["X", "x", "delta"], 2)),
    ],
)
def test_what_is_not_certain_is_refused_with_the_names_that_are_there(
    parameters: str, table: FunctionInputs
) -> None:
    if parameters == "x, X":
        assert bound(parameters, table) == {"x": "x", "X": "X"}
        return
    with pytest.raises(UnclearError, match=", ".join(table.arrays)):
        bound(parameters, table)


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (["f"], "f"),
        (["relu", "backward", "grad"], "backward"),
        (["relu", "relu_backward", "grad_check"], "relu_backward"),
        (["relu", "grad"], "grad"),
        (["forward", "compute_gradient"], "compute_gradient"),
        (["window", "dx"], "dx"),
    ],
)
def test_of_several_functions_the_one_named_for_it_is_the_answer(
    names: list[str], answer: str
) -> None:
    assert chosen(names) == answer


@pytest.mark.parametrize("names", [["f", "g"], ["relu", "backward_x", "backward_w"]])
def test_where_no_name_decides_those_that_there_are_are_told(names: list[str]) -> None:
    with pytest.raises(UnclearError, match=f"`{names[-2]}` and `{names[-1]}`: call it `backward`"):
        chosen(names)
