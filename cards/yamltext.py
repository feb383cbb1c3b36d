"""Values as YAML that fits on a line: plain where YAML reads it back, quoted where it must be."""

from __future__ import annotations

import re

from cards.model import Value

# A plain scalar that no context misreads: begins with a word, a dot or a sign that means nothing,
# ends in a visible character, and holds no indicator (": ", " #", brackets and commas of lists).
_PLAIN = re.compile(
    r"(?:[^\W]|[./+(<~^$-](?=[^\s-]))(?:[^\n\r\t,\[\]{}#:\"'&*!|>%@`]|(?<=\S)[#'](?=\S)|:(?=[^\s,\[\]{}]))*"
)


def write_value(value: Value, quote: str = "") -> str:
    """`value` on one line; a text gets the given quote (' or ") where that can hold it."""
    if isinstance(value, str):
        return _scalar(value, quote)
    if isinstance(value, list):
        return f"[{', '.join(write_value(each) for each in value)}]"
    pairs = (f"{_scalar(key, '')}: {write_value(each)}" for key, each in value.items())
    return f"{{{', '.join(pairs)}}}"


def is_plain(text: str) -> bool:
    """Whether YAML reads `text` without quotes as itself, in a list as on a line of its own."""
    return bool(_PLAIN.fullmatch(text)) and text == text.strip() and text.isprintable()


def _scalar(text: str, quote: str) -> str:
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if quote != '"' and is_plain(text):
        return text
    return '"' + "".join(_escape(sign) for sign in text) + '"'


def _escape(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    if sign in "\n\t":
        return {"\n": "\\n", "\t": "\\t"}[sign]
    code = ord(sign)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )
