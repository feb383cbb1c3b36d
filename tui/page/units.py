"""Inline Markdown as units: what stands between two spaces is kept together when lines are broken.

`$x$,` is one unit: the comma never begins a line.  Text in scripts that are written without
spaces (Chinese, Japanese) may be broken between any two characters, save before a closing mark.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tui.page.blocks import Document, Unit, Units
from tui.page.formula import Formula, Macros
from tui.page.model import Deco, Link, Source, Span, Thing, cells, settled

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong_open": "bold", "em_open": "italic", "s_open": "strike", "link_open": "link"}
_PIECES = re.compile(r"([ \t\n]+)")
# Wide characters, each with the closing marks behind it.
_WIDE = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
    "[\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]*"
)
_DEFINING = re.compile(r"\\(?:(?:re)?new|provide)command|\\[gex]?def|\\let|\\Declare")
_BREAK = re.compile("(\u200b+)")
_WEB = re.compile(r"(https?|mailto|doi):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """What a text's formulas and links mean."""

    macros: Macros | None = None
    resolve: Callable[[str], str | None] = field(default=lambda name: name)
    """A wikilink's name to a card's id; None where no card has it."""
    addresses: bool = False
    """Whether the address of a link is written behind its label."""
    line_breaks: bool = False
    """Whether those of the text stay."""
    most: int = sys.maxsize
    """Tokens that the macros of a text may make, before the rest of it is left out."""

    def after(self, document: Document | None) -> Context:
        """For what is read behind a document: with the macros that its formulas define."""
        return replace(self, macros=document.macros) if document else self


class Scope:
    """A context while it is read in: what a formula defines, those behind it know."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.macros = context.macros
        self.made = 0
        """Tokens that macros made."""

    def formula(self, tex: str, display: bool, sign: str, style: str = "") -> Formula:
        if self.made > self.context.most:
            return Formula(r"\ldots", display, style)
        found = Formula(tex, display, style, self.macros, sign)
        if self.macros or _DEFINING.search(tex):
            self.made += found.parsed.made
        if _DEFINING.search(tex):
            self.macros = {**(self.macros or {}), **found.parsed.macros}
        return found


class Builder:
    """Takes pieces of a line one after the other, and gives the units."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._parts: list[Span | Formula] = []
        self._width = 0
        self._space = 0

    @classmethod
    def words(cls, text: str, style: str) -> Units:
        """The units of a text."""
        builder = cls()
        builder.text(text, style)
        return builder.done()

    def text(self, text: str, style: str, thing: Thing | None = None) -> None:
        for number, piece in enumerate(_PIECES.split(text)):
            if number % 2:
                self.space()
            elif piece.isascii():
                self._add(piece, style, thing)
            else:
                # A space of no width is a place where a line may end, and nothing else.
                for turn, part in enumerate(_BREAK.split(piece)):
                    if turn % 2 and self._parts:
                        self._close(0)
                    elif turn % 2 == 0:
                        self._unspaced(part, style, thing)

    def space(self) -> None:
        """A place where a line may end."""
        if self._parts:
            self._close(1)
        elif self._space == 0 and self._units:
            self._space = 1

    def new_line(self) -> None:
        self._close(-1)

    def formula(self, formula: Formula) -> None:
        self._parts.append(formula)
        self._width += formula.natural.width

    def done(self) -> Units:
        self._close(0)
        return tuple(self._units)

    def _add(self, piece: str, style: str, thing: Thing | None) -> None:
        piece = settled(piece)
        if piece:
            self._parts.append(Span(piece, style, thing))
            self._width += cells(piece)

    def _unspaced(self, piece: str, style: str, thing: Thing | None) -> None:
        at = 0
        for found in _WIDE.finditer(piece):
            self._add(piece[at : found.start()], style, thing)
            if found.start() > at or self._parts:
                self._close(0)
            self._add(found[0], style, thing)
            at = found.end()
            if at < len(piece):
                self._close(0)
        self._add(piece[at:], style, thing)

    def _close(self, space: int) -> None:
        if self._parts or self._space == -1:
            self._units.append(Unit(self._space, self._width, tuple(self._parts)))
            self._parts, self._width = [], 0
        self._space = space


def units(tokens: list[Token], scope: Scope, style: str = "") -> Units:
    """The units of a line of inline tokens; `style` is that of the whole."""
    builder, styles = Builder(), [style] if style else []
    link: Link | None = None
    for number, token in enumerate(tokens):
        kind = token.type
        here = " ".join(styles)
        if kind == "text":
            builder.text(token.content, here, link)
        elif kind == "link_open":
            link = web_link(str(token.attrs.get("href", "")), tokens[number + 1 :])
            styles.append("link")
        elif kind == "link_close":
            if link is not None and scope.context.addresses and link.target != link.label:
                builder.text(f" ({link.target})", f"{here} dim", None)
            link = None
            styles.pop()
        elif kind in _STYLES:
            styles.append(_STYLES[kind])
        elif kind.endswith("_close"):
            styles.pop()
        elif kind == "softbreak":
            builder.space()
        elif kind == "hardbreak":
            builder.new_line()
        else:
            _atom(builder, token, here, link, scope)
    return builder.done()


def _atom(builder: Builder, token: Token, style: str, link: Link | None, scope: Scope) -> None:
    if token.type.startswith("math_inline"):
        builder.formula(scope.formula(token.content, False, token.markup, style))
    elif token.type == "code_inline":
        builder.text(token.content, f"{style} code".lstrip(), link)
    elif token.type == "wikilink":
        _wikilink(builder, token, style, scope.context)
    elif token.type == "footnote_ref":
        mark = footnote(token.meta["id"])
        builder.text(mark, f"{style} mark".lstrip(), Source(f"[^{token.meta['label']}]"))
    elif token.type in ("image", "embed"):
        target = str(token.attrs.get("src", "")) or token.content
        title = token.content or target
        source = Source(f"![{title}]({target})")
        builder.text(f"[picture: {title}]", f"{style} italic".lstrip(), link or source)
    else:
        builder.text(token.content, style, link)


def _wikilink(builder: Builder, token: Token, style: str, context: Context) -> None:
    name = token.content.split("#", 1)[0].strip()
    label = str(token.meta.get("label") or token.content)
    found = context.resolve(name) if name else None
    signs = ("[[" if label == token.content else f"[[{token.content}|", "]]")
    link = Link("card" if found is not None else "missing", found or name, label, signs)
    role = "link" if found is not None else "missing"
    builder.text(label, f"{style} {role}".lstrip(), link)
    if found is None:
        builder.text("?", f"{style} missing".lstrip(), Deco())


def web_link(href: str, following: list[Token]) -> Link:
    """The link to an address; what follows it begins with its label."""
    label = ""
    for token in following:
        if token.type == "link_close":
            break
        label += token.content
    signs = ("<", ">") if label and href.endswith(label) else ("[", f"]({href})")
    return Link("web" if _WEB.match(href) else "file", href, label, signs)


def footnote(number: int) -> str:
    """The mark of a footnote; small digits would be read as a power behind a formula."""
    return f"[{number + 1}]"
