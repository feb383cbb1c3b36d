"""HTML as Anki's fields hold it, to Markdown: what is drawn stays, what could run never does.

Formulas are taken out first and put back last, so that no rule touches them.  Tags are told by one
pattern, at a fifth of what html.parser takes for them: a package has hundreds of thousands of
fields, and safety is not the parser's business but the writer's, which knows what it writes.
Chosen against html2text (GPL), markdownify (slow) and html-to-markdown (a large binary).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from urllib.parse import quote, unquote

from cards.outline import title_name
from deck.exchange.anki.math import DISPLAY, PRIVATE, Formulas, ForwardSearch, is_built, with_tex
from deck.exchange.normalise import code_block, code_span

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
_SUMMARY = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
#: What they hold is no HTML: without their end, all that follows is theirs.
_RAW = {"script", "style", "iframe", "textarea", "title", "xmp", "noscript"}
_WITH_ATTRIBUTES = {"img", "a", "span", "source", "audio", "video", "ol"}


@dataclass(slots=True)
class Converted:
    """A field, or a side of a card, as Markdown."""

    text: str
    media: dict[str, None] = field(default_factory=dict)
    """Names of the pictures and sounds that it shows."""
    lost: list[str] = field(default_factory=list)
    """Sentences."""
    hidden: list[tuple[str, Converted]] = field(default_factory=list)
    """What a browser does not draw, or only after a click; with the words to click on, or ""."""


def to_markdown(html: str, sheet: frozenset[str] | None = frozenset()) -> Converted:
    """Never raises; the result holds no HTML.

    `sheet`: what the note type's style sheet hides; None to draw what is hidden as well.
    """
    made, formulas = Converted(""), Formulas()
    html = formulas.taken(with_tex(html) if "annotation" in html else html)
    if "[sound:" in html:
        html = _SOUND.sub(_sound, html)
    if "<" not in html and "&" not in html and DISPLAY not in html:
        made.text = formulas.put_back(_finished(escaped(html)))
    else:
        _write(html, made, formulas, sheet)
    return made


def _sound(found: re.Match[str]) -> str:
    name = found[1].strip().replace('"', "&quot;")
    return f'<audio src="{name}"></audio>' if name else ""


def _write(html: str, made: Converted, formulas: Formulas, sheet: frozenset[str] | None) -> None:
    writer = _Writer(made)
    for tag, inside in _feed(html, writer, made.lost, sheet):
        words = ""
        if tag == "details" and (found := _SUMMARY.search(inside)):
            label, end = _behind(ForwardSearch(inside), "summary", found.end(), inside)
            words = formulas.put_back(_finished(escaped(_unescaped(_TOKEN.sub(" ", label)))))
            inside = inside[: found.start()] + inside[end:]
        more = Converted("")
        _write(inside, more, formulas, None)
        if more.text:
            made.hidden.append((words, more))
    made.text = formulas.put_back(writer.result())


def _feed(
    html: str, writer: _Writer, lost: list[str], sheet: frozenset[str] | None
) -> list[tuple[str, str]]:
    """Gives the writer what is drawn; the tag and the content of each element that is not."""
    at, ahead = 0, ForwardSearch(html)
    hidden: list[tuple[str, str]] = []
    # The undrawn element that is open: its tag, how many of this tag are open, its content's place.
    within, depth, begin = "", 0, 0
    while found := _TOKEN.search(html, at):
        if found.start() > at and not within:
            writer.words(_unescaped(html[at : found.start()]))
        at = found.end()
        tag, is_open = (found["tag"] or "").lower(), not found["close"]
        if not tag:
            continue
        hides = sheet is not None and _hides(found, tag, sheet)
        is_seen = not within and not hides
        is_gone = tag in _RAW or (is_seen and tag in _GONE)
        is_gone = is_gone and (sheet is not None or tag in _WORDLESS)
        if is_open and (is_gone or (tag == "math" and is_seen and is_built(at, ahead))):
            inside, at = _behind(ahead, tag, at, html)
            if not within and tag not in _WORDLESS:
                hidden.append((tag, inside))
            if not within and tag in _SAID:
                lost.append(_SAID[tag])
            continue
        if within == tag == "p" and is_open:  # its end may be left out: the next one ends it
            if hides:
                continue
            hidden.append((tag, html[begin : found.start()]))
            within = ""
        if within:
            if tag == within:
                depth += 1 if is_open else -1
                if not depth:
                    hidden.append((tag, html[begin : found.start()]))
                    within = ""
        elif not is_open:
            writer.close(tag)
        elif not hides:
            writer.open(tag, _attributes(found) if tag in _WITH_ATTRIBUTES else {})
        elif tag == "img":
            hidden.append((tag, found[0]))
        elif tag not in _VOID:
            within, depth, begin = tag, 1, at
    if within:
        hidden.append((within, html[begin:]))
    elif at < len(html):
        writer.words(_unescaped(html[at:]))
    return hidden


def _behind(ahead: ForwardSearch, tag: str, at: int, html: str) -> tuple[str, int]:
    """The content of an element that is left out, and where the text goes on."""
    if end := ahead.of(_end_of(tag), at):
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


# Elements that a browser does not draw at first: the learner did not see what is in them.

_STYLE = re.compile(r"display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse)", re.I)
_MAYBE_HIDDEN = re.compile(r"hidden|display|visibility", re.IGNORECASE)
#: They have no content, and no end.
_VOID = {
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
}  # fmt: skip
_BESIDE = re.compile(
    r"/\*.*?(?:\*/|\Z)|@[^{};]{0,2000}+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\})|</?style[^<>]*>",
    re.DOTALL,
)
_SHOWN = re.compile(r"display\s*+:|visibility\s*+:", re.I)


def _hides(found: re.Match[str], tag: str, sheet: frozenset[str]) -> bool:
    """Whether a browser draws nothing of an element, or only after a click; `sheet`: what a style
    sheet hides (`hidden_by`)."""
    more = found["more"]
    if tag == "details":
        return "open" not in _attributes(found)
    if not more or (not sheet and _MAYBE_HIDDEN.search(more) is None):
        return False
    attributes = _attributes(found)
    if "hidden" in attributes or _STYLE.search(attributes.get("style", "")):
        return True
    names = [f".{name}" for name in attributes.get("class", "").split()]
    names.append(f"#{attributes.get('id', '')}")
    return any(selector in sheet for name in names for selector in (name, tag + name))


@lru_cache(maxsize=256)
def hidden_by(css: str) -> frozenset[str]:
    """The selectors `.class`, `#id` and `tag.class` that a style sheet never draws.

    Rules for some screens only (`@media`) and within other elements count for nothing: then the
    text is drawn here.
    """
    if _STYLE.search(css) is None:
        return frozenset()
    found: set[str] = set()
    for rule in _BESIDE.sub("", css).split("}"):
        selectors, _, rules = rule.rpartition("{")
        simple = (each.strip().removeprefix(".card ").strip() for each in selectors.split(","))
        names = {each for each in simple if re.fullmatch(r"\w*[.#][\w-]+", each)}
        if _STYLE.search(rules):
            found |= names - {".card"}
        elif _SHOWN.search(rules):
            found -= names
    return frozenset(found)


# What each element makes of the words in it; those that no rule knows fall away.

#: To the marks of `_OPEN`.
_MARKS = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "cite": "i", "dfn": "i", "var": "i",
    "s": "s", "del": "s", "strike": "s",
}  # fmt: skip
_LINES = {
    "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "figure",
    "figcaption", "form", "fieldset", "legend", "dl", "dt", "dd", "details", "summary", "center",
    "caption", "body", "html", "p",
}  # fmt: skip
_HEADINGS = {"h1": 3, "h2": 3, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BOXES = {"ul", "ol", "blockquote", "li", "table", "tr", "td", "th"}
_CODE = {"code", "kbd", "samp", "tt"}
#: Signs for what stands lower or higher, until the whole text is known.
_RAISED_TAGS = {"sub": "\ue02a", "sup": "\ue02b", "rt": " ("}
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)
_APART = re.compile(f"(\\{{\\{{c\\d+(?:,\\d+)*::|\\}}\\}}|{DISPLAY}\\d+\ue001[.,;:!?]*)")
#: Deeper nesting is drawn flat.
_DEEPEST = 60


class _Writer:
    """Takes tags and words in their order; any order will do."""

    def __init__(self, made: Converted) -> None:
        self._made = made
        self._boxes = [_Box("root")]
        self._inline: list[str] = []
        self._marks: list[tuple[str, str]] = []
        """Open tags that mark words, each with its sign ("" for none)."""
        self._hidden = 0
        """Clozes that are open."""
        self._raw: list[str] | None = None
        self._raw_tag = ""
        self._links: list[str] = []
        self._gap = False
        """Whether a blank line comes next."""

    def words(self, text: str) -> None:
        if self._raw is not None:
            self._raw.append(text)
        elif DISPLAY not in text and "{{" not in text and "}}" not in text:
            self._inline.append(escaped(text))
        else:
            for piece in _APART.split(escaped(text)):
                self._piece(piece)

    def _piece(self, piece: str) -> None:
        """Words, a bracket of a cloze, or a formula that is a paragraph of its own wherever that
        tears nothing."""
        if piece.startswith("{{"):
            self._hidden += 1
        elif piece == "}}":
            self._hidden = max(self._hidden - 1, 0)
        elif piece.startswith(DISPLAY) and not self._hidden and not any(self._links):
            self._flush()
            self._put(piece, gap=True, line=True)
            self._gap = True
            return
        self._inline.append(piece)

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        if self._raw is not None:
            if tag == "br" or tag in _LINES:
                self._raw.append("\n")
        elif tag == "br":
            if not self._flush() and self._boxes[-1].entries:
                self._gap = True  # an empty line
        elif tag in _LINES or tag in _HEADINGS:
            self._flush()
            self._gap = self._gap or tag == "p"
            if tag in _HEADINGS:
                self._push(tag)
        elif tag in _BOXES:
            self._open_box(tag, attributes)
        elif tag == "hr":
            self._flush()
            self._put("* * *", gap=True)
        elif tag == "pre" or tag in _CODE:
            if tag == "pre":
                self._flush()
            self._raw, self._raw_tag = [], tag
        else:
            self._open_inline(tag, attributes)

    def _open_inline(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("img", "source", "audio", "video"):
            self._inline.append(_medium(self._made, tag, attributes))
        elif tag == "a":
            href = attributes.get("href", "").strip()
            self._links.append(href if _WEB.fullmatch(href) else "")
            if self._links[-1]:
                self._inline.append("\ue020")
        elif tag in _RAISED_TAGS or tag in _MARKS:
            self._mark(tag, _MARKS.get(tag, ""))
        elif tag == "span":
            style = attributes.get("style", "")
            self._mark(tag, "b" if _BOLD.search(style) else "i" if _ITALIC.search(style) else "")

    def close(self, tag: str) -> None:
        if self._raw is not None:
            if tag == self._raw_tag:
                self._close_raw()
        elif tag == "a":
            self._close_link()
        elif tag in _LINES:
            self._flush()
            self._gap = self._gap or tag == "p"
        elif tag in _HEADINGS or tag in _BOXES:
            self._close_box(tag)
        elif any(tag == name for name, _ in self._marks):
            self._close_mark(tag)

    def result(self) -> str:
        """All of it, with what is still open closed."""
        if self._raw is not None:
            self._close_raw()
        while self._links:
            self._close_link()
        self._flush()
        while len(self._boxes) > 1:
            self._pop()
        return _raised(_joined(self._boxes[0])).strip()

    # Marks, links, media.

    def _mark(self, tag: str, sign: str) -> None:
        if len(self._marks) >= _DEEPEST:
            return
        if any(sign == known for _, known in self._marks):
            sign = ""
        self._marks.append((tag, sign))
        self._inline.append(_OPEN[sign] if sign else _RAISED_TAGS.get(tag, ""))

    def _close_mark(self, tag: str) -> None:
        again: list[tuple[str, str]] = []
        while self._marks:
            name, sign = self._marks.pop()
            if sign:
                self._inline.append(_CLOSE[sign])
            if name == tag:
                break
            again.append((name, sign))
        if tag in _RAISED_TAGS:
            self._inline.append(")" if tag == "rt" else "\ue02c")
        for name, sign in reversed(again):
            self._marks.append((name, sign))
            if sign:
                self._inline.append(_OPEN[sign])

    def _close_raw(self) -> None:
        text, self._raw = "".join(self._raw or []), None
        if self._raw_tag == "pre":
            self._put(code_block(text.strip("\n").replace("\xa0", " ")), gap=True)
        elif text.strip():
            self._inline.append(code_span(" ".join(text.replace("\xa0", " ").split())))

    def _close_link(self) -> None:
        href = self._links.pop() if self._links else ""
        if href:
            self._inline.append(f"\ue021({quote(href, safe=_IN_ADDRESSES)})")

    # Blocks.

    def _flush(self) -> bool:
        """Ends the line; whether there was one."""
        if self._marks:
            self._inline += [_CLOSE[sign] for _, sign in reversed(self._marks) if sign]
        text = _finished("".join(self._inline))
        self._inline = [_OPEN[sign] for _, sign in self._marks if sign]
        if text:  # Markdown has no hard break beside a formula on a line of its own
            shown = DISPLAY in text
            self._put(text, gap=self._gap or shown, line=True)
            self._gap = shown
        return bool(text)

    def _put(self, text: str, gap: bool, line: bool = False) -> None:
        self._boxes[-1].entries.append((text, gap, line))
        self._gap = False

    def _push(self, kind: str) -> None:
        if len(self._boxes) < _DEEPEST:
            self._boxes.append(_Box(kind))

    def _open_box(self, tag: str, attributes: dict[str, str]) -> None:
        self._flush()
        open_kinds = [box.kind for box in self._boxes]
        if tag == "li" and open_kinds[-1] not in ("ul", "ol"):
            self._close_box("li")
            if self._boxes[-1].kind not in ("ul", "ol"):
                self._push("ul")
        if tag in ("tr", "td", "th"):
            if "table" not in open_kinds:
                return
            self._close_to(*(("table",) if tag == "tr" else ("tr", "table")))
            if tag != "tr" and self._boxes[-1].kind == "table":
                self._push("tr")
        self._gap = False
        self._push(tag)
        if tag == "ol" and attributes.get("start", "").isdecimal():
            self._boxes[-1].start = int(attributes["start"][:9])

    def _close_to(self, *kinds: str) -> None:
        while len(self._boxes) > 1 and self._boxes[-1].kind not in kinds:
            self._pop()

    def _close_box(self, tag: str) -> None:
        self._flush()
        # A row ends within its table, an item within its list: not those around them.
        around = {"tr": ("table",), "td": ("table",), "th": ("table",), "li": ("ul", "ol")}
        for box in reversed(self._boxes):
            if box.kind == tag:
                self._close_to(tag)
                self._pop()
                return
            if box.kind in around.get(tag, ()):
                return

    def _pop(self) -> None:
        self._flush()
        box = self._boxes.pop()
        above = self._boxes[-1]
        if box.kind in ("td", "th", "tr", "li"):
            above.children.append(box)
        elif box.kind in ("ul", "ol"):
            self._put(_listed(box), gap=above.kind != "li")
        elif box.kind == "blockquote":
            quoted = (f"> {line}".rstrip() for line in _joined(box).split("\n"))
            self._put("\n".join(quoted), gap=True)
        elif box.kind == "table":
            self._put(_table(box), gap=True)
        elif words := " ".join(_joined(box).replace("\\\n", " ").split()):
            self._put(_heading(words, _HEADINGS[box.kind]), gap=True)


_WEB = re.compile(r"(?:https?|mailto):(?:[^\s<>\"\\]| )*", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IN_ADDRESSES = "/:?=&#%@+,;~!$'*.-_"


def _medium(made: Converted, tag: str, attributes: dict[str, str]) -> str:
    """A picture, or a link to a sound, as Markdown, which `made` then counts among its own."""
    source = attributes.get("src", "").strip()
    label = re.sub(r"[\[\]\\`<>]", "", " ".join(attributes.get("alt", "").split()))[:200]
    if not source:
        return ""
    if source.lower().startswith(("http:", "https:")):
        shown = tag == "img" and _WEB.fullmatch(source)
        return f"![{label}]({quote(source, safe=_IN_ADDRESSES)})" if shown else ""
    if _SCHEME.match(source):
        kind = source.partition(":")[0].lower()
        said = f"A picture or sound that is written into the text ({kind}:) was left out."
        made.lost.append(said)
        return ""
    name = unquote(source)
    made.media[name] = None
    target = quote(name, safe="/-_.~!,;=@+$*'&")
    if tag == "img":
        return f"![{label}]({target})"
    return f" [{escaped(' '.join(name.split()))}]({target}) "


# Blocks: lines one under the other, lists, tables, code.


@dataclass(slots=True)
class _Box:
    """An element that holds blocks, while it is read."""

    kind: str
    entries: list[tuple[str, bool, bool]] = field(default_factory=list)
    """Text, whether a blank line stands before it, whether it is a line of words."""
    children: list[_Box] = field(default_factory=list)
    """Items of a list, rows of a table, cells of a row."""
    start: int = 1
    """Of a numbered list."""


def _joined(box: _Box, tight: bool = False) -> str:
    """The blocks of a box, one under the other; words that stray beside items come first.

    `tight`: a list in an item of another stands right under its words.
    """
    parts: list[str] = []
    after_line = False
    for text, gap, line in box.entries:
        if parts and tight and not line and not gap:
            parts.append("\n")
        elif parts:
            parts.append("\\\n" if line and after_line and not gap else "\n\n")
        parts.append(text)
        after_line = line
    return "".join(parts)


def _listed(box: _Box) -> str:
    lines = [_joined(box)] if box.entries else []
    for number, item in enumerate(box.children, box.start):
        sign = f"{number}. " if box.kind == "ol" else "- "
        words = _joined(item, tight=True)
        lines.append(sign + words.replace("\n", "\n" + " " * len(sign)))
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))


def _table(box: _Box) -> str:
    """A table of GitHub's kind; its first row is the header."""
    rows = [[_cell(cell) for cell in row.children] for row in box.children if row.kind == "tr"]
    rows = [row for row in rows if row]
    if not rows:
        return _joined(box)
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows.insert(1, ["---"] * width)
    before = _joined(box) + "\n\n" if box.entries else ""
    return before + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: _Box) -> str:
    text = re.sub(r"\\\n|\n+", " ", _joined(cell))
    return " ".join(text.split()).replace("|", "\\|")


