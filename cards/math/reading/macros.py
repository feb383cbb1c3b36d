r"""Macros: what \newcommand and its like define, the card's own table, and how they expand.

Expansion is bounded: `\def\a{\a\a}` ends with a problem when it has made too much.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from cards.math.formula import Macro
from cards.math.reading.arguments import optional_raw
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.tokens import END, tokens_of

#: What the macros of one formula may make: tokens, and `_CALL` for each call.
_MOST = 10_000
_CALL = 20
_PARAMETER = re.compile(r"#([1-9])")


@lru_cache(1024)
def macro_of(body: str) -> Macro:
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
        else macro_of(body)
        for name, body in macros
        if name
    }


def expand(parser: Parser, name: str, macro: Macro) -> None:
    """Puts what a macro stands for in the place of its call, which is the next token."""
    first = parser.i
    start = parser.starts[first]
    if parser.expansions > _MOST:
        _endless(parser, name)
        return
    parser.i += 1
    arguments = []
    count = macro.arity
    if macro.default is not None:
        arguments.append(_bracketed(parser, macro.default))
        count -= 1
    for _ in range(count):
        arguments.append(_argument(parser, name))
    body: list[str] = []
    for token in macro.body:
        if len(token) == 2 and token[0] == "#" and int(token[1]) <= len(arguments):
            body.extend(arguments[int(token[1]) - 1])
        else:
            body.append(token)
    parser.expansions += _CALL + len(body)
    parser.splice(first, parser.i, tuple(body), parser.since(start))


def put(parser: Parser, tokens: tuple[str, ...], at: int) -> None:
    """Puts `tokens` before the one at `at`, as a macro would; none once there are too many."""
    if tokens and parser.expansions <= _MOST:
        parser.expansions += _CALL + len(tokens)
        here, place = parser.i, parser.starts[at]
        parser.splice(at, at, tokens, (place, place))
        parser.i = here


def _endless(parser: Parser, name: str) -> None:
    """Passes over all that the call left to read."""
    span = parser.here()
    while parser.tokens[parser.i] != END and parser.here() == span:
        parser.i += 1
    if not parser.endless:
        parser.endless = True
        parser.problem(
            f"The macro {name} expands without end.",
            "Look for a macro that is part of its own definition.",
            span,
        )


def _argument(parser: Parser, name: str) -> tuple[str, ...]:
    """The tokens of one argument, unexpanded and without their braces."""
    tokens = parser.tokens
    while tokens[parser.i] != END and tokens[parser.i][0] in " \n\t\r%":
        parser.i += 1
    token = tokens[parser.i]
    if token in (END, "}", "&", "\\\\", "\\right", "\\end"):
        parser.missing(name)
        return ()
    if token != "{":
        parser.i += 1
        return (token,)
    start, level = parser.i, 0
    while (token := tokens[parser.i]) != END:
        parser.i += 1
        if token == "{":
            level += 1
        elif token == "}":
            level -= 1
            if level == 0:
                return tuple(tokens[start + 1 : parser.i - 1])
    parser.close_brace(parser.starts[start])
    return tuple(tokens[start + 1 : parser.i])


def _bracketed(parser: Parser, default: tuple[str, ...]) -> tuple[str, ...]:
    text = optional_raw(parser)
    return default if text is None else tuple(tokens_of(text))


def replaced(meaning: str) -> Reader:
    """A command of ours that stands for others."""
    macro = macro_of(meaning)

    def read(parser: Parser, _items: Items, _start: int) -> None:
        parser.i -= 1
        expand(parser, parser.tokens[parser.i], macro)

    return read


def _new_command(parser: Parser, _items: Items, start: int) -> None:
    r"""\newcommand{\name}[arguments][default]{body}; \providecommand keeps what is there."""
    kept = parser.tokens[parser.i - 1] == "\\providecommand"
    if parser.tokens[parser.i] == "*":
        parser.i += 1
    name = _name(parser, start)
    number = (optional_raw(parser) or "0").strip()
    default = optional_raw(parser)
    body = _argument(parser, "\\newcommand")
    count = int(number) if len(number) == 1 and number.isdecimal() and number.isascii() else 0
    if name and not (kept and (name in parser.macros or name in parser.entries)):
        words = None if default is None else tuple(tokens_of(default))
        parser.macros[name] = Macro(count, body, words)


def _name(parser: Parser, start: int) -> str:
    """The command that is being defined, in braces or bare, unexpanded."""
    name = "".join(_argument(parser, "A definition")).strip()
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
    body = _argument(parser, "\\def")
    if name:
        parser.macros[name] = Macro(min(count, 9), body)


def _let(parser: Parser, _items: Items, start: int) -> None:
    r"""\let\name=\other"""
    name = _name(parser, start)
    tokens = parser.tokens
    while tokens[parser.i] == "=" or tokens[parser.i].isspace():
        parser.i += 1
    meaning = _argument(parser, "\\let")
    if name and meaning and meaning != (name,):
        known = parser.macros.get(meaning[0])
        parser.macros[name] = known if known is not None else Macro(0, meaning)


def _declare(parser: Parser, _items: Items, start: int) -> None:
    r"""\DeclareMathOperator{\name}{text}, with a star for limits."""
    star = parser.tokens[parser.i] == "*"
    if star:
        parser.i += 1
    name = _name(parser, start)
    text = _argument(parser, "\\DeclareMathOperator")
    if name:
        command = ("\\operatorname", "*") if star else ("\\operatorname",)
        parser.macros[name] = Macro(0, (*command, "{", *text, "}"))


def _declare_pair(parser: Parser, _items: Items, start: int) -> None:
    r"""\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}; the delimiters stretch."""
    name = _name(parser, start)
    left = _argument(parser, "\\DeclarePairedDelimiter")
    right = _argument(parser, "\\DeclarePairedDelimiter")
    if name:
        parser.macros[name] = Macro(1, ("\\left", *left, "#1", "\\right", *right))


READERS: dict[str, Reader] = {
    **dict.fromkeys(["\\newcommand", "\\renewcommand", "\\providecommand"], _new_command),
    **dict.fromkeys(["\\def", "\\gdef", "\\edef", "\\xdef"], _def),
    "\\let": _let,
    "\\DeclareMathOperator": _declare,
    "\\DeclarePairedDelimiter": _declare_pair,
}
