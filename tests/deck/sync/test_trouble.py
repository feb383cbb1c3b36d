"""What goes wrong with git: a sentence with the way out, and the collection as it was."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deck.errors import CollectionError
from deck.sync.commit import Changes, message
from deck.sync.git import GitError, trouble
from deck.sync.run import SyncOptions, sync
from tests.deck.given import NOON, append_events, review, write_card
from tests.deck.sync.given import Fleet, commit, copied, events, files, git, synced


def refused(root: Path, *words: str, **wish: object) -> str:
    """The sentence; files and branch are as before."""
    before, head = files(root), git(root, "rev-parse", "--branches", check=False)
    with pytest.raises(CollectionError) as caught:
        synced(root, **wish)
    problem = caught.value.problem
    assert files(root) == before
    assert git(root, "rev-parse", "--branches", check=False) == head
    assert problem.hint
    text = f"{problem.message} {problem.hint}"
    assert "Traceback" not in text
    for word in words:
        assert re.search(word, text), (word, text)
    return text


def changed(fleet: Fleet) -> None:
    """Both changed one card; the phone has synced."""
    for name in fleet.names:
        write_card(fleet[name], "a", question=f"{name}?")
    fleet.sync("phone")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Before a merge."""
    return copied(tmp_path, "desk", "phone", after=changed)["desk"]


@pytest.mark.parametrize(
    ("begun", "words"),
    [
        (["merge origin/main"], ["merge that was begun .* not finished", "git merge --continue"]),
        (["rebase origin/main"], ["rebase that was begun", "git rebase --abort"]),
        (["cherry-pick origin/main"], ["cherry-pick that was begun", "git cherry-pick --abort"]),
        (
            ["rm -q a.md", "commit -qm gone", "revert --no-edit HEAD~1"],
            ["revert that was begun", "git revert --continue"],
        ),
        (
            ["bisect start HEAD HEAD~1", "checkout -q --detach"],
            ["bisection that was begun", "git bisect reset"],
        ),
        (["checkout -q --detach"], ["detached HEAD", "git switch"]),
        (
            ["checkout -qb trunk", "config --remove-section branch.main"],
            ["no branch trunk, but main", "git branch -m main"],
        ),
        (["remote set-url origin http://127.0.0.1:9/cards.git"], ["no network"]),
        (["remote set-url origin https://no-such-host.invalid/cards.git"], ["no network"]),
        (["remote set-url origin ssh://127.0.0.1:9/x.git"], ["no network|no repository"]),
    ],
)
def test_what_stands_in_the_way_is_a_sentence_and_nothing_is_changed(
    desk: Path, begun: list[str], words: list[str]
) -> None:
    for line in ("commit -qam desk", "fetch -q", *begun):
        git(desk, *line.split(), check=False)
    refused(desk, *words)


