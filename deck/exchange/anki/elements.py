"""What each element of HTML makes of the words in it; those that no rule knows fall away."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import quote

from deck.exchange.anki.blocks import Box, fenced, heading, joined, listed, quoted, table
from deck.exchange.anki.inline import CLOSE, OPEN, code_span, escaped, finished, raised
from deck.exchange.anki.math import DISPLAY
from deck.exchange.anki.shown import IN_ADDRESSES, WEB, Converted, medium
from deck.exchange.anki.tags import BOXES, CODE, HEADINGS, LINES, MARKS, RAISED, mark_of_style

_APART = re.compile(f"(\\{{\\{{c\\d+(?:,\\d+)*::|\\}}\\}}|{DISPLAY}\\d+\ue001[.,;:!?]*)")
#: Deeper nesting is drawn flat.
_DEEPEST = 60


class Writer:
    """Takes tags and words in their order; any order will do."""

    def __init__(self, made: Converted) -> None:
        self._made = made
        self._boxes = [Box("root")]
        self._inline: list[str] = []
        self._marks: list[tuple[str, str]] = []
        """Open tags that mark words, each with its sign ("" for none)."""
        self._deep: Counter[str] = Counter()
        """Open tags that were too deep for a mark."""
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
            if tag == "br" or tag in LINES:
                self._raw.append("\n")
        elif tag == "br":
            if not self._flush() and self._boxes[-1].entries:
                self._gap = True  # an empty line
        elif tag in LINES or tag in HEADINGS:
            self._flush()
            self._gap = self._gap or tag == "p"
            if tag in HEADINGS:
                self._push(tag)
        elif tag in BOXES:
            self._open_box(tag, attributes)
        elif tag == "hr":
            self._flush()
            self._put("* * *", gap=True)
        elif tag == "pre" or tag in CODE:
            if tag == "pre":
                self._flush()
            self._raw, self._raw_tag = [], tag
        else:
            self._open_inline(tag, attributes)

    def _open_inline(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("img", "source", "audio", "video"):
            self._inline.append(medium(self._made, tag, attributes))
        elif tag == "a":
            href = attributes.get("href", "").strip()
            self._links.append(href if WEB.fullmatch(href) else "")
            if self._links[-1]:
                self._inline.append("\ue020")
        elif tag in RAISED:
            if len(self._marks) < _DEEPEST:
                self._marks.append((tag, ""))
                self._inline.append(RAISED[tag])
            else:
                self._deep[tag] += 1
        elif tag in MARKS:
            self._mark(tag, MARKS[tag])
        elif tag == "span":
            self._mark(tag, mark_of_style(attributes.get("style", "")))

    def close(self, tag: str) -> None:
        if self._raw is not None:
            if tag == self._raw_tag:
                self._close_raw()
        elif tag == "a":
            self._close_link()
        elif tag in LINES:
            self._flush()
            self._gap = self._gap or tag == "p"
        elif tag in HEADINGS or tag in BOXES:
            self._close_box(tag)
        elif self._deep[tag]:
            self._deep[tag] -= 1
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
        return raised(joined(self._boxes[0])).strip()

    # Marks, links, media.

    def _mark(self, tag: str, sign: str) -> None:
        if len(self._marks) >= _DEEPEST:
            self._deep[tag] += 1
            return
        if sign and any(sign == known for _, known in self._marks):
            sign = ""
        self._marks.append((tag, sign))
        if sign:
            self._inline.append(OPEN[sign])

    def _close_mark(self, tag: str) -> None:
        again: list[tuple[str, str]] = []
        while self._marks:
            name, sign = self._marks.pop()
            if sign:
                self._inline.append(CLOSE[sign])
            if name == tag:
                break
            again.append((name, sign))
        if tag in RAISED:
            self._inline.append(")" if tag == "rt" else "\ue02c")
        for name, sign in reversed(again):
            self._marks.append((name, sign))
            if sign:
                self._inline.append(OPEN[sign])

    def _close_raw(self) -> None:
        text, self._raw = "".join(self._raw or []), None
        if self._raw_tag == "pre":
            self._put(fenced(text), gap=True)
        elif text.strip():
            self._inline.append(code_span(text))

    def _close_link(self) -> None:
        href = self._links.pop() if self._links else ""
        if href:
            self._inline.append(f"\ue021({quote(href, safe=IN_ADDRESSES)})")

    # Blocks.

    def _flush(self) -> bool:
        """Ends the line; whether there was one."""
        if self._marks:
            self._inline += [CLOSE[sign] for _, sign in reversed(self._marks) if sign]
        text = finished("".join(self._inline))
        self._inline = [OPEN[sign] for _, sign in self._marks if sign]
        if text:  # Markdown has no hard break beside a formula on a line of its own
            shown = DISPLAY in text
            self._put(text, gap=self._gap or shown, line=True)
            self._gap = shown
        return bool(text)

    def _put(self, text: str, gap: bool, line: bool = False) -> None:
        self._boxes[-1].put(text, gap, line)
        self._gap = False

    def _push(self, kind: str) -> None:
        if len(self._boxes) < _DEEPEST:
            self._boxes.append(Box(kind))
        else:
            self._boxes[-1].extra.append(kind)

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
        extra = self._boxes[-1].extra
        if extra:
            if extra[-1] == tag:
                extra.pop()
            return
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
            self._put(listed(box), gap=above.kind != "li")
        elif box.kind == "blockquote":
            self._put(quoted(box), gap=True)
        elif box.kind == "table":
            self._put(table(box), gap=True)
        elif words := " ".join(joined(box).replace("\\\n", " ").split()):
            self._put(heading(words, HEADINGS[box.kind]), gap=True)
