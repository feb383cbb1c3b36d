r"""LaTeX as Anki's MathJax reads it: `\( \)` and `\[ \]`, with the macros that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from cards.math import Macro
from cards.math.latex.parser import table_of, tokens_of

#: So many definitions at most stand before a formula.
_MOST = 200


def mathjax(tex: str, display: bool, macros: Mapping[str, str | Macro]) -> str:
    """HTML.  A macro of the card or the collection is defined where it is used: the formula stays
    as its author wrote it, and shows alone as well."""
    written = " ".join(tex.split()) if "%" not in tex else _plain(tokens_of(tex))
    defined = _definitions(tokens_of(written), table_of(macros)) if macros else ""
    sides = ("\\[", "\\]") if display else ("\\(", "\\)")
    return escape(f"{sides[0]}{defined}{written.strip()}{sides[1]}", quote=False)


def _plain(tokens: list[str]) -> str:
    """On one line: a comment would end it, and blank lines are no part of mathematics."""
    pieces = (" " if token[:1] == "%" or token.isspace() else token for token in tokens)
    return "".join(pieces)


def _definitions(tokens: list[str], table: Mapping[str, Macro]) -> str:
    """Of the macros that the tokens name, and of those that these name, the innermost first."""
    found: dict[str, None] = {}

    def visit(names: list[str], above: frozenset[str]) -> None:
        for name in names:
            if name in table and name not in found and name not in above and len(found) < _MOST:
                visit(list(table[name].body), above | {name})
                found[name] = None

    visit(tokens, frozenset())
    return "".join(_definition(name, table[name]) for name in found)


def _definition(name: str, macro: Macro) -> str:
    arity = f"[{macro.arity}]" if macro.arity else ""
    default = "" if macro.default is None else f"[{_plain(list(macro.default))}]"
    return f"\\newcommand{{{name}}}{arity}{default}{{{_plain(list(macro.body))}}}"
