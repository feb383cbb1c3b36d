"""`make man`: docs/deltadeck.1, the manual page, from the parsers of the command line.

Written by hand in a hundred lines rather than by a library: those print what argparse formats,
which differs between versions of Python, and the page is kept (a test holds it to the code).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from tests.docs.pages import DOCS
from tests.docs.reference import help_of
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser

PAGE = DOCS / "deltadeck.1"

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
Bad input, or a card or an answer that cannot be read; a sentence on standard error names the way
out.
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


def page() -> str:
    return _HEAD + "".join(row for name in COMMANDS for row in _command(name)) + _TAIL


def _command(name: str) -> Iterator[str]:
    parser = command_parser(name)
    shown = [each for each in parser._actions if each.help != argparse.SUPPRESS]
    words = [each for each in shown if not each.option_strings]
    usage = " ".join([name, *(_value(each) for each in words)])
    yield f".SS {_text(usage)}\n{_text(parser.description or '')}\n"
    for action in (*words, *(each for each in shown if each.option_strings)):
        if action.dest != "help":
            yield f".TP\n{_term(action)}\n{_text(_said(action))}\n"
    if parser.epilog:
        yield f".PP\n.nf\n{_text(parser.epilog.strip(), rows=True)}\n.fi\n"


def _term(action: argparse.Action) -> str:
    if not action.option_strings:
        return f".I {_text(_name(action))}"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    return names + (f" \\fI{_text(_value(action))}\\fR" if action.nargs != 0 else "")


def _name(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices:
        return "|".join(map(str, action.choices))
    return action.dest.upper()


def _value(action: argparse.Action) -> str:
    name = _name(action)
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}
    return forms.get(str(action.nargs), name)


def _said(action: argparse.Action) -> str:
    text = help_of(action)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ")")) else ".")


def _text(text: str, rows: bool = False) -> str:
    """For roff: backslashes and dashes as they are, no line that begins like a request."""
    written = text.replace("\\", "\\e").replace("-", "\\-")
    lines = written.splitlines() if rows else [" ".join(written.split())]
    return "\n".join(re.sub(r"^(?=[.'])", r"\\&", line) for line in lines)


def main() -> None:
    before = PAGE.read_text("utf-8") if PAGE.exists() else ""
    if before != page():
        PAGE.write_text(page(), "utf-8")
        sys.stdout.write(f"{PAGE.name} is made anew.\n")


if __name__ == "__main__":
    main()
