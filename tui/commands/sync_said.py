"""What `deltadeck sync` says it did, and what it leaves to the learner."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deck.sync.conflicts import Conflict
    from deck.sync.running import Report, Synced


def left(report: Report) -> list[str]:
    """What is left to be done, or can be."""
    said = [_alone(each) for each in report.repositories if each.remote is None]
    said += [_nested(each.top, path) for each in report.repositories for path in each.nested]
    if report.apart:
        said.append(
            "The reviews stay on this computer, as the cards' repository ignores `.deltadeck/`: "
            "`deltadeck sync --reviews ADDRESS` gives them a repository of their own."
        )
    return said


def _nested(top: Path, name: str) -> str:
    path = top / name
    if not (path / ".git").exists():  # git there would be the one around it
        fetch = f"git -C {quote(str(top))} submodule update --init {quote(name)}"
        return f"{path} is a submodule that was not fetched: `{fetch}` fetches it."
    return (
        f"{path} is a git repository of its own, so its files are not synced: commit and push them "
        f"there (`git -C {quote(str(path))} push`). Of a submodule, commit the new state here, too."
    )


def _alone(each: Synced) -> str:
    if each.reviews:
        return (
            "The reviews are committed on this computer only: "
            "`deltadeck sync --reviews ADDRESS` sends them to a repository of your own."
        )
    add = f"git -C {quote(str(each.top))} remote add origin ADDRESS"
    return f"{each.top} has no remote: `{add}` adds one, or `deltadeck sync --remote ADDRESS`."


def show(report: Report, root: Path, dry: bool) -> None:
    from cards.text import printable

    if report.copies.journals:
        print(f"{_copies(report.copies.journals)} of the journal united and set aside.")
    if report.copies.same:
        print(f"{_copies(report.copies.same)} of cards set aside: they say nothing new.")
    for each in report.repositories:
        for row in _rows(each, dry, len(report.repositories) > 1):
            print(printable(row))
    for conflict in report.open:
        print(printable(_conflict(conflict, root)))


def _copies(number: int) -> str:
    return "1 copy" if number == 1 else f"{number} copies"


def _rows(done: Synced, dry: bool, one_of_two: bool) -> list[str]:
    there = done.remote or "the remote"
    if one_of_two:  # both may be called origin
        there += " of the reviews" if done.reviews else " of the cards"
    if done.there not in (None, done.branch):
        there += f", branch {done.there}"
    rows = []
    if done.sent:
        if dry:
            verb = "Would commit"
        elif done.pushed:
            verb = f"Sent to {there}"
        else:
            verb = "Committed"
        rows.append(f"{verb}: {done.sent.words()}.")
    if done.received:
        verb = f"Would take from {there}" if dry else f"Received from {there}"
        rows.append(f"{verb}: {done.received.words()}.")
    rows += [
        f"{path}: deleted on one computer, changed on the other; kept." for path in done.merged.kept
    ]
    rows += [
        f"{path}: the card got this name, as another has the one it had."
        for path in done.merged.beside
    ]
    rows += done.merged.settings
    if dry:
        rows += [f"{path}: both sides changed the same lines." for path in done.merged.conflicts]
    return rows or [f"{'The reviews' if done.reviews else done.top.name}: nothing new."]


def _conflict(conflict: Conflict, root: Path) -> str:
    import shlex

    from deck.sync.origin import origin_of, this_device

    words = origin_of(conflict.other).words(this_device())
    name = str(conflict.path.relative_to(root))
    name = shlex.quote(f"./{name}" if name.startswith("-") else name)
    folder = "" if root == Path() or root == Path.cwd() else f" {shlex.quote(str(root))}"
    return (
        f"{conflict.path}: {words}. Edit the card to choose, or "
        f"`deltadeck sync{folder} --keep {name}` or `--take {name}`; then sync."
    )
