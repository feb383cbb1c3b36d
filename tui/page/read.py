"""Markdown to blocks, parsed once; the widths come later."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.page.model import (
    Align,
    Block,
    Break,
    Code,
    Decoration,
    Display,
    Document,
    Fold,
    Formula,
    Heading,
    Link,
    Listing,
    ListItem,
    Macros,
    Paragraph,
    Picture,
    Quote,
    Source,
    Span,
    SpanTarget,
    Table,
    Unit,
    Units,
    cells,
    trim_joiners,
)
from tui.text import visible

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
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_CALLOUT = re.compile(r"\[!([A-Za-z][\w-]{0,40})\][+-]?[ \t]*")
_BULLETS = "•◦▪"


@dataclass(frozen=True, slots=True)
class Context:
    """What a text's formulas and links mean."""

    macros: Macros | None = None
    resolve: Callable[[str], str | None] = lambda name: name
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


PLAIN = Context()


def read(markdown: str, context: Context = PLAIN, whole: bool = True) -> Document:
    """What a Markdown text says.

    `whole` is False for the beginning of one that is too large to be drawn: its end says so.
    """
    from cards.markdown import parser

    env = {"line_breaks": context.line_breaks}
    reader = _Reader(parser().parse(visible(markdown), env), context)
    blocks = reader.blocks()
    if not whole or reader.is_full:
        blocks += (Paragraph(words(REST, "warning")),)
    return Document(blocks, reader.folds, reader.macros)


# Inline Markdown as units: what stands between two spaces is kept together when lines are broken.
#
# `$x$,` is one unit: the comma never begins a line. Text in scripts that are written without
# spaces (Chinese, Japanese) may be broken between any two characters, save before a closing mark.


