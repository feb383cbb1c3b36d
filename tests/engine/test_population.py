"""Answers in as many styles as people have, each with the verdict that a person would give it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import yaml

from engine.checking import check
from engine.exercise import exercise_for
from engine.formula.reader import read
from engine.verdict import Verdict

TABLE: dict[str, dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("population.yaml").read_text("utf-8")
)
#: Enough for all of them, and less than a check takes.
TRIALS = 100
READ = ("correct", "correct-except-ties", "only-without-overlap", "wrong")


@cache
def verdict_of(layer: str, answer: str) -> Verdict:
    exercise = exercise_for(layer, (), "derivation")
    assert exercise is not None
    return check(answer, exercise, trials=TRIALS)


def verdicts(layers: Iterable[str], *expected: str) -> Iterator[tuple[str, str, Verdict]]:
    """Each answer of the table with the verdict that it must get, and the one that it gets."""
    for layer in layers:
        for verdict in set(expected) & set(TABLE[layer]):
            for answer in TABLE[layer][verdict]:
                yield answer, verdict, verdict_of(layer, answer)


def test_an_answer_that_is_clear_gets_the_verdict_it_deserves() -> None:
    other = [
        (answer, verdict, found.verdict, found.message, found.read)
        for answer, verdict, found in verdicts(TABLE, *READ)
        if found.verdict != verdict
    ]
    assert other == []


def test_what_is_not_clear_is_refused_at_its_place_with_a_way_to_write_it() -> None:
    for answer, _, found in verdicts(TABLE, "unreadable"):
        assert found.verdict == "unreadable", answer
        assert found.message, answer
        assert found.line, answer
        assert found.column, answer
        assert "look at" not in (found.hint or "look at"), answer


def test_what_was_read_reads_back_to_the_same_tree() -> None:
    for answer, _, found in verdicts(["max-pool"], *READ):
        assert read(read(found.read).echo).tree == read(found.read).tree, answer
