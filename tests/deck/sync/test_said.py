"""What git says when it refuses, as a sentence with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.sync.git import GitError, trouble


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
        (
            "fatal: unable to access 'https://x/': SSL certificate problem: self-signed",
            "certificate that this computer trusts: unable",
        ),
        (
            "fatal: unable to access 'https://x/': server certificate verification failed. CAfile: "
            "none CRLfile: none",
            "certificate that this computer trusts",
        ),
        (
            "fatal: unable to access 'https://x/': OpenSSL SSL_read: unexpected eof while reading",
            "No secure connection",
        ),
        (
            "fatal: unable to access 'https://x/': OpenSSL SSL_connect: Connection reset by peer "
            "in connection to x:443",
            "no network",
        ),
        (
            "fatal: unable to access 'https://x/': The requested URL returned error: 503",
            "trouble of its own: unable",
        ),
        (
            "fatal: '/nowhere/ssl_hung up/ssl-notes.git' does not appear to be a git repository\n"
            "fatal: Could not read from remote repository.",
            "no repository",
        ),
        ("fatal: repository 'https://x/could not resolve/SSL_.git/' not found", "no repository"),
        (
            "ERROR: Your plan has ended.\nfatal: the remote end hung up unexpectedly",
            "broke the connection off: Your plan has ended.",
        ),
        (
            "fatal: protocol error: bad pack header\nfatal: The remote end hung up unexpectedly",
            "broke the connection off: protocol error",
        ),
        ("fatal: The remote end hung up unexpectedly", "broke the connection off"),
        (
            "Connection closed by 192.0.2.1 port 22\nfatal: Could not read from remote repository.",
            "no network",
        ),
        ("fatal: something new about https://u:secret@x/", "something new"),
        ("", "did not say why"),
    ],
)
def test_what_git_says_is_told_without_passwords(said: str, word: str, tmp_path: Path) -> None:
    text = str(trouble(GitError(("fetch",), 128, said), tmp_path, "origin"))
    assert word in text
    assert "secret" not in text
    assert "\n" not in text
