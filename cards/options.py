"""The options of a choice question, its right letters, and the points in front of a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cards.model import Option
from cards.outline import Outline

PLACEHOLDERS = frozenset({"", "n/a", "n.a.", "—", "–", "-", "--", "---", "…", "..."})
_OPTION = re.compile(
    r"\s*(?:[-*+]\s+)?(?:\*\*|__)?(?:\(([A-Za-z])\)|([A-Za-z])([.)]))(?:\*\*|__)?(?=\s|$)(.*)"
)
_CORRECT = re.compile(
    r"\s*(?:[-*+>]\s+)?[*_]{0,3}correct\s+answers?\s*+[*_]{0,3}\s*+:\s*[*_]{0,3}(?=\s|$|[^*_])(.*)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\s*(\*{0,2})\(\s*(\d{1,6}(?:[.,]\d{1,6})?)\s*"
    r"(?:p|pts?|points?|b|bod|body|bodů)\.?\s*\)\1[ \t]*:?\s*",
    re.IGNORECASE,
)
# Possessive: the two runs of spaces behind a comma could share them out in 2^n ways.
_WORD = r"(?:(?i:and|or|und|oder|et|ou|nebo)|a)\b"
_AND = re.compile(rf"[\s.]*+(?:,\s*+(?:{_WORD})?+|[;/&+]|{_WORD})\s*+")
#: A letter, and a remark in brackets behind it.
_LETTER = re.compile(
    r"(?:(?i:options?|answers?)\s++)?\(?([A-Za-z])(?!\w)[).]{0,2}\s*+"
    r"(?:\(((?:[^()]|\([^()]*+\))*+)\)|\[([^\[\]]*+)\])?\s*+"
)
_MARKS = re.compile(r"[*`]+")
_LETTER_AND_TEXT = re.compile(r"\(?([A-Z])(?:\)|[.:](?=\s)|\s+[—–-](?=\s))")


@dataclass(frozen=True, slots=True)
class Found:
    """Options with the line index each stands on; `intro`: lines above the first of them."""

    options: list[Option]
    at: list[int]
    intro: list[str]


def read_options(outline: Outline, lines: range) -> Found:
    """The options in a part of the card; a line that begins none continues the one above it."""
    texts: list[tuple[str, list[str]]] = []
    at: list[int] = []
    intro: list[str] = []
    for index in lines:
        shown = outline.lines[index].shown
        found = None if index in outline.inert else _OPTION.match(shown)
        if found and _begins(found, texts[-1][0] if texts else None):
            texts.append(((found[1] or found[2]).upper(), [found[4].strip()]))
            at.append(index)
        elif texts:
            texts[-1][1].append(shown.strip())
        else:
            intro.append(shown)
    options = [_option(letter, "\n".join(parts).strip()) for letter, parts in texts]
    real = [option for option in options if not option.placeholder]
    if len(real) == 1:  # nothing to choose from: it is a part of the question
        del at[options.index(real[0])]
        options.remove(real[0])
        intro.append(f"\n{real[0].letter}) {real[0].text}")
    return Found(options, at, intro)


def _begins(found: re.Match[str], last: str | None) -> bool:
    # "A." also begins a name or an abbreviation: with a full stop it must be the next letter.
    letter = (found[1] or found[2]).upper()
    return found[3] != "." or letter == (chr(ord(last) + 1) if last else "A")


def _option(letter: str, text: str) -> Option:
    return Option(letter, text, text.casefold() in PLACEHOLDERS)


def read_correct(outline: Outline, lines: range) -> tuple[str, int] | None:
    """The text behind "**Correct Answer:**", up to the end of its paragraph, and its line index."""
    stops = {h.first for h in outline.headings} | outline.separators
    for index in lines:
        found = None if index in outline.inert else _CORRECT.match(outline.lines[index].shown)
        if not found:
            continue
        parts = [found[1].strip()]
        for after in range(index + 1, lines.stop):
            shown = outline.lines[after].shown.strip()
            if after in stops or (not shown and any(parts)):
                break
            parts.append(shown)
        return "\n".join(parts).strip(), index
    return None


def correct_letters(correct: str, options: tuple[Option, ...]) -> tuple[str, ...]:
    """The letters that `correct` names, whether or not there are such options; () for words.

    "B", "A, C", "A and C (both)", "AC", "B) because ...", or the very text of an option.
    """
    return tuple(dict.fromkeys(letter for letter, _ in _named(correct, options)))


def contradicted(correct: str, options: tuple[Option, ...]) -> list[str]:
    """The letters that `correct` names beside the text of another option."""
    texts = {(option.letter, option.text.casefold()) for option in options}
    named = [(one, remark.strip(" .*_").casefold()) for one, remark in _named(correct, options)]
    others = {text for _, text in texts} - {""}
    return [each[0] for each in named if each[1] in others and each not in texts]


def _named(correct: str, options: tuple[Option, ...]) -> list[tuple[str, str]]:
    """Letters, each with what stands beside it."""
    text = correct.strip().strip("*_").strip()
    letters = [option.letter for option in options]
    if len(letter := text.strip("().")) == 1 and letter.isalpha():
        return [(letter.upper(), "")]
    same = [o.letter for o in options if o.text.casefold() == text.casefold() and not o.placeholder]
    if same:
        return [(same[0], "")]
    plain = _MARKS.sub("", text)[:10_000]
    texts = {o.letter: " ".join(_MARKS.sub("", o.text).split()) for o in options}
    for each in (" ".join(plain.split()), plain.partition("\n")[0]):
        if listed := _listed(each, texts):
            return listed
    if 1 < len(text) <= len(letters) and set(text) <= set(letters) and len(set(text)) == len(text):
        return [(letter, "") for letter in text]
    begun = _LETTER_AND_TEXT.match(text)
    return [(begun[1], text[begun.end() :].strip())] if begun else []


def _listed(text: str, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The letters of a text that holds nothing but letters, remarks on them, and their options'
    own texts."""
    found: list[tuple[str, str]] = []
    text, at = text.rstrip(" ."), 0
    while item := _LETTER.match(text, at):
        found.append((item[1], item[2] or item[3] or ""))
        end, own = item.end(), texts.get(item[1], "").rstrip(" .")
        end += len(own) * text.startswith(own, end)
        if end == len(text):
            return found if all(letter.isupper() for letter, _ in found) else []
        between = _AND.match(text, end)
        if between is None:
            break
        at = between.end()
    return []


def take_points(question: str) -> tuple[float | None, str]:
    """The points that "(5p)" in front of a question gives, and the question without them."""
    found = _POINTS.match(question)
    if not found:
        return None, question
    return float(found[2].replace(",", ".")), question[found.end() :]
