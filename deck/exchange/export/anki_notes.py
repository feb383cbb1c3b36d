"""Cards as the fields of Anki's notes: HTML with MathJax, clozes in Anki's braces.

Each note is signed with digests of what was exported, so that an import tells what was edited in
Anki since (`signature`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha1
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import unquote

from cards.cloze import Cloze, find, rewritten
from cards.math import Macro, parse
from cards.math.latex.parser import table_of, tokens_of
from cards.model import Card
from deck.config import Config
from deck.exchange.export.html import html_of, words_for
from deck.exchange.export.source import (
    PLAYED,
    SHOWN,
    ExportReport,
    MediaNames,
    Pictures,
    answered,
    asked,
    ending_of,
    is_medium,
    options,
)

BASIC, REVERSED, CLOZE = 1763000000001, 1763000000002, 1763000000003
"""The ids of our types of notes: the same for good, so that a second import finds them again."""

_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|[gex]?def|let|Declare[A-Za-z]+)(?![A-Za-z])"
)
_MEDIA = re.compile(r"<img[^>]+src=[\"']?([^\"'>]+)[\"']?[^>]*>", re.IGNORECASE)
_TAGS = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)


#: Around the words of a link to a sound: they are its file's name as a rule, and not said twice.
_SOUND = re.compile(r"\x02(.*?)\x1e(.*?)\x03", re.DOTALL)


@dataclass(slots=True)
class FieldMaker:
    """Makes fields, and knows the pictures that they show."""

    config: Config
    pictures: Pictures
    report: ExportReport
    names: MediaNames = field(default_factory=MediaNames)

    def fields(self, card: Card) -> tuple[int, tuple[str, str]]:
        """The type of the note, and its two fields as HTML."""
        macros: dict[str, str | Macro] = {**self.config.macros, **card.macros}
        side = _Fields(self, card, macros, self.config.breaks_lines(card))
        if card.type == "cloze":
            text = side.clozes(asked(card))
            return CLOZE, (text, side.html(card.solution) if card.solution else "")
        front = side.html(asked(card))
        if card.is_choice:
            found = (
                f"<li>{escape(letter)}) {side.html(text)}</li>" for letter, text in options(card)
            )
            front += f'\n<ul class="options">{"".join(found)}</ul>'
        back = "\n\n".join(part for part in (answered(card), card.solution) if part)
        return (REVERSED if card.type == "reversed" else BASIC), (front, side.html(back))


@dataclass(slots=True)
class _Fields:
    """The texts of one card, in their order: a formula may define macros for later ones."""

    maker: FieldMaker
    card: Card
    macros: dict[str, str | Macro]
    line_breaks: bool

    def html(self, markdown: str) -> str:
        html = html_of(markdown, self).replace("\x1f", " ")
        return _SOUND.sub(_sounding, html).replace("\x03", "") if "\x03" in html else html

    def clozes(self, markdown: str) -> str:
        made = marked(markdown)
        html = restored(self.html(made.text), made) if made is not None else None
        if html is None:
            self.maker.report.lose(self.card.id, "Its clozes stand there as plain text.")
            return escape(markdown, quote=False).replace("\n", "<br>")
        return html

    def formula(self, tex: str, display: bool) -> str:
        html = mathjax(tex, display, self.macros)
        if _DEFINES.search(tex):
            self.macros = {**self.macros, **parse(tex, self.macros).macros}
        return html

    def picture(self, target: str, label: str) -> str:
        found = self.maker.pictures.find(target, self.card.path)
        if found.path is None:
            self.maker.report.lacks(self.card, "picture", target, found.why)
            return words_for(label, found.why)
        name = self.maker.names.name(found.path)
        ending = found.path.suffix.lower()
        if ending in PLAYED:
            return f"[sound:{escape(name, quote=False)}]"
        if ending in SHOWN:
            return f'<img src="{escape(name)}" alt="{escape(label)}">'
        return f'<a href="{escape(name)}">{escape(label or name)}</a>'

    def opened(self, address: str) -> str:
        """A link to a medium of the collection takes it along; Anki plays sounds."""
        if is_medium(address):
            found = self.maker.pictures.find(address, self.card.path)
            if found.path is None:
                self.maker.report.lacks(self.card, "file", address, found.why)
            else:
                address = self.maker.names.name(found.path)
                if found.path.suffix.lower() in PLAYED:
                    return f"\x02[sound:{escape(address, quote=False)}]\x1e"
        return f'<a href="{escape(address)}">'

    def closed(self, address: str) -> str:
        return "</a>\x03" if ending_of(unquote(address)) in PLAYED else "</a>"

    def linked(self, _: str, label: str) -> str:
        self.maker.report.without("Links between cards are plain text.", self.card.id)
        return f"<u>{escape(label)}</u>"


def _sounding(found: re.Match[str]) -> str:
    """A sound, behind the words of its link where they are no file's name."""
    words = found[2].removesuffix("</a>")
    named = ending_of(unescape(words)) in PLAYED or not words.strip()
    return found[1] if named else f"{words} {found[1]}"


def sort_field(html: str) -> str:
    """What Anki sorts a note by: the field's words, and the names of its pictures."""
    return _words(html).replace("\xa0", " ").strip()


def checksum(html: str) -> int:
    """By which Anki finds duplicates: the first 8 hexadecimal digits of SHA-1."""
    return int(sha1(_words(html).encode(), usedforsecurity=False).hexdigest()[:8], 16)


