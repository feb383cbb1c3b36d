"""Signs and names: what stands in a formula without parts of its own."""

from __future__ import annotations

from html import escape

from cards.math.tree import Operator, Symbol
from deck.exchange.export.mathml.elements import Setting, element, operator
from deck.exchange.export.mathml.letters import lettered

#: The heights of \\big, \\Big, \\bigg, \\Bigg.
_SIZES = ("", "1.2em", "1.8em", "2.4em", "3em")
_UPRIGHT = frozenset({"roman", "display", "text"})
_FENCES = frozenset("()[]{}⟨⟩⌈⌉⌊⌋|‖/\\↑↓↕")


def symbol(node: Symbol, setting: Setting, alone: bool) -> str:
    """One sign; `alone`: nothing stands before it that it could join, so that `−` is a sign."""
    char = node.char
    if node.size:
        size = _SIZES[node.size]
        return operator(char, stretchy="true", symmetric="true", minsize=size, maxsize=size)
    if node.name == "prime":
        return operator(char)
    match node.kind:
        case "open" | "close":
            return operator(char, fence="true", stretchy="false", form=_form(node.kind))
        case "punct":
            return operator(char, separator="true")
        case "bin" if alone:
            return operator(char, form="prefix")
        case "bin" | "rel":
            return operator(char, stretchy="false") if char in "∣∥↑↓→←" else operator(char)
        case "op":
            return operator(char)
    return _ordinary(char, setting)


def _form(kind: str) -> str:
    return "prefix" if kind == "open" else "postfix"


def _ordinary(char: str, setting: Setting) -> str:
    if char.isdecimal():
        return number(char, setting)
    drawn = lettered(char, setting.font)
    # A letter alone is drawn italic by itself; capitals of Greek are upright in TeX.
    upright = setting.font in _UPRIGHT or "Α" <= char <= "Ω"
    if drawn == char and (upright or not char.isalpha()):
        return element("mi", escape(drawn), mathvariant="normal")
    return element("mi", escape(drawn))


def number(digits: str, setting: Setting) -> str:
    return element("mn", "".join(lettered(digit, setting.font) for digit in digits))


def word(letters: str, setting: Setting) -> str:
    """Letters that are one name, as in \\mathrm{ReLU}."""
    drawn = "".join(lettered(char, setting.font) for char in letters)
    if len(drawn) == 1 and setting.font in _UPRIGHT:
        return element("mi", escape(drawn), mathvariant="normal")
    return element("mi", escape(drawn))


def named(node: Operator, limits: bool) -> str:
    """A function's name, or a large operator; with `limits` they stand over and under it."""
    if node.large:
        fixed = {"movablelimits": "false"} if limits else {}
        return operator(node.text, **fixed)
    text = escape(node.text.replace(" ", "\u00a0"))
    single = {"mathvariant": "normal"} if len(node.text) == 1 else {}
    return element("mi", text, **single)
