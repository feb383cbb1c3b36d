"""HTML as Anki's fields hold it, to Markdown: what is drawn stays, what could run never does.

A tag is a rule for the text around it; the tags that no rule knows fall away, with their
attributes.  Formulas are taken out first and put back last, so that no rule touches them.  Chosen
against html2text (GPL), markdownify (ten times as slow) and html-to-markdown (a large binary).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import quote, unquote

from deck.exchange.anki.blocks import Box, fenced, joined, listed, quoted, table
from deck.exchange.anki.inline import CLOSE, OPEN, code_span, escaped, finished, raised
from deck.exchange.anki.math import Formulas

_MARKS = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "cite": "i", "dfn": "i", "var": "i",
    "s": "s", "del": "s", "strike": "s",
}  # fmt: skip
_GONE = {
    "script", "style", "head", "title", "iframe", "object", "embed", "noscript", "template",
    "svg", "canvas", "select", "textarea", "applet", "frameset", "rp", "datalist", "xml",
}  # fmt: skip
_LINES = {
    "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "figure",
    "figcaption", "form", "fieldset", "legend", "dl", "dt", "dd", "details", "summary", "center",
    "caption", "body", "html",
}  # fmt: skip
_HEADINGS = {"h1": 3, "h2": 3, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CODE = {"code", "kbd", "samp", "tt"}
_VOID = {"br", "hr", "img", "source", "embed", "input", "wbr", "col", "link", "meta", "track"}
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)
_SOUND = re.compile(r"\[sound:([^\]\n]{1,500})\]")
_WEB = re.compile(r"(?:https?|mailto):[^\s<>\"\\]*", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
#: Deeper nesting is drawn flat.
_DEEPEST = 60


@dataclass(slots=True)
class Converted:
    """A field, or a side of a card, as Markdown."""

    text: str
    media: list[str] = field(default_factory=list)
    """Names of the pictures and sounds that it shows."""
    lost: list[str] = field(default_factory=list)
    """Sentences."""


def to_markdown(html: str) -> Converted:
    """Never raises; the result holds no HTML."""
    made = Converted("")
    formulas = Formulas()
    html = formulas.taken(html)
    html = _SOUND.sub(lambda found: _sound(found[1]), html)
    if "<" not in html and "&" not in html:
        made.text = formulas.put_back(_plain(html))
        return made
    reader = _Reader(made)
    reader.feed(html)
    reader.close()
    made.text = formulas.put_back(reader.result())
    return made


def _plain(text: str) -> str:
    return finished(escaped(text))


def _sound(name: str) -> str:
    return f'<audio src="{name.replace(chr(34), "&quot;")}"></audio>' if name.strip() else ""


class _Reader(HTMLParser):
    def __init__(self, made: Converted) -> None:
        super().__init__(convert_charrefs=True)
        self.made = made
        self.boxes = [Box("root")]
        self.inline: list[str] = []
        self.marks: list[tuple[str, str]] = []
        """Open tags that mark words, each with its sign ("" for none)."""
        self.raw: list[str] | None = None
        self.raw_tag = ""
        self.gone: list[str] = []
        self.links: list[str] = []
        self.block_gap = False

    # Text.

    def handle_data(self, data: str) -> None:
        if self.gone:
            return
        if self.raw is not None:
            self.raw.append(data)
        else:
            self.inline.append(escaped(data))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.gone:
            if tag not in _VOID:
                self.gone.append(tag)
            return
        if tag in _GONE and tag not in _VOID:
            self.gone.append(tag)
            return
        if self.raw is not None:
            if tag == "br" or tag in _LINES or tag == "p":
                self.raw.append("\n")
            return
        self._open(tag, {name: value or "" for name, value in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _GONE:
            return
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def _open(self, tag: str, attrs: dict[str, str]) -> None:
        if tag == "br":
            self._break()
        elif tag in _LINES or tag == "p" or tag in _HEADINGS:
            self._flush()
            self.block_gap = self.block_gap or tag == "p"
            if tag in _HEADINGS:
                self._push(tag)
        elif tag in ("ul", "ol", "blockquote", "li", "table", "tr", "td", "th"):
            self._open_box(tag, attrs)
        elif tag == "hr":
            self._flush()
            self._put("* * *", gap=True)
        elif tag == "pre" or tag in _CODE:
            if tag == "pre":
                self._flush()
            self.raw, self.raw_tag = [], tag
        elif tag in ("img", "source", "audio", "video"):
            self._media(tag, attrs)
        elif tag == "a":
            self._open_link(attrs)
        elif tag in ("sub", "sup", "rt"):
            self.marks.append((tag, ""))
            self.inline.append({"sub": "\ue02a", "sup": "\ue02b", "rt": " ("}[tag])
        elif tag in _MARKS:
            self._mark(tag, _MARKS[tag])
        elif tag == "span":
            style = attrs.get("style", "")
            sign = "b" if _BOLD.search(style) else "i" if _ITALIC.search(style) else ""
            self._mark(tag, sign)

    def _mark(self, tag: str, sign: str) -> None:
        if sign and any(sign == open_sign for _, open_sign in self.marks):
            sign = ""
        self.marks.append((tag, sign))
        if sign:
            self.inline.append(OPEN[sign])

    def handle_endtag(self, tag: str) -> None:
        if self.gone:
            if tag in self.gone:
                while self.gone.pop() != tag:
                    pass
            return
        if self.raw is not None:
            if tag == self.raw_tag:
                self._close_raw()
            return
        if tag == "a":
            self._close_link()
        elif tag in _LINES or tag == "p":
            self._flush()
            self.block_gap = self.block_gap or tag == "p"
        elif tag in _HEADINGS or tag in ("ul", "ol", "blockquote", "li", "table", "tr", "td", "th"):
            self._close_box(tag)
        elif any(tag == name for name, _ in self.marks):
            self._close_mark(tag)

    def _close_mark(self, tag: str) -> None:
        again: list[tuple[str, str]] = []
        while self.marks:
            name, sign = self.marks.pop()
            if sign:
                self.inline.append(CLOSE[sign])
            if name == tag:
                break
            again.insert(0, (name, sign))
        if tag in ("sub", "sup"):
            self.inline.append("\ue02c")
        elif tag == "rt":
            self.inline.append(")")
        for name, sign in again:
            self.marks.append((name, sign))
            if sign:
                self.inline.append(OPEN[sign])

    def _close_raw(self) -> None:
        text, self.raw = "".join(self.raw or []), None
        if self.raw_tag == "pre":
            self._put(fenced(text), gap=True)
        elif text.strip():
            self.inline.append(code_span(text))

    # Links and media.

    def _open_link(self, attrs: dict[str, str]) -> None:
        href = attrs.get("href", "").strip()
        self.links.append(href if _WEB.fullmatch(href) else "")
        if self.links[-1]:
            self.inline.append("\ue020")

    def _close_link(self) -> None:
        href = self.links.pop() if self.links else ""
        if href:
            target = quote(href, safe="/:?=&#%@+,;~!$'*.-_")
            self.inline.append(f"\ue021({target})")

    def _media(self, tag: str, attrs: dict[str, str]) -> None:
        source = attrs.get("src", "").strip()
        if not source:
            return
        if source.lower().startswith(("http:", "https:")):
            if tag == "img" and _WEB.fullmatch(source):
                target = quote(source, safe="/:?=&#%@+,;~!$'*.-_")
                self.inline.append(f"![{_label(attrs)}]({target})")
            return
        if _SCHEME.match(source):
            kind = source.partition(":")[0].lower()
            self.made.lost.append(
                f"A picture or sound written into the text ({kind}:) was left out."
            )
            return
        name = unquote(source)
        if name not in self.made.media:
            self.made.media.append(name)
        target = quote(name, safe="/-_.~!,;=@+$*'&")
        if tag == "img":
            self.inline.append(f"![{_label(attrs)}]({target})")
        else:
            self.inline.append(f" [{escaped(_one_line(name))}]({target}) ")

    # Blocks.

    def _break(self) -> None:
        box = self.boxes[-1]
        if not self._flush() and box.entries and not self.block_gap:
            self.block_gap = True

    def _flush(self) -> bool:
        """Ends the line; whether there was one."""
        for _, sign in reversed(self.marks):
            if sign:
                self.inline.append(CLOSE[sign])
        text = finished("".join(self.inline))
        self.inline = [OPEN[sign] for _, sign in self.marks if sign]
        if text:
            self._put(text, gap=self.block_gap, line=True)
        return bool(text)

    def _put(self, text: str, gap: bool, line: bool = False) -> None:
        self.boxes[-1].put(text, gap, line)
        self.block_gap = False

    def _push(self, kind: str) -> None:
        if len(self.boxes) < _DEEPEST:
            self.boxes.append(Box(kind))
        else:
            self.boxes[-1].extra.append(kind)

    def _open_box(self, tag: str, attrs: dict[str, str]) -> None:
        self._flush()
        if tag == "li" and self.boxes[-1].kind not in ("ul", "ol"):
            if any(box.kind == "li" for box in self.boxes):
                self._close_box("li")
            if self.boxes[-1].kind not in ("ul", "ol"):
                self._push("ul")
        if tag in ("tr", "td", "th") and not any(box.kind == "table" for box in self.boxes):
            return
        if tag == "tr":
            self._close_to("table")
        elif tag in ("td", "th"):
            self._close_to("tr", "table")
            if self.boxes[-1].kind == "table":
                self._push("tr")
        self.block_gap = False
        self._push(tag)
        if tag == "ol" and attrs.get("start", "").isdecimal():
            self.boxes[-1].start = int(attrs["start"][:9])

    def _close_to(self, *kinds: str) -> None:
        while len(self.boxes) > 1 and self.boxes[-1].kind not in kinds:
            self._pop()

    def _close_box(self, tag: str) -> None:
        self._flush()
        extra = self.boxes[-1].extra
        if extra:
            if extra[-1] == tag:
                extra.pop()
            return
        if not any(box.kind == tag for box in self.boxes):
            return
        stop = "table" if tag in ("tr", "td", "th") else "li" if tag == "li" else ""
        for box in reversed(self.boxes):
            if box.kind == tag:
                break
            if stop and box.kind in (stop, "ul", "ol", "table"):
                return  # it closes nothing that is open here
        while self.boxes[-1].kind != tag:
            self._pop()
        self._pop()

    def _pop(self) -> None:
        self._flush()
        box = self.boxes.pop()
        above = self.boxes[-1]
        if box.kind in ("td", "th", "tr", "li"):
            above.children.append(box)
        elif box.kind in ("ul", "ol"):
            self._put(listed(box), gap=above.kind != "li")
        elif box.kind == "blockquote":
            self._put(quoted(box), gap=True)
        elif box.kind == "table":
            self._put(table(box), gap=True)
        elif words := " ".join(joined(box).replace("\\\n", " ").split()):
            self._put(f"{'#' * _HEADINGS[box.kind]} {words}", gap=True)

    def result(self) -> str:
        if self.raw is not None:
            self._close_raw()
        while self.links:
            self._close_link()
        self._flush()
        while len(self.boxes) > 1:
            self._pop()
        return raised(joined(self.boxes[0])).strip()


def _label(attrs: dict[str, str]) -> str:
    return re.sub(r"[\[\]\\`<>\n]", "", _one_line(attrs.get("alt", "")))[:200]


def _one_line(text: str) -> str:
    return " ".join(text.split())
