r"""Text inside a formula: \text and its fonts, ligatures, accents, and formulas in it.

Blanks count here, and the characters stand for themselves.  `text_row` is to text what
`Parser.row` is to mathematics.
"""

from __future__ import annotations

from cards.math.reading.arguments import raw
from cards.math.reading.core import DEEPEST, Items, Parser, Reader, Stop
from cards.math.reading.textmarks import DECLARED, FONTS, accented
from cards.math.reading.tokens import END
from cards.math.tree import Node, Row, Space, Styled, Symbol, Text

#: What a blank that no line may be broken at becomes.
_TIE = "\u00a0"

_LIGATURES = {
    "`": ("‘", "“"),
    "'": ("’", "”"),
    "-": ("-", "–", "—"),
}


def text_argument(parser: Parser, font: str = "", of: str = "") -> Text:
    """One argument as text: a group in braces, or one token."""
    token = parser.peek()
    start = parser.starts[parser.i]
    parts: list[str | Node] = []
    if token == "{":
        parser.i += 1
        parts = text_row(parser, font)
        parser.close_brace(start)
    elif isinstance(parser.entries.get(token), Stop) and token != "$":
        parser.missing(of)
        return Text((), font, (start, start))
    else:
        _piece(parser, parts, font)
    return Text(_joined(parts, font), font, parser.since(start))


def text_row(parser: Parser, font: str) -> list[str | Node]:
    """Reads text up to the brace that ends its group, and does not take that."""
    parts: list[str | Node] = []
    if parser.depth >= DEEPEST:
        return [_flat(parser)]
    outer = parser.text
    parser.text = True
    parser.open.append("{")
    parser.depth += 1
    while parser.tokens[parser.i] not in _ENDS:
        _piece(parser, parts, font)
    parser.depth -= 1
    parser.open.pop()
    parser.text = outer
    return parts


_ENDS = frozenset({"}", "\\egroup", END})


def _flat(parser: Parser) -> str:
    """The characters of text that lies too deep, up to the brace that ends it."""
    parser.too_deep()
    words: list[str] = []
    level = 0
    while (token := parser.tokens[parser.i]) != END and (level or token not in _ENDS):
        level += {"{": 1, "\\bgroup": 1, "}": -1, "\\egroup": -1}.get(token, 0)
        if token[0] not in "\\{}$%&#":
            words.append(printable(parser, token, parser.starts[parser.i]))
        parser.i += 1
    return "".join(words)


def _piece(parser: Parser, parts: list[str | Node], font: str) -> None:
    """Reads one token, and what belongs to it, onto `parts`."""
    tokens = parser.tokens
    token = tokens[parser.i]
    start = parser.starts[parser.i]
    first = token[0]
    if parser.macros and token in parser.macros:
        parser.expand(token)
    elif first in " \t\n\r\f\v":
        parser.i += 1
        parts.append(" ")
    elif first == "%":
        parser.i += 1
    elif first == "~":
        parser.i += 1
        parts.append(_TIE)
    elif token in _LIGATURES:
        _ligature(parser, parts, token, font)
    elif token == "{" or token == "\\bgroup":
        parser.i += 1
        parts.extend(text_row(parser, font))
        parser.close_brace(start)
    elif token == "$" or token == "\\(":
        parser.i += 1
        _formula(parser, parts, "$" if token == "$" else "\\)", start)
    elif first != "\\":
        parser.i += 1
        parts.append(printable(parser, token, start))
    else:
        _command(parser, parts, token, font)


def printable(parser: Parser, token: str, start: int) -> str:
    from cards.math.reading.characters import drawable

    return token if token.isascii() and token.isprintable() else drawable(parser, token, start)


def _ligature(parser: Parser, parts: list[str | Node], token: str, font: str) -> None:
    forms = _LIGATURES[token] if font != "typewriter" else (token,)
    count = 1
    while count < len(forms) and parser.tokens[parser.i + count] == token:
        count += 1
    parser.i += count
    parts.append(forms[count - 1])


