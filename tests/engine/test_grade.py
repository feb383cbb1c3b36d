"""The order of grading: inputs, reasons, near misses, sides of borders."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checking import check
from engine.exercise import exercise_for
from engine.grading import Entries, Judge, Rule, grade, nearness
from engine.pooling.exercise import PoolingExercise
from engine.pooling.grader import smallest_failure
from engine.pooling.inputs import JudgedPooling, PoolingBatch, Target
from engine.pooling.mistakes import CONDITIONS, KNOWN, Misconception
from engine.pooling.windows import Array
from engine.verdict import Counterexample
from tests.engine.brute.functions import WRITTEN

GENERAL = PoolingExercise()


def right(batch: PoolingBatch) -> Array:
    return batch.layer.backward(batch.delta)


@pytest.mark.parametrize("ties", ["first", "last", "split"])
def test_any_policy_that_is_a_subgradient_is_correct(ties: str) -> None:
    def jacobian(batch: PoolingBatch) -> Array:
        return batch.jacobian(ties)  # type: ignore[arg-type]

    assert grade(jacobian, "J", GENERAL).verdict == "correct"
    dx = grade(lambda b: np.einsum("nkl,nklij->nij", b.delta, jacobian(b)), "dx", GENERAL)
    assert (dx.verdict, dx.tried, dx.failed) == ("correct", 300, 0)


@pytest.mark.parametrize("factor", [0.0, 2.0, np.nan])
def test_weights_that_miss_1_at_ties_only_are_correct_except_ties(factor: float) -> None:
    def jacobian(batch: PoolingBatch) -> Array:
        contested = batch.tied & (batch.tied.sum(axis=(-2, -1), keepdims=True) > 1)
        return np.where(contested, factor * batch.jacobian("split"), batch.jacobian("first"))

    verdict = grade(jacobian, "J", GENERAL)
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

    exercise = PoolingExercise(kernel=kernel, stride=kernel and (2, 2))
    verdict = grade(dx, "dx", exercise)
    assert verdict.verdict == "only-without-overlap"
    assert verdict.counterexample is not None
    assert verdict.counterexample.cells
    assert verdict.wrong_when == ("windows overlap",)
    json.dumps(verdict.as_dict(), allow_nan=False)


def test_an_overlapping_window_does_not_excuse_a_rule_that_is_wrong_without() -> None:
    verdict = grade(
        lambda batch: 3 * right(batch), "dx", PoolingExercise(kernel=(3, 3), stride=(1, 1))
    )
    assert (verdict.verdict, verdict.misconception) == ("wrong", None)


def test_an_unknown_wrong_rule_gets_no_name() -> None:
    verdict = grade(lambda batch: right(batch) + 0.125, "dx", GENERAL)
    assert (verdict.verdict, verdict.misconception, verdict.failed) == ("wrong", None, 300)
    assert verdict.wrong_when == ()


def forms(known: Misconception, target: Target) -> list[Rule]:
    if target == "J":
        return list(known.weights)
    sent = [
        lambda b, form=form: np.einsum("nkl,nklij->nij", b.delta, form(b)) for form in known.weights
    ]
    return [*sent, *known.messages]


@pytest.mark.parametrize("target", ["dx", "J"])
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_every_form_of_a_misconception_is_wrong_and_named(
    known: Misconception, target: Target
) -> None:
    for form in forms(known, target):
        verdict = grade(form, target, GENERAL)
        assert verdict.verdict == "wrong"
        # Two readings may give the same numbers; then it is the name that is looked up first.
        assert verdict.misconception == known.name
        assert verdict.teaching == known.teaching
        example = verdict.counterexample
        assert isinstance(example, Counterexample)
        assert example.cells
        assert np.size(example.x) <= 6 or "padding" in known.name


def test_the_counterexample_shows_the_rule_at_fault() -> None:
    verdict = grade(lambda batch: -right(batch), "dx", GENERAL)
    example = verdict.counterexample
    assert isinstance(example, Counterexample)
    assert (example.kernel, example.x, example.delta) == ((1, 1), [[0.0]], [[1.0]])
    assert (example.yours, example.expected, example.cells) == ([[-1.0]], [[1.0]], [(0, 0)])


def test_a_jacobian_is_shown_by_the_window_that_is_off() -> None:
    def second_window_forgotten(batch: PoolingBatch) -> Array:
        J = batch.jacobian("first").copy()
        J[:, :, 1:] = 0
        return J

    example = grade(second_window_forgotten, "J", GENERAL).counterexample
    assert isinstance(example, Counterexample)
    assert example.window == (0, 1)
    assert example.delta is None
    assert np.shape(example.yours) == np.shape(example.x)


def test_where_no_small_input_fails_the_smallest_of_the_trials_is_shown() -> None:
    def wrong_on_wide_inputs(batch: PoolingBatch) -> Array:
        return right(batch) * (2.0 if batch.x.shape[-1] == 6 else 1.0)

    example = grade(wrong_on_wide_inputs, "dx", GENERAL).counterexample
    assert isinstance(example, Counterexample)
    assert np.shape(example.x) == (5, 6)


def test_a_rule_that_never_fails_has_no_counterexample() -> None:
    def judge(batch: PoolingBatch) -> JudgedPooling:
        return JudgedPooling(batch, "dx", right(batch))

    assert smallest_failure(GENERAL, Judge(judge), lambda one: ~one.valid, []).found is None


def test_the_same_seed_gives_the_same_verdict() -> None:
    answer = "sum(delta[k,l]*x[i,j]*[(i,j)==argmax(k,l)] for k,l)"
    assert check(answer, GENERAL, seed=3) == check(answer, GENERAL, seed=3)
    assert check(answer, GENERAL, seed=3).seed == 3
    assert check(answer, GENERAL, trials=25).tried == 25


def test_the_other_message_than_asked_for_is_refused_with_a_way_out() -> None:
    J = "df_kl/dx_ij = 1 if (i,j) == argmax(k,l) else 0"
    dx = "dx[i,j] = sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"
    refused = check(J, PoolingExercise(find="dx"))
    assert refused.verdict == "unreadable"
    assert "Jacobian" in (refused.message or "")
    assert "delta" in (refused.hint or "")
    assert check(dx, PoolingExercise(find="J")).verdict == "unreadable"
    assert check(dx, PoolingExercise(find="dx")).ok
    assert check(J, PoolingExercise(find="J")).ok


SUM = "sum(delta[k,l]*[(i,j)==argmax(k,l)] for k,l)"


@pytest.mark.parametrize(
    ("answer", "verdict", "when"),
    [
        # A size that only overlapping windows had would not make it the overlap's fault.
        (f"{SUM} if H < 6 else 0", "wrong", ()),
        (f"{SUM} if W < 7 else 0", "wrong", ()),
        (f"{SUM} * [kh < 4]", "wrong", ()),
        (f"{SUM} if ph == 0 and pw == 0 else 0", "wrong", ("there is padding",)),
        (f"{SUM} if (sh >= kh or Ho == 1) and (sw >= kw or Wo == 1) else 0",
         "only-without-overlap", ("windows overlap",)),
        # One window alone overlaps with none, whatever its stride is.
        (f"{SUM} if sh >= kh and sw >= kw else 0", "wrong", ()),
        (f"{SUM} if sh <= kh and sw <= kw else 0", "wrong", ("stride is larger than the kernel",)),
        (f"{SUM} if min(x) >= 0 else 0", "wrong", ("an input is negative",)),
        (f"{SUM} * max(delta)/max(delta)", "wrong", ("an upstream message is 0",)),
        (SUM.replace("delta", "delta[k,l]/delta[k,l]*delta"), "wrong",
         ("an upstream message is 0",)),
        (SUM.replace("for k,l", "for k in range(Ho+1) for l in range(Wo)"), "wrong", ()),
        ("Σ_{k=0}^{Ho} Σ_{l=0}^{Wo} δ_kl [(i,j) = argmax(k,l)]", "wrong", ()),
        ("sum(δ_kl [x_ij > max(x_pq for p,q in Omega(k,l) if (p,q) != (i,j))] "
         "for k,l if (i,j) in Omega(k,l))", "correct-except-ties",
         ("a value occurs twice in a window",)),
        # Places in the padding never win, so their windows need no test of their own.
        ("sum(δ_kl [x_ij = max(x[p,q] for p in range(k*sh-ph, k*sh-ph+kh) "
         "for q in range(l*sw-pw, l*sw-pw+kw))] for k,l if (i,j) in Omega(k,l))",
         "correct-except-ties", ("a value occurs twice in a window",)),
    ],
)  # fmt: skip
def test_wrong_only_when_is_said_where_nothing_else_makes_it_fail(
    answer: str, verdict: str, when: tuple[str, ...]
) -> None:
    found = check(answer, GENERAL)
    assert (found.verdict, found.wrong_when) == (verdict, when)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("answer", [
    "delta[k,l] * [(i,j) == argmax(k,l)]", f"{SUM} if ph == 0 and pw == 0 else 0",
    "sum(δ_kl [x_ij > max(x_pq for p,q in Omega(k,l) if (p,q) != (i,j))] for k,l)",
    f"{SUM} if min(x) >= 0 else 0",
])  # fmt: skip
def test_the_counterexample_meets_what_is_said_of_all_failures(answer: str, seed: int) -> None:
    found = check(answer, GENERAL, seed=seed)
    example = found.counterexample
    assert isinstance(example, Counterexample)
    delta = np.zeros((1, 1, 1)) if example.delta is None else np.array([example.delta])
    shown = PoolingBatch(
        example.kernel, example.stride, example.padding, np.array([example.x]), delta, ()
    )
    for condition in CONDITIONS:
        assert condition.name not in found.wrong_when or condition.met(shown).all()


@pytest.mark.parametrize(
    ("seed", "trials", "sentence"),
    [(-1, 300, "seed is -1: a whole number of at least 0"), (0, 0, "trials is 0: a whole number")],
)
def test_a_seed_or_trials_that_cannot_be_are_refused(seed: int, trials: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check(SUM, GENERAL, seed=seed, trials=trials)


def test_a_window_given_apart_accepts_what_holds_there() -> None:
    exercise = PoolingExercise(kernel=(2, 2), stride=(2, 2))
    assert check("delta[k,l] * [(i,j) == argmax(k,l)]", exercise).verdict == "correct"
    tied = check("delta[k,l] if x[i,j] == max(Omega(k,l)) else 0", exercise)
    assert tied.verdict == "correct-except-ties"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        "\x00",
        "(" * 5000,
        "1/0",
        "delta[k,l]/0",
        "exp(1e9)",
        "x[99,99]",
        "∂" * 50,
        "1e999",
    ],
)
def test_no_text_makes_it_raise(answer: str) -> None:
    verdict = check(answer, GENERAL, trials=24)
    assert verdict.verdict in ("wrong", "unreadable")
    json.dumps(verdict.as_dict(), allow_nan=False)


POOL = {"layer": "max-pool"}
RIGHT = "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"


@pytest.mark.parametrize(
    ("keys", "answer", "near"),
    [
        ({"layer": "softmax", "find": "J"}, "dy[k]/dx[j] = -y[k]*y[j]", "only the diagonal"),
        (
            {"layer": "softmax", "find": "J"},
            "dy[k]/dx[j] = y[k]*([k==j]+y[j]) - 2*[k==j]*y[k]^2",
            "only what is off the diagonal",
        ),
        (
            {"layer": "linear"},
            "dL/dx[j] = sum(delta[k]*W[k,j] for k) * (2 if j == 0 else 1)",
            "only the first j",
        ),
        ({"layer": "relu"}, "dL/dx[k] = delta[k]", "only where x[k] < 0, on "),
        ({"layer": "linear"}, "dL/dx[j] = 2 * sum(delta[k]*W[k,j] for k)", None),
        (POOL, f"{RIGHT} + [i == 0]", "only the first i"),
        (POOL, f"{RIGHT} + [i == 0 or j == 0 or i == H-1 or j == W-1]", "only the border"),
        (POOL, "delta[k,l] * [(i,j) == argmax(k,l)]", "only inputs of several windows, on "),
        (POOL, "df_kl/dx_ij = [x[i,j] == f[k,l]]", "only inputs outside the window, on "),
    ],
)
def test_a_near_miss_says_where(keys: dict[str, Any], answer: str, near: str | None) -> None:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise).near
    assert found is None if near is None else (found or "").startswith(near), found


def entries(*off: tuple[int, ...], rows: int = 40, shape: tuple[int, ...] = (2, 3)) -> Entries:
    mask = np.zeros((rows, *shape), dtype=np.bool_)
    for at in off:
        mask[at] = True
    return Entries(mask, np.ones_like(mask), ("i", "j")[: len(shape)])


def test_where_nothing_is_said_of_places_entries_are_counted() -> None:
    found = nearness([entries((0, 0, 1), (1, 1, 2), (2, 0, 0))])
    assert found == "1 of 6 entries, on 3 of 40 inputs"
    assert nearness([entries()]) is None


def test_a_region_is_named_only_where_enough_lies_outside_of_it() -> None:
    few = entries((0, 0, 0), (1, 0, 0), rows=2)
    assert nearness([few]) == "1 of 6 entries"
    many = entries(*((n, 0, 0) for n in range(40)))
    assert nearness([many]) == "only the diagonal"


GIVEN = PoolingExercise(kernel=(2, 2), stride=(2, 2))
RIGHT_ANSWERS = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] * {} for k,l)"
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
    assert verdict(RIGHT_ANSWERS.format(f"[{of} {formula} {size}]")) == "wrong"
    assert verdict(function(f"if {of} {wrong} {size}: dx *= 2")) == "wrong"


@settings(max_examples=10, deadline=None)
@given(size=st.integers(3, 30), of=st.sampled_from(("i < {}", "l != {}", "H + W != {}", "H % {}")))
def test_so_are_indices_and_what_is_worked_out_of_sizes(size: int, of: str) -> None:
    condition = of.format(size) + (" != 0" if "%" in of else "")
    found = check(RIGHT_ANSWERS.format(f"[{condition}]"), GENERAL)
    assert found.verdict == "wrong", condition


@settings(max_examples=10, deadline=None)
@given(size=st.integers(3, 30), of=st.sampled_from(("H", "W", "Ho", "Wo")))
def test_of_a_given_kernel_too(size: int, of: str) -> None:
    assert verdict(RIGHT_ANSWERS.format(f"[{of} < {size + 5}]"), GIVEN) == "wrong"
    assert verdict(function(f"if {of} == {2 * size}: dx *= 2"), GIVEN) == "wrong"


@settings(max_examples=20, deadline=None)
@given(
    border=large,
    of=st.sampled_from(("x[i,j] < {}", "abs(delta[k,l]) < {}", "f[k,l] > -{}", "max(x) < {}")),
)
def test_values_lie_on_both_sides_of_a_number_of_the_answer(border: float, of: str) -> None:
    assert verdict(RIGHT_ANSWERS.format(f"[{of.format(border)}]")) == "wrong"


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
    assert verdict(RIGHT_ANSWERS.format(f"[x[i,j] != {value}]")) == "wrong"
    assert verdict(RIGHT_ANSWERS.format(f"[delta[k,l] != {value}]")) == "wrong"
    assert verdict(function(f"dx[x == {value}] += 1")) == "wrong"


@settings(max_examples=8, deadline=None)
@given(more=st.integers(3, 9), of=st.sampled_from(("H != W", "W != H", "Ho != Wo", "kh != kw")))
def test_two_sizes_are_apart_by_a_number_of_the_answer(more: int, of: str) -> None:
    assert verdict(RIGHT_ANSWERS.format(f"[{of} + {more}]")) == "wrong"


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
        RIGHT_ANSWERS.format(f"[H < {number}]"),
        function(f"if H > {number.replace('^', '**')}: dx *= 2"),
    ):
        found = check(answer, GENERAL)
        assert found.verdict == "correct"
        assert found.remark is not None
        assert found.remark.startswith("No input was found with sizes of ")


def test_an_absurd_number_is_no_harm() -> None:
    for number in ("1e300", "9^9^9^9", "1/0", "0.0000000001", "99999999999999999999999999"):
        assert verdict(RIGHT_ANSWERS.format(f"[x[i,j] < {number} or 1 == 1]")) == "correct"


@pytest.mark.parametrize(
    "exercise", [GENERAL, GIVEN, PoolingExercise(kernel=(3, 3), stride=(1, 2))]
)
@pytest.mark.parametrize("number", ["7", "1e9", "-3.25", "12"])
def test_numbers_make_no_right_answer_wrong(exercise: PoolingExercise, number: str) -> None:
    """With them, a condition that always holds, and a sum that always ends in time."""
    kept = f"[x[i,j] < {number} or x[i,j] >= {number}] * [max(H, {number}) >= H]"
    assert verdict(RIGHT_ANSWERS.format(kept), exercise) == "correct"
    assert verdict(function(f"dx[x == {number}] += 0"), exercise) == "correct"


def test_no_layout_is_made_out_to_be_the_reason_of_a_border() -> None:
    for condition in ("x[i,j] < 1e8", "H != 17", "delta[k,l] < 4e5"):
        assert check(RIGHT_ANSWERS.format(f"[{condition}]"), GENERAL).wrong_when == ()


def test_no_way_to_write_numbers_is_a_fault() -> None:
    for odd in ("1_", "1__2", "٣", "1e", "1_000", "9**9**9**9", "1/0", "1_" * 4_000, "1+" * 4_000):
        assert verdict(f"{FUNCTION}# {odd}") == "correct"


def test_a_window_that_does_not_exist_is_told() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    found = check("sum(delta[k+1,l] * [(i,j) == argmax(k,l)] for k,l)", exercise)
    case = found.counterexample
    assert found.verdict == "wrong"
    assert isinstance(case, Counterexample)
    row, column = case.cells[0]
    assert case.yours[row][column] != case.yours[row][column]
    assert f"At ({row},{column}) the answer has no value" in case.note


def test_an_answer_with_values_everywhere_is_not() -> None:
    exercise = exercise_for("max-pool", [], "derivation")
    assert exercise is not None
    case = check("sum(delta[k,l] for k,l if (i,j) in Omega(k,l))", exercise).counterexample
    assert case is not None
    assert "no value" not in case.note


LEFT_OVER = {"layer": "max-pool", "kernel": 2, "stride": 2}


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("delta[i//2,j//2] * [(i,j) == argmax(i//2,j//2)]", "correct"),
        ("delta[i//2,j//2] if (i,j) == argmax(i//2,j//2) else 0", "correct"),
        ("k = i//2; l = j//2; dx[i,j] = delta[k,l] * [(i,j) == argmax(k,l)]", "correct"),
        ("delta[i//2,j//2] * [x[i,j] == f[i//2,j//2]]", "correct-except-ties"),
        ("delta[i//2,j//2]", "wrong"),
        ("delta[i//2,j//2] if (i,j) == argmax(i//2,j//2) else 1", "wrong"),
        ("delta[i//2,j//2] * [(i,j) == argmax(i//2,j//2)] + [i == H-1] * [H % 2 == 1]", "wrong"),
    ],
)
def test_at_pixels_that_are_left_over_a_product_with_no_message_is_0(
    answer: str, verdict: str
) -> None:
    exercise = exercise_for(LEFT_OVER, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == verdict
    if verdict.startswith("correct"):
        assert "there is no window" in (found.remark or "")


def test_free_k_and_l_among_several_windows_are_told_for_what_they_are() -> None:
    exercise = exercise_for({"layer": "max-pool", "kernel": 2, "stride": 1}, [], "derivation")
    assert exercise is not None
    case = check("delta[k,l] * [(i,j) == argmax(k,l)]", exercise).counterexample
    assert isinstance(case, Counterexample)
    assert "lies in 2 windows" in case.note
    assert "does not exist" not in case.note
