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
from deck.exchange.anki.inline import escaped, finished
from deck.exchange.anki.math import DISPLAY, Formulas
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
#: They hold no words, or words that are said beside others.
_WORDLESS = {"script", "style", "rp", *_SAID}
_MAYBE_HIDDEN = re.compile(r"hidden|display|visibility", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
#: What they hold is no HTML: without their end, all that follows is theirs.
_RAW = {"script", "style", "iframe", "textarea", "title", "xmp", "noscript"}
_WITH_ATTRIBUTES = {"img", "a", "span", "source", "audio", "video", "ol"}


def to_markdown(html: str, sheet: frozenset[str] | None = frozenset()) -> Converted:
    """Never raises; the result holds no HTML.

    `sheet`: what the note type's style sheet hides; None to draw what is hidden as well.
    """
    made = Converted("")
    formulas = Formulas()
    html = formulas.taken(with_tex(html) if "annotation" in html else html)
    if "[sound:" in html:
        html = _SOUND.sub(_sound, html)
    if "<" not in html and "&" not in html and DISPLAY not in html:
        made.text = formulas.put_back(finished(escaped(html)))
        return made
    _write(html, made, formulas, sheet)
    return made


def _write(html: str, made: Converted, formulas: Formulas, sheet: frozenset[str] | None) -> None:
    writer = Writer(made)
    for tag, inside in _feed(html, writer, made.lost, sheet):
        words = ""
        if tag == "details" and (found := _SUMMARY.search(inside)):
            label, end = _behind(Next(inside), "summary", found.end(), inside)
            words = formulas.put_back(finished(escaped(_unescaped(_TOKEN.sub(" ", label)))))
            inside = inside[: found.start()] + inside[end:]
        more = Converted("")
        _write(inside, more, formulas, None)
        if more.text:
            made.hidden.append((words, more))
    made.text = formulas.put_back(writer.result())


def _sound(found: re.Match[str]) -> str:
    name = found[1].strip().replace('"', "&quot;")
    return f'<audio src="{name}"></audio>' if name else ""


def _feed(
    html: str, writer: Writer, lost: list[str], sheet: frozenset[str] | None
) -> list[tuple[str, str]]:
    """Gives the writer what is drawn; the tag and the content of each element that is not."""
    at = 0
    ahead = Next(html)
    undrawn = Undrawn()
    hidden: list[tuple[str, str]] = []
    begin = ("", 0)
    while found := _TOKEN.search(html, at):
        if found.start() > at and not undrawn:
            writer.words(_unescaped(html[at : found.start()]))
        at = found.end()
        tag = (found["tag"] or "").lower()
        if not tag:
            continue
        is_open, was = not found["close"], bool(undrawn)
        hides = sheet is not None and _hidden(found, tag, sheet)
        within = was or hides
        gone = tag in (_RAW if within else _RAW | _GONE)
        gone = gone and (sheet is not None or tag in _WORDLESS)
        if is_open and (gone or (tag == "math" and not within and is_built(at, ahead))):
            inside, at = _behind(ahead, tag, at, html)
            if not was and tag not in _WORDLESS:
                hidden.append((tag, inside))
            if not was and tag in _SAID:
                lost.append(_SAID[tag])
            continue
        taken = undrawn.takes(tag, not is_open, hides)
        if was and not undrawn:
            hidden.append((begin[0], html[begin[1] : found.start()]))
        if not taken and is_open:
            writer.open(tag, _attributes(found) if tag in _WITH_ATTRIBUTES else {})
        elif not taken:
            writer.close(tag)
        elif undrawn and not was:
            begin = tag, at
        elif not was and tag == "img":
            hidden.append((tag, found[0]))
    if undrawn:
        hidden.append((begin[0], html[begin[1] :]))
    elif at < len(html):
        writer.words(_unescaped(html[at:]))
    return hidden


def _hidden(found: re.Match[str], tag: str, sheet: frozenset[str]) -> bool:
    """Whether a browser draws nothing of an element, or only after a click."""
    more = found["more"]
    if tag == "details":
        return "open" not in _attributes(found)
    if not more or (not sheet and _MAYBE_HIDDEN.search(more) is None):
        return False
    return is_hidden(tag, _attributes(found), sheet)


def _behind(ahead: Next, tag: str, at: int, html: str) -> tuple[str, int]:
    """The content of an element that is left out, and where the text goes on."""
    end = ahead.of(_end_of(tag), at)
    if end:
        return html[at : end.start()], end.end()
    return (html[at:], len(html)) if tag in _RAW else ("", at)


@lru_cache(maxsize=len(_GONE) + 2)
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
