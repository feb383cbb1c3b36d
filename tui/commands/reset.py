"""`deltadeck reset ID...`: make items new again; what was answered stays in the history."""

from __future__ import annotations

import argparse

from tui.commands.common import open_collection
from tui.commands.items import add_items, chosen, each, ended, tell


def configure(parser: argparse.ArgumentParser) -> None:
    add_items(parser)


def run(args: argparse.Namespace) -> int:
    """0 done, 1 a search found nothing."""
    from deck.replay import New
    from tui.clock import now as clock
    from tui.study_deeds import reset

    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    learnt = [item for item in items if not isinstance(collection.state(item), New)]
    each(learnt, lambda item: reset(collection, item, now))
    tell(args, learnt, "new again", "They are new already." if items else "Nothing is found.")
    return ended(args, items)
