"""`deltadeck reset ID...`: make items new again; what was answered stays in the history."""

from __future__ import annotations

import argparse

from tui.commands.common import open_collection
from tui.commands.items import add_items, chosen, tell


def configure(parser: argparse.ArgumentParser) -> None:
    add_items(parser)


def run(args: argparse.Namespace) -> int:
    from deck import New
    from tui.clock import now as clock
    from tui.study_deeds import reset

    collection, now = open_collection(args.folder), clock()
    items = chosen(args, collection, now)
    items = [item for item in items if not isinstance(collection.state(item), New)]
    for item in items:
        reset(collection, item, now)
    tell(args, items, "new again", "They are new already.")
    return 0
