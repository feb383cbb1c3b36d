"""git, run as a program: a repository and its trees, and what git refuses as sentences.

Lists of arguments, no shell, no terminal to ask at, a limit of time.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from deck.errors import CollectionError, refusal
from deck.files import DATA_DIR

#: Seconds.  What is on this machine takes less; a first push of many pictures may take long, and
#: ends by itself where nothing moves any more (`_NETWORK`).
_HERE, AWAY = 600.0, 3600.0
#: Variables that would lead git elsewhere, as a hook of git's that calls us has them.
_LEADING = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH"),
    *("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
)
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4"
#: A connection that moves less than so many bytes a second, for so many seconds, is dead.
_NETWORK = ("-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=60")


class GitError(Exception):
    """git refused: `said` is its standard error."""

    def __init__(self, words: tuple[str, ...], code: int, said: str) -> None:
        super().__init__(f"git {words[0] if words else ''}: {said}")
        self.words, self.code, self.said = words, code, said


class Git:
    """git in the folder `top`."""

    def __init__(self, top: Path) -> None:
        self.top = top
        env = {key: value for key, value in os.environ.items() if key not in _LEADING}
        shown = sys.platform == "darwin" or "DISPLAY" in env or "WAYLAND_DISPLAY" in env
        if not shown and env.get("SSH_ASKPASS_REQUIRE") not in ("force", "prefer"):
            env.pop("SSH_ASKPASS", None)  # it asks in a window, and nobody could answer
        self._env = env | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false"}
        self._settings: dict[str, str] | None = None
        self.said = ""
        """The standard error of the last run, also of one that was allowed to fail."""

    def run(
        self,
        *words: str,
        stdin: bytes = b"",
        index: Path | None = None,
        allowed: tuple[int, ...] = (0,),
        seconds: float = _HERE,
    ) -> tuple[int, bytes]:
        """Exit code and standard output; `index` in place of the repository's own.

        Raises:
            GitError: another exit code than those `allowed`, or it took too long.
            CollectionError: there is no git.
        """
        env = self._env | ({"GIT_INDEX_FILE": str(index)} if index else {})
        network = _NETWORK if seconds == AWAY else ()
        has_ssh = "GIT_SSH" in env or "GIT_SSH_COMMAND" in env
        if network and not has_ssh and not self.setting("core.sshCommand"):
            env["GIT_SSH_COMMAND"] = _SSH  # which never asks
        literal = () if words[0] == "check-ignore" else ("--literal-pathspecs",)  # it refuses that
        command = ["git", *network, *literal, "--no-pager", *words]
        # Files, no pipes: what a hook leaves at work keeps those open, and is not waited for.
        with TemporaryFile() as out, TemporaryFile() as err:
            process = _started(command, self.top, env, out, err)
            try:
                process.communicate(stdin, seconds)
            except subprocess.TimeoutExpired:
                _end(process)
                raise GitError(words, -1, f"no answer within {seconds:.0f} seconds") from None
            except BaseException:
                _end(process)
                raise
            out.seek(0)
            err.seek(0)
            found, self.said = out.read(), err.read().decode("utf-8", "replace")
        if process.returncode not in allowed:
            raise GitError(words, process.returncode, self.said)
        return process.returncode, found

    def text(self, *words: str, stdin: bytes = b"", index: Path | None = None) -> str:
        """Standard output without its last line feed."""
        return os.fsdecode(self.run(*words, stdin=stdin, index=index)[1].removesuffix(b"\n"))

    def names(self, *words: str, index: Path | None = None) -> list[str]:
        """Standard output that is separated by NUL."""
        out = self.run(*words, index=index)[1]
        return [os.fsdecode(name) for name in out.split(b"\0") if name]

    def asks(self, *words: str) -> bool:
        """Whether it says yes (0) and not no (1)."""
        return self.run(*words, allowed=(0, 1))[0] == 0

    def maybe(self, *words: str) -> str | None:
        """As `text`; None where git refuses."""
        with suppress(GitError):
            return self.text(*words)
        return None

    def setting(self, key: str) -> str | None:
        """Of git's configuration, as it was when it was asked first."""
        if self._settings is None:
            rows = (row.partition("\n") for row in self.names("config", "--list", "-z"))
            self._settings = {name: value for name, _, value in rows}
        section, _, rest = key.partition(".")
        middle, dot, last = rest.rpartition(".")
        return self._settings.get(f"{section.lower()}.{middle}{dot}{last.lower()}")

    def set(self, key: str, value: str) -> None:
        """Writes into the repository's own configuration, where it does not say so already."""
        if self.setting(key) != value:
            self.text("config", key, value)
            self.forget()

    def forget(self) -> None:
        """Its configuration was changed."""
        self._settings = None


