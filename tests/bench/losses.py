"""Does rounding make right answers wrong, or wrong ones right?  Many losses, on many seeds.

`python -m tests.bench.losses [SEEDS]`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from engine.checking import check
from tests.bench.figures import Figure
from tests.engine.messages.test_losses import losses

SEEDS = 200
#: So many wrong answers to each, on so many seeds.
WRONG, WRONG_SEEDS = 10, 3


def figures(seeds: int = SEEDS) -> Iterator[Figure]:
    every = losses()
    off = missed = mutants = left_out = 0
    for loss in every:
        for seed in range(seeds):
            found = check(loss.right, loss.exercise, seed=seed)
            left_out = max(left_out, 100 * found.left_out // (found.left_out + found.tried))
            if found.verdict != "correct":
                off += 1
                print(f"    {loss.name}, seed {seed}: {found.verdict}", file=sys.stderr)
        for answer in loss.wrong(WRONG):
            mutants += 1
            for seed in range(WRONG_SEEDS):
                verdict = check(answer, loss.exercise, seed=seed).verdict
                if verdict != "wrong":
                    missed += 1
                    print(f"    {loss.name}, seed {seed}: {verdict}: {answer}", file=sys.stderr)
    yield Figure("losses that lose digits, right answers", len(every) * seeds, 0, "", False)
    yield Figure("of these not called correct", off, 0, "")
    yield Figure("inputs left out, at most", left_out, 50, "%")
    yield Figure("wrong answers to them", mutants, 400, "", False)
    yield Figure(f"of these not called wrong, {WRONG_SEEDS} seeds", missed, 0, "")


def main() -> int:
    for figure in figures(*map(int, sys.argv[1:2])):
        print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
