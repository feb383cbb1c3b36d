"""A card as the fields of a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha1
from html import escape, unescape
from urllib.parse import unquote

from cards.math import Macro, parse
from cards.model import Card
from deck.config import Config
from deck.exchange.export.apkg.clozes import marked, restored
from deck.exchange.export.apkg.mathjax import mathjax
from deck.exchange.export.apkg.notetypes import BASIC, CLOZE, REVERSED
from deck.exchange.export.html import Hooks, html_of, words_for
from deck.exchange.export.media import PLAYED, SHOWN, Names, Pictures, ending_of, is_medium
from deck.exchange.export.report import Report
from deck.exchange.export.texts import answered, asked, options

_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|[gex]?def|let|Declare[A-Za-z]+)(?![A-Za-z])"
)
_MEDIA = re.compile(r"<img[^>]+src=[\"']?([^\"'>]+)[\"']?[^>]*>", re.IGNORECASE)
_TAGS = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)


#: Around the words of a link to a sound: they are its file's name as a rule, and not said twice.
_SOUND = re.compile(r"\x02(.*?)\x1e(.*?)\x03", re.DOTALL)


@dataclass(slots=True)
class Maker:
    """Makes fields, and knows the pictures that they show."""

    config: Config
    pictures: Pictures
    report: Report
    names: Names = field(default_factory=Names)

    def fields(self, card: Card) -> tuple[int, tuple[str, str]]:
        """The type of the note, and its two fields as HTML."""
        side = _Side(self, card, {**self.config.macros, **card.macros})
        if card.type == "cloze":
            text = side.clozes(asked(card))
            return CLOZE, (text, side.html(card.solution) if card.solution else "")
        front = side.html(asked(card))
        if card.is_choice:
            front += f'\n<ul class="options">{"".join(side.options())}</ul>'
        back = "\n\n".join(part for part in (answered(card), card.solution) if part)
        return (REVERSED if card.type == "reversed" else BASIC), (front, side.html(back))


@dataclass(slots=True)
class _Side:
    maker: Maker
    card: Card
    macros: dict[str, str | Macro]

    def html(self, markdown: str) -> str:
        breaks = self.maker.config.breaks_lines(self.card)
        hooks = Hooks(self._formula, self._picture, self._opened, _closed, self._linked, breaks)
        html = html_of(markdown, hooks).replace("\x1f", " ")
        return _SOUND.sub(_sounding, html).replace("\x03", "") if "\x03" in html else html

    def options(self) -> list[str]:
        found = options(self.card)
        return [f"<li>{escape(letter)}) {self.html(text)}</li>" for letter, text in found]

    def clozes(self, markdown: str) -> str:
        made = marked(markdown)
        html = restored(self.html(made.text), made) if made is not None else None
        if html is None:
            self.maker.report.lose(self.card.id, "Its clozes stand there as plain text.")
            return escape(markdown, quote=False).replace("\n", "<br>")
        return html

    def _formula(self, tex: str, display: bool) -> str:
        html = mathjax(tex, display, self.macros)
        if _DEFINES.search(tex):
            self.macros = {**self.macros, **parse(tex, self.macros).macros}
        return html

    def _picture(self, target: str, label: str) -> str:
        found = self.maker.pictures.find(target, self.card.path)
        if found.path is None:
            what = f"The picture {target!a} is not in it: {found.why}."
            self.maker.report.lose(self.card.id, what)
            return words_for(label, found.why)
        name = self.maker.names.name(found.path)
        ending = found.path.suffix.lower()
        if ending in PLAYED:
            return f"[sound:{escape(name, quote=False)}]"
        if ending in SHOWN:
            return f'<img src="{escape(name)}" alt="{escape(label)}">'
        return f'<a href="{escape(name)}">{escape(label or name)}</a>'

    def _opened(self, address: str) -> str:
        """A link to a medium of the collection takes it along; Anki plays sounds."""
        if not is_medium(address):
            return f'<a href="{escape(address)}">'
        found = self.maker.pictures.find(address, self.card.path)
        if found.path is None:
            self.maker.report.lose(self.card.id, f"The file {address!a} is not in it: {found.why}.")
            return f'<a href="{escape(address)}">'
        name = escape(self.maker.names.name(found.path), quote=False)
        if found.path.suffix.lower() in PLAYED:
            return f"\x02[sound:{name}]\x1e"
        return f'<a href="{escape(self.maker.names.name(found.path))}">'

    def _linked(self, _: str, label: str) -> str:
        self.maker.report.without("Links between cards are plain text.", self.card.id)
        return f"<u>{escape(label)}</u>"


def _closed(address: str) -> str:
    return "</a>\x03" if ending_of(unquote(address)) in PLAYED else "</a>"


def _sounding(found: re.Match[str]) -> str:
    """A sound, behind the words of its link where they are no file's name."""
    words = found[2].removesuffix("</a>")
    named = ending_of(unescape(words)) in PLAYED or not words.strip()
    return found[1] if named else f"{words} {found[1]}"


