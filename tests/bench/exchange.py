"""`python -m tests.bench.exchange [notes] [answers a note]`: a package into an empty collection.

Half of the notes have HTML, a tenth a formula; every third is a cloze.  Asked: 100,000 notes in
60 s with at most 600 MB, answers included.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.command import DELTADECK
from tests.deck.exchange.packages import BASIC, CLOZE, Given, Made, package

_WORDS = (
    *("gradient", "jacobian", "softmax", "einsum", "backprop"),
    *("message", "matrix", "norm", "layer", "kernel"),
)


def notes(count: int, answers: int) -> Iterator[Made]:
    chance = random.Random(1)
    for number in range(count):
        one, two = chance.choice(_WORDS), chance.choice(_WORDS)
        front, back = f"What is the {one} of {two} number {number}?", f"It is {two} {number}."
        if number % 2:
            front = f"<div>{front}</div><div>Say <b>why</b>, and&nbsp;when.</div>"
            back = f"<ul><li>{back}</li><li>See <i>{one}</i><br>too</li></ul>"
        if number % 10 == 0:
            back += rf" \(x_{{{number}}} &lt; \frac{{a}}{{b}}\)"
        kind = BASIC
        if number % 3 == 0:
            kind, front = CLOZE, f"The {{{{c1::{one}}}}} is {front}"
        ago = sorted(chance.sample(range(2, 900), answers), reverse=True)
        given = [Given(a, chance.choice((1, 3, 3, 3, 4)), a - b)
                 for a, b in zip(ago, [*ago[1:], 1], strict=True)]  # fmt: skip
        card = {"type": 2, "queue": 2, "due": 690, "ivl": 9} if answers else {}
        deck = f"Course {number % 10}::Part {number % 50}"
        yield Made(f"g{number:08d}", (front, back), kind, deck, "a b::c", {0: given}, {0: card})


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    answers = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        deck = folder / "deck"
        deck.mkdir()
        path = package(folder / "big.apkg", notes(count, answers), new=True)
        print(f"{count:,} notes, {answers} answers each: {path.stat().st_size / 1e6:.1f} MB")
        before = 0.0
        for what in ("import", "import again", "import again, dry"):
            run = [*DELTADECK, "import", str(path), "-C", str(deck), "--json"]
            start = time.perf_counter()
            done = subprocess.run(
                run + ["--dry-run"] * what.endswith("dry"), capture_output=True, check=False
            )
            took = time.perf_counter() - start
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            used, before = usage.ru_utime + usage.ru_stime - before, usage.ru_utime + usage.ru_stime
            found = json.loads(done.stdout)["files"][0] if done.returncode < 2 else {}
            most = usage.ru_maxrss / 1000
            said = f"{found.get('new')} new, {found.get('reviews')} answers"
            print(f"{what:20} {took:6.1f} s, of a processor {used:6.1f} s, {most:6.0f} MB, {said}")
            print(done.stderr.decode()[-500:], end="")


if __name__ == "__main__":
    main()
