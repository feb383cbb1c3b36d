"""The reference that is made from the code equals the code: else `make reference`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import DOCS
from tests.docs.reference import PARTS, pages, renewed
from tui.commands.arguments import COMMANDS


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_made_part_is_what_the_code_says_now(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == renewed(text), f"{page.name} is out of date: `make reference` writes it anew"


def test_every_part_has_its_place() -> None:
    text = "".join(page.read_text("utf-8") for page in pages())
    assert all(text.count(f"<!-- made: {name} -->") == 1 for name in PARTS)


def test_every_command_that_prints_json_is_described() -> None:
    described = (DOCS / "json.md").read_text("utf-8")
    text = (DOCS / "command-line.md").read_text("utf-8")
    sections = dict(section.split("\n", 1) for section in text.split("\n### ")[1:])
    assert set(COMMANDS) <= set(sections)
    printing = {name for name, section in sections.items() if "`--json`" in section}
    assert {name for name in printing if f"`{name}" not in described} == set()
