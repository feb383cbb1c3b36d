"""Max pooling: an answer that is right but about its own numbers is not called correct.

The numbers are drawn, so that no input could have been tuned to them.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from tests.engine.brute.functions import WRITTEN

GENERAL = PoolingExercise()
GIVEN = PoolingExercise(kernel=(2, 2), stride=(2, 2))
RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] * {} for k,l)"
FUNCTION = WRITTEN[0].source
SIZES = ("H", "W", "Ho", "Wo", "kh", "kw", "sh", "sw")


def function(at_the_end: str) -> str:
    return FUNCTION.replace("    return dx", f"    {at_the_end}\n    return dx")


def verdict(answer: str, exercise: PoolingExercise = GENERAL) -> str:
    return check(answer, exercise).verdict


large = st.floats(20, 1e12).map(lambda c: float(f"{c:.3g}"))
plain = st.integers(-9_000, 9_000).map(lambda n: n / 100).filter(lambda c: abs(c) not in (0, 1, 2))


@settings(max_examples=20, deadline=None)
@given(of=st.sampled_from(SIZES), size=st.integers(6, 40), how=st.sampled_from("<=>"))
def test_a_size_that_an_answer_speaks_of_is_tried(of: str, size: int, how: str) -> None:
    formula, wrong = {"<": ("<", ">="), "=": ("!=", "=="), ">": ("<=", ">")}[how]
    assert verdict(RIGHT.format(f"[{of} {formula} {size}]")) == "wrong"
    assert verdict(function(f"if {of} {wrong} {size}: dx *= 2")) == "wrong"


@settings(max_examples=10, deadline=None)
@given(size=st.integers(3, 30), of=st.sampled_from(("i < {}", "l != {}", "H + W != {}", "H % {}")))
def test_so_are_indices_and_what_is_worked_out_of_sizes(size: int, of: str) -> None:
    condition = of.format(size) + (" != 0" if "%" in of else "")
    found = check(RIGHT.format(f"[{condition}]"), GENERAL)
    assert found.verdict == "wrong", condition


@settings(max_examples=10, deadline=None)
@given(size=st.integers(3, 30), of=st.sampled_from(("H", "W", "Ho", "Wo")))
def test_of_a_given_kernel_too(size: int, of: str) -> None:
    assert verdict(RIGHT.format(f"[{of} < {size + 5}]"), GIVEN) == "wrong"
    assert verdict(function(f"if {of} == {2 * size}: dx *= 2"), GIVEN) == "wrong"


@settings(max_examples=20, deadline=None)
@given(
    border=large,
    of=st.sampled_from(("x[i,j] < {}", "abs(delta[k,l]) < {}", "f[k,l] > -{}", "max(x) < {}")),
)
def test_values_lie_on_both_sides_of_a_number_of_the_answer(border: float, of: str) -> None:
    assert verdict(RIGHT.format(f"[{of.format(border)}]")) == "wrong"


@settings(max_examples=15, deadline=None)
@given(
    border=large,
    end=st.sampled_from(
        (
            "dx[x > {}] = 0",
            "dx = np.clip(dx, -{0}, {0})",
            "dx = dx * (np.minimum(x, {0}) == x)",
            "dx *= 1 + (abs(x.sum()) > {})",
            "dx *= 1 + (x.max() - x.min() > {})",
        )
    ),
)
def test_those_of_a_function_too(border: float, end: str) -> None:
    assert verdict(function(end.format(border))) == "wrong"


@settings(max_examples=15, deadline=None)
@given(value=plain)
def test_a_number_that_is_asked_for_is_met_exactly(value: float) -> None:
    assert verdict(RIGHT.format(f"[x[i,j] != {value}]")) == "wrong"
    assert verdict(RIGHT.format(f"[delta[k,l] != {value}]")) == "wrong"
    assert verdict(function(f"dx[x == {value}] += 1")) == "wrong"


@settings(max_examples=8, deadline=None)
@given(more=st.integers(3, 9), of=st.sampled_from(("H != W", "W != H", "Ho != Wo", "kh != kw")))
def test_two_sizes_are_apart_by_a_number_of_the_answer(more: int, of: str) -> None:
    assert verdict(RIGHT.format(f"[{of} + {more}]")) == "wrong"


@pytest.mark.parametrize(
    "condition",
    [
        "len(str(H)) > 1",
        "W > len('abcdefgh')",
        "ph > 2",
        "pw and ph - pw == 2",
        "kh > 2 * H and H > 1",
    ],
)
def test_sizes_that_no_number_tells_of(condition: str) -> None:
    assert verdict(function(f"if {condition}: dx *= 2")) != "correct"


#: Some of these are numbers that the answer says, some only come to one.
@pytest.mark.parametrize(
    "start",
    [
        *("-1e7", "-999", "-10**9", "float('-1e5')", "-4e11"),
        *("np.iinfo(np.int32).min", "np.iinfo(np.int64).min", "-np.finfo(np.float32).max"),
    ],
)
def test_a_maximum_begins_below_everything(start: str) -> None:
    assert verdict(FUNCTION.replace("-np.inf", start)) == "wrong"


@settings(max_examples=6, deadline=None)
@given(calls=st.integers(100, 4_000))
def test_a_function_that_counts_its_calls_is_called_as_often(calls: int) -> None:
    counts = f"global calls; calls += 1\n    if calls > {calls}: dx *= 2"
    assert verdict("calls = 0\n" + function(counts)) == "wrong"


@settings(max_examples=6, deadline=None)
@given(windows=st.integers(12, 100))
def test_so_is_one_that_counts_windows(windows: int) -> None:
    counts = FUNCTION.replace("    for h in", "    n = 0\n    for h in").replace(
        "            dx[at]",
        f"            n += 1\n            if n > {windows}: continue\n{' ' * 12}dx[at]",
    )
    assert verdict(counts) == "wrong"


@pytest.mark.parametrize("number", ["100000", "10^7", "5000"])
def test_sizes_that_are_too_large_to_be_tried_are_told_of(number: str) -> None:
    for answer in (
        RIGHT.format(f"[H < {number}]"),
        function(f"if H > {number.replace('^', '**')}: dx *= 2"),
    ):
        found = check(answer, GENERAL)
        assert found.verdict == "correct"
        assert found.remark is not None
        assert found.remark.startswith("No input was found with sizes of ")


def test_an_absurd_number_is_no_harm() -> None:
    for number in ("1e300", "9^9^9^9", "1/0", "0.0000000001", "99999999999999999999999999"):
        assert verdict(RIGHT.format(f"[x[i,j] < {number} or 1 == 1]")) == "correct"


@pytest.mark.parametrize(
    "exercise", [GENERAL, GIVEN, PoolingExercise(kernel=(3, 3), stride=(1, 2))]
)
@pytest.mark.parametrize("number", ["7", "1e9", "-3.25", "12"])
def test_numbers_make_no_right_answer_wrong(exercise: PoolingExercise, number: str) -> None:
    """With them, a condition that always holds, and a sum that always ends in time."""
    kept = f"[x[i,j] < {number} or x[i,j] >= {number}] * [max(H, {number}) >= H]"
    assert verdict(RIGHT.format(kept), exercise) == "correct"
    assert verdict(function(f"dx[x == {number}] += 0"), exercise) == "correct"


def test_no_layout_is_made_out_to_be_the_reason_of_a_border() -> None:
    for condition in ("x[i,j] < 1e8", "H != 17", "delta[k,l] < 4e5"):
        assert check(RIGHT.format(f"[{condition}]"), GENERAL).wrong_when == ()


def test_no_way_to_write_numbers_is_a_fault() -> None:
    for odd in ("1_", "1__2", "٣", "1e", "1_000", "9**9**9**9", "1/0", "1_" * 4_000, "1+" * 4_000):
        assert verdict(f"{FUNCTION}# {odd}") == "correct"
