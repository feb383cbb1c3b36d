"""Lossless edits: a card's text with one field or one section changed, and not a byte more.

`with_field` and `with_section` are pure; `set_field`, `replace_section` and `save_card` apply them
to a file, atomically, and only where the file is still the text that the caller has seen.
`new_card` writes the text of a new one; `copy_starter` puts the starter deck into a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from cards.files import write_text
from cards.frontmatter import Field, Header, known_header, read_header, unsafe_id
from cards.model import Card, CardError, Diagnostics, Problem, Value, quoted
from cards.outline import Heading, Outline, outline_of, own_part, title_name, trimmed
from cards.parse import parse_card

_ENDING = re.compile(r"\r\n|\n|\r")
# A key with its colon and the comment beside that, above a value that begins on a line below.
_ABOVE = re.compile(
    r"(?P<key>[^\r\n]*?:)(?P<note>[ \t]*(?:(?<=[ \t])#[^\r\n]*)?)(?:[ \t]*[\r\n])+[ \t]*"
)


def set_field(path: Path, key: str, value: Value, seen: str) -> Card:
    """Sets one frontmatter field of a file; returns the card as it now is.

    Raises CardError, with the file as it was, where `with_field` does, where the result would not
    read as a card, where the file differs from `seen`, and where the disk refuses.
    """
    return save_card(path, with_field(seen, key, value, path), seen)


def replace_section(path: Path, title: str, body: str, seen: str) -> Card:
    """Replaces the text below one heading of a file; returns and raises as `set_field` does."""
    return save_card(path, with_section(seen, title, body, path), seen)


def save_card(path: Path, text: str, seen: str | None = None, root: Path | None = None) -> Card:
    """Writes a whole card: over the text `seen`, or as a new file where that is None.

    Raises CardError before anything is written where `text` is not a readable card, and where a
    link in the collection `root` leads out of it.
    """
    path = Path(path)
    card = parse_card(text, path)
    write_text(path, text, seen, root=root)
    return card


def with_field(text: str, key: str, value: Value, path: Path | None = None) -> str:
    """`text` with one frontmatter value changed, or with a new line above the closing `---`.

    Comments, quotes, order and line endings stay; a value that spans lines becomes one line.
    Raises CardError where the frontmatter does not read, and where a comment stands among the
    lines of the present value (what it belongs to, only its author knows).
    """
    report = Diagnostics(text, path)
    header = known_header(report)
    found = header.fields.get(key)
    if found is None:
        changed = _append(report, header, key, value)
    else:
        changed = _replace(report, found, value)
    expected = {name: field.value for name, field in header.fields.items()} | {key: value}
    if _values(changed) != expected:
        message = f"The value of {quoted(key)} cannot be changed without touching others."
        at = found.key_at if found else header.closing
        raise report.fatal(at, message, "Edit the frontmatter in the editor.")
    return changed


def field_lines(text: str, key: str, path: Path | None = None) -> str:
    """The lines of a frontmatter field, with their endings; "" where there is none."""
    start, end = _lines_at(Diagnostics(text, path), key)
    return text[start:end]


def with_field_lines(text: str, key: str, lines: str, path: Path | None = None) -> str:
    """`text` with other lines for a field, where `field_lines` had them, or above the closing
    `---`.  Raises CardError where the frontmatter does not read, or another field would change."""
    report = Diagnostics(text, path)
    start, end = _lines_at(report, key)
    changed = text[:start] + lines + text[end:]
    before, after = _values(text), _values(changed)
    if before is None or after is None or before | {key: ""} != after | {key: ""}:
        message = f"The lines of {quoted(key)} cannot be put back without touching others."
        raise report.fatal(start, message, "Edit the frontmatter in the editor.")
    return changed


def _lines_at(report: Diagnostics, key: str) -> tuple[int, int]:
    text, header = report.text, known_header(report)
    found = header.fields.get(key)
    if found is None:
        return header.closing, header.closing
    value = _own_lines(text[found.start : found.end])
    ending = _ENDING.search(text, found.start + len(value))
    start = max(text.rfind("\n", 0, found.key_at), text.rfind("\r", 0, found.key_at)) + 1
    return start, ending.end() if ending else len(text)


def _values(text: str) -> dict[str, Value] | None:
    """The frontmatter's values, None where it does not read."""
    try:
        fields = known_header(Diagnostics(text, None)).fields
    except CardError:
        return None
    return {key: field.value for key, field in fields.items()}


