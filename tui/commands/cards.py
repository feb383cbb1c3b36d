"""`deltadeck add` and `edit`: cards as files, from a file, a pipe or $EDITOR."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from cards import parse_card, save_card
from cards.edit import new_card
from cards.files import refuse_leaving
from cards.model import Card, CardError
from cards.parse import analyse
from deck.collection import Collection
from deck.errors import CollectionError
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.commands.common import print_problems, problem_line, read_text, require_terminal, tell
from tui.commands.lookup import chosen_cards, find_card, is_one, named_ids, open_collection
from tui.drafts import edit_draft, left_behind, open_editor, taken_by
from tui.exercises import exercise_problem
from tui.text import visible_line

Saved = TypeVar("Saved")


def run_add(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    if args.file:
        card = _save_new(read_text(args.file), None, collection)
    else:
        draft = _draft(args, collection, now)
        card = save_draft(draft, lambda text: _save_new(text, draft, collection))
    said = f"Added {visible_line(card.id)} ({visible_line(str(card.path))})."
    tell(args, {"id": card.id, "path": str(card.path)}, said)
    _print_odd(card)
    return 0


def _draft(args: argparse.Namespace, collection: Collection, now: datetime) -> Path:
    """A new card, as it was written in $EDITOR."""
    require_terminal("Writing a card", "Give the card with `--file FILE` or `--file -`.")
    card_id = args.id or f"{now:%Y%m%d_%H%M%S}"
    _refuse_taken(card_id, collection)
    tags = tuple(tag.strip() for tag in args.tags.split(",") if tag.strip())
    return edit_draft(new_card(args.type, card_id, args.course, tags), f"{card_id}.md")


def _save_new(text: str, draft: Path | None, collection: Collection) -> Card:
    card = parse_card(text, draft)
    _refuse_taken(card.id, collection)
    return save_card(collection.root / f"{card.id}.md", text, None, collection.root)


def run_edit(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    collection, now = open_collection(args.folder)
    if args.id and args.search is None and STDIN not in args.id:
        paths = [_named_file(name, args.folder, collection) for name in named_ids(args)]
    else:
        paths = [_file_of(card) for card in chosen_cards(args, collection, now)]
    if args.file and len(paths) > 1:
        raise UsageError("--file is the text of one card: name only that one.")
    if not args.file:
        take_terminal("Give the new text with `--file FILE` or `--file -`.")
    saved = []
    for path in dict.fromkeys(paths):
        card = _edit(path, args.file, collection)
        if not args.json:
            print(f"Saved {visible_line(card.id)} ({visible_line(str(path))}).", flush=True)
        _print_odd(card)
        saved.append({"id": card.id, "path": str(path)})
    tell(args, saved[0] if is_one(args) else saved)
    return 0


def _named_file(name: str, folder: Path, collection: Collection) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix.lower() == ".md" and candidate.is_file():
            return candidate
    return _file_of(find_card(collection, name))


def _file_of(card: Card) -> Path:
    if card.path is None:
        raise UsageError(f"The card '{card.id}' has no file.")
    return card.path


def _edit(path: Path, file: str | None, collection: Collection) -> Card:
    refuse_leaving(path, collection.root)
    seen = read_text(str(path))

    def save(text: str) -> Card:
        card = parse_card(text, path)
        _refuse_taken(card.id, collection, path)
        if before := left_behind(card, collection, path):
            raise UsageError(
                f"The new text changes the id from '{before}' to '{card.id}', and the reviews of "
                f"'{before}' would stay behind: keep the id, or `deltadeck add` a new card."
            )
        return save_card(path, text, seen, collection.root)

    return save(read_text(file)) if file else save_draft(edit_draft(seen, path.name), save)


def _refuse_taken(card_id: str, collection: Collection, path: Path | None = None) -> None:
    """Raises UsageError where another file than `path` holds a card of this id."""
    taken = taken_by(card_id, collection, path)
    if taken is not None:
        raise UsageError(
            f"The id '{card_id}' is taken by {taken}: choose another, "
            f"or `deltadeck edit {card_id}` to change that card."
        )


def _print_odd(card: Card) -> None:
    """What is odd about a card that was just saved, its exercise included."""
    exercise = exercise_problem(card)
    print_problems([*analyse(card.source, card.path)[1], *([exercise] if exercise else [])])


# $EDITOR on a draft; `deltadeck config --edit` uses it too.


def take_terminal(instead: str) -> None:
    """Makes the terminal standard input again where ids came in by a pipe: the editor needs it.

    Raises UsageError where there is no terminal; `instead` is the way out.
    """
    if not sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(OSError):
            os.dup2(os.open("/dev/tty", os.O_RDWR), 0)
            sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    require_terminal("Editing", instead)


def save_draft(draft: Path, save: Callable[[str], Saved]) -> Saved:
    """What `save` makes of the draft's text, asking again where that cannot be.

    Raises UsageError, naming the draft, when the learner gives up.
    """
    while True:
        try:
            saved = save(draft.read_bytes().decode("utf-8"))
        except (CardError, CollectionError, UsageError, UnicodeDecodeError) as error:
            problem = getattr(error, "problem", None)
            print(problem_line(problem) if problem else error)
            try:
                again = input("Edit again? [Y/n] ").strip().lower() in ("", "y", "yes")
            except EOFError:
                again = False
            if not again:
                raise UsageError(f"Nothing was saved. Your text is in {draft}.") from error
            open_editor(draft)
            continue
        shutil.rmtree(draft.parent, ignore_errors=True)
        return saved
