"""Mathematics: what the shared scorer says, how long a formula takes, what bad ones do."""

from __future__ import annotations

import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len

from cards.math import layout, parse
from cards.math.typesetter.typeset import layout_formula
from tests.bench.figures import Figure, MissingError, environment, printed, times_ms
from tests.cards.math.fixtures import mutated
from tests.paths import MATERIAL, SHARED

#: From nothing to the first formula: `cards.math` loads its parts when they are asked for.
LOADING = "import cards.math; cards.math.typeset('x')"
_MUTATED = 20_000
_FULL = {"seed": 100.0, "katex": 97.0, "notes": 99.8}


def figures() -> Iterator[Figure]:
    entries = _entries()
    yield from _times([entry["tex"] for entry in entries])
    yield Figure("loading the typesetter, CPU, best of 9", _loading_ms(), 20, "ms")
    displayed = [entry["tex"] for entry in entries if entry["display"]]
    narrow = sum(layout(tex, width=78).width <= 78 for tex in displayed)
    share = 100 * narrow / len(displayed)
    yield Figure("display formulas within 78 columns", share, 97, "%", at_most=False)
    yield Figure(
        "5,000 nested braces, laid out", _milliseconds("{" * 5000 + "x" + "}" * 5000), 50, "ms"
    )
    yield from _scores()


def mutated_figures() -> Iterator[Figure]:
    yield from _mutations([entry["tex"] for entry in _entries()])


def _entries() -> list[dict[str, Any]]:
    lines = (line for each in MATERIAL for line in each.formulas.read_text("utf-8").splitlines())
    return [json.loads(line) for line in lines]


def _scores() -> Iterator[Figure]:
    """The lines of the shared scorer, which knows nothing of ours."""
    scorer = SHARED / "math" / "score.py"
    if not scorer.is_file():
        raise MissingError("score.py, which counts lost symbols, is not there (../shared/math).")
    said = printed([sys.executable, str(scorer), "cards.math:typeset"])
    for name, raised, raw, full in re.findall(
        r"^(\w+) +n \d+ +raised (\d+) +raw (\d+) +full ([\d.]+)%", said, re.MULTILINE
    ):
        yield Figure(f"score.py {name}: raised", int(raised), 0, "")
        yield Figure(f"score.py {name}: raw", int(raw), 0, "")
        yield Figure(f"score.py {name}: full", float(full), _FULL[name], "%", at_most=False)


def _times(formulas: Sequence[str]) -> Iterator[Figure]:
    both = [_milliseconds(tex) for tex in formulas]
    both = sorted(min(first, _milliseconds(tex)) for first, tex in zip(both, formulas, strict=True))
    yield Figure("a formula, parsed and laid out: median", statistics.median(both), 0.15, "ms")
    yield Figure("a formula: 95th percentile", both[int(0.95 * len(both))], 1, "ms")
    trees = [parse(tex) for tex in formulas]
    (every,) = times_ms(lambda: [layout_formula(tree) for tree in trees], 1)
    yield Figure("a formula: laid out only, mean", every / len(trees), 0.3, "ms")


def _milliseconds(tex: str) -> float:
    return times_ms(lambda: layout(tex), 1)[0]


def _loading_ms() -> float:
    """Time of the processor, so that what else runs on the machine does not count."""
    code = (
        f"import cards, time; start = time.process_time(); {LOADING}; "
        "print(1000 * (time.process_time() - start))"
    )
    with tempfile.TemporaryDirectory() as home:
        env = environment(home)
        return min(float(printed([sys.executable, "-c", code], env)) for _ in range(9))


def _mutations(formulas: Sequence[str]) -> Iterator[Figure]:
    chance = random.Random(2026)
    uneven, slowest = 0, 0.0
    for _ in range(_MUTATED):
        tex = mutated(chance, formulas)
        start = time.perf_counter()
        box = layout(tex, display=chance.random() < 0.5, width=chance.choice((None, 60)))
        took = 1000 * (time.perf_counter() - start)
        if took > 20:  # another process may have had the machine: what counts is the formula
            took = min(took, _milliseconds(tex))
        slowest = max(slowest, took)
        uneven += any(cell_len(row) != box.width for row in box.rows)
    yield Figure("20,000 mutated formulas: with a row not its width", uneven, 0, "")
    yield Figure("20,000 mutated formulas: the slowest", slowest, 50, "ms")
