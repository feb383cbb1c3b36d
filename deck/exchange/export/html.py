"""Cards as one HTML page for printing, and Markdown as HTML.

The page has mathematics as MathML and its pictures inside, and asks nothing of anybody: no script,
no style sheet, no font and no picture of another file.
"""

from __future__ import annotations

import base64
import mimetypes
from functools import lru_cache
from html import escape
from typing import IO, Any, Protocol

from markdown_it.token import Token

from cards.files import open_regular
from cards.markdown import parser
from cards.math import Macro, parse
from cards.model import Card
from cards.text import printable
from deck.decks import deck_path
from deck.errors import reason
from deck.exchange.export.mathml import mathml
from deck.exchange.export.source import (
    ExportReport,
    ExportSource,
    Pictures,
    Progress,
    answered,
    is_medium,
    options,
    with_gaps,
    without_gaps,
)

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_SHOWN = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp"})
_HEAD = """\
<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="day">{day}</p>
"""
#: Headings of a card stand below the page's own.
_BELOW = 3
_Macros = tuple[tuple[str, str | Macro], ...]


def write_page(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """Questions and solutions, deck by deck."""
    title = escape(printable(source.root.resolve().name) or "Cards")
    head = _HEAD.format(title=title, policy=_POLICY, style=STYLE, day=f"{source.now:%Y-%m-%d}")
    file.write(head.encode())
    pictures = Pictures(source.root)
    deck: tuple[str, ...] = ()
    for number, card in enumerate(source.cards(report, progress, by_deck=True), 1):
        report.count("cards")
        html = _Article(source, report, pictures, card).html(number)
        if (here := deck_path(card, source.root)) != deck:
            deck = here
            html = f"<h2>{escape(printable(' › '.join(deck)))}</h2>\n{html}"
        file.write(html.encode("utf-8", "replace"))
    file.write(b"</main>\n</body>\n</html>\n")
    report.without("Reviews and schedules are not in it.")


class _Article:
    """One card.  Its texts come in their order: a formula may define macros for later ones."""

    def __init__(
        self, source: ExportSource, report: ExportReport, pictures: Pictures, card: Card
    ) -> None:
        config = source.collection.config
        self.line_breaks = config.breaks_lines(card)
        self._report, self._pictures, self._card = report, pictures, card
        self._macros: _Macros = tuple({**config.macros, **card.macros}.items())

    def html(self, number: int) -> str:
        def text(markdown: str, unique: str) -> str:
            return html_of(markdown, self, unique, _BELOW)

        card = self._card
        facts = (str(number), card.id, card.type.replace("_", " "))
        shown = " · ".join(f"<span>{escape(fact)}</span>" for fact in facts)
        parts = [f'<article>\n<p class="facts">{shown}</p>\n<section class="question">\n']
        parts.append(f"{text(with_gaps(card), f'q{number}')}\n")
        if card.is_choice:
            parts.append('<ul class="options">\n')
            for letter, option in options(card):
                html = text(option, f"o{number}{letter}")
                parts.append(f"<li><b>{escape(letter)})</b> <div>{html}</div></li>\n")
            parts.append("</ul>\n")
        parts.append("</section>\n")
        told = (without_gaps(card), answered(card), card.solution)
        if solution := "\n\n".join(part for part in told if part):
            html = text(solution, f"s{number}")
            parts.append(f'<section class="solution">\n<h3>Solution</h3>\n{html}\n</section>\n')
        return "".join([*parts, "</article>\n"])

    def formula(self, tex: str, display: bool) -> str:
        html, problem, defined = _typeset(tex, display, self._macros)
        if problem:
            self._report.lose(self._card.id, f"A formula is not read whole: {problem}")
        if defined:
            self._macros = tuple({**dict(self._macros), **dict(defined)}.items())
        return html

    def picture(self, target: str, label: str) -> str:
        found = self._pictures.find(target, self._card.path)
        path, why = found.path, found.why
        if path is not None and path.suffix.lower() not in _SHOWN:
            path, why = None, "it is no picture that a page can show"
        if path is not None:
            try:
                with open_regular(path) as file:
                    data = base64.b64encode(file.read()).decode("ascii")
                kind = mimetypes.guess_type(path.name)[0] or "image/png"
                return f'<img alt="{escape(label)}" src="data:{kind};base64,{data}">'
            except OSError as error:
                why = reason(error)
        self._report.lacks(self._card, "picture", target, why)
        return words_for(label, why)

    def opened(self, address: str) -> str:
        if is_medium(address):
            what = "Sounds and pictures that a card only links to are not in it."
            self._report.without(what, self._card.id)
        return '<span class="link">'

    def closed(self, address: str) -> str:
        """On paper an address must be read."""
        shown = f' <span class="address">&lt;{escape(address)}&gt;</span>' if address else ""
        return f"{shown}</span>"

    def linked(self, _: str, label: str) -> str:
        return f'<span class="link">{escape(label)}</span>'


@lru_cache(4096)
def _typeset(tex: str, display: bool, macros: _Macros) -> tuple[str, str, _Macros]:
    """A formula's MathML, what is wrong with it, and the macros that it defines."""
    formula = parse(tex, dict(macros))
    problem = formula.problems[0].message if formula.problems else ""
    return mathml(formula, display), problem, tuple(formula.macros.items())


def words_for(label: str, why: str) -> str:
    """What stands in the place of a picture that cannot be shown."""
    return f'<span class="missing">[{escape(label or "picture")}: {escape(why)}]</span>'


# Markdown as HTML: what is no text (formulas, pictures, links) is written by whoever asks.


class CardHtml(Protocol):
    """Writes a card's formulas, pictures and links; each method returns HTML."""

    line_breaks: bool
    """Whether those of the text stay."""

    def formula(self, tex: str, display: bool) -> str:
        """`display`: it stands in a block of its own."""

    def picture(self, target: str, label: str) -> str:
        """What the card names, and the words that stand for it."""

    def opened(self, address: str) -> str:
        """The beginning of a link."""

    def closed(self, address: str) -> str:
        """Its end."""

    def linked(self, name: str, label: str) -> str:
        """A [[wikilink]]."""


def html_of(markdown: str, card: CardHtml, unique: str = "", below: int = 0) -> str:
    """The text as HTML, without scripts: raw HTML stays text.

    `unique` tells the footnotes of one text from another's on the same page; headings stand
    `below` so many levels of the page's own.
    """
    md = parser()
    environment: dict[str, Any] = {"docId": unique} if unique else {}
    environment["line_breaks"] = card.line_breaks
    tokens = md.parse(markdown, environment)
    for token in tokens if below else ():
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + below, 6)}"
    _write(tokens, card)
    return str(md.renderer.render(tokens, md.options, environment)).strip()


