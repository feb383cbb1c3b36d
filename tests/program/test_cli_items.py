"""An id on the command line means what it names and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.shell import Shell

ITEM = "ssu_batch4_004"
CLOZE = "---\nid: pair\ntype: cloze\n---\n# Question\n{}.\n"


@pytest.fixture
def deck(folder: Path) -> Path:
    (folder / "pair.md").write_text(CLOZE.format("{{c1::One}}, {{c2::two}}"))
    return folder


def journal(deck: Path) -> list[bytes]:
    return [path.read_bytes() for path in deck.glob(".deltadeck/journal/*/*.jsonl")]


DEEDS = [
    "review {} again",
    "review --undo {}",
    "suspend {}",
    "bury {}",
    "reset {}",
    "export {} --format html",
]


@pytest.mark.parametrize("deed", DEEDS)
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
    assert journal(deck) == before


def test_on_standard_input_too(deck: Path, shell: Shell) -> None:
    shell("review", "pair/c1", "good", "-C", deck)
    before = journal(deck)
    said = shell.refused("reset", "-", "-C", deck, stdin=b"pair/c1\npair/c9\n")
    assert "There is no item 'pair/c9': pair has pair/c1, pair/c2." in said
    assert "no item 'pair/c9'" in shell.refused("review", "-", "-C", deck, stdin=b"pair/c9 1\n")
    assert journal(deck) == before


def test_of_many_items_some_are_named(deck: Path, shell: Shell) -> None:
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


def test_a_search_that_begins_with_a_minus_is_told_apart_from_an_option(
    deck: Path, shell: Shell
) -> None:
    for command in ("search", "list", "stats --json"):
        said = shell.refused(*command.split(), "-is:suspended", "-C", deck)
        assert "no option -is:suspended; put -- before" in said
    assert "put --" not in shell.refused("due", "--fast")
    assert "expected one argument" in shell.refused("due", "--search", "--json", "-C", deck)
    shell("suspend", "pair", "-C", deck)
    found = shell("due", "--ids", "--search", "-is:suspended", "-C", deck)
    assert found.stdout.split() == [ITEM]


def test_where_a_card_is_meant_its_item_names_it(deck: Path, shell: Shell) -> None:
    assert "One, two." in shell("show", "pair/c2", "-C", deck).stdout
