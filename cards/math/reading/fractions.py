r"""Fractions, binomials and roots that take their parts as arguments."""

from __future__ import annotations

from typing import Literal

from cards.math.reading.arguments import REACH, optional, optional_raw, raw, until
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.delimiters import fences
from cards.math.reading.tokens import END, length_at
from cards.math.tree import Choice, Fraction, Root

Style = Literal["", "display", "text"]
_GENERAL: dict[str, Style] = {"0": "display", "1": "text", "2": "text", "3": "text"}


def _fraction(style: Style, rule: bool = True, left: str = "", right: str = "") -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        name = parser.tokens[parser.i - 1]
        above = parser.argument(name)
        below = parser.argument(name)
        items.append(Fraction(above, below, rule, left, right, style, parser.since(start)))

    return read


def _continued(parser: Parser, items: Items, start: int) -> None:
    optional_raw(parser)
    _fraction("display")(parser, items, start)


def _general(parser: Parser, items: Items, start: int) -> None:
    r"""\genfrac{left}{right}{thickness}{style}{above}{below}"""
    left = fences().get(raw(parser).strip(), "")
    right = fences().get(raw(parser).strip(), "")
    thickness = raw(parser)
    style = _GENERAL.get(raw(parser).strip(), "")
    found = length_at(thickness)
    rule = found is None or found[0] > 0
    _fraction(style, rule, left, right)(parser, items, start)


def _root(parser: Parser, items: Items, start: int) -> None:
    degree = optional(parser, "\\sqrt")
    body = parser.argument("\\sqrt")
    items.append(Root(body, degree, parser.since(start)))


def _old_root(parser: Parser, items: Items, start: int) -> None:
    r"""Plain TeX's \root 3 \of x"""
    reach = parser.tokens[parser.i : parser.i + REACH]
    if "\\of" not in reach or END in reach[: reach.index("\\of")]:
        parser.missing("\\root")
        return
    end = parser.i + reach.index("\\of")
    degree = until(parser, end, "[")
    parser.i += 1
    body = parser.argument("\\root")
    items.append(Root(body, degree, parser.since(start)))


def _choice(parser: Parser, items: Items, start: int) -> None:
    one, two, three, four = (parser.argument("\\mathchoice") for _ in range(4))
    items.append(Choice(one, two, three, four, parser.since(start)))


READERS: dict[str, Reader] = {
    "\\frac": _fraction(""),
    "\\dfrac": _fraction("display"),
    "\\tfrac": _fraction("text"),
    "\\nicefrac": _fraction("text"),
    "\\sfrac": _fraction("text"),
    "\\cfrac": _continued,
    "\\binom": _fraction("", False, "(", ")"),
    "\\dbinom": _fraction("display", False, "(", ")"),
    "\\tbinom": _fraction("text", False, "(", ")"),
    "\\genfrac": _general,
    "\\sqrt": _root,
    "\\root": _old_root,
    "\\mathchoice": _choice,
}
