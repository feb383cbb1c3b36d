"""`deltadeck sync`: the same cards and reviews on several computers, by git."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

from cards.text import printable
from deck.sync.commit import make_repository
from deck.sync.conflicts import Conflict, keep, named, origin_of, place, take, this_device
from deck.sync.git import Git, find
from deck.sync.remote import absolute
from deck.sync.run import (
    RepositoryResult,
    SyncOptions,
    SyncResult,
    is_elsewhere,
    set_up_class,
    sync,
)
from tui.commands import UsageError
from tui.commands.common import cards_folder, is_terminal, place_of, print_error, shell_word, tell
from tui.commands.lookup import open_collection
from tui.text import now, visible_line

#: What else synchronises a folder, by a file or folder that it leaves there.  (`.dropbox` and
#: `.sync` themselves stand in a home folder as well, whatever is synchronised.)
_CARRIERS = {
    ".stfolder": "Syncthing",
    ".stignore": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".sync/ID": "Resilio Sync",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
}


def run_sync(args: argparse.Namespace) -> int:
    """0 all is the same everywhere; 1 something is left to be done; 2 it could not sync."""
    root = cards_folder(place_of(args)).absolute()
    if args.keep or args.take:
        return _choose(root, args.keep or args.take, bool(args.take))
    if args.message is not None and not args.message.strip():
        raise UsageError("--message is empty: leave it out for one that says what changed.")
    in_class = args.in_class or args.reviews is not None
    if in_class and args.dry_run:
        raise UsageError("--class and --reviews set files up: leave out --dry-run.")
    wish = SyncOptions(_remote(args.remote, root), args.message, args.dry_run)
    if in_class:
        set_up_class(root, _address(args.reviews), args.in_class)
    elif not (root / ".deltadeck").is_dir():
        _look_elsewhere(root, wish)
    _make_repository(root, args)
    report = sync(root, now(), wish)
    tell(args, _as_dict(report) | {"dry_run": args.dry_run}, _done(report, root, args.dry_run))
    if not report.repositories:
        return _without_repository(report, root, args)
    if not args.json:
        for sentence in _left(report):
            print_error(printable(sentence))
    # Reviews that stay on this computer are the learner's wish, as cards without a remote are not.
    alone = any(each.remote is None and not each.reviews for each in report.repositories)
    return 1 if report.open or alone else 0


# Before.


def _remote(given: str | None, root: Path) -> str | None:
    """A remote of `root` by its name, or an address."""
    is_name = given is not None and given in (Git(root).maybe("remote") or "").split()
    return given if is_name else _address(given)


def _address(given: str | None) -> str | None:
    """As git must have it."""
    return None if given is None else absolute(given, Path.cwd())


def _look_elsewhere(root: Path, wish: SyncOptions) -> None:
    """Raises UsageError where neither the folder is a collection nor the remote has one for it."""
    for above in root.parents:
        if (above / ".deltadeck/config.toml").is_file():
            raise UsageError(f"{root} is a part of the collection {above}: sync that.")
    if not is_elsewhere(root, wish):
        raise UsageError(f"{root} is no collection yet: `deltadeck init` makes it one.")


def _make_repository(root: Path, args: argparse.Namespace) -> None:
    """`git init` where it is asked for, or the learner says yes."""
    if find(root, root) is not None or args.dry_run:
        return
    asked = args.init
    if not asked and not args.json and is_terminal() and not (root / ".deltadeck/.git").exists():
        question = f"{root} is in no git repository. Make it one (git init)? [y/N] "
        asked = input(question).strip().lower() in ("y", "yes")
    if asked:
        make_repository(root)
        print_error(f"{root} is a git repository now.")


def _without_repository(report: SyncResult, root: Path, args: argparse.Namespace) -> int:
    places = (root, *root.parents)
    found = (said for name, said in _CARRIERS.items() if any((p / name).exists() for p in places))
    if args.remote is None and (carrier := next(found, "")):
        if not args.json:
            print(f"{root}: {carrier} synchronises it, so there is nothing for git to do.")
        return 1 if report.open else 0
    Git(root).text("--version")  # raises where there is no git to make one with
    raise UsageError(
        f"{root} is in no git repository: `deltadeck sync --init` makes one "
        "(`git init`); with Syncthing or Dropbox, none is needed."
    )


# What was done.


def _done(report: SyncResult, root: Path, dry: bool) -> Iterator[str]:
    copies = report.copies
    if copies.journals:
        yield f"{_copies(copies.journals)} of the journal united and set aside."
    if copies.same:
        yield f"{_copies(copies.same)} of cards set aside: they say nothing new."
    for each in report.repositories:
        yield from map(printable, _rows(each, dry, len(report.repositories) > 1))
    for conflict in report.open:
        words = origin_of(conflict.other).words(this_device())
        name = shell_word(conflict.path.relative_to(root))
        folder = "" if root == Path.cwd() else f" {quote(str(root))}"
        yield printable(
            f"{conflict.path}: {words}. Edit the card to choose, or "
            f"`deltadeck sync{folder} --keep {name}` or `--take {name}`; then sync."
        )


def _copies(number: int) -> str:
    return "1 copy" if number == 1 else f"{number} copies"


def _rows(done: RepositoryResult, dry: bool, one_of_two: bool) -> list[str]:
    there = done.remote or "the remote"
    if one_of_two:  # both may be called origin
        there += " of the reviews" if done.reviews else " of the cards"
    if done.there not in (None, done.branch):
        there += f", branch {done.there}"
    rows = []
    if done.sent:
        sent = f"Sent to {there}" if done.pushed else "Committed"
        rows.append(f"{'Would commit' if dry else sent}: {done.sent.words()}.")
    if done.received:
        verb = "Would take" if dry else "Received"
        rows.append(f"{verb} from {there}: {done.received.words()}.")
    merged = done.merged
    rows += [
        *(f"{p}: deleted on one computer, changed on the other; kept." for p in merged.kept),
        *(f"{p}: the card got this name, as another has the one it had." for p in merged.beside),
        *merged.settings,
    ]
    if dry:
        rows += [f"{path}: both sides changed the same lines." for path in merged.conflicts]
    return rows or [f"{'The reviews' if done.reviews else done.top.name}: nothing new."]


def _left(report: SyncResult) -> Iterator[str]:
    """What is left to be done, or can be."""
    for each in report.repositories:
        if each.remote is None and each.reviews:
            yield (
                "The reviews are committed on this computer only: "
                "`deltadeck sync --reviews ADDRESS` sends them to a repository of your own."
            )
        elif each.remote is None:
            add = f"git -C {quote(str(each.top))} remote add origin ADDRESS"
            or_sync = "`deltadeck sync --remote ADDRESS`"
            yield f"{each.top} has no remote: `{add}` adds one, or {or_sync}."
    for each in report.repositories:
        for name in each.nested:
            yield _nested(each.top, name)
    if report.apart:
        yield (
            "The reviews stay on this computer, as the cards' repository ignores `.deltadeck/`: "
            "`deltadeck sync --reviews ADDRESS` gives them a repository of their own."
        )


def _nested(top: Path, name: str) -> str:
    path = top / name
    if not (path / ".git").exists():  # git there would be the one around it
        fetch = f"git -C {quote(str(top))} submodule update --init {quote(name)}"
        return f"{path} is a submodule that was not fetched: `{fetch}` fetches it."
    return (
        f"{path} is a git repository of its own, so its files are not synced: commit and push them "
        f"there (`git -C {quote(str(path))} push`). Of a submodule, commit the new state here, too."
    )


def _as_dict(report: SyncResult) -> dict[str, Any]:
    """The keys are stable."""
    return {
        "repositories": [
            {
                "path": str(each.top),
                "branch": each.branch,
                "remote": each.remote,
                "sent": asdict(each.sent),
                "received": asdict(each.received),
                "pushed": each.pushed,
                "pulls_only": each.pulls_only,
                "conflicts": each.merged.conflicts,
                "kept": each.merged.kept,
                "renamed": each.merged.beside,
                "nested": each.nested,
                "settings": each.merged.settings,
            }
            for each in report.repositories
        ],
        "copies": {
            "journals": report.copies.journals,
            "same": report.copies.same,
            "conflicts": [str(path) for path in report.copies.conflicts],
        },
        "open": [{"path": str(each.path), "other": str(each.other)} for each in report.open],
        "reviews_synced": not report.apart and bool(report.repositories),
    }


# Two versions of a card.


def _choose(root: Path, name: str, is_other: bool) -> int:
    collection, _ = open_collection(root)
    card = collection.cards.get(name)
    collection.close()
    found: list[Conflict] = named(root, name, card.path if card else None)
    if is_other and len(found) > 1:
        names = " or ".join(str(conflict.other.relative_to(root)) for conflict in found)
        raise UsageError(f"{name} has several other versions: name {names}.")
    path = place(root, found[0])
    for conflict in found:
        if is_other:
            path = take(root, conflict)
        else:
            keep(root, conflict)
    what = "is the other version now" if is_other else "stays as it is"
    print(f"{visible_line(str(path))} {what}. `deltadeck sync` tells the other computers.")
    return 0
