"""`deltadeck import`, stopped with Ctrl+C in its midst."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tui.main import main


def test_it_says_how_far_it_is_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, deck = tmp_path / "words.csv", tmp_path / "deck"
    table.write_text("question,answer\n" + "".join(f"q{n},a{n}\n" for n in range(300)))
    deck.mkdir()
    link, calls = os.link, [0]

    def interrupted(source: str, target: str) -> None:
        link(source, target)
        calls[0] += 1
        if calls[0] == 251:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "link", interrupted)
    assert main(["import", str(table), "-C", str(deck)]) == 130
    said = re.search(r"Stopped: (\d+) of 30", capsys.readouterr().err)
    assert said is not None
    assert 0 < int(said[1]) <= len(list(deck.rglob("*.md"))) < 300
    assert not list(deck.rglob("*.deltadeck-tmp"))
    assert main(["import", str(table), "-C", str(deck), "--json"]) == 0
    assert len(list(deck.rglob("*.md"))) == 300
