"""`deltadeck review`: what a line of `-` means, read from its end, and what an answer says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.program.shell import Shell

CARD = "---\nid: {}\ntype: basic\n---\n# Question\nWhy?\n\n---\n# Solution\nSo.\n"
NAMES = ("Über uns", "one", "one 2", "two  blanks", "last good", "all", "all 3")


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / f"{number}.md").write_text(CARD.format(name), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("line", "item", "rating"),
    [
        ("Über uns good", "Über uns", "good"),
        ("Über uns 3", "Über uns", "good"),
        ("Über uns good 7.5", "Über uns", "good"),
        ("  Über uns\tgood\t7 ", "Über uns", "good"),
        ("one 3 2", "one", "good"),
        ("one 2 easy", "one 2", "easy"),
        ("one 2 3", "one", "hard"),
        ("one 2\t3", "one 2", "good"),
        ("one 2 good\t", "one 2", "good"),
        ("all 3\t2", "all 3", "hard"),
        ("all\t3\t2", "all", "good"),
        ("two  blanks\u00a0 EASY", "two  blanks", "easy"),
        ("last good 4", "last good", "easy"),
        ("last good good", "last good", "good"),
        ("last good again 3", "last good", "again"),
        ("\ufeffone again", "one", "again"),
    ],
)
def test_a_line_is_read_from_its_end_and_blanks_in_an_id_need_no_tabs(
    deck: Path, shell: Shell, line: str, item: str, rating: str
) -> None:
    if line == "one 2 3":  # with both "one 2" and "one" it would mean two things
        (deck / f"{NAMES.index('one 2')}.md").unlink()
    done = shell("review", "-", "-C", deck, stdin=f"{line}\r\n".encode())
    assert done.stderr == ""
    assert done.stdout.startswith(f"{item}: {rating}, ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("all 3 2", "'all 3 2' is 2 for 'all 3', or 3 for 'all' in 2 seconds: put tabs"),
        ("Über uns gut", "There is no rating 'gut'"),
        ("Über uns good bald", "'bald' is not a number of seconds"),
        ("Über uns good 99999", "'99999' is not a number of seconds"),
        ("Über", "'Über' is no answer."),
        ("niemand good", "There is no card 'niemand'"),
        ("zu Hause good 3", "There is no card 'zu Hause'"),
        ("zu Hause 3", "There is no card 'zu Hause'"),
        ("a\tb\tc\td", "is no answer."),
        ("one\ttwo good", "There is no rating 'two good'"),
    ],
)
def test_what_may_mean_two_answers_or_none_is_refused_as_it_was_written(
    deck: Path, shell: Shell, line: str, said: str
) -> None:
    done = shell("review", "-", "-C", deck, stdin=f"{line}\n".encode())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Line 1 of standard input: " in done.stderr
    assert said in done.stderr
    assert not list(deck.glob(".deltadeck/journal/*/*.jsonl"))


def test_a_line_as_long_as_a_book_is_not_printed_back(deck: Path, shell: Shell) -> None:
    assert len(shell.refused("review", "-", "-C", deck, stdin=b"x" * 50_000)) < 300


@pytest.mark.parametrize("hours", [1, -1])
def test_it_is_due_at_the_roll_over_also_where_the_clock_changes_until_then(
    deck: Path, shell: Shell, hours: int
) -> None:
    """In a zone whose clock is changed in two days, and again in a hundred."""
    first, second = (datetime.now(UTC) + timedelta(days=days) for days in (2, 100))
    days = [at.timetuple().tm_yday - 1 for at in (first, second)]
    shell.env["TZ"] = "OLD-5NEW-{},{}/0,{}/0".format(5 + hours, *days)
    done = shell("review", "one", "easy", "--json", "-C", deck)
    said = datetime.fromisoformat(json.loads(done.stdout)["due"])
    assert said - datetime.now(UTC) > timedelta(days=4)
    assert (said.hour, said.utcoffset()) == (4, timedelta(hours=5 + hours))
    (found,) = json.loads(shell("search", "is:review", "--json", "-C", deck).stdout)
    assert datetime.fromisoformat(found["due"]) == said
