r"""The one Markdown parser for cards: CommonMark, tables, strikethrough, footnotes, mathematics.

Mathematics is scanned before emphasis and links, so that `$(i^*, j^*)$` keeps its stars, and
`allow_digits=False` leaves prices alone.  `\(...\)`, `\[...\]` and bare environments are read by
rules of our own: the library's plug-in `texmath` takes every escaped bracket for a formula, and
`amsmath` knows few environments.  Tokens beside CommonMark's: `math_block`, `math_inline`,
`math_inline_double` (content: the LaTeX; markup: the opening sign, empty for an environment),
`wikilink` and `embed` (content: the target; meta["label"]), and footnotes.  Raw HTML stays text.
Importing costs about 30 ms: only the views that draw cards should.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, image, link
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar
from mdit_py_plugins.footnote import footnote_plugin

from cards.spans import BRACKETED, environments, math_spans, reads_as_math
from cards.text import printable

_WIKI = re.compile(r"!?\[\[([^\[\]\n|]{1,500})(?:\|([^\[\]\n]{1,500}))?\]\]")
# A Unicode noncharacter, never in real text: stands for a bar inside a formula, one for one.
_BAR = "\ufdd0"
_DEEPEST = 40
#: Brackets that are tried as links in one text; a flood of them would take seconds.
_MOST_BRACKETS = 20_000
_INTERRUPTED = ["paragraph", "reference", "blockquote"]
#: What may stand behind a formula on its last line.
_POINTS = re.compile(r"[ \t]*[.,;:]?[ \t]*")
_DOLLARS = re.compile(r"(?<!\\)(?:\\\\)*\$\$")
#: What can end a block of mathematics, or shows that there is none.
_NEXT = re.compile(r"\$\$(?=(?P<end>[^\S\n]*$))|(?<!\\)(?:\\\\)*\$\$(?!\$)", re.MULTILINE)
_ESCAPES = re.compile(r"\\*")
_dollar_inline = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
_dollar_block = math_block_dollar(allow_labels=False, allow_blank_lines=True)


@cache
def parser() -> MarkdownIt:
    """The parser, made once."""
    md = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST})
    md.enable(["table", "strikethrough"])
    md.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    md.use(footnote_plugin, inline=False)
    # The plug-in's `$$` block cannot interrupt a paragraph, where `---` or `#` in it would.
    md.inline.ruler.at("math_inline", _dollar)
    md.block.ruler.at("math_block", _math_block, {"alt": _INTERRUPTED})
    md.block.ruler.before("fence", "tex_block", _tex_block, {"alt": _INTERRUPTED})
    md.inline.ruler.before("escape", "tex", _tex)
    md.core.ruler.before("block", "hide_bars", _hide_bars)
    md.core.ruler.after("block", "show_bars", _show_bars)
    md.core.ruler.push("printable", _printable)
    md.block.ruler.before("table", "too_deep", _too_deep)
    md.inline.ruler.before("link", "wikilink", _wikilink)
    md.inline.ruler.at("link", _rationed(link))
    md.inline.ruler.at("image", _rationed(image))
    # The library compiles its rules at the first parse, without a lock: a thread that comes second
    # meanwhile would find none, and read an empty text.
    for ruler in (md.core.ruler, md.block.ruler, md.inline.ruler, md.inline.ruler2):
        ruler.getRules("")
    return md


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    # The library drops what is nested deeper than its limit; here it stays, as plain text.
    if state.level < _DEEPEST - 2:
        return False
    if not silent:
        state.push("paragraph_open", "p", 1).map = [start, end]
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(start, end, state.blkIndent, False).strip()
        inline.map, inline.children = [start, end], []
        state.push("paragraph_close", "p", -1)
        state.line = end
    return True


def _rationed(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """A rule for brackets that gives up in a text which holds nothing but brackets."""

    def rationed(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in "[!":
            return False
        tried = state.env["brackets"] = state.env.get("brackets", 0) + 1
        return tried <= _MOST_BRACKETS and rule(state, silent)

    return rationed


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    # The plug-in's rule writes its token also when it is only asked whether a block begins; and it
    # takes all that stands between the first and the last dollars of a line for one formula.
    tokens, line = len(state.tokens), state.line
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", begin):
        return False
    # It would look for the end down to the end of the text, at each of its openings.
    closing = _NEXT.search(state.src, begin + 2)
    if closing is None or closing["end"] is None:
        return False
    found = _dollar_block(state, start, end, silent)
    is_one = found and not _DOLLARS.search(state.tokens[-1].content)
    if silent or not is_one:
        del state.tokens[tokens:]
        state.line = line
    return is_one


def _dollar(state: StateInline, silent: bool) -> bool:
    # In front of the first character the plug-in's rule looks at the last one.
    if (begin := _ESCAPES.match(state.src)) is None or begin.end() < state.pos:
        return _dollar_inline(state, silent)
    src = state.src
    state.src, state.pos = f"\n{src}", state.pos + 1
    found = _dollar_inline(state, silent)
    state.src, state.pos = src, state.pos - 1
    return found


def _tex_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""`\[...\]` or an environment, from the beginning of a line to the end of one."""
    begin = state.bMarks[start] + state.tShift[start]
    found = None if state.is_code_block(start) else _tex_at(state, begin)
    if found is None or found[0] == "\\(":
        return False
    sign, stop = found
    last = start
    while last < end and state.eMarks[last] < stop:
        last += 1
        if last < end and not state.isEmpty(last) and state.sCount[last] < state.blkIndent:
            return False
    points = _POINTS.fullmatch(state.src, stop, state.eMarks[last]) if last < end else None
    if points is None:
        return False
    if not silent:
        # Of a quote or a list, without what stands in front of each line.
        text = state.getLines(start, last + 1, state.sCount[start], False).strip()
        if sign:
            after = points[0].strip()
            text = text[len(sign) : len(text) - len(after) - len(sign)] + after
        token = state.push("math_block", "math", 0)
        token.content, token.markup = text, sign
        token.block, token.map = True, [start, last + 1]
    state.line = last + 1
    return True


