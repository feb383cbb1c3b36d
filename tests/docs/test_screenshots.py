"""The pictures in the documentation say what the screens say: else `make screenshots`; the
recording shows what its script says: else `make recording`."""

from __future__ import annotations

import json
from pathlib import Path

from tests import recording, screenshots
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


def test_the_recording_shows_the_steps_of_its_script_in_turn() -> None:
    screens = recording.replayed(recording.CAST)
    missing = [seen for _, seen in recording.SCRIPT if not any(seen in each for each in screens)]
    assert not missing, "`make recording` takes it anew"


def test_the_recording_asks_nothing_of_the_terminal_that_plays_it() -> None:
    _, *events = map(json.loads, recording.CAST.read_text("utf-8").splitlines())
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    assert not recording.ASKING.search("".join(written for _, _, written in events))
    assert recording.CAST.stat().st_size < 150_000
