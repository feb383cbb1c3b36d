r"""Colours: \color, \textcolor, \colorbox, \fcolorbox, and the named ones of KaTeX."""

from __future__ import annotations

import re

from cards.math.reading.arguments import optional_raw, raw
from cards.math.reading.colour_names import colour_names
from cards.math.reading.core import Items, Parser, Reader, Stop, declared
from cards.math.reading.text import content, text_argument
from cards.math.tree import Boxed, Row, Styled

_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
#: xcolor's mixtures: red!50!blue, -red.
_MIXES = re.compile(r"[!-]+")
_PER_CENT = re.compile(r"[0-9.]*")

#: KaTeX's colour commands: families with their shades, A the lightest.
_SHADES = """
blue 6495ed ccfaff 80f6ff 63d9ea 11accd 0c7f99
teal - 94fff5 26edd5 01d1c1 01a995 208170
green 28ae7b b6ffb0 8af281 74cf70 1fab54 0d923f
gold - ffd0a9 ffbb71 ff9c39 e07d10 a75a05
red df0030 fca9a9 ff8482 f9685d e84d39 bc2612
maroon - ffbde0 ff92c6 ed5fa6 ca337c 9e034e
purple 9d38bd ddd7ff c6b9fc aa87ff 7854ab 543b78
mint - f5f9e8 edf2df e0e5cc
gray gray f6f7f7 f0f1f2 e3e5e6 d6d8da babec2 888d93 626569 3b3e40 21242c
orange ffa500
pink ff00af
kaBlue 314453
kaGreen 71b307
"""


def colour(parser: Parser) -> str:
    """Reads a colour, perhaps after its model in brackets; "color:...", or "" for none known."""
    model = optional_raw(parser)
    parser.peek()
    start = parser.starts[parser.i]
    name = raw(parser).strip()
    found = _colour(model, name)
    if not found:
        said = (name if not model else f"{model} {name}")[:60]
        parser.problem(
            f"The colour {said} is not known." if name else "A colour is missing here.",
            _hint(name) if len(parser.problems) < 10 else _WAY_OUT,
            parser.since(start),
        )
    return found


def _colour(model: str | None, name: str) -> str:
    if model in _MODELS:
        return _mixed(model, name)
    found = _HEX.fullmatch(name)
    if found and (name[0] == "#" or model == "HTML" or name.isdigit()):
        digits = found[1].lower()
        return "color:#" + (digits if len(digits) == 6 else "".join(c * 2 for c in digits))
    words = [word for word in _MIXES.split(name) if not _PER_CENT.fullmatch(word)]
    known = bool(words) and all(word.lower() in colour_names() for word in words)
    return f"color:{words[0]}" if known else ""


_WAY_OUT = "Write a name such as red, or #ff0000."


def _hint(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name[:40].lower(), sorted(colour_names()), 1, 0.7)
    return f"Did you mean {near[0]}?" if near else _WAY_OUT


#: Models of xcolor's: how many numbers, and the largest.
_MODELS = {"rgb": (3, 1), "RGB": (3, 255), "gray": (1, 1), "cmyk": (4, 1)}


def _mixed(model: str, values: str) -> str:
    count, most = _MODELS[model]
    try:
        parts = [float(part) / most for part in values.split(",")]
    except ValueError:
        return ""
    if len(parts) != count or not all(0 <= part <= 1 for part in parts):
        return ""
    if count == 4:
        *inks, black = parts
        parts = [(1 - ink) * (1 - black) for ink in inks]
    elif count == 1:
        parts *= 3
    return "color:#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _textcolor(parser: Parser, items: Items, start: int) -> None:
    style = colour(parser)
    body = content(parser)
    items.append(Styled(style, body, parser.since(start)) if style else body)


def _fixed(style: str) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Styled(style, content(parser), parser.since(start)))

    return read


def _colorbox(parser: Parser, items: Items, start: int) -> None:
    style = colour(parser).replace("color:", "background:")
    words = text_argument(parser)
    body = Row((words,), words.span)
    items.append(Styled(style, body, parser.since(start)) if style else body)


def _fcolorbox(parser: Parser, items: Items, start: int) -> None:
    colour(parser)
    inner: Items = []
    _colorbox(parser, inner, parser.starts[parser.i])
    items.append(Boxed("box", Row(tuple(inner), inner[0].span), parser.since(start)))


def _named() -> dict[str, Reader]:
    found: dict[str, Reader] = {}
    for line in _SHADES.strip().splitlines():
        name, plain, *shades = line.split()
        if plain != "-":
            found["\\" + name] = _fixed("color:" + ("gray" if plain == "gray" else "#" + plain))
        for letter, shade in zip("ABCDEFGHI", shades, strict=False):
            found[f"\\{name}{letter}"] = _fixed("color:#" + shade)
    return found


READERS: dict[str, Reader | Stop] = {
    **_named(),
    "\\color": declared("color", colour),
    "\\textcolor": _textcolor,
    "\\colorbox": _colorbox,
    "\\fcolorbox": _fcolorbox,
}
