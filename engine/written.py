"""A derivation as it is written: its formulas in plain notation, out of whatever text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.formula.tree import FormulaError
from engine.latex.transcribe import looks_like_latex, transcription
from engine.prose import WORD, bare, is_sentence


@dataclass(frozen=True, slots=True)
class WrittenFormulas:
    """The formulas of a derivation in plain notation, a line each."""

    text: str
    offsets: tuple[int, ...]
    """For each character the place in the answer."""
    troubles: tuple[tuple[int, FormulaError], ...] = ()
    """Formulas in LaTeX that cannot be read, by their places in the answer."""


#: An index compared with another, alone: it is said of the formulas behind it.
_OF_INDICES: Final = re.compile(r"\s*([a-z])\s*(=|==|!=|≠|<|>|<=|>=|≤|≥)\s*([a-z])\s*")


#: Words before the value of another case, "else $c = a$"; those before one with a condition of its
#: own behind it, "and $c = a$ if"; and what then stands behind it.
_ELSE: Final = re.compile(r"[\s$,.;(]*(?:and\s+)?(?:else|otherwise|sonst|jinak)[\s$,]*", re.I)
_AND: Final = re.compile(r"[\s$,.;(]*(?:and|but|while|und)?[\s$]*", re.I)
_CASE: Final = re.compile(r"[\s$,(]*(?:(?P<else>else|otherwise|sonst|jinak)|if|for|when)\b", re.I)
_TESTED: Final = re.compile(r"(?!.*(?<![<>!:=])=(?!=)).*(?:[<>≤≥∈≠]|==|!=|\bin\b)", re.DOTALL)
_VALUE: Final = re.compile(r"(?:(?P<name>[^=<>≤≥]{1,24}?)\s*:?=(?![=>])\s*)?(?=[^=<>≤≥]+$)")


def _joined(before: str, said: str, text: str, behind: str) -> tuple[str, int] | None:
    """What stands between a formula and the one before it, and how much of it goes.

    Behind "if" stands a condition, behind "else" what that one is in another case.  None where
    neither is meant.
    """
    if _IF.fullmatch(said) and _TESTED.match(text):
        return " if ", 0
    first, found = _VALUE.match(before.partition(" if ")[0]), _VALUE.match(text.strip())
    if found is None or first is None or before == before.partition(" if ")[0]:
        return None
    skipped = found.end() + len(text) - len(text.lstrip())
    if found["name"] is not None and found["name"].split() != (first["name"] or "").split():
        return None
    if _ELSE.fullmatch(said):
        return " else ", skipped
    case = _CASE.match(behind)
    if case is None or not _AND.fullmatch(said):
        return None
    return (" else " if case["else"] else ", "), skipped


#: Words behind which a condition stands.
_IF: Final = re.compile(
    r"[\s$,.;(]*(?:.*\W)?(?:if|for|when|where|case|cases|falls|pro|pokud)\s*[\s$:]*", re.I
)


def written(answer: str, names: frozenset[str]) -> WrittenFormulas:
    """The formulas of an answer; `names` are those of several letters."""
    parts: list[str] = []
    offsets: list[int] = []
    troubles: list[tuple[int, FormulaError]] = []
    condition, line, before = "", -1, 0
    is_next = False  # whether the last part is the formula just before
    for start, end, is_display in _formulas(answer):
        here, said = answer.count("\n", 0, start), answer[before:start]
        before, follows, is_next = end, is_next, True
        try:
            part, is_latex = answer[start:end], is_display and looks_like_latex(answer)
            text, places = _plain(part, names, is_latex or looks_like_latex(part))
        except FormulaError as trouble:
            # In its place stands what nobody can read, as one more side or as a line.
            goes_on = answer[start:end].lstrip(" \t\n&").startswith("=")
            text = "= ?" if goes_on else "?"
            places = [start] * len(text)
            troubles.append((start, trouble))
            parts.append(text)
            offsets += [*places, end]
            continue
        inline = "$" in answer
        if inline and _IF.search(said) and _OF_INDICES.fullmatch(text):
            condition, line, is_next = text, here, False
            continue
        joined = _joined(parts[-1], said, text, answer[end:]) if inline and follows else None
        if joined is not None:  # a condition, or the value of another case
            word, skipped = joined
            parts[-1] += word + text[skipped:]
            offsets[-1:] = [start - 1] * len(word)
            offsets += [*(start + place for place in places[skipped:]), end]
            continue
        if inline and not re.search("[=<>≤≥∝~]", text):
            is_next = False
            continue  # a formula in a sentence
        parts.append(text)
        offsets += [start + place for place in places]
        if condition and here == line:
            parts[-1] += f" if {condition}"
            offsets += [end - 1] * (len(condition) + 4)
        offsets.append(end)
    return WrittenFormulas("\n".join(parts), tuple(offsets), tuple(troubles))


def formulas(text: str, names: frozenset[str] = frozenset()) -> Iterator[str]:
    """Every formula of a text in plain notation, also those within sentences.

    What cannot be read is left out.
    """
    for start, end, is_display in _formulas(text):
        part = text[start:end]
        is_latex = (is_display and looks_like_latex(text)) or looks_like_latex(part)
        with suppress(FormulaError):
            yield _plain(part, names, is_latex)[0].strip()


@lru_cache(maxsize=256)
def _plain(part: str, names: frozenset[str], is_latex: bool) -> tuple[str, Sequence[int]]:
    if not is_latex:
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


def set_apart(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each formula that signs set apart begins and ends, with the signs and without."""
    for span in _SPANS.finditer(text):
        name = next(key for key in ("two", "one", "square", "round", "block") if span[key])
        yield span.span(), span.span(name)


def _formulas(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where each formula of a derivation begins and ends, and whether signs set it apart.

    What is between them is text.
    """
    at = 0
    for (start, end), inside in set_apart(text):
        yield from ((*line, False) for line in _lines(text, at, start))
        yield from ((*row, True) for row in _rows(text, *inside))
        at = end
    yield from ((*line, False) for line in _lines(text, at, len(text)))


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
        first, last = _within(found)
        yield begun + first, begun + last


#: Text before a formula, up to a colon or to the left side of an equation, and behind one.
_BEFORE: Final = re.compile(rf"\s*(?:{WORD}[,]?\s+){{2,}}?(?:{WORD}:\s*(?=\S)|(?=\S{{1,24}}\s*=))")
_BEHIND: Final = re.compile(rf"(?<=[\w)\]}}])[,;]?\s+\(?(?:{WORD}[,]?\s+){{1,}}{WORD}[\s.,;:)]*$")
#: Words that a formula has itself, as "if" is; behind them may stand what it says.
_SAID: Final = frozenset(
    (
        "if",
        "else",
        "otherwise",
        "when",
        "where",
        "for",
        "and",
        "or",
        "not",
        "in",
        "is",
        "max",
        "min",
    )
)


def _within(line: str) -> tuple[int, int]:
    """Where the formula of a line begins and ends, without the text around it."""
    first, last = len(line) - len(line.lstrip()), len(line)
    before = _BEFORE.match(line)
    if (
        before is not None
        and not _SAID & {*before[0].lower().split()}
        and "=" in line[before.end() :]
    ):
        first = before.end()
    behind = _BEHIND.search(line, first)
    if behind is not None and "=" in line[: behind.start()]:
        words = re.findall(r"\w+", behind[0].lower())
        every = words[:2] in (["for", "each"], ["for", "every"], ["for", "all"], ["for", "any"])
        if (every or not _SAID & {*words}) and all(len(word) > 1 for word in words):
            last = behind.start()
    return first, last
