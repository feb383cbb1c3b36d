"""Checking answers to forward messages that cards give: verdicts that agree, and their time."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial

from engine.checking import check
from engine.exercise import Exercise
from tests.bench.figures import Figure, median_ms
from tests.engine.cases import listed, made, table
from tests.engine.test_long_answers import answers


def figures() -> Iterator[Figure]:
    entries = list(_entries())
    agreeing = sum(check(answer, exercise).verdict == said for exercise, answer, said in entries)
    share = 100 * agreeing / len(entries)
    yield Figure("verdicts on given messages that agree", share, 100, "%", False)
    times = [median_ms(partial(check, answer, exercise), runs=5) for exercise, answer, _ in entries]
    yield Figure("given message, verdict, median", statistics.median(times), 50, "ms")
    yield Figure("given message, verdict, slowest", max(times), 150, "ms")
    long = [
        median_ms(partial(check, answer, exercise), runs=1)
        for length in (300, 700, 1250, 2500, 3900, 10_000)
        for _, exercise, answer in answers(length)
    ]
    yield Figure("answers of up to 10,000 characters, slowest", max(long), 1000, "ms")


def _entries() -> Iterator[tuple[Exercise, str, str]]:
    for card in table("cards"):
        exercise = made(card["exercise"])
        yield from ((exercise, answer, said) for answer, said, _ in listed(card))
