r"""The parser of LaTeX: tokens, rows, arguments and macros.

`Parser.row` looks each token up in a table, which parse.py puts together.  A plain tuple there is a
symbol and is appended at once; a `RowEnd` may end the row; anything else is a reader `(parser,
items, start)` that takes what belongs to its command and appends to `items`.  Everything that nests
passes through `row`, `argument` or `text_row` (text.py), which count the depth and read flat beyond
`DEEPEST`.

No token is lost: joined they are the source, so that their places follow from their lengths.  A
comment is one token, and so is a run of blanks; the parser passes over them.  Macros expand in
place, and within bounds: `\def\a{\a\a}` ends with a problem when it has made too much.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import final

from cards.math.tree import Class, Macro, MathProblem, Node, Row, Styled, Symbol, Tag

DEEPEST = 60
MOST_PROBLEMS = 50
#: How far the end of an optional argument is looked for, in tokens.
REACH = 120
#: What the macros of one formula may make: tokens, and `_CALL` for each call.
_MOST_MADE = 10_000
_CALL = 20
_PARAMETER = re.compile(r"#([1-9])")

_BLANK = " \n\t\r\f\v"
_PASSED = (" ", "\n", "\t", "\r", "%")
BRACES = {"{": 1, "}": -1}
_NESTED = BRACES | {
    "\\bgroup": 1, "\\left": 1, "\\begin": 1, "\\egroup": -1, "\\right": -1, "\\end": -1,
}  # fmt: skip
#: What ends a row that is read flat, where nothing within the row encloses it.
_FLAT_ENDS = frozenset(
    {"", "}", "\\egroup", "\\right", "\\end", "&", "\\\\", "\\cr", "\\middle", "$"}
)

#: Marks that belong to the character before them.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"

_PATTERN = (
    r"\\(?:[A-Za-z]+|.)?"  # a command; a lone backslash at the end
    r"|[{}^_&$]"  # these never take a mark
    r"|[ \t\r\n\f\v]+"
    r"|%[^\n]*(?:\n[ \t]*)?"  # a comment takes its line's end along
    r"|#[1-9]"
    rf"|.[{_MARKS}]*"
)
_TOKEN = re.compile(_PATTERN, re.DOTALL)
_TOKEN_OR_VERBATIM = re.compile(rf"\\verb(\*?)([^A-Za-z*\n])[^\n]*?\2|{_PATTERN}", re.DOTALL)

#: What ends the tokens; no source holds an empty token.
END = ""

_LENGTH = re.compile(
    r"\s*([-+]?\s*(?:\d+(?:[.,]\d*)?|[.,]\d+))\s*(em|ex|mu|pt|bp|dd|cc|nc|nd|pc|in|cm|mm|sp|px)"
    r"(?:\s*(?:plus|minus)\s*[-+]?[\d.]+\s*(?:fil+|[a-z]{2}))*"
)
#: Of a ten-point font, as TeX's plain format has it.
_EMS = {
    "em": 1.0, "ex": 0.431, "mu": 1 / 18, "pt": 0.1, "bp": 0.100375, "dd": 0.107, "cc": 1.284,
    "nc": 1.28, "nd": 0.1067, "pc": 1.2, "in": 7.227, "cm": 2.845, "mm": 0.2845, "sp": 0.0,
    "px": 0.100375,
}  # fmt: skip


def tokens_of(source: str) -> list[str]:
    """The tokens of `source`; joined, they are `source` again."""
    if "\\verb" in source:
        return [found[0] for found in _TOKEN_OR_VERBATIM.finditer(source)]
    return _TOKEN.findall(source)


def places_of(tokens: list[str]) -> list[int]:
    """Where each token starts, and after the last of them where the source ends."""
    return [0, *accumulate(map(len, tokens))]


def outside(
    tokens: Sequence[str],
    start: int,
    nesting: Mapping[str, int] = _NESTED,
    most: int = sys.maxsize,
) -> Iterator[tuple[int, str]]:
    """The tokens from `start` on that nothing encloses, with their places; last, if it is among
    the first `most`, what ends all they stand in."""
    level = 0
    for at in range(start, min(len(tokens), start + most)):
        token = tokens[at]
        step = nesting.get(token, 0)
        level += min(step, 0)
        if level < 0 or token == END:
            yield at, token
            return
        if level == 0 and step >= 0:
            yield at, token
        level += max(step, 0)


def length_at(text: str) -> tuple[float, int] | None:
    r"""A length such as `1em`, `-.5 ex` or `18mu` at the start of `text`.

    Returns its width in em and how many characters it takes, or None where there is none.
    """
    found = _LENGTH.match(text)
    if found is None:
        return None
    number = "".join(found[1].split()).replace(",", ".")
    return float(number) * _EMS[found[2]], found.end()


Items = list[Node]
Reader = Callable[["Parser", Items, int], None]


@final
class RowEnd:
    """A token that may end a row.

    `ends(parser, items, context)` is True where it does, and then it has not been taken; else it
    has been taken and dealt with.
    """

    __slots__ = ("ends",)

    def __init__(self, ends: Callable[[Parser, Items, str], bool]) -> None:
        self.ends = ends


#: A symbol's character, class and name; or what deals with the token.
Entry = tuple[str, Class, str] | RowEnd | Reader
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
        self.i = 0
        """The next token."""
        self.entries = entries
        self.other = other
        """Reads what is not among the entries."""
        self.macros = macros
        self.expansions = 0
        self.endless = False
        self.depth = 0
        self.deep = False
        self.problems: list[MathProblem] = []
        self.unknown: set[str] = set()
        self.open: list[str] = []
        """What the rows being read wait for: "{", "left", "env", "math"; "" for the formula."""
        self.environments: list[str] = []
        self.rest = ""
        r"""The family of the declaration whose scope is being read: "color", "style", "font"."""
        self.text = False
        self.tag: Row | None = None
        self.cells = False
        """Whether an & stands outside of all environments."""

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

    def missing(self, of: str) -> None:
        self.problem(
            f"{of or 'A command'} lacks an argument here.",
            "Write it in braces: {...}.",
            self.here(),
        )

    # Tokens

    def peek(self) -> str:
        """The next token that is neither blank nor comment, with macros expanded."""
        tokens = self.tokens
        while True:
            token = tokens[self.i]
            if token and (token[0] in _BLANK or token[0] == "%"):
                self.i += 1
            elif self.macros and token in self.macros:
                self.expand(token, self.macros[token])
            else:
                return token

    def take(self, token: str) -> bool:
        """Whether the next token is this one, which then is taken."""
        found = self.tokens[self.i] == token
        self.i += found
        return found

    @property
    def command(self) -> str:
        """The token taken last."""
        return self.tokens[self.i - 1]

    def splice(self, first: int, last: int, tokens: tuple[str, ...], span: tuple[int, int]) -> None:
        """Puts `tokens` in the place of those from `first` to before `last`, and goes there."""
        self.tokens[first:last] = tokens
        self.starts[first:last] = [span[0]] * len(tokens)
        self.ends[first:last] = [span[1]] * len(tokens)
        self.i = first

    def insert(self, tokens: tuple[str, ...], at: int) -> None:
        """Puts `tokens` before the one at `at`, as a macro would; none once there are too many."""
        if tokens and self.expansions <= _MOST_MADE:
            self.expansions += _CALL + len(tokens)
            here, place = self.i, self.starts[at]
            self.splice(at, at, tokens, (place, place))
            self.i = here

    def expand(self, name: str, macro: Macro) -> None:
        """Puts what a macro stands for in the place of its call, which is the next token."""
        first = self.i
        start = self.starts[first]
        if self.expansions > _MOST_MADE:
            self._pass_endless(name)
            return
        self.i += 1
        arguments: list[tuple[str, ...]] = []
        if macro.default is not None:
            text = self.optional_raw()
            arguments.append(macro.default if text is None else tuple(tokens_of(text)))
        while len(arguments) < macro.arity:
            arguments.append(self.argument_tokens(name))
        body: list[str] = []
        for token in macro.body:
            if len(token) == 2 and token[0] == "#" and int(token[1]) <= len(arguments):
                body.extend(arguments[int(token[1]) - 1])
            else:
                body.append(token)
        self.expansions += _CALL + len(body)
        self.splice(first, self.i, tuple(body), self.since(start))

    def _pass_endless(self, name: str) -> None:
        """Passes over all that a call left to read."""
        span = self.here()
        while self.tokens[self.i] != END and self.here() == span:
            self.i += 1
        if not self.endless:
            self.endless = True
            self.problem(
                f"The macro {name} expands without end.",
                "Look for a macro that is part of its own definition.",
                span,
            )

    # Rows

    def row(self, context: str, rest: str = "") -> Row:
        """Reads up to what ends a row in `context`, and does not take that."""
        if self.depth >= DEEPEST:
            return self._flat_row()
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
                self.expand(token, macros[token])
                continue
            entry = get(token)
            if isinstance(entry, tuple):
                self.i = i + 1
                items.append(_new_symbol(Symbol, (*entry, (starts[i], ends[i]), 0)))
            elif entry is None:
                self.i = i + 1
                if token[0] not in " \n\t":
                    self.other(self, token, items, starts[i])
            elif isinstance(entry, RowEnd):
                if entry.ends(self, items, context):
                    break
            else:
                self.i = i + 1
                entry(self, items, starts[i])
        self.open.pop()
        self.depth -= 1
        self.rest, self.text = outer_rest, outer_text
        return row_of(items, self.starts[min(first, self.i)])

    def _flat_row(self) -> Row:
        """The symbols of a row that lies too deep, up to where it ends, without structure."""
        self.too_deep()
        first = self.i
        self.i = next(at for at, token in outside(self.tokens, first) if token in _FLAT_ENDS)
        items: Items = []
        for at in range(first, self.i):
            entry = self.entries.get(self.tokens[at])
            if isinstance(entry, tuple):
                items.append(Symbol(*entry, (self.starts[at], self.ends[at])))
        return row_of(items, self.starts[first])

    def until(self, end: int, context: str) -> Row:
        """Reads a row up to the token `end`, which then is the next to take."""
        kept, self.tokens[end] = self.tokens[end], END
        row = self.row(context)
        while self.tokens[self.i] != END:
            self.i += 1
        self.tokens[self.i] = kept
        return row

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
        if isinstance(entry, RowEnd):
            self.missing(of)
            return Row((), (start, start))
        self.i = i + 1
        found = self.made_by(token, entry, start)
        if self.i <= i:  # the command stands for others, which are now the next
            return self.argument(of)
        return Row(tuple(found), self.since(start))

    def made_by(self, token: str, entry: Reader | None, start: int) -> Items:
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

    def close_brace(self, start: int) -> None:
        """Takes the brace that ends a group begun at `start`, or says that there is none."""
        if self.tokens[self.i] in ("}", "\\egroup"):
            self.i += 1
        elif not self.deep:
            self.problem(
                "This brace is never closed.", "Add a } where it ends.", (start, start + 1)
            )

    # Arguments as they are written

    def argument_tokens(self, of: str) -> tuple[str, ...]:
        """The tokens of one argument, unexpanded and without their braces."""
        tokens = self.tokens
        while tokens[self.i][:1] in _PASSED:
            self.i += 1
        token = tokens[self.i]
        if token in (END, "}", "&", "\\\\", "\\right", "\\end"):
            self.missing(of)
            return ()
        if token != "{":
            self.i += 1
            return (token,)
        return self._group()

    def raw(self) -> str:
        """One argument as it is written: a name, a length, a colour."""
        token = self.peek()
        if token == "{":
            return "".join(self._group())
        if token == END or token == "}":
            return ""
        self.i += 1
        return token

    def _group(self) -> tuple[str, ...]:
        """Takes a group in braces, and gives its tokens without them."""
        first = self.i + 1
        *_, (self.i, _) = outside(self.tokens, first, BRACES)
        found = tuple(self.tokens[first : self.i])
        self.close_brace(self.starts[first - 1])
        return found

    def length(self) -> float:
        r"""A length, in braces or bare (`\kern1em`), in em; 0 where there is none."""
        if self.peek() == "{":
            found = length_at(self.raw())
            return found[0] if found else 0.0
        found = length_at("".join(self.tokens[self.i : self.i + 40]))
        if found is None:
            return 0.0
        width, characters = found
        while characters > 0:
            characters -= len(self.tokens[self.i])
            self.i += 1
        return width

    # Arguments in brackets

    def optional(self, of: str = "") -> Row | None:
        """An argument in brackets, if there is one; where `of`, the command, needs it closed, a
        bracket that is not is a problem."""
        end = self._bracket_end()
        if not end:
            if of and self.tokens[self.i] == "[":
                self.problem(
                    f"The [ after {of} is never closed.", "Add a ] where it ends.", self.here()
                )
            return None
        start = self.starts[self.i]
        self.i += 1
        items = self.until(end, "[").items
        self.i += 1
        return Row(items, self.since(start))

    def optional_raw(self) -> str | None:
        end = self._bracket_end()
        if not end:
            return None
        text = "".join(self.tokens[self.i + 1 : end])
        self.i = end + 1
        return text

    def _bracket_end(self) -> int:
        """The token that ends the optional argument here, or 0 where there is none."""
        if self.peek() != "[":
            return 0
        brackets = 0
        for at, token in outside(self.tokens, self.i + 1, BRACES, REACH - 1):
            if token == "]" and brackets == 0:
                return at
            brackets += (token == "[") - (token == "]")
        return 0


def row_of(items: list[Node], start: int) -> Row:
    """A row over `items`; an empty one stands at `start`."""
    if not items:
        return Row((), (start, start))
    last = items[-1]
    end = last.span[1]
    if type(last) is Tag:  # it may have come from within the item before
        end = max(item.span[1] for item in items)
    return Row(tuple(items), (items[0].span[0], end))


def declaration(family: str, style_of: Callable[[Parser], str]) -> RowEnd:
    r"""\bf, \displaystyle, ...: over what follows in the group, up to the next of its family."""

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

    return RowEnd(ends)


# Macros


@lru_cache(1024)
def _macro_of(body: str) -> Macro:
    """A macro from its replacement alone; it takes as many arguments as its highest #n says."""
    count = max(map(int, _PARAMETER.findall(body)), default=0)
    return Macro(count, tuple(tokens_of(body)))