class _Builder:
    """Takes pieces of a line one after the other, and gives the units."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._parts: list[Span | Formula] = []
        self._width = 0
        self._space = 0

    def text(self, text: str, style: str, thing: SpanTarget | None = None) -> None:
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

    def _add(self, piece: str, style: str, thing: SpanTarget | None) -> None:
        if piece := trim_joiners(piece):
            self._parts.append(Span(piece, style, thing))
            self._width += cells(piece)

    def _unspaced(self, piece: str, style: str, thing: SpanTarget | None) -> None:
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


def words(text: str, style: str) -> Units:
    """The units of a plain text."""
    builder = _Builder()
    builder.text(text, style)
    return builder.done()


class _Reader:
    """Goes through the tokens once; every method leaves `at` behind what it has read.

    What a formula defines, those behind it know.
    """

    def __init__(self, tokens: list[Token], context: Context) -> None:
        # The library puts the way back from a footnote into its last paragraph.
        self.tokens = [token for token in tokens if token.type != "footnote_anchor"]
        self.context = context
        self.macros = context.macros
        self.made = 0
        """Tokens that macros made."""
        self.at = 0
        self.depth = 0
        """Of lists and quotes."""
        self.bullets = 0
        self.folds = 0

    @property
    def is_full(self) -> bool:
        """Whether macros made so much that the rest is left out."""
        return self.made > self.context.most

    def blocks(self, closing: str = "") -> tuple[Block, ...]:
        """The blocks up to a closing token of that type."""
        found: list[Block] = []
        while self.at < len(self.tokens) and not self.is_full:
            token = self.tokens[self.at]
            self.at += 1
            if token.type == closing:
                break
            found += self._block(token)
        return tuple(found)

    def _block(self, token: Token) -> list[Block]:
        match token.type:
            case "paragraph_open":
                return self._paragraph(tight=token.hidden)
            case "heading_open":
                return [self._heading(int(token.tag[1:]))]
            case "math_block" | "math_block_label":
                return [self._display(token.content, token.markup)]
            case "fence" if token.info.split()[:1] == ["math"]:
                return [self._display(token.content, "```math\n")]
            case "fence":
                return [Code(token.content, (token.info.split() or [""])[0])]
            case "code_block" | "html_block":
                return [Code(token.content, "")]
            case "hr":
                return [Break()]
            case "bullet_list_open" | "ordered_list_open":
                return [self._list(token)]
            case "blockquote_open":
                return [self._quote()]
            case "footnote_block_open":
                return [self._footnotes()]
            case "table_open":
                return [self._table()]
        return []

    def _next_is(self, kind: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at].type == kind

    def _inline(self) -> list[Token]:
        """The inline tokens that stand next, their closing token passed over."""
        token = self.tokens[self.at]
        self.at += 2
        return token.children or []

    def _ahead(self) -> list[Token]:
        """The inline tokens of the paragraph or heading that begins here, if one does."""
        ahead = self.tokens[self.at + 1 : self.at + 2]
        return (ahead[0].children or []) if ahead and ahead[0].type == "inline" else []

    def _taken(self, begins: re.Pattern[str]) -> re.Match[str] | None:
        """What the paragraph that begins here begins with: it is read, and left out of it."""
        first = next(iter(self._ahead()), None)
        found = begins.match(first.content) if first and first.type == "text" else None
        if first and found:
            first.content = first.content[found.end() :]
        return found

    def _inside(self, closing: str) -> tuple[Block, ...]:
        self.depth += 1
        found = self.blocks(closing)
        self.depth -= 1
        return found

    # Blocks.

    def _display(self, tex: str, sign: str) -> Display:
        return Display(self._formula(tex.strip("\n"), True, sign))

    def _paragraph(self, tight: bool) -> list[Block]:
        """A paragraph, cut where it holds a display formula or is nothing but a picture."""
        children = self._inline()
        if len(children) == 1 and children[0].type in ("image", "embed"):
            return [_picture(children[0])]
        found: list[Block] = []
        part: list[Token] = []
        for child in [*children, None]:
            if child is not None and child.type != "math_inline_double":
                part.append(child)
                continue
            if text := self._units(_without_breaks(part)):
                found.append(Paragraph(text, tight or bool(found)))
            if child is not None:
                found.append(self._display(child.content, child.markup))
                part = _still_open(part)
        return found

    def _heading(self, level: int) -> Heading:
        text = self._units(self._inline(), f"heading{level}")
        if self.depth:
            return Heading(text, level, None)
        self.folds += 1
        return Heading(text, level, Fold(self.folds - 1, level, "#" * level + " "))

    def _quote(self) -> Quote:
        """A quote; a callout where it begins with `[!kind]`."""
        found = self._taken(_CALLOUT)
        if found is None:
            return Quote(self._inside("blockquote_close"))
        children = self._ahead()
        ends = (n for n, child in enumerate(children) if child.type in ("softbreak", "hardbreak"))
        end = next(ends, len(children))
        title = self._units(children[:end], "callout")
        self.tokens[self.at + 1].children = children[end + 1 :]
        if not children[end + 1 :]:
            self.at += 3
        named = title or words(found[1].capitalize(), "callout")
        return Quote(self._inside("blockquote_close"), named, found[1], bool(title))

    def _footnotes(self) -> Listing:
        """Those of the whole text, at its end."""
        items: list[ListItem] = []
        while self._next_is("footnote_open"):
            meta = self.tokens[self.at].meta
            self.at += 1
            blocks = self._inside("footnote_close")
            items.append(ListItem(_footnote(meta["id"]), f"[^{meta['label']}]: ", blocks))
        self.at += 1
        return Listing(tuple(items), True)

    def _list(self, token: Token) -> Listing:
        ordered = token.type.startswith("ordered")
        number = int(token.attrs.get("start", 1))
        bullet = _BULLETS[min(self.bullets, len(_BULLETS) - 1)]
        self.bullets += not ordered
        items: list[ListItem] = []
        tight = True
        while self._next_is("list_item_open"):
            self.at += 1
            mark, copy = (f"{number + len(items)}.",) * 2 if ordered else (bullet, "-")
            if task := None if ordered else self._taken(_TASK):
                mark, copy = ("☐", "- [ ]") if task[1] == " " else ("☑", "- [x]")
            loose = self._next_is("paragraph_open") and not self.tokens[self.at].hidden
            tight = tight and not loose
            items.append(ListItem(mark, f"{copy} ", self._inside("list_item_close")))
        self.at += 1
        self.bullets -= not ordered
        return Listing(tuple(items), tight)

    def _table(self) -> Table:
        aligns: list[Align] = []
        rows: list[tuple[Units, ...]] = []
        row: list[Units] = []
        while (token := self.tokens[self.at]).type != "table_close":
            self.at += 1
            if token.type in ("th_open", "td_open"):
                head = token.type == "th_open"
                if head:
                    style = str(token.attrs.get("style", ""))
                    aligns.append(
                        "right" if "right" in style else "center" if "center" in style else "left"
                    )
                row.append(self._units(self._inline(), "head" if head else ""))
            elif token.type == "tr_close":
                rows.append(tuple(row))
                row = []
        self.at += 1
        return Table(tuple(aligns), rows[0], tuple(rows[1:]))

    # Inside a line.

    def _units(self, tokens: list[Token], style: str = "") -> Units:
        """The units of a line of inline tokens; `style` is that of the whole."""
        builder, styles = _Builder(), [style] if style else []
        link: Link | None = None
        for number, token in enumerate(tokens):
            kind = token.type
            here = " ".join(styles)
            if kind == "link_open":
                link = _web_link(str(token.attrs.get("href", "")), tokens[number + 1 :])
            elif kind == "link_close":
                if link is not None and self.context.addresses and link.target != link.label:
                    builder.text(f" ({link.target})", f"{here} dim", None)
                link = None
            if kind in _STYLES:
                styles.append(_STYLES[kind])
            elif kind.endswith("_close"):
                styles.pop()
            elif kind == "softbreak":
                builder.space()
            elif kind == "hardbreak":
                builder.new_line()
            else:
                self._atom(builder, token, here, link)
        return builder.done()

    def _atom(self, builder: _Builder, token: Token, style: str, link: Link | None) -> None:
        if token.type.startswith("math_inline"):
            builder.formula(self._formula(token.content, False, token.markup, style))
        elif token.type == "code_inline":
            builder.text(token.content, f"{style} code".lstrip(), link)
        elif token.type == "wikilink":
            self._wikilink(builder, token, style)
        elif token.type == "footnote_ref":
            mark = Source(f"[^{token.meta['label']}]")
            builder.text(_footnote(token.meta["id"]), f"{style} mark".lstrip(), mark)
        elif token.type in ("image", "embed"):
            target = str(token.attrs.get("src", "")) or token.content
            title = token.content or target
            source = Source(f"![{title}]({target})")
            builder.text(f"[picture: {title}]", f"{style} italic".lstrip(), link or source)
        else:
            builder.text(token.content, style, link)

    def _formula(self, tex: str, display: bool, sign: str, style: str = "") -> Formula:
        if self.is_full:
            return Formula(r"\ldots", display, style)
        found = Formula(tex, display, style, self.macros, sign)
        defines = _DEFINING.search(tex)
        if self.macros or defines:
            self.made += found.parsed.made
        if defines:
            self.macros = {**(self.macros or {}), **found.parsed.macros}
        return found

    def _wikilink(self, builder: _Builder, token: Token, style: str) -> None:
        name = token.content.split("#", 1)[0].strip()
        label = str(token.meta.get("label") or token.content)
        found = self.context.resolve(name) if name else None
        signs = ("[[" if label == token.content else f"[[{token.content}|", "]]")
        if found is not None:
            builder.text(label, f"{style} link".lstrip(), Link("card", found, label, signs))
            return
        missing = f"{style} missing".lstrip()
        builder.text(label, missing, Link("missing", name, label, signs))
        builder.text("?", missing, Decoration())


def _web_link(href: str, following: list[Token]) -> Link:
    """The link to an address; what follows it begins with its label."""
    label = ""
    for token in following:
        if token.type == "link_close":
            break
        label += token.content
    signs = ("<", ">") if label and href.endswith(label) else ("[", f"]({href})")
    return Link("web" if _WEB.match(href) else "file", href, label, signs)


def _footnote(number: int) -> str:
    """The mark of a footnote; small digits would be read as a power behind a formula."""
    return f"[{number + 1}]"


def _without_breaks(tokens: list[Token]) -> list[Token]:
    """Without the line breaks at its ends."""
    kept = [at for at, token in enumerate(tokens) if not token.type.endswith("break")]
    return tokens[kept[0] : kept[-1] + 1] if kept else []


def _still_open(tokens: list[Token]) -> list[Token]:
    """What is still open behind them: bold text goes on below a formula that cuts it."""
    still: list[Token] = []
    for token in tokens:
        if token.nesting > 0:
            still.append(token)
        elif token.nesting < 0 and still:
            still.pop()
    return still


def _picture(token: Token) -> Picture:
    if token.type == "embed":
        label = str(token.meta.get("label") or token.content)
        return Picture(label, token.content, Source(f"![[{token.content}]]"))
    target = str(token.attrs.get("src", ""))
    return Picture(token.content or target, target, Source(f"![{token.content}]({target})"))


# How much of a card is drawn, so that no key waits long for it.
#
# The work of reading and laying out a text is estimated from its characters, before any of it is
# read; a text that would take too long is cut where a line ends.

#: What a card may cost, in less than microseconds; its question and its solution share it.
MOST = 130_000
#: What all options of a card may cost, and each of them beside its text.
OPTIONS, OPTION = 25_000, 150
#: Cells of a table that are drawn, lines of text within them counted one by one.
CELLS = 4_000
#: Tokens that the macros of a text may make.
MACROS = 10_000
REST = "The rest is not shown here: it is too large. `deltadeck show` prints all of it."
# Costs: of a line, a sign, a word, a letter beyond ASCII, a letter of a long word, a space in front
# of a line, a cell that a short row of a table lacks.
_LINE, _SIGN, _WORD, _BEYOND_ASCII, _LONG, _INDENT, _CELL = 50, 9, 4, 3, 3, 4, 20
_SIGNS = re.compile(r"[^\w\s]|_")
_DEAR = {"\\left": 200, "\\": 8, "[": 30, "![": 80, "|": 5, "$": 12, ">": 24, "*": 4, "_": 4}
_FRONT = re.compile(r"[ \t]*")
_LONG_WORD = re.compile(r"\w{30,}")
_COLUMNS = re.compile(r"[ \t>]*\|?[ \t:]*-[-| \t:]*")
#: A longer line is weighed, and cut, in pieces.
_PIECE = 200


def cut(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text that costs no more than `most`, and what it costs."""
    at = spent = columns = 0
    while at < len(text):
        end = text.find("\n", at, at + _PIECE) + 1 or at + _PIECE
        piece = text[at:end]
        cost = _cost(piece) + columns * _CELL * piece.count("\n")
        if spent + cost > most:
            return _whole_lines(text[:at]), spent
        if not piece.strip():
            columns = 0
        elif _COLUMNS.fullmatch(piece.rstrip("\n")):
            columns += piece.count("|")
        spent, at = spent + cost, end
    return text, spent


def shares(question: str, solution: str) -> tuple[str, str]:
    """The beginnings of a card's two texts; what one leaves, the other has."""
    _, told = cut(solution, MOST // 2)
    question, asked = cut(question, MOST - told)
    return question, cut(solution, MOST - asked)[0]


def _cost(piece: str) -> int:
    front = _FRONT.match(piece)
    return (
        len(piece)
        + _LINE * piece.count("\n")
        + _SIGN * len(_SIGNS.findall(piece))
        + _WORD * piece.count(" ")
        + _BEYOND_ASCII * (len(piece.encode("utf-8", "surrogatepass")) - len(piece))
        + _LONG * sum(map(len, _LONG_WORD.findall(piece)))
        + _INDENT * (front.end() if front else 0)
        + sum(dear * piece.count(sign) for sign, dear in _DEAR.items())
    )


def _whole_lines(text: str) -> str:
    """Without a last line that was cut, where that leaves most of the text."""
    end = text.rfind("\n") + 1
    return text[:end] if end > len(text) // 2 else text
