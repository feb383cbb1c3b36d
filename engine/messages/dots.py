"""Sums and products with dots, r + r g + ... + r g^n, as sums that name what runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine.formula.tokens import Token, turn
from engine.messages.vocabulary import Words

_SIGNS: Final = {"+": "sum", "*": "prod"}
#: What ends the terms that stand around the dots.
_ENDS: Final = ("=", ":=", "==", "<", ">", "<=", ">=", "!=", "~", ",", ";", "-", "/")
_LETTERS: Final = "tkmijqsuv"


def undotted(row: list[Token], words: Words) -> list[Token]:
    """The line with each such sum written out; as it is where nothing tells what the dots leave.

    One part of the last term counts: with 0, 1, ... or 1, 2, ... in its place that term is the
    ones before the dots.
    """
    for at in range(2, len(row) - 2):
        if row[at].text == "..." and row[at - 1].text == row[at + 1].text in _SIGNS:
            found = _written_out(row, at, words)
            return row if found is None else undotted(found, words)
        if row[at].text == "..." and row[at - 1].text == row[at + 1].text == ",":
            found = _listed(row, at)
            return row if found is None else undotted(found, words)
    return row


def _listed(row: list[Token], at: int) -> list[Token] | None:
    """diag(y_1^2, ..., y_n^2) as diag(y^2), which goes entry by entry."""
    start, end = _bound(row, at - 2, -1), at + 2
    while end < len(row) - 1 and sum(map(turn, row[at + 2 : end + 1])) >= 0:
        end += 1
    while start and sum(map(turn, row[start - 1 : at])) <= 0:
        start -= 1
    if start < 2 or row[start - 2].text not in ("diag", "Diag") or row[end].text != ")":
        return None
    last, first = _indexed(row[at + 2 : end]), _indexed(_terms(row[start : at - 1], ",")[0])
    for place, size in _counts(last):
        count = last[place : place + size]
        if last[place - 1].text == "[" and _plain(_with(last, count, ["1"])) == _plain(first):
            whole = [one.text for one in (last[place - 1], *count, last[place + size])]
            return [*row[:start], *_without(last, whole), *row[end:]]
    return None


def _without(term: Sequence[Token], index: Sequence[str]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(term):
        if [one.text for one in term[at : at + len(index)]] == [*index]:
            at += len(index)
        else:
            found.append(term[at])
            at += 1
    return found


def _written_out(row: list[Token], at: int, words: Words) -> list[Token] | None:
    sign = row[at - 1].text
    start, end = _bound(row, at - 2, -1), _bound(row, at + 2, 1)
    terms, lasts = _terms(row[start : at - 1], sign), _terms(row[at + 2 : end], sign)
    last = _indexed(lasts[0])
    before = [_plain(_indexed(term)) for term in terms]
    taken = {part for token in row for part in token.text.split("_")} | {*words.known}
    letter = next(a for a in _LETTERS if a not in taken)
    for place, size in _counts(last):
        count = last[place : place + size]
        for first in (0, 1, 2):
            some = range(min(len(before), 3))
            put = [_plain(_with(last, count, [str(first + n)])) for n in some]
            many = next((n for n in range(len(put), 0, -1) if put[:n] == before[-n:]), 0)
            if not many or (many == 1 and len(count) == len(last)):
                continue  # 1 + ... + n could be anything
            body = _with(last, count, [letter])
            whole = last[place - 1].text == "[" and _is_all(count, first, words)
            less = [one.text for one in count[-2:]] == ["-", "1"] and len(count) > 2
            stop = [] if whole else count[:-2] if less else count
            over = ["for", letter, *(() if whole else ("in", "range", "(", str(first), ","))]
            opened, run = ([_token(a, row[at - 1]) for a in b] for b in ((_SIGNS[sign], "("), over))
            closed = [_token(a, row[at - 1]) for a in (")" if whole else "))" if less else "+1))")]
            total = [*opened, *body, *run, *stop, *closed]
            kept = sum(len(term) + 1 for term in terms[: len(terms) - many])
            rest = row[at + 2 + len(lasts[0]) :]
            return [*row[: start + kept], *total, *rest]
    return None


def _is_all(count: Sequence[Token], first: int, words: Words) -> bool:
    """Whether an index runs over its whole range: x_1 + ... + x_n, x_0 + ... + x_{n-1}."""
    texts = [one.text for one in count]
    ends = texts[1:] == ["-", "1"] if first == 0 else len(texts) == 1
    return ends and first == (0 if texts[1:] else 1) and words.first in (0, 1)


def _bound(row: Sequence[Token], at: int, step: int) -> int:
    """Where the terms around the dots begin, or end: at a bracket, a sign, a word."""
    depth = 0
    while 0 <= at < len(row) - 1:
        depth += turn(row[at]) * step
        stops = row[at].text in _ENDS or row[at].kind in ("word", "newline", "end")
        if depth < 0 or (depth == 0 and not turn(row[at]) and stops and row[at].text != "/"):
            return at + (step < 0)
        at += step
    return at + (step < 0)


def _terms(tokens: Sequence[Token], sign: str) -> list[list[Token]]:
    terms: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += turn(token)
        if depth == 0 and token.text == sign:
            terms.append([])
        else:
            terms[-1].append(token)
    return terms


def _indexed(term: Sequence[Token]) -> list[Token]:
    """x_n as x[n]."""
    found: list[Token] = []
    for n, token in enumerate(term):
        name, _, index = token.text.partition("_")
        follows = n + 1 < len(term) and term[n + 1].text == "{"
        if token.kind == "subs" or (token.kind == "name" and name and index and not follows):
            index = index if token.kind == "name" else token.text
            found += [replace(token, text=name)] if token.kind == "name" else []
            found += [_token("[", token), _token(index, token), _token("]", token)]
        elif token.text == "_" and follows:
            continue
        else:
            inside = found and found[-1].text == "_"
            found.append(replace(token, text="[") if inside else token)
    return found


def _counts(last: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """What may count in the last term, by place and size: what a bracket holds, a name, a number.

    Indices and exponents first.
    """
    places: list[tuple[int, int, int]] = []
    for at, token in enumerate(last):
        inner = at > 0 and last[at - 1].text in ("[", "^")
        if token.kind in ("name", "number") and last[min(at + 1, len(last) - 1)].text != "[":
            places.append((0 if inner else 2, at, 1))
        if token.text in ("(", "[", "{"):
            depth = 1
            end = at + 1
            while end < len(last) and depth:
                depth += turn(last[end])
                end += 1
            raised = token.text == "[" or (at > 0 and last[at - 1].text == "^")
            places.append((0 if raised else 1, at + 1, end - at - 2))
    for _, at, size in sorted(places, key=lambda one: (one[0], -one[2])):
        if size > 0:
            yield at, size


def _with(last: Sequence[Token], count: Sequence[Token], put: Sequence[str]) -> list[Token]:
    """The last term with something else in the place of what counts, wherever it stands."""
    texts, size = [one.text for one in count], len(count)
    found: list[Token] = []
    at = 0
    while at < len(last):
        if [one.text for one in last[at : at + size]] == texts:
            found += [_token(text, last[at]) for text in put]
            at += size
        else:
            found.append(last[at])
            at += 1
    return found


def _token(text: str, like: Token) -> Token:
    kind = "number" if text.isdigit() else "name" if text.isidentifier() else "op"
    words = ("for", "in")
    return Token("word" if text in words else kind, text, like.at)  # type: ignore[arg-type]


def _plain(term: Sequence[Token]) -> list[str]:
    """The signs of a term, as x^1 is x and x^0 is 1, and a factor 1 says nothing."""
    texts = [one.text for one in term if one.text != "*"]
    for at in range(len(texts) - 2):
        if texts[at : at + 3 : 2] == ["(", ")"] and (texts[at + 1].isdigit()):
            texts[at : at + 3] = ["", texts[at + 1], ""]
    texts = [text for text in texts if text]
    while "^" in texts[1:-1]:
        at = next((n for n, text in enumerate(texts) if text == "^" and texts[n + 1] in "01"), 0)
        if not at:
            break
        start = _operand(texts, at - 1)
        texts[start : at + 2] = texts[start:at] if texts[at + 1] == "1" else ["1"]
    kept = [
        text for n, text in enumerate(texts) if text != "1" or texts[n - 1 : n] in (["["], ["^"])
    ]
    return kept or ["1"]


def _operand(texts: Sequence[str], at: int) -> int:
    """Where the operand begins that ends here."""
    depth = 0
    for place in range(at, -1, -1):
        depth += (texts[place] in (")", "]")) - (texts[place] in ("(", "["))
        if depth == 0:
            return place - 1 if texts[place] == "[" and place else place
    return 0
