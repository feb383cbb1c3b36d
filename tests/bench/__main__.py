"""`make bench`: measure, and print a line a figure.  Nothing here is a test.

Figures that have a peer or a floor are ratios taken in the same run; the table with date and
machine is docs/performance.md.
"""

from __future__ import annotations

import sys

from tests.bench import (
    answers,
    given,
    lab,
    mathematics,
    memory,
    opening,
    page,
    pooling,
    power,
    scale,
    schedule,
    sound,
    startup,
)

GROUPS = (
    mathematics,
    page,
    answers,
    given,
    sound,
    lab,
    power,
    pooling,
    schedule,
    scale,
    startup,
    opening,
    memory,
)


def main() -> int:
    short = 0
    for group in GROUPS:
        for figure in group.figures():
            print(figure, flush=True)
            short += not figure.ok
    print(f"\n{short} short" if short else "\nevery figure ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
