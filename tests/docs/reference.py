"""`make reference`: the parts of the reference, and the manual page, that the code itself says.

What stands between `<!-- made: NAME -->` and `<!-- end -->` in a page is written here, from the
parsers of the command line and the readers of the settings; a test holds the two equal.

The manual page is written by hand rather than by a library: those print what argparse formats,
which differs between versions of Python.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
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
    return "\n".join(part for name in COMMANDS for part in _command(name)).rstrip() + "\n"


def _command(name: str) -> Iterator[str]:
    parser = command_parser(name)
    yield f"### {name}\n"
    yield f"{parser.description}\n"
    told = [each for each in _arguments(name) if not _is_shared(each)]
    also = [f"`{each.option_strings[0]}`" for each in _arguments(name) if _is_shared(each)]
    if rows := [*map(_row, told), *([f"- also {', '.join(also)}"] if also else [])]:
        yield "\n".join(rows) + "\n"
    if epilog := (parser.epilog or "").strip():
        rows = [epilog] if epilog.endswith(".") else [f"- {row}" for row in epilog.splitlines()]
        yield "\n".join(" ".join(row.split()) for row in rows) + "\n"


@cache
def shared() -> str:
    """A row an option that several commands take, what most of them take first."""
    rows = Counter(
        _row(each)
        for name in COMMANDS
        for each in _arguments(name)
        if each.option_strings and not help_of(each).startswith("the same as")
    )
    return "".join(f"{row}\n" for row, count in rows.most_common() if count > 1)


def _is_shared(action: argparse.Action) -> bool:
    return "--folder" in action.option_strings or (
        bool(action.option_strings) and f"{_row(action)}\n" in shared()
    )


def _arguments(name: str) -> list[argparse.Action]:
    told = [each for each in command_parser(name)._actions if each.help != argparse.SUPPRESS]
    return [each for each in told if each.dest != "help"]


def _row(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else value_of(action)
    names = [f"`{option}{f' {value}' if value else ''}`" for option in action.option_strings]
    said = " ".join(help_of(action).split())
    if action.choices and action.metavar is not None:
        said += f" (one of {', '.join(map(str, action.choices))})"
    return f"- {', '.join(names) or f'`{value}`'}: {said}"


def help_of(action: argparse.Action) -> str:
    """What an argument is for, with its default where it names that."""
    return (action.help or "") % {**vars(action), "prog": "deltadeck"}


def name_of(action: argparse.Action) -> str:
    """How its value is called."""
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices:
        return "|".join(map(str, action.choices))
    return action.dest.upper() if action.option_strings else action.dest


def value_of(action: argparse.Action) -> str:
    """Its value, and how many there may be."""
    name = name_of(action)
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}
    return forms.get(str(action.nargs), name)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def settings() -> str:
    """A row a setting of the whole collection."""
    defaults = {"model": '"FSRS-6"', **dict(_DEFAULT.findall(TEMPLATE))}
    rows = [
        f"| `{key}` | `{defaults[key]}` | {_help(each)} | {_taken(each)} |"
        for key, each in sorted(settings_of(course=False).items())
    ]
    return "\n".join(["| setting | default | | takes |", "|---|---|---|---|", *rows]) + "\n"


def courses() -> str:
    """A row a setting that only a course has, and the names of the others that it may have."""
    known, common = settings_of(course=True), settings_of(course=False)
    rows = [
        f"| `{key}` | {_help(each)} | {_taken(each)} |"
        for key, each in sorted(known.items())
        if key not in common
    ]
    others = ", ".join(f"`{key}`" for key in sorted(known) if key in common)
    table = "\n".join(["| setting | | takes |", "|---|---|---|", *rows])
    return f"{table}\n\nA course may also have its own {others}.\n"


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
    "shared": shared,
    "commands": commands,
    "settings": settings,
    "courses": courses,
}


def pages() -> list[Path]:
    """The pages that have a made part."""
    return [page for page in sorted(DOCS.glob("*.md")) if _MADE.search(page.read_text("utf-8"))]


# The manual page.

MANUAL = DOCS / "deltadeck.1"
_HEAD = """\
.\\" Made by `make man` from the parsers of the command line.
.TH DELTADECK 1 2026-11-21 "deltadeck" "User commands"
.SH NAME
deltadeck \\- study decks in the terminal in which a derivation is checked
.SH SYNOPSIS
.B deltadeck
.RI [ FOLDER ]
.br
.B deltadeck
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Cards are Markdown files in a folder, sub-folders are decks. Without a command the app opens on
FOLDER, or on the current folder; a folder with a command's name is written ./study.
.PP
.B \\-\\-folder
names the cards for every command that needs them. Where an id is asked for, a card's id means all
its items, and a single
.B \\-
reads ids from standard input, one a line. With
.B \\-\\-json
standard output is JSON with stable keys.
.SH OPTIONS
.TP
.B \\-\\-version
Print the version.
.TP
.BR \\-h ", " \\-\\-help
Print what there is; behind a command, what it takes.
.SH COMMANDS
"""

_TAIL = """\
.SH EXIT STATUS
.TP
.B 0
Done, or the answer is correct.
.TP
.B 1
Warnings, a search that finds nothing, or the answer is not correct.
.TP
.B 2
Bad input, or a card or an answer that was asked for and cannot be read; a sentence on standard
error names the way out.
.TP
.B 130
Interrupted.
.SH ENVIRONMENT
.TP
.BR VISUAL ", " EDITOR
The editor of
.BR add ", " edit " and " "config \\-\\-edit" .
.TP
.B NO_COLOR
Nothing is coloured.
.TP
.BR XDG_CACHE_HOME ", " XDG_DATA_HOME ", " XDG_STATE_HOME
Where the index, backups and drafts, and the chosen theme are kept.
.SH FILES
.TP
.I .deltadeck/config.toml
The settings of a collection, beside its cards.
.TP
.I .deltadeck/journal/
Every answer, one line each.
.SH EXAMPLES
.nf
deltadeck init study \\-\\-starter
deltadeck search tag:cnn \\-\\-ids | deltadeck suspend \\-
deltadeck check pool_overlap \\-\\-answer 'dx[i,j] = ...'
.fi
"""


def manual() -> str:
    return _HEAD + "".join(row for name in COMMANDS for row in _manual_part(name)) + _TAIL


def _manual_part(name: str) -> Iterator[str]:
    parser = command_parser(name)
    shown = [each for each in parser._actions if each.help != argparse.SUPPRESS]
    words = [each for each in shown if not each.option_strings]
    usage = " ".join([name, *(value_of(each).upper() for each in words)])
    yield f".SS {_text(usage)}\n{_text(parser.description or '')}\n"
    for action in (*words, *(each for each in shown if each.option_strings)):
        if action.dest != "help":
            yield f".TP\n{_term(action)}\n{_text(_said(action))}\n"
    if parser.epilog:
        yield f".PP\n.nf\n{_text(parser.epilog.strip(), rows=True)}\n.fi\n"


def _term(action: argparse.Action) -> str:
    if not action.option_strings:
        return f".I {_text(name_of(action).upper())}"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    return names + (f" \\fI{_text(value_of(action))}\\fR" if action.nargs != 0 else "")


def _said(action: argparse.Action) -> str:
    text = help_of(action)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ")")) else ".")


def _text(text: str, rows: bool = False) -> str:
    """For roff: backslashes and dashes as they are, no line that begins like a request."""
    written = text.replace("\\", "\\e").replace("-", "\\-")
    lines = written.splitlines() if rows else [" ".join(written.split())]
    return "\n".join(re.sub(r"^(?=[.'])", r"\\&", line) for line in lines)


def main() -> None:
    made = {page: renewed(page.read_text("utf-8")) for page in pages()} | {MANUAL: manual()}
    for page, text in made.items():
        if page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
            sys.stdout.write(f"{page.name} is made anew.\n")


if __name__ == "__main__":
    main()