def _formula(parser: Parser, parts: list[str | Node], closer: str, start: int) -> None:
    row = parser.row("math")
    if parser.tokens[parser.i] == closer:
        parser.i += 1
    elif not parser.deep:
        parser.problem(
            "A formula in the text is never closed.",
            f"Add {closer} where it ends.",
            (start, start + 1),
        )
    parts.append(Row(row.items, parser.since(start)))


def _command(parser: Parser, parts: list[str | Node], token: str, font: str) -> None:
    start = parser.starts[parser.i]
    parser.i += 1
    if token == "\\\\" or token in ("\\ ", "\\\n", "\\newline", "\\cr"):
        parts.append(" ")
        return
    if token[-1].isalpha():
        _pass_blanks(parser)
    accent = accented(parser, token)
    entry = parser.entries.get(token)
    if accent is not None:
        parts.append(accent)
    elif token in DECLARED:
        inner = DECLARED[token]
        rest = text_row(parser, inner)
        parts.append(Text(_joined(rest, inner), inner, parser.since(start)))
    elif token == "\\color":
        from cards.math.reading.colours import colour

        style = colour(parser)
        rest = text_row(parser, font)
        words = Text(_joined(rest, font), font, parser.since(start))
        parts.append(Styled(style, Row((words,), words.span), words.span))
    elif isinstance(entry, tuple):
        parts.append(entry[0])
    elif isinstance(entry, Stop):
        _stop(parser, token, start)
    else:
        _read(parser, parts, token, start)


def _stop(parser: Parser, token: str, start: int) -> None:
    """A token of mathematics that has no place in text: it is passed over."""
    if token not in ("\\displaystyle", "\\textstyle", "\\scriptstyle", "\\scriptscriptstyle"):
        parser.problem(
            f"{token} has no place in text.", "Put it between $ and $.", parser.since(start)
        )
    if token == "\\end":
        raw(parser)


def _read(parser: Parser, parts: list[str | Node], token: str, start: int) -> None:
    found: Items = []
    if parser.depth >= DEEPEST:
        parser.too_deep()
        return
    parser.depth += 1
    entry = parser.entries.get(token)
    if entry is None:
        parser.other(parser, token, found, start)
    elif not isinstance(entry, tuple | Stop):
        entry(parser, found, start)
    parser.depth -= 1
    for node in found:
        if type(node) is Space:
            parts.append(" " * max(0, round(node.em * 2)) or (" " if node.em > 0 else ""))
        elif type(node) is Symbol:
            parts.append(node.char)
        else:
            parts.append(node)


def _pass_blanks(parser: Parser) -> None:
    while parser.tokens[parser.i][:1] in (" ", "\n", "\t", "\r"):
        if parser.tokens[parser.i] == END:
            break
        parser.i += 1


def _joined(parts: list[str | Node], font: str) -> tuple[str | Node, ...]:
    """`parts` with neighbouring strings joined, and text of the same font made part of it."""
    joined: list[str | Node] = []
    words: list[str] = []
    for part in parts:
        pieces = part.parts if type(part) is Text and part.font in ("", font) else (part,)
        for piece in pieces:
            if isinstance(piece, str):
                words.append(piece)
                continue
            if words:
                joined.append("".join(words))
                words.clear()
            joined.append(piece)
    if words:
        joined.append("".join(words))
    return tuple(joined)


def content(parser: Parser, of: str = "") -> Row:
    """An argument of the mode that surrounds it: mathematics, or text."""
    if not parser.text:
        return parser.argument(of)
    words = text_argument(parser, "", of)
    return Row((words,), words.span)


def text(font: str) -> Reader:
    def read(parser: Parser, items: Items, _start: int) -> None:
        items.append(text_argument(parser, font, parser.tokens[parser.i - 1]))

    return read


READERS: dict[str, Reader] = {name: text(font) for name, font in FONTS.items()}
