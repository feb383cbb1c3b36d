"""Where a remote is: an address as the learner types it, kept as git must have it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from deck.errors import refusal
from deck.sync.repository import Repository

_ADDRESS = re.compile(r"[/:\\]")
#: `https://...` and `ada@host:cards.git`; all else is a folder.
_ELSEWHERE = re.compile(r"[A-Za-z][\w.+-]*://|[^/\\]+:")


def absolute(address: str, current: Path) -> str:
    """An address for git, which takes a folder for one below the repository, not the learner's."""
    if _ELSEWHERE.match(address) or Path(address).is_absolute():
        return address
    path = Path(address).expanduser() if address.startswith("~/") else current / address
    return os.path.normpath(path) if path.is_dir() or address.startswith((".", "~/")) else address


def named(repository: Repository, names: list[str], address: str) -> str | None:
    """The remote that is at an address already; None where `set_address` is to make it one.

    Raises:
        CollectionError: it is no address, or there is a remote that holds something else.
    """
    git = repository.git
    for name in names:
        if git.setting(f"remote.{name}.url") == address:
            return name
    is_address = _ADDRESS.search(address) and not address.startswith("-")
    if is_address and (not names or (names == ["origin"] and _is_unused(repository))):
        return None
    known = f"There is {', '.join(names)}. " if names else ""
    if is_address:
        at = "origin" if "origin" in names else names[0]
        hint = f"{known}`git remote set-url {at} ADDRESS` changes where {at} is."
        raise refusal(repository.top, f"No remote here is at {_shown(address)}.", hint)
    hint = f"{known}`git remote add {_word(address)} ADDRESS` adds one."
    raise refusal(repository.top, f"There is no remote '{address}' here.", hint)


def set_address(repository: Repository, names: list[str], address: str) -> None:
    """Adds `origin`, or corrects it where it is there."""
    words = ("set-url", "origin") if "origin" in names else ("add", "origin")
    repository.git.text("remote", *words, address)
    repository.git.forget()


def _is_unused(repository: Repository) -> bool:
    """Whether nothing ever came from `origin`, so that its address may be a slip."""
    places = ("refs/remotes/origin/", "refs/deltadeck/origin/")
    return not repository.git.text("for-each-ref", "--count=1", *places)


def _shown(address: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//", address)


def _word(text: str) -> str:
    return text if re.fullmatch(r"[\w.-]+", text) and not text.startswith("-") else "origin"
