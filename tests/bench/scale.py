"""A large collection beside Anki and the bare disk, each figure as a learner meets it.

`ANKI_PYTHON=/path/to/python python -m tests.bench [--busy] scale[=CARDS]`, 10,000 by default.
ANKI_PYTHON is an interpreter of an environment of its own, into which PyPI's `anki` is installed
(AGPL: measured, never imported here).  What is made stays in BENCH_KEPT, where that names a folder,
for the runs of the same day: a copy is measured.

15 % of the cards are due and 95 % have ten reviews.  The settings are the defaults (so status lines
are written) but for the limits of a day, 9,999 on both sides.  Medians of seven; above 10,000 cards
what takes minutes is of three.  All files are in the system's cache.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median

from tests.bench.figures import DELTADECK, Figure, MissingError, environment, median_ms, printed
from tests.bench.large import NOW
from tests.bench.large_session import SEARCHES, SETTINGS, Found
from tests.paths import SEED

_RUNS, _DUE = 7, 0.15
#: How many answers are given one after the other, and through a pipe.
_ANSWERS, _PIPED = 1000, 2000


def figures(count: int = 10_000) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        bench = _Bench(count, Path(home), os.environ.get("ANKI_PYTHON", ""))
        bench.prepare()
        for part in (_first, _opened, _looked, _studied, _traced, _piped, _changed):
            yield from part(bench)
    if not bench.anki:
        raise MissingError(
            "ANKI_PYTHON names no interpreter that has Anki: it stands beside nothing."
        )


@dataclass(frozen=True)
class _Bench:
    """A collection of ours and one of Anki's (none where `anki` is ""), and programs on them."""

    count: int
    home: Path
    anki: str

    def prepare(self) -> None:
        """Cards and journal in `cards`, and Anki's collection in `anki.anki2`."""
        place = Path(os.environ.get("BENCH_KEPT", self.home)) / f"{NOW:%Y-%m-%d}-{self.count}"
        ours, theirs, making = place / "cards", place / "anki.anki2", place / "making"
        if not ours.is_dir():  # in a process of its own: a child inherits the peak of memory
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(parents=True)
            words = ["-m", "tests.bench.large", str(making), str(self.count), str(_DUE / 0.95)]
            printed([sys.executable, *words], self.env)
            making.rename(ours)
        shutil.copytree(ours, self.home / "cards")
        self.set("")
        if self.anki:
            if not theirs.is_file():
                body = SEED.read_text("utf-8").split("---", 2)[2]
                self._peer(making, "build", self.count, [body, _DUE])
                making.rename(theirs)
            shutil.copy(theirs, self.home)

    @property
    def cards(self) -> str:
        return str(self.home / "cards")

    @property
    def env(self) -> dict[str, str]:
        return environment(str(self.home))

    @property
    def few(self) -> int:
        """How often what takes minutes is done."""
        return _RUNS if self.count <= 10_000 else 3

    def asked(self, small: float, large: float) -> float:
        """What is asked up to 10,000 cards, and of more."""
        return small if self.count <= 10_000 else large

    def set(self, line: str) -> None:
        """Another line in the settings."""
        (self.home / "cards/.deltadeck/config.toml").write_text(f"{SETTINGS}{line}\n", "utf-8")

    def ours(self, mode: str, count: int = 0, tracing: Sequence[str] = ()) -> Found:
        words = [sys.executable, "-m", "tests.bench.large_session", self.cards, mode, str(count)]
        found: Found = json.loads(printed([*tracing, *words], self.env))
        return found

    def theirs(self, mode: str, count: int = 0) -> Found:
        """Nothing where there is no Anki."""
        if not self.anki:
            return {}
        found: Found = json.loads(self._peer(self.home / "anki.anki2", mode, count, SEARCHES))
        return found

    def _peer(self, path: Path, mode: str, count: int, more: object) -> str:
        script = str(Path(__file__).with_name("anki_peer.py"))
        return printed([self.anki, script, str(path), mode, str(count), json.dumps(more)], self.env)


