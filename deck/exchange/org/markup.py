"""A heading's text in Org as Markdown: blocks here, what stands within lines in `inline`."""

from __future__ import annotations

import re
import textwrap

from deck.exchange.org.inline import PRIVATE, Inline

_BEGIN = re.compile(r"([ \t]*)#\+begin_(\w+)[ \t]*(.*)", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#(?:\+[\w-]+(?:\[.*?\])?:|[ \t]|$)")
_RULE = re.compile(r"[ \t]*-{5,}[ \t]*$")
_TABLE = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"[ \t]*\|[-+|: \t]*-[-+|: \t]*$")
_ITEM = re.compile(
    r"([ \t]*)([-+]|\d{1,9}[.)]|(?<=[ \t])\*)[ \t]+(?:\[@\d+\][ \t]*)?"
    r"(\[[ xX-]\](?:[ \t]+|$))?(.*)"
)
_TERM = re.compile(r"(.{1,200}?)[ \t]+::(?:[ \t]+|$)(.*)")
_FIXED = re.compile(r"[ \t]*:(?:[ ](.*)|$)")
_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_NOTE = re.compile(r"\[fn:([\w-]{1,50})\][ \t]+(.*)")
_VERBATIM = {"src", "example", "export"}


def to_markdown(lines: list[str], inline: Inline) -> str:
    """The Markdown of some lines, with what is finished set aside in `inline`."""
    lines = textwrap.dedent("\n".join(PRIVATE.sub("", line) for line in lines)).split("\n")
    return "\n".join(_blocks(lines, inline)).strip("\n")


def _blocks(lines: list[str], inline: Inline) -> list[str]:
    made: list[str] = []
    text: list[str] = []
    index = 0

    def flush() -> None:
        if text:
            made.append(inline.converted("\n".join(text)))
            text.clear()

    while index < len(lines):
        line = lines[index]
        if begin := _BEGIN.match(line):
            flush()
            index, inner = _inner(lines, index, begin[2])
            made += _block(begin, inner, inline)
        elif _TABLE.match(line):
            flush()
            rows = _while(_TABLE, lines, index)
            made += _table(rows, inline)
            index += len(rows)
        elif _FIXED.match(line):
            flush()
            fixed = _while(_FIXED, lines, index)
            made.append(_fenced([each.lstrip()[2:] for each in fixed], ""))
            index += len(fixed)
        else:
            if not _KEYWORD.match(line):
                text.append(_line(line, inline))
            index += 1
    flush()
    return made


def _while(pattern: re.Pattern[str], lines: list[str], index: int) -> list[str]:
    end = index
    while end < len(lines) and pattern.match(lines[end]):
        end += 1
    return lines[index:end]


def _inner(lines: list[str], index: int, name: str) -> tuple[int, list[str]]:
    closing = f"#+end_{name}".casefold()
    for at in range(index + 1, len(lines)):
        if lines[at].strip().casefold() == closing:
            return at + 1, lines[index + 1 : at]
    return len(lines), lines[index + 1 :]


def _block(begin: re.Match[str], inner: list[str], inline: Inline) -> list[str]:
    kind = begin[2].casefold()
    if kind in _VERBATIM:
        language = begin[3].split()[0] if kind != "example" and begin[3].split() else ""
        if kind == "export" and language == "latex":
            return [*inner]
        fenced = _fenced(textwrap.dedent("\n".join(inner)).split("\n"), language)
        return [textwrap.indent(fenced, begin[1])]
    if kind == "comment":
        return []
    shown = _blocks(textwrap.dedent("\n".join(inner)).split("\n"), inline)
    if kind == "quote":
        return [f"> {line}".rstrip() for each in shown for line in each.split("\n")]
    return shown


def _fenced(lines: list[str], language: str) -> str:
    """Code, which no rule reads; a comma protects Org's own signs at the beginning of a line."""
    code = "\n".join(re.sub(r"^([ \t]*),(?=,*(?:\*|#\+))", r"\1", line) for line in lines)
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def _line(line: str, inline: Inline) -> str:
    if _RULE.match(line):
        return inline.set_aside("* * *")
    if found := _HEADING.match(line):
        return f"{inline.set_aside('#' * min(len(found[1]), 6))} {found[2]}"
    if found := _NOTE.match(line):
        return f"{inline.set_aside(f'[^{found[1]}]:')} {found[2]}"
    if found := _ITEM.match(line):
        sign, rest = "-" if found[2] in "-+*" else found[2], found[4]
        if sign == "-" and (term := _TERM.match(rest)):
            bold = inline.set_aside(f"**{inline.converted(term[1], '*')}**")
            rest = f"{bold}: {term[2]}".rstrip()
        box = (found[3] or "").lower()
        return f"{found[1]}{inline.set_aside(f'{sign} {box}')}{rest}"
    return line


def _table(rows: list[str], inline: Inline) -> list[str]:
    """A table needs a head in Markdown: the first row is one."""
    cells = [
        [inline.converted(cell.strip()) for cell in row.strip().strip("|").split("|")]
        for row in rows
        if not _TABLE_RULE.match(row)
    ]
    if not cells:
        return []
    width = max(map(len, cells))
    shown = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    return ["", shown[0], f"|{' --- |' * width}", *shown[1:], ""]
