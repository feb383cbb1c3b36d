"""Who may open the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from tests.program.shell import Shell
from tui.web import DeckServer, is_loopback

TOKEN = "a-token"


@asynccontextmanager
async def serving(folder: Path, host: str = "127.0.0.1", token: str = "") -> AsyncIterator[str]:
    said: list[str] = []
    runner = await DeckServer(folder, host, 0, token, said.append).serving()
    try:
        yield said[0]
    finally:
        await runner.cleanup()


async def test_the_page_of_this_machine_needs_no_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as address, ClientSession() as session:
        assert address.startswith("http://127.0.0.1:")
        async with session.get(address) as answer:
            text = await answer.text()
            assert answer.status == 200
            policy = answer.headers["Content-Security-Policy"]
    assert "http://" not in text
    assert "https://" not in text
    assert "frame-ancestors 'none'" in policy
    host = address.removeprefix("http://").rstrip("/")
    assert f"connect-src 'self' ws://{host} wss://{host};" in policy


async def test_a_name_that_was_made_to_point_here_is_refused(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as address,
        ClientSession() as session,
        session.get(address, headers={"Host": "evil.test"}) as answer,
    ):
        assert answer.status == 403
        assert "localhost" in await answer.text()


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1"])
async def test_a_page_of_another_site_opens_no_socket(tmp_path: Path, origin: str) -> None:
    async with serving(tmp_path) as address, ClientSession() as session:
        with pytest.raises(WSServerHandshakeError) as refused:
            await session.ws_connect(f"{address}ws", headers={"Origin": origin})
    assert refused.value.status == 403


async def test_with_a_token_each_request_must_know_it(tmp_path: Path) -> None:
    async with serving(tmp_path, token=TOKEN) as address, ClientSession() as session:
        root = address.partition("?")[0]
        for path in ("", "static/js/textual.js", "download/1", "?token=wrong", "?token=%C3%A9"):
            async with session.get(root + path) as answer:
                assert answer.status == 403
        with pytest.raises(WSServerHandshakeError):
            await session.ws_connect(f"{root}ws")


async def test_the_token_leaves_the_address_and_is_known_from_then_on(tmp_path: Path) -> None:
    from aiohttp import CookieJar

    jar = CookieJar(unsafe=True)  # cookies of an address, not of a name
    async with serving(tmp_path, token=TOKEN) as address, ClientSession(cookie_jar=jar) as session:
        assert address.endswith(f"?token={TOKEN}")
        async with session.get(address) as answer:
            assert answer.status == 200
            assert TOKEN not in str(answer.url)
        async with session.get(address.partition("?")[0]) as answer:
            assert answer.status == 200


@pytest.mark.parametrize(
    ("host", "loops"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("", False)],
)
def test_what_is_this_machine_alone(host: str, loops: bool) -> None:
    assert is_loopback(host) is loops


def test_bad_input_is_a_sentence(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert "init" in shell.refused("serve", tmp_path / "none")
    assert "65535" in shell.refused("serve", tmp_path, "--port", "-1")


async def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    async with serving(tmp_path) as address:
        port = address.rstrip("/").rpartition(":")[2]
        words = ("serve", tmp_path, "--host", "127.0.0.1", "--port", port)
        done = await asyncio.to_thread(shell.process, *words)
    assert (done.returncode, "--port 0" in done.stderr) == (2, True)
