"""Where a text shows pictures and where it links, in every form and with offsets.

What is found is what `cards.markdown` reads, and the tests hold it to that: `![[x]]`, `![a](x)`
with brackets in its words or its name, with `<...>` and every kind of title, and `![a][ref]` with
its definition.  `<img>` is found as well, which cards take for text and other programs for a
picture; and so is what was meant for a picture and is none, as `![](two words.png)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple
from urllib.parse import unquote

from cards.model import Diagnostics, quoted
from cards.outline import Outline
from cards.spans import spans

_TOKEN = re.compile(
    r"\\.|(?P<wiki>!?\[\[[^\[\]\n]{1,500}\]\])|(?P<open>!?\[)|(?P<close>\])"
    r"|(?P<blank>\n(?=[ \t>]*\n))"
    r"|(?P<html><img(?=[\s/])(?:[^<>\"']++|\"[^\"]{0,1000}\"|'[^']{0,1000}'){0,40}+>)",
    re.DOTALL | re.IGNORECASE,
)
# A name without <> ends at a blank; brackets in it are in pairs, as deep as anyone nests them.
_PLAIN = r"[^()\\\x00-\x20\x7f]|\\[^\x00-\x20]|\\(?=[\x00-\x20])"
_BARE = _PLAIN
for _ in range(4):
    _BARE = rf"{_PLAIN}|\((?:{_BARE})*+\)"
_LONG = r"<(?P<long>(?:[^<>\n\\]|\\[^\n])*+)>"
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_GAP = r"[ \t]*+(?:\n[ \t]*+)?"
_DATA = re.compile(r"\([ \t]*+(?P<short>data:[^()<>\s]*+)[ \t]*+\)")
_REFERENCE = re.compile(r"\[(?P<label>(?:[^\[\]\\]|\\.){0,500}+)\]", re.DOTALL)
_MEANT = re.compile(r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*){0,9}\)|\[[^\[\]\n]+\]")
_DEFINITION = re.compile(
    r"^[ \t>]*+\[(?P<label>(?!\^)(?:[^\[\]\\\n]|\\.){1,500}+)\]:"
    rf"{_GAP}(?:{_LONG}|(?P<short>[^\s<]\S*+))(?:[ \t]++{_TITLE})?[ \t]*+$",
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(
    r"(?<=[\s\"'/])(?P<name>src|alt)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_UNSAFE = re.compile(r"[\s()<>\\]")
_SPECIAL, _BEFORE = re.compile(r"([<>]|\\(?=[!-/:-@\[-`{-~]|$))"), r"\\\1"
_FAR = 1000  # characters of a name and its title

LinkForm = Literal["wiki", "inline", "reference", "html", "unread"]


@cache
def _inline() -> re.Pattern[str]:
    """The target of an inline link; compiled when the first is looked for, which takes 3 ms."""
    return re.compile(
        rf"\({_GAP}(?:{_LONG}|(?P<short>(?!<)(?:{_BARE})++))?"
        rf"(?:(?=[ \t\n]){_GAP}{_TITLE})?{_GAP}\)",
        re.DOTALL,
    )


class Link(NamedTuple):
    """A link or an embed; all numbers are offsets into the text."""

    kind: LinkForm
    """`unread`: meant for a picture, and read as plain text by Markdown."""
    embed: bool
    name: str
    """The target as a plain name: without escapes, but with its `#...` and its `%20`."""
    label: str
    start: int
    end: int
    target: tuple[int, int] = (0, 0)
    """Of `inline`: the target as it is written, `<` and `>` included."""


class Definition(NamedTuple):
    """`[label]: name`"""

    name: str
    start: int
    end: int


def definitions(text: str) -> dict[str, Definition]:
    """The targets of references, by their labels as `[...]` compares them; of two the first."""
    found: dict[str, Definition] = {}
    for each in _DEFINITION.finditer(text) if "]:" in text else ():
        name = _plain_name(each["long"] if each["long"] is not None else each["short"])
        found.setdefault(_same(each["label"]), Definition(name, each.start(), each.end()))
    return found


def find(text: str, known: Mapping[str, Definition] | None = None) -> list[Link]:
    """Every link and embed, in order; code and formulas left out, and what is in a picture's words.

    `known` are definitions that stand outside of the text; its own come first.
    """
    if "[" not in text and "<" not in text:
        return []
    own = definitions(text)
    inert = [(span.start, span.end) for span in spans(text)]
    inert += [(each.start, each.end) for each in own.values()]
    finder = _Finder(text, {**(known or {}), **own})
    finder.read(sorted(inert))
    return sorted(finder.found, key=lambda each: each.start)


def embeds(text: str, known: Mapping[str, Definition] | None = None) -> list[Link]:
    """What `find` finds, without the links."""
    if "![" not in text and "<" not in text:
        return []
    return [each for each in find(text, known) if each.embed]


@dataclass(slots=True)
class _Finder:
    text: str
    known: Mapping[str, Definition]
    found: list[Link] = field(default_factory=list)
    _open: list[tuple[int, bool]] = field(default_factory=list)
    """Where each bracket that is not closed yet stands, and whether it is a picture's."""
    _no_links: int = 0
    """Below so many open brackets a link was found: none of them can be one of a link."""

    def read(self, inert: list[tuple[int, int]]) -> None:
        """Reads all but the inert pieces; one that begins within a link is a part of that."""
        at = behind = 0
        pieces = iter([*inert, (len(self.text), len(self.text))])
        start, end = next(pieces)
        while token := _TOKEN.search(self.text, at):
            while end <= token.start() or start < behind:
                start, end = next(pieces)
            if start <= token.start():
                at = end
                continue
            at = behind = self._token(token)

    def _token(self, token: re.Match[str]) -> int:
        """Where to go on behind it."""
        match token.lastgroup:
            case "wiki":
                embed = token[0][0] == "!"
                name, _, label = map(str.strip, token[0][3 if embed else 2 : -2].partition("|"))
                if name:
                    self.found.append(Link("wiki", embed, name, label, *token.span()))
            case "open":
                self._open.append((token.start(), token[0] == "!["))
            case "close" if self._open:
                return self._closed(token.end())
            case "blank":
                self._open.clear()
                self._no_links = 0
            case "html":
                self._html(token)
        return token.end()

    def _html(self, token: re.Match[str]) -> None:
        values = {"alt": ""}
        for each in _ATTRIBUTE.finditer(token[0]):
            values[each["name"].lower()] = _entities(next(filter(None, each.groups()[1:]), ""))
        if "src" in values:
            name, label = values["src"].strip(), values["alt"]
            self.found.append(Link("html", True, name, label, *token.span()))

    def _closed(self, at: int) -> int:
        """Where to go on behind a closing bracket that ends in front of `at`."""
        start, embed = self._open.pop()
        barred = len(self._open) < self._no_links
        self._no_links = min(self._no_links, len(self._open))
        if barred and not embed:
            return at
        # Longer words are cut: copied whole, nested ones would take quadratic time.
        label = self.text[start + 1 + embed : min(at - 1, start + _FAR)]
        target = (0, 0)
        kind: LinkForm = "inline"
        if inline := _DATA.match(self.text, at) or _inline().match(self.text, at, at + _FAR):
            written = "short" if inline["short"] is not None else "long"
            outer = written == "long"
            target = (inline.start(written) - outer, inline.end(written) + outer)
            name, end = _plain_name(inline[written] or ""), inline.end()
        elif defined := self._defined(label, at, embed):
            kind, name, end = "reference", defined[0], defined[1]
        elif embed and (meant := _MEANT.match(self.text, at, at + _FAR)):
            # Plain text, in which there may be pictures.
            name, end = meant[0][1:-1].strip(), meant.end()
            self.found.append(Link("unread", True, name, label, start, end))
            return at
        else:
            return at
        if embed:  # its words are plain text
            while self.found and self.found[-1].start > start:
                self.found.pop()
        else:  # and no link is within another
            self._no_links = len(self._open)
        if name:
            self.found.append(Link(kind, embed, name, label, start, end, target))
        return end

    def _defined(self, label: str, at: int, embed: bool) -> tuple[str, int] | None:
        """The target of `[words][label]`, `[label][]` or `[label]`, and where that ends."""
        # The parser goes on from a round bracket to references for links, and not for pictures.
        if not self.known or (embed and self.text.startswith("(", at)):
            return None
        named = _REFERENCE.match(self.text, at)
        if named and named["label"]:
            found = self.known.get(_same(named["label"]))
            return (found.name, named.end()) if found else None
        found = self.known.get(_same(label))
        return (found.name, named.end() if named else at) if found else None


