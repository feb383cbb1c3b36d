"""A class: the cards are a teacher's repository, the reviews are the learner's own beside it."""

from __future__ import annotations

from pathlib import Path

from deck.collection import make_collection
from deck.errors import refusal
from deck.files import CONFIG, PRIVATE
from deck.settings import write_setting
from deck.sync.git import Git, GitError
from deck.sync.repository import Repository, find
from deck.sync.setup import add_lines, make_repository
from deck.sync.trouble import trouble

_PUSH = "deltadeck.push"


def only_pulls(repository: Repository) -> bool:
    """Whether what changes in this repository stays on this computer."""
    return repository.git.setting(_PUSH) == "false"


def set_up_class(root: Path, address: str | None, learner: bool = True) -> None:
    """Makes `root` a collection that keeps `.deltadeck/` out of the cards' repository.

    The reviews get a repository of their own, with the remote `address` where one is given.  Of a
    `learner`, no change of the cards is sent, and `status:` stays as the teacher wrote it.

    Raises:
        CollectionError: the cards are in no repository with a remote, or the reviews are in it.
    """
    cards = find(root, root)
    if cards is None:
        message = "The cards are in no repository."
        hint = "`git clone ADDRESS FOLDER` gets the teacher's; then this, in that folder."
        raise refusal(root, message, hint)
    if not cards.git.text("remote"):
        message = "The repository of the cards has no remote, so it is no clone of a teacher's."
        hint = "`git clone ADDRESS FOLDER` makes one; then this, in that folder."
        raise refusal(root, message, hint)
    private = root / PRIVATE
    if cards.git.run("ls-files", "--", f"{cards.prefix}{PRIVATE}")[1]:
        message = "The reviews are committed in the repository of the cards."
        hint = "`git rm -r --cached .deltadeck` takes them out of it; commit that first."
        raise refusal(private, message, hint)
    make_collection(root)
    try:
        add_lines(cards.exclude, [f"/{cards.prefix}{PRIVATE}/"])
        if learner:
            cards.git.set(_PUSH, "false")
        if not (private / ".git").exists():
            make_repository(private)
        if address:
            own = Git(private)
            known = own.setting("remote.origin.url")
            words = ("set-url", "origin") if known else ("add", "origin")
            own.text("remote", *words, address)
    except GitError as error:
        raise trouble(error, root) from error
    if learner:
        write_setting(private / CONFIG, "write_status", False)
