"""`deltadeck review`, `suspend`, `bury`, `reset`, `raise` and `due`: items by ids and searches."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.program.shell import CLOZE, ITEM, Shell


def found(deck: Shell, query: str) -> list[str]:
    return deck("search", query, "--ids").stdout.split()


def test_a_review_is_recorded_and_taken_back(deck: Shell) -> None:
    done = deck("review", ITEM, "easy", "--seconds", "12.5")
    assert done.returncode == 0
    assert done.stdout.startswith(f"{ITEM}: easy, again in ")
    assert found(deck, "rated:1:4") == [ITEM]
    assert "status: reviewing" in (deck.folder / f"{ITEM}.md").read_text()
    assert ITEM in deck("review", "--undo").stdout
    assert deck("review", "--undo").returncode == 1
    for item in ("pair/c1", ITEM):
        deck("review", item, "good")
    assert "to pair/c1." in deck("review", "--undo", "pair").stdout
    assert "no answer to pair" in deck("review", "--undo", "pair").stdout
    assert "takes an answer back" in deck.refused("review", ITEM, "3", "--undo")
    assert deck("review", "--undo").stdout.endswith(f"to {ITEM}.\n")
    assert "name one of pair/c1, pair/c2" in deck.refused("review", "pair", "3")
    assert "There is no rating" in deck.refused("review", ITEM, "5")
    assert "Name the item" in deck.refused("review", ITEM)


# Answers by lines.


def test_answers_come_line_by_line_and_each_is_said_once_it_is_recorded(deck: Shell) -> None:
    lines = f"pair/c1 good\n\n{ITEM}\t4\t12.5\npair/c1 1".encode()
    done = deck("review", "-", stdin=lines)
    said = [row.split(",")[0] for row in done.stdout.splitlines()]
    assert said == ["pair/c1: good", f"{ITEM}: easy", "pair/c1: again"]
    assert found(deck, "rated:1:4") == [ITEM]
    assert found(deck, "reps=2") == ["pair/c1"]
    (line,) = deck("review", "-", "--json", stdin=b"pair/c2 2").stdout.splitlines()
    assert (json.loads(line)["item"], json.loads(line)["rating"]) == ("pair/c2", 2)


def test_a_line_that_is_no_answer_is_named_and_what_came_before_it_stands(deck: Shell) -> None:
    done = deck("review", "-", stdin=f"pair/c1 good\npair/c2 5\n{ITEM} 3\n".encode())
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)
    assert "Line 2 of standard input: There is no rating" in done.stderr
    assert found(deck, "rated:1") == ["pair/c1"]


CARD = "---\nid: {}\ntype: basic\n---\n# Question\nWhy?\n\n---\n# Solution\nSo.\n"
NAMES = ("Über uns", "one", "one 2", "two  blanks", "last good", "all", "all 3")


@pytest.fixture
def named(empty: Path, shell: Shell) -> Shell:
    for number, name in enumerate(NAMES):
        (empty / f"{number}.md").write_text(CARD.format(name), "utf-8")
    return Shell(shell.home, empty)


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
def test_a_line_is_read_from_its_end(named: Shell, line: str, item: str, rating: str) -> None:
    if line == "one 2 3":  # with both "one 2" and "one" it would mean two things
        (named.folder / f"{NAMES.index('one 2')}.md").unlink()
    done = named("review", "-", stdin=f"{line}\r\n".encode())
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
def test_what_may_mean_two_answers_or_none_is_refused(named: Shell, line: str, said: str) -> None:
    refused = named.refused("review", "-", stdin=f"{line}\n".encode())
    assert "Line 1 of standard input: " in refused
    assert said in refused
    assert len(refused) < 300, "a line as long as a book is not printed back"
    assert not list(named.folder.glob(".deltadeck/journal/*/*.jsonl"))


@pytest.mark.parametrize("hours", [1, -1])
def test_it_is_due_at_the_roll_over_whatever_the_clock_does(named: Shell, hours: int) -> None:
    """In a zone whose clock is changed in two days, and again in a hundred."""
    first, second = (datetime.now(UTC) + timedelta(days=days) for days in (2, 100))
    days = [at.timetuple().tm_yday - 1 for at in (first, second)]
    named.env["TZ"] = "OLD-5NEW-{},{}/0,{}/0".format(5 + hours, *days)
    due = datetime.fromisoformat(named.json("review", "one", "easy")["due"])
    assert due - datetime.now(UTC) > timedelta(days=4)
    assert (due.hour, due.utcoffset()) == (4, timedelta(hours=5 + hours))
    (item,) = named.json("search", "is:review")
    assert datetime.fromisoformat(item["due"]) == due


# Items by ids, by ids on standard input, or by a search.


def test_items_are_put_aside_and_taken_up(deck: Shell) -> None:
    deck("suspend", "pair/c1")
    deck("suspend", "--search", "tag:cnn")
    assert found(deck, "is:suspended") == ["pair/c1", ITEM]
    assert "Nothing to suspend" in deck("suspend", ITEM).stdout
    deck("suspend", "pair", ITEM, "--off")
    assert found(deck, "is:suspended") == []
    value = deck.json("suspend", "-", stdin=b"pair/c1\npair/c2\n")
    assert value == {"items": ["pair/c1", "pair/c2"]}
    done = deck("suspend", ITEM, "-", "--off", stdin=b"pair\n")
    assert done.stdout == "pair/c1: unsuspended.\npair/c2: unsuspended.\n"
    assert "not UTF-8" in deck.refused("suspend", "-", stdin=b"\xff\n")
    assert "--search" in deck.refused("suspend")


def test_what_is_put_off_is_not_due_until_then(deck: Shell) -> None:
    assert "buried for 3 days" in deck("bury", ITEM, "--days", "3").stdout
    assert deck("due", "--ids", "--search", "tag:cnn").stdout == ""
    assert found(deck, "is:buried") == [ITEM]
    assert deck("bury", ITEM, "pair", "--off").stdout.count("\n") == 1
    assert found(deck, "is:buried") == []
    assert "from 1 to" in deck.refused("bury", ITEM, "--days", "0")


def test_a_reset_item_is_new_and_keeps_its_history(deck: Shell) -> None:
    deck("review", ITEM, "easy")
    assert deck("reset", ITEM).stdout == f"{ITEM}: new again.\n"
    assert ITEM in found(deck, "is:new")
    assert found(deck, "rated:1") == [ITEM]
    assert "new already" in deck("reset", ITEM).stdout


def journal(deck: Shell) -> list[bytes]:
    return [path.read_bytes() for path in deck.folder.glob(".deltadeck/journal/*/*.jsonl")]


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
def test_an_item_that_is_gone_never_means_the_others_of_its_card(deck: Shell, deed: str) -> None:
    for item in ("pair/c1", ITEM):
        assert deck("review", item, "good").returncode == 0
    (deck.folder / "pair.md").write_text(CLOZE.format("{{c1::One}}, two"))
    before = journal(deck)
    for name, said in (
        ("pair/c2", "There is no item 'pair/c2': pair has pair/c1."),
        (f"{ITEM}/c1", f"There is no item '{ITEM}/c1': {ITEM} has {ITEM}."),
        ("pear/c1", "There is no card 'pear/c1'"),
    ):
        assert said in deck.refused(*deed.format(name).split())
        line = f"pair/c1\n{name}\n".encode()
        assert said in deck.refused("reset", "-", stdin=line)
    assert journal(deck) == before


def test_of_many_items_some_are_named_and_an_item_means_its_card(deck: Shell) -> None:
    assert "One, two." in deck("show", "pair/c2").stdout
    gaps = " ".join(f"{{{{c{number}::x}}}}" for number in range(1, 21))
    (deck.folder / "pair.md").write_text(CLOZE.format(gaps))
    said = deck.refused("review", "pair", "good")
    assert "pair has 20 items: name one of pair/c1, pair/c2, " in said
    assert "and 14 more." in said
    assert "pair has pair/c1, " in deck.refused("suspend", "pair/c21")


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
def test_nothing_found_ends_as_the_page_says(deck: Shell, command: str, code: int) -> None:
    assert deck(*command.split(), "tag:nowhere").returncode == code


def test_nothing_left_to_do_is_done(deck: Shell) -> None:
    assert deck("suspend", "--search", "tag:cnn").returncode == 0
    for command in ("suspend", "bury --off", "reset", "due"):
        done = deck(*command.split(), "--search", "tag:cnn")
        assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert Shell(deck.home)("list").returncode == 0


# What is due.


def test_a_day_takes_more_once(deck: Shell) -> None:
    private = deck.folder / ".deltadeck"
    private.mkdir()
    (private / "config.toml").write_text('new_per_day = 0\n[courses."Clozes"]\nnew_per_day = 0\n')
    assert deck("due", "--ids").stdout == ""
    done = deck("raise", "--new", "1", "--deck", "clozes")
    assert done.stdout == "Today of Clozes: 1 new card more.\n"
    assert deck("due", "--ids").stdout == "pair/c1\n"
    assert deck.json("raise", "--new", "1")["left"]["new"] == 2
    assert "Nothing is raised" in deck.refused("raise")
    assert "--new takes" in deck.refused("raise", "--new", "x")
    refused = deck.refused("raise", "--new", "1", "--deck", "Cloze")
    assert "Did you mean Clozes" in refused


def test_a_session_of_its_own_kind_is_listed(deck: Shell) -> None:
    def due(*words: str) -> str:
        return deck("due", *words).stdout

    value = deck.json("due")
    assert [entry["item"] for entry in value["queue"]] == ["pair/c1", ITEM]
    assert [deck["new"] for deck in value["decks"] if deck["depth"] == 0] == [1, 1]
    assert due("--cram", "--ids").split() == ["pair/c1", ITEM, "pair/c2"]
    assert due("--cram", "--limit", "1") == "1 item: 1 new.\n"
    assert due("--deck", "clozes", "--list") == "new       pair/c1\n"
    assert deck.json("due", "--ahead", "3")["queue"] == []
    for words, said in (
        (["due", "--search", "is:nwe"], "Unknown state `nwe`"),
        (["study", "--search", "is:nwe"], "Unknown state `nwe`"),
        (["due", "--limit", "0"], "--limit takes"),
        (["study", "--deck", "Nowhere"], "no deck"),
        (["study", "--cram"], "needs a terminal"),
    ):
        assert said in deck.refused(*words, rows=4)
