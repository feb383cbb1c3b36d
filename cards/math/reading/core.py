r"""The reader's core: a row of atoms, one argument, and what is left open.

`Parser.row` looks each token up in a table (`table.py`).  A plain tuple there is a symbol and is
appended at once; a `Stop` may end the row; anything else is a reader `(parser, items, start)` that
takes what belongs to its command and appends to `items`.  Everything that nests passes through
`row`, `argument` or `text.text_row`, which count the depth and read flat beyond `DEEPEST`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

from cards.math.formula import Macro, MathProblem
from cards.math.reading.flat import flat, row_of
from cards.math.reading.tokens import END
from cards.math.tree import Class, Node, Row, Styled, Symbol

DEEPEST = 60
MOST_PROBLEMS = 50

Items = list[Node]
Reader = Callable[["Parser", Items, int], None]


@final
class Stop:
    """A token that may end a row.

    `ends(parser, items, context)` is True where it does, and then it has not been taken; else it
    has been taken and dealt with.
    """

    __slots__ = ("ends",)

    def __init__(self, ends: Callable[[Parser, Items, str], bool]) -> None:
        self.ends = ends


#: A symbol's character, class and name; or what deals with the token.
Entry = tuple[str, Class, str] | Stop | Reader


_new_symbol = tuple.__new__


class Parser:
    """The state of one reading.  `tokens`, `starts` and `ends` run side by side."""

    __slots__ = (
        "cells", "deep", "depth", "endless", "ends", "entries", "environments", "expansions", "i",
        "macros", "open", "other", "problems", "rest", "starts", "tag", "text", "tokens",
        "unknown",
    )  # fmt: skip

    def __init__(
        self,
        tokens: list[str],
        places: list[int],
        entries: Mapping[str, Entry],
        other: Callable[[Parser, str, Items, int], None],
        macros: dict[str, Macro],
    ) -> None:
        self.tokens = [*tokens, END]
        self.starts = places
        self.ends = [*places[1:], places[-1]]
        self.entries = entries
        self.macros = macros
        self.i = 0
        self.depth = 0
        self.deep = False
        self.expansions = 0
        self.endless = False
        self.problems: list[MathProblem] = []
        self.open: list[str] = []
        """What the rows being read wait for: "{", "left", "env", "math"; "" for the formula."""
        self.environments: list[str] = []
        self.rest = ""
        r"""The family of the declaration whose scope is being read: "color", "style", "font"."""
        self.text = False
        self.tag: Row | None = None
        self.unknown: set[str] = set()
        self.cells = False
        """Whether an & stands outside of all environments."""
        self.other = other

    # Places and problems

    def since(self, start: int) -> tuple[int, int]:
        """The span from `start` to the end of the token taken last."""
        return (start, max(start, self.ends[self.i - 1]))

    def here(self) -> tuple[int, int]:
        return (self.starts[self.i], self.ends[self.i])

    def problem(self, message: str, hint: str, span: tuple[int, int]) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(MathProblem(message, hint, span))

    def too_deep(self) -> None:
        if not self.deep:
            self.deep = True
            self.problem(
                f"The formula nests more than {DEEPEST} levels deep.",
                "What lies deeper is shown without its structure; take braces away.",
                self.here(),
            )

    # Tokens

    def peek(self) -> str:
        """The next token that is neither blank nor comment, with macros expanded."""
        tokens = self.tokens
        while True:
            token = tokens[self.i]
            if token and (token[0] in " \n\t\r\f\v" or token[0] == "%"):
                self.i += 1
            elif self.macros and token in self.macros:
                self.expand(token)
            else:
                return token

    def expand(self, name: str) -> None:
        from cards.math.reading.macros import expand

        expand(self, name, self.macros[name])

    def splice(self, first: int, last: int, tokens: tuple[str, ...], span: tuple[int, int]) -> None:
        """Puts `tokens` in the place of those from `first` to before `last`, and goes there."""
        self.tokens[first:last] = tokens
        self.starts[first:last] = [span[0]] * len(tokens)
        self.ends[first:last] = [span[1]] * len(tokens)
        self.i = first

    # Rows

    def row(self, context: str, rest: str = "") -> Row:
        """Reads up to what ends a row in `context`, and does not take that."""
        if self.depth >= DEEPEST:
            return flat(self)
        outer_rest, outer_text = self.rest, self.text
        self.depth += 1
        self.rest, self.text = rest, False
        self.open.append(context)
        first = self.i
        items: Items = []
        tokens, starts, ends, macros = self.tokens, self.starts, self.ends, self.macros
        get = self.entries.get
        while True:
            i = self.i
            token = tokens[i]
            if macros and token in macros:
                self.expand(token)
                continue
            entry = get(token)
            if isinstance(entry, tuple):
                self.i = i + 1
                items.append(_new_symbol(Symbol, (*entry, (starts[i], ends[i]), 0)))
            elif entry is None:
                self.i = i + 1
                if token[0] not in " \n\t":
                    self.other(self, token, items, starts[i])
            elif isinstance(entry, Stop):
                if entry.ends(self, items, context):
                    break
            else:
                self.i = i + 1
                entry(self, items, starts[i])
        self.open.pop()
        self.depth -= 1
        self.rest, self.text = outer_rest, outer_text
        return row_of(items, self.starts[min(first, self.i)])

    # Arguments

    def argument(self, of: str = "") -> Row:
        """One argument: a group in braces, or one token with what belongs to it."""
        token = self.peek()
        i = self.i
        start = self.starts[i]
        if token == "{":
            self.i = i + 1
            items = self.row("{").items
            self.close_brace(start)
            return Row(items, self.since(start))
        entry = self.entries.get(token)
        if isinstance(entry, tuple):
            self.i = i + 1
            span = (start, self.ends[i])
            return Row((_new_symbol(Symbol, (*entry, span, 0)),), span)
        if isinstance(entry, Stop):
            self.missing(of)
            return Row((), (start, start))
        self.i = i + 1
        found = self._taken(token, entry, start)
        if self.i <= i:  # the command stands for others, which are now the next
            return self.argument(of)
        return Row(tuple(found), self.since(start))

    def _taken(self, token: str, entry: Reader | None, start: int) -> Items:
        """What the command `token`, which has just been taken, makes with what belongs to it."""
        found: Items = []
        if self.depth >= DEEPEST:
            self.too_deep()
            return found
        self.depth += 1
        if entry is None:
            self.other(self, token, found, start)
        else:
            entry(self, found, start)
        self.depth -= 1
        return found

    def missing(self, of: str) -> None:
        self.problem(
            f"{of or 'A command'} lacks an argument here.",
            "Write it in braces: {...}.",
            self.here(),
        )

    def close_brace(self, start: int) -> None:
        """Takes the brace that ends a group begun at `start`, or says that there is none."""
        if self.tokens[self.i] in ("}", "\\egroup"):
            self.i += 1
        elif not self.deep:
            self.problem(
                "This brace is never closed.", "Add a } where it ends.", (start, start + 1)
            )


def declaration(family: str, style: str) -> Stop:
    r"""\bf, \displaystyle, ...: over what follows in the group, up to the next of its family."""
    return declared(family, lambda _parser: style)


def declared(family: str, style_of: Callable[[Parser], str]) -> Stop:
    r"""As `declaration`, for \color{...}, which reads its style first."""

    def ends(parser: Parser, items: Items, context: str) -> bool:
        if parser.rest == family:
            return True
        start = parser.starts[parser.i]
        parser.i += 1
        style = style_of(parser)
        body = parser.row(context, family)
        if style:
            items.append(Styled(style, body, parser.since(start)))
        else:
            items.extend(body.items)
        return False

    return Stop(ends)
