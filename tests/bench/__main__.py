"""`python -m tests.bench [--long] [GROUP...]`: measure, and print a line a figure.  No tests.

Figures that have a peer or a floor are ratios taken in the same run; the table with date and
machine is docs/performance.md.  The last line names what is short, and the exit code is 1 then.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.bench import (
    answers,
    given,
    lab,
    large_fold,
    losses,
    mathematics,
    memory,
    opening,
    page,
    pooling,
    power,
    reasons,
    scale,
    schedule,
    sound,
    startup,
)
from tests.bench.figures import Figure, MissingError

Groups = Mapping[str, Callable[[], Iterator[Figure]]]

#: These take some minutes together; of them `make bench` is made.
QUICK: Groups = {
    "mathematics": mathematics.figures,
    "page": page.figures,
    "answers": answers.figures,
    "given": given.figures,
    "verdicts": sound.time_figures,
    "lab": lab.figures,
    "pooling": pooling.figures,
    "schedule": schedule.figures,
    "fold": large_fold.figures,
    "startup": startup.figures,
    "opening": opening.figures,
}
#: These search or wait for many minutes: `make bench-long`.
LONG: Groups = {
    "mutated": mathematics.mutated_figures,
    "power": power.figures,
    "sound": sound.searching_figures,
    "reasons": reasons.figures,
    "losses": losses.figures,
    "scale": scale.figures,
    "browsing": opening.browsing_figures,
    "memory": memory.figures,
}


def run(groups: Groups, say: Callable[[str], None]) -> int:
    """Say each figure as it is measured, and at last which are short; 1 where one is, else 0."""
    short, missing, began = [], [], time.monotonic()
    for name, figures in groups.items():
        try:
            for figure in figures():
                say(str(figure))
                if not figure.ok:
                    short.append(figure.name.strip())
        except MissingError as reason:
            missing.append(name)
            say(f"{name}: {reason}")
    minutes = (time.monotonic() - began) / 60
    left_out = f"; not all of {', '.join(missing)} was measured" if missing else ""
    said = f"{len(short)} short: {'; '.join(short)}" if short else "every figure ok"
    say(f"{minutes:.1f} min{left_out}; {said}")
    return 1 if short else 0


def main(arguments: Sequence[str]) -> int:
    groups = LONG if "--long" in arguments else QUICK
    if names := [name for name in arguments if name != "--long"]:
        every = {**QUICK, **LONG}
        if unknown := [name for name in names if name not in every]:
            print(f"There is no group {unknown[0]}: {', '.join(every)}.", file=sys.stderr)
            return 2
        groups = {name: every[name] for name in names}
    return run(groups, lambda line: print(line, flush=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