def _heading(words: str, level: int) -> str:
    """A heading; in bold where it would begin a part of the card, or be warned of."""
    if title_name(words) not in ("question", "solution", "options"):
        return f"{'#' * level} {words}"
    return words if "**" in words else f"**{words}**"


# The words of a line: what Markdown would misread is escaped, marks are put where they hold.

#: Private characters stand for marks until the whole line is known.
_OPEN = {"b": "\ue010", "i": "\ue012", "s": "\ue014"}
_CLOSE = {"b": "\ue011", "i": "\ue013", "s": "\ue015"}
_SIGNS = {"\ue010": "**", "\ue012": "*", "\ue014": "~~"}
_PAIRS = dict(zip(_OPEN.values(), _CLOSE.values(), strict=True))
_OPENINGS, _CLOSINGS = "".join(_PAIRS), "".join(_PAIRS.values())
_ANY_MARK = re.compile(f"([{_OPENINGS}{_CLOSINGS}])")
_SPECIAL = re.compile(
    r"(?P<backslash>\\(?=[!-/:-@\[-`{-~]))"
    r"|(?P<star>(?<!\s)\*+|\*+(?!\s|$)|^\*+)"
    r"|(?P<bar>(?<!\w)_+|(?<!_)_++(?!\w))"
    r"|(?P<other>[`$]|~~|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)|\[\[|\[(?=\^|[ xX]\])|!(?=\[))"
    r"|(?P<link>\[)"
)
_BRACKET = re.compile(r"\]")
_START = re.compile(r"(#{1,6}|[-+*](?=\s|$)|>|={2,}\s*$|-{2,}\s*$)")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_POINTS = ".,;:!?"
_SPACES = re.compile(r"[ \t\n\r\f\v]+")
_EMPTY = re.compile("\ue010 *\ue011|\ue012 *\ue013|\ue014 *\ue015")
_AGAIN = re.compile("\ue011( *)\ue010|\ue013( *)\ue012|\ue015( *)\ue014")
_INNER_LEFT = re.compile(f"([{_OPENINGS}])( +)")
_INNER_RIGHT = re.compile(f"( +)([{_CLOSINGS}])")
_LABEL = re.compile("\ue020[^\ue020\ue021]*\ue021")
_BRACKETED = re.compile(r"(?<![\\!])\[([^\[\]]*)\](?!\()")
_RAISED = re.compile("([\ue02a\ue02b])([^\ue02a-\ue02c]*)\ue02c")
_SUBS = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_SUPS = str.maketrans("0123456789+-=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ")


