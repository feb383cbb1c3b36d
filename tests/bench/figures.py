"""How a figure is said: `name  measured  asked  ok|short`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.paths import SHARED


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
    unit: str
    at_most: bool = True
    """Whether smaller is better."""

    @property
    def ok(self) -> bool:
        return self.measured <= self.asked if self.at_most else self.measured >= self.asked

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        return (
            f"{self.name:44} {self.measured:10.4g} {self.unit:3} "
            f"{sign} {self.asked:g} {self.unit:3}  {'ok' if self.ok else 'short'}"
        )


def median_ms(work: Callable[[], object], runs: int = 15) -> float:
    """The median wall time of `work` in milliseconds, after one run to warm up."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000
