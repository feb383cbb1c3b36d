r"""Alphabets of mathematics: \mathbb, \mathcal, \mathfrak as letters of Unicode.

Bold, italic, sans and typewriter are styles of the terminal's, not letters: most fonts lack them.
"""

from __future__ import annotations

#: Where the alphabet's capitals, small letters and digits start (Unicode 14, Mathematical
#: Alphanumeric Symbols).
_STARTS: dict[str, tuple[int, int, int]] = {
    "bb": (0x1D538, 0x1D552, 0x1D7D8),
    "cal": (0x1D49C, 0x1D4B6, 0),
    "frak": (0x1D504, 0x1D51E, 0),
}
_STARTS["scr"] = _STARTS["cal"]

#: Letters that Unicode had before it had the alphabet.
_EARLIER: dict[str, dict[str, str]] = {
    "bb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "cal": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "frak": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}
_EARLIER["scr"] = _EARLIER["cal"]

#: The styles that a font other than an alphabet puts over what it holds.
FONT_STYLES: dict[str, tuple[str, ...]] = {
    "bold": ("bold",),
    "italic": ("italic",),
    "bold-italic": ("bold", "italic"),
}


def letter(char: str, font: str) -> str:
    """`char` in the alphabet `font`, itself where the alphabet has no such letter."""
    if font not in _STARTS or len(char) != 1 or not char.isascii():
        return char
    if char in _EARLIER[font]:
        return _EARLIER[font][char]
    capitals, small, digits = _STARTS[font]
    if char.isupper():
        return chr(capitals + ord(char) - ord("A"))
    if char.islower():
        return chr(small + ord(char) - ord("a"))
    return chr(digits + ord(char) - ord("0")) if char.isdigit() and digits else char
