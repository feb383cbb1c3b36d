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
from tests.web.browser import chromium, page

pytestmark = pytest.mark.skipif(chromium() is None, reason="this machine has no Chromium")

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"


@asynccontextmanager
async def served(folder: Path, home: Path, *options: str) -> AsyncIterator[str]:
    """The address at which `deltadeck serve` answers."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tui", "serve", str(folder), "--port", "0", *options),
        cwd=ROOT,
        env=environment(home),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert server.stdout is not None
        yield (await server.stdout.readline()).decode().split()[-1]
        server.terminate()
        assert await asyncio.wait_for(server.wait(), 20) == 0
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()


def events(folder: Path, kind: str) -> list[dict[str, object]]:
    files = folder.glob(".deltadeck/journal/*/*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


async def test_a_card_is_studied_and_its_derivation_checked(tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    async with (
        served(folder, tmp_path / "home") as address,
        page(tmp_path / "chromium") as browser,
    ):
        await browser.open(address)
        await browser.see("Statistical Machine Learning", "Help")
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
        await browser.until(lambda _: bool(events(folder, "review")), "journalled")
        own = urlsplit(address).netloc
        foreign = [url for url in browser.requests if urlsplit(url).netloc not in (own, "")]
        assert foreign == []
    [review] = events(folder, "review")
    assert review["rating"] == 3
    assert "correct" in json.dumps(review, ensure_ascii=False)


async def test_a_narrow_page_shows_the_whole_app(tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    async with (
        served(folder, tmp_path / "home") as address,
        page(tmp_path / "chromium") as browser,
    ):
        await browser.open(address, 360, 640)
        await browser.see("Statistical Machine Learning", "Help")
        assert await browser.run("document.documentElement.scrollWidth <= innerWidth")
        await browser.press("\r")
        await browser.see("ssu_batch4_004", "Reveal")


async def test_a_page_that_is_closed_leaves_its_text_as_a_draft(tmp_path: Path) -> None:
    folder, home = tmp_path / "deck", tmp_path / "home"
    folder.mkdir()
    shutil.copy(SEED, folder)
    async with served(folder, home) as address, page(tmp_path / "chromium") as browser:
        await browser.open(address)
        await browser.see("Statistical Machine Learning", "Help")
        await browser.press("\r")
        await browser.see("Max Pooling layer")
        await browser.press("e")
        await browser.see("Save")
        await browser.press("kept")
        await browser.see("kept")
        await browser.open("about:blank")
    [draft] = (home / "data").rglob("drafts/*")
    assert "kept" in draft.read_text()
