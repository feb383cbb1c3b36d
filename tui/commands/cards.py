"""`deltadeck add`, `edit` and `show`: cards as files, and as pages."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.model import TYPES
from tui.commands import UsageError
from tui.commands.common import (
    STDIN,
    add_cards,
    add_folder,
    add_json,
    chosen_cards,
    find_card,
    is_one,
    is_styled,
    named_ids,
    open_collection,
    print_json,
    read_text,
    report,
    require_terminal,
    whole_number,
)
from tui.text import dots, one_line, points, visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from cards.model import Card
    from deck.collection import Collection
    from tui.page.page import PageLayout

#: Where nobody says how wide it is: a pipe, a file.
_WIDTH = 80


def configure_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--type", choices=TYPES, default="derivation", help="(default: derivation)")
    parser.add_argument("--id", metavar="ID", help="the card's id (default: made from the time)")
    parser.add_argument("--course", metavar="COURSE", default="", help="the course it belongs to")
    parser.add_argument("--tags", metavar="TAG,...", default="", help="tags, separated by commas")
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="take the whole card from FILE (- for standard input), no editor",
    )
    add_folder(parser)
    add_json(parser)


def run_add(args: argparse.Namespace) -> int:
    collection, now = open_collection(args.folder)
    card = _add_file(args.file, collection) if args.file else _add_draft(args, collection, now)
    if args.json:
        print_json({"id": card.id, "path": str(card.path)})
    else:
        print(f"Added {one_line(card.id)} ({one_line(str(card.path))}).")
    _report_odd(card)
    return 0


def _add_file(name: str, collection: Collection) -> Card:
    from cards import parse_card, save_card

    text = read_text(name)
    card = parse_card(text)
    _refuse_taken(card.id, collection)
    return save_card(collection.root / f"{card.id}.md", text, None)


def _add_draft(args: argparse.Namespace, collection: Collection, now: datetime) -> Card:
    from cards.edit import new_card
    from tui.commands.editor import edit_draft, save_draft

    require_terminal("Writing a card", "Give the card with `--file FILE` or `--file -`.")
    card_id = args.id or f"{now:%Y%m%d_%H%M%S}"
    _refuse_taken(card_id, collection)
    tags = tuple(tag.strip() for tag in args.tags.split(",") if tag.strip())
    draft = edit_draft(new_card(args.type, card_id, args.course, tags), f"{card_id}.md")
    return save_draft(
        draft, None, None, lambda card: _refuse_taken(card.id, collection), collection.root
    )


def configure_edit(parser: argparse.ArgumentParser) -> None:
    add_cards(parser, " or its file (also one that cannot be read)")
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="take the new text of one card from FILE (- for standard input), no editor",
    )
    add_folder(parser)
    add_json(parser)


def run_edit(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    if args.id and args.search is None and STDIN not in args.id:
        paths = [_named_file(name, args.folder) for name in named_ids(args)]
        collection, now = open_collection(args.folder)
    else:
        collection, now = open_collection(args.folder)
        ids = chosen_cards(args, collection, now)
        paths = [_file_of(collection.cards[card_id]) for card_id in ids]
    if args.file and len(paths) > 1:
        raise UsageError("--file is the text of one card: name only that one.")
    if not args.file:
        from tui.commands.editor import take_terminal

        take_terminal("Give the new text with `--file FILE` or `--file -`.")
    saved = [_edit(path, args.file, collection, args.json) for path in dict.fromkeys(paths)]
    if args.json:
        print_json(saved[0] if is_one(args) else saved)
    return 0


def _named_file(name: str, folder: Path) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix.lower() == ".md" and candidate.is_file():
            return candidate
    return _file_of(find_card(open_collection(folder)[0], name))


def _file_of(card: Card) -> Path:
    if card.path is None:
        raise UsageError(f"The card '{card.id}' has no file.")
    return card.path


def _edit(path: Path, file: str | None, collection: Collection, quiet: bool) -> dict[str, str]:
    from cards import parse_card, save_card
    from cards.files import refuse_leaving

    refuse_leaving(path, collection.root)
    seen = read_text(str(path))

    def accept(card: Card) -> None:
        _refuse_other_id(card, path, collection)

    if file:
        text = read_text(file)
        accept(parse_card(text, path))
        card = save_card(path, text, seen, collection.root)
    else:
        from tui.commands.editor import edit_draft, save_draft

        card = save_draft(edit_draft(seen, path.name), path, seen, accept, collection.root)
    if not quiet:
        print(f"Saved {one_line(card.id)} ({one_line(str(path))}).", flush=True)
    _report_odd(card)
    return {"id": card.id, "path": str(path)}


def _refuse_other_id(card: Card, path: Path, collection: Collection) -> None:
    """Raises UsageError where the new text takes another card's id, or leaves a history behind."""
    from tui.drafts import left_behind

    _refuse_taken(card.id, collection, path)
    if before := left_behind(card, collection, path):
        raise UsageError(
            f"The new text changes the id from '{before}' to '{card.id}', and the reviews of "
            f"'{before}' would stay behind: keep the id, or `deltadeck add` a new card."
        )


