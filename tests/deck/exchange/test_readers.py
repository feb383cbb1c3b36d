"""Which format a file is, and reading it in a process of its own."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Generator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from deck.exchange import readers
from deck.exchange.hashcards import DeckCard
from deck.exchange.model import ExchangeError
from deck.exchange.readers import reader_of
from deck.replay import Review
from tests.deck.exchange.packages import Given, Made, package
from tests.deck.exchange.taking import imported
from tests.deck.exchange.test_hashcards import GEOGRAPHY, database
from tests.deck.exchange.test_json import RECORD, own
from tests.deck.exchange.test_obsidian import BIOLOGY
from tests.deck.exchange.test_org import ANSWERS, DEMO


def hashcards(folder: Path) -> Path:
    (folder / "Geography.md").write_text(GEOGRAPHY)
    basic = DeckCard(1, "What is the capital of France?", "Paris").key
    database(folder, (basic, "2026-11-01T08:00:30", "good", "2026-11-30"))
    return folder


def obsidian(folder: Path) -> Path:
    (folder / ".obsidian").mkdir()
    (folder / "Biology.md").write_text(BIOLOGY)
    return folder


def org(folder: Path) -> Path:
    (folder / "Demo.org").write_text(DEMO)
    (folder / "org-fc-reviews.tsv").write_text(ANSWERS)
    return folder


def csv(folder: Path) -> Path:
    path = folder / "cards.csv"
    path.write_text(
        "id;question;answer;deck;options;correct;status\n"
        "one;What is $x$?;A letter;Letters;;;\n"
        "two;Which?;So.;Letters;first|second;B;suspended\n"
        "three;Is it {{c1::here}}?;;Letters;;;\n",
        encoding="utf-16",
    )
    return path


def our_json(folder: Path) -> Path:
    return own(folder / "all.json", [RECORD], {"x.png": b"\x89PNG"})


@pytest.mark.parametrize(
    ("make", "name", "cards", "answers"),
    [
        (hashcards, "hashcards", 4, 1),
        (obsidian, "obsidian", 5, 5),
        (org, "org", 4, 6),
        (csv, "table", 3, 0),
        (our_json, "json", 1, 2),
    ],
)
def test_an_import_is_done_once(
    tmp_path: Path, root: Path, make: Callable[[Path], Path], name: str, cards: int, answers: int
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    source = make(folder)
    assert reader_of(source).name == name
    deck, first = imported(source, root)
    assert (first.new, first.reviews) == (cards, answers)
    assert not deck.problems
    deck.close()
    deck, again = imported(source, root)
    assert (again.new, again.changed, again.unchanged, again.reviews) == (0, 0, cards, 0)
    deck.close()


@pytest.mark.parametrize(
    ("name", "text", "format_name"),
    [
        ("a.md", "Q: What?\nA: That.\n", "hashcards"),
        ("a.md", "C: It is [that].\n", "hashcards"),
        ("a.md", "#flashcards/x\nQ::A\n", "obsidian"),
        ("a.md", "#flashcards\nQ: What?\n?\nThat.\n", "obsidian"),
        ("a.org", "* What? :fc:\n", "org"),
        ("a.txt", "front\tback\nA\tB\n", "table"),
        ("a", "#separator:tab\nA\tB\n", "table"),
        ("a.data", '[{"question": "A"}]', "json"),
    ],
)
def test_a_file_s_format_is_told_by_its_content(
    tmp_path: Path, name: str, text: str, format_name: str
) -> None:
    (tmp_path / name).write_text(text)
    assert reader_of(tmp_path / name).name == format_name


def test_hashcards_answers_make_the_schedule(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    deck, _ = imported(hashcards(folder), root)
    state = deck.state("what_is_the_capital_of_france")
    assert isinstance(state, Review)
    assert (state.due_day, state.interval) == (date(2026, 11, 30), 29)
    deck.close()


def test_obsidian_s_due_days_are_kept(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    deck, _ = imported(obsidian(folder), root)
    state = deck.state("front/r")
    assert isinstance(state, Review)
    assert (state.due_day, state.interval) == (date(2024, 2, 3), 30)
    assert deck.card_of("front").path == root / "science" / "front.md"
    deck.close()


def test_org_fc_s_due_days_are_kept(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    deck, _ = imported(org(folder), root)
    cloze = next(card for card in deck.cards.values() if card.type == "cloze")
    due = {item.id.removeprefix(cloze.id): deck.state(item.id) for item in cloze.items}
    for state in due.values():
        assert isinstance(state, Review)
        assert state.due_day == date(2020, 4, 6)  # at 01:01, in the night that ends it
    assert deck.is_suspended("double_one_side/r")
    deck.close()


def test_a_table_s_choices_are_choices(tmp_path: Path, root: Path) -> None:
    deck, _ = imported(csv(tmp_path), root)
    card = deck.cards["two"]
    assert [(option.letter, option.text) for option in card.options] == [
        ("A", "first"),
        ("B", "second"),
    ]
    assert card.correct_letters == ("B",)
    assert deck.is_suspended("two")
    assert not deck.is_suspended("one")
    deck.close()


def test_an_edited_answer_is_taken_over(tmp_path: Path, root: Path) -> None:
    source = csv(tmp_path)
    imported(source, root)[0].close()
    source.write_text("id;question;answer;deck\none;What is $x$?;An unknown;Letters\n")
    deck, summary = imported(source, root)
    assert (summary.new, summary.changed) == (0, 1)
    assert deck.cards["one"].solution == "An unknown"
    deck.close()


def test_our_own_export_comes_back_whole(tmp_path: Path, root: Path) -> None:
    deck, _ = imported(our_json(tmp_path), root)
    card = deck.cards["pool"]
    assert (card.points, card.difficulty, card.exercise) == (3.0, 2, {"layer": "relu"})
    assert deck.is_suspended("pool")
    assert len(list(root.rglob("x.png"))) == 1
    deck.close()


def test_a_damaged_file_leaves_the_collection_as_it_is(tmp_path: Path, root: Path) -> None:
    deck, _ = imported(csv(tmp_path), root)
    deck.close()
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    (tmp_path / "bad.json").write_text(json.dumps([{"answer": "b"}, 3]))
    deck, summary = imported(tmp_path / "bad.json", root)
    assert len(summary.lost) == 2
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
    deck.close()


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
    start = subprocess.Popen

    def kept(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(start(*words, **more))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", kept)
    cards = readers.read_ahead(reader, big).cards()
    first = next(cards)
    started[0].kill()
    assert [first, *cards] == list(reader.load().read(big).cards())
    idle = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: start(idle, stdout=subprocess.PIPE))
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
