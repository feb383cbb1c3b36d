"""The options of a choice among named values, and which of them is right."""

from __future__ import annotations

import re

from cards.model import Option, Value
from cards.parse import correct_letters
from deck.exchange.bundle import Lost

_LETTERED = re.compile(r"\s*\(?[A-Za-z][.)]\s")


def lettered(options: Value) -> tuple[list[str], bool]:
    """A line for each option, "A) text", and whether any had its letter already."""
    if isinstance(options, str):
        parts = re.split(r"\n|\s*\|\s*", options.strip())
        parts = parts if len(parts) > 1 else re.split(r"\s*;\s*", options.strip())
    elif isinstance(options, list):
        parts = [_option(each) for each in options]
    else:
        parts = joined(options).split("\n")
    parts = [part for part in parts[:26] if part.strip()]
    lines = [
        part.strip() if _LETTERED.match(part) else f"{chr(ord('A') + at)}) {part.strip()}"
        for at, part in enumerate(parts)
    ]
    return lines, any(map(_LETTERED.match, parts))


def letter_of(correct: str, lines: list[str], where: str, lost: list[Lost]) -> str:
    """What is right, of options to which only `lettered` gave their letters: of a text of one of
    them that would be read as the letters of others, its letter, and that is said."""
    options = tuple(Option(line[0], line[3:], False) for line in lines)
    same = [o.letter for o in options if o.text.casefold() == correct.casefold()]
    read = correct_letters(correct, options)
    if len(same) != 1 or read in ((), (same[0],)):
        return correct
    if not set(read) <= {option.letter for option in options}:
        return same[0]
    what = f"The correct answer {correct[:40]!r} is the text of option {same[0]}, and would name "
    what += f"option {' and '.join(read)} as a letter: it is read as the text. Write a letter "
    lost.append(Lost(where, f"{what}before each option, such as 'A) ...', where that is wrong."))
    return same[0]


def _option(value: Value) -> str:
    if isinstance(value, dict) and {"letter", "text"} <= value.keys():
        return f"{joined(value['letter'])}) {joined(value['text'])}"
    return joined(value)


def joined(value: Value) -> str:
    """A value as text: of several, a line each."""
    if isinstance(value, str):
        return value
    parts = (
        value
        if isinstance(value, list)
        else [f"{name}) {joined(each)}" for name, each in value.items()]
    )
    return "\n".join(joined(part) for part in parts)
