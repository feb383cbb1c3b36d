r"""Functions and operators that a formula names itself, modulo, \not, and side scripts."""

from __future__ import annotations

from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.macros import replaced
from cards.math.reading.names import plain
from cards.math.reading.scripts import scripts
from cards.math.tree import Class, Classed, Operator, Row, Scripts, Space, Styled, Symbol, Text


def _named(parser: Parser, items: Items, start: int) -> None:
    r"""\operatorname{...} and \operatorname*{...}; the latter takes limits."""
    limits = parser.tokens[parser.i - 1] == "\\operatornamewithlimits"
    if parser.peek() == "*":
        parser.i += 1
        limits = True
    body = parser.argument("\\operatorname")
    text = plain(body)
    span = parser.since(start)
    if text is not None:
        name = text.replace(" ", "")
        items.append(Operator(text, name, "display" if limits else "never", False, span))
        return
    items.append(Classed("op", Row((Styled("roman", body, body.span),), body.span), span))
    if not limits and parser.peek() in ("_", "^", "'"):
        parser.i += 1
        scripts(parser, items, start)
        last = items[-1]
        if type(last) is Scripts and last.limits is None:
            items[-1] = last._replace(limits=False)


def _modulo(parser: Parser, items: Items, start: int) -> None:
    r"""\bmod, \mod n, \pmod n, \pod n."""
    name = parser.tokens[parser.i - 1]
    span = parser.since(start)
    word = Text(("mod",), "", span)
    if name == "\\bmod":
        items.append(Classed("bin", Row((word,), span), span))
        return
    items.append(Space(1.0, span))
    if name == "\\mod":
        items.extend((word, Space(1 / 3, span)))
        return
    items.append(Symbol("(", "open", "(", span))
    if name == "\\pmod":
        items.extend((word, Space(1 / 3, span)))
    items.extend(parser.argument(name).items)
    end = parser.since(start)[1]
    items.append(Symbol(")", "close", ")", (end, end)))


def _not(parser: Parser, items: Items, start: int) -> None:
    r"""\not: the next sign, struck through: one character, composed where Unicode has none."""
    row = parser.argument("\\not")
    if not row.items:
        return
    first = row.items[0]
    if type(first) is Symbol:
        items.append(negated(parser, first)._replace(span=(start, first.span[1])))
        items.extend(row.items[1:])
        return
    items.append(Symbol("/", "rel", "not", (start, start + 1)))
    items.extend(row.items)


def negated(parser: Parser, symbol: Symbol) -> Symbol:
    from unicodedata import normalize

    char = normalize("NFC", symbol.char[0] + "\u0338") + symbol.char[1:]
    entry = parser.entries.get(char)
    name = entry[2] if isinstance(entry, tuple) else f"not {symbol.name}"
    return symbol._replace(char=char, name=name)


def _sideset(parser: Parser, items: Items, start: int) -> None:
    r"""\sideset{_a^b}{_c^d}\sum: scripts at the corners of an operator."""
    before = parser.argument("\\sideset")
    after = parser.argument("\\sideset")
    base = parser.argument("\\sideset")
    row = Row((*before.items, *base.items, *after.items), parser.since(start))
    items.append(Classed("op", row, parser.since(start)))


def _prescript(parser: Parser, items: Items, start: int) -> None:
    r"""\prescript{above}{below}{base}"""
    above = parser.argument("\\prescript")
    below = parser.argument("\\prescript")
    items.append(Scripts(None, below, above, None, parser.since(start)))
    items.extend(parser.argument("\\prescript").items)


def _dots(parser: Parser, items: Items, start: int) -> None:
    r"""\dots: on the axis before an operator or a relation, on the baseline elsewhere."""
    span = parser.since(start)
    token = parser.peek()
    entry = parser.entries.get(token)
    middle = token in _MIDDLE or (isinstance(entry, tuple) and entry[1] in ("bin", "rel"))
    kind: Class = "inner"
    if middle:
        items.append(Symbol("⋯", kind, "cdots", span))
    else:
        items.append(Symbol("…", kind, "ldots", span))


_MIDDLE_NAMES = """
not sum prod coprod bigcup bigcap bigoplus bigotimes bigvee bigwedge bigsqcup biguplus bigodot
int oint iint iiint mathbin mathrel xrightarrow xleftarrow bmod
"""
_MIDDLE = frozenset("\\" + name for name in _MIDDLE_NAMES.split())

#: Commands that stand for others, as the packages braket, mathtools and amsmath define them.
_MEANINGS = {
    "\\bra": "\\mathinner{\\langle{#1}|}",
    "\\ket": "\\mathinner{|{#1}\\rangle}",
    "\\braket": "\\mathinner{\\langle{#1}\\rangle}",
    "\\ketbra": "\\mathinner{|{#1}\\rangle\\langle{#2}|}",
    "\\angln": "{\\angl n}",
    "\\Bbbk": "\\mathbb{k}",
    "\\N": "\\mathbb{N}",
    "\\Z": "\\mathbb{Z}",
    "\\R": "\\mathbb{R}",
    "\\Q": "\\mathbb{Q}",
    "\\C": "\\mathbb{C}",
    "\\Reals": "\\mathbb{R}",
    "\\reals": "\\mathbb{R}",
    "\\natnums": "\\mathbb{N}",
    "\\cnums": "\\mathbb{C}",
    "\\Complex": "\\mathbb{C}",
    "\\varlimsup": "\\mathop{\\overline{\\mathrm{lim}}}",
    "\\varliminf": "\\mathop{\\underline{\\mathrm{lim}}}",
    "\\varinjlim": "\\mathop{\\underrightarrow{\\mathrm{lim}}}",
    "\\varprojlim": "\\mathop{\\underleftarrow{\\mathrm{lim}}}",
    "\\idotsint": "\\int\\cdots\\int",
    "\\vdotswithin": "\\vdots",
    "\\lq": "‘",
    "\\rq": "'",
    "\\centernot": "\\not{#1}",
}

READERS: dict[str, Reader] = {
    "\\operatorname": _named,
    "\\operatornamewithlimits": _named,
    **dict.fromkeys(["\\bmod", "\\mod", "\\pmod", "\\pod"], _modulo),
    "\\not": _not,
    "\\sideset": _sideset,
    "\\prescript": _prescript,
    "\\dots": _dots,
    **{name: replaced(meaning) for name, meaning in _MEANINGS.items()},
}
