"""A program that is killed: what it acknowledged is there, the rest is whole or absent.

`python -m tests.bench.killed` does it 300 times; docs/performance.md has its figures.
"""

from __future__ import annotations

from pathlib import Path

from tests.deck.killing import kill_sessions


def test_what_was_acknowledged_survives_a_hundred_kills_at_random_moments(tmp_path: Path) -> None:
    toll = kill_sessions(tmp_path, seed=2026, kills=100)
    assert toll.kills == 100
    assert toll.acknowledged > 200