def _words(html: str) -> str:
    return unescape(_TAGS.sub("", _MEDIA.sub(r" \1 ", html)))


# Clozes through Markdown: marks stand for their braces while the text becomes HTML.

#: Punctuation, so that emphasis, code and dollars beside a mark mean what they meant beside braces.
_RARE = "⸢⸣⸤⸥⸨⸩⁅⁆⸦⸧⧘⧙⧚⧛❲❳❴❵⟬⟭〖〗〘〙〚〛"
_LETTERS = "abcdefghij"
_TAG, _MATH = r"<[^<>]*>", r"\\[(\[]|\\[)\]]"
_OPENED, _CLOSED = ("\\(", "\\["), ("\\)", "\\]")


class ClozeMarks(NamedTuple):
    """Opens a cloze, ends its number, begins its hint, closes it."""

    begin: str
    number: str
    hint: str
    end: str


class MarkedText(NamedTuple):
    text: str
    marks: ClozeMarks
    number: int
    """How many clozes there are."""


def marked(text: str) -> MarkedText | None:
    """The text with marks for the braces of its clozes; None where it uses every rare sign."""
    free = [sign for sign in _RARE if sign not in text]
    if len(free) < len(ClozeMarks._fields):
        return None
    marks = ClozeMarks(*free[:4])

    def written(cloze: Cloze) -> str:
        number = "".join(_LETTERS[int(digit)] for digit in str(cloze.number))
        hint = f"{marks.hint}{cloze.hint}" if cloze.hint else ""
        inner = rewritten(text, cloze.inner, written, *cloze.text)
        return f"{marks.begin}{number}{marks.number}{inner}{hint}{marks.end}"

    made = rewritten(text, find(text).found, written)
    return MarkedText(made, marks, made.count(marks.begin))


def restored(html: str, made: MarkedText) -> str | None:
    """The HTML with Anki's braces; None where a mark was lost, as in the address of a link.

    Anki ends a cloze at the first `}}` and its text at the first `::`, wherever they stand: within
    one they are parted.
    """
    marks = made.marks
    opening = re.compile(f"{marks.begin}([a-j]+){marks.number}")
    if not len(opening.findall(html)) == html.count(marks.end) == made.number:
        return None
    depth = math = 0
    pieces: list[str] = []
    signs = f"({marks.begin}[a-j]+{marks.number}|{marks.hint}|{marks.end}|{_MATH}|{_TAG})"
    for piece in re.split(signs, html):
        if opened := opening.fullmatch(piece):
            depth += 1
            number = "".join(str(_LETTERS.index(letter)) for letter in opened[1])
            pieces.append(f"{_gap(pieces, '{', math)}{{{{c{number}::")
        elif piece == marks.end:
            depth -= 1
            pieces.append(_gap(pieces, "}", math) + "}}")
        elif piece == marks.hint:
            pieces.append("::")
        else:
            math += (piece in _OPENED) - (piece in _CLOSED)
            pieces.append(_parted(piece, math > 0) if depth else piece)
    return "".join(pieces)


def _gap(pieces: list[str], brace: str, math: int) -> str:
    """What parts a brace of the text from those of a cloze: Anki counts none."""
    before = next((piece for piece in reversed(pieces) if piece), "")
    return "" if not before.endswith(brace) else " " if math else "<!-- -->"


def _parted(piece: str, math: bool) -> str:
    """`piece` without the signs that end a cloze or its text."""
    if piece.startswith("<") and piece.endswith(">"):
        return piece.replace("}}", "&#125;&#125;").replace("::", "&#58;&#58;")
    brace, colon = ("} }", ":{}:") if math else ("}<!-- -->}", ":<!-- -->:")
    while "}}" in piece:
        piece = piece.replace("}}", brace)
    return piece.replace("::", colon)


# LaTeX as Anki's MathJax reads it, with the macros that it needs.

#: So many definitions at most stand before a formula.
_MAX_MACROS = 200


def mathjax(tex: str, display: bool, macros: Mapping[str, str | Macro]) -> str:
    """HTML.  A macro of the card or the collection is defined where it is used: the formula stays
    as its author wrote it, and shows alone as well."""
    written = " ".join(tex.split()) if "%" not in tex else _plain(tokens_of(tex))
    defined = _definitions(tokens_of(written), table_of(macros)) if macros else ""
    sides = ("\\[", "\\]") if display else ("\\(", "\\)")
    return escape(f"{sides[0]}{defined}{written.strip()}{sides[1]}", quote=False)


def _plain(tokens: Iterable[str]) -> str:
    """On one line: a comment would end it, and blank lines are no part of mathematics."""
    pieces = (" " if token[:1] == "%" or token.isspace() else token for token in tokens)
    return "".join(pieces)


def _definitions(tokens: list[str], table: Mapping[str, Macro]) -> str:
    """Of the macros that the tokens name, and of those that these name, the innermost first."""
    found: dict[str, str] = {}

    def visit(names: Iterable[str], above: frozenset[str]) -> None:
        for name in names:
            known = name in found or name in above or len(found) >= _MAX_MACROS
            if name in table and not known:
                macro = table[name]
                visit(macro.body, above | {name})
                arity = f"[{macro.arity}]" if macro.arity else ""
                default = "" if macro.default is None else f"[{_plain(macro.default)}]"
                found[name] = f"\\newcommand{{{name}}}{arity}{default}{{{_plain(macro.body)}}}"

    visit(tokens, frozenset())
    return "".join(found.values())


# What was exported, to be told from what was edited since.

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