def escaped(text: str) -> str:
    """Words of a text node, so that Markdown shows them as they are."""
    text = text.replace("\xa0", " ")
    if text.isalnum():
        return text
    if "[" not in text:
        return _SPECIAL.sub(_escape, text)
    ahead = ForwardSearch(text)

    def escape(found: re.Match[str]) -> str:
        if found["link"]:
            end = ahead.of(_BRACKET, found.end())
            if end is None or text[end.end() : end.end() + 1] not in ("(", "[", ":"):
                return "["
        return _escape(found)

    return _SPECIAL.sub(escape, text)


def _escape(found: re.Match[str]) -> str:
    if found[0] == "<":  # an entity: not even a careless reader finds a tag
        return "&lt;"
    return "".join("\\" + sign for sign in found[0])


def _finished(line: str) -> str:
    """A line of words: spaces collapsed, marks resolved, its beginning means nothing."""
    line = _SPACES.sub(" ", line).strip()
    if not line:
        return ""
    if PRIVATE.search(line):
        line = _marked(line).strip()
    if _START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def _marked(line: str) -> str:
    for _ in range(20):
        before = line
        line = _INNER_RIGHT.sub(r"\2\1", _INNER_LEFT.sub(r"\2\1", line))
        line = _EMPTY.sub("", line)
        line = _AGAIN.sub(lambda found: "".join(filter(None, found.groups())), line)
        if line == before:
            break
    # `[[1]](...)` would be a link to a card.
    line = _LABEL.sub(lambda found: _BRACKETED.sub(r"\\[\1\\]", found[0]), _with_signs(line))
    return line.replace("\ue020", "[").replace("\ue021", "]")


