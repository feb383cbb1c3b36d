"""Do the reasons hold that verdicts give?  `python -m tests.bench.reasons [pooling|given]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from tests.bench.figures import Figure
from tests.engine.reasons import PARTS, tally

#: Answers of each engine.
ANSWERS = 500
#: In percent: so many reasons may be false, each refuted by some input of thousands.
ASKED = 2


def figures(names: Sequence[str] = tuple(PARTS)) -> Iterator[Figure]:
    for name in names:
        said, wrong = tally(PARTS[name](ANSWERS), lambda text: print("   ", text, file=sys.stderr))
        for kind in sorted(set(said) - {"answers"}):
            yield Figure(f"{name}, {kind}: said", said[kind], 1, "", False)
            share = 100 * wrong[kind] / said[kind]
            yield Figure(f"{name}, {kind}: false", share, ASKED, "%")


def main() -> int:
    for figure in figures(sys.argv[1:] or tuple(PARTS)):
        print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
