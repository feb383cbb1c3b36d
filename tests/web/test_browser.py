"""The story in a browser: a real page of the real server, in headless Chromium."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.paths import ROOT, SEED
from tests.program.terminal import environment
from tests.tui.driving import RIGHT
from tests.web.browser import Page, chromium, page

pytestmark = pytest.mark.skipif(chromium() is None, reason="this machine has no Chromium")


@asynccontextmanager
async def served(home: Path, width: int = 1000, height: int = 700) -> AsyncIterator[Page]:
    """A page of `deltadeck serve` on a folder with the seed card, which is `home/deck`."""
    folder = home / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tui", "serve", str(folder), "--port", "0"),
        cwd=ROOT,
        env=environment(home),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert server.stdout is not None
        address = (await server.stdout.readline()).decode().split()[-1]
        async with page(home / "chromium") as browser:
            await browser.open(address, width, height)
            await browser.see("Statistical Machine Learning", "Help")
            yield browser
            own = urlsplit(address).netloc
            assert {urlsplit(url).netloc for url in browser.requests} <= {own, ""}
        server.terminate()
        assert await asyncio.wait_for(server.wait(), 20) == 0
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()


def reviews(home: Path) -> list[dict[str, object]]:
    files = home.glob("deck/.deltadeck/journal/*/*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] == "review"]


async def test_a_card_is_studied_and_its_derivation_checked(tmp_path: Path) -> None:
    async with served(tmp_path) as browser:
        assert "Help" in browser.rows()[-1], "the footer is on the last row at once"
        bottom = "document.querySelector('.xterm-screen').getBoundingClientRect().bottom"
        assert await browser.run(f"{bottom} <= innerHeight")
        await browser.press("\r")
        await browser.see("ssu_batch4_004", "Max Pooling layer")
        await browser.press("c")
        await browser.see("Lab")
        await browser.press(RIGHT)
        await browser.see("✓")
        await browser.press("\x1b")
        await browser.until(lambda s: "Lab" not in s and "ssu_batch4_004" in s, "left the lab")
        await browser.press(" ")
        await browser.see("Again", "Hard", "Good", "Easy")
        await browser.press("3")
        await browser.until(lambda _: bool(reviews(tmp_path)), "journalled")
    [review] = reviews(tmp_path)
    assert review["rating"] == 3
    assert "correct" in json.dumps(review, ensure_ascii=False)


async def test_a_narrow_page_shows_the_whole_app(tmp_path: Path) -> None:
    async with served(tmp_path, 360, 640) as browser:
        assert await browser.run("document.documentElement.scrollWidth <= innerWidth")
        await browser.press("\r")
        await browser.see("ssu_batch4_004", "Reveal")


async def test_a_page_that_is_narrowed_and_widened_again_shows_the_whole_app(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as browser:
        wide = len(browser.rows()[0])
        await browser.resize(360, 640)
        await browser.until(lambda _: 60 <= len(browser.rows()[0]) < wide, "narrowed")
        await browser.see("Statistical Machine Learning", "Help")
        await browser.press("\r")
        await browser.see("ssu_batch4_004", "Reveal")
        await browser.resize(1000, 700)
        await browser.until(lambda _: len(browser.rows()[0]) == wide, "widened")
        await browser.see("ssu_batch4_004", "Reveal")


async def test_a_page_that_is_closed_leaves_its_text_as_a_draft(tmp_path: Path) -> None:
    async with served(tmp_path) as browser:
        await browser.press("\r")
        await browser.see("Max Pooling layer")
        await browser.press("e")
        await browser.see("Save")
        await browser.press("kept")
        await browser.see("kept")
        await browser.open("about:blank")
    [draft] = (tmp_path / "data").rglob("drafts/*")
    assert "kept" in draft.read_text()
