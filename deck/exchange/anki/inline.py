"""The words of a line: what Markdown would misread is escaped, marks are put where they hold."""

from __future__ import annotations

import re

from deck.exchange.anki.math import PRIVATE
from deck.exchange.anki.scan import Next

#: Private characters stand for marks until the whole line is known.
OPEN = {"b": "\ue010", "i": "\ue012", "s": "\ue014"}
CLOSE = {"b": "\ue011", "i": "\ue013", "s": "\ue015"}
_SIGNS = {"\ue010": "**", "\ue012": "*", "\ue014": "~~"}
_PAIRS = dict(zip(OPEN.values(), CLOSE.values(), strict=True))
_OPENINGS, _CLOSINGS = "".join(_PAIRS), "".join(_PAIRS.values())
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
    ahead = Next(text)

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


def finished(line: str) -> str:
    """A line of words: spaces collapsed, marks resolved, its beginning means nothing."""
    line = _SPACES.sub(" ", line).strip()
    if not line:
        return ""
    if PRIVATE.search(line):
        line = _marked(line).strip()
    if found := _START.match(line):
        return "\\" + line if found else line
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
    out = list(line)
    opened: list[int] = []
    before, after = _neighbours(line)
    for at, sign in enumerate(line):
        if sign in _PAIRS:
            opened.append(at)
        elif sign in _CLOSINGS:
            start = opened.pop() if opened else -1
            if start >= 0 and _PAIRS[line[start]] == sign:
                around = before[start], after[start], before[at], after[at]
                mark = _SIGNS[line[start]]
                out[start] = out[at] = mark if _holds(*around) else ""
                inner = line[start + 1 : at].rstrip(_POINTS)
                if not out[at] and inner[-1:].isalnum() and _holds(*around[:2], inner[-1], "."):
                    # A point that a word follows ends no mark: it goes behind the mark.
                    out[start] = mark
                    out[start + len(inner)] += mark
            else:
                out[at] = ""
    for at in opened:
        out[at] = ""
    return "".join(out)


def _neighbours(line: str) -> tuple[dict[int, str], dict[int, str]]:
    """For the place of each mark, the words' signs on its left and on its right."""
    before, after = {}, {}
    last, waiting = " ", []
    for at, sign in enumerate(line):
        if sign in _PAIRS or sign in _CLOSINGS:
            before[at] = last
            waiting.append(at)
            continue
        for place in waiting:
            after[place] = sign
        waiting.clear()
        last = sign
    return before, after | dict.fromkeys(waiting, " ")


def _holds(before: str, first: str, last: str, after: str) -> bool:
    """Whether marks flank what they mark, its `first` and `last` sign, by CommonMark's rules."""
    if first == " " or last == " ":
        return False
    left = _is_word(first) or not _is_word(before)
    right = _is_word(last) or not _is_word(after)
    return left and right


def _is_word(sign: str) -> bool:
    # A formula's place is a word to Markdown's eye only when it is put back as `$`: punctuation.
    return sign.isalnum()


def code_span(text: str) -> str:
    text = " ".join(text.replace("\xa0", " ").split())
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def raised(text: str) -> str:
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
