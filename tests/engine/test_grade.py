"""Laws of verdicts, on rules written in NumPy: every misconception is named, none where right."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.checking import check
from engine.grading import Judge, Rule, grade
from engine.pooling.exercise import PoolingExercise
from engine.pooling.grader import smallest_failure
from engine.pooling.inputs import JudgedPooling, PoolingBatch, Target
from engine.pooling.mistakes import CONDITIONS, KNOWN, Misconception
from engine.pooling.windows import Array
from engine.verdict import Counterexample

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
