"""`python -m tests.bench [--long] [--busy] [GROUP[=SIZE]...]`: measure, and print a line a figure.

Figures that have a peer or a floor are ratios taken in the same run; the table with date and
machine is docs/performance.md.  The last line names what is short, and the exit code is 1 then.
SIZE is how many cards `opening`, `browsing`, `bulk`, `memory` and `scale` have, the reviews of
`fold`, and the seeds of `losses`; of `steps` each SIZEth slip is tried.  With --busy another
program computes all the while.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

from tests.bench import app, large, mathematics, page, pooling, power, scale, schedule, verdicts
from tests.bench.figures import Figure, MissingError

Groups = Mapping[str, Callable[..., Iterator[Figure]]]

#: These take some minutes together; of them `make bench` is made.
QUICK: Groups = {
    "mathematics": mathematics.figures,
    "page": page.figures,
    "answers": verdicts.agreeing,
    "given": verdicts.given_figures,
    "verdicts": verdicts.time_figures,
    "lab": app.lab_figures,
    "pooling": pooling.figures,
    "schedule": schedule.figures,
    "fold": large.fold_figures,
    "startup": app.startup_figures,
    "opening": app.opening_figures,
}
#: These search or wait for many minutes: `make bench-long`.
LONG: Groups = {
    "mutated": mathematics.mutated_figures,
    "power": power.figures,
    "mutants": verdicts.mutant_figures,
    "mutants-given": verdicts.given_mutant_figures,
    "right": verdicts.right_figures,
    "fuzz": verdicts.fuzz_figures,
    "reasons": verdicts.reason_figures,
    "textbooks": verdicts.textbook_figures,
    "derivations": verdicts.derivation_figures,
    "steps": verdicts.step_figures,
    "losses": verdicts.loss_figures,
    "scale": scale.figures,
    "browsing": app.browsing_figures,
    "bulk": app.bulk_figures,
    "memory": app.memory_figures,
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


@contextmanager
def _busy() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as loop:
        try:
            yield
        finally:
            loop.kill()


def main(arguments: Sequence[str]) -> int:
    groups: Groups = LONG if "--long" in arguments else QUICK
    if words := [word for word in arguments if word not in ("--long", "--busy")]:
        every = {**QUICK, **LONG}
        sizes = dict(word.partition("=")[::2] for word in words)
        if unknown := [name for name in sizes if name not in every]:
            print(f"There is no group {unknown[0]}: {', '.join(every)}.", file=sys.stderr)
            return 2
        groups = {
            name: partial(every[name], int(size)) if size else every[name]
            for name, size in sizes.items()
        }
    with _busy() if "--busy" in arguments else nullcontext():
        return run(groups, lambda line: print(line, flush=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
