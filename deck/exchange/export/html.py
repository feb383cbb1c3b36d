"""Markdown as HTML: what is no text (formulas, pictures, links) is written by whoever asks."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from cards.markdown import parser


@dataclass(frozen=True, slots=True)
class Hooks:
    """Each returns HTML."""

    formula: Callable[[str, bool], str]
    """LaTeX, and whether it stands in a block of its own."""
    picture: Callable[[str, str], str]
    """What the card names, and the words that stand for it."""
    opened: Callable[[str], str]
    """The beginning of a link to an address."""
    closed: Callable[[str], str]
    """Its end."""
    linked: Callable[[str, str], str]
    """The name in a [[wikilink]], and its label."""
    line_breaks: bool = False
    """Whether those of the text stay."""


def html_of(markdown: str, hooks: Hooks, unique: str = "", below: int = 0) -> str:
    """The text as HTML, without scripts: raw HTML stays text.

    `unique` tells the footnotes of one text from another's on the same page; headings stand
    `below` so many levels of the page's own.
    """
    md = parser()
    environment: dict[str, Any] = {"docId": unique} if unique else {}
    environment["line_breaks"] = hooks.line_breaks
    tokens = md.parse(markdown, environment)
    for token in tokens if below else ():
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + below, 6)}"
    environment[_HOOKS], environment[_ADDRESSES] = hooks, []
    return _renderer().render(tokens, md.options, environment).strip()


_Env = MutableMapping[str, Any]
_HOOKS, _ADDRESSES = "deltadeck hooks", "deltadeck addresses"


@cache
def _renderer() -> _Renderer:
    """One for all: looking for its rules takes as long as a short text."""
    return _Renderer()


class _Renderer(RendererHTML):
    """The library's, with the tokens of `cards.markdown`."""

    def __init__(self) -> None:
        super().__init__()
        known = parser().renderer
        if isinstance(known, RendererHTML):
            own = {name: rule for name, rule in known.rules.items() if name.startswith("footnote")}
            self.rules.update(own)

    def math_inline(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        return _hooks(env).formula(tokens[idx].content, False)

    def math_inline_double(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        return _hooks(env).formula(tokens[idx].content, True)

    def math_block(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        return f"{_hooks(env).formula(tokens[idx].content, True)}\n"

    def wikilink(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        token = tokens[idx]
        return _hooks(env).linked(token.content, str(token.meta["label"]))

    def embed(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        token = tokens[idx]
        return _hooks(env).picture(token.content, str(token.meta["label"]))

    def image(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: _Env,
    ) -> str:
        token = tokens[idx]
        words = self.renderInlineAsText(token.children or [], options, env)
        return _hooks(env).picture(str(token.attrs.get("src", "")), words)

    def link_open(self, tokens: Sequence[Token], idx: int, _: object, env: _Env) -> str:
        env[_ADDRESSES].append(str(tokens[idx].attrs.get("href", "")))
        return _hooks(env).opened(env[_ADDRESSES][-1])

    def link_close(self, _: object, __: int, ___: object, env: _Env) -> str:
        return _hooks(env).closed(env[_ADDRESSES].pop() if env[_ADDRESSES] else "")


def _hooks(env: _Env) -> Hooks:
    found: Hooks = env[_HOOKS]
    return found


def words_for(label: str, why: str) -> str:
    """What stands in the place of a picture that cannot be shown."""
    return f'<span class="missing">[{escape(label or "picture")}: {escape(why)}]</span>'
