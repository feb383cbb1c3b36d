"""Are verdicts sound?  Mutants against brute force, right answers over many seeds, rubbish.

`python -m tests.bench.sound [time|mutants|given|right|fuzz]`; `make bench` prints the times, and
`make bench-long` all else.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import yaml

from engine.checking import check
from engine.pooling.exercise import PoolingExercise
from tests.bench.figures import Figure
from tests.engine.brute import fuzz, given
from tests.engine.brute.agreement import disagreement
from tests.engine.brute.answers import FORMULAS, FUNCTIONS, LATEX, WRITTEN
from tests.engine.brute.inputs import apart, cases, shapes_of
from tests.engine.brute.mutants import Mutant, mutants
from tests.engine.brute.pooling import Pair
from tests.paths import MATERIAL

GENERAL = PoolingExercise()
#: Windows that cards give: kernel, stride, padding.
GIVEN: tuple[tuple[Pair, Pair, Pair], ...] = (
    ((2, 2), (2, 2), (0, 0)),
    ((3, 3), (2, 2), (1, 1)),
    ((2, 2), (1, 1), (0, 0)),
    ((1, 3), (2, 1), (0, 1)),
    ((2, 2), (3, 3), (0, 0)),
)
INPUTS = 40
#: Of right answers; each check has 300 of them.
TRIALS = 100_000
FUZZED = 30_000


def mutant_figures() -> Iterator[Figure]:
    """Each mutant's verdict beside brute force; of windows that are given, each twelfth."""
    every = mutants()
    yield Figure("mutants of right answers, readable", len(every), 400, "", False)
    off = list(_off(every, GENERAL, None))
    for kernel, stride, padding in GIVEN:
        exercise = PoolingExercise(kernel=kernel, stride=stride, padding=padding)
        off += _off(every[::12], exercise, (kernel, stride, padding))
    for sentence in off:
        print("   ", sentence, file=sys.stderr)
    yield Figure("mutants whose verdict brute force contests", len(off), 0, "")


def _off(
    some: list[Mutant], exercise: PoolingExercise, window: tuple[Pair, Pair, Pair] | None
) -> Iterator[str]:
    tried = cases(99, INPUTS, shapes_of(*window) if window else None)
    moved = partial(apart, 99, *(window or ()))
    for mutant in some:
        found = check(mutant.text, exercise)
        if found.verdict == "unreadable":
            continue
        wrong = disagreement(mutant.tree, found, tried, moved, general=window is None)
        if wrong is not None:
            yield f"{wrong}: {mutant.echo}"


def given_figures() -> Iterator[Figure]:
    """Mutants of answers to forward messages that cards give, beside differences."""
    found = [given.contested(one, 40) for one in given.EXERCISES]
    for sentence in (sentence for _, off in found for sentence in off):
        print("   ", sentence, file=sys.stderr)
    yield Figure("mutants on given messages", sum(many for many, _ in found), 200, "", False)
    yield Figure("of these, contested by differences", sum(len(off) for _, off in found), 0, "")


def right_figures() -> Iterator[Figure]:
    """Right answers of all three languages, each with other seeds."""
    rejected = trials = 0
    answers = (*FORMULAS, *LATEX, *FUNCTIONS)
    for seed in count(1000):
        for answer in answers:
            found = check(answer, GENERAL, seed=seed)
            trials += found.tried
            rejected += found.failed + (found.verdict == "unreadable")
        if trials >= TRIALS:
            break
    yield Figure("right answers, trials", trials, TRIALS, "", False)
    yield Figure("right answers, rejected", rejected, 0, "")


def fuzz_figures() -> Iterator[Figure]:
    """Processor time; of a function, whose source is read in another process, wall time."""
    for kind, name, clock in (
        ("formula", "formulas", time.process_time),
        ("LaTeX", "LaTeX", time.process_time),
        ("function", "functions", time.perf_counter),
    ):
        crashed, pauses = fuzz.tried(fuzz.texts(kind, 7, FUZZED), fuzz.READERS[kind], clock)
        for text in crashed[:5]:
            print("   ", repr(text), file=sys.stderr)
        yield Figure(f"fuzzed {name}, of {FUZZED}: crashes", len(crashed), 0, "")
        yield Figure(f"fuzzed {name}, longest pause", 1000 * max(pauses), 50, "ms")
        yield Figure(f"fuzzed {name}, median", 1000 * statistics.median(pauses), 50, "ms")


def time_figures() -> Iterator[Figure]:
    """Wall time of the verdicts on the answers, and beside it our own processor's time."""
    listed = [yaml.safe_load(each.answers.read_text("utf-8")) for each in MATERIAL]
    for kind, asked in (("formula", 50), ("latex", 60), ("numpy", 60)):
        timed = [
            _timed(partial(check, e["answer"], GENERAL)) for each in listed for e in each[kind]
        ]
        wall, own = [wall for wall, _ in timed], [own for _, own in timed]
        yield Figure(f"{kind} verdict, median", statistics.median(wall), asked, "ms")
        yield Figure(f"{kind} verdict, slowest", max(wall), asked, "ms")
        yield Figure(f"{kind} verdict, slowest, process time", max(own), asked, "ms")
    walls = [_timed(partial(check, one.source, GENERAL))[0] for one in WRITTEN]
    many = f"{len(WRITTEN)} other functions"
    yield Figure(f"{many}, median", statistics.median(walls), 60, "ms")
    yield Figure(f"{many}, slowest", max(walls), 60, "ms")


def _timed(work: Callable[[], object], runs: int = 9) -> tuple[float, float]:
    """The median milliseconds of wall time and of this process, once warm."""
    work()
    taken = []
    for _ in range(runs):
        start = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    wall, own = (1000 * statistics.median(column) for column in zip(*taken, strict=True))
    return wall, own


PARTS = {
    "time": time_figures,
    "mutants": mutant_figures,
    "given": given_figures,
    "right": right_figures,
    "fuzz": fuzz_figures,
}


def searching_figures() -> Iterator[Figure]:
    """All but the times: each of these tries many thousand answers."""
    for name, part in PARTS.items():
        if name != "time":
            yield from part()


def main() -> int:
    for name in sys.argv[1:] or PARTS:
        for figure in PARTS[name]():
            print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
