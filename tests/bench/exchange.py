"""A large package imported, and a large collection exported: seconds, memory and sizes.

    python -m tests.bench.exchange import [100000] [3]    notes of a package, and answers to each
    python -m tests.bench.exchange export [10000]         cards with ten answers, in each format

Half of the notes have HTML, a tenth a formula; every third is a cloze.  Asked: 100,000 notes in
60 s with at most 600 MB, answers included.  The index is there before an export, as in daily use.
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

from tests.bench.figures import DELTADECK, environment
from tests.bench.large import make
from tests.deck.exchange.packages import BASIC, CLOZE, Given, Made, package

_WORDS = (
    *("gradient", "jacobian", "softmax", "einsum", "backprop"),
    *("message", "matrix", "norm", "layer", "kernel"),
)
_FORMATS = ("all.apkg", "all.json", "all.csv", "all.html", "items", "journal")
#: A command's own peak of memory, on its last line: that of children includes the starting one.
_MEASURED = (
    "import resource, sys; from tui.main import main; code = main(sys.argv[1:]); "
    "print('\\n', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(code)"
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


def importing(folder: Path, count: int = 100_000, answers: int = 3) -> None:
    deck = folder / "deck"
    deck.mkdir()
    path = package(folder / "big.apkg", notes(count, answers), new=True)
    print(f"{count:,} notes, {answers} answers each: {path.stat().st_size / 1e6:.1f} MB")
    for what in ("import", "import again", "import again, dry"):
        dry = ["--dry-run"] if what.endswith("dry") else []
        spent, said = _run(folder, "import", str(path), "-C", str(deck), "--json", *dry)
        found = json.loads(said)["files"][0]
        print(f"  {what:20} {spent}, {found.get('new')} new, {found.get('reviews')} answers")


def exporting(folder: Path, count: int = 10_000) -> None:
    cards = folder / "cards"
    make(cards, count)
    subprocess.run([*DELTADECK, "due", "-C", str(cards)], check=True, env=environment(str(folder)),
                   stdout=subprocess.DEVNULL)  # fmt: skip
    print(f"{count:,} cards")
    for name in _FORMATS:
        path = folder / (name if "." in name else f"{name}.csv")
        more = [] if "." in name else ["--format", name]
        spent, _ = _run(folder, "export", "--to", str(path), "-C", str(cards), *more)
        print(f"  {name:20} {spent}  {path.stat().st_size / 1e6:8.1f} MB")


def _run(folder: Path, *arguments: str) -> tuple[str, str]:
    """What a command took, and what it said."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", _MEASURED, *arguments]
    done = subprocess.run(command, env=environment(str(folder)), capture_output=True, text=True,
                          check=False)  # fmt: skip
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    if done.returncode > 1:
        sys.exit(done.stderr)
    spent = sum(after[:2]) - sum(before[:2])
    said, _, peak = done.stdout.rstrip().rpartition("\n")
    return f"{seconds:7.1f} s  {spent:7.1f} s of a processor  {peak.strip():>4} MB peak", said


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        work = importing if sys.argv[1] == "import" else exporting
        work(Path(name), *map(int, sys.argv[2:]))
