"""Spellings of print and of NumPy, in characters and tokens that the grammar knows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from engine.formula.statements import split
from engine.formula.tokens import Token, plain, tokenize
from engine.messages.targets import doubled
from engine.messages.vocabulary import Words

# -- Spellings of whole arrays that the tokens do not know, in characters that they know.
#
# Every place is kept, so that the parser can look up in the learner's own text what was typed:
# the `*` of `a ⊗ b`, and the `^` of `v.sum()`.


_SIGNS: Final = str.maketrans({"@": "*", "⊗": "*", "⊘": "/", "⟨": "(", "⟩": ")"})
_LIBRARY: Final = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch|tf)\.(?=[A-Za-z])")
_TURNED: Final = re.compile(r"(?<=[\w)\]'])\.T\b")
_TOTAL: Final = re.compile(r"(?<=[\w)\]'])\.(sum|mean)\((?:axis *= *)?([01]?)\)")
_DOT: Final = re.compile(r"(?<=[\w)\]'])\.dot\(")
_BELOW: Final = r"(_[A-Za-z]+|_\{[A-Za-z, ]+\}|\[[A-Za-z, ]+\])?"
_MARK: Final = (
    r"\^(?:\(\((?P<two>\w)\)\)|\{\((?P<both>\w)\)\}|[({](?P<one>\w)[)}]"
    r"|(?P<bare>\w)(?![A-Za-z0-9(]))"
)
_ABOVE: Final = re.compile(rf"(?<!\w)([A-Za-z]+|δ){_BELOW}{_MARK}{_BELOW}")
_LEVEL: Final = r"[ℓlL](?:[-+]\d)?"
_LAYER: Final = re.compile(
    r"(?<!\w)(?P<name>[A-Za-z]+|δ)\^(?P<mark>[ℓlL]|"
    + "|".join(
        re.escape(a) + _LEVEL + re.escape(b)
        for a, b in (("((", "))"), ("{(", ")}"), *zip("({", ")}", strict=True))
    )
    + r")(?![A-Za-z0-9])"
)
#: What a line sets: with n = 2, x^n is a power.
_OWN: Final = re.compile(r"(?<![{_\[(\w])(\w) *:?=")
_WHERE: Final = re.compile(r"(?<![\w.])where\((?=[^\n]*,[^\n]*,)")


#: Behind a formula, which entries it is for: ", j = 1, ..., n", "for all j and k", "∀ j".
_LETTER: Final = r"(?:[^\W\d_]|[^\W\d_]_\w)"
_MANY: Final = rf"{_LETTER}(?:\s*(?:,|and)\s*{_LETTER})*"
_UP_TO: Final = (
    r"\s*(?:=|∈|in)\s*(?:\{\s*)?[01]\s*,\s*"
    r"(?:[^\W\d_]\w*\s*,\s*|2\s*,\s*)?(?:\.\.\.|…)\s*,\s*\w+\s*\}?"
)
_QUANTIFIED: Final = re.compile(
    rf"(?<=\S)[ \t]*[,;]?[ \t]*(?:(?<![(\[{{,])\()?"
    rf"(?:(?:for )?{_MANY}{_UP_TO}|(?:for (?:all|every|each)|forall|∀)(?: (?:entry|index))?\s*"
    rf"{_MANY}(?:{_UP_TO})?)\)?(?=[ \t]*(?:[.;]?[ \t]*(?:\n|$)|,[ \t]+\S|;|and\b))"
)


def plainly(text: str, words: Words) -> str:
    """The text in characters that the tokens know, every place kept."""
    text = _QUANTIFIED.sub(lambda found: " " * len(found.group()), text)
    text = _LIBRARY.sub(lambda found: " " * len(found.group()), text.translate(_SIGNS))
    text = _TURNED.sub("^T", text)
    text = _TOTAL.sub(lambda found: f"^{{{found[1]}{found[2]}}}".ljust(len(found[0])), text)
    text = _layered(_DOT.sub("*   (", text), words)
    own = {*_OWN.findall(text)}
    text = _ABOVE.sub(lambda found: _marked(found, words, own), text)
    return _WHERE.sub("which(", doubled(text))


def rows(text: str, words: Words) -> list[list[Token]]:
    """The lines of an answer."""
    said = plainly(text, words)
    return split(_sliced(_apart(tokenize(said), said, words)))


def _apart(tokens: list[Token], text: str, words: Words) -> list[Token]:
    """δx on a right side as δ times x, unless it is a name that a line of the answer gives."""
    lines = {
        one.text
        for one, before in zip(tokens, [None, *tokens], strict=False)
        if before is None or before.kind == "newline"
    }
    found: list[Token] = []
    for token in tokens:
        rest = token.text[5:]
        glued = (
            token.text[:5] == "delta"
            and text[token.at : token.at + 1] == "δ"
            and rest in words.arrays
        )
        right = bool(found) and found[-1].kind in ("op", "number", "name") and found[-1].text != ","
        if glued and right and token.text not in lines and f"d{rest}" not in words.local:
            found += [replace(token, text="delta"), replace(token, text=rest, at=token.at + 1)]
        else:
            found.append(token)
    return found


def _sliced(tokens: list[Token]) -> list[Token]:
    """W[i,:] as W[i], a row, and W[:,j] as (W^T)[j], a column."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        opens = at + 1 + (tokens[min(at + 1, len(tokens) - 1)].text == "_")
        end = next((n for n in range(opens, len(tokens)) if tokens[n].text in ("]", "}")), 0)
        inside = [one for one in tokens[opens + 1 : end] if one.text != ","]
        colons = [one.text for one in inside].count(":")
        name = tokens[at]
        is_column = bool(inside) and inside[0].text == ":"
        # d / dW[:,j]: no column is asked for
        is_left = is_column and at > 0 and tokens[at - 1].text == "/" and name.text[:1] == "d"
        is_slice = name.kind == "name" and tokens[opens].text in ("[", "{") and len(inside) == 2
        if is_left or not is_slice or colons != 1:
            found.append(name)
            at += 1
            continue
        if is_column:
            found += [replace(name, kind="op", text="("), replace(name, spaced=False)]
            found += [replace(name, kind="op", text="^", spaced=False)]
            found += [replace(name, text="T", spaced=False)]
            found += [replace(name, kind="op", text=")", spaced=False)]
        else:
            found.append(name)
        index = next(one for one in inside if one.text != ":")
        found += [
            replace(tokens[opens], text="[", spaced=False),
            index,
            replace(tokens[end], text="]"),
        ]
        at = end + 1
    return found


