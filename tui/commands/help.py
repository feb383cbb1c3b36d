"""`deltadeck help [COMMAND]`: what `deltadeck --help` and `deltadeck COMMAND --help` print."""

from __future__ import annotations

import argparse

from tui.commands.common import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "about", nargs="?", metavar="COMMAND", help="the command (default: list them all)"
    )


def run(args: argparse.Namespace) -> int:
    from tui.cli import build_parser, command_parser, commands, near

    if args.about is not None and args.about not in commands():
        meant = near(args.about) or "`deltadeck help` lists them all."
        raise UsageError(f"There is no command '{args.about}'. {meant}")
    (command_parser(args.about) if args.about else build_parser(None)).print_help()
    return 0