def _with_signs(line: str) -> str:
    """Each pair of marks as Markdown's, or as nothing where Markdown would not take it for one."""
    pieces = _ANY_MARK.split(line)  # words, and at odd places marks
    before = _beside(pieces, range(len(pieces)), -1)
    after = _beside(pieces, range(len(pieces) - 1, -1, -1), 0)
    out, opened = ["" if at % 2 else piece for at, piece in enumerate(pieces)], list[int]()
    for at in range(1, len(pieces), 2):
        if pieces[at] in _PAIRS:
            opened.append(at)
            continue
        start = opened.pop() if opened else 0
        if not start or _PAIRS[pieces[start]] != pieces[at]:
            continue
        mark, words = _SIGNS[pieces[start]], pieces[at - 1]
        bare = words.rstrip(_POINTS)
        if _holds(before[start], after[start], before[at], after[at]):
            out[start] = out[at] = mark
        elif bare[-1:].isalnum() and _holds(before[start], after[start], bare[-1], "."):
            # A point that a word follows ends no mark: it goes behind the mark.
            out[start], out[at - 1] = mark, bare + mark + words[len(bare) :]
    return "".join(out)


def _beside(pieces: list[str], places: range, end: int) -> dict[int, str]:
    """For each mark, the sign of the words on the side that `places` come from, of which it is the
    first (`end` 0) or the last (-1)."""
    found, sign = dict[int, str](), " "
    for at in places:
        if at % 2:
            found[at] = sign
        elif pieces[at]:
            sign = pieces[at][end]
    return found


