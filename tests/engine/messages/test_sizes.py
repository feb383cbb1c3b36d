"""An answer need not hold beyond the sizes that a card gives; where it does not, it is said."""

from __future__ import annotations

from engine.checking import check
from engine.exercise import exercise_for
from engine.verdict import Verdict

MEAN = "L = sum(x[k]^2 for k)/sum(1 for k)"


def verdict(answer: str, **keys: object) -> Verdict:
    exercise = exercise_for({"given": MEAN, "find": "dL/dx[k]", **keys}, (), "derivation")
    assert exercise is not None
    return check(answer, exercise)


def test_what_is_right_at_the_cards_sizes_is_correct_with_a_remark() -> None:
    found = verdict("2*x[k]/3", sizes={"k": 3})
    assert (found.verdict, found.failed) == ("correct", 0)
    assert "k of another length" in str(found.remark)


def test_what_is_right_at_every_size_has_no_remark() -> None:
    assert verdict("2*x[k]/sum(1 for k)", sizes={"k": 3}).remark is None


def test_what_is_wrong_at_the_cards_sizes_is_wrong() -> None:
    assert verdict("2*x[k]/4", sizes={"k": 3}).verdict == "wrong"


def test_without_sizes_a_letter_runs_equally_far_wherever_it_stands() -> None:
    assert verdict("2*x[k]/sum(1 for k)").verdict == "correct"


def test_without_sizes_each_sum_counts_its_own_letter() -> None:
    given = "m = sum(x[k] for k)/sum(1 for k)\nL = m + sum(y[j] for j)/sum(1 for j)"
    exercise = exercise_for({"given": given, "find": ["dL/dx[k]", "dL/dy[j]"]}, (), "derivation")
    assert exercise is not None
    both = "dL/dx[k] = 1/sum(1 for k)\ndL/dy[j] = 1/sum(1 for j)"
    assert check(both, exercise).verdict == "correct"
    assert check("dL/dy[j] = 1/sum(1 for k)", exercise).verdict == "wrong"


def test_without_sizes_a_number_in_place_of_the_length_is_wrong() -> None:
    assert verdict("2*x[k]/3").verdict == "wrong"