def _plain_name(written: str) -> str:
    """A target without Markdown's escapes."""
    name = _ESCAPED.sub(r"\1", written) if "\\" in written else written
    return _entities(name).strip()


def written_name(name: str) -> str:
    """A name as the target of an inline link."""
    if not _UNSAFE.search(name):
        return name
    return f"<{_SPECIAL.sub(_BEFORE, name)}>"


def retargeted(text: str, names: Mapping[str, str]) -> str:
    """The text with its inline links and embeds leading to `names` of what they lead to."""
    if "](" not in text:
        return text
    edits = []
    for each in find(text) if names else ():
        name = names.get(each.name) or names.get(unquote(each.name))
        if each.kind == "inline" and name:
            edits.append((*each.target, written_name(name)))
    return edited(text, sorted(edits))


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with each piece between two offsets written anew; the pieces come in order."""
    done, at = [], 0
    for start, end, new in edits:
        done += [text[at:start], new]
        at = end
    return "".join([*done, text[at:]])


def _entities(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # its table of names takes a millisecond

    return unescape(text)


def _same(label: str) -> str:
    return " ".join(label.split()).casefold()


# Names under Related Concepts, and links that would leave the collection

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n]{1,500})\]\]")
_AUTO = re.compile(r"<(file:[^<>\s]{1,1000})>", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WEB = {"http", "https", "mailto", "doi"}
#: Letters of lines with links that are looked at; no card is read slowly for its warnings.
_LOOKED_AT = 60_000
#: Without one of these, a target stays in the folder.
_ODD = re.compile(r"[%\\/:~]|\.\.")


def related(outline: Outline, lines: range) -> tuple[str, ...]:
    """The names in [[wikilinks]] of some lines, aliases and anchors left out, each once."""
    names = [
        found[2].partition("|")[0].partition("#")[0].strip()
        for index in lines
        if index not in outline.inert
        for found in _WIKI.finditer(outline.lines[index].shown)
        if not found[1]
    ]
    return tuple(dict.fromkeys(name for name in names if name))


def report_leaving(outline: Outline, report: Diagnostics) -> None:
    """Warns of every link or embed whose target is outside the folder of the cards."""
    left = _LOOKED_AT
    for index, line in enumerate(outline.lines):
        shown = line.shown[: max(0, left)]
        if index in outline.inert or not ("[" in shown or "<" in shown):
            continue
        left -= len(shown)
        for embed, target, at in _targets(shown):
            if leaves(target):
                what = "embed" if embed else "link"
                hint = "Put the file beside the card and name it by its file name alone."
                message = f"The {what} to {quoted(target)} leaves the collection; it is not opened."
                report.warn(line.start + at, message, hint)


def _targets(shown: str) -> Iterator[tuple[bool, str, int]]:
    if "[[" in shown or "](" in shown or "]:" in shown:
        for each in find(shown):
            yield each.embed, each.name, each.start
        for defined in definitions(shown).values():
            yield False, defined.name, defined.start
    if "<" in shown:
        for found in _AUTO.finditer(shown):
            yield False, found[1], found.start()


def leaves(target: str) -> bool:
    """Whether a link's target is absolute, climbs above the card's folder, or is a `file:` address.

    Addresses of the web are links out of the program, not into the disk: they do not count.
    """
    if not _ODD.search(target):
        return False
    target = re.sub(r"%2[eE]", ".", re.sub(r"%2[fF]|%5[cC]|\\", "/", target.strip()))
    scheme = _SCHEME.match(target)
    if scheme:
        name = scheme[1].lower()  # "Fact: one" is a title, not an address
        return name not in _WEB and (name == "file" or "/" in target)
    if target.startswith(("/", "~")):
        return True
    depth = 0
    for part in target.split("#", 1)[0].split("/"):
        depth += -1 if part == ".." else 0 if part in {"", "."} else 1
        if depth < 0:
            return True
    return False
