"""`make reference`: the parts of the reference that the code itself says.

What stands between `<!-- made: NAME -->` and `<!-- end -->` in a page is written here, from the
parsers of the command line and the readers of the settings; a test holds the two equal.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from deck.config import TEMPLATE, Setting, UnusableError, settings_of
from tests.docs.pages import DOCS
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser

_MADE = re.compile(r"(<!-- made: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_DEFAULT = re.compile(r"^# (\w+) = (.*?)(?:[ \t]+#.*)?$", re.MULTILINE)


def renewed(text: str) -> str:
    """A page with its made parts made anew."""
    return _MADE.sub(lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n{found[3]}", text)


def commands() -> str:
    """A section a command."""
    return "\n".join(row for name in COMMANDS for row in _command(name)).rstrip() + "\n"


def _command(name: str) -> Iterator[str]:
    parser = command_parser(name)
    yield f"### {name}\n"
    yield f"{parser.description}\n"
    arguments = [each for each in parser._actions if each.help != argparse.SUPPRESS]
    rows = [_row(each) for each in arguments if each.dest != "help"]
    if rows:
        yield "\n".join(["| argument | |", "|---|---|", *rows]) + "\n"
    if parser.epilog:
        yield f"{_cell(parser.epilog)}\n"


def _row(action: argparse.Action) -> str:
    takes_none = action.nargs == 0
    value = "" if takes_none else _value(action)
    if action.option_strings:
        written = ", ".join(
            f"`{option}{f' {value}' if value else ''}`" for option in action.option_strings
        )
    else:
        written = f"`{value}`"
    said = _cell(help_of(action))
    if action.choices and action.metavar is not None:
        said += f" (one of {', '.join(map(str, action.choices))})"
    return f"| {written} | {said} |"


def help_of(action: argparse.Action) -> str:
    """What an argument is for, with its default where it names that."""
    return (action.help or "") % {**vars(action), "prog": "deltadeck"}


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        name = action.metavar
    elif action.choices:
        name = "|".join(map(str, action.choices))
    else:
        name = action.dest.upper() if action.option_strings else action.dest
    many = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}
    return many.get(str(action.nargs), name).replace("|", "\\|")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def settings() -> str:
    """A row a setting of the whole collection."""
    defaults = {"model": '"FSRS-6"', **dict(_DEFAULT.findall(TEMPLATE))}
    rows = [
        f"| `{key}` | `{defaults[key]}` | {_help(each)} | {_taken(each)} |"
        for key, each in sorted(settings_of(course=False).items())
    ]
    head = ["| setting | where nothing is written | | takes |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def courses() -> str:
    """A row a setting that a course may have."""
    known = sorted(settings_of(course=True).items())
    rows = [f"| `{key}` | {_help(each)} | {_taken(each)} |" for key, each in known]
    return "\n".join(["| setting | | takes |", "|---|---|---|", *rows]) + "\n"


_SAID = {
    "model": "The memory model.",
    "parameters": "Of the model; `deltadeck optimize --apply` writes those fitted to you.",
}


def _help(setting: Setting) -> str:
    return _cell(setting.help or _SAID[setting.key])


def _taken(setting: Setting) -> str:
    """What a setting takes, as it says to one who gives something else."""
    try:
        setting.kind.read(object())
    except UnusableError as error:
        said = str(error).removeprefix("Give ")
        return _cell(re.sub(r"(\[.*?\]|\{.*?\})", r"`\1`", said))
    raise AssertionError("a setting that takes anything")


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings,
    "courses": courses,
}


def pages() -> list[Path]:
    """The pages that have a made part."""
    return [page for page in sorted(DOCS.glob("*.md")) if _MADE.search(page.read_text("utf-8"))]


def main() -> None:
    for page in pages():
        before = page.read_text("utf-8")
        after = renewed(before)
        if after != before:
            page.write_text(after, "utf-8")
            sys.stdout.write(f"{page.name} is made anew.\n")


if __name__ == "__main__":
    main()
