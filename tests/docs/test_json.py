"""docs/json.md: the keys that it names are those that the commands print."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import fields
from datetime import date, timedelta

import pytest

from deck.optimize import Fit, Workload
from tests.docs.pages import DOCS, rows
from tui.main import commands, main

_PAGE = DOCS / "json.md"
_EXAM = f"""\
[courses."Statistical Machine Learning"]
exam = {date.today() + timedelta(days=20)}
target = 20
"""
_RUNS = {
    "show": "pool_count",
    "search": "is:new",
    "lint": "",
    "due": "--limit 1",
    "review": "pool_overlap good",
    "raise": "--new 1",
    "check": "pool_overlap --answer dx=delta",
    "layers": "relu",
    "math": "x",
    "stats": "",
    "exam": "",
    "backup": "",
    "restore": "",
    "doctor": "--repair",
    "config": "",
    "export": "--to out.json",
    "import": "out.json --dry-run",
}
_RUNS = {command: more for command, more in _RUNS.items() if command in commands()}
#: Only there where something asks for it.
_SOMETIMES = {"repaired", "target"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The keys of what each command prints, in one collection, one after the other."""
    home = tmp_path_factory.mktemp("home")
    found: dict[str, set[str]] = {}
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind))
        folder = home / "study"
        _printed(["init", str(folder), "--starter"])
        with (folder / ".deltadeck" / "config.toml").open("a") as file:
            file.write(_EXAM)
        patch.chdir(home)
        for command, more in _RUNS.items():
            where = [] if command in ("layers", "math") else ["--folder", str(folder)]
            value = json.loads(_printed([command, *more.split(), *where, "--json"]))
            found[command] = set(value[0] if isinstance(value, list) else value)
    return found


def _printed(words: list[str]) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        main(words)
    return out.getvalue()


@pytest.mark.parametrize("command", _RUNS)
def test_the_keys_on_the_page_are_the_keys_that_are_printed(
    command: str, printed: dict[str, set[str]]
) -> None:
    table = rows(_PAGE, f"key of `{command}`")
    named = {key for row in table for key in re.findall(r"`([^`]+)`", row[0])}
    assert named - _SOMETIMES == printed[command] - _SOMETIMES
    assert printed[command] <= named


def test_what_the_optimiser_prints_is_named() -> None:
    text = _PAGE.read_text("utf-8")
    names = {each.name for kind in (Fit, Workload) for each in fields(kind)}
    assert all(f"`{name}`" in text for name in names)
