"""Changes of the journal's files are seen, the usual ones at a glance."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deck import journal
from deck.files import stamp_of
from deck.journal import Stamps

OLD = "journal/desk/2026-10.jsonl"
NEW = "journal/desk/2026-11.jsonl"
PHONE = "journal/phone/2026-11.jsonl"


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(journal, "HIDES", 0)
    for name in (OLD, NEW, PHONE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("line\n")
    return tmp_path


def seen(private: Path) -> Stamps:
    made = Stamps(private)
    made.known = {name: stamp_of(private / name) for name in (OLD, NEW, PHONE)}
    assert made.are_same()
    assert made.seem_same()
    return made


@pytest.mark.parametrize("name", [NEW, PHONE])
def test_a_line_that_another_program_appends_is_seen(private: Path, name: str) -> None:
    known = seen(private)
    with (private / name).open("a") as file:
        file.write("more\n")
    assert not known.seem_same()
    assert not known.are_same()


@pytest.mark.parametrize("name", [OLD, "journal/desk/2026-12.jsonl", "journal/lab/2026-11.jsonl"])
def test_a_file_that_is_put_there_or_replaced_is_seen(private: Path, name: str) -> None:
    known = seen(private)
    draft = private / "draft"
    draft.write_text("longer than it was\n")
    (private / name).parent.mkdir(exist_ok=True)
    os.utime((private / name).parent, ns=(1, 1))  # the clock need not have moved since
    draft.replace(private / name)
    assert not known.seem_same()


def test_an_old_file_that_was_changed_in_place_is_seen_by_a_look_at_all(private: Path) -> None:
    known = seen(private)
    with (private / OLD).open("a") as file:
        file.write("more\n")
    assert not known.are_same()


def test_what_this_program_wrote_is_as_it_left_it(private: Path) -> None:
    known = seen(private)
    for name in (NEW, OLD):
        with (private / name).open("a") as file:
            file.write("mine\n")
        known.put(name, stamp_of(private / name))
        assert known.seem_same()
        assert known.are_same()


def test_no_time_of_a_folder_that_has_just_changed_is_trusted(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = seen(private)
    monkeypatch.setattr(journal, "HIDES", 10**18)
    assert known.are_same()
    with (private / OLD).open("a") as file:
        file.write("more\n")
    assert not known.seem_same(), "every file is looked at until the folders have settled"


def test_without_a_journal_nothing_is_there(tmp_path: Path) -> None:
    assert Stamps(tmp_path).seem_same()
    assert Stamps(tmp_path).are_same()
