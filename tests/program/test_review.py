"""`deltadeck review`, `suspend`, `bury`, `reset`, `raise` and `due`: items by ids and searches."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.program.shell import CLOZE, ITEM, Shell


def found(shell: Shell, deck: Path, query: str) -> list[str]:
    return shell("search", query, "--ids", "-C", deck).stdout.split()


def test_a_review_is_recorded_and_taken_back(deck: Path, shell: Shell) -> None:
    done = shell("review", ITEM, "easy", "--seconds", "12.5", "-C", deck)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{ITEM}: easy, again in ")
    assert found(shell, deck, "rated:1:4") == [ITEM]
    assert "status: reviewing" in (deck / f"{ITEM}.md").read_text()
    assert ITEM in shell("review", "--undo", "-C", deck).stdout
    assert shell("review", "--undo", "-C", deck).returncode == 1
    for item in ("pair/c1", ITEM):
        shell("review", item, "good", "-C", deck)
    assert "to pair/c1." in shell("review", "--undo", "pair", "-C", deck).stdout
    assert "no answer to pair" in shell("review", "--undo", "pair", "-C", deck).stdout
    assert "takes an answer back" in shell.refused("review", ITEM, "3", "--undo", "-C", deck)
    assert shell("review", "--undo", "-C", deck).stdout.endswith(f"to {ITEM}.\n")
    assert "name one of pair/c1, pair/c2" in shell.refused("review", "pair", "3", "-C", deck)
    assert "There is no rating" in shell.refused("review", ITEM, "5", "-C", deck)
    assert "Name the item" in shell.refused("review", ITEM, "-C", deck)


# Answers by lines.


def test_answers_come_line_by_line_and_each_is_said_once_it_is_recorded(
    deck: Path, shell: Shell
) -> None:
    lines = f"pair/c1 good\n\n{ITEM}\t4\t12.5\npair/c1 1".encode()
    done = shell("review", "-", "-C", deck, stdin=lines)
    said = [row.split(",")[0] for row in done.stdout.splitlines()]
    assert said == ["pair/c1: good", f"{ITEM}: easy", "pair/c1: again"]
    assert found(shell, deck, "rated:1:4") == [ITEM]
    assert found(shell, deck, "reps=2") == ["pair/c1"]
    (line,) = shell("review", "-", "--json", "-C", deck, stdin=b"pair/c2 2").stdout.splitlines()
    assert (json.loads(line)["item"], json.loads(line)["rating"]) == ("pair/c2", 2)


def test_a_line_that_is_no_answer_is_named_and_what_came_before_it_stands(
    deck: Path, shell: Shell
) -> None:
    done = shell("review", "-", "-C", deck, stdin=f"pair/c1 good\npair/c2 5\n{ITEM} 3\n".encode())
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)
    assert "Line 2 of standard input: There is no rating" in done.stderr
    assert found(shell, deck, "rated:1") == ["pair/c1"]


CARD = "---\nid: {}\ntype: basic\n---\n# Question\nWhy?\n\n---\n# Solution\nSo.\n"
NAMES = ("Über uns", "one", "one 2", "two  blanks", "last good", "all", "all 3")


@pytest.fixture
def named(empty: Path) -> Path:
    for number, name in enumerate(NAMES):
        (empty / f"{number}.md").write_text(CARD.format(name), "utf-8")
    return empty


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
    named: Path, shell: Shell, line: str, item: str, rating: str
) -> None:
    if line == "one 2 3":  # with both "one 2" and "one" it would mean two things
        (named / f"{NAMES.index('one 2')}.md").unlink()
    done = shell("review", "-", "-C", named, stdin=f"{line}\r\n".encode())
    assert done.stderr == ""
    assert done.stdout.startswith(f"{item}: {rating}, ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("all 3 2", "'all 3 2' is 2 for 'all 3', or 3 for 'all' in 2 seconds: put tabs"),
        ("Über uns gut", "There is no rating 'gut'"),
        ("Über uns good bald", "'bald' is not a number of seconds"),
        ("Über uns good 99999", "'99999' is not a number of seconds"),
        ("Über", "'Über' is no answer. Write ID RATING"),
        ("niemand good", "There is no card 'niemand'"),
        ("zu Hause good 3", "There is no card 'zu Hause'"),
        ("zu Hause 3", "There is no card 'zu Hause'"),
        ("a\tb\tc\td", "is no answer."),
        ("one\ttwo good", "There is no rating 'two good'"),
        ("x" * 50_000, "is no answer."),
    ],
)
def test_what_may_mean_two_answers_or_none_is_refused_as_it_was_written(
    named: Path, shell: Shell, line: str, said: str
) -> None:
    refused = shell.refused("review", "-", "-C", named, stdin=f"{line}\n".encode())
    assert "Line 1 of standard input: " in refused
    assert said in refused
    assert len(refused) < 300, "a line as long as a book is not printed back"
    assert not list(named.glob(".deltadeck/journal/*/*.jsonl"))


@pytest.mark.parametrize("hours", [1, -1])
def test_it_is_due_at_the_roll_over_also_where_the_clock_changes_until_then(
    named: Path, shell: Shell, hours: int
) -> None:
    """In a zone whose clock is changed in two days, and again in a hundred."""
    first, second = (datetime.now(UTC) + timedelta(days=days) for days in (2, 100))
    days = [at.timetuple().tm_yday - 1 for at in (first, second)]
    shell.env["TZ"] = "OLD-5NEW-{},{}/0,{}/0".format(5 + hours, *days)
    due = datetime.fromisoformat(shell.json("review", "one", "easy", "-C", named)["due"])
    assert due - datetime.now(UTC) > timedelta(days=4)
    assert (due.hour, due.utcoffset()) == (4, timedelta(hours=5 + hours))
    (item,) = shell.json("search", "is:review", "-C", named)
    assert datetime.fromisoformat(item["due"]) == due


# Items by ids, by ids on standard input, or by a search.


def test_items_are_put_aside_and_taken_up(deck: Path, shell: Shell) -> None:
    shell("suspend", "pair/c1", "-C", deck)
    shell("suspend", "--search", "tag:cnn", "-C", deck)
    assert found(shell, deck, "is:suspended") == ["pair/c1", ITEM]
    assert "Nothing to put aside" in shell("suspend", ITEM, "-C", deck).stdout
    shell("suspend", "pair", ITEM, "--off", "-C", deck)
    assert found(shell, deck, "is:suspended") == []
    value = shell.json("suspend", "-", "-C", deck, stdin=b"pair/c1\npair/c2\n")
    assert value == {"items": ["pair/c1", "pair/c2"]}
    done = shell("suspend", ITEM, "-", "--off", "-C", deck, stdin=b"pair\n")
    assert done.stdout == "pair/c1: taken up again.\npair/c2: taken up again.\n"
    assert "not UTF-8" in shell.refused("suspend", "-", "-C", deck, stdin=b"\xff\n")
    assert "--search" in shell.refused("suspend", "-C", deck)


def test_what_is_put_off_is_not_due_until_then(deck: Path, shell: Shell) -> None:
    assert "again in 3 days" in shell("bury", ITEM, "--days", "3", "-C", deck).stdout
    assert shell("due", "--ids", "--search", "tag:cnn", "-C", deck).stdout == ""
    assert found(shell, deck, "is:buried") == [ITEM]
    assert shell("bury", ITEM, "pair", "--off", "-C", deck).stdout.count("\n") == 1
    assert found(shell, deck, "is:buried") == []
    assert "from 1 to" in shell.refused("bury", ITEM, "--days", "0", "-C", deck)


def test_a_reset_item_is_new_and_keeps_its_history(deck: Path, shell: Shell) -> None:
    shell("review", ITEM, "easy", "-C", deck)
    assert shell("reset", ITEM, "-C", deck).stdout == f"{ITEM}: new again.\n"
    assert ITEM in found(shell, deck, "is:new")
    assert found(shell, deck, "rated:1") == [ITEM]
    assert "new already" in shell("reset", ITEM, "-C", deck).stdout


def journal(deck: Path) -> list[bytes]:
    return [path.read_bytes() for path in deck.glob(".deltadeck/journal/*/*.jsonl")]


@pytest.mark.parametrize(
    "deed",
    [
        "review {} again",
        "review --undo {}",
        "suspend {}",
        "bury {}",
        "reset {}",
        "export {} --format html",
    ],
)
def test_an_item_that_is_gone_never_means_the_others_of_its_card(
    deck: Path, shell: Shell, deed: str
) -> None:
    for item in ("pair/c1", ITEM):
        assert shell("review", item, "good", "-C", deck).returncode == 0
    (deck / "pair.md").write_text(CLOZE.format("{{c1::One}}, two"))
    before = journal(deck)
    for name, said in (
        ("pair/c2", "There is no item 'pair/c2': pair has pair/c1."),
        (f"{ITEM}/c1", f"There is no item '{ITEM}/c1': {ITEM} has {ITEM}."),
        ("pear/c1", "There is no card 'pear/c1'"),
    ):
        assert said in shell.refused(*deed.format(name).split(), "-C", deck)
        line = f"pair/c1\n{name}\n".encode()
        assert said in shell.refused("reset", "-", "-C", deck, stdin=line)
    assert journal(deck) == before


def test_of_many_items_some_are_named_and_where_a_card_is_meant_its_item_names_it(
    deck: Path, shell: Shell
) -> None:
    assert "One, two." in shell("show", "pair/c2", "-C", deck).stdout
    gaps = " ".join(f"{{{{c{number}::x}}}}" for number in range(1, 21))
    (deck / "pair.md").write_text(CLOZE.format(gaps))
    said = shell.refused("review", "pair", "good", "-C", deck)
    assert "pair has 20 items: name one of pair/c1, pair/c2, " in said
    assert "and 14 more." in said
    assert "pair has pair/c1, " in shell.refused("suspend", "pair/c21", "-C", deck)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("search", 1),
        ("list", 1),
        ("export --format html --search", 1),
        ("suspend --search", 1),
        ("suspend --off --search", 1),
        ("bury --search", 1),
        ("bury --off --search", 1),
        ("reset --search", 1),
        ("due --search", 1),
        ("due --cram --json --search", 1),
        ("stats", 0),
        ("show --search", 2),
        ("edit --file - --search", 2),
        ("check --answer 1 --search", 2),
    ],
)
def test_a_search_that_finds_nothing_ends_as_the_page_says(
    deck: Path, shell: Shell, command: str, code: int
) -> None:
    assert shell(*command.split(), "tag:nowhere", "-C", deck).returncode == code


def test_nothing_left_to_do_is_done(deck: Path, shell: Shell) -> None:
    assert shell("suspend", "--search", "tag:cnn", "-C", deck).returncode == 0
    for command in ("suspend", "bury --off", "reset", "due"):
        done = shell(*command.split(), "--search", "tag:cnn", "-C", deck)
        assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert shell("list", "-C", shell.home).returncode == 0


# What is due.


def test_a_day_takes_more_once(deck: Path, shell: Shell) -> None:
    private = deck / ".deltadeck"
    private.mkdir()
    (private / "config.toml").write_text('new_per_day = 0\n[courses."Clozes"]\nnew_per_day = 0\n')
    assert shell("due", "--ids", "-C", deck).stdout == ""
    done = shell("raise", "--new", "1", "--deck", "clozes", "-C", deck)
    assert done.stdout == "Today of Clozes: 1 new card more.\n"
    assert shell("due", "--ids", "-C", deck).stdout == "pair/c1\n"
    assert shell.json("raise", "--new", "1", "-C", deck)["left"]["new"] == 2
    assert "Nothing is raised" in shell.refused("raise", "-C", deck)
    assert "--new takes" in shell.refused("raise", "--new", "x", "-C", deck)
    refused = shell.refused("raise", "--new", "1", "--deck", "Cloze", "-C", deck)
    assert "Did you mean Clozes" in refused


def test_a_session_of_its_own_kind_is_listed(deck: Path, shell: Shell) -> None:
    def due(*words: str) -> str:
        return shell("due", *words, "-C", deck).stdout

    value = shell.json("due", "-C", deck)
    assert [entry["item"] for entry in value["queue"]] == ["pair/c1", ITEM]
    assert [deck["new"] for deck in value["decks"] if deck["depth"] == 0] == [1, 1]
    assert due("--cram", "--ids").split() == ["pair/c1", "pair/c2", ITEM]
    assert due("--cram", "--limit", "1") == "1 item: 1 new.\n"
    assert due("--deck", "clozes", "--list") == "new       pair/c1\n"
    assert shell.json("due", "--ahead", "3", "-C", deck)["queue"] == []
    for words, said in (
        (["due", "--search", "is:nwe"], "no is:nwe"),
        (["study", "--search", "is:nwe"], "no is:nwe"),
        (["due", "--limit", "0"], "--limit takes"),
        (["study", "--deck", "Nowhere"], "no deck"),
        (["study", "--cram"], "needs a terminal"),
    ):
        assert said in shell.refused(*words, "-C", deck, rows=4)
