"""`deltadeck add`, `edit` and `show`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.model import TYPES
from tui.commands.common import (
    STDIN,
    UsageError,
    add_cards,
    add_folder,
    add_json,
    chosen_cards,
    find_card,
    is_dumb,
    is_one,
    names_of,
    open_collection,
    print_json,
    read_text,
    refuse_taken,
    report_odd,
    require_terminal,
    whole_number,
)
from tui.text import dots, points, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cards import Card
    from deck.collection import Collection
    from tui.page.page import PageLayout


# == `deltadeck add`: write a new card, in $EDITOR or from a text.


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
    from tui.text import one_line

    collection = open_collection(args.folder)
    card = _from_file(args.file, collection) if args.file else _from_editor(args, collection)
    if args.json:
        print_json({"id": card.id, "path": str(card.path)})
    else:
        print(f"Added {one_line(card.id)} ({one_line(str(card.path))}).")
    report_odd(card)
    return 0


def _from_file(name: str, collection: Collection) -> Card:
    from cards import parse_card, save_card

    text = read_text(name)
    card = parse_card(text)
    refuse_taken(card.id, collection)
    return save_card(collection.root / f"{card.id}.md", text, None)


def _from_editor(args: argparse.Namespace, collection: Collection) -> Card:
    from cards.edit import new_card
    from tui.commands.editor import edit_draft, save_draft
    from tui.text import now

    require_terminal("Writing a card", "Give the card with `--file FILE` or `--file -`.")
    card_id = args.id or f"{now():%Y%m%d_%H%M%S}"
    refuse_taken(card_id, collection)
    tags = tuple(tag.strip() for tag in args.tags.split(",") if tag.strip())
    draft = edit_draft(new_card(args.type, card_id, args.course, tags), f"{card_id}.md")
    return save_draft(
        draft, None, None, lambda card: refuse_taken(card.id, collection), collection.root
    )


# == `deltadeck edit ID...`: edit cards in $EDITOR; problems are shown before one is saved.


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
    names_given = args.id and args.search is None and STDIN not in args.id
    if names_given:
        paths = [_path(name, args.folder) for name in names_of(args)]
        collection = open_collection(args.folder)
    else:
        collection = open_collection(args.folder)
        paths = [_file(collection, card_id) for card_id in chosen_cards(args, collection)]
    if args.file and len(paths) > 1:
        raise UsageError("--file is the text of one card: name only that one.")
    if not args.file:
        from tui.commands.editor import take_terminal

        take_terminal("Give the new text with `--file FILE` or `--file -`.")
    saved = [_edit(path, args.file, collection, args.json) for path in dict.fromkeys(paths)]
    if args.json:
        print_json(saved[0] if is_one(args) else saved)
    return 0


def _edit(path: Path, file: str | None, collection: Collection, quiet: bool) -> dict[str, str]:
    from cards import parse_card, save_card
    from cards.files import refuse_leaving
    from tui.text import one_line

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
    report_odd(card)
    return {"id": card.id, "path": str(path)}


def _path(name: str, folder: Path) -> Path:
    for candidate in (folder / name, Path(name)):
        if candidate.suffix.lower() == ".md" and candidate.is_file():
            return candidate
    collection = open_collection(folder)
    return _file(collection, find_card(collection, name).id)


def _file(collection: Collection, card_id: str) -> Path:
    path = collection.cards[card_id].path
    if path is None:
        raise UsageError(f"The card '{card_id}' has no file.")
    return path


def _refuse_other_id(card: Card, path: Path, collection: Collection) -> None:
    """Raises UsageError where the new text takes another card's id, or leaves a history behind."""
    refuse_taken(card.id, collection, path)
    from tui.drafts import left_behind

    if before := left_behind(card, collection, path):
        raise UsageError(
            f"The new text changes the id from '{before}' to '{card.id}', and the reviews of "
            f"'{before}' would stay behind: keep the id, or `deltadeck add` a new card."
        )


# == `deltadeck show ID...`: print cards as pages.


#: Where nobody says how wide it is: a pipe, a file.
WIDTH = 80


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
    collection = open_collection(args.folder)
    ids, solution = chosen_cards(args, collection), not args.question
    if args.json:
        values = [card_dict(collection.cards[name], solution) for name in ids]
        print_json(values[0] if is_one(args) else values)
        return 0
    terminal = sys.stdout.isatty()
    width = args.width or (shutil.get_terminal_size().columns if terminal else WIDTH)
    styled = terminal and not is_dumb()
    for number, name in enumerate(ids):
        card = collection.cards[name]
        if number:
            print(f"\n{'═' * min(width, WIDTH)}\n")
        if args.source:
            print(card_text(card, solution))
        else:
            print(card_page(card, collection, width, styled, solution))
    return 0


def card_page(
    card: Card, collection: Collection, width: int, styled: bool, solution: bool = True
) -> str:
    """The card as it is read, in rows of at most `width` cells; `styled` for a terminal."""
    from tui.page.output import printed

    facts = visible(" · ".join(facts_of(card)))
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


def facts_of(card: Card) -> list[str]:
    """What is said above a card."""
    facts = [card.id, card.course, card.type.replace("_", " ")]
    if card.points is not None:
        facts.append(points(card.points))
    if card.difficulty is not None:
        facts.append(f"difficulty {dots(card.difficulty)}")
    return [fact for fact in facts if fact]


def card_text(card: Card, solution: bool = True) -> str:
    """The card as its Markdown, its mathematics as LaTeX."""
    parts = [" · ".join(facts_of(card)), card.question]
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