def _holds(before: str, first: str, last: str, after: str) -> bool:
    """Whether marks flank what they mark, its `first` and `last` sign, by CommonMark's rules."""
    if first == " " or last == " ":
        return False
    # A formula's place is put back as `$`: punctuation to Markdown's eye, no word.
    return (first.isalnum() or not before.isalnum()) and (last.isalnum() or not after.isalnum())


def _raised(text: str) -> str:
    """Sub- and superscripts: signs of Unicode where there are such, else `_(...)`, `^(...)`."""
    for _ in range(10):
        text, count = _RAISED.subn(_raise, text)
        if not count:
            break
    return re.sub("[\ue02a-\ue02c\ue020\ue021]", "", text)


def _raise(found: re.Match[str]) -> str:
    low, text = found[1] == "\ue02a", found[2].strip()
    moved = text.translate(_SUBS if low else _SUPS)
    if not text or all(a != b for a, b in zip(text, moved, strict=True)):
        return moved
    words = text if text.isalnum() and len(text) == 1 else f"({text})"
    return (r"\_" if low else "^") + words


# The words of a Markdown text, to tell whether something is said already.

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=64)
def words(text: str) -> str:
    """The words of a Markdown text, a space around each."""
    return f" {' '.join(_WORD.findall(text.replace(chr(92), '')))} "


def is_said(text: str, told: Iterable[str]) -> bool:
    """Whether the words of a text stand in one of the others, in their order."""
    said = words(text)
    return any(said in words(each) if said.strip() else text in each for each in told)