def _layered(text: str, words: Words) -> str:
    """Without the numbers of layers: of δ^(ℓ-1) and δ^(ℓ), or δ^ℓ and δ^(ℓ+1), the higher one is
    the message from above and the lower one, where one alone is asked, the message asked for.
    """
    marks = [(one["name"], one["mark"].strip("(){}")) for one in _LAYER.finditer(text)]
    deltas = {mark for name, mark in marks if name in ("delta", "δ")}
    letters = {mark[0] for mark in deltas}
    levels = sorted({int(mark[1:] or 0) for mark in deltas})
    if len(letters) != 1 or len(levels) > 2 or letters & {*_OWN.findall(text), *words.arities}:
        return text
    asked = [name for name in words.asked if "/" not in name]
    lower = asked[0] if len(levels) == 2 and len(asked) == 1 else "delta"

    def named(one: re.Match[str]) -> str:
        name, mark = one["name"], one["mark"].strip("(){}")
        if name in ("delta", "δ"):
            name = "delta" if int(mark[1:] or 0) == levels[-1] else lower
        elif mark[0] not in letters or name not in words.arrays:
            return one[0]
        return name.rjust(len(one[0]))

    return _LAYER.sub(named, text)


def _marked(found: re.Match[str], words: Words, own: set[str]) -> str:
    """δ^(s)_k of textbooks, the message at s, and p^(i), entry i: what stands above as an index."""
    name, low, *above, lower = found.groups()
    mark, below = "".join(filter(None, above)), (low or lower or "").strip("_{}[]")
    message = name in ("delta", "δ") and mark in words.arrays
    entry = not below and words.arities.get(name) == 1 and mark not in (*words.known, "T")
    if not (message or (entry and mark.isalpha() and mark not in own)):
        return found[0]
    index = f"{{{mark},{below}}}" if "," in below else mark + below
    return f"{name}_{index}".ljust(len(found[0]))


# -- What an answer calls the message from above.


def spoken_so(text: str, words: Words) -> Words:
    """The words of an answer by what it calls the message from above: a bar then marks messages,
    and where it is no delta, a delta with two indices is Kronecker's."""
    if not words.output:
        return words
    said, output = plain(plainly(text, words))[0], re.escape(words.output)
    bars = re.search(rf"(?<![^\W_]){output}_?bar(?![^\W_])", said)
    named = re.search(rf"/\s*d{output}(?![^\W_])|(?<![^\W/])d{output}(?![^\W_])", said)
    kronecker = bool(bars or named) and not re.search(r"delta_?\w?(?![\w\[_{])", said)
    return replace(words, bars=bool(bars), kronecker=kronecker)