def _medians(found: Sequence[Found]) -> Found:
    return {name: median(each[name] for each in found) for name in found[0]}


def _said(name: str, took: float, unit: str = "ms", beside: str = "") -> Figure:
    """What nothing is asked of."""
    return Figure(name, took, inf, unit, beside=beside)


def _ms(name: str, took: float, asked: float, theirs: float | None = None) -> Figure:
    return Figure(name, took, asked, "ms", beside=f"Anki {theirs:.3g} ms" if theirs else "")


# The first start.


def _first(bench: _Bench) -> Iterator[Figure]:
    """Each from nothing; and each with the index as a first start leaves it."""
    index, kept = bench.home / "deltadeck" / "index", bench.home / "index"
    colds, firsts = [], []
    for _ in range(bench.few):
        shutil.rmtree(index, ignore_errors=True)
        colds.append(bench.ours("cold"))
    shutil.copytree(index, kept)
    for _ in range(bench.few):
        shutil.rmtree(index)
        shutil.copytree(kept, index)
        firsts.append(bench.ours("statistics"))
    cold, size = _medians(colds), f"{bench.count:,} cards"
    limit = bench.asked(2.5, 25)
    yield Figure(f"{size}: first index, of {bench.few}", cold["open_ms"] / 1000, limit, "s")
    yield _said("  the same in seconds of a processor", cold["cpu_s"], "s")
    yield Figure("  its memory, helpers included", cold["peak_mb"], 120, "MB")
    yield _ms(f"first statistics, of {bench.few}", _medians(firsts)["first_statistics"], 500)


def _opened(bench: _Bench) -> Iterator[Figure]:
    """By turns; the first turn makes both warm."""
    turns = [(bench.ours("open"), bench.theirs("start")) for _ in range(1 + _RUNS)][1:]
    ours, theirs = (_medians(each) for each in zip(*turns, strict=True))
    half = theirs.get("first_ms", inf) / 2
    yield _ms("open and first card; half of Anki's", ours["first_ms"], half, theirs.get("first_ms"))
    yield _ms("  of it the opening", ours["open_ms"], inf, theirs.get("open_ms"))


def _looked(bench: _Bench) -> Iterator[Figure]:
    ours, theirs = bench.ours("look"), bench.theirs("look")
    beside = f"Anki {theirs['due']:.0f}" if theirs else ""
    yield _said("  cards due", ours["due"], "", beside)
    yield _ms("deck tree with counts", ours["tree"], bench.asked(5, 20), theirs.get("tree"))
    yield _said("  the first of the program", ours["first_tree"])
    for name in (*(f"search {text}" for text in SEARCHES), "statistics"):
        yield _ms(name, ours[name], theirs.get(name, inf), theirs.get(name))
    yield _ms("reload, nothing changed", ours["reload"], 1000)
    yield _ms("a change to one file seen", ours["change"], 1000)
    command = [*DELTADECK, "due", "--json", "--folder", bench.cards]
    took = median_ms(lambda: printed(command, bench.env), _RUNS)
    yield _ms("due --json, the whole process", took, bench.asked(150, 500))


# Answers.


