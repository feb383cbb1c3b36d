"""Servers that refuse, and hooks and helpers that wait: nobody is asked, nothing hangs."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deck.errors import CollectionError
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, files, git, synced


class _Quiet(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


class _Closed(_Quiet):
    """A server that wants a password, and takes none."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="cards"')
        self.end_headers()


class _Small(_Quiet):
    """One that shows the repository `folder`, and takes nothing."""

    folder: Path

    def do_GET(self) -> None:
        service = self.path.rpartition("service=")[2]
        words = ("git", service.removeprefix("git-"), "--stateless-rpc", "--advertise-refs")
        refs = subprocess.run([*words, str(self.folder)], capture_output=True, check=True).stdout
        line = f"# service={service}\n"
        self.send_response(200)
        self.send_header("Content-Type", f"application/x-{service}-advertisement")
        self.end_headers()
        self.wfile.write(f"{len(line) + 4:04x}{line}0000".encode() + refs)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(413)
        self.end_headers()


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Its host and port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("who", ["", "ada:wrong@"])
def test_a_wrong_or_missing_password_is_a_sentence_and_nobody_is_asked(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Also not by a window, where there is no display."""
    asked = tmp_path / "asked"
    monkeypatch.setenv("SSH_ASKPASS", str(script(tmp_path / "ask", f"touch '{asked}'; exit 1")))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "GIT_ASKPASS", "SSH_ASKPASS_REQUIRE"):
        monkeypatch.delenv(name, raising=False)
    before = files(fleet["desk"])
    with serving(_Closed) as server:
        git(fleet["desk"], "remote", "set-url", "origin", f"http://{who}{server}/cards.git")
        with pytest.raises(CollectionError, match="did not let you in") as caught:
            synced(fleet["desk"])
    assert "git push" in caught.value.problem.hint
    assert "wrong@" not in str(caught.value)
    assert files(fleet["desk"]) == before
    assert not asked.exists()


def test_what_is_too_large_for_a_server_is_no_hooks_fault(fleet: Fleet) -> None:
    handler = type("_Here", (_Small,), {"folder": fleet.remote})
    write_card(fleet["desk"], "new")
    with serving(handler) as server:
        git(fleet["desk"], "remote", "set-url", "origin", f"http://{server}/cards.git")
        with pytest.raises(CollectionError, match=r"origin refused.*too large for the server"):
            synced(fleet["desk"])


def test_what_a_hook_leaves_at_work_holds_no_sync_up(fleet: Fleet, tmp_path: Path) -> None:
    root, pipe, ended = fleet["desk"], tmp_path / "pipe", tmp_path / "ended"
    os.mkfifo(pipe)
    work = f"(timeout 30 cat '{pipe}'; touch '{ended}') &"
    script(root / ".git/hooks/pre-push", f"echo 'sent on its way' >&2\n{work}")
    write_card(root, "new")
    handle = os.open(pipe, os.O_RDWR)  # until it is closed, the hook's work goes on
    try:
        assert synced(root).repositories[0].pushed
        assert not ended.exists()
    finally:
        os.close(handle)
    assert git(root, "rev-parse", "HEAD") == git(fleet.remote, "rev-parse", "main")
