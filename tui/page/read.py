"""Markdown to blocks, parsed once; the widths come later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tui.page.blocks import (
    Align,
    Block,
    Break,
    Code,
    Display,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Picture,
    Quote,
    Table,
    Units,
)
from tui.page.formula import Formula
from tui.page.model import Fold, Source
from tui.page.units import Context, units
from tui.text import visible

if TYPE_CHECKING:
    from markdown_it.token import Token

_TASK = re.compile(r"\[([ xX])\][ \t]+")
_BULLETS = "•◦▪"
PLAIN = Context()


def read(markdown: str, context: Context = PLAIN) -> Document:
    """What a Markdown text says."""
    from cards.markdown import parser

    reader = _Reader(parser().parse(visible(markdown)), context)
    return Document(reader.blocks(), reader.folds)


def line(markdown: str, context: Context = PLAIN) -> Units:
    """One line of Markdown, such as an option."""
    from cards.markdown import parser

    (token,) = parser().parseInline(visible(markdown))
    return units(token.children or [], context)


class _Reader:
    """Goes through the tokens once; every method leaves `at` behind what it has read."""

    def __init__(self, tokens: list[Token], context: Context) -> None:
        self.tokens = tokens
        self.context = context
        self.at = 0
        self.depth = 0
        """Of lists and quotes."""
        self.bullets = 0
        self.folds = 0

    def blocks(self, closing: str = "") -> tuple[Block, ...]:
        """The blocks up to a closing token of that type."""
        found: list[Block] = []
        while self.at < len(self.tokens):
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
                return [self._display(token.content)]
            case "fence":
                return [Code(token.content, (token.info.split() or [""])[0])]
            case "code_block" | "html_block":
                return [Code(token.content, "")]
            case "hr":
                return [Break()]
            case "bullet_list_open" | "ordered_list_open":
                return [self._list(token)]
            case "blockquote_open":
                return [Quote(self._inside("blockquote_close"))]
            case "table_open":
                return [self._table()]
        return []

    def _inline(self) -> list[Token]:
        """The inline tokens that stand next, their closing token passed over."""
        token = self.tokens[self.at]
        self.at += 2
        return token.children or []

    def _inside(self, closing: str) -> tuple[Block, ...]:
        self.depth += 1
        found = self.blocks(closing)
        self.depth -= 1
        return found

    def _display(self, tex: str) -> Display:
        return Display(Formula(tex.strip("\n"), True, "", self.context.macros))

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
            if text := units(_bare(part), self.context):
                found.append(Paragraph(text, tight or bool(found)))
            if child is not None:
                found.append(self._display(child.content))
                part = _open(part)
        return found

    def _heading(self, level: int) -> Heading:
        children = self._inline()
        text = units(children, self.context, f"heading{level}")
        if self.depth:
            return Heading(text, level, None)
        fold = Fold(self.folds, level, "#" * level + " ")
        self.folds += 1
        return Heading(text, level, fold)

    def _list(self, token: Token) -> Listing:
        ordered = token.type.startswith("ordered")
        number = int(token.attrs.get("start", 1))
        closing = token.type.replace("_open", "_close")
        bullet = _BULLETS[min(self.bullets, len(_BULLETS) - 1)]
        self.bullets += not ordered
        items: list[Item] = []
        tight = True
        while self.at < len(self.tokens) and self.tokens[self.at].type != closing:
            self.at += 1  # list_item_open
            mark, copy = (f"{number + len(items)}.",) * 2 if ordered else (bullet, "-")
            done = None if ordered else self._task()
            if done is not None:
                mark, copy = ("☑", "- [x]") if done else ("☐", "- [ ]")
            tight = tight and not self._loose()
            items.append(Item(mark, f"{copy} ", self._inside("list_item_close")))
        self.at += 1
        self.bullets -= not ordered
        return Listing(tuple(items), tight)

    def _loose(self) -> bool:
        token = self.tokens[self.at]
        return token.type == "paragraph_open" and not token.hidden

    def _task(self) -> bool | None:
        """Whether the item that begins here is done; None where it is no task."""
        ahead = self.tokens[self.at : self.at + 2]
        if len(ahead) < 2 or ahead[1].type != "inline" or not ahead[1].children:
            return None
        first = ahead[1].children[0]
        found = _TASK.match(first.content) if first.type == "text" else None
        if found is None:
            return None
        first.content = first.content[found.end() :]
        return found[1] != " "

    def _table(self) -> Table:
        aligns: list[Align] = []
        rows: list[tuple[Units, ...]] = []
        cells: list[Units] = []
        while (token := self.tokens[self.at]).type != "table_close":
            self.at += 1
            if token.type in ("th_open", "td_open"):
                head = token.type == "th_open"
                if head:
                    aligns.append(_align(str(token.attrs.get("style", ""))))
                cells.append(units(self._inline(), self.context, "bold" if head else ""))
            elif token.type == "tr_close":
                rows.append(tuple(cells))
                cells = []
        self.at += 1
        return Table(tuple(aligns), rows[0], tuple(rows[1:]))


def _bare(tokens: list[Token]) -> list[Token]:
    """Without the line breaks at its ends."""
    start, end = 0, len(tokens)
    while start < end and tokens[start].type == "softbreak":
        start += 1
    while end > start and tokens[end - 1].type == "softbreak":
        end -= 1
    return tokens[start:end]


def _open(tokens: list[Token]) -> list[Token]:
    """What is still open behind them: bold text goes on below a formula that cuts it."""
    still: list[Token] = []
    for token in tokens:
        if token.nesting > 0:
            still.append(token)
        elif token.nesting < 0 and still:
            still.pop()
    return still


def _align(style: str) -> Align:
    return "right" if "right" in style else "center" if "center" in style else "left"


def _picture(token: Token) -> Picture:
    if token.type == "embed":
        label = str(token.meta.get("label") or token.content)
        return Picture(label, token.content, Source(f"![[{token.content}]]"))
    target = str(token.attrs.get("src", ""))
    return Picture(token.content or target, target, Source(f"![{token.content}]({target})"))
