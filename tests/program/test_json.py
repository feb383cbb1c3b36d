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
from tests.docs.pages import DOCS, rows
from tests.program.shell import Shell
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser

_CARD = (
    "id course tags difficulty type status points question options related items exercise macros "
    "extra path correct solution"
)
_VERDICT = (
    "verdict read seed tried failed left_out misconception teaching wrong_when near remark "
    "counterexample message hint line column trace printed layers"
)
_PROBLEM = "path line column message hint severity"
_EXPECTED = "expected deviation low high points"
#: Of each command line, the keys; those of a list are of its first value, "a.b" are of what `a` is.
PINNED = {
    "show pool_linear": _CARD,
    "show pool_linear pool_ties": _CARD,
    "list": _CARD,
    "search tag:overlap": ("item card course tags state suspended due r stability question"),
    "due": (
        "decks decks.name decks.key decks.depth decks.new decks.learning decks.due "
        "queue queue.item queue.kind queue.due next_due problems"
    ),
    "review pool_linear good": "item rating due",
    "review --undo": "undone",
    "suspend pool_linear": "items",
    "bury pool_linear": "items",
    "reset pool_linear": "items",
    "raise --new 1": "new reviews left left.new left.due",
    "check pool_linear --answer 1": _VERDICT,
    "layers relu": "layer description symbols indices example",
    "math x": "source rows width baseline marks problems",
    "stats": (
        "today since days hours ratings retention calibration streak standing memories forecast "
        "overdue checks"
    ),
    "exam": (
        "course exam days now plan next plan.minutes next.item next.points next.minutes "
        + " ".join(f"now.{key}" for key in _EXPECTED.split())
    ),
    "config": "key value source course",
    "config fuzz": "key value source course",
    "lint bad.md": _PROBLEM,
    "lint --dry-run bad.md": "fixes fixes.path fixes.mended fixes.diff",
    "lint --fix bad.md": "fixed fixed.path fixed.mended problems",
    "export --to cards.csv": "path format written lost lost_more not_in_the_format",
    "import taken.csv --dry-run": (
        "dry_run files files.file files.new files.changed files.unchanged files.kept files.reviews "
        "files.suspended files.media files.ids files.lost"
    ),
    "backup": "made backup backup.path backup.at backup.bytes",
    "restore": "path at bytes",
    "doctor": (
        "code findings findings.about findings.name findings.said findings.status findings.hint "
        "findings.command"
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


@pytest.mark.parametrize("line", PINNED)
def test_the_keys_stay(line: str, printed: dict[str, Any]) -> None:
    assert set(PINNED[line].split()) - _keys(printed[line]) == set()


ON_THE_PAGE = [
    line
    for number, line in enumerate(PINNED)
    if rows(PAGE, f"key of `{line.split()[0]}`")
    and line.split()[0] not in [each.split()[0] for each in list(PINNED)[:number]]
]


@pytest.mark.parametrize("line", ON_THE_PAGE)
def test_the_keys_on_the_page_are_the_keys_that_are_printed(
    line: str, printed: dict[str, Any]
) -> None:
    table = rows(PAGE, f"key of `{line.split()[0]}`")
    named = {key for row in table for key in re.findall(r"`([^`]+)`", row[0])}
    found = {key for key in _keys(printed[line]) if "." not in key}
    assert named - SOMETIMES <= found <= named


def test_the_page_has_a_table_of_most_commands_and_names_what_the_optimiser_prints() -> None:
    assert len(ON_THE_PAGE) >= 17
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
