"""A function as it was pasted, at the margin and out of its fence, on its own lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.source import heads, plain

FUNCTION = "def backward(x, delta):\n    return x"


@pytest.mark.parametrize(
    "pasted",
    [
        f"```python\n{FUNCTION}\n```",
        f"```\n{FUNCTION}\n```\n",
        f"~~~ py\n{FUNCTION}\n~~~",
        f"My answer:\n```python\n{FUNCTION}\n```\nI hope it's right.",
        f"```python\n{FUNCTION}",
        f"{FUNCTION}\n```",
        "    def backward(x, delta):\n        return x",
        "\tdef backward(x, delta):\n\t    return x",
        "  ```python\n  def backward(x, delta):\n      return x\n  ```",
        FUNCTION.replace("    ", "\xa0\xa0\xa0\xa0"),
        FUNCTION.replace("\n", "\r\n"),
    ],
)
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
