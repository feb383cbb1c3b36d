"""One sync, from the copies that are cleared away to what is pushed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from deck.errors import CollectionError
from deck.files import PRIVATE
from deck.sync.branches import meet
from deck.sync.checks import alone, check
from deck.sync.classroom import only_pulls
from deck.sync.conflicts import conflicts
from deck.sync.copies import clear
from deck.sync.exchanging import exchange
from deck.sync.git import GitError
from deck.sync.recording import record
from deck.sync.remote import Remote, remote_of
from deck.sync.report import Report, Synced, Wish
from deck.sync.repository import Repository, find
from deck.sync.setup import set_up
from deck.sync.statuses import Statuses
from deck.sync.trouble import trouble

__all__ = ["Report", "Synced", "Wish", "sync"]


def sync(root: Path, now: datetime, wish: Wish) -> Report:
    """Syncs the collection `root`; killed at any moment, the next one finishes.

    Raises:
        CollectionError: something must be put right first, or the remote refuses.  What is
            committed by then stays so; the files are whole.
        JournalError: the disk refuses.
    """
    try:
        return _sync(root, now, wish)
    except GitError as error:
        raise trouble(error, root) from error


def _sync(root: Path, now: datetime, wish: Wish) -> Report:
    cards = find(root, root)
    own = find(root / PRIVATE, root) if (root / PRIVATE / ".git").exists() else None
    every = [repository for repository in (cards, own) if repository is not None]
    for repository in every:
        check(repository)
    report = Report(apart=cards is not None and not cards.is_whole and own is None)
    if not wish.dry:
        statuses = Statuses(root, now, lambda: None)
        report.copies = clear(root, statuses)
        statuses.close()
    held: list[CollectionError] = []
    for repository in every:  # what is wrong with the cards' holds no reviews back
        try:
            stay = cards is not None and only_pulls(cards)
            second = own is repository
            report.repositories.append(_sync_one(repository, now, wish, second, stay))
        except GitError as error:
            held.append(trouble(error, repository.top))
        except CollectionError as error:
            held.append(error)
    if held:
        raise _with_reviews(held, report)
    report.open = conflicts(root)
    return report


def _with_reviews(held: list[CollectionError], report: Report) -> CollectionError:
    """The first, and what became of the reviews, where they are a repository of their own."""
    problem, *others = (error.problem for error in held)
    if others:
        same = others[0].message == problem.message
        more = "The reviews were not sent either." if same else f"The reviews: {others[0].message}"
    elif any(done.pushed for done in report.repositories if done.reviews):
        more = "Your reviews are synced."
    else:
        return held[0]
    return CollectionError(replace(problem, hint=f"{problem.hint} {more}"))


def _sync_one(
    repository: Repository, now: datetime, wish: Wish, second: bool, cards_stay: bool
) -> Synced:
    with alone(repository) as drafts:
        remote = remote_of(repository, None if second else wish.remote, wish.dry)
        if remote is not None:
            repository, remote = _met(repository, remote, drafts, wish)
        # A clone without a collection gets it first: files of ours would be in the way.
        fresh = not second and not (repository.root / PRIVATE).is_dir()
        if not wish.dry and not fresh:
            set_up(repository, cards_stay)
        done = exchange(repository, drafts, remote, now, wish)
        if not wish.dry and fresh:
            set_up(repository, cards_stay)
        return done


def _met(
    repository: Repository, remote: Remote, drafts: Path, wish: Wish
) -> tuple[Repository, Remote]:
    try:
        return meet(repository, remote, drafts, wish.dry)
    except CollectionError:  # what was done here is committed all the same, on a branch that is
        if not wish.dry and repository.commit("HEAD"):
            record(repository, drafts, wish.message)
        raise
