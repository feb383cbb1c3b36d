"""What git says when it refuses, as a sentence with the way out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from deck.errors import CollectionError, refusal
from deck.sync.git import GitError

#: So much of git's own words is repeated at most.
_QUOTED = 240
_TELLING = re.compile(r"(fatal|error|remote):", re.IGNORECASE)
#: Words that only git says where a connection failed: no hook of the learner's refused.
_FAILED = re.compile(r"^(fatal:|error: RPC failed|send-pack: )", re.MULTILINE)


class _Known(NamedTuple):
    pattern: re.Pattern[str]
    message: str
    hint: str


def _known(pattern: str, message: str, hint: str) -> _Known:
    return _Known(re.compile(pattern, re.IGNORECASE), message, hint)


_SAVED = "What you did is safe here"
#: Names and addresses, which may hold any word; but what is said of a lock is its name.
_NAMES = re.compile(r"'[^'\n]*(?<!\.lock)'|\b[a-z+]+://[^\s']+", re.IGNORECASE)
#: The first that fits; git speaks English to us (`LC_ALL=C`).
_ALL = (
    _known(
        r"host key verification failed",
        "The computer of {remote} is not known yet, or is another one than before.",
        "Connect to it once with ssh, look at its key, and sync again.",
    ),
    _known(
        r"SSL certificate|certificate (verif|subject|problem|has expired)|peer certificate",
        "{remote} does not show a certificate that this computer trusts: {said}",
        f"{_SAVED}. Look at the address (`git remote -v`) and at this computer's date; for a "
        "server of your own, `git config http.sslCAInfo FILE` names its certificate.",
    ),
    _known(
        r"(HTTP|returned error:) 413|entity too large|exceeds maximum allowed size",
        "{remote} refused what was sent: it is too large for the server.",
        f"{_SAVED}. An address over ssh (`git remote set-url {{remote}} ADDRESS`) has no such "
        "limit as a rule; else who runs the server may raise it.",
    ),
    _known(
        r"authentication failed|could not read (username|password)|permission denied \(|"
        r"terminal prompts disabled|invalid (username|credentials)|returned error: 40[13]|"
        r"access denied|write access.* not granted",
        "{remote} did not let you in: the name, password, token or key is wrong or missing.",
        "Run `git push` once by hand to enter it (`git config credential.helper store` keeps it), "
        f"then sync again. {_SAVED}.",
    ),
    _known(
        r"could not resolve|network is unreachable|connection (timed out|refused|reset|closed by)|"
        r"no route to host|operation timed out|failed to connect|could not connect|"
        r"no answer within|too slow|temporary failure",
        "{remote} cannot be reached: there is no network, or the address is wrong.",
        f"{_SAVED}; sync again when you are online. `git remote -v` shows the address.",
    ),
    _known(
        r"SSL_|SSL routines|SSL connect|gnutls",
        "No secure connection to {remote} came about: {said}",
        f"{_SAVED}; sync again later. If it stays so, look at the address (`git remote -v`), and "
        "at what stands between: a proxy, a network that wants you to sign in.",
    ),
    _known(
        r"(HTTP|returned error:) (429|5\d\d)",
        "The server of {remote} has trouble of its own: {said}",
        f"{_SAVED}; sync again later.",
    ),
    _known(
        r"repository .*not found|does not appear to be a git repository|does not exist|"
        r"returned error: 404|not a git repository|could not read from remote",
        "There is no repository at the address of {remote}.",
        "`git remote -v` shows the address, `git remote set-url {remote} ADDRESS` corrects it. "
        f"{_SAVED}.",
    ),
    _known(
        r"\.lock'?: File exists|cannot lock ref|unable to lock|\.lock.*exists",
        "Another git is at work in this repository, or one was stopped and left its lock.",
        "Wait until it is done; if none is running, remove the lock file: {said}",
    ),
    _known(
        r"dubious ownership",
        "The repository belongs to another user of this computer, so git does not touch it.",
        "`git config --global --add safe.directory FOLDER` allows it.",
    ),
    _known(
        r"tell me who you are|ident name|auto-detect|no email was given|no name was given",
        "git does not know your name, which every commit carries.",
        '`git config --global user.name "Ada"` tells it, and '
        "`git config --global user.email ada@example.org`.",
    ),
    _known(
        r"no space left|disk quota",
        "The disk is full.",
        "Make room and sync again; nothing is lost.",
    ),
    _known(
        r"open\(.*\): permission denied|unable to (process path|index file)|adding files failed",
        "git cannot read a file: {said}",
        "Make it readable for you, or move it away; then sync again.",
    ),
    _known(
        r"corrupt|bad object|loose object|invalid object|missing blob|unable to read tree|"
        r"bad signature|index file smaller",
        "git finds its own files damaged: {said}",
        "`git fsck` says more; a fresh clone with these cards copied over it mends it.",
    ),
    _known(
        r"permission denied|read-only file system|insufficient permission",
        "git may not write here: {said}",
        "Make the folder and its `.git` writable for you.",
    ),
    _known(  # the last: what was said before it says more
        r"hung up|early eof|unexpected disconnect|RPC failed",
        "{remote} broke the connection off: {said}",
        f"{_SAVED}; sync again when you are online. `git remote -v` shows the address.",
    ),
)  # fmt: skip


def trouble(error: GitError, top: Path, remote: str = "the remote") -> CollectionError:
    """The sentence for what git refused in the repository `top`."""
    said, plain = _said(error.said), _NAMES.sub("''", error.said)
    for known in _ALL:
        if known.pattern.search(plain):
            values = {"remote": remote, "said": said}
            return refusal(top, known.message.format(**values), known.hint.format(**values))
    what = " ".join(error.words[:1])
    hint = "`git status` in the folder says more; the cards and the journal are as they were."
    return refusal(top, f"git {what} failed: {said}", hint)


def is_hooks(said: str) -> bool:
    """Whether a hook of the learner's ended a push of which git says this, and not git itself."""
    return _FAILED.search(said) is None


def in_hooks_words(text: str) -> str:
    """What a hook says on standard error: the server's after "remote:", or one here."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    remote = [row.removeprefix("remote:").strip() for row in rows if row.startswith("remote:")]
    own = [row for row in rows if not row.startswith(("error:", "fatal:", "To ", "hint:"))]
    words = re.sub(r"//[^/@\s]*@", "//", " ".join(" ".join(remote or own).split()))
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}..."


def _said(text: str) -> str:
    """git's own last words that say why; no password of an address among them."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    telling = [row for row in rows if _TELLING.match(row)] or rows
    words = telling[0] if telling else "it did not say why"
    words = re.sub(r"//[^/@\s]*@", "//", re.sub(r"^(?i:fatal|error): ", "", words))
    return (words if len(words) <= _QUOTED else f"{words[:_QUOTED]}...").rstrip(".") + "."
