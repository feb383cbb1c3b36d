"""What programs read: the keys that each command prints, pinned, and named by docs/json.md.

Keys may be added here, and none may go: the page promises it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from deck.optimize import Fit, Workload
from tests.docs.pages import DOCS
from tests.program.shell import Shell
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser

#: Of each command line, the keys that the page does not list; those of a list are of its first
#: value, "a.b" are of what `a` is.
PINNED = {
    "show pool_linear": "correct solution",
    "show pool_linear pool_ties": "id correct solution",
    "list": "id course tags type status question items path",
    "search tag:overlap": "",
    "due": (
        "decks.name decks.key decks.depth decks.new decks.learning decks.due queue.item "
        "queue.kind queue.due"
    ),
    "review pool_linear good": "",
    "review --undo": "undone",
    "suspend pool_linear": "items",
    "bury pool_linear": "items",
    "reset pool_linear": "items",
    "raise --new 1": "left.new left.due",
    "check pool_linear --answer 1": "",
    "exercise pool_linear": "",
    "layers relu": "",
    "math x": "",
    "stats": "",
    "exam": (
        "now.expected now.deviation now.low now.high now.points plan.minutes next.item "
        "next.points next.minutes"
    ),
    "config": "",
    "config fuzz": "key value source course",
    "lint bad.md": "",
    "lint --dry-run bad.md": "fixes fixes.path fixes.mended fixes.diff",
    "lint --fix bad.md": "fixed fixed.path fixed.mended problems",
    "export --to cards.csv": "",
    "import taken.csv --dry-run": (
        "files.file files.new files.changed files.unchanged files.kept files.reviews "
        "files.suspended files.media files.ids files.lost"
    ),
    "backup": "backup.path backup.at backup.bytes",
    "restore": "",
    "doctor": (
        "findings.about findings.name findings.said findings.status findings.hint findings.command"
    ),
    "init deck": "path cards",
    "add --file new.md": "id path",
    "edit pool_linear --file same.md": "id path",
    "sync --dry-run": "repositories copies open reviews_synced dry_run",
}
#: They print no values: a program reads their files, or nothing.
SILENT = {"study", "serve", "completion", "help"}
#: `optimize` needs a thousand answers: the page names what it gives.
ELSEWHERE = {"optimize"}
PAGE = DOCS / "json.md"
#: Keys of the page that are only there where something asks for them.
SOMETIMES = {"repaired", "target"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command line prints, one after the other in one collection."""
    shell = Shell(tmp_path_factory.mktemp("json"))
    home, folder = shell.home, shell.home / "deck"
    soon = f"{date.today() + timedelta(days=30)}"
    shell("init", folder, "--starter")
    shell("config", "exam", soon, "--course", "Statistical Machine Learning", "-C", folder)
    card = (folder / "pool_linear.md").read_text("utf-8")
    (folder / "bad.md").write_text("# Question\nWhy?\n# Solution\nBecause.\n")
    (home / "taken.csv").write_text("question,answer\nWhy?,Because.\n")
    (home / "same.md").write_text(card, "utf-8")
    (home / "new.md").write_text(card.replace("id: pool_linear", "id: brand_new"), "utf-8")

    def words(line: str) -> list[str]:
        words = [f"deck/{word}" if word == "bad.md" else word for word in line.split()]
        alone = words[0] in ("layers", "math", "init", "lint")
        return words if alone else [*words, "-C", "deck"]

    return {line: shell.json(*words(line)) for line in PINNED}


def _keys(value: Any) -> set[str]:
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return set()
    inner = {f"{key}.{each}" for key, part in first.items() for each in _keys(part)}
    return set(first) | inner


def _listed(line: str) -> set[str]:
    """The keys that the page lists for a command, each in front of what it means."""
    _, _, section = PAGE.read_text("utf-8").partition(f"\n### `{line.split()[0]}`\n")
    listed = re.findall(r"^- (.*?):", section.partition("\n#")[0], re.MULTILINE | re.DOTALL)
    return {key for keys in listed for key in re.findall(r"`([^`]+)`", keys)}


#: The first line of each command whose keys the page lists.
LISTED = {line.split()[0]: line for line in reversed(PINNED) if _listed(line)}


@pytest.mark.parametrize("line", PINNED)
def test_the_keys_are_as_pinned_and_on_the_page(line: str, printed: dict[str, Any]) -> None:
    found = _keys(printed[line])
    assert set(PINNED[line].split()) <= found
    if line in LISTED.values():
        named = _listed(line)
        assert named - SOMETIMES <= {key for key in found if "." not in key} <= named


def test_the_page_lists_the_keys_of_most_commands_and_names_what_the_optimiser_prints() -> None:
    assert len(LISTED) >= 17
    text = PAGE.read_text("utf-8")
    names = {each.name for kind in (Fit, Workload) for each in fields(kind)}
    assert all(f"`{name}`" in text for name in names)


def test_every_command_that_a_program_may_read_is_pinned() -> None:
    takes = {
        name
        for name in COMMANDS
        if any("--json" in action.option_strings for action in command_parser(name)._actions)
    }
    assert takes == set(COMMANDS) - SILENT
    assert takes - ELSEWHERE == {line.split()[0] for line in PINNED}


def _all(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from _all(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key, each
            if key not in ("extra", "macros", "counterexample", "marks", "ids"):
                yield from _all(each)


def test_a_key_means_the_same_everywhere(printed: dict[str, Any]) -> None:
    for line, value in printed.items():
        for key, each in _all(value):
            match key:
                case "item" | "path" | "message" | "hint" | "command":
                    assert isinstance(each, str) or each is None, (line, key)
                case "items" | "tags":
                    assert isinstance(each, list | int), (line, key)
                case "due" | "at" | "next_due" if isinstance(each, str):
                    assert datetime.fromisoformat(each).tzinfo is not None, (line, key)
