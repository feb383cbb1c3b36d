"""The pictures in the documentation say what the screens say: else `make screenshots`."""

from __future__ import annotations

from pathlib import Path

from tests import screenshots
from tests.docs.pages import DOCS


async def test_the_pictures_say_what_the_screens_say_today(tmp_path: Path) -> None:
    await screenshots.take(tmp_path, screenshots.SIZE, screenshots.THEME)
    stale = [
        name
        for name in screenshots.NAMES
        if screenshots.words((DOCS / f"{name}.svg").read_text("utf-8"))
        != screenshots.words((tmp_path / f"{name}.svg").read_text("utf-8"))
    ]
    assert not stale, "`make screenshots` takes them anew"


def test_a_picture_asks_no_other_host() -> None:
    for name in screenshots.NAMES:
        text = (DOCS / f"{name}.svg").read_text("utf-8")
        assert not any(mark in text for mark in ("url(http", "href=", "@import", "<image"))
