"""A derivation as it is written: its formulas in plain notation, out of whatever text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.formula.tree import FormulaError
from engine.latex.transcribe import looks_like_latex, transcription
from engine.prose import bare, is_sentence


@dataclass(frozen=True, slots=True)
class Written:
    """The formulas of a derivation in plain notation, a line each."""

    text: str
    offsets: tuple[int, ...]
    """For each character the place in the answer."""
    troubles: tuple[tuple[int, FormulaError], ...] = ()
    """Formulas in LaTeX that cannot be read, by their places in the answer."""


#: An index compared with another, alone: it is said of the formulas behind it.
_OF_INDICES: Final = re.compile(r"\s*([a-z])\s*(=|==|!=|≠|<|>|<=|>=|≤|≥)\s*([a-z])\s*")


#: Words behind which a condition stands.
_IF: Final = re.compile(
    r"[\s$,.;(]*(?:.*\W)?(?:if|for|when|case|cases|falls|pro|pokud)\s*[\s$:]*", re.I
)


def written(answer: str, names: frozenset[str]) -> Written:
    """The formulas of an answer; `names` are those of several letters."""
    parts: list[str] = []
    offsets: list[int] = []
    troubles: list[tuple[int, FormulaError]] = []
    condition, line, before = "", -1, 0
    for start, end in _formulas(answer):
        here, said = answer.count("\n", 0, start), answer[before:start]
        before = end
        try:
            text, places = _plain(answer[start:end], names)
        except FormulaError as trouble:
            troubles.append((start, trouble))
            continue
        inline = "$" in answer
        if inline and _IF.search(said) and _OF_INDICES.fullmatch(text):
            condition, line = text, here
            continue
        if inline and parts and _IF.fullmatch(said) and not re.search("(?<![<>!:])=", text):
            parts[-1] += f" if {text}"  # behind what it is a condition of
            offsets[-1:] = [start - 1] * 4 + [start + place for place in places] + [end]
            continue
        if inline and not re.search("[=<>≤≥∝~]", text):
            continue  # a formula in a sentence
        parts.append(text)
        offsets += [start + place for place in places]
        if condition and here == line:
            parts[-1] += f" if {condition}"
            offsets += [end - 1] * (len(condition) + 4)
        offsets.append(end)
    return Written("\n".join(parts), tuple(offsets), tuple(troubles))


@lru_cache(maxsize=256)
def _plain(part: str, names: frozenset[str]) -> tuple[str, Sequence[int]]:
    if not looks_like_latex(part):
        return part, range(len(part))
    found = transcription(_unaligned(part), names)
    return found.text, found.offsets


# -- Where the formulas are: between dollars, in displays, or on lines of their own.


_SPANS: Final = re.compile(
    r"""\$\$(?P<two>.+?)\$\$ | \$(?P<one>[^$]+)\$ | \\\[(?P<square>.+?)\\\] | \\\((?P<round>.+?)\\\)
      | (?P<block>\\begin\{(?P<kind>(?:align|equation|gather|eqnarray|split|multline)(?:ed)?\*?)\}
        .+?\\end\{(?P=kind)\})""",
    re.VERBOSE | re.DOTALL,
)


def _formulas(text: str) -> Iterator[tuple[int, int]]:
    """Where each formula of a derivation begins and ends; what is between them is text."""
    at = 0
    for span in _SPANS.finditer(text):
        yield from _lines(text, at, span.start())
        name = next(key for key in ("two", "one", "square", "round", "block") if span[key])
        yield from _rows(text, *span.span(name))
        at = span.end()
    yield from _lines(text, at, len(text))


#: What opens and closes something within a display, ends one of its rows, or aligns them.
_SIGN: Final = re.compile(r"\\(begin|end)\{([a-z]+\*?)\}|\\\\(?:\[[^\]]*\])?|\\.|[{}&]", re.DOTALL)
_ALIGNED: Final = re.compile(r"(?:align|equation|gather|eqnarray|split|multline)(?:ed)?\*?")


def _signs(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each such sign with how deep it stands; what begins and ends an alignment is at depth 0."""
    depth = 0
    for found in _SIGN.finditer(text):
        opens = found[0] == "{" or found[1] == "begin"
        closes = found[0] == "}" or found[1] == "end"
        aligns = found[2] is not None and _ALIGNED.fullmatch(found[2])
        depth -= closes and not aligns
        yield depth, found
        depth += opens and not aligns


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The rows of a display."""
    at = start
    for depth, found in _signs(text[start:end]):
        if depth == 0 and found[0].startswith("\\\\"):
            yield at, start + found.start()
            at = start + found.end()
    yield at, end


def _unaligned(part: str) -> str:
    """A row of a display without what aligns it, every place kept."""
    for depth, found in _signs(part):
        if depth == 0 and (found[0] == "&" or (found[2] and _ALIGNED.fullmatch(found[2]))):
            part = part[: found.start()] + " " * len(found[0]) + part[found.end() :]
    return part


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Lines of text that are formulas, those that belong together as one."""
    is_beside = "$" in text or start > 0 or end < len(text)
    opened = 0
    for line in text[start:end].splitlines(keepends=True):
        begun = start
        start += len(line)
        if opened > 0:
            found = bare(line)
        else:
            found = bare(line) if "=" in line or not is_beside else ""
            if not found.strip(" \t\n.,;:!") or is_sentence(found):
                continue
        opened += sum(map(line.count, (r"\begin", "{"))) - sum(map(line.count, (r"\end", "}")))
        yield begun + len(found) - len(found.lstrip()), start