def nul(paths: Iterable[str]) -> bytes:
    """Paths for git's `-z --stdin`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _started(
    command: list[str], top: Path, env: dict[str, str], out: IO[bytes], err: IO[bytes]
) -> subprocess.Popen[bytes]:
    """In a session of its own: no helper of git's can ask at the terminal, and all end as one."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, cwd=top, env=env, stdin=pipe, stdout=out, stderr=err, start_new_session=True
        )
    except FileNotFoundError as error:
        if not top.is_dir():
            raise refusal(top, "There is no such folder.", "Check the name.") from error
        hint = "Install it (https://git-scm.com), or let Syncthing or Dropbox carry the folder."
        raise refusal(top, "The program `git` is not here, and sync uses it.", hint) from error
    except OSError as error:
        raise refusal(top, f"git cannot be started: {error.strerror}.", "Try again.") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends git and its helpers; asked first, it removes its locks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(5)


# What git refuses, in sentences.

#: So much of git's own words is repeated at most.
_QUOTED = 240
_TELLING = re.compile(r"(fatal|error|remote):", re.IGNORECASE)
#: Words that only git says where a connection failed: no hook of the learner's refused.
_FAILED = re.compile(r"^(fatal:|error: RPC failed|send-pack: )", re.MULTILINE)
_SAVED = "What you did is safe here"
#: Names and addresses, which may hold any word; but what is said of a lock is its name.
_NAMES = re.compile(r"'[^'\n]*(?<!\.lock)'|\b[a-z+]+://[^\s']+", re.IGNORECASE)
#: Pattern, message, way out; the first that fits.  git speaks English to us (`LC_ALL=C`).
_ALL = (
    (
        r"host key verification failed",
        "The computer of {remote} is not known yet, or is another one than before.",
        "Connect to it once with ssh, look at its key, and sync again.",
    ),
    (
        r"SSL certificate|certificate (verif|subject|problem|has expired)|peer certificate",
        "{remote} does not show a certificate that this computer trusts: {said}",
        f"{_SAVED}. Look at the address (`git remote -v`) and at this computer's date; for a "
        "server of your own, `git config http.sslCAInfo FILE` names its certificate.",
    ),
    (
        r"(HTTP|returned error:) 413|entity too large|exceeds maximum allowed size",
        "{remote} refused what was sent: it is too large for the server.",
        f"{_SAVED}. An address over ssh (`git remote set-url {{remote}} ADDRESS`) has no such "
        "limit as a rule; else who runs the server may raise it.",
    ),
    (
        r"authentication failed|could not read (username|password)|permission denied \(|"
        r"terminal prompts disabled|invalid (username|credentials)|returned error: 40[13]|"
        r"access denied|write access.* not granted",
        "{remote} did not let you in: the name, password, token or key is wrong or missing.",
        "Run `git push` once by hand to enter it (`git config credential.helper store` keeps it), "
        f"then sync again. {_SAVED}.",
    ),
    (
        r"could not resolve|network is unreachable|connection (timed out|refused|reset|closed by)|"
        r"no route to host|operation timed out|failed to connect|could not connect|"
        r"no answer within|too slow|temporary failure",
        "{remote} cannot be reached: there is no network, or the address is wrong.",
        f"{_SAVED}; sync again when you are online. `git remote -v` shows the address.",
    ),
    (
        r"SSL_|SSL routines|SSL connect|gnutls",
        "No secure connection to {remote} came about: {said}",
        f"{_SAVED}; sync again later. If it stays so, look at the address (`git remote -v`), and "
        "at what stands between: a proxy, a network that wants you to sign in.",
    ),
    (
        r"(HTTP|returned error:) (429|5\d\d)",
        "The server of {remote} has trouble of its own: {said}",
        f"{_SAVED}; sync again later.",
    ),
    (
        r"repository .*not found|does not appear to be a git repository|does not exist|"
        r"returned error: 404|not a git repository|could not read from remote",
        "There is no repository at the address of {remote}.",
        "`git remote -v` shows the address, `git remote set-url {remote} ADDRESS` corrects it. "
        f"{_SAVED}.",
    ),
    (
        r"\.lock'?: File exists|cannot lock ref|unable to lock|\.lock.*exists",
        "Another git is at work in this repository, or one was stopped and left its lock.",
        "Wait until it is done; if none is running, remove the lock file: {said}",
    ),
    (
        r"dubious ownership",
        "The repository belongs to another user of this computer, so git does not touch it.",
        "`git config --global --add safe.directory FOLDER` allows it.",
    ),
    (
        r"tell me who you are|ident name|auto-detect|no email was given|no name was given",
        "git does not know your name, which every commit carries.",
        '`git config --global user.name "Ada"` tells it, and '
        "`git config --global user.email ada@example.org`.",
    ),
    (
        r"no space left|disk quota",
        "The disk is full.",
        "Make room and sync again; nothing is lost.",
    ),
    (
        r"open\(.*\): permission denied|unable to (process path|index file)|adding files failed",
        "git cannot read a file: {said}",
        "Make it readable for you, or move it away; then sync again.",
    ),
    (
        r"corrupt|bad object|loose object|invalid object|missing blob|unable to read tree|"
        r"bad signature|index file smaller",
        "git finds its own files damaged: {said}",
        "`git fsck` says more; a fresh clone with these cards copied over it mends it.",
    ),
    (
        r"permission denied|read-only file system|insufficient permission",
        "git may not write here: {said}",
        "Make the folder and its `.git` writable for you.",
    ),
    (  # the last: what was said before it says more
        r"hung up|early eof|unexpected disconnect|RPC failed",
        "{remote} broke the connection off: {said}",
        f"{_SAVED}; sync again when you are online. `git remote -v` shows the address.",
    ),
)  # fmt: skip


