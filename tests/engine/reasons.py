"""The reasons that verdicts give, tried on some thousand inputs that the check never saw.

The answers have two causes of failure: mistakes behind a condition, in turns, and added up.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, product
from typing import Any, Final

import numpy as np

from engine.checking import check
from engine.exercise import Entries, Exercise
from engine.formula.tree import FormulaError
from engine.grading import nearness
from engine.messages.exercise import GivenExercise
from engine.messages.model import Model
from engine.pooling.exercise import PoolingExercise
from engine.pooling.inputs import GENERAL, Geometry, PoolingBatch, draw
from engine.verdict import Verdict
from tests.engine.cases import listed, made, table

POOLING: Final = PoolingExercise()
#: Windows that cards give: kernel, stride, padding.
WINDOWS: Final = (((2, 2), (2, 2), (0, 0)), ((3, 3), (2, 2), (1, 1)), ((3, 3), (3, 3), (1, 1)))
#: Inputs that try a reason.
INPUTS: Final = 3_000
#: A condition is no reason where so small a share of the inputs that meet it fails.
LEAST: Final = 0.02

_ALONE: Final = table("right")["alone"]
_RIGHT, _WRONG, _WHERE = (_ALONE[kind] for kind in ("right", "wrong", "where"))


def pooling_answers(seed: int) -> Iterator[str]:
    """Mistakes alone, behind conditions, in turns with others, and several at once, shuffled."""
    each = (*_RIGHT, *_WRONG)
    found = [f"{a} if {where} else {b}" for a, b, where in product(each, each, _WHERE) if a != b]
    found += [f"{a} + {b} - {_RIGHT[0]}" for a, b in product(_WRONG, _WRONG) if a < b]
    random.Random(seed).shuffle(found)
    return iter([*_WRONG, *found])


def given_answers(seed: int) -> Iterator[tuple[Exercise, str]]:
    """The same, of the answers to forward messages that are listed for the tests."""
    rng = random.Random(seed)
    found = []
    for group in chain(table("cards"), table("mistakes")):
        exercise = made(group["exercise"])
        if not isinstance(exercise, GivenExercise):
            continue
        for answer, verdict, _ in listed(group):
            if verdict == "correct-except-ties":
                continue
            read = _read(exercise, answer)
            if read is not None:
                found.append((exercise, str(_model(exercise)), *read))
    alone = [(exercise, text) for exercise, _, _, text in found]
    mixed = []
    for exercise, task, left, text in found:
        others = [t for _, other, head, t in found if (task, left) == (other, head) and t != text]
        body = text.partition(" = ")[2]
        for other in rng.sample(others, min(3, len(others))):
            mixed.append((exercise, f"{left} = ({body}) + 0 * ({other.partition(' = ')[2]})"))
        for where in rng.sample(list(_conditions(exercise, left)), 2) if others else ():
            other = rng.choice(others).partition(" = ")[2]
            mixed.append((exercise, f"{left} = ({body}) if {where} else ({other})"))
        for third in rng.sample(others, min(1, len(others))):
            part = third.partition(" = ")[2]
            second = rng.choice(others).partition(" = ")[2]
            mixed.append((exercise, f"{left} = ({body}) + ({part}) - ({second})"))
    rng.shuffle(mixed)
    return iter([*rng.sample(alone, min(len(alone), 250)), *mixed])


def _model(exercise: Exercise) -> Model:
    assert isinstance(exercise, GivenExercise)
    return exercise.task.model


def _read(exercise: GivenExercise, answer: str) -> tuple[str, str] | None:
    """The left side and the whole of an answer of one line, as it is understood."""
    try:
        echo = exercise.grader().read(answer).echo
    except FormulaError:
        return None
    left, equals, _ = echo.partition(" = ")
    return (left, echo) if equals and "\n" not in echo else None


def _conditions(exercise: GivenExercise, left: str) -> Iterator[str]:
    """Comparisons of whole numbers, entries and sizes."""
    for name, arity in _model(exercise).forward.inputs.items():
        if arity < 3:
            letters = ",".join("uvw"[:arity])
            entry = f"{name}[{letters}]" if arity else name
            run = f" for {letters}" if arity else ""
            for bound in ("0", "1.5", "-2", "40", "1e5"):
                yield f"max({entry}{run}) > {bound}" if run else f"{entry} > {bound}"
                yield f"min({entry}{run}) < {bound}" if run else f"{entry} < {bound}"
    for letter in left.partition("/")[2].partition("[")[2].rstrip("]").split(","):
        if letter:
            yield from (f"{letter} == 0", f"{letter} < 2", f"{letter} < 3")


def reasons(verdict: Verdict) -> list[tuple[str, str]]:
    """What a verdict says of the cause, each with its kind."""
    found = [("wrong only when", said) for said in verdict.wrong_when]
    if verdict.misconception and verdict.tried:
        found.append(("misconception", verdict.misconception))
    place = (verdict.near or "").partition(", on ")[0]
    if place and not place.startswith("on "):
        found.append(("near", place))
    if verdict.verdict in ("only-without-overlap", "correct-except-ties"):
        found.append((verdict.verdict, ""))
    if verdict.remark and verdict.remark.startswith("It would not hold"):
        found.append(("remark", verdict.remark))
    return found


def false(exercise: Exercise, answer: str, verdict: Verdict) -> list[tuple[str, str]]:
    """Those of the reasons that some input refutes."""
    said = reasons(verdict)
    if not said:
        return []
    grader = exercise.grader()
    reading = grader.read(answer)
    known: Any = exercise
    rule = partial(grader.evaluate, reading)
    with np.errstate(all="ignore"):
        # Of other sizes a remark speaks, and where an answer names one, it is about that.
        sized = [b for b in grader.aimed(reading, _fresh(known)) if grader.beyond(b)]
        fresh, other = (
            [grader.judged(b, reading.target, rule(b), rule) for b in batches]
            for batches in (_fresh(known), sized)
        )
        held = {"remark": [*fresh, *other]}
        return [
            (kind, text)
            for kind, text in said
            if not _holds(kind, text, held.get(kind, fresh), exercise)
        ]


def _holds(kind: str, said: str, fresh: Sequence[Any], exercise: Exercise) -> bool:
    match kind:
        case "wrong only when":
            met = _met(said, exercise)
            held = [(met(one.batch), ~one.valid) for one in fresh]
            failing = sum(int((here & fails).sum()) for here, fails in held)
            share = failing / max(1, sum(int(here.sum()) for here, _ in held))
            return share >= LEAST and not any((fails & ~here).any() for here, fails in held)
        case "misconception":
            named = exercise.grader().named(fresh, (), thorough=True)
            return named is not None and named.name == said
        case "near":
            return _near(said, [one.entries for one in fresh])
        case "only-without-overlap":
            return not any(one.astray.any() for one in fresh if not one.batch.overlaps)
        case "correct-except-ties":
            own = [one for one in fresh if not exercise.grader().beyond(one.batch)]
            return not any(one.astray.any() for one in own)
    return any(
        ~one.valid.all() and exercise.grader().beyond(one.batch) in said
        for one in fresh
        if exercise.grader().beyond(one.batch)
    )


def _met(said: str, exercise: Exercise) -> Callable[[Any], Any]:
    found = exercise.grader().conditions
    known = {one.name: one.met for one in (*chain.from_iterable(found.ways), *found.joined)}
    parts = [known[part] for part in said.split(", or ")]
    return lambda batch: np.any([part(batch) for part in parts], axis=0)


def _near(said: str, entries: Sequence[Entries]) -> bool:
    if not said.endswith(" entries"):
        return (nearness(entries) or "").partition(", on ")[0] == said
    most, _, total = said.removeprefix("at most ").removesuffix(" entries").partition(" of ")
    return not any(
        (e.off & e.known).reshape(len(e.off), -1).sum(axis=1).max(initial=0) > int(most)
        for e in entries
        if int(np.prod(e.off.shape[1:])) == int(total)
    )


@cache
def _fresh(exercise: Any) -> tuple[Any, ...]:
    if isinstance(exercise, PoolingExercise):
        return tuple(_strange(exercise, np.random.default_rng(90_001)))
    return tuple(exercise.grader().drawn(90_001, INPUTS))


def _strange(exercise: PoolingExercise, rng: np.random.Generator) -> Iterator[PoolingBatch]:
    """Inputs of every kind, as many of each, over the check's geometries and many others."""
    shapes = [] if exercise.kernel else list(GENERAL)
    while len(shapes) < 70:
        kernel = exercise.kernel or _pair(rng, 1, 6)
        stride = exercise.stride or _pair(rng, 1, 5)
        padding = exercise.padding or (0, 0)
        if not exercise.kernel and rng.random() < 0.5:
            padding = (int(rng.integers(kernel[0] // 2 + 1)), int(rng.integers(kernel[1] // 2 + 1)))
        size = _pair(rng, 1, 10)
        if all(n + 2 * p >= k for n, p, k in zip(size, padding, kernel, strict=True)):
            shapes.append(Geometry(kernel, stride, padding, size))
    for shape in shapes:
        batch = draw(shape, rng, INPUTS // len(shapes) + 1, "each")
        batch.x[::11] *= 100.0
        yield batch


def _pair(rng: np.random.Generator, least: int, stop: int) -> tuple[int, int]:
    return int(rng.integers(least, stop)), int(rng.integers(least, stop))


def tally(
    some: Sequence[tuple[Exercise, str]], tell: Callable[[str], None] = lambda _: None
) -> tuple[Counter[str], Counter[str]]:
    """How many reasons of each kind are said of some answers, and how many of them are false."""
    said: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for exercise, answer in some:
        verdict = check(answer, exercise)
        if verdict.verdict == "unreadable":
            continue
        said["answers"] += 1
        said.update(kind for kind, _ in reasons(verdict))
        for kind, text in false(exercise, answer, verdict):
            wrong[kind] += 1
            tell(f"{kind}: {text}: {answer}")
    return said, wrong


def some_pooling(count: int, seed: int = 5) -> list[tuple[Exercise, str]]:
    texts = pooling_answers(seed)
    own = [PoolingExercise(kernel=k, stride=s, padding=p) for k, s, p in WINDOWS]
    places = [POOLING, POOLING, POOLING, *own]
    return [(places[n % len(places)] if n >= 18 else POOLING, next(texts)) for n in range(count)]


def some_given(count: int, seed: int = 5) -> list[tuple[Exercise, str]]:
    every = list(given_answers(seed))
    step = max(1, len(every) // count)
    return every[::step][:count]


PARTS: Final = {"pooling": some_pooling, "given": some_given}
