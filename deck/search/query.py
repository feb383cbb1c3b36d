"""The grammar of searches: what can be asked, tokens, terms, the tree, saved searches.

or    = and ("or" and)*        and = not+, with or without the word "and"
not   = ("-" | "not") not | "(" or ")" | term
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from typing import Final, Literal, NamedTuple, cast

from deck.index.words import HAS

# What is wrong with a search, and where.


class SearchError(ValueError):
    """A search that cannot be read."""

    def __init__(self, message: str, hint: str, column: int, text: str = "") -> None:
        super().__init__(f"{message} {hint}".rstrip())
        self.message = message
        """What is wrong, as a sentence."""
        self.hint = hint
        """The way out, as a sentence."""
        self.column = column
        """1-based, in characters of `text`; one behind its end where something is missing."""
        self.text = text
        """The search (or the saved search) in which it is."""


# What a search can ask about, by name.

#: Fields with texts: name to what they hold.
TEXTS: Final[Mapping[str, str]] = {
    "tag": "a tag of the card, or one above it: tag:nn finds nn::cnn too",
    "course": "the course",
    "deck": "the deck, or a deck above it: a course or a folder",
    "type": "derivation, open, multiple_choice, basic, cloze, reversed or numeric",
    "status": "the card file's own status: line",
    "id": "the card's or the item's id",
    "path": "the file, from the collection's folder",
    "link": "a card or a concept named under Related Concepts",
    "question": "words of the question",
    "solution": "words of the solution",
    "has": "exercise, points, options, difficulty or link: the card gives one",
}
STATES: Final[Mapping[str, str]] = {
    "new": "never answered",
    "learning": "in learning or relearning steps",
    "relearning": "in steps after a lapse",
    "review": "in review",
    "young": "in review with a stability below 21 days",
    "mature": "in review with a stability of 21 days or more",
    "due": "a step or a review is due, and the item is neither suspended nor buried",
    "overdue": "a review was due on an earlier study day",
    "suspended": "put aside",
    "buried": "put off to another day",
    "leech": "forgotten again and again",
}
#: Numbers, with the unit that they are in.
NUMBERS: Final[Mapping[str, str]] = {
    "difficulty": "the card's own, 1 to 5",
    "points": 'the "(5p)" in front of the question',
    "r": "the chance of recall now, 0 to 1 or with %",
    "s": "stability, days",
    "d": "the memory's difficulty, 1 to 10",
    "interval": "days between the last answer and the due day",
    "due": "study days until it is due, below 0 when overdue",
    "reps": "answers so far",
    "lapses": "how often it was forgotten in review",
}
#: Other names of the same.
ALIASES: Final[Mapping[str, str]] = {
    "retrievability": "r",
    "recall": "r",
    "stability": "s",
    "ivl": "interval",
    "repetitions": "reps",
    "tags": "tag",
    "links": "link",
}
EVENTS: Final[Mapping[str, str]] = {
    "added": "the card was written",
    "edited": "the card's file changed",
    "rated": "it was answered; rated:7:1 only with Again",
    "introduced": "it was answered for the first time",
}
NAMES = (*TEXTS, "is", *NUMBERS, *ALIASES, *EVENTS)


# A search as a tree.  `str` writes one in the grammar, and what it writes parses to the same tree.

Operator = Literal["<", "<=", "=", "!=", ">=", ">"]


@dataclass(frozen=True, slots=True)
class Everything:
    """An empty search."""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the card that begins so (or, with a star inside, that has this form)."""

    text: str

    def __str__(self) -> str:
        return escaped(self.text)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Whole words, one after the other."""

    text: str

    def __str__(self) -> str:
        return quoted(self.text)


@dataclass(frozen=True, slots=True)
class Has:
    """A field has a value of this form; `*` stands for any characters."""

    name: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.name}:{escaped(self.pattern)}"


@dataclass(frozen=True, slots=True)
class Is:
    """A state, such as due or suspended."""

    state: str

    def __str__(self) -> str:
        return f"is:{self.state}"


@dataclass(frozen=True, slots=True)
class Compare:
    """A number of the card or of its memory; what has none never matches."""

    name: str
    operator: Operator
    number: float

    def __str__(self) -> str:
        return f"{self.name}{self.operator}{written(self.number)}"


@dataclass(frozen=True, slots=True)
class Within:
    """Something happened on one of the last `days` study days; today is the first of them."""

    name: str
    days: int
    rating: int | None = None
    """Of `rated`: only answers with this rating."""

    def __str__(self) -> str:
        return f"{self.name}:{self.days}" + (f":{self.rating}" if self.rating else "")


@dataclass(frozen=True, slots=True)
class Saved:
    """A search of the settings, by name."""

    name: str
    column: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"@{escaped(self.name)}"


@dataclass(frozen=True, slots=True)
class Not:
    query: Query

    def __str__(self) -> str:
        return f"-{_grouped(self.query, (And, Or))}"


@dataclass(frozen=True, slots=True)
class And:
    """Two or more."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " ".join(_grouped(part, (And, Or)) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " or ".join(_grouped(part, (Or,)) for part in self.parts)


