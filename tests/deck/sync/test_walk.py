"""Whatever three computers do offline, and in whatever order they sync, they end as one."""

from __future__ import annotations

from pathlib import Path

from tests.deck.sync.walking import Walk


def test_three_computers_end_with_one_history_one_schedule_and_every_answer(tmp_path: Path) -> None:
    toll = Walk(tmp_path, seed=10).rounds(25, every=13)
    assert toll.acknowledged > 50
    assert toll.syncs > 40
    assert toll.conflicts > 0
    assert toll.beside > 0
    assert toll.kept > 0