def table_of(macros: Mapping[str, str | Macro] | None) -> dict[str, Macro]:
    r"""A user's table, `{"\\R": "\\mathbb{R}"}`, for the parser; the backslash may be left out."""
    return _table(tuple(macros.items())) if macros else {}


@lru_cache(16)
def _table(macros: tuple[tuple[str, str | Macro], ...]) -> dict[str, Macro]:
    return {
        name if name.startswith("\\") or not name[:1].isalpha() else "\\" + name: body
        if isinstance(body, Macro)
        else _macro_of(body)
        for name, body in macros
        if name
    }


def replaced(meaning: str) -> Reader:
    """A command of ours that stands for others."""
    macro = _macro_of(meaning)

    def read(parser: Parser, _items: Items, _start: int) -> None:
        parser.i -= 1
        parser.expand(parser.tokens[parser.i], macro)

    return read


def _new_command(parser: Parser, _items: Items, start: int) -> None:
    r"""\newcommand{\name}[arguments][default]{body}; \providecommand keeps what is there."""
    kept = parser.command == "\\providecommand"
    parser.take("*")
    name = _name(parser, start)
    number = (parser.optional_raw() or "0").strip()
    default = parser.optional_raw()
    body = parser.argument_tokens("\\newcommand")
    count = int(number) if len(number) == 1 and number.isdecimal() and number.isascii() else 0
    if name and not (kept and (name in parser.macros or name in parser.entries)):
        words = None if default is None else tuple(tokens_of(default))
        parser.macros[name] = Macro(count, body, words)