Query = Everything | Word | Phrase | Has | Is | Compare | Within | Saved | Not | And | Or


def quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def escaped(text: str) -> str:
    """`text` as it may stand in a search, with backslashes where a sign would mean something."""
    plain = "".join(f"\\{c}" if c in '\\"():<>=!@' or c.isspace() else c for c in text)
    if plain.startswith("-") or plain.casefold() in ("or", "and", "not"):
        return "\\" + plain
    return plain


def written(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _grouped(query: Query, inside: tuple[type, ...]) -> str:
    return f"({query})" if isinstance(query, inside) else str(query)


# Cuts a search into brackets, quoted texts, minus signs and bare pieces, each with its place.

#: A bare piece ends at a space or a bracket; quotes inside it keep both.
_TOKEN = re.compile(
    r"""\s+ | [()-] | "(?:[^"\\]|\\.)*" | (?: [^\s()"\\] | \\. | "(?:[^"\\]|\\.)*" )+""",
    re.DOTALL | re.VERBOSE,
)


class Token(NamedTuple):
    kind: str
    """"quoted", "bare", or the sign itself."""
    text: str
    """Of a bare piece, as typed; of a quoted text, what is between the quotes."""
    column: int
    """1-based."""


def tokens(text: str) -> Iterator[Token]:
    """Raises SearchError for a quote that is not closed, or a backslash with nothing behind it."""
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None and text[at] == '"':
            raise SearchError("This quote is never closed.", 'Put another " behind it.', at + 1)
        if found is None:
            raise SearchError("A backslash stands for the sign behind it.", "Add one.", at + 1)
        piece, column, at = found[0], at + 1, found.end()
        if piece in ("(", ")", "-"):
            yield Token(piece, piece, column)
        elif piece.startswith('"'):
            yield Token("quoted", _unescaped(piece[1:-1]), column)
        elif not piece.isspace():
            yield Token("bare", piece, column)


def _unescaped(text: str) -> str:
    """A backslash gives the sign behind it its plain meaning."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


# One term of a search: a word, field:value, number<3, rated:7, @saved.

_SPLIT = re.compile(r"([^\W\d_][\w-]*)(<=|>=|!=|[:<>=])(.*)", re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d{1,25}(?:\.\d{0,25})?|\.\d{1,25})(?:e[+-]?\d{1,3})?)(%?)", re.I)
_DAYS = re.compile(r"(\d{1,5})(?::([1-4]))?")


def _term(text: str, column: int) -> Query:
    if text.startswith("@"):
        saved = _value(text[1:], column + 1)
        if not saved:
            raise SearchError(
                "@ is not followed by a name.", "Write @name of a saved search.", column
            )
        return Saved(saved, column)
    found = _SPLIT.fullmatch(text)
    if found is None:
        return _word(text, column)
    name, sign, value = found[1].casefold(), found[2], found[3]
    name, place = ALIASES.get(name, name), column + found.start(3)
    if name not in NAMES:
        hint = f'Search for the text itself as "{text}".'
        raise _unknown("field", found[1], NAMES, column, hint)
    if not value:
        raise SearchError(f"{name}{sign} is not followed by anything.", _example(name), place)
    if name in NUMBERS:
        return _compare(name, sign, value, place)
    if sign not in ":=":
        message = f"{name} is not a number to compare."
        raise SearchError(message, f"Write {name}:value.", column + len(name))
    if name in EVENTS:
        return _within(name, value, place)
    pattern = _value(value, place)
    if name == "is":
        if pattern.casefold() not in STATES:
            raise _unknown("state", value, STATES, place)
        return Is(pattern.casefold())
    if not pattern:
        hint = f"{name}:* finds all that have one."
        raise SearchError(f"{name}: is followed by nothing.", hint, place)
    if name == "has" and pattern not in HAS:
        raise _unknown("part", pattern, HAS, place)
    return Has(name, pattern)


def _word(text: str, column: int) -> Query:
    if re.search(r'(?<!\\)"', text):
        raise SearchError("A quote begins inside a word.", "Put a space in front of it.", column)
    sign = re.search(r"(?<!\\)[<>=]", text)
    if sign and sign.start() > 0:
        place = column + sign.start()
        raise SearchError("Nothing can be compared so.", "Write a name first, as in r<0.9.", place)
    return Word(_unescaped(text))


def _value(text: str, column: int) -> str:
    """A value, quoted or with backslashes."""
    if not text.startswith('"'):
        return _unescaped(text)
    if not re.fullmatch(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL):
        raise SearchError("Something follows the quote.", "Put a space behind it.", column)
    return _unescaped(text[1:-1])


def _compare(name: str, sign: str, value: str, column: int) -> Query:
    found = _NUMBER.fullmatch(value)
    if found is None:
        raise SearchError(f"{value!a} is not a number.", _example(name), column)
    number = float(found[1]) / (100 if found[2] else 1)
    if not isfinite(number):
        raise SearchError(f"{value!a} is too large.", _example(name), column)
    return Compare(name, cast("Operator", "=" if sign == ":" else sign), number)


def _within(name: str, value: str, column: int) -> Query:
    found = _DAYS.fullmatch(value)
    if found is None or (found[2] and name != "rated") or int(found[1]) == 0:
        more = ", and perhaps a rating 1 to 4, as in rated:7:1" if name == "rated" else ""
        raise SearchError(f"{name}: takes a number of days.", f"Write {name}:7{more}.", column)
    return Within(name, int(found[1]), int(found[2]) if found[2] else None)


def _example(name: str) -> str:
    if name in NUMBERS:
        return "Write r<0.9 or r<90%." if name == "r" else f"Write {name}>=3, for example."
    if name in EVENTS:
        return f"Write {name}:7 for the last seven days."
    return f"Write is:due, or one of {', '.join(STATES)}." if name == "is" else f"Write {name}:x."


def _unknown(
    kind: str, name: str, known: Iterable[str], column: int, more: str = ""
) -> SearchError:
    names = list(dict.fromkeys(known))
    close = get_close_matches(name.casefold(), names, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(names)}."
    return SearchError(f"Unknown {kind} `{name}`.", f"{hint} {more}".rstrip(), column)


#: Deeper nesting than anyone types; the parser calls itself once a level.
_DEEPEST = 50


def parse(text: str) -> Query:
    """The tree of a search.

    Raises:
        SearchError: it cannot be read; the only error raised.
    """
    try:
        reader = _Reader(list(tokens(text)), len(text) + 1)
        query = reader.either(0) if reader.left else Everything()
        if reader.left:
            message = "This bracket was never opened."
            raise SearchError(message, "Remove it, or open one.", reader.column)
    except SearchError as error:
        raise SearchError(error.message, error.hint, error.column, text) from None
    return query


class _Reader:
    """The tokens that are left to read."""

    def __init__(self, found: list[Token], end: int) -> None:
        self.left = found[::-1]
        self._end = end

    @property
    def column(self) -> int:
        return self.left[-1].column if self.left else self._end

    def either(self, depth: int) -> Query:
        parts = [self._both(depth)]
        while self._takes("or"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else Or(_flat(parts, Or))

    def _both(self, depth: int) -> Query:
        parts = [self._single(depth)]
        while self.left and self.left[-1].kind != ")" and not self._is_word("or"):
            self._takes("and")
            parts.append(self._single(depth))
        return parts[0] if len(parts) == 1 else And(_flat(parts, And))

    def _single(self, depth: int) -> Query:
        if depth > _DEEPEST:
            message = "The search is nested too deeply."
            raise SearchError(message, "Use fewer brackets.", self.column)
        if not self.left or self.left[-1].kind == ")" or self._is_word("or", "and"):
            message = "Something to search for is missing here."
            raise SearchError(message, 'A word like or is searched for as "or".', self.column)
        if self._takes("not"):
            return Not(self._single(depth + 1))
        kind, text, column = self.left.pop()
        match kind:
            case "-":
                return Not(self._single(depth + 1))
            case "(":
                query = self.either(depth + 1)
                if not self.left:
                    raise SearchError("This bracket is never closed.", "Add a ).", column)
                self.left.pop()
                return query
            case "quoted" if not text.strip():
                message = "There is nothing between these quotes."
                raise SearchError(message, "Remove them.", column)
            case "quoted":
                return Phrase(text)
        return _term(text, column)

    def _is_word(self, *words: str) -> bool:
        token = self.left[-1] if self.left else None
        return token is not None and token.kind == "bare" and token.text.casefold() in words

    def _takes(self, word: str) -> bool:
        if not self._is_word(word):
            return False
        self.left.pop()
        return True


def _flat(parts: list[Query], kind: type[And] | type[Or]) -> tuple[Query, ...]:
    """(a b) c is a b c."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return tuple(flat)


# Saved searches: `@name` stands for a search of the settings' `[searches]`.


def expand(query: Query, saved: Mapping[str, str], inside: tuple[str, ...] = ()) -> Query:
    """The query with the saved searches in it.

    Raises:
        SearchError: one is not there, cannot be read, or leads back to itself.
    """
    match query:
        case Saved(name, column):
            text = saved[inside[-1]] if inside else f"{' ' * (column - 1)}@{name}"
            if name in inside:
                message = f"The saved search {name!a} leads back to itself."
                hint = "Take it out of itself, in the settings' [searches]."
                raise SearchError(message, hint, column, text)
            if name not in saved:
                close = get_close_matches(name, saved, n=1)
                way_out = "Save it in the settings' [searches]."
                hint = f"Did you mean @{close[0]}?" if close else way_out
                raise SearchError(f"There is no saved search {name!a}.", hint, column, text)
            return expand(parse(saved[name]), saved, (*inside, name))
        case Not(part):
            return Not(expand(part, saved, inside))
        case And(parts):
            return And(tuple(expand(part, saved, inside) for part in parts))
        case Or(parts):
            return Or(tuple(expand(part, saved, inside) for part in parts))
    return query
