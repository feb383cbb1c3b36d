"""Inline Markdown as units: what stands between two spaces is kept together when lines are broken.

`$x$,` is one unit: the comma never begins a line.  Text in scripts that are written without
spaces (Chinese, Japanese) may be broken between any two characters, save before a closing mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.page.blocks import Unit, Units
from tui.page.formula import Formula
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
_WEB = re.compile(r"(https?|mailto|doi):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """What a text's formulas and links mean."""

    macros: Mapping[str, str] | None = None
    resolve: Callable[[str], str | None] = field(default=lambda name: name)
    """A wikilink's name to a card's id; None where no card has it."""
    addresses: bool = False
    """Whether the address of a link is written behind its label."""


class Builder:
    """Takes pieces of a line one after the other, and gives the units."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._parts: list[Span | Formula] = []
        self._width = 0
        self._space = 0

    def text(self, text: str, style: str, thing: Thing | None = None) -> None:
        for number, piece in enumerate(_PIECES.split(text)):
            if number % 2:
                self.space()
            elif piece.isascii():
                self._add(piece, style, thing)
            else:
                self._unspaced(piece, style, thing)

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


def units(tokens: list[Token], context: Context, style: str = "") -> Units:
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
            if link is not None and context.addresses and link.target != link.label:
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
            _atom(builder, token, here, link, context)
    return builder.done()


def _atom(builder: Builder, token: Token, style: str, link: Link | None, context: Context) -> None:
    if token.type.startswith("math_inline"):
        builder.formula(Formula(token.content, False, style, context.macros))
    elif token.type == "code_inline":
        builder.text(token.content, f"{style} code".lstrip(), link)
    elif token.type == "wikilink":
        _wikilink(builder, token, style, context)
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
    link = Link("card" if found is not None else "missing", found or name, label)
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
    return Link("web" if _WEB.match(href) else "file", href, label)
