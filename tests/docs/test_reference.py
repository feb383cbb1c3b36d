"""The reference and the manual page that are made from the code equal it: else `make reference`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bench.paths import shared_names
from tests.docs.pages import DOCS, code, rows
from tests.docs.reference import MANUAL, PARTS, manual, pages, renewed
from tui.commands.arguments import COMMANDS
from tui.plots.catalogue import ENTRIES


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_made_part_is_what_the_code_says_now(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == renewed(text), f"{page.name} is out of date: `make reference` writes it anew"


def test_every_part_has_its_place() -> None:
    text = "".join(page.read_text("utf-8") for page in pages())
    assert all(text.count(f"<!-- made: {name} -->") == 1 for name in PARTS)


def test_class_names_that_rooms_share_are_told_and_none_stands_twice_in_a_room() -> None:
    within, between = shared_names()
    assert within == {}
    page = (DOCS / "architecture.md").read_text("utf-8")
    rows = page.split("## Names shared by two rooms")[1].splitlines()
    for name, files in between.items():
        told = [
            row for row in rows if f"`{name}`" in row and all(f"`{file}`" in row for file in files)
        ]
        assert told, f"{name}: {', '.join(files)}"


def test_every_command_that_prints_json_is_described() -> None:
    described = (DOCS / "json.md").read_text("utf-8")
    text = (DOCS / "command-line.md").read_text("utf-8")
    sections = dict(section.split("\n", 1) for section in text.split("\n### ")[1:])
    assert set(COMMANDS) <= set(sections)
    printing = {name for name, section in sections.items() if "`--json`" in section}
    assert {name for name in printing if f"`{name}" not in described} == set()


def test_every_figure_of_the_statistics_is_explained() -> None:
    told = [
        code(name)
        for cell, _ in rows(DOCS / "exams-and-statistics.md", "`--plot`")
        for name in cell.split(", ")
    ]
    assert told == [entry.name for entry in ENTRIES]


# The manual page.


def test_the_manual_page_is_what_the_code_says_now() -> None:
    text = MANUAL.read_text("utf-8")
    assert text == manual(), "out of date: `make reference` writes it anew"
    assert all(f"\n.SS {name}" in text for name in COMMANDS)


@pytest.mark.parametrize(
    "reader",
    [["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-ww", "-z", "-K", "utf8"]],
    ids=lambda words: words[0],
)
def test_a_reader_of_manual_pages_finds_nothing_odd(reader: list[str]) -> None:
    if shutil.which(reader[0]) is None:
        pytest.skip(f"{reader[0]} is not installed here")
    done = subprocess.run([*reader, str(MANUAL)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_man_shows_options_and_examples() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed here")
    shown = subprocess.run(
        ["groff", "-man", "-Tutf8", "-K", "utf8", "-P-cbou", str(MANUAL)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "search tag:cnn --ids | deltadeck suspend -" in shown
    assert "   check [ID ...]" in shown
    assert "--folder DIR, -C DIR" in shown or "--folder, -C DIR" in shown
