"""Cards read by another process are those that are read here, whatever becomes of it."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from deck.exchange import readers
from deck.exchange.model import ExchangeError
from deck.exchange.readers import Reader, reader_of
from tests.deck.exchange.packages import Given, Made, package


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(readers, "_MANY", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    notes = [
        Made(f"g{n}", (f"q{n}<br>b", "a" if n % 50 else "a" * 2_000_000), answers={0: [Given(5)]})
        for n in range(450)
    ]
    return package(tmp_path / "a.apkg", notes)


def test_another_process_reads_the_same(big: Path) -> None:
    reader = reader_of(big)
    here, there = reader.load().read(big), readers.read_ahead(reader, big)
    assert list(there.cards()) == list(here.cards())
    assert there.lost == here.lost
    assert len(there.lost) == 9


def test_a_process_that_is_stopped_costs_nothing_but_time(
    big: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = reader_of(big)
    started: list[subprocess.Popen[bytes]] = []
    start = readers._started

    def kept(reader: Reader, path: Path, folder: str) -> subprocess.Popen[bytes] | None:
        process = start(reader, path, folder)
        assert process is not None
        started.append(process)
        return process

    monkeypatch.setattr(readers, "_started", kept)
    cards = readers.read_ahead(reader, big).cards()
    first = next(cards)
    started[0].kill()
    assert [first, *cards] == list(reader.load().read(big).cards())
    idle = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(
        readers, "_started", lambda *_: subprocess.Popen(idle, stdout=subprocess.PIPE)
    )
    assert len(list(readers.read_ahead(reader, big).cards())) == 441


def test_no_copy_stays_however_it_ends(
    big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    cards = readers.read_ahead(reader_of(big), big).cards()
    assert isinstance(cards, Generator)
    next(cards)
    assert list(folder.rglob("*.sqlite"))
    cards.close()
    del cards
    gc.collect()
    assert list(folder.iterdir()) == []


def test_an_error_there_is_the_error_here(big: Path) -> None:
    bundle = readers.read_ahead(reader_of(big), big)
    big.write_bytes(big.read_bytes()[:300])
    with pytest.raises(ExchangeError, match="damaged"):
        list(bundle.cards())
