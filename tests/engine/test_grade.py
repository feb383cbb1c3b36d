"""The order of grading: inputs, reasons, near misses, sides of borders."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checking import check
from engine.exercise import Entries, Judge
from engine.grading import Rule, grade, nearness, smallest
from engine.messages.targets import Target
from engine.pooling.exercise import PoolingExercise
from engine.pooling.grader import JudgedPooling
from engine.pooling.inputs import JACOBIAN, MESSAGE, PoolingBatch
from engine.pooling.mistakes import KNOWN, Misconception, PoolingParts
from engine.pooling.windows import Array
from engine.verdict import ShownWindows
from tests.engine.brute.answers import WRITTEN
from tests.engine.cases import judged

GENERAL = PoolingExercise()
GRADER = GENERAL.grader()
GIVEN = PoolingExercise(kernel=(2, 2), stride=(2, 2))
SUM = "sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"


def right(batch: PoolingBatch) -> Array:
    return batch.layer.backward(batch.delta)


# Rules, given as functions of a batch.


@pytest.mark.parametrize("ties", ["first", "last", "split"])
def test_any_policy_that_is_a_subgradient_is_correct(ties: str) -> None:
    def jacobian(batch: PoolingBatch) -> Array:
        return batch.jacobian(ties)  # type: ignore[arg-type]

    assert grade(jacobian, JACOBIAN, GRADER).verdict == "correct"
    dx = grade(lambda b: np.einsum("nkl,nklij->nij", b.delta, jacobian(b)), MESSAGE, GRADER)
    assert (dx.verdict, dx.tried, dx.failed) == ("correct", 300, 0)


@pytest.mark.parametrize("factor", [0.0, 2.0, np.nan])
def test_weights_that_miss_1_at_ties_only_are_correct_except_ties(factor: float) -> None:
    def jacobian(batch: PoolingBatch) -> Array:
        contested = batch.tied & (batch.tied.sum(axis=(-2, -1), keepdims=True) > 1)
        return np.where(contested, factor * batch.jacobian("split"), batch.jacobian("first"))

    verdict = grade(jacobian, JACOBIAN, GRADER)
    assert verdict.verdict == "correct-except-ties"
    assert verdict.wrong_when == ("a value occurs twice in a window",)
    assert verdict.misconception is None
    assert verdict.counterexample is not None
    assert verdict.counterexample.note


@pytest.mark.parametrize("wrong_there", [0.0, 5.0, np.nan, np.inf])
@pytest.mark.parametrize("kernel", [None, (3, 3)])
def test_a_rule_that_fails_on_shared_inputs_only_is_only_without_overlap(
    wrong_there: float, kernel: tuple[int, int] | None
) -> None:
    def dx(batch: PoolingBatch) -> Array:
        shared = batch.inside.sum(axis=(0, 1)) > 1
        return np.where(shared, wrong_there, right(batch))

    verdict = grade(dx, MESSAGE, PoolingExercise(kernel=kernel, stride=kernel and (2, 2)).grader())
    assert verdict.verdict == "only-without-overlap"
    assert verdict.counterexample is not None
    assert verdict.counterexample.cells
    assert verdict.wrong_when == ("windows overlap",)
    json.dumps(verdict.as_dict(), allow_nan=False)


def test_an_unknown_wrong_rule_gets_no_name_and_no_overlap_excuses_it() -> None:
    overlapping = PoolingExercise(kernel=(3, 3), stride=(1, 1))
    verdict = grade(lambda batch: right(batch) ** 2, MESSAGE, overlapping.grader())
    assert (verdict.verdict, verdict.misconception) == ("wrong", None)
    verdict = grade(lambda batch: right(batch) + 0.125, MESSAGE, GRADER)
    assert (verdict.verdict, verdict.misconception, verdict.failed) == ("wrong", None, 300)
    assert verdict.wrong_when == ()


def forms(known: Misconception, target: Target) -> list[Rule]:
    def weighed(form: Callable[[PoolingParts], Any], b: PoolingBatch) -> Array:
        return np.broadcast_to(1.0 * form(PoolingParts(b)), b.tied.shape)

    weights: list[Rule] = [partial(weighed, form) for form in known.weights]
    if target.jacobian:
        return weights
    sent = [lambda b, w=w: np.einsum("nkl,nklij->nij", b.delta, w(b)) for w in weights]
    return [*sent, *(lambda b, form=form: form(PoolingParts(b)) for form in known.messages)]


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("target", [MESSAGE, JACOBIAN])
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_every_form_of_a_misconception_is_wrong_and_named(
    known: Misconception, target: Target, every: int
) -> None:
    for form in forms(known, target)[::every]:
        verdict = grade(form, target, GRADER)
        # Two readings may give the same numbers; then it is the name that is looked up first.
        assert (verdict.verdict, verdict.misconception) == ("wrong", known.name)
        assert verdict.teaching == known.teaching
        example = verdict.counterexample
        assert example is not None
        assert example.cells
        assert np.size(example.inputs["x"]) <= 6 or "padding" in known.name


def test_the_counterexample_shows_the_rule_at_fault() -> None:
    example = grade(lambda batch: -right(batch), MESSAGE, GRADER).counterexample
    assert example is not None
    # Not one input of one window, which is off as well: that would show nothing but a number.
    assert example.windows == ShownWindows((1, 2), (1, 1), (0, 0))
    assert example.inputs == {"x": [[0.0, 1.0, -1.0]], "delta": [[1.0, 10.0]]}
    assert (example.yours, example.expected) == ([[0.0, -11.0, 0.0]], [[0.0, 11.0, 0.0]])
    assert example.cells == [(0, 1)]

    def second_window_forgotten(batch: PoolingBatch) -> Array:
        J = batch.jacobian("first").copy()
        J[:, :, 1:] = 0
        return J

    example = grade(second_window_forgotten, JACOBIAN, GRADER).counterexample
    assert example is not None
    assert (example.target, [*example.inputs]) == ("df[0,1]/dx", ["x"])
    assert np.shape(example.yours) == np.shape(example.inputs["x"])


def test_of_messages_too_a_case_is_shown_in_which_entries_can_be_told_apart() -> None:
    case = judged("linear", "dL/dx[j] = -sum(W[k,j] * delta[k] for k)").counterexample
    assert case is not None
    assert case.inputs["W"] == [[1.0, 2.0], [-1.0, 0.0]]
    assert (case.inputs["delta"], case.expected) == ([1.0, 10.0], [-9.0, 2.0])
    # What is right beside it tells which entry it is.
    case = judged("relu", "dL/dx[k] = delta[k] * [x[k] > 0] * (1 + [k = 0])").counterexample
    assert case is not None
    assert (case.inputs["x"], case.yours, case.expected) == ([1.0, 2.0], [2.0, 10.0], [1.0, 10.0])


def test_where_no_small_input_fails_the_smallest_of_the_trials_is_shown() -> None:
    def wrong_on_wide_inputs(batch: PoolingBatch) -> Array:
        return right(batch) * (2.0 if batch.x.shape[-1] == 6 else 1.0)

    example = grade(wrong_on_wide_inputs, MESSAGE, GRADER).counterexample
    assert example is not None
    assert np.shape(example.inputs["x"]) == (5, 6)

    def judge(batch: PoolingBatch) -> JudgedPooling:
        return JudgedPooling(batch, MESSAGE, right(batch))

    assert smallest(GRADER, Judge(judge), lambda one: ~one.valid)[0] is None


# Answers.


def test_the_same_seed_gives_the_same_verdict() -> None:
    answer = f"{SUM} * x[i,j]"
    found = check(answer, GENERAL, seed=3, trials=25)
    assert found == check(answer, GENERAL, seed=3, trials=25)
    assert (found.seed, found.tried) == (3, 25)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("answer", [
    "delta[k,l] * [(i,j) == argmax(k,l)]", f"{SUM} if ph == 0 and pw == 0 else 0",
    "sum(δ_kl [x_ij > max(x_pq for p,q in Omega(k,l) if (p,q) != (i,j))] for k,l)",
    f"{SUM} if min(x) >= 0 else 0",
])  # fmt: skip
def test_the_counterexample_meets_what_is_said_of_all_failures(answer: str, seed: int) -> None:
    found = check(answer, GENERAL, seed=seed)
    example = found.counterexample
    assert example is not None
    assert example.windows is not None
    arrays = example.inputs
    x, delta = np.array([arrays["x"]]), np.array([arrays.get("delta", [[0.0]])])
    windows = example.windows
    shown = PoolingBatch(windows.kernel, windows.stride, windows.padding, x, delta)
    for (condition,) in GENERAL.grader().conditions.ways:
        assert condition.name not in found.wrong_when or condition.met(shown).all()


@pytest.mark.parametrize(
    "answer",
    [
        *("", "   ", "\x00", "(" * 5000, "1/0", "delta[k,l]/0", "exp(1e9)", "x[99,99]"),
        *("∂" * 50, "1e999"),
    ],
)
def test_no_text_makes_it_raise(answer: str) -> None:
    verdict = check(answer, GENERAL, trials=24)
    assert verdict.verdict in ("wrong", "unreadable")
    json.dumps(verdict.as_dict(), allow_nan=False)


def entries(*off: tuple[int, ...], rows: int = 40) -> Entries:
    mask = np.zeros((rows, 2, 3), dtype=np.bool_)
    for at in off:
        mask[at] = True
    return Entries(mask, np.ones_like(mask), ("i", "j"))


def test_a_region_is_named_where_enough_lies_outside_of_it_else_entries_are_counted() -> None:
    found = nearness([entries((0, 0, 1), (1, 1, 2), (2, 0, 0))])
    assert found == "1 of 6 entries, on 3 of 40 inputs"
    assert nearness([entries()]) is None
    assert nearness([entries((0, 0, 0), (1, 0, 0), rows=2)]) == "1 of 6 entries"
    assert nearness([entries(*((n, 0, 0) for n in range(40)))]) == "only the diagonal"


def test_a_window_that_does_not_exist_is_told() -> None:
    case = judged("max-pool", "sum(delta[k+1,l] * [(i,j) == argmax(k,l)] for k,l)").counterexample
    assert case is not None
    row, column = case.cells[0]
    assert np.isnan(np.array(case.yours)[row, column])
    assert f"At ({row},{column}) the answer has no value" in case.note
    case = judged("max-pool", "sum(delta[k,l] for k,l if (i,j) in Omega(k,l))").counterexample
    assert case is not None
    assert "no value" not in case.note


def test_free_k_and_l_among_several_windows_are_told_for_what_they_are() -> None:
    keys = {"layer": "max-pool", "kernel": 2, "stride": 1}
    case = judged(keys, "delta[k,l] * [(i,j) == argmax(k,l)]").counterexample
    assert case is not None
    assert "lies in 2 windows" in case.note
    assert "does not exist" not in case.note


# Numbers, sizes and borders that an answer speaks of.

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] * {} for k,l)"
FUNCTION = WRITTEN[0].source

sizes = st.integers(6, 30)
large = st.floats(20, 1e12).map(lambda c: float(f"{c:.3g}"))
plain = st.integers(-9_000, 9_000).map(lambda n: n / 100).filter(lambda c: abs(c) not in (0, 1, 2))
#: Conditions that a right answer is multiplied by, and what stands in them: each fails somewhere.
CONDITIONED: dict[str, tuple[tuple[str, ...], st.SearchStrategy[Any]]] = {
    "a size": (("H < {}", "W != {}", "Ho <= {}", "kh != {}", "kw < {}", "sh != {}"), sizes),
    "an index": (("i < {}", "l != {}"), sizes),
    "a number of sizes": (("H + W != {}", "H % {} != 0"), sizes),
    "two sizes": (("H != W + {}", "W != H + {}", "Ho != Wo + {}"), st.integers(3, 9)),
    "a border": (("x[i,j] < {}", "abs(delta[k,l]) < {}", "f[k,l] > -{}", "max(x) < {}"), large),
    "a value": (("x[i,j] != {}", "delta[k,l] != {}"), plain),
}
#: Ends of a right function that are wrong on some input.
ENDS: dict[str, tuple[tuple[str, ...], st.SearchStrategy[Any]]] = {
    "a size": (("if H >= {}: dx *= 2", "if sw == {}: dx *= 2", "if Wo > {}: dx *= 2"), sizes),
    "a border": (("dx[x > {}] = 0", "dx = np.clip(dx, -{0}, {0})"), large),
    "a border of a sum": (
        ("dx *= 1 + (abs(x.sum()) > {})", "dx *= 1 + (x.max() - x.min() > {})"),
        large,
    ),
    "a border of a smallest": (("dx = dx * (np.minimum(x, {0}) == x)",), large),
    "a value": (("dx[x == {}] += 1",), plain),
}


def ending(end: str) -> str:
    return FUNCTION.replace("    return dx", f"    {end}\n    return dx")


@pytest.mark.parametrize("kind", CONDITIONED)
@settings(max_examples=4)
@given(data=st.data())
def test_what_an_answer_speaks_of_is_tried_on_both_sides(kind: str, data: st.DataObject) -> None:
    conditions, numbers = CONDITIONED[kind]
    condition = data.draw(st.sampled_from(conditions)).format(data.draw(numbers))
    found = check(RIGHT.format(f"[{condition}]"), GENERAL)
    assert (found.verdict, found.wrong_when) == ("wrong", ()), condition


@pytest.mark.parametrize("kind", ENDS)
@settings(max_examples=2)
@given(data=st.data())
def test_so_is_what_a_function_speaks_of(kind: str, data: st.DataObject) -> None:
    ends, numbers = ENDS[kind]
    end = data.draw(st.sampled_from(ends)).format(data.draw(numbers))
    assert check(ending(end), GENERAL).verdict == "wrong", end


@settings(max_examples=2)
@given(size=st.integers(3, 30), of=st.sampled_from(("H", "W", "Ho", "Wo")))
def test_of_a_given_kernel_too(size: int, of: str) -> None:
    assert check(RIGHT.format(f"[{of} < {size + 5}]"), GIVEN).verdict == "wrong"
    assert check(ending(f"if {of} == {2 * size}: dx *= 2"), GIVEN).verdict == "wrong"


@pytest.mark.parametrize(
    "condition",
    ["len(str(H)) > 1", "W > len('abcdefgh')", "ph > 2", "pw and ph - pw == 2", "kh > 2 * H > 2"],
)
def test_sizes_that_no_number_tells_of(condition: str) -> None:
    assert check(ending(f"if {condition}: dx *= 2"), GENERAL).verdict != "correct"


#: Some of these are numbers that the answer says, some only come to one.
@pytest.mark.parametrize(
    "start",
    [
        *("-1e7", "-999", "-10**9", "float('-1e5')", "-4e11"),
        *("np.iinfo(np.int32).min", "np.iinfo(np.int64).min", "-np.finfo(np.float32).max"),
    ],
)
def test_a_maximum_begins_below_everything(start: str) -> None:
    assert check(FUNCTION.replace("-np.inf", start), GENERAL).verdict == "wrong"


@settings(max_examples=2)
@given(calls=st.integers(100, 4_000), windows=st.integers(12, 100))
def test_a_function_that_counts_its_calls_or_windows_is_called_as_often(
    calls: int, windows: int
) -> None:
    counting = ending(f"global calls; calls += 1\n    if calls > {calls}: dx *= 2")
    assert check("calls = 0\n" + counting, GENERAL).verdict == "wrong"
    counting = FUNCTION.replace("    for h in", "    n = 0\n    for h in").replace(
        "            dx[at]",
        f"            n += 1\n            if n > {windows}: continue\n{' ' * 12}dx[at]",
    )
    assert check(counting, GENERAL).verdict == "wrong"


@pytest.mark.parametrize("number", ["100000", "10^7", "5000"])
def test_sizes_that_are_too_large_to_be_tried_are_told_of(number: str) -> None:
    end = f"if H > {number.replace('^', '**')}: dx *= 2"
    for answer in (RIGHT.format(f"[H < {number}]"), ending(end)):
        found = check(answer, GENERAL)
        assert found.verdict == "correct"
        assert (found.remark or "").startswith("No input was found with sizes of ")


@pytest.mark.parametrize(
    "exercise", [GENERAL, GIVEN, PoolingExercise(kernel=(3, 3), stride=(1, 2))]
)
def test_numbers_make_no_right_answer_wrong(exercise: PoolingExercise) -> None:
    """With them, a condition that always holds, and a sum that always ends in time."""
    for number in ("7", "1e9", "-3.25", "12"):
        kept = f"[x[i,j] < {number} or x[i,j] >= {number}] * [max(H, {number}) >= H]"
        assert check(RIGHT.format(kept), exercise).verdict == "correct"
        assert check(ending(f"dx[x == {number}] += 0"), exercise).verdict == "correct"


def test_no_way_to_write_numbers_is_a_fault() -> None:
    for number in ("1e300", "9^9^9^9", "1/0", "0.0000000001", "99999999999999999999999999"):
        always = RIGHT.format(f"[x[i,j] < {number} or 1 == 1]")
        assert check(always, GENERAL).verdict == "correct"
    for text in ("1_", "1__2", "٣", "1e", "1_000", "9**9**9**9", "1/0", "1_" * 4_000, "1+" * 4_000):
        assert check(f"{FUNCTION}# {text}", GENERAL).verdict == "correct"
