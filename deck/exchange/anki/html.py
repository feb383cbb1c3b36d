"""HTML as Anki's fields hold it, to Markdown: what is drawn stays, what could run never does.

Formulas are taken out first and put back last, so that no rule touches them.  Tags are told by one
pattern, at a fifth of what html.parser takes for them: a package has hundreds of thousands of
fields, and safety is not the parser's business but the writer's, which knows what it writes.
Chosen against html2text (GPL), markdownify (slow) and html-to-markdown (a large binary).
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from deck.exchange.anki.elements import Writer
from deck.exchange.anki.inline import DISPLAY, escaped, finished
from deck.exchange.anki.math import Formulas
from deck.exchange.anki.mathml import is_built, with_tex
from deck.exchange.anki.scan import Next
from deck.exchange.anki.shown import Converted
from deck.exchange.anki.undrawn import Undrawn, is_hidden

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<close>/?)(?P<tag>[A-Za-z][^\s/<>]*)"
    r"(?:(?P<more>(?:[^<>\"']|\"[^\"]*\"|'[^']*'){0,5000}+)|(?P<odd>[^<>]{0,5000}))>"
    r"|<[!?][^<>]*>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=/\"'<>]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))?")
_SOUND = re.compile(r"\[sound:([^\]\n]{1,500})\]")
_GONE = {
    "script", "style", "head", "title", "iframe", "object", "embed", "noscript", "template",
    "svg", "canvas", "select", "textarea", "applet", "frameset", "rp", "datalist", "xml", "xmp",
}  # fmt: skip
#: What a browser draws, and what cannot be here.
_SAID = {
    "svg": "A drawing (<svg>) was left out.",
    "canvas": "A drawing (<canvas>) was left out.",
    "math": "A formula in MathML was left out, as its words alone say another: write it in LaTeX.",
    **{tag: f"What an <{tag}> shows was left out." for tag in ("object", "embed", "iframe")},
}
_MAYBE_HIDDEN = re.compile(r"hidden|display|visibility", re.IGNORECASE)
#: What they hold is no HTML: without their end, all that follows is theirs.
_RAW = {"script", "style", "iframe", "textarea", "title", "xmp", "noscript"}
_WITH_ATTRIBUTES = {"img", "a", "span", "source", "audio", "video", "ol"}


def to_markdown(html: str) -> Converted:
    """Never raises; the result holds no HTML."""
    made = Converted("")
    formulas = Formulas()
    html = formulas.taken(with_tex(html) if "annotation" in html else html)
    if "[sound:" in html:
        html = _SOUND.sub(_sound, html)
    if "<" not in html and "&" not in html and DISPLAY not in html:
        made.text = formulas.put_back(finished(escaped(html)))
        return made
    writer = Writer(made)
    _feed(html, writer, made.lost)
    made.text = formulas.put_back(writer.result())
    return made


def _sound(found: re.Match[str]) -> str:
    name = found[1].strip().replace('"', "&quot;")
    return f'<audio src="{name}"></audio>' if name else ""


def _feed(html: str, writer: Writer, lost: list[str]) -> None:
    at = 0
    ahead = Next(html)
    undrawn = Undrawn()
    while found := _TOKEN.search(html, at):
        if found.start() > at and not undrawn:
            writer.words(_unescaped(html[at : found.start()]))
        at = found.end()
        tag = (found["tag"] or "").lower()
        if not tag:
            continue
        if not found["close"] and tag in _RAW:
            at = _behind(ahead, tag, at, len(html))
        elif undrawn.takes(tag, bool(found["close"]), _hidden(found)):
            continue
        elif found["close"]:
            writer.close(tag)
        elif tag in _GONE or (tag == "math" and is_built(at, ahead)):
            at = _behind(ahead, tag, at, len(html))
        else:
            writer.open(tag, _attributes(found) if tag in _WITH_ATTRIBUTES else {})
            continue
        if tag in _SAID and not found["close"]:
            lost.append(_SAID[tag])
    if at < len(html) and not undrawn:
        writer.words(_unescaped(html[at:]))


def _hidden(found: re.Match[str]) -> bool:
    """Whether a browser draws nothing of an element."""
    more = found["more"]
    return bool(more) and _MAYBE_HIDDEN.search(more) is not None and is_hidden(_attributes(found))


def _behind(ahead: Next, tag: str, at: int, length: int) -> int:
    """Where the text goes on after an element whose content is left out."""
    end = ahead.of(_end_of(tag), at)
    if end:
        return end.end()
    return length if tag in _RAW else at


@lru_cache(maxsize=len(_GONE) + 1)
def _end_of(tag: str) -> re.Pattern[str]:
    return re.compile(f"</{re.escape(tag)}\\b[^>]*>?", re.IGNORECASE)


def _unescaped(text: str) -> str:
    return unescape(text) if "&" in text else text


def _attributes(found: re.Match[str]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(found["more"] or found["odd"] or ""):
        value = value[1:-1] if value[:1] in ('"', "'") else value
        attributes.setdefault(name.lower(), _unescaped(value))
    return attributes
