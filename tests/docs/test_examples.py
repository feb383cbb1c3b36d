"""What the pages show is what happens: commands run, code holds, settings are taken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deck.config import parse_config
from tests.docs.pages import PAGES, blocks, name
from tests.docs.session import commands, differences, matches, page_environment
from tests.paths import ROOT

#: Each language that a page may use; only `text`, `sh` and `yaml` are there to be looked at.
_LANGUAGES = {"console", "python", "markdown", "toml", "json", "text", "sh", "yaml"}
#: What the reader of a page has already, by the name that the page gives it.
_BROUGHT = {"Languages.apkg": ROOT / "tests/deck/exchange/anki/current.apkg"}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=name)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    folder, home = tmp_path / "here", tmp_path / "home"
    folder.mkdir()
    (home / "tmp").mkdir(parents=True)
    for known, path in _BROUGHT.items():
        if known in page.read_text("utf-8"):
            shutil.copy(path, folder / known)
    given = commands(blocks(page, "console"))
    said = differences(given, folder, page_environment(home))
    assert not said, "\n\n".join(said)
    assert not list((home / "tmp").iterdir()), "temporary files are left behind"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, "python"):
        source = "\n" * block.line + block.text  # a failure is told with the page's own lines
        exec(compile(source, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_settings_and_json_read_and_every_language_is_tested(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= _LANGUAGES
    for block in blocks(page, "toml"):
        assert not parse_config(block.text)[1], block.place
    for block in blocks(page, "json"):
        for line in block.text.splitlines() if block.text.startswith('{"v":') else [block.text]:
            json.loads(line)


@pytest.mark.parametrize(
    ("expected", "printed", "is_right"),
    [
        (["a", "…", "d"], "a\nb\nc\nd\n", True),
        (["a", "…"], "a\n", True),
        (["took … ms"], "took 12 ms\n", True),
        (["took … ms"], "took 12 s\n", False),
        (["a"], "a\nb\n", False),
        (["a "], "a\n", True),
        (["(a)*"], "(a)*\n", True),
    ],
)
def test_dots_stand_for_anything(expected: list[str], printed: str, is_right: bool) -> None:
    assert matches(expected, printed) is is_right
