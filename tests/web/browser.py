"""A page in headless Chromium, driven over its debugging protocol, and pyte to read its terminal.

The terminal draws on a canvas, so what it was sent is read instead: the frames that the browser
received, drawn at the size that the browser told.
"""

from __future__ import annotations

import asyncio
import base64
import codecs
import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pyte

from tests.program.terminal import NOISE

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless=new --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-default-apps --remote-debugging-port=0 "
    "--use-angle=swiftshader --enable-unsafe-swiftshader --disable-dev-shm-usage"
)


def chromium() -> str | None:
    """The program, where this machine has one."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Page:
    """One open page: `requests` are the addresses that it asked for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._number = socket, 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.Stream(self._screen)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._news = asyncio.Event()
        self.requests: list[str] = []
        self.connected = 0

    async def listen(self) -> None:
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            else:
                self._take(told["method"], told["params"])
            self._news.set()

    def _take(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
            self.connected += 1
        elif method == "Network.webSocketFrameSent":
            said = json.loads(params["response"]["payloadData"])
            if said[0] == "resize":
                self._screen.resize(said[1]["height"], said[1]["width"])
        elif method == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
            sent = base64.b64decode(params["response"]["payloadData"])
            self._stream.feed(NOISE.sub("", self._decode(sent)))

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        told = await asyncio.wait_for(answer, 30)
        assert "error" not in told, told
        found: dict[str, Any] = told["result"]
        return found

    async def open(self, address: str, width: int = 1000, height: int = 700) -> None:
        await self.send("Network.enable")
        await self.send("Page.enable")
        await self.resize(width, height)
        await self.send("Page.navigate", url=address)

    async def resize(self, width: int, height: int) -> None:
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def press(self, keys: str) -> None:
        """Each character as a key of its own."""
        for key in keys:
            code = {"\r": "Enter", "\x1b": "Escape"}.get(key, "")
            # The code of a sign is that of some other key: "(" would be the arrow down.
            number = ord(key.upper()) if code or key.isalnum() else 0
            named = {"key": code or key, "code": code, "windowsVirtualKeyCode": number}
            text = {} if key == "\x1b" else {"text": key}
            await self.send("Input.dispatchKeyEvent", type="keyDown", **named, **text)
            await self.send("Input.dispatchKeyEvent", type="keyUp", **named)

    async def run(self, script: str) -> Any:
        """What a script in the page gives."""
        found = await self.send("Runtime.evaluate", expression=script, returnByValue=True)
        return found["result"].get("value")

    def rows(self) -> list[str]:
        return list(self._screen.display)

    async def until(self, met: Callable[[str], bool], what: str, seconds: float = 40) -> str:
        limit = time.monotonic() + seconds
        while not met(text := "\n".join(self.rows())):
            self._news.clear()
            left = limit - time.monotonic()
            if left <= 0:
                raise AssertionError(f"never {what}:\n{text}\nasked for: {self.requests}")
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                continue
        return text

    async def see(self, *texts: str) -> str:
        return await self.until(lambda s: all(t in s for t in texts), f"saw {texts}")


@asynccontextmanager
async def page(home: Path) -> AsyncIterator[Page]:
    """A new page of a browser with a profile of its own."""
    program = chromium()
    assert program is not None
    flags = [*_FLAGS.split(), f"--user-data-dir={home}"]
    # Chromium refuses its own sandbox to root; the pages are ours.
    flags += ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = await asyncio.create_subprocess_exec(
        program, *flags, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        assert browser.stderr is not None
        async for line in browser.stderr:
            if line.startswith(b"DevTools listening on "):
                break
        drain = asyncio.create_task(_drain(browser.stderr))
        port = line.decode().split(":")[2].split("/")[0]
        async with aiohttp.ClientSession() as session:
            new = f"http://127.0.0.1:{port}/json/new?about:blank"
            async with session.put(new) as answer:
                made = await answer.json()
            url = made["webSocketDebuggerUrl"]
            async with session.ws_connect(url, max_msg_size=0, autoping=True) as socket:
                opened = Page(socket)
                listening = asyncio.create_task(opened.listen())
                yield opened
                listening.cancel()
        drain.cancel()
    finally:
        browser.kill()
        await browser.wait()


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65536):
        pass
