"""One term of a search: a word, field:value, number<3, rated:7, @saved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from math import isfinite
from typing import NoReturn, cast

from deck.search.errors import SearchError
from deck.search.fields import ALIASES, EVENTS, NAMES, NUMBERS, STATES
from deck.search.text import HAS
from deck.search.tokens import Token, unescaped
from deck.search.tree import Compare, Has, Is, Operator, Query, Saved, Within, Word

_SPLIT = re.compile(r"([^\W\d_][\w-]*)(<=|>=|!=|[:<>=])(.*)", re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d{1,25}(?:\.\d{0,25})?|\.\d{1,25})(?:e[+-]?\d{1,3})?)(%?)", re.I)
_DAYS = re.compile(r"(\d{1,5})(?::([1-4]))?")


def bare_term(token: Token) -> Query:
    """The query of a bare piece.  Raises SearchError."""
    text, column = token.text, token.column
    if text.startswith("@"):
        return _saved(text, column)
    found = _SPLIT.fullmatch(text)
    if found is None:
        return _word(text, column)
    name, sign, value = found[1].casefold(), found[2], found[3]
    name = ALIASES.get(name, name)
    place = column + found.start(3)
    if name not in NAMES:
        _unknown(found[1], "field", NAMES, column, f'Search for the text itself as "{text}".')
    if not value:
        _refuse(f"{name}{sign} is not followed by anything.", _example(name), place)
    if name in NUMBERS:
        return _compare(name, sign, value, place)
    if sign not in ":=":
        _refuse(f"{name} is not a number to compare.", f"Write {name}:value.", column + len(name))
    if name == "is":
        return _state(value, place)
    if name in EVENTS:
        return _within(name, value, place)
    return _has(name, value, place)


def _word(text: str, column: int) -> Query:
    if re.search(r'(?<!\\)"', text):
        _refuse("A quote begins inside a word.", "Put a space in front of it.", column)
    plain = unescaped(text)
    sign = next((at for at, c in enumerate(text) if c in "<>=" and text[at - 1 : at] != "\\"), None)
    if sign is not None and sign > 0:
        _refuse("Nothing can be compared so.", "Write a name first, as in r<0.9.", column + sign)
    return Word(plain)


def _saved(text: str, column: int) -> Query:
    name = _value(text[1:], column + 1)
    if not name:
        _refuse("@ is not followed by a name.", "Write @name of a saved search.", column)
    return Saved(name, column)


def _value(text: str, column: int) -> str:
    """A value, quoted or with backslashes."""
    if not text.startswith('"'):
        return unescaped(text)
    if not re.fullmatch(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL):
        _refuse("Something follows the quote.", "Put a space behind it.", column)
    return unescaped(text[1:-1])


def _has(name: str, value: str, column: int) -> Query:
    pattern = _value(value, column)
    if not pattern:
        _refuse(f"{name}: is followed by nothing.", f"{name}:* finds all that have one.", column)
    if name == "has" and pattern not in HAS:
        _unknown(pattern, "has:", HAS, column)
    return Has(name, pattern)


def _state(value: str, column: int) -> Query:
    state = _value(value, column).casefold()
    if state not in STATES:
        _unknown(value, "is:", STATES, column)
    return Is(state)


def _compare(name: str, sign: str, value: str, column: int) -> Query:
    found = _NUMBER.fullmatch(value)
    if found is None:
        _refuse(f"{value!a} is not a number.", _example(name), column)
    number = float(found[1]) / (100 if found[2] else 1)
    if not isfinite(number):
        _refuse(f"{value!a} is too large.", _example(name), column)
    operator = "=" if sign == ":" else sign
    return Compare(name, cast("Operator", operator), number)


def _within(name: str, value: str, column: int) -> Query:
    found = _DAYS.fullmatch(value)
    if found is None or (found[2] and name != "rated") or int(found[1]) == 0:
        more = ", and perhaps a rating 1 to 4, as in rated:7:1" if name == "rated" else ""
        _refuse(f"{name}: takes a number of days.", f"Write {name}:7{more}.", column)
    return Within(name, int(found[1]), int(found[2]) if found[2] else None)


def _example(name: str) -> str:
    if name in NUMBERS:
        return "Write r<0.9 or r<90%." if name == "r" else f"Write {name}>=3, for example."
    if name in EVENTS:
        return f"Write {name}:7 for the last seven days."
    return f"Write is:due, or one of {', '.join(STATES)}." if name == "is" else f"Write {name}:x."


def _unknown(name: str, what: str, known: Iterable[str], column: int, else_: str = "") -> NoReturn:
    names = list(dict.fromkeys(known))
    close = get_close_matches(name.casefold(), names, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(names)}."
    message = f"There is no {what} {name!a}." if what == "field" else f"There is no {what}{name}."
    raise SearchError(message, f"{hint} {else_}".rstrip(), column)


def _refuse(message: str, hint: str, column: int) -> NoReturn:
    raise SearchError(message, hint, column)
