"""The collection of a command, and what is named of it: cards, items, decks, courses, searches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from deck.collection import Collection
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.commands.common import did_you_mean
from tui.text import now

if TYPE_CHECKING:
    from cards.model import Card
    from deck.queue import SessionRequest

#: How many of a card's items a sentence names.
_NAMED = 6


def open_collection(folder: Path) -> tuple[Collection, datetime]:
    """The collection in `folder`, and the present moment; raises CollectionError."""
    moment = now()
    return Collection.open(folder, now=moment), moment


# Cards and items.


def find_card(collection: Collection, card_id: str) -> Card:
    """The card named, by its id or an item's; raises UsageError with the nearest ids."""
    for candidate in (card_id, card_id.rpartition("/")[0]):
        if candidate in collection.cards:
            return collection.cards[candidate]
    hint = did_you_mean(card_id, list(collection.cards), 3)
    if not hint and collection.problems:
        hint = "Some files here cannot be read: `deltadeck lint` says which."
    hint = hint or "`deltadeck list` lists the cards."
    raise UsageError(f"There is no card '{card_id}' in {collection.root.absolute()}. {hint}")


def items_of(collection: Collection, name: str) -> list[str]:
    """The items of a card, or the one item that is named.

    Raises:
        UsageError: it names neither, with near ids.  An item that its card does not have is never
            taken for the card: an answer would land on another item.
    """
    if collection.has_item(name):
        return [name]
    card = find_card(collection, name)
    items = [item.id for item in card.items]
    if card.id != name:
        raise UsageError(f"There is no item '{name}': {card.id} has {listed(items)}.")
    return items


def listed(items: Sequence[str]) -> str:
    """Some of them, and how many more there are."""
    more = len(items) - _NAMED
    return ", ".join(items[:_NAMED]) + (f", and {more} more" if more > 0 else "")


def chosen_items(args: argparse.Namespace, collection: Collection, now: datetime) -> list[str]:
    """The items named, each once.  Raises UsageError for an unknown one."""
    items = [item for name in named_ids(args) for item in items_of(collection, name)]
    if args.search is not None:
        items += search_items(collection, args.search, now)
    return list(dict.fromkeys(items))


def chosen_cards(args: argparse.Namespace, collection: Collection, now: datetime) -> list[Card]:
    """The cards that are meant, each once; an item means its card.

    Raises:
        UsageError: nothing is named or found, or a name is unknown.
    """
    ids = [find_card(collection, name).id for name in named_ids(args)]
    if args.search is not None:
        items = search_items(collection, args.search, now)
        ids += [card.id for card in collection.outlines(items)]
    if not ids:
        raise UsageError("No card is found: `deltadeck list` lists the cards.")
    return [collection.cards[card_id] for card_id in dict.fromkeys(ids)]


def is_one(args: argparse.Namespace) -> bool:
    """Whether a single card is named, not as many as a pipe or a search holds."""
    return len(args.id) == 1 and args.id[0] != STDIN and args.search is None


def named_ids(args: argparse.Namespace) -> list[str]:
    """What is named, standard input read.  Raises UsageError where nothing is."""
    if not args.id and args.search is None:
        raise UsageError("Name cards, give - to read ids from standard input, or use --search.")
    if args.id.count(STDIN) and getattr(args, "file", None) == STDIN:
        raise UsageError("Ids and a text cannot both come from standard input: name a file.")
    return [name for given in args.id for name in (_stdin_ids() if given == STDIN else [given])]


def _stdin_ids() -> list[str]:
    """One id a line, as `search --ids` prints them."""
    if sys.stdin.isatty():
        raise UsageError("- reads ids from standard input, and that is the terminal: pipe them in.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text: give ids, one a line.") from error
    return [line.strip() for line in text.split("\n") if line.strip()]


# Decks and courses.


def find_course(collection: Collection, name: str, now: datetime) -> str:
    """The course that is called `name`; case does not count.

    Raises:
        UsageError: no card and no setting is of such a course.
    """
    decks = [deck.name for deck in collection.decks(now) if not deck.depth]
    courses = sorted({*decks, *collection.config.courses})
    if name in courses:
        return name
    found = [course for course in courses if course.casefold() == name.strip().casefold()]
    if found:
        return found[0]
    there = ", ".join(courses) or "none yet"
    raise UsageError(
        f"There is no course '{name}' in {collection.root.absolute()}: there is {there}."
    )


def find_deck(collection: Collection, name: str | None, now: datetime) -> str | None:
    """The key of the deck that is called `name`: its whole key, or its own name where only one
    deck has it; case does not count.

    Raises:
        UsageError: there is none, or there are several.
    """
    if name is None:
        return None
    decks = collection.decks(now)
    wanted = " › ".join(part.strip() for part in name.replace(">", "›").split("›")).casefold()
    exact = [deck.key for deck in decks if deck.key.casefold() == wanted]
    found = exact or [deck.key for deck in decks if deck.name.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"Several decks are called '{name}': name one of {', '.join(found)}.")
    near = did_you_mean(name, [key for deck in decks for key in (deck.key, deck.name)])
    raise UsageError(f"There is no deck '{name}'. {near or '`deltadeck due` lists the decks.'}")


# Searches, and sessions of one's own.


def search_items(collection: Collection, query: str, now: datetime) -> list[str]:
    """The items that a search means.  Raises SearchError."""
    return collection.search(query, now)


def session_request(
    args: argparse.Namespace, collection: Collection, now: datetime
) -> SessionRequest:
    """Raises FormError where a number is none, UsageError where there is no such deck."""
    from tui.session_form import read_form  # what is due needs none

    kind = "cram" if args.cram else "ahead" if args.ahead is not None else "study"
    numbers = (args.ahead or "", args.minutes or "", args.limit or "")
    names = ("--ahead", "--minutes", "--limit")
    deck = find_deck(collection, args.deck, now)
    return read_form(kind, deck, args.search, *numbers, names=names)
