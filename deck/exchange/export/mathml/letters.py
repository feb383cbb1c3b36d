"""Letters in an alphabet, as Unicode has them: MathML Core knows no other bold or script."""

from __future__ import annotations

from cards.math.typesetter.box import letter

#: Where capitals, small letters and digits start (Unicode 14, Mathematical Alphanumeric Symbols).
_LATIN = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "italic": (0x1D434, 0x1D44E, 0),
    "bold-italic": (0x1D468, 0x1D482, 0x1D7CE),
    "sans": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "typewriter": (0x1D670, 0x1D68A, 0x1D7F6),
}
#: Where Alpha and alpha start.
_GREEK = {
    "bold": (0x1D6A8, 0x1D6C2),
    "italic": (0x1D6E2, 0x1D6FC),
    "bold-italic": (0x1D71C, 0x1D736),
}
_CAPITALS, _SMALL = range(0x391, 0x3AA), range(0x3B1, 0x3CA)
#: Signs that follow the small Greek letters in each alphabet: U+2202 and the letters' variants.
_AFTER = "∂ϵϑϰϕϱϖ"
_PLANCK = "ℎ"


def lettered(char: str, font: str) -> str:
    """`char` in the alphabet `font`; itself where there is no such letter."""
    if font not in _LATIN:
        return letter(char, font)
    if len(char) != 1:
        return char
    if char.isascii() and char.isalnum():
        return _latin(char, font)
    if font not in _GREEK:
        return char
    capitals, small = _GREEK[font]
    if ord(char) in _CAPITALS:
        return chr(capitals + ord(char) - _CAPITALS.start)
    if ord(char) in _SMALL:
        return chr(small + ord(char) - _SMALL.start)
    return chr(small + len(_SMALL) + _AFTER.index(char)) if char in _AFTER else char


def _latin(char: str, font: str) -> str:
    capitals, small, digits = _LATIN[font]
    if char.isdigit():
        return chr(digits + int(char)) if digits else char
    if char == "h" and font == "italic":
        return _PLANCK
    return chr(capitals + ord(char) - 65) if char.isupper() else chr(small + ord(char) - 97)
