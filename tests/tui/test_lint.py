"""`deltadeck lint`: formulas, pictures and links of a card, with its collection in view."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import basic, write
from tui.main import main

TEXT = "$\\Q \\foo$ [[b]] [[Some Tag]] `[[code]]` $[[x]]$ [[nobody]]"
TAGGED = basic("b").replace("type: basic", "type: basic\ntags: [some-tag]")


@pytest.fixture
def linted(folder: Path) -> Path:
    write(folder, "b", TAGGED)
    (folder / ".deltadeck").mkdir()
    (folder / ".deltadeck" / "config.toml").write_text("[math.macros]\nQ = 'q'\n")
    return folder


def lint(capsys: pytest.CaptureFixture[str], *paths: Path) -> tuple[int, list[str]]:
    code = main(["lint", *map(str, paths)])
    return code, capsys.readouterr().out.splitlines()


def test_a_formula_is_shown_with_a_caret(linted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(linted, "a", basic("a", TEXT))
    for asked in (linted, path):
        code, rows = lint(capsys, asked)
        assert code == 1
        assert f"{path}:9:5: formula:" in rows[0]
        assert "\\foo" in rows[0]
        assert rows[2].index("^") == rows[1].index("\\foo")
        assert ["nobody" in row for row in rows[3:]] == [True]


def test_a_link_to_no_card_fails_nothing(linted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(linted, "a", basic("a", "[[nobody]]"))
    code, rows = lint(capsys, linted)
    assert code == 0
    assert rows[0].startswith("hint: ")
    assert "`nobody`" in rows[0]


@pytest.mark.parametrize("picture", ["![x](gone.png)", "![[gone.png]]", "![x](there.png)"])
def test_a_picture_that_is_missing_is_said(
    linted: Path, picture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (linted / "there.png").write_bytes(b"")
    write(linted, "a", basic("a", picture))
    code, rows = lint(capsys, linted)
    assert code == ("gone" in picture)
    assert any("`gone.png`" in row for row in rows) == ("gone" in picture)
