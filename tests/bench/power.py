"""Which wrong answers survive n inputs of one kind?  `python -m tests.bench.power`.

The random inputs are a mixture (engine/{pooling,messages}/inputs.py), because each kind alone
lets some typical wrong answers pass.  This measures it: a list of wrong answers, tried on n inputs
of each kind alone, on Gaussian inputs of one geometry as is usual elsewhere, and on the mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import yaml

from engine.exercise import Exercise
from engine.messages.exercise import GivenExercise
from engine.messages.inputs import MIXTURE, draw
from engine.pooling import inputs as trials
from engine.pooling.exercise import PoolingExercise
from tests.bench.figures import Figure
from tests.engine.cases import made, table
from tests.paths import MATERIAL

COUNTS = (10, 30, 100, 300, 1000)
SEEDS = 5
#: Wrong rules of max pooling beside those of the tests' answers: mistakes that learners make.
MORE_POOLING = (
    "sum(delta[k,l] * [x[i,j] == f[k,l]] for k,l)",
    "sum(delta[k,l] * [(i,j) == argmax(k,l) and x[i,j] >= 0] for k,l)",
    "sum(delta[k,l] * [x[i,j] >= f[k,l] - 1e-8] for k,l if (i,j) in Omega(k,l))",
    "sum(delta[k,l] * [x[i,j] == max(0, f[k,l])] for k,l if (i,j) in Omega(k,l))",
    "delta[i,j]",
    "sum(delta[k,l] * [i == k and j == l] for k,l)",
    "sum(delta[k,l] * [(j,i) == argmax(k,l)] for k,l)",
    "sum(delta[l,k] * [(i,j) == argmax(k,l)] for k,l)",
    "sum(abs(delta[k,l]) * [(i,j) == argmax(k,l)] for k,l)",
    "sum(delta[k,l] * [(i,j) == argmin(x[p,q] for p,q in Omega(k,l))] for k,l)",
    "sum(delta[k,l] * (1 - [(i,j) == argmax(k,l)]) for k,l if (i,j) in Omega(k,l))",
    "max(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)",
    "sum(delta[k,l] * [x[i,j] == f[k,l]] for k in range(2) for l in range(2))",
    "sum(delta[k,l] * f[k,l] * [(i,j) == argmax(k,l)] for k,l)",
    "sum(delta[k,l] * [(i,j) == argmax(k,l)] / (kh * kw) for k,l)",
    "sum(delta[k,l] * [k*kh <= i and i < k*kh + kh and l*kw <= j and j < l*kw + kw"
    " and x[i,j] == f[k,l]] for k,l)",
    "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if i < kh)",
    "sum(delta[k,l] * exp(x[i,j] - f[k,l]) for k,l if (i,j) in Omega(k,l))",
)


#: (card, exercise, wrong answer).
Answers = list[tuple[str, Exercise, str]]
#: The inputs of an exercise: of one kind, from one seed, so many.
Batches = Callable[[Exercise, str, int, int], list[Any]]


def pooling_answers() -> Answers:
    listed = [yaml.safe_load(each.answers.read_text("utf-8"))["formula"] for each in MATERIAL]
    kept = ("wrong", "only-without-overlap", "correct-except-ties")
    found = [e["answer"] for entries in listed for e in entries if e["verdict"] in kept]
    return [("", PoolingExercise(), answer) for answer in (*found, *MORE_POOLING)]


def given_answers() -> Answers:
    return [
        (card["name"], made(card["exercise"]), answer)
        for card in table("cards")
        for answer in (*card.get("wrong", ()), *card.get("correct-except-ties", ()))
    ]


def pooling_batches(_: Exercise, kind: str, seed: int, count: int) -> list[Any]:
    """Inputs of one kind over all geometries; "one geometry" is Gaussian ones of the first."""
    general = trials.GENERAL
    if kind == "mixture":
        return trials.batches(general, seed, count)
    if kind == "one geometry":
        general, kind = general[:1], "gaussian"
    return trials.batches(general, seed, count, kind)


def given_batches(exercise: Exercise, kind: str, seed: int, count: int) -> list[Any]:
    assert isinstance(exercise, GivenExercise)
    task = exercise.task
    if kind == "mixture":
        return list(exercise.grader().drawn(seed, count))
    only = "gaussian" if kind == "one geometry" else kind
    sizes: list[dict[str, int]] = [{}]
    if kind != "one geometry" and not task.model.rigid:
        sizes += [{name: 1} for name in task.model.sized]
    rng = np.random.default_rng(seed)
    share = -(-count // len(sizes))
    return [draw(task.model, task.words.output, rng, share, grown, only) for grown in sizes]


def survives(exercise: Exercise, answer: str, batches: list[Any]) -> bool:
    grader = exercise.grader()
    reading = grader.read(answer)
    with np.errstate(all="ignore"):
        return all(
            grader.judged(batch, reading.target, grader.evaluate(reading, batch)).valid.all()
            for batch in batches
        )


def surviving(answers: Answers, batches: Batches, kind: str, count: int) -> list[str]:
    """The wrong answers that so many inputs of one kind leave standing, in some seed."""
    return [
        f"{name}: {answer}" if name else answer
        for name, exercise, answer in answers
        if any(
            survives(exercise, answer, batches(exercise, kind, seed, count))
            for seed in range(SEEDS)
        )
    ]


def studies() -> Iterator[tuple[str, Answers, list[str], Batches]]:
    kinds = ["one geometry", *MIXTURE, "mixture"]
    yield "max pooling", pooling_answers(), kinds, pooling_batches
    kinds = ["one geometry", *MIXTURE, "mixture"]
    yield "forward messages of cards", given_answers(), kinds, given_batches


def figures() -> Iterator[Figure]:
    """How many wrong answers survive 300 inputs of the mixture: none should."""
    for title, answers, _, batches in studies():
        left = surviving(answers, batches, "mixture", 300)
        name = f"{title}: {len(answers)} wrong answers, surviving"
        yield Figure(name[:44], len(left), 0, "")


def main() -> None:
    for title, answers, kinds, batches in studies():
        print(f"{title}: {len(answers)} wrong answers, {SEEDS} seeds")
        print(f"  {'kind of input':14}" + "".join(f"{f'n = {count}':>10}" for count in COUNTS))
        for kind in kinds:
            rows = [surviving(answers, batches, kind, count) for count in COUNTS]
            print(f"  {kind:14}" + "".join(f"{len(row):>10}" for row in rows), flush=True)
            at_300 = rows[COUNTS.index(300)]
            for answer in at_300 if len(at_300) <= 12 else (*at_300[:12], "..."):
                print(f"      {' // '.join(answer.splitlines())}")
        print()


if __name__ == "__main__":
    main()
