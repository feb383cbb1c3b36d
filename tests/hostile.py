r"""Texts that are small as files and much work for a program that reads them: a family, by size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

Text = Callable[[int], str]


def _again(piece: str) -> Text:
    return lambda size: piece * (size // len(piece))


def _within(front: str, piece: str, end: str) -> Text:
    return lambda size: front + piece * (size // len(piece)) + end


def _nested(opening: str, closing: str, front: str = "", end: str = "") -> Text:
    def text(size: int) -> str:
        depth = size // len(opening + closing)
        return front + opening * depth + "x" + closing * depth + end

    return text


def _stairs(size: int) -> str:
    return "\n".join(">" * (depth + 1) + " x\n" for depth in range(int((2 * size) ** 0.5)))


def _tall_cell(size: int) -> str:
    columns = int(size**0.5) // 2
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n|" + "word " * (size // 5) + "|"


def _short_rows(size: int) -> str:
    columns = size // 10
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + "|b\n" * (size // 6)


def _square(size: int) -> str:
    side = int((size / 3) ** 0.5)
    rows = r"\\".join(["&".join("x" * side)] * side)
    return rf"$$\begin{{matrix}}{rows}\end{{matrix}}$$"


def _doubling(size: int) -> str:
    names = "abcdefghijklmnopqrstuvwxy"
    pairs = pairwise(names)
    macros = "".join(rf"\newcommand{{\{new}}}{{\{old}\{old}}}" for old, new in pairs)
    return rf"$\newcommand{{\a}}{{x}}{macros}$" + "\n\n" + r"$\y$ " * (size // 5)


#: By name, the text of about so many characters.
FAMILY: Mapping[str, Text] = {
    "prose": _again("The quick brown fox jumps over the lazy dog. " * 9 + "\n\n"),
    "one line of prose": _again("word "),
    "one word": _again("a"),
    "wide characters": _again("漢"),
    "right to left": _again("א "),
    "combining characters": _again("a\u0301\u0302"),
    "joiners": _again("👩\u200d"),
    "blank lines": _again("\n"),
    "short paragraphs": _again("a\n\n"),
    "headings": _again("## a\n"),
    "headings without text": _again("#\n"),
    "underlined headings": _again("a\n===\n"),
    "separators": _again("a\n---\n"),
    "quotes in quotes": _stairs,
    "quotes on one line": _again("> "),
    "lists in quotes": _again("> - "),
    "lists on one line": _again("- "),
    "items": _again("- x\n"),
    "loose items": _again("- x\n\n"),
    "tasks": _again("- [ ] a\n"),
    "emphasis": _again("*a "),
    "emphasis that closes": _again("*a* "),
    "emphasis of two kinds": _again("*a _b "),
    "words with stars": _again("a**b"),
    "underscores": _again("_a"),
    "strikethrough": _again("~a~~b~~~c"),
    "backticks": _again("`"),
    "code spans": _again("`a` "),
    "brackets": _again("["),
    "pairs of brackets": _again("[]"),
    "nested brackets": _nested("[", "]"),
    "nested links": _nested("[", "](b)"),
    "nested pictures": _nested("![", "](b)"),
    "open pictures": _again("!["),
    "links": _again("[a](b) "),
    "open links": _again("[a]("),
    "wikilinks": _again("[[a]] "),
    "open wikilinks": _again("[[a"),
    "embeds": _again("![[a]]\n\n"),
    "open references": _again("[a\n"),
    "references": _within("[a]: b\n\n", "[a] ", ""),
    "definitions": _again("[a]: b 'c\n"),
    "footnotes": _within("[^a]: x\n\n", "[^a] ", ""),
    "addresses": _again("<a:b> "),
    "comments": _again("<!-- "),
    "entities": _again("&amp;"),
    "rows of a table": _within("|a|b|\n|-|-|\n", "|c|d|\n", ""),
    "short rows of a table": _short_rows,
    "a tall cell": _tall_cell,
    "tables": _again("|a|\n|-|\n|b|\n\n"),
    "lines of code": _within("```python\n", "x = 1\n", "```"),
    "a long line of code": _within("```\n", "x", "\n```"),
    "heredocs": _within("```ruby\n", "<<A,", "\n```"),
    "fences": _again("```\nx\n```\n\n"),
    "dollars": _again("$"),
    "formulas": _again("$a$ "),
    "fractions": _again(r"$\frac12$ "),
    "displays": _again("$$\\frac12$$\n\n"),
    "open displays": _again("$$x\n\n"),
    "one long formula": _within("$$", r"\frac12", "$$"),
    "nested fractions": _nested(r"\frac{", "}{2}", "$$", "$$"),
    "nested subscripts": _nested("_{x", "}", "$$x", "$$"),
    "nested delimiters": _nested(r"\left(", r"\right)", "$$", "$$"),
    "open delimiters": _within("$$", r"\left(", "$$"),
    "cells of a matrix": _square,
    "unknown commands": _within("$$", r"\foo ", "$$"),
    "colours": _within("$$", r"\color{red}x", "$$"),
    "macros that double": _doubling,
    "open environments": _again("\\begin{matrix}\n"),
    "environments that close as others": _again("\\begin{foo}x\\end{bar}\n"),
    "open brackets of TeX": _again("\\[ x\n\n"),
    "braces": _again("{"),
    "open clozes": _again("{{c1::"),
    "options": _again("A) a\n"),
}


def card(question: str, solution: str = "The end.", kind: str = "basic", name: str = "x") -> str:
    return (
        f"---\nid: {name}\ntype: {kind}\n---\n\n# Question\n\n{question}\n\n"
        f"# Solution\n\n{solution}\n"
    )
