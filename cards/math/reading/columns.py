r"""The column specification of an array: `{|r@{}l*{2}{c}:p{3cm}|}` to "|rlcc:l|"."""

from __future__ import annotations

from cards.math.reading.tokens import tokens_of

_LETTERS = {
    "l": "l", "c": "c", "r": "r", "p": "l", "m": "l", "b": "l", "X": "l", "L": "l", "C": "c",
    "R": "r", "S": "r", "|": "|", ":": ":",
}  # fmt: skip
_WITH_ARGUMENT = frozenset("pmb@!><w")
_MOST = 200


def columns_of(spec: str) -> str:
    """A letter a column, with `|` and `:` for rules between; everything else leaves no trace."""
    tokens = [token for token in tokens_of(spec) if not token.isspace()]
    return "".join(_read(tokens, 0))[:_MOST]


def _read(tokens: list[str], depth: int) -> list[str]:
    found: list[str] = []
    i = 0
    while i < len(tokens) and len(found) < _MOST:
        token = tokens[i]
        i += 1
        if token == "*":
            count, i = _argument(tokens, i)
            repeated, i = _argument(tokens, i)
            number = "".join(count)
            if number.isascii() and number.isdecimal() and depth < 4:
                found.extend(_read(repeated, depth + 1) * min(int(number[:4]), _MOST))
        elif token in _WITH_ARGUMENT:
            if token in _LETTERS:
                found.append(_LETTERS[token])
            _, i = _argument(tokens, i)
        elif token in _LETTERS:
            found.append(_LETTERS[token])
    return found


def _argument(tokens: list[str], i: int) -> tuple[list[str], int]:
    """The tokens of the argument at `i`, and where it ends."""
    if i >= len(tokens) or tokens[i] != "{":
        return tokens[i : i + 1], i + 1
    level = 0
    for end in range(i, len(tokens)):
        level += {"{": 1, "}": -1}.get(tokens[end], 0)
        if level == 0:
            return tokens[i + 1 : end], end + 1
    return tokens[i + 1 :], len(tokens)
