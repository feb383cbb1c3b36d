"""Where a card's indices begin at 1, those of every layer do: in its message and in answers."""

from __future__ import annotations

import pytest

from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for, layers


def made(layer: str, **keys: object) -> Exercise:
    exercise = exercise_for({"layer": layer, "indices": 1, **keys}, [], "derivation")
    assert exercise is not None
    return exercise


@pytest.mark.parametrize("layer", layers())
def test_every_layer_counts_from_one(layer: str) -> None:
    exercise = made(layer)
    assert check(exercise.answer, exercise).verdict == "correct"
    assert all(said.startswith(("1 to", "the rows", "its columns")) for _, said in exercise.indices)
    assert "0 to" not in " ".join(said for _, said in exercise.indices)


@pytest.mark.parametrize(
    ("layer", "from_one", "from_zero"),
    [
        (
            "average-pool",
            r"\frac1r \sum_k \delta_k [1 \le i - (k-1)s \le r]",
            r"\frac1r \sum_k \delta_k [0 \le i - ks < r]",
        ),
        (
            "convolution",
            r"\frac{\partial L}{\partial W_a} = \sum_i \delta_i x_{(i-1)s+a}",
            r"\frac{\partial L}{\partial W_a} = \sum_i \delta_i x_{is+a}",
        ),
        (
            "convolution-2d",
            r"\sum_{a,b} \delta_{i-a+1,j-b+1} W_{ab}",
            r"\sum_{a,b} \delta_{i-a,j-b} W_{ab}",
        ),
        (
            "max-pool",
            "dx[i,j] = sum(delta[k,l] * [x[i,j] == max(window(k,l))] for k,l"
            " if (k-1)*sh < i+ph <= (k-1)*sh+kh and (l-1)*sw < j+pw <= (l-1)*sw+kw)",
            "dx[i,j] = sum(delta[k,l] * [x[i,j] == max(window(k,l))] for k,l"
            " if k*sh <= i+ph < k*sh+kh and l*sw <= j+pw < l*sw+kw)",
        ),
        (
            "max-pool",
            r"\sum_{k=1}^{H_o} \sum_{l=1}^{W_o} \delta_{kl}"
            r" [(i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}]",
            r"\sum_{k=0}^{H_o-1} \sum_{l=0}^{W_o-1} \delta_{kl}"
            r" [(i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}]",
        ),
    ],
)
def test_a_computed_place_is_read_from_one(layer: str, from_one: str, from_zero: str) -> None:
    right = ("correct", "correct-except-ties")
    zero = exercise_for(layer, [], "derivation")
    assert zero is not None
    assert check(from_one, made(layer)).verdict in right
    assert check(from_zero, zero).verdict in right
    assert check(from_zero, made(layer)).verdict == "wrong"
    # A sum over the whole range is read as print has it, wherever indices begin.
    assert (check(from_one, zero).verdict == "correct") == ("H_o" in from_one)


@pytest.mark.parametrize(
    "answer",
    [
        "(i*,j*) = argmax(k,l)\ndf_kl/dx_ij = [i == i*][j == j*]",
        "m[k,l] = max(window(k,l))\ndx[i,j] = sum(delta[k,l]*[x[i,j]==m[k,l]] "
        "for k,l in windows(i,j))",
        "dx[i,j] = sum(delta[k,l]*[(i,j)==argmax(k,l)] for k in range(1,Ho+1) "
        "for l in range(1,Wo+1))",
    ],
)
def test_places_of_windows_are_places_from_one_as_well(answer: str) -> None:
    assert check(answer, made("max-pool")).verdict.startswith("correct")


@pytest.mark.parametrize("layer", ["linear", "max-pool"])
def test_indices_begin_at_nothing_else(layer: str) -> None:
    with pytest.raises(ExerciseError, match="indices is 2: 0 or 1 is allowed"):
        exercise_for({"layer": layer, "indices": 2}, [], "derivation")