def _studied(bench: _Bench) -> Iterator[Figure]:
    answers = min(_ANSWERS, bench.count // 5)
    ours, theirs = bench.ours("study", answers), bench.theirs("study", answers // 4)
    following, plain, bare = ours["true_answer"], ours["false_answer"], ours["bare"]
    yield _ms("an answer, its status line to follow", following, 1.2 * plain)
    yield _said("  an answer, with all until the lines are there", ours["true_whole"])
    yield _said("  its processor, the line included", ours["true_cpu_us"], "µs")
    yield _said("  until it is acknowledged, the median", ours["true_own_us"], "µs")
    yield _ms("an answer without status lines", plain, 1.3 * bare, theirs.get("answer"))
    yield Figure("  its processor, the index's share included", ours["false_cpu_us"], 75, "µs")
    yield _said("  until it is acknowledged, the median", ours["false_own_us"], "µs")
    yield _said("  the bare write and fsync", bare)
    peer = 1000 / theirs["answer"] if theirs else 0.0
    beside = f"Anki {peer:.0f}/s one by one" if theirs else ""
    name = "answers a second by call-back, eight under way"
    yield Figure(name, ours["stream"], 2.5 * peer, "/s", at_most=False, beside=beside)
    yield _ms(f"slowest of {answers:,} answers", ours["slowest"], 10, theirs.get("slowest"))
    yield _said("  the slowest in milliseconds of a processor", ours["slowest_cpu"])
    yield _said(f"  slowest of {answers:,} bare writes", ours["bare_slowest"])
    yield _ms("deck tree after changes, a day of many answers", ours["tree"], bench.asked(5, 20))
    for name in ("undo", "bury", "suspend", "reset"):
        yield _ms(name, ours[name], 3, theirs.get(name))
    beside, half = (
        f"Anki {theirs['rss_mb']:.0f} MB" if theirs else "",
        theirs.get("rss_mb", inf) / 2,
    )
    yield Figure("memory while studying", ours["rss_mb"], half, "MB", beside=beside)


def _traced(bench: _Bench) -> Iterator[Figure]:
    """The system calls of an answer, but for those by which threads wait for one another: those of
    60 less those of 10, where strace is there."""
    strace, table = shutil.which("strace"), bench.home / "calls"
    for word in ("true", "false") if strace else ():
        bench.set(f"write_status = {word}")
        calls = []
        for count in (1, 10, 60):  # the first one also writes lines that earlier runs left
            traced = [str(strace), "-f", "-c", "-e", "trace=!futex", "-o", str(table)]
            bench.ours("answer", count, traced)
            calls += re.findall(r"(\d+)(?: +\d+)? total", table.read_text("ascii"))
        each = (int(calls[2]) - int(calls[1])) / 50
        yield _said(f"  system calls of an answer, write_status = {word}", each, "")
    bench.set("")


def _piped(bench: _Bench) -> Iterator[Figure]:
    """By turns with Anki's answers, each to other cards."""
    count, ours, theirs = min(_PIPED, bench.count // 10), [], []
    for number in range(_RUNS):
        ours.append(_pipe(bench, range(number * count, (number + 1) * count)))
        theirs.append(bench.theirs("study", count // 10).get("answers", inf))
    anki = median(theirs)
    beside = f"Anki {anki:.0f}/s one by one" if bench.anki else ""
    name = "answers a second through a pipe"
    yield Figure(name, median(ours), 2.5 * anki, "/s", at_most=False, beside=beside)


def _pipe(bench: _Bench, numbers: range) -> float:
    """Answers a second of `deltadeck review -`, from the second line to the last outcome: the first
    is awaited, so that the program runs."""
    command = [*DELTADECK, "review", "-", "--json", "--folder", bench.cards]
    first, *others = (f"card{number:06d} good 3\n".encode() for number in numbers)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=bench.env, bufsize=0) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(first)
        outcomes = iter(program.stdout.readline, b"")
        next(outcomes)
        feeder = threading.Thread(target=program.stdin.write, args=[b"".join(others)])
        start = time.perf_counter()
        feeder.start()
        for _ in others:
            next(outcomes)
        took = time.perf_counter() - start
        feeder.join()
        program.stdin.close()
    return len(others) / took


# All cards, and many.


def _changed(bench: _Bench) -> Iterator[Figure]:
    """Another retention in the settings, by turns with none; and cards suspended together."""
    before, after = [], []
    for number in range(bench.few):
        before.append(bench.ours("open"))
        bench.set(f"desired_retention = {0.8 + number / 100}")
        after.append(bench.ours("changed"))
    changed, usual = _medians(after), _medians(before)["open_ms"]
    yield _ms(f"a changed retention: opening, of {bench.few}", changed["open_ms"], 2 * usual)
    yield _said("  until all is folded by it", changed["folded_ms"])
    many = min(1000, bench.count // 10)
    yield _ms(f"{many:,} cards suspended together, a card", bench.ours("bulk", many)["bulk"], 1)
