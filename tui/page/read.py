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
    Quote,
    Table,
    Units,
)
from tui.page.limits import REST
from tui.page.model import Fold
from tui.page.tokens import align_of, bare, picture_of, still_open
from tui.page.units import Builder, Context, Scope, footnote, units
from tui.text import visible

if TYPE_CHECKING:
    from markdown_it.token import Token

_TASK = re.compile(r"\[([ xX])\][ \t]+")
_CALLOUT = re.compile(r"\[!([A-Za-z][\w-]{0,40})\][+-]?[ \t]*")
_BULLETS = "•◦▪"
PLAIN = Context()


def read(markdown: str, context: Context = PLAIN, whole: bool = True) -> Document:
    """What a Markdown text says.

    `whole` is False for the beginning of one that is too large to be drawn: its end says so.
    """
    from cards.markdown import parser

    env = {"line_breaks": context.line_breaks}
    reader = _Reader(parser().parse(visible(markdown), env), context)
    blocks = reader.blocks()
    if not whole or reader.scope.made > context.most:
        blocks += (rest(),)
    return Document(blocks, reader.folds, reader.scope.macros)


def rest() -> Paragraph:
    """Says that there is more."""
    return Paragraph(Builder.words(REST, "warning"))


class _Reader:
    """Goes through the tokens once; every method leaves `at` behind what it has read."""

    def __init__(self, tokens: list[Token], context: Context) -> None:
        # The library puts the way back from a footnote into its last paragraph.
        self.tokens = [token for token in tokens if token.type != "footnote_anchor"]
        self.scope = Scope(context)
        self.at = 0
        self.depth = 0
        """Of lists and quotes."""
        self.bullets = 0
        self.folds = 0

    def blocks(self, closing: str = "") -> tuple[Block, ...]:
        """The blocks up to a closing token of that type."""
        found: list[Block] = []
        while self.at < len(self.tokens) and self.scope.made <= self.scope.context.most:
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

    def _display(self, tex: str, sign: str) -> Display:
        return Display(self.scope.formula(tex.strip("\n"), True, sign))

    def _paragraph(self, tight: bool) -> list[Block]:
        """A paragraph, cut where it holds a display formula or is nothing but a picture."""
        children = self._inline()
        if len(children) == 1 and children[0].type in ("image", "embed"):
            return [picture_of(children[0])]
        found: list[Block] = []
        part: list[Token] = []
        for child in [*children, None]:
            if child is not None and child.type != "math_inline_double":
                part.append(child)
                continue
            if text := units(bare(part), self.scope):
                found.append(Paragraph(text, tight or bool(found)))
            if child is not None:
                found.append(self._display(child.content, child.markup))
                part = still_open(part)
        return found

    def _heading(self, level: int) -> Heading:
        children = self._inline()
        text = units(children, self.scope, f"heading{level}")
        if self.depth:
            return Heading(text, level, None)
        fold = Fold(self.folds, level, "#" * level + " ")
        self.folds += 1
        return Heading(text, level, fold)

    def _quote(self) -> Quote:
        """A quote; a callout where it begins with `[!kind]`."""
        ahead = self.tokens[self.at : self.at + 2]
        children = (ahead[-1].children or []) if len(ahead) == 2 else []
        first = children[0] if children and ahead[1].type == "inline" else None
        found = _CALLOUT.match(first.content) if first and first.type == "text" else None
        if first is None or found is None:
            return Quote(self._inside("blockquote_close"))
        first.content = first.content[found.end() :]
        ends = (n for n, child in enumerate(children) if child.type in ("softbreak", "hardbreak"))
        end = next(ends, len(children))
        title = units(children[:end], self.scope, "callout")
        ahead[1].children = children[end + 1 :]
        if not ahead[1].children:
            self.at += 3
        kind = found[1]
        named = title or Builder.words(kind.capitalize(), "callout")
        return Quote(self._inside("blockquote_close"), named, kind, bool(title))

    def _footnotes(self) -> Listing:
        """Those of the whole text, at its end."""
        items: list[Item] = []
        while self.at < len(self.tokens) and self.tokens[self.at].type == "footnote_open":
            meta = self.tokens[self.at].meta
            self.at += 1
            blocks = self._inside("footnote_close")
            items.append(Item(footnote(meta["id"]), f"[^{meta['label']}]: ", blocks))
        self.at += 1
        return Listing(tuple(items), True)

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
                    aligns.append(align_of(str(token.attrs.get("style", ""))))
                cells.append(units(self._inline(), self.scope, "head" if head else ""))
            elif token.type == "tr_close":
                rows.append(tuple(cells))
                cells = []
        self.at += 1
        return Table(tuple(aligns), rows[0], tuple(rows[1:]))
