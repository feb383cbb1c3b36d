"""A verdict gives a reason only where it holds on inputs that were drawn to refute it."""

from __future__ import annotations

from itertools import product

import pytest

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from tests.engine.cases import judged
from tests.engine.reasons import PARTS, POOLING, false, tally

FIRST = "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"
#: Right but at ties, where each of the maxima gets the whole message.
EACH = "sum(delta[k,l] * [x[i,j] == f[k,l]] for k,l if (i,j) in Omega(k,l))"
TIES = "a value occurs twice in a window"


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("many", [8, pytest.param(60, marks=pytest.mark.long)])
def test_hardly_any_reason_is_refuted_by_thousands_of_inputs(part: str, many: int) -> None:
    told: list[str] = []
    said, wrong = tally(PARTS[part](many), told.append)
    reasons = sum(said.values()) - said["answers"]
    assert reasons >= many / 2
    assert sum(wrong.values()) <= 0.02 * reasons, "\n".join(told)


@pytest.mark.parametrize(
    "instead",
    [f"2 * {FIRST}", *(pytest.param(o, marks=pytest.mark.long) for o in ("0", f"-{FIRST}"))],
)
@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("ph == 0 and pw == 0", "there is padding"),
        ("min(x) >= 0", "an input is negative"),
        ("(sh >= kh or Ho == 1) and (sw >= kw or Wo == 1)", "windows overlap"),
        ("sh <= kh and sw <= kw", "stride is larger than the kernel"),
    ],
)
def test_of_two_causes_none_is_said_to_be_the_only_one(where: str, name: str, instead: str) -> None:
    one = check(f"{FIRST} if {where} else {instead}", POOLING)
    assert one.wrong_when == (name,)
    both = check(f"{EACH} if {where} else {instead}", POOLING)
    assert both.wrong_when in ((f"{name}, or {TIES}",), (f"{TIES}, or {name}",))


@pytest.mark.parametrize("where", ["H < 6", "H * W < 30", "x[i,j] < 1e5", "max(delta) < 3"])
@pytest.mark.parametrize("other", ["ph == 0 and pw == 0", "min(x) >= 0"])
def test_what_fails_elsewhere_too_has_no_condition(where: str, other: str) -> None:
    answer = f"({FIRST} if {where} else 0) if {other} else 0"
    assert check(answer, POOLING).wrong_when == ()


@pytest.mark.parametrize(("where", "mistake"), product(
    ["max(x) < 1e7", "H < 7", "max(x) < 90", "Ho * Wo < 20"],
    [f"-{FIRST}", f"{FIRST} * x[i,j]", "sum([(i,j) == argmax(k,l)] for k,l)"],
))  # fmt: skip
def test_a_mistake_behind_a_condition_that_hardly_shows_has_no_name(
    where: str, mistake: str
) -> None:
    assert check(mistake, POOLING).misconception
    assert check(f"{mistake} if {where} else {FIRST}", POOLING).misconception is None


@pytest.mark.parametrize("exercise", [POOLING, PoolingExercise(kernel=(3, 3), stride=(2, 2))])
def test_how_many_entries_are_off_is_said_only_where_it_does_not_hang_on_the_size(
    exercise: PoolingExercise,
) -> None:
    found = check(f"2 * {FIRST}", exercise)
    assert "entries" not in (found.near or "")
    assert check(f"{FIRST} + [i == 0]", exercise).near == "only the first i"


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("answer", [
    f"{EACH} if Ho > 1 else {FIRST} * [x[i,j] > 0]", "delta[k,l] if x[i,j] == f[k,l] else 0",
    f"{EACH} if min(delta) < 0 else {FIRST} * [x[i,j] > 0]",
    f"delta[k,l] * [(i,j) == argmax(k,l)] if min(x) >= -3 else {EACH.partition(' if (')[0]})",
])  # fmt: skip
def test_what_is_said_holds_whatever_the_seed(answer: str, seed: int) -> None:
    assert false(POOLING, answer, check(answer, POOLING, seed=seed)) == []


@pytest.mark.parametrize(
    ("below", "slope"),
    [("exp(s[k])", "exp(s[k])"), ("s[k] / 4", "1/4"), ("tanh(s[k])", "1 - tanh(s[k])^2")],
)
def test_a_sign_that_no_failing_input_needs_is_no_reason(below: str, slope: str) -> None:
    keys = {
        "given": f"s[k] = sum(W[k,j] * x[j] for j)\ny[k] = s[k] if s[k] > 0 else {below}",
        "find": "dL/dx[j]",
    }
    wrong = "sum(delta[k] * W[k,j] for k)"
    right = f"sum(delta[k] * W[k,j] * (1 if s[k] > 0 else {slope}) for k)"
    found = judged(keys, f"{wrong} if max(x[u] for u) > 1.5 else {right}")
    assert found.verdict == "wrong"
    assert not any("negative" in said for said in found.wrong_when)


def test_a_size_is_no_reason_for_what_fails_at_ties_of_every_size() -> None:
    keys = {
        "given": "f[k,l] = max(x[2*k+a,2*l+b] for a,b)\ny[m] = sum(W[m,k,l] * f[k,l] for k,l)",
        "find": "dL/dx[i,j]",
        "sizes": {"a": 2, "b": 2, "k": 2, "l": 2, "m": 2},
    }
    each = "sum(delta[m] * W[m,i//2,j//2] for m) * [x[i,j] == f[i//2,j//2]]"
    found = judged(keys, each)
    assert found.verdict == "correct-except-ties"
    assert not any("runs over more than one" in said for said in found.wrong_when)