def _append(report: Diagnostics, header: Header, key: str, value: Value) -> str:
    text = report.text
    if header.flow:
        hint = "Write its fields on lines of their own first."
        raise report.fatal(header.start, "The frontmatter is one `{...}`.", hint)
    line = f"{write_value(key)}: {write_value(value)}"
    return text[: header.closing] + line + _ending(text, header.closing) + text[header.closing :]


def _replace(report: Diagnostics, found: Field, value: Value) -> str:
    text = report.text
    old = _own_lines(text[found.start : found.end])
    if _holds_comment(found, old):
        message = f"The value of {quoted(found.key)} spans several lines, with a comment in them."
        raise report.fatal(found.key_at, message, "Change it in the editor.")
    # Quotes that the old value needed say nothing about taste; those it did not need do.
    plain = isinstance(found.value, str) and is_plain(found.value)
    new = write_value(value, found.quote if plain else "")
    rest = text[found.start + len(old) :]
    above = _ABOVE.fullmatch(text, found.key_at, found.start) if found.form == "block" else None
    if above:  # the lines below the key become a value beside it
        return text[: above.end("key")] + " " + new + above["note"] + rest
    space = " " if text[found.start - 1] == ":" else ""
    return text[: found.start] + space + new + rest


def _own_lines(old: str) -> str:
    """A value without what the parser counts as its end: empty lines, comments at the margin."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", old)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return "".join(lines).rstrip() if "\n" in old or "\r" in old else old


def _holds_comment(found: Field, old: str) -> bool:
    """Whether a comment would go with a value of several lines (or looks as if it would)."""
    if found.form == "scalar":
        # In a block scalar only its first line has one; elsewhere a scalar has none.
        return found.quote in {"|", ">"} and "#" in re.split(r"[\r\n]", old, maxsplit=1)[0]
    return bool("\n" in old or "\r" in old) and bool(re.search(r"(?:^|\s)#", old))


def with_section(text: str, title: str, body: str, path: Path | None = None) -> str:
    """`text` with the words below the heading `title` replaced, up to the next heading.

    The heading, the blank lines and separators around the words, and every other part stay; line
    endings of `body` become those of the file.  Raises CardError where there is no such heading
    or more than one, and where the new words would swallow the headings that follow.
    """
    report = Diagnostics(text, path)
    header = read_header(report)
    outline = outline_of(report, header.body)
    heading = _find(outline, title, header, report)
    own = own_part(outline, heading)
    words = trimmed(outline, own)
    ending = _ending(text, outline.lines[heading.last].end)
    new = ending.join(_ENDING.split(body.strip("\r\n")))
    if words:
        start, end = outline.lines[words.start].start, outline.lines[words.stop - 1].end
    else:
        start = end = outline.lines[heading.last].end
        new = ending + new if new else ""
    changed = text[:start] + new + text[end:]
    # The headings up to this one, and those behind it, are still there.
    index = outline.headings.index(heading) + 1
    before, after = (
        [(each.level, each.title) for each in headings]
        for headings in (
            outline.headings,
            outline_of(Diagnostics(changed, path), header.body).headings,
        )
    )
    behind = after[len(after) - len(before) + index :]
    if len(after) < len(before) or after[:index] != before[:index] or behind != before[index:]:
        hint = "Close code fences and `$$`, and leave `---` out."
        at = outline.lines[heading.first].start
        raise report.fatal(at, "The new text would change the parts around it.", hint)
    return changed


def _find(outline: Outline, title: str, header: Header, report: Diagnostics) -> Heading:
    found = [h for h in outline.headings if h.name == title_name(title)]
    if len(found) == 1:
        return found[0]
    if found:
        lines = " and ".join(str(outline.lines[h.first].number) for h in found)
        message = f"The heading {quoted(title)} stands in lines {lines}."
        raise report.fatal(outline.lines[found[1].first].start, message, "Rename one of them.")
    titles = ", ".join(quoted(h.title) for h in outline.headings) or "none"
    hint = f"Its headings are: {titles}."
    raise report.fatal(header.closing, f"The card has no heading {quoted(title)}.", hint)


def _ending(text: str, at: int) -> str:
    """The line ending that the file uses at an offset, or in its first line."""
    for ending in ("\r\n", "\n", "\r"):
        if text.startswith(ending, at) or text.endswith(ending, 0, at):
            return ending
    return "\r\n" if "\r\n" in text else "\n"


# Values as YAML on one line: plain where YAML reads that back, else quoted

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


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def _escape(sign: str) -> str:
    if sign in _ESCAPES or sign.isprintable():
        return _ESCAPES.get(sign, sign)
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# New cards: what `deltadeck add` opens in the editor

_RELATED = "\n## Related Concepts\n"
_PLAIN_SOLUTION = "‹Write the answer here.›\n"
#: What each type of card has in its header, question and solution; ‹ › stand around blanks.
_BODIES: dict[str, tuple[str, str, str]] = {
    "basic": ("", "‹Write the question here.›\n", _PLAIN_SOLUTION),
    "open": ("", "‹Write the question here.›\n", _PLAIN_SOLUTION),
    "derivation": (
        "exercise: {layer: ‹max-pool›}\n",
        "‹(5p) Derive the backward message of the layer, "
        "$\\frac{\\partial L}{\\partial x_{ij}}$.›\n",
        "‹Write the derivation here.›\n\n## Steps / Derivation\n1. ‹State the forward message.›\n",
    ),
    "multiple_choice": (
        "",
        "‹Write the question here.›\n\n"
        "## Options\nA) ‹first›\nB) ‹second›\nC) ‹third›\nD) ‹fourth›\n",
        "**Correct Answer:** ‹A›\n\n## Explanation\n‹Say why, and why the others are wrong.›\n",
    ),
    "cloze": (
        "",
        "‹The gradient flows to the {{c1::largest}} input of a {{c2::window::which group?}}.›\n",
        "",
    ),
    "reversed": ("", "‹Write the one side here.›\n", "‹Write the other side here.›\n"),
    "numeric": (
        "answer: ‹0›\ntolerance: ‹1%›\n",
        "‹Write a question whose answer is a number.›\n",
        _PLAIN_SOLUTION,
    ),
}
_BLANK = re.compile("‹(.*)›")


def blanks() -> dict[str, tuple[int, int]]:
    """The lines of new cards that are to be written over: each with the columns of its blank."""
    rows = (row for parts in _BODIES.values() for part in parts for row in part.split("\n"))
    found = ((row, _BLANK.search(row)) for row in rows)
    return {_filled(row): (m.start(), m.end() - 2) for row, m in found if m}


def _filled(text: str) -> str:
    return _BLANK.sub(r"\1", text)


def new_card(card_type: str, card_id: str, course: str = "", tags: Iterable[str] = ()) -> str:
    """The text of a new card, which parses as it stands.

    Raises CardError for an unknown type, and for an id that cannot name a file.
    """
    if card_type not in _BODIES:
        hint = f"Use one of: {', '.join(_BODIES)}."
        raise CardError(Problem(None, 1, 1, f"I do not know the type `{card_type}`.", hint))
    if reason := unsafe_id(card_id) or ("" if card_id else "is empty"):
        hint = "Use letters, digits, `_` or `-`."
        raise CardError(Problem(None, 1, 1, f"The id {reason}.", hint))
    keys, question, solution = map(_filled, _BODIES[card_type])
    header = f"id: {write_value(card_id)}\n"
    header += f"course: {write_value(course)}\n" if course else ""
    header += f"tags: {write_value(list(tags))}\ndifficulty: 2\ntype: {card_type}\n"
    header += f"status: to_learn\n{keys}"
    # What stands below the solution is part of a reversed card's other prompt.
    related = _RELATED if solution and card_type != "reversed" else ""
    answer = f"\n---\n# Solution\n{solution}" if solution else ""
    return f"---\n{header}---\n\n# Question\n{question}{answer}{related}"


def copy_starter(folder: Path) -> int:
    """Copies the starter cards that are not there yet; how many.  Nothing is overwritten.

    Raises CardError where one cannot be written.
    """
    sources = sorted((Path(__file__).parent / "starter").glob("*.md"))
    missing = [source for source in sources if not (folder / source.name).exists()]
    for source in missing:
        # Through save_card, not a file copy: atomic, and writable whatever the source's mode is.
        save_card(folder / source.name, source.read_bytes().decode("utf-8"), None)
    return len(missing)
