"""Whatever three computers do offline, and in whatever order they sync, they end as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deck.sync.walking import Walk


@pytest.mark.parametrize("rounds", [9, pytest.param(50, marks=pytest.mark.long)])
def test_three_computers_end_with_one_history_one_schedule_and_every_answer(
    tmp_path: Path, rounds: int
) -> None:
    toll = Walk(tmp_path, seed=10).rounds(rounds, every=9)
    assert toll.acknowledged > 20
    assert toll.syncs > 18
    assert toll.conflicts > 0
    assert toll.beside > 0
    assert toll.kept > 0 or rounds < 20
