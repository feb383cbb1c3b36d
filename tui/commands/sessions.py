"""A session as the command line names it: the options, and what they mean."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING

from tui.commands.common import UsageError
from tui.commands.finding import SEARCH_HELP

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.queue import Session as Asked


def add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", metavar="QUERY", default="", help=SEARCH_HELP)
    parser.add_argument("--deck", metavar="DECK", help="a course, or 'course › folder' as in `due`")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--ahead", metavar="N", help="reviews of the coming days, which count")
    kind.add_argument("--cram", action="store_true", help="practise; the schedule stays as it is")
    parser.add_argument("--minutes", metavar="N", help="of so many minutes")
    parser.add_argument("--limit", metavar="N", help="of so many cards at most")


def is_plain(args: argparse.Namespace) -> bool:
    """Whether nothing is asked but what is due."""
    given = (args.search, args.deck, args.ahead, args.cram, args.minutes, args.limit)
    return not any(given)


def asked_of(args: argparse.Namespace, deck: str | None) -> Asked:
    """Raises UsageError where a number is none."""
    from tui.asking import Form, FormError, read_form

    kind = "cram" if args.cram else "ahead" if args.ahead is not None else "study"
    form = Form(kind, args.search, args.ahead or "", args.minutes or "", args.limit or "")
    try:
        return read_form(form, deck, ("--ahead", "--minutes", "--limit"))
    except FormError as error:
        raise UsageError(str(error)) from error


def course_of(collection: Collection, name: str, now: datetime) -> str:
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


def deck_of(collection: Collection, name: str | None, now: datetime) -> str | None:
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
    import difflib

    near = difflib.get_close_matches(name, [key for d in decks for key in (d.key, d.name)], n=2)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`deltadeck due` lists the decks."
    raise UsageError(f"There is no deck '{name}'. {hint}")
