"""A card's two sides as HTML: a note type's templates with a note's fields put in.

The language is Anki's: `{{Field}}`, `{{filter:Field}}`, `{{#Field}}...{{/Field}}`, `{{^Field}}`,
`{{FrontSide}}`.  A template is read once, into pieces; a field's own text is never read as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape

_TAG = re.compile(r"(<!--.*?(?:-->|\Z))|\{\{([^{}]*)\}\}", re.DOTALL)
_ANSWER = re.compile(r"<hr\b[^<>]{0,500}?\bid\s{0,9}=\s{0,9}[\"']?answer\b[^<>]{0,500}>", re.I)
#: In place of the rule above the answer: no template or field has it.
_RULE = "\0answer\0"
#: Tags that draw nothing by themselves.
_UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|<(?!img\b|audio\b|video\b)[^<>]*>", re.DOTALL | re.I)
#: What was typed is compared with the field, which is what the back shows here.
_TYPED = re.compile(r"\{\{\s*+type:(?:nc:)?")
_STYLE = re.compile(r"<(style|script)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
#: All that a field holds which is empty to Anki (rslib/src/template.rs), and a space of HTML's.
_NOTHING = re.compile(r"(?:</?(?:br|div) ?/?>|&nbsp;|\s)*+", re.IGNORECASE)
_CONDITION = re.compile(r"\{\{\s*+[#^]([^{}]*+)\}\}")
_FURIGANA = re.compile(r" ?([^ >\]\[]{1,100}+)\[(?!sound:)([^\]]{1,500})\]")
#: Of what a template may hold beside fields: known to Anki, and nothing for a card here.
_SPECIAL = frozenset({"Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "CardID"})
FRONT = "FrontSide"

Node = str | tuple[str, tuple[str, ...]] | tuple[str, str, tuple["Node", ...]]
"""Text; (field, filters); ("#" or "^", field, nodes)."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A card's sides."""

    front: str
    back: str
    """Without the front that many templates repeat above the answer."""
    drawn: frozenset[str] = frozenset()
    """The fields that either shows whole, or hides behind a click or a style."""


def sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The two sides of a card; what is typed is not drawn, and hints are in `<details>`."""
    drawn: set[str] = set()
    asked = _render(_read(front), fields, drawn)
    shown = _render(_read(_ANSWER.sub(_RULE, _TYPED.sub("{{", back))), fields, drawn)
    return Sides(asked, _behind_front(shown, asked), frozenset(drawn))


def _behind_front(back: str, front: str) -> str:
    """The back without the front that stands above the rule; all of it where that is more."""
    above, _, below = back.partition(_RULE)
    below = below.replace(_RULE, "<hr>")
    seen = _seen(above)
    if not seen or seen == _seen(front):
        return below if _RULE in back else above
    return f"{above}<hr>{below}" if _seen(below) else above


def _seen(html: str) -> str:
    """What is to be seen of it, in a form that tells whether two are the same."""
    return "".join(unescape(_UNSEEN.sub("", html)).split())


def asks(front: str, fields: Mapping[str, str]) -> bool:
    """Whether the front shows a field that holds something: to Anki, a card without is empty."""
    return _asks(_read(front), fields)


def _asks(nodes: tuple[Node, ...], fields: Mapping[str, str]) -> bool:
    for node in nodes:
        if isinstance(node, str):
            continue
        if len(node) == 2:
            if _holds(node[0], fields):
                return True
        elif (node[0] == "#") is _holds(node[1], fields) and _asks(node[2], fields):
            return True
    return False


def cloze_sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The text with its clozes, and what the back shows beside it."""
    drawn: set[str] = set()
    asked = _render(_read(front), fields, drawn)
    shown = _render(_read(_without_clozes(back)), fields, drawn)
    return Sides(asked, shown, frozenset(drawn))


def decide(template: str) -> set[str]:
    """The fields on which a template's parts depend: `{{#Field}}...{{/Field}}`."""
    return {found[1].strip() for found in _CONDITION.finditer(template)}


def styles(template: str) -> str:
    """The style sheets that stand in a template."""
    return "".join(found[0] for found in _STYLE.finditer(template) if found[1].lower() == "style")


@lru_cache(maxsize=256)
def _without_clozes(template: str) -> str:
    """A cloze's answer is its text, shown: here it is the card's own business."""
    kept = _ANSWER.sub("", template)
    return re.sub(r"\{\{\s*(?:[\w-]+:)*cloze:[^{}]*\}\}", "", kept)


@lru_cache(maxsize=1024)
def _read(template: str) -> tuple[Node, ...]:
    """A template that is wrong is read as far as it makes sense."""
    template = _STYLE.sub("", template)
    stack: list[tuple[str, str, list[Node]]] = [("", "", [])]
    at = 0
    for found in _TAG.finditer(template):
        stack[-1][2].append(template[at : found.start()])
        at = found.end()
        if found[1]:
            continue
        name = found[2].strip()
        sign = name[0] if name[:1] in ("#", "^", "/", "=") else ""
        name = name.removeprefix(sign).strip()
        if sign in ("#", "^"):
            stack.append((sign, name, []))
        elif sign == "/":
            if len(stack) > 1 and stack[-1][1] == name:
                kind, field, nodes = stack.pop()
                stack[-1][2].append((kind, field, tuple(nodes)))
        elif not sign and name:
            *filters, field = name.split(":")
            stack[-1][2].append((field.strip(), tuple(filters)))
    stack[-1][2].append(template[at:])
    while len(stack) > 1:
        kind, field, nodes = stack.pop()
        stack[-1][2].append((kind, field, tuple(nodes)))
    return tuple(stack[0][2])


def _render(nodes: tuple[Node, ...], fields: Mapping[str, str], drawn: set[str]) -> str:
    """What is drawn, and the names of the fields in it."""
    parts: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            parts.append(node)
        elif len(node) == 2:
            text = _field(node[0], node[1], fields)
            if text == fields.get(node[0]):
                drawn.add(node[0])
            is_hint = "hint" in map(str.strip, node[1]) and "cloze" not in node[1]
            if is_hint and _NOTHING.fullmatch(text) is None:
                text = f"<details><summary>{escape(node[0])}</summary>{text}</details>"
            parts.append(text)
        elif (node[0] == "#") is _holds(node[1], fields):
            parts.append(_render(node[2], fields, drawn))
    return "".join(parts)


def _holds(field: str, fields: Mapping[str, str]) -> bool:
    is_cloze = re.fullmatch(r"c\d+", field) is not None
    return is_cloze or _NOTHING.fullmatch(fields.get(field, "")) is None


def _field(name: str, filters: tuple[str, ...], fields: Mapping[str, str]) -> str:
    if name == FRONT or (name in _SPECIAL and name not in fields):
        return ""
    text = fields.get(name, "")
    for each in reversed(filters):
        kind = each.strip().partition(" ")[0]
        if kind in ("type", "tts", "tts-voices"):
            return ""  # what is typed or spoken is not drawn
        if kind in ("furigana", "kanji", "kana"):
            shown = {"furigana": r"\1(\2)", "kanji": r"\1", "kana": r"\2"}[kind]
            text = _FURIGANA.sub(shown, text)
    return text