def trouble(error: GitError, top: Path, remote: str = "the remote") -> CollectionError:
    """The sentence for what git refused in the repository `top`."""
    rows = [row.strip() for row in error.said.splitlines() if row.strip()]
    telling = [row for row in rows if _TELLING.match(row)] or rows or ["it did not say why"]
    said = quoted(re.sub(r"^(?i:fatal|error): ", "", telling[0])).rstrip(".") + "."
    plain = _NAMES.sub("''", error.said)
    for pattern, message, hint in _ALL:
        if re.search(pattern, plain, re.IGNORECASE):
            values = {"remote": remote, "said": said}
            return refusal(top, message.format(**values), hint.format(**values))
    what = " ".join(error.words[:1])
    hint = "`git status` in the folder says more; the cards and the journal are as they were."
    return refusal(top, f"git {what} failed: {said}", hint)


@contextmanager
def in_sentences(top: Path, remote: str = "the remote") -> Iterator[None]:
    """What git refuses within is raised as the CollectionError that `trouble` makes of it."""
    try:
        yield
    except GitError as error:
        raise trouble(error, top, remote) from error


def is_hooks(said: str) -> bool:
    """Whether a hook of the learner's ended a push of which git says this, and not git itself."""
    return _FAILED.search(said) is None


def in_hooks_words(text: str) -> str:
    """What a hook says on standard error: the server's after "remote:", or one here."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    remote = [row.removeprefix("remote:").strip() for row in rows if row.startswith("remote:")]
    own = [row for row in rows if not row.startswith(("error:", "fatal:", "To ", "hint:"))]
    return quoted(" ".join(" ".join(remote or own).split()))


def quoted(words: str) -> str:
    """Words of git's, not too many of them, and no password of an address among them."""
    words = re.sub(r"//[^/@\s]*@", "//", words)
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}..."