def _refuse_taken(card_id: str, collection: Collection, path: Path | None = None) -> None:
    """Raises UsageError where another file than `path` holds a card of this id."""
    from tui.drafts import taken_by

    taken = taken_by(card_id, collection, path)
    if taken is not None:
        raise UsageError(
            f"The id '{card_id}' is taken by {taken}: choose another, "
            f"or `deltadeck edit {card_id}` to change that card."
        )


def _report_odd(card: Card) -> None:
    """What is odd about a card that was just saved, its exercise included."""
    from tui.exercises import exercise_problem

    exercise = exercise_problem(card)
    report([*card.warnings, *([exercise] if exercise else [])])


def configure_show(parser: argparse.ArgumentParser) -> None:
    add_cards(parser)
    parser.add_argument("--question", action="store_true", help="leave the solution out")
    parser.add_argument("--source", action="store_true", help="print the Markdown as it is written")
    parser.add_argument(
        "--width",
        type=whole_number(10, 10_000),
        metavar="N",
        help="cells in a row (default: the terminal's)",
    )
    add_folder(parser)
    add_json(parser)


def run_show(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    collection, now = open_collection(args.folder)
    ids, solution = chosen_cards(args, collection, now), not args.question
    if args.json:
        values = [card_dict(collection.cards[name], solution) for name in ids]
        print_json(values[0] if is_one(args) else values)
        return 0
    width = args.width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH)
    for number, name in enumerate(ids):
        card = collection.cards[name]
        if number:
            print(f"\n{'═' * min(width, _WIDTH)}\n")
        if args.source:
            print(_card_source(card, solution))
        else:
            print(card_page(card, collection, width, is_styled(), solution))
    return 0


def card_page(
    card: Card, collection: Collection, width: int, styled: bool, solution: bool = True
) -> str:
    """The card as it is read, in rows of at most `width` cells; `styled` for a terminal."""
    from tui.page.output import printed

    facts = visible(" · ".join(_facts(card)))
    sheets = _sheets(card, collection, width, solution)
    head = f"\x1b[2m{facts}\x1b[0m" if styled else facts
    return "\n\n".join([head, *(printed(sheet, styled) for sheet in sheets)])


def _sheets(card: Card, collection: Collection, width: int, solution: bool) -> Iterator[PageLayout]:
    from cards.cloze import find, render
    from tui.card_pages import Library, options_page
    from tui.page.layout import PageOptions
    from tui.page.page import Page
    from tui.page.read import read

    reading = Library(collection, addresses=True).reading(card)
    question = card.question
    if card.type == "cloze":  # its braces are no text, and no mathematics
        question = render(question, find(question), None)
    documents = [read(question, reading.context)]
    reading = reading.after(documents[0])
    if card.is_choice:
        correct = card.correct_letters if solution and card.correct_letters else None
        documents.append(options_page(card.options, frozenset(), correct, reading.context))
    if solution:
        documents += [read("---"), read(card.solution, reading.context)]
    for document in documents:
        if document.blocks:
            yield Page(document, PageOptions(find=reading.find)).at(width)


def _facts(card: Card) -> list[str]:
    """What is said above a card."""
    facts = [card.id, card.course, card.type.replace("_", " ")]
    if card.points is not None:
        facts.append(points(card.points))
    if card.difficulty is not None:
        facts.append(f"difficulty {dots(card.difficulty)}")
    return [fact for fact in facts if fact]


def _card_source(card: Card, solution: bool) -> str:
    """The card as its Markdown, its mathematics as LaTeX."""
    parts = [" · ".join(_facts(card)), card.question]
    if card.is_choice:
        parts.append("\n".join(f"{o.letter}) {o.text}" for o in card.options if not o.placeholder))
    if solution:
        parts += ["─" * 40, card.solution]
    return "\n\n".join(part for part in parts if part)


def card_dict(card: Card, solution: bool = True) -> dict[str, Any]:
    """The card as plain data; the keys are stable."""
    value: dict[str, Any] = {
        "id": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "difficulty": card.difficulty,
        "type": card.type,
        "status": card.status,
        "points": card.points,
        "question": card.question,
        "options": {o.letter: o.text for o in card.options if not o.placeholder},
        "related": list(card.related),
        "items": [item.id for item in card.items],
        "exercise": card.exercise,
        "macros": dict(card.macros),
        "extra": dict(card.extra),
        "path": str(card.path) if card.path else None,
    }
    if solution:
        value |= {"correct": card.correct, "solution": card.solution}
    return value
