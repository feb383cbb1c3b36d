"""Cards as one HTML page for printing: mathematics as MathML, pictures inside, nothing asked of
anybody: no script, no style sheet, no font and no picture of another file."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import IO

from cards.math import Macro, parse
from cards.model import Card
from cards.text import printable
from deck.decks import deck_path
from deck.errors import reason
from deck.exchange.export.html import Hooks, html_of, words_for
from deck.exchange.export.mathml import mathml
from deck.exchange.export.media import Pictures, is_medium, read_picture
from deck.exchange.export.page_style import STYLE
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source
from deck.exchange.export.texts import answered, options, with_gaps, without_gaps

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp"})
#: Headings of a card stand below the page's own.
_BELOW = 3
_Macros = tuple[tuple[str, str | Macro], ...]


def write_page(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """Questions and solutions, deck by deck."""
    title = escape(printable(source.root.resolve().name) or "Cards")
    file.write(_head(title, f"{source.now:%Y-%m-%d}").encode())
    writer = _Writer(source, report, Pictures(source.root))
    deck: tuple[str, ...] = ()
    for number, card in enumerate(source.cards(report, progress, by_deck=True), 1):
        here = deck_path(card, source.root)
        if here != deck:
            deck = here
            file.write(
                f"<h2>{escape(printable(' › '.join(deck)))}</h2>\n".encode("utf-8", "replace")
            )
        file.write(writer.article(card, number).encode("utf-8", "replace"))
    file.write(b"</main>\n</body>\n</html>\n")
    report.without("Reviews and schedules are not in it.")


def _head(title: str, day: str) -> str:
    return (
        "<!DOCTYPE html>\n<html>\n<head>\n"
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{title}</h1>\n<p class="day">{day}</p>\n'
    )


@dataclass(slots=True)
class _Writer:
    source: Source
    report: Report
    pictures: Pictures

    def article(self, card: Card, number: int) -> str:
        """One card."""
        self.report.count("cards")
        side = _Side(self, card)
        parts = [f'<article>\n<p class="facts">{_facts(card, number)}</p>\n']
        question = side.html(with_gaps(card), f"q{number}")
        parts.append(f'<section class="question">\n{question}\n')
        if card.is_choice:
            parts += ['<ul class="options">\n', *self._options(card, side, number), "</ul>\n"]
        parts.append("</section>\n")
        told = (without_gaps(card), answered(card), card.solution)
        solution = "\n\n".join(part for part in told if part)
        if solution:
            html = side.html(solution, f"s{number}")
            parts.append(f'<section class="solution">\n<h3>Solution</h3>\n{html}\n</section>\n')
        return "".join([*parts, "</article>\n"])

    def _options(self, card: Card, side: _Side, number: int) -> Iterator[str]:
        for letter, text in options(card):
            html = side.html(text, f"o{number}{letter}")
            yield f"<li><b>{escape(letter)})</b> <div>{html}</div></li>\n"


def _facts(card: Card, number: int) -> str:
    facts = [str(number), card.id, card.type.replace("_", " ")]
    return " · ".join(f"<span>{escape(fact)}</span>" for fact in facts)


class _Side:
    """The texts of one card, in their order: a formula may define macros for later ones."""

    def __init__(self, writer: _Writer, card: Card) -> None:
        self._writer, self._card = writer, card
        known = {**writer.source.collection.config.macros, **card.macros}
        self._macros: _Macros = tuple(known.items())

    def html(self, markdown: str, unique: str) -> str:
        breaks = self._writer.source.collection.config.breaks_lines(self._card)
        hooks = Hooks(self._formula, self._picture, self._opened, _closed, _linked, breaks)
        return html_of(markdown, hooks, unique, _BELOW)

    def _formula(self, tex: str, display: bool) -> str:
        html, problem, defined = _typeset(tex, display, self._macros)
        if problem:
            self._writer.report.lose(self._card.id, f"A formula is not read whole: {problem}")
        if defined:
            self._macros = tuple({**dict(self._macros), **dict(defined)}.items())
        return html

    def _picture(self, target: str, label: str) -> str:
        found = self._writer.pictures.find(target, self._card.path)
        path, why = found.path, found.why
        if path is not None and path.suffix.lower() not in _PICTURES:
            path, why = None, "it is no picture that a page can show"
        if path is not None:
            try:
                return _image(path, label)
            except OSError as error:
                why = reason(error)
        self._writer.report.lose(self._card.id, f"The picture {target!a} is not in it: {why}.")
        return words_for(label, why)

    def _opened(self, address: str) -> str:
        if is_medium(address):
            what = "Sounds and pictures that a card only links to are not in it."
            self._writer.report.without(what, self._card.id)
        return '<span class="link">'


@lru_cache(4096)
def _typeset(tex: str, display: bool, macros: _Macros) -> tuple[str, str, _Macros]:
    """A formula's MathML, what is wrong with it, and the macros that it defines."""
    formula = parse(tex, dict(macros))
    problem = formula.problems[0].message if formula.problems else ""
    return mathml(formula, display), problem, tuple(formula.macros.items())


def _image(path: Path, label: str) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "image/png"
    data = base64.b64encode(read_picture(path)).decode("ascii")
    return f'<img alt="{escape(label)}" src="data:{kind};base64,{data}">'


def _closed(address: str) -> str:
    """On paper an address must be read."""
    return (
        f' <span class="address">&lt;{escape(address)}&gt;</span></span>' if address else "</span>"
    )


def _linked(_: str, label: str) -> str:
    return f'<span class="link">{escape(label)}</span>'