# Repositories.

_PLACES = (
    *("--show-toplevel", "--show-prefix", "--absolute-git-dir"),
    *("--git-path", "index", "--git-path", "info/exclude", "--git-path", "info/attributes"),
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository that holds a collection, or a part of it."""

    git: Git
    """In `top`."""
    top: Path
    """Where its files are."""
    folder: Path
    """Its `.git`."""
    root: Path
    """The collection."""
    prefix: str
    """Where the collection is in it: "" or "notes/cards/"."""
    inside: str
    """Where it is in the collection: "", or ".deltadeck/" of the reviews' own repository."""
    branch: str
    """The branch that is checked out."""
    index: Path
    exclude: Path
    attributes: Path
    """Files of git's own: what is staged, and the rules that do not travel."""
    is_whole: bool
    """Whether cards and journal are in it."""

    @property
    def scope(self) -> list[str]:
        """For git: the collection's paths only."""
        return ["--", self.prefix.rstrip("/")] if self.prefix else []

    def relative(self, path: str) -> str | None:
        """A path of git's as one below the collection's root; None of what is outside."""
        if not path.startswith(self.prefix):
            return None
        return self.inside + path[len(self.prefix) :]

    def tracked(self, relative: str) -> str | None:
        """The other way round; None where the repository does not reach."""
        if not relative.startswith(self.inside):
            return None
        return self.prefix + relative[len(self.inside) :]

    def at(self, path: str) -> Path:
        return self.top / path

    def commit(self, name: str) -> tuple[str, str] | None:
        """A commit by its name, and its tree; None where there is none."""
        found = self.git.maybe("rev-parse", "--quiet", f"{name}^{{commit}}", f"{name}^{{tree}}")
        parts = (found or "").split("\n")
        return (parts[0], parts[1]) if len(parts) == 2 else None


def find(folder: Path, root: Path) -> Repository | None:
    """The repository that `folder` is in; None where it is in none, or is ignored there.

    Raises:
        CollectionError: git refuses, it has no files beside it, or no branch is checked out.
    """
    if not which("git") and not any((p / ".git").exists() for p in (folder, *folder.parents)):
        return None  # without git there may be folders that another program synchronises
    git = Git(folder)
    try:
        rows = git.text("rev-parse", *_PLACES).split("\n")
    except GitError as error:
        if "not a git repository" in error.said.lower() and "dubious" not in error.said:
            return None
        if "work tree" in error.said:
            message = "This is a folder of git's own, or a repository without files."
            raise refusal(folder, message, "Clone it somewhere, and sync the clone.") from error
        raise trouble(error, folder) from error
    if len(rows) != 6:
        raise refusal(folder, "A line feed in a folder's name confuses git.", "Rename the folder.")
    top, prefix, own = Path(rows[0]), rows[1], Path(rows[2])
    if prefix and git.asks("check-ignore", "-q", "--", "."):
        return None
    inside = f"{DATA_DIR}/" if folder != root else ""
    if inside and prefix:  # the collection's own repository, seen from the folder in it
        return None
    # git names its files as seen from the folder that it was asked in.
    index, exclude, attributes = (folder / row for row in rows[3:])
    journal = f"./{DATA_DIR}/journal/x.jsonl"
    is_apart = (root / DATA_DIR / ".git").exists() or git.asks(
        "check-ignore", "-q", "--no-index", "--", journal
    )
    whole, branch = not inside and not is_apart, _branch(git, top, own)
    return Repository(
        Git(top), top, own, root, prefix, inside, branch, index, exclude, attributes, whole
    )


def _branch(git: Git, top: Path, own: Path) -> str:
    name = git.maybe("symbolic-ref", "--quiet", "HEAD") or ""
    if name.startswith("refs/heads/"):
        return name.removeprefix("refs/heads/")
    if any((own / state).exists() for state in ("rebase-merge", "rebase-apply", "BISECT_LOG")):
        return ""  # `check` says it better than a branch that is missing
    message = "No branch is checked out here (git calls it a detached HEAD)."
    hint = "`git switch BRANCH` goes back to one (`git switch -c NEW` keeps this one); then sync."
    raise refusal(top, message, hint)


# Trees.

#: Blobs that are asked for at once, at most.
_TOGETHER = 500
#: Modes of git's: a file, and one that may be run; another repository.
FILES, REPOSITORY = ("100644", "100755"), "160000"


class TreeEntry(NamedTuple):
    """A path's content."""

    mode: str
    oid: str


class Change(NamedTuple):
    path: str
    old: TreeEntry | None
    new: TreeEntry | None


def changes(git: Git, old: str, new: str | None, scope: Iterable[str] = ()) -> list[Change]:
    """What differs between two trees (or commits), by path; a file that moved is two changes.

    `new` is None for git's index.
    """
    words = ["diff-tree", "-r", old, new] if new else ["diff-index", "--cached", old]
    parts = iter(git.run(*words, "-z", "--raw", "--no-renames", *scope)[1].split(b"\0"))
    found = []
    for head in parts:
        if head.startswith(b":"):
            modes = head[1:].decode("ascii").split(" ")
            sides = (TreeEntry(*side) for side in ((modes[0], modes[2]), (modes[1], modes[3])))
            before, after = (None if side.mode == "000000" else side for side in sides)
            found.append(Change(os.fsdecode(next(parts)), before, after))
    return found


def blob(git: Git, entry: TreeEntry | None) -> bytes:
    """A file's content; b"" of none."""
    return git.run("cat-file", "blob", entry.oid)[1] if entry else b""


def blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes]:
    """Contents by their ids; asked for a few hundred at a time."""
    wanted, found = list(dict.fromkeys(oids)), {}
    for start in range(0, len(wanted), _TOGETHER):
        some = wanted[start : start + _TOGETHER]
        out, at = git.run("cat-file", "--batch", stdin="\n".join(some).encode() + b"\n")[1], 0
        for oid in some:
            end = out.index(b"\n", at)
            _, kind, *sizes = out[at:end].split(b" ")
            if not sizes:  # a power cut may leave git such objects
                raise GitError(("cat-file",), 1, f"object {oid} is {kind.decode('ascii')}")
            size = int(sizes[0])
            found[oid] = out[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
    return found


def empty_tree(git: Git) -> str:
    return git.text("mktree")


def put_entries(
    git: Git, entries: Iterable[tuple[str, TreeEntry | None]], index: Path | None
) -> None:
    """Sets paths of an index (None: of the repository's own); None takes one away."""
    # What goes, goes first: a file may stand where a folder was.
    todo = sorted(entries, key=lambda each: each[1] is not None)
    if not todo:
        return
    # As long as the repository's own ids, which two kinds of hashes make.
    nothing = TreeEntry("0", "0" * len(empty_tree(git)) if todo[0][1] is None else "")
    rows = []
    for path, entry in todo:
        mode, oid = entry or nothing
        rows.append(f"{mode} {oid}\t".encode() + os.fsencode(path) + b"\0")
    git.run("update-index", "-z", "--index-info", stdin=b"".join(rows), index=index)


def show_in_index(git: Git, tree: str, scope: Iterable[str]) -> None:
    """Sets the paths of `scope` in git's own index to a tree; all others stay."""
    different = changes(git, tree, None, scope)
    # Another repository that the learner added (`git submodule add`) is theirs to commit.
    different = [c for c in different if c.old or not c.new or c.new.mode != REPOSITORY]
    put_entries(git, ((change.path, change.old) for change in different), None)
    if different:
        git.run("update-index", "-q", "--refresh", allowed=(0, 1))
