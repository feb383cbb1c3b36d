"""$EDITOR, on a draft, so that nothing is lost whatever the save says."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from cards.model import CardError
from deck.errors import CollectionError
from tui.commands import UsageError
from tui.commands.common import problem_line, require_terminal

Saved = TypeVar("Saved")


def take_terminal(instead: str) -> None:
    """Makes the terminal standard input again where ids came in by a pipe: the editor needs it.

    Raises UsageError where there is no terminal; `instead` is the way out.
    """
    if not sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(OSError):
            os.dup2(os.open("/dev/tty", os.O_RDWR), 0)
            sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    require_terminal("Editing", instead)


def edit_draft(text: str, name: str) -> Path:
    """Open $EDITOR on a draft with `text`; the draft's path.  It stays until it is saved."""
    draft = Path(tempfile.mkdtemp(prefix="deltadeck-")) / name
    draft.write_bytes(text.encode("utf-8"))
    _open(draft)
    return draft


def _open(draft: Path) -> None:
    command = _editor()
    try:
        done = subprocess.run([*command, str(draft)], check=False)
    except OSError as error:
        raise UsageError(
            f"The editor '{command[0]}' cannot be started ({error.strerror}): set $EDITOR to one "
            f"that can. The draft is {draft}."
        ) from error
    if done.returncode:
        raise UsageError(
            f"The editor left with code {done.returncode}, so nothing was saved. "
            f"The draft is {draft}."
        )


def _editor() -> list[str]:
    """$VISUAL, $EDITOR or an editor that is there; raises UsageError when none is."""
    for variable in ("VISUAL", "EDITOR"):
        if command := os.environ.get(variable, "").strip():
            return shlex.split(command)
    for name in ("nano", "vi"):
        if found := shutil.which(name):
            return [found]
    raise UsageError("There is no editor: set $EDITOR to one, or edit the card in the app.")


def save_draft(draft: Path, save: Callable[[str], Saved]) -> Saved:
    """What `save` makes of the draft's text, asking again where that cannot be.

    Raises UsageError, naming the draft, when the learner gives up.
    """
    while True:
        try:
            saved = save(draft.read_bytes().decode("utf-8"))
        except (CardError, CollectionError, UsageError, UnicodeDecodeError) as error:
            if isinstance(error, CardError | CollectionError):
                print(problem_line(error.problem))
            else:
                print(error)
            try:
                again = input("Edit again? [Y/n] ").strip().lower() in ("", "y", "yes")
            except EOFError:
                again = False
            if not again:
                raise UsageError(f"Nothing was saved. Your text is in {draft}.") from error
            _open(draft)
            continue
        shutil.rmtree(draft.parent, ignore_errors=True)
        return saved
