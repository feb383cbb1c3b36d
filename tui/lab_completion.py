"""What a word of an answer may go on as: names that the exercise knows, and those of the notation.

Never a rule: to derive that is the learner's part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from engine.languages import Language, language_of
from tui.lab_brief import Brief

#: A word is suggested to go on from so many of its letters on: one is an index as a rule.
_LEAST = 2
_WORD = re.compile(r"(\\?[^\W\d_]\w*|\\)$")
_DOTTED = re.compile(r"\bnp\.(\w*)$")
_DEFINED = re.compile(r"^\s*([^\W\d_]\w{2,})\s*(?:[\[(][^=]*)?=(?!=)", re.MULTILINE)
_PYTHON_WORD = re.compile(r"[^\W\d_]\w{2,}")

_FORMULA = (
    *("sum(", "max(", "argmax(", "mean(", "count(", "exp(", "log(", "sqrt(", "sign(", "tanh("),
    *("sigmoid(", "otherwise", "softplus("),
)
_LATEX = (
    *(r"\delta", r"\partial", r"\sum_{", r"\frac{", r"\begin{cases}", r"\Omega", r"\arg\max"),
    *(r"\max", r"\mathbb{1}[", r"\text{", r"\odot", r"\cdot", r"\sigma", r"\exp", r"\log"),
    *(r"\hat", r"\left", r"\right", r"\sqrt{", r"\llbracket", r"\rrbracket", r"\in", r"\top"),
)
_NUMPY = (
    *("zeros_like(", "zeros(", "argmax(", "unravel_index(", "einsum(", "exp(", "maximum("),
    *("where(", "outer(", "sum(", "max(", "sign(", "sqrt(", "log(", "ones_like(", "diag("),
)
_PYTHON = ("return ", "range(", "for ", "shape")


def completion(before: str, whole: str, brief: Brief) -> str:
    """How the line that ends with `before` may go on, in an answer that is `whole`; or ""."""
    language = language_of(whole)
    if language == "formula" and (left := _left_side(before, brief)):
        return left
    if language == "function" and (dotted := _DOTTED.search(before)):
        return _rest(dotted[1], _NUMPY, 1)
    word = _WORD.search(before)
    if word is None:
        return ""
    if language == "latex" and r"\end{cases}".startswith(word[0]) and len(word[0]) > 1:
        return r"\end{cases}"[len(word[0]) :] if whole.count(r"\begin{cases}") else ""
    return _rest(word[0], _candidates(language, whole, word[0], brief), _LEAST)


def _left_side(before: str, brief: Brief) -> str:
    """The rest of "dx[i,j] = " at the beginning of a line."""
    wanted = f"{brief.left} = "
    start = before.lstrip()
    return wanted[len(start) :] if len(start) >= _LEAST and wanted.startswith(start) else ""


def _rest(word: str, candidates: Iterable[str], least: int) -> str:
    if len(word) < least:
        return ""
    found = [one for one in candidates if one.startswith(word)]
    # A word that is whole asks for nothing more.
    if any(re.match(r"\\?\w*", one)[0] == word for one in found):  # type: ignore[index]
        return ""
    return found[0][len(word) :] if found else ""


def _candidates(language: Language, whole: str, word: str, brief: Brief) -> list[str]:
    if language == "latex":
        return list(_LATEX) if word.startswith("\\") else []
    if language == "function":
        return [*_PYTHON, *_others(whole, word)]
    own = [name for name in _DEFINED.findall(whole) if name != word]
    return [*_symbols(brief), *own, *_FORMULA]


@lru_cache(maxsize=8)
def _symbols(brief: Brief) -> tuple[str, ...]:
    """Each as it is written: "delta[k,l]", "argmax(k,l)"; of several on one line, each."""
    return tuple(
        one
        for left, _ in brief.symbols
        for one in ([left] if re.search(r"[\[(]", left) else re.split(r",\s*", left))
        if len(one) > _LEAST
    )


def _others(whole: str, word: str) -> list[str]:
    """Names of the function, the word that is being written left out."""
    names = _PYTHON_WORD.findall(whole)
    return [name for name in dict.fromkeys(names) if name != word or names.count(name) > 1]