def test_an_index_that_is_locked_no_git_and_no_name_to_commit_under_are_sentences(
    desk: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lock = desk / ".git/index.lock"
    lock.touch()
    refused(desk, "Another git", "remove this file")
    lock.unlink()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        with pytest.raises(CollectionError, match="`git` is not here"):
            synced(desk)
    with pytest.raises(CollectionError, match="folder of git's own"):
        sync(desk / ".git", NOON, SyncOptions())
    for key in [key for key in os.environ if key.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(key)
    refused(desk, "your name", "user.email")


def test_without_the_remote_the_work_is_committed_and_sent_later(fleet: Fleet) -> None:
    append_events(fleet["desk"] / ".deltadeck", [review()])
    fleet.remote.rename(fleet.folder / "away.git")
    before = files(fleet["desk"])
    with pytest.raises(CollectionError, match="no repository at the address"):
        synced(fleet["desk"])
    assert files(fleet["desk"]) == before
    assert git(fleet["desk"], "log", "-1", "--format=%s").startswith("deltadeck: 1 answer on ")
    (fleet.folder / "away.git").rename(fleet.remote)
    (dry,) = synced(fleet["desk"], dry=True).repositories
    done = fleet.sync("desk")
    assert done.sent == dry.sent, "what is delivered now, though it was committed before"
    assert (done.sent.answers, done.pushed) == (1, True)
    assert not fleet.sync("desk").sent
    fleet.settle()
    fleet.agree()
    assert len(events(fleet["phone"])) == 1


def test_a_history_that_was_written_anew_is_not_merged(fleet: Fleet) -> None:
    write_card(fleet["desk"], "new")
    fleet.settle()
    git(fleet["desk"], "reset", "-q", "--hard", "HEAD~1")
    write_card(fleet["desk"], "other")
    commit(fleet["desk"], "anew")
    git(fleet["desk"], "push", "-qf")
    for _ in range(2):
        refused(fleet["phone"], "written anew", "git merge origin/main", "force-with-lease")
    git(fleet["phone"], "merge", "-q", "-m", "by hand", "origin/main")
    fleet.settle()
    fleet.agree()
    assert (fleet["desk"] / "new.md").exists()


def test_a_remote_or_a_hook_that_refuses_says_what_it_said(fleet: Fleet) -> None:
    write_card(fleet["desk"], "new")
    for hook, said, told in (
        (fleet.remote / "hooks/pre-receive", "no cards on Sundays", r"hook declined.*: {}"),
        (fleet["desk"] / ".git/hooks/pre-push", "not before noon", r"before it left: .*{}"),
    ):
        script(hook, f"echo '{said}' >&2\nexit 1")
        with pytest.raises(CollectionError, match=told.format(said)):
            synced(fleet["desk"])
        hook.unlink()
    fleet.settle()
    fleet.agree()


def test_unknown_and_ambiguous_remotes_are_named(fleet: Fleet) -> None:
    refused(fleet["desk"], "no remote 'backup'", "There is origin", remote="backup")
    git(fleet["desk"], "remote", "add", "second", "../remote.git")
    git(fleet["desk"], "remote", "rename", "origin", "first")
    git(fleet["desk"], "config", "--remove-section", "branch.main", check=False)
    refused(fleet["desk"], "several remotes", "--remote")
    synced(fleet["desk"], remote="second")


def test_every_kind_of_change_is_said_and_no_title_of_a_commit_is_empty() -> None:
    assert Changes(answers=2, events=1).words() == "2 answers, 1 other event"
    assert Changes(events=2, added=1).words() == "1 card added, 2 events"
    assert message(Changes(), None).startswith("deltadeck: nothing new on ")


ACCESS = "fatal: unable to access 'https://x/':"
HUNG = "fatal: The remote end hung up unexpectedly"
REST = " repository\nfatal: Could not read from remote repository."


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("fatal: Authentication failed for 'https://example.org/a.git/'", "did not let you in"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "password"),
        ("git@example.org: Permission denied (publickey).\nfatal: Could not read", "key"),
        ("Host key verification failed.", "not known yet"),
        ("fatal: unable to access 'https://u:secret@x/': Could not resolve host: x", "no network"),
        ("remote: Repository not found.\nfatal: repository 'x' not found", "no repository"),
        ("fatal: Unable to create '/x/.git/index.lock': File exists.", "left its lock"),
        ('error: open("a.md"): Permission denied\nfatal: Unable to process path a.md', "a.md"),
        ("fatal: detected dubious ownership in repository at '/x'", "safe.directory"),
        ("error: object file .git/objects/aa is empty\nfatal: loose object is corrupt", "fsck"),
        ("error: file write error: No space left on device", "disk is full"),
        (
            "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413\nsend-pack: "
            "unexpected disconnect\nfatal: the remote end hung up unexpectedly",
            "too large",
        ),
        (f"{ACCESS} SSL certificate problem: self-signed", "computer trusts: unable"),
        (f"{ACCESS} server certificate verification failed. CAfile: none", "computer trusts"),
        (f"{ACCESS} OpenSSL SSL_read: unexpected eof while reading", "No secure connection"),
        (f"{ACCESS} OpenSSL SSL_connect: Connection reset by peer to x:443", "no network"),
        (f"{ACCESS} The requested URL returned error: 503", "trouble of its own: unable"),
        (f"fatal: '/n/ssl_hung up/ssl.git' does not appear to be a git{REST}", "no repository"),
        ("fatal: repository 'https://x/could not resolve/SSL_.git/' not found", "no repository"),
        (f"ERROR: Your plan has ended.\n{HUNG}", "broke the connection off: Your plan has ended."),
        (f"fatal: protocol error: bad pack header\n{HUNG}", "connection off: protocol error"),
        (HUNG, "broke the connection off"),
        (f"Connection closed by 192.0.2.1 port 22{REST}", "no network"),
        ("fatal: something new about https://u:secret@x/", "something new"),
        ("", "did not say why"),
    ],
)
def test_what_git_says_is_told_without_passwords(said: str, word: str, tmp_path: Path) -> None:
    text = str(trouble(GitError(("fetch",), 128, said), tmp_path, "origin"))
    assert word in text
    assert "secret" not in text
    assert "\n" not in text


# Servers that refuse, and hooks and helpers that wait: nobody is asked, nothing hangs.


class _Server(BaseHTTPRequestHandler):
    """Shows the repository `folder`, and takes nothing; without one, wants a password."""

    folder: Path | None = None

    def do_GET(self) -> None:
        if self.folder is None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="cards"')
            self.end_headers()
            return
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

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


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
    with serving(_Server) as server:
        git(fleet["desk"], "remote", "set-url", "origin", f"http://{who}{server}/cards.git")
        with pytest.raises(CollectionError, match="did not let you in") as caught:
            synced(fleet["desk"])
    assert "git push" in caught.value.problem.hint
    assert "wrong@" not in str(caught.value)
    assert files(fleet["desk"]) == before
    assert not asked.exists()


def test_what_is_too_large_for_a_server_is_no_hooks_fault(fleet: Fleet) -> None:
    handler = type("_Full", (_Server,), {"folder": fleet.remote})
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
