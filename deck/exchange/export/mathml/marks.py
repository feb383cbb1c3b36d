"""The signs over and under a base: accents, braces, and what is struck through."""

from __future__ import annotations

from deck.exchange.export.mathml.elements import element, operator

_ACCENTS = {
    "hat": "^", "widehat": "^", "check": "ˇ", "widecheck": "ˇ", "tilde": "~", "widetilde": "~",
    "utilde": "~", "acute": "´", "grave": "`", "dot": "˙", "ddot": "¨", "dddot": "\u20db",
    "ddddot": "\u20dc", "breve": "˘", "bar": "‾", "overline": "‾", "underline": "_",
    "underbar": "_", "vec": "→", "mathring": "˚", "ring": "˚", "doubleacute": "˝", "H": "˝",
    "cedilla": "¸", "underdot": ".", "ogonek": "˛",
    "overrightarrow": "→", "overleftarrow": "←", "overleftrightarrow": "↔",
    "underrightarrow": "→", "underleftarrow": "←", "underleftrightarrow": "↔",
    "Overrightarrow": "⇒", "overrightharpoon": "⇀", "overleftharpoon": "↼",
    "underleftharpoon": "↽", "underrightharpoon": "⇁",
}  # fmt: skip
_BRACES = {"brace": "⏞⏟", "bracket": "⎴⎵", "paren": "⏜⏝", "line": "‾_"}
_LINE = (
    "padding:0.1em;print-color-adjust:exact;background:"
    "linear-gradient({}, transparent 47%, currentColor 47% 53%, transparent 53%)"
)
_STRUCK = {
    "cancel": ("to bottom right",),
    "bcancel": ("to top right",),
    "xcancel": ("to bottom right", "to top right"),
    "strike": ("to bottom",),
}
_FRAMED = {
    "box": "border:1px solid;padding:0.2em",
    "angle": "border-top:1px solid;border-right:1px solid;padding:0.1em 0.1em 0 0",
    "phase": "border-bottom:1px solid;border-left:1px solid;padding:0 0 0.1em 0.2em",
}


def accented(name: str, base: str, over: bool, wide: bool) -> str:
    """`base` with an accent (`cards.math.tree.Accent`)."""
    sign = operator(_ACCENTS.get(name, "‾"), stretchy="true" if wide else "false")
    if over:
        return element("mover", base + sign, accent="true")
    return element("munder", base + sign, accentunder="true")


def braced(shape: str, base: str, over: bool) -> str:
    sign = operator(_BRACES[shape][0 if over else 1], stretchy="true")
    return element("mover" if over else "munder", base + sign)


def boxed(how: str, body: str) -> str:
    """`body` framed, struck through, or there for its size only (`cards.math.tree.Boxed`)."""
    if how in _FRAMED:
        return element("mrow", body, style=_FRAMED[how])
    if how in _STRUCK:
        for way in _STRUCK[how]:
            body = element("mrow", body, style=_LINE.format(way))
        return body
    match how:
        case "hphantom":
            return element("mpadded", element("mphantom", body), height="0", depth="0")
        case "vphantom":
            return element("mpadded", element("mphantom", body), width="0")
        case "phantom":
            return element("mphantom", body)
        case "smash":
            return element("mpadded", body, height="0", depth="0")
    return element("mpadded", body, width="0")