def _write(tokens: list[Token], card: CardHtml) -> None:
    """Puts the card's HTML in the place of formulas, pictures and links."""
    addresses: list[str] = []
    for token in tokens:
        match token.type:
            case "math_inline" | "math_inline_double":
                html = card.formula(token.content, token.type == "math_inline_double")
            case "math_block":
                html = f"{card.formula(token.content, True)}\n"
            case "wikilink":
                html = card.linked(token.content, str(token.meta["label"]))
            case "embed":
                html = card.picture(token.content, str(token.meta["label"]))
            case "image":
                html = card.picture(str(token.attrs.get("src", "")), _words(token))
            case "link_open":
                addresses.append(str(token.attrs.get("href", "")))
                html = card.opened(addresses[-1])
            case "link_close":
                html = card.closed(addresses.pop() if addresses else "")
            case _:
                _write(token.children or [], card)
                continue
        token.type, token.content, token.children = "html_inline", html, None


def _words(picture: Token) -> str:
    """What a picture says in words: its text, and of pictures in that theirs."""
    words = []
    for token in picture.children or []:
        match token.type:
            case "text" | "code_inline":
                words.append(token.content)
            case "image":
                words.append(_words(token))
            case "softbreak" | "hardbreak":
                words.append("\n")
    return "".join(words)


#: How the page looks, on the screen and on paper: black on white, cards whole where they fit.
STYLE = """\
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #000;
  font: 11pt/1.45 "STIX Two Text", "Libertinus Serif", Georgia, "Times New Roman", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
math { font-family: "STIX Two Math", "Latin Modern Math", "Libertinus Math", "Cambria Math",
  "TeX Gyre Termes Math", "DejaVu Math TeX Gyre", "Noto Sans Math", math; }
math[display="block"] { margin: 0.6em 0; overflow-x: auto; overflow-y: hidden; }
h1 { font-size: 1.5em; margin: 0; }
h2 { font-size: 1.2em; margin: 1.6em 0 0.4em; break-after: avoid; }
h3, h4, h5, h6 { font-size: 1em; margin: 0.8em 0 0.3em; break-after: avoid; }
.day, .facts { color: #555; font-size: 0.8em; margin: 0; break-after: avoid; }
article { border-top: 1px solid #999; padding: 0.6em 0 0.8em; break-inside: avoid-page; }
.solution { border-left: 2px solid #bbb; padding-left: 0.8em; margin-top: 0.6em; }
.solution > h3 { margin-top: 0; }
.options { list-style: none; padding-left: 0.5em; }
.options li { display: flex; gap: 0.5em; margin: 0.2em 0; }
.options p { margin: 0; }
.address { font-size: 0.8em; color: #555; overflow-wrap: anywhere; }
.missing { color: #555; font-style: italic; }
.footnotes { font-size: 0.85em; }
p { margin: 0.5em 0; }
pre { background: #f4f4f4; padding: 0.5em; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: 0.85em; }
table { border-collapse: collapse; margin: 0.5em 0; }
th, td { border: 1px solid #999; padding: 0.2em 0.5em; }
img { max-width: 100%; }
blockquote { margin: 0.5em 0 0.5em 1em; }
merror { border: 1px solid #a00; }
@page { margin: 18mm 16mm; }
@media print {
  main { max-width: none; padding: 0; }
  body { font-size: 10pt; }
  h2 { break-before: auto; }
  math[display="block"] { overflow: visible; }
}
"""
