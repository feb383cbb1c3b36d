"""HTML page, Markdown file, pictures."""

from __future__ import annotations

import base64
import mimetypes
import os
import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import IO, Any
from unicodedata import normalize
from urllib.parse import unquote

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from cards.files import open_regular
from cards.links import find, leaves
from cards.markdown import parser
from cards.math import Macro, parse
from cards.model import Card
from cards.text import printable
from deck.decks import deck_path
from deck.errors import reason
from deck.exchange.export.mathml import mathml
from deck.exchange.export.source import (
    Progress,
    Report,
    Source,
    answered,
    options,
    with_gaps,
    without_gaps,
)

# == Markdown as HTML: what is no text (formulas, pictures, links) is written by whoever asks.


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


# == How the page looks, on the screen and on paper: black on white, cards whole where they fit.


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


# == Pictures that cards show: where their files are, and a name for each in one flat folder.


_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:", re.IGNORECASE)
#: What Anki plays, and what it shows.
PLAYED = frozenset(
    {".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a", ".aac", ".mp4", ".webm"}
)
SHOWN = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp", ".tif"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
#: What no system's and no program's media folder takes in a name.
_ODD = re.compile(r'[\[\]<>:"/?*^\\|\x00-\x1f\x7f]+')
#: Bytes of a name, its ending included; file systems take 255.
_LONGEST = 120
#: Bytes of a picture; larger is no picture for a card.
_LARGEST = 100 * 2**20


def is_medium(target: str) -> bool:
    """Whether a link leads to a picture or a sound beside the cards: a file to take along."""
    name = unquote(target).split("#", 1)[0].strip()
    return (
        not _SCHEME.match(name) and not _ADDRESS.match(name) and ending_of(name) in PLAYED | SHOWN
    )


def ending_of(name: str) -> str:
    """ ".mp3" of "a.MP3"."""
    return Path(name).suffix.lower()


def linked(text: str) -> list[str]:
    """The media that a text links to without showing them; code and formulas left out."""
    if "[" not in text:
        return []
    names = [each.name for each in find(text) if not each.embed and each.kind != "wiki"]
    return [name for name in dict.fromkeys(names) if is_medium(name)]


@dataclass(frozen=True, slots=True)
class Picture:
    """A file to be shown, or the reason why there is none."""

    path: Path | None
    why: str = ""


@dataclass(slots=True)
class Pictures:
    """Finds pictures below `root`, never outside of it."""

    root: Path
    _real: Path = field(init=False)
    _by_name: dict[str, Path] | None = None

    def __post_init__(self) -> None:
        self._real = self.root.resolve()

    def find(self, target: str, card: Path | None) -> Picture:
        """The file that a card means: beside it, then below the collection, then by its name
        anywhere in it, as Obsidian does."""
        name = unquote(target).split("#", 1)[0].strip()
        if _ADDRESS.match(name):
            return Picture(None, "it is on the web, and nothing is fetched")
        if not name or (leaves(target) and leaves(name)):
            return Picture(None, "it is outside of the collection")
        for folder in [*([card.parent] if card else []), self.root]:
            if (found := self._usable(folder / name)) is not None:
                return found
        path = self._anywhere().get(Path(name).name.casefold())
        return (path and self._usable(path)) or Picture(None, "there is no such file")

    def _usable(self, path: Path) -> Picture | None:
        try:
            if not path.is_file():
                return None
            # A link in a shared deck must not carry a private file away.
            if not path.resolve().is_relative_to(self._real):
                return Picture(None, "it is a link that leaves the collection")
            if path.stat().st_size > _LARGEST:
                return Picture(None, f"it is larger than {_LARGEST // 2**20} MB")
        except (OSError, ValueError):
            return None
        return Picture(path)

    def _anywhere(self) -> dict[str, Path]:
        """Every file that is no card, by its name; of two alike the first one."""
        if self._by_name is None:
            self._by_name = {}
            for folder, folders, names in os.walk(self.root):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(names):
                    if not name.startswith(".") and not name.lower().endswith(".md"):
                        self._by_name.setdefault(name.casefold(), Path(folder) / name)
        return self._by_name


@dataclass(slots=True)
class Names:
    """Gives each file a name of its own in one folder without folders."""

    _of: dict[Path, str] = field(default_factory=dict)
    _taken: dict[str, Path] = field(default_factory=dict)

    def name(self, path: Path) -> str:
        if path not in self._of:
            name = media_name(path.name)
            if name.casefold() in self._taken:
                stem, dot, ending = name.rpartition(".")
                mark = blake2b(os.fsencode(path), digest_size=4).hexdigest()
                name = f"{stem}-{mark}.{ending}" if dot else f"{name}-{mark}"
            self._taken[name.casefold()] = path
            self._of[path] = name
        return self._of[path]

    def files(self) -> dict[str, Path]:
        """By the names given, in their order."""
        return {name: path for path, name in self._of.items()}


def media_name(name: str) -> str:
    """`name` as a file's name that every system takes."""
    plain = normalize("NFC", _ODD.sub("_", os.fsencode(name).decode("utf-8", "replace")))
    stem, dot, ending = plain.strip(" .").rpartition(".")
    if not dot:
        stem, ending = ending, ""
    room = _LONGEST - len(ending.encode()) - 1
    short = stem.encode()[: max(room, 1)].decode("utf-8", "ignore") or "picture"
    return f"{short}.{ending}" if dot else short


def read_picture(path: Path) -> bytes:
    """The bytes of a picture.  Raises OSError."""
    with open_regular(path) as file:
        return file.read(_LARGEST)


# == Cards as one HTML page for printing: mathematics as MathML, pictures inside, nothing asked of
# anybody: no script, no style sheet, no font and no picture of another file.


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