def _tex(state: StateInline, silent: bool) -> bool:
    found = _tex_at(state, state.pos)
    if found is None:
        return False
    sign, stop = found
    line = state.src.rfind("\n", 0, state.pos) + 1
    if not sign and state.src[line : state.pos].strip():
        return False
    if not silent:
        token = state.push("math_inline" if sign == "\\(" else "math_inline_double", "math", 0)
        token.content = state.src[state.pos + len(sign) : stop - len(sign)]
        token.markup = sign
    state.pos = stop
    return True


def _tex_at(state: StateBlock | StateInline, at: int) -> tuple[str, int] | None:
    r"""The sign of a formula that begins here, empty for an environment, and where it ends."""
    sign = state.src[at : at + 2]
    if sign == "\\b":
        src, known = state.env.get("environments", ("", {}))
        if src != state.src:
            known = environments(state.src)
            state.env["environments"] = (state.src, known)
        return ("", known[at]) if at in known else None
    found = BRACKETED.match(state.src, at) if sign in ("\\(", "\\[") else None
    return (sign, found.end()) if found and reads_as_math(found) else None


def _hide_bars(state: StateCore) -> None:
    # A table splits its rows at every bar, also within $|x|$, and makes a bar of `\|`, a norm.
    if "|" not in state.src:
        return
    pieces: list[str] = []
    at = 0
    for start, end in math_spans(state.src):
        pieces += [state.src[at:start], state.src[start:end].replace("|", _BAR)]
        at = end
    state.src = "".join([*pieces, state.src[at:]])


def _show_bars(state: StateCore) -> None:
    for token in state.tokens:
        token.content = token.content.replace(_BAR, "|")
        token.info = token.info.replace(_BAR, "|")


def _printable(state: StateCore) -> None:
    # An entity such as `&#8238;` is no control in the text, only in the tokens.
    tokens = list(state.tokens)
    for token in tokens:
        tokens += token.children or []  # a picture's words lie deeper still
        if token.type == "softbreak" and state.env.get("line_breaks"):
            token.type = "hardbreak"
        token.content, token.info = printable(token.content), printable(unescapeAll(token.info))
        token.attrs = {name: printable(str(value)) for name, value in token.attrs.items()}


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = _WIKI.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        token = state.push("embed" if found[0][0] == "!" else "wikilink", "", 0)
        token.content = found[1].strip()
        token.meta = {"label": (found[2] or found[1]).strip()}
    state.pos = found.end()
    return True
