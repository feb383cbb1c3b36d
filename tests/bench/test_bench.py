"""What the benches say of what they measured, and of what they could not."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import mathematics
from tests.bench.__main__ import LONG, QUICK, main, run
from tests.bench.figures import Figure, MissingError
from tests.paths import ROOT

NUMBERS = st.floats(0, 1e9)


@given(NUMBERS, NUMBERS, st.booleans())
def test_a_figure_is_short_where_its_limit_is_passed(
    measured: float, asked: float, at_most: bool
) -> None:
    figure = Figure("a", measured, asked, "ms", at_most)
    passed = measured > asked if at_most else measured < asked
    assert str(figure).endswith("short" if passed else "ok")


@given(NUMBERS, st.booleans())
def test_a_figure_of_which_nothing_is_asked_is_never_short(measured: float, at_most: bool) -> None:
    figure = Figure("a", measured, math.inf, "ms", at_most, "Anki 3 ms")
    assert figure.ok
    assert str(figure).endswith("Anki 3 ms")


def without(reason: str) -> Iterator[Figure]:
    yield Figure("before", 1, 2, "ms")
    raise MissingError(reason)


def test_the_last_line_names_what_is_short_and_what_is_missing() -> None:
    said: list[str] = []
    groups = {
        "one": lambda: iter([Figure("fast", 1, 2, "ms"), Figure("slow", 3, 2, "ms")]),
        "two": lambda: without("the peer is not there."),
        "three": lambda: iter([Figure("  too few", 1, 2, "/s", at_most=False)]),
    }
    assert run(groups, said.append) == 1
    assert "two: the peer is not there." in said
    assert said[-1].endswith("min; not all of two was measured; 2 short: slow; too few")
    assert run({"one": lambda: iter([Figure("fast", 1, 2, "ms")])}, said.append) == 0
    assert said[-1].endswith("min; every figure ok")


def test_no_group_is_in_both_runs_and_an_unknown_one_is_refused() -> None:
    assert not QUICK.keys() & LONG.keys()
    assert main(["--busy", "nothing"]) == 2


def test_loading_the_typesetter_loads_all_that_a_formula_needs() -> None:
    """What is imported lazily is loaded within what is timed."""
    code = f"import json, sys, cards; before = set(sys.modules); {mathematics.LOADING}; "
    more = "first = set(sys.modules); cards.math.typeset(sys.argv[1]); "
    late = "print(json.dumps([sorted(first - before), sorted(set(sys.modules) - first)]))"
    command = [sys.executable, "-c", code + more + late, r"\sum_i \frac{a_i}{b}"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    loaded, left = json.loads(done.stdout)
    assert "cards.math.typesetter.typeset" in loaded
    assert not [name for name in left if name.startswith("cards.")]


@pytest.mark.parametrize("group", ["lab", "memory", "browsing"])
def test_a_bench_without_its_tool_says_so(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.bench.figures.SHARED", tmp_path)
    assert main([group]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{group}: first_paint.py, which measures it, is not there (../shared/bench)."
    assert said[-1].endswith(f"not all of {group} was measured; every figure ok")
