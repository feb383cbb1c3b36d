"""Frontmatter of the plainest form, read without the YAML parser, which takes most of its time.

Lines of `key: text` and `key: [text, text]` in letters, digits and signs that mean nothing to YAML.
Whatever is not exactly that, an error included, is left to `cards.frontmatter`; what is read here
is what is read there, places included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cards.model import Value

# Texts that YAML takes as they are: signs inside a word, colons only where none can end a key.
_WORD = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+/()-]|:(?=[A-Za-z0-9_:]))*+"
_TEXT = rf"{_WORD}(?: +{_WORD})*"
_LINE = re.compile(
    rf"(?P<key>[A-Za-z_][A-Za-z0-9_-]{{0,99}}): +"
    rf"(?:(?P<text>{_TEXT})|\[ *(?P<list>(?:{_TEXT} *, *)*+{_TEXT})? *\]) *\n"
)

Entry = tuple[str, Value, int, int, int]
"""Key, value, and where the key begins, the value begins and it ends."""


def plain_entries(yaml_text: str) -> list[Entry] | None:
    """The entries, offsets counted in `yaml_text`; None where another must read it."""
    if not yaml_text.startswith("\n") or "macros" in yaml_text:
        return None
    found = list(_entries(yaml_text, 1))
    keys = {entry[0] for entry in found}
    whole = found and found[-1][0] == "" and len(keys) == len(found)
    return found[:-1] if whole and len(found) > 1 else None


def _entries(yaml_text: str, at: int) -> Iterator[Entry]:
    """Entry by entry; at last, where the text is read to its end, one without a key."""
    while line := _LINE.match(yaml_text, at):
        value: Value
        text = line["text"]
        if text is not None:
            value, (start, end) = text, line.span("text")
        else:
            value = [each.strip() for each in line["list"].split(",")] if line["list"] else []
            start = yaml_text.index("[", line.end("key"))
            end = yaml_text.index("]", start) + 1
        yield line["key"], value, at, start, end
        at = line.end()
    if at == len(yaml_text):
        yield "", "", at, at, at