def _name(parser: Parser, start: int) -> str:
    """The command that is being defined, in braces or bare, unexpanded."""
    name = "".join(parser.argument_tokens("A definition")).strip()
    if len(name) > 1 and name[0] == "\\" and tokens_of(name) == [name]:
        return name
    parser.problem(
        "A definition lacks the name of its command.",
        "Write it as \\newcommand{\\name}{...}.",
        parser.since(start),
    )
    return ""


def _def(parser: Parser, _items: Items, start: int) -> None:
    r"""\def\name#1#2{body}"""
    name = _name(parser, start)
    count = 0
    while (token := parser.tokens[parser.i]) not in ("{", END):
        parser.i += 1
        if token[0] == "#":
            count += 1
        elif not token.isspace():
            parser.problem(
                f"The arguments of {name} are parted by signs, which is not known here.",
                "Define it with #1#2 and nothing between.",
                parser.since(start),
            )
    body = parser.argument_tokens("\\def")
    if name:
        parser.macros[name] = Macro(min(count, 9), body)


def _let(parser: Parser, _items: Items, start: int) -> None:
    r"""\let\name=\other"""
    name = _name(parser, start)
    tokens = parser.tokens
    while tokens[parser.i] == "=" or tokens[parser.i].isspace():
        parser.i += 1
    meaning = parser.argument_tokens("\\let")
    if name and meaning and meaning != (name,):
        known = parser.macros.get(meaning[0])
        parser.macros[name] = known if known is not None else Macro(0, meaning)