def sort_field(html: str) -> str:
    """What Anki sorts a note by: the field's words, and the names of its pictures."""
    text = _TAGS.sub("", _MEDIA.sub(r" \1 ", html))
    return unescape(text).replace("\xa0", " ").strip()


def checksum(html: str) -> int:
    """By which Anki finds duplicates: the first 8 hexadecimal digits of SHA-1."""
    text = unescape(_TAGS.sub("", _MEDIA.sub(r" \1 ", html)))
    return int(sha1(text.encode(), usedforsecurity=False).hexdigest()[:8], 16)


_SIGNED = re.compile(r"<!--deltadeck ([01]) ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9a-f]{16})-->")
_PIECE = re.compile(
    r"(<!--.*?-->)|<(/?)([A-Za-z][\w-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)>", re.DOTALL
)
_ATTRIBUTE = re.compile(r"([\w-]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_ALIKE = {"b": "strong", "i": "em", "strike": "s", "del": "s"}
_BREAKS = {"p", "div", "br"}
_BLOCKS = "ul|ol|li|table|thead|tbody|tr|td|th|blockquote|pre|h[1-6]|hr|section"
_AROUND_BLOCK = re.compile(rf"[\s\x01]*(</?(?:{_BLOCKS})\b[^<>]*>)[\s\x01]*")


def tag_of(name: str) -> str:
    """A tag as Anki has it, without a space."""
    return name.replace(" ", "_")


def tags_of(names: Iterable[str]) -> str:
    """Tags in one spelling: Anki sorts them, and takes `A` for `a`."""
    return " ".join(sorted({tag_of(name).casefold() for name in names}))


def signed(fields: tuple[str, str], tags: Iterable[str]) -> tuple[str, str]:
    """The fields with a comment in each that tells an import whether a field or the tags were
    edited since."""
    marks = " ".join(map(digest, (*fields, tags_of(tags))))
    front, back = (f"{html}<!--deltadeck {n} {marks}-->" for n, html in enumerate(fields))
    return front, back


def signature(fields: Sequence[str]) -> tuple[list[str], tuple[str, str, str] | None]:
    """A note's fields in our order, and the digests with which they and the tags were exported, if
    any."""
    found = [_SIGNED.search(html) for html in fields]
    places = [int(each[1]) if each else n for n, each in enumerate(found)]
    order = sorted(range(len(fields)), key=lambda n: places[n])
    sign = next((each for each in found if each), None)
    return [fields[n] for n in order], (sign[2], sign[3], sign[4]) if sign else None


def digest(html: str) -> str:
    """Of a field's HTML, however an editor writes the same."""
    return blake2b(plain(html).encode("utf-8", "replace"), digest_size=8).hexdigest()


def plain(html: str) -> str:
    """A field's HTML in one spelling; paragraphs and line breaks are alike."""
    parts: list[str] = []
    at, code = 0, 0
    for found in [*_PIECE.finditer(html), None]:
        text = unescape(html[at : found.start() if found else None]).replace("\xa0", " ")
        text = text.replace("<", "\x04").replace(">", "\x05")
        parts.append(text.replace(" ", "\x02").replace("\n", "\x03") if code else text)
        if found is None:
            break
        at = found.end()
        name = _ALIKE.get(tag := (found[3] or "").lower(), tag)
        code += (name == "pre") * (-1 if found[2] else 1)
        if name in _BREAKS:
            parts.append("\x03" if code > 0 else "\x01")
        elif name:
            more = sorted((n, unescape(v.strip("\"'"))) for n, v in _ATTRIBUTE.findall(found[4]))
            said = "".join(f" {n}={v!a}" for n, v in more).replace(">", "\x05")
            parts.append(f"<{found[2]}{name}{said}>")
    text = _AROUND_BLOCK.sub(r"\1", "".join(parts))
    return re.sub(r"\s+", " ", re.sub(r"[\s\x01]*\x01[\s\x01]*", "\x01", text)).strip(" \x01")
