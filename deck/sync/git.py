"""Runs the real `git`: lists of arguments, no shell, no terminal to ask at, a limit of time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from deck.errors import refusal

#: Seconds.  What is on this machine takes less; a first push of many pictures may take long, and
#: ends by itself where nothing moves any more (`_NETWORK`).
_HERE, AWAY = 600.0, 3600.0
#: Seconds to read on after git's end, where something that it left at work may still write.
_GRACE = 0.5
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
        self._env = _environment(os.environ)
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
        network = _NETWORK if seconds == AWAY else ()
        literal = [] if words[0] == "check-ignore" else ["--literal-pathspecs"]  # it refuses that
        command = ["git", *network, *literal, "--no-pager", *words]
        env = self._env | ({"GIT_INDEX_FILE": str(index)} if index else {})
        process = _started(command, self.top, self._with_ssh(env) if network else env)
        try:
            out, err = _heard(process, stdin, seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            raise GitError(words, -1, f"no answer within {seconds:.0f} seconds") from None
        except BaseException:
            _end(process)
            raise
        self.said = err.decode("utf-8", "replace")
        if process.returncode not in allowed:
            raise GitError(words, process.returncode, self.said)
        return process.returncode, out

    def text(self, *words: str, stdin: bytes = b"", index: Path | None = None) -> str:
        """Standard output without its last line feed."""
        return os.fsdecode(self.run(*words, stdin=stdin, index=index)[1].removesuffix(b"\n"))

    def names(self, *words: str, index: Path | None = None) -> list[str]:
        """Standard output that is separated by NUL."""
        out = self.run(*words, index=index)[1]
        return [os.fsdecode(name) for name in out.split(b"\0") if name]

    def asks(self, *words: str, index: Path | None = None) -> bool:
        """Whether it says yes (0) and not no (1)."""
        return self.run(*words, index=index, allowed=(0, 1))[0] == 0

    def maybe(self, *words: str) -> str | None:
        """As `text`; None where git refuses."""
        try:
            return self.text(*words)
        except GitError:
            return None

    def setting(self, key: str) -> str | None:
        """Of git's configuration, as it was when it was asked first."""
        if self._settings is None:
            self._settings = {}
            for row in self.names("config", "--list", "-z"):
                name, _, value = row.partition("\n")
                self._settings[name] = value
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

    def _with_ssh(self, env: dict[str, str]) -> dict[str, str]:
        """An ssh that never asks, where the learner has not chosen one."""
        if "GIT_SSH" in env or "GIT_SSH_COMMAND" in env or self.setting("core.sshCommand"):
            return env
        return env | {"GIT_SSH_COMMAND": _SSH}


def nul(paths: Iterable[str]) -> bytes:
    """Paths for git's `-z --stdin`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    env = {key: value for key, value in given.items() if key not in _LEADING}
    shown = sys.platform == "darwin" or "DISPLAY" in env or "WAYLAND_DISPLAY" in env
    if not shown and env.get("SSH_ASKPASS_REQUIRE") not in ("force", "prefer"):
        env.pop("SSH_ASKPASS", None)  # it asks in a window, and nobody could answer
    return env | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false"}


def _started(command: list[str], top: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    """In a session of its own: no helper of git's can ask at the terminal, and all end as one."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, cwd=top, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except FileNotFoundError as error:
        if not top.is_dir():
            raise refusal(top, "There is no such folder.", "Check the name.") from error
        hint = "Install it (https://git-scm.com), or let Syncthing or Dropbox carry the folder."
        raise refusal(top, "The program `git` is not here, and sync uses it.", hint) from error
    except OSError as error:
        raise refusal(top, f"git cannot be started: {error.strerror}.", "Try again.") from error


def _heard(process: subprocess.Popen[bytes], stdin: bytes, seconds: float) -> tuple[bytes, bytes]:
    """What git wrote until its end; what a hook left at work, with git's pipes, is not waited for.

    Raises TimeoutExpired.
    """
    end = time.monotonic() + seconds
    while True:
        is_over = process.poll() is not None
        try:
            return process.communicate(stdin, min(_GRACE, max(end - time.monotonic(), 0)))
        except subprocess.TimeoutExpired as late:
            if is_over:
                for pipe in (process.stdin, process.stdout, process.stderr):
                    if pipe is not None:
                        pipe.close()
                return late.output or b"", late.stderr or b""
            if time.monotonic() >= end:
                raise
            stdin = b""  # the rest of it is sent by itself


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends git and its helpers; asked first, it removes its locks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(5)
        except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            continue
    with suppress(subprocess.TimeoutExpired):
        _heard(process, b"", _GRACE)