def _declare(parser: Parser, _items: Items, start: int) -> None:
    r"""\DeclareMathOperator{\name}{text}, with a star for limits."""
    star = ("*",) if parser.take("*") else ()
    name = _name(parser, start)
    text = parser.argument_tokens("\\DeclareMathOperator")
    if name:
        parser.macros[name] = Macro(0, ("\\operatorname", *star, "{", *text, "}"))


def _declare_pair(parser: Parser, _items: Items, start: int) -> None:
    r"""\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}; the delimiters stretch."""
    name = _name(parser, start)
    left, right = (parser.argument_tokens("\\DeclarePairedDelimiter") for _ in range(2))
    if name:
        parser.macros[name] = Macro(1, ("\\left", *left, "#1", "\\right", *right))


# Groups in braces


def _group(parser: Parser, items: Items, start: int) -> None:
    """`{...}`: a row; or its content, where that is one letter or sign of class ord."""
    inner = parser.row("{").items
    parser.close_brace(start)
    if len(inner) == 1 and type(inner[0]) is Symbol and inner[0].kind == "ord":
        items.append(inner[0])
    else:
        items.append(Row(inner, parser.since(start)))


DEFINITIONS: dict[str, Reader] = {
    **dict.fromkeys(["{", "\\bgroup"], _group),
    **dict.fromkeys(["\\newcommand", "\\renewcommand", "\\providecommand"], _new_command),
    **dict.fromkeys(["\\def", "\\gdef", "\\edef", "\\xdef"], _def),
    "\\let": _let,
    "\\DeclareMathOperator": _declare,
    "\\DeclarePairedDelimiter": _declare_pair,
}
