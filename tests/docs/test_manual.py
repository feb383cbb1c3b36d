"""The manual page: it is what the parsers say now, and reads without a complaint."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.docs.manual import PAGE, page
from tui.commands.arguments import COMMANDS


def test_the_page_is_what_the_code_says_now() -> None:
    assert PAGE.read_text("utf-8") == page(), "out of date: `make man` writes it anew"


def test_every_command_has_its_part() -> None:
    text = PAGE.read_text("utf-8")
    assert all(f"\n.SS {name}" in text for name in COMMANDS)


@pytest.mark.parametrize(
    "reader",
    [["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-ww", "-z", "-K", "utf8"]],
    ids=lambda words: words[0],
)
def test_a_reader_of_manual_pages_finds_nothing_odd(reader: list[str]) -> None:
    if shutil.which(reader[0]) is None:
        pytest.skip(f"{reader[0]} is not installed here")
    done = subprocess.run([*reader, str(PAGE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_man_shows_options_and_examples() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed here")
    shown = subprocess.run(
        ["groff", "-man", "-Tutf8", "-K", "utf8", "-P-cbou", str(PAGE)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "search tag:cnn --ids | deltadeck suspend -" in shown
    assert "   check [ID ...]" in shown
    assert "--folder DIR, -C DIR" in shown or "--folder, -C DIR" in shown
