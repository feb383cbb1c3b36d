r"""The column specification of an array: `{|r@{=}l*{2}{c}>{\bf}p{3cm}|}`."""

from __future__ import annotations

from typing import NamedTuple

from cards.math.environment import Insert
from cards.math.reading.core import Parser
from cards.math.reading.tokens import END, tokens_of
from cards.math.tree import Row

_LETTERS = {
    "l": "l", "c": "c", "r": "r", "p": "l", "m": "l", "b": "l", "X": "l", "L": "l", "C": "c",
    "R": "r", "S": "r", "|": "|", ":": ":",
}  # fmt: skip
_WITH_ARGUMENT = frozenset("pmb@!><w")
_MOST = 200
#: What would end the cell that it is put into; the table is not taken apart for it.
_ENDING = frozenset({"&", "\\\\", "\\cr", "\\newline", "\\tabularnewline", "\\end", "\\begin"})

Tokens = tuple[str, ...]


class Columns(NamedTuple):
    letters: str
    """A letter a column: l, c or r, with `|` and `:` for rules between."""
    inserts: tuple[Insert, ...] = ()
    before: tuple[Tokens, ...] = ()
    """What each cell of a column begins with."""
    after: tuple[Tokens, ...] = ()


PLAIN = Columns("")


def columns_of(parser: Parser, spec: str, span: tuple[int, int]) -> Columns:
    """The columns that `spec`, which stands at `span`, asks for."""
    letters: list[str] = []
    inserts: list[Insert] = []
    before: list[Tokens] = [()]
    after: list[Tokens] = []
    for sign, argument in _read(tokens_of(spec), 0)[:_MOST]:
        if sign == ">":
            before[-1] += _for_cells(argument)
        elif sign == "<":
            if after:
                after[-1] += _for_cells(argument)
        elif sign in "@!" and argument[:1] != ("\\extracolsep",):
            inserts.append(Insert(len(after), _body(parser, argument, span), sign == "@"))
        elif sign in _LETTERS:
            letters.append(_LETTERS[sign])
            if sign not in "|:":
                before.append(())
                after.append(())
    return Columns("".join(letters), tuple(inserts), tuple(before), tuple(after))


def _read(tokens: list[str], depth: int) -> list[tuple[str, Tokens]]:
    """The signs of a specification, each with its argument."""
    found: list[tuple[str, Tokens]] = []
    i = 0
    while i < len(tokens) and len(found) < _MOST:
        token = tokens[i]
        i += 1
        if token == "*":
            count, i = _argument(tokens, i)
            repeated, i = _argument(tokens, i)
            number = "".join(count)
            if number.isascii() and number.isdecimal() and depth < 4:
                found.extend(_read(repeated, depth + 1) * min(int(number[:4]), _MOST))
        elif token in _WITH_ARGUMENT:
            argument, i = _argument(tokens, i)
            if token == "w":
                sign, (_, i) = "".join(argument), _argument(tokens, i)
                found.append((sign if sign in ("l", "c", "r") else "l", ()))
            else:
                found.append((token, tuple(argument)))
        elif token in _LETTERS:
            found.append((token, ()))
    return found


def _argument(tokens: list[str], i: int) -> tuple[list[str], int]:
    """The tokens of the argument at `i`, and where it ends."""
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i >= len(tokens) or tokens[i] != "{":
        return tokens[i : i + 1], i + 1
    level = 0
    for end in range(i, len(tokens)):
        level += {"{": 1, "}": -1}.get(tokens[end], 0)
        if level == 0:
            return tokens[i + 1 : end], end + 1
    return tokens[i + 1 :], len(tokens)


def _for_cells(tokens: Tokens) -> Tokens:
    """What may be put into cells: dollars change nothing in an array of formulas."""
    kept = tuple(token for token in tokens if token != "$")
    return () if _ENDING.intersection(kept) or not _is_balanced(kept) else kept


def _is_balanced(tokens: Tokens) -> bool:
    return all(
        tokens.count(opening) == tokens.count(closing)
        for opening, closing in (("{", "}"), ("\\left", "\\right"))
    )


def _body(parser: Parser, tokens: Tokens, span: tuple[int, int]) -> Row:
    """What an insert says."""
    kept = [token for token in tokens if token != "$"]
    if not kept or _ENDING.intersection(kept):
        return Row((), span)
    inner = Parser(kept, [span[0]] * (len(kept) + 1), parser.entries, parser.other, parser.macros)
    inner.depth = parser.depth + 1
    body = inner.row("")
    while inner.tokens[inner.i] != END:
        inner.i += 1
    for problem in inner.problems:
        parser.problem(problem.message, problem.hint, span)
    return Row(body.items, span)
