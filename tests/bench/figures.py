"""How a figure is said: `name  measured  asked  ok|short`; what all benches need to take one."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.paths import NOON_ZONE, ROOT, SHARED

_INSTALLED = Path(sys.executable).with_name("deltadeck")
#: The command as it is typed, or a module where it is not installed beside the interpreter.
DELTADECK: Final = [str(_INSTALLED)] if _INSTALLED.is_file() else [sys.executable, "-m", "tui"]


class MissingError(Exception):
    """A sentence on what a bench is without, so that it cannot measure all it does."""


def tool(name: str) -> Path:
    """A program of the folder shared beside the checkout, which need not be there."""
    path = SHARED / "bench" / name
    if not path.is_file():
        raise MissingError(f"{name}, which measures it, is not there (../shared/bench).")
    return path


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure beside what was asked for."""

    name: str
    measured: float
    asked: float
    """Infinite where it is only said."""
    unit: str
    at_most: bool = True
    """Whether smaller is better."""
    beside: str = ""
    """What it was measured beside."""

    @property
    def ok(self) -> bool:
        enough = self.measured <= self.asked if self.at_most else self.measured >= self.asked
        return enough or math.isinf(self.asked)

    def __str__(self) -> str:
        said = f"{self.name:44} {self.measured:10.4g} {self.unit:3} "
        beside = f" {self.beside} " if self.beside else ""
        if math.isinf(self.asked):
            return f"{said}{beside}".rstrip()
        sign = "<=" if self.at_most else ">="
        asked = f"{sign} {self.asked:.{3 if self.asked % 1 else 6}g} {self.unit:3}"
        return f"{said}{asked} {beside} {'ok' if self.ok else 'short'}"


def spread(name: str, times: list[float], **asked: float) -> Iterator[Figure]:
    """The `median`, `p99` or `slowest` of some milliseconds, each beside what is asked of it."""
    ordered = sorted(times)
    found = {
        "median": statistics.median(ordered),
        "p99": ordered[int(0.99 * len(ordered))],
        "slowest": ordered[-1],
    }
    for which, limit in asked.items():
        yield Figure(f"{name}, {which}", found[which], limit, "ms")


def times_ms(
    work: Callable[[], object], runs: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The milliseconds of each run of `work`."""
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(1000 * (clock() - start))
    return times


def median_ms(work: Callable[[], object], runs: int = 15) -> float:
    """The median wall time of `work` in milliseconds, after one run to warm up."""
    work()
    return statistics.median(times_ms(work, runs))


def megabytes(process: int | str, name: str) -> float:
    """The memory of a process, VmRSS or VmHWM."""
    text = Path(f"/proc/{process}/status").read_text("ascii")
    line = next(each for each in text.splitlines() if each.startswith(name))
    return int(line.split()[1]) / 1024


def environment(home: str) -> dict[str, str]:
    """An environment whose program keeps what is its own in `home`.

    It is noon there: no study day ends meanwhile, and it is that of the date in UTC.  A shell that
    forbids bytecode would time the compiler.
    """
    names = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    env = {**os.environ, **dict.fromkeys(names, home), "PYTHONPATH": str(ROOT)}
    env["TZ"] = NOON_ZONE
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return env


def printed(command: list[str], env: Mapping[str, str] | None = None) -> str:
    """What a command prints, started at the root; CalledProcessError where it fails."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=env)
    return done.stdout
