"""Spellings of print and of NumPy, in characters and tokens that the grammar knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

from engine.formula.slopes import DERIVATIVES
from engine.formula.statements import LEADING, split
from engine.formula.tokens import Kind, Token, plain, tokenize, turn
from engine.formula.tree import SLOPE
from engine.messages.dots import undotted
from engine.messages.targets import doubled
from engine.messages.vocabulary import LOSSES, Words

# -- Spellings of whole arrays that the tokens do not know, in characters that they know.
#
# Every place is kept, so that the parser can look up in the learner's own text what was typed:
# the `*` of `a ⊗ b`, and the `^` of `v.sum()`.


_SIGNS: Final = str.maketrans({"@": "*", "⊗": "*", "⊘": "/", "⟨": "(", "⟩": ")"})
_LIBRARY: Final = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch|tf)\.(?=[A-Za-z])")
_TURNED: Final = re.compile(r"(?<=[\w)\]'])\.T\b")
_TOTAL: Final = re.compile(r"(?<=[\w)\]'])\.(sum|mean)\((?:axis *= *)?([01]?)\)")
_DOT: Final = re.compile(r"(?<=[\w)\]'])\.dot\(")
_BELOW: Final = r"(_[A-Za-z]+|_\{[A-Za-z, ]+\}|\[[A-Za-z, ]+\])?"
_MARK: Final = (
    r"\^(?:\(\((?P<two>\w)\)\)|\{\((?P<both>\w)\)\}|[({](?P<one>\w)[)}]"
    r"|(?P<bare>\w)(?![A-Za-z0-9(]))"
)
_ABOVE: Final = re.compile(rf"(?<!\w)([A-Za-z]+|δ){_BELOW}{_MARK}{_BELOW}")
#: δ^(2), W^[2] as LaTeX comes to ((2)) and ([2]): the second layer's.
_NTH: Final = re.compile(
    rf"(?<![^\W_])(?P<d>d?)(?P<name>[A-Za-z]|δ){_BELOW}"
    rf"\^(?:\(\((?P<a>\d)\)\)|\(\[(?P<b>\d)\]\)|\[(?P<c>\d)\]|\((?P<e>\d)\)){_BELOW}"
)
#: Behind this a line's left side stands.
_BEGUN: Final = re.compile(r"(?:^|[\n,;]|\b(?:where|with|let|and))\s*$", re.IGNORECASE)
_LEVEL: Final = r"[ℓlL](?:[-+]\d)?"
_LAYER: Final = re.compile(
    r"(?<!\w)(?P<name>[A-Za-z]+|δ)\^(?P<mark>[ℓlL]|"
    + "|".join(
        re.escape(a) + _LEVEL + re.escape(b)
        for a, b in (("((", "))"), ("{(", ")}"), *zip("({", ")}", strict=True))
    )
    + r")(?![A-Za-z0-9])"
)
#: What a line sets: with n = 2, x^n is a power.
_OWN: Final = re.compile(r"(?<![{_\[(\w])(\w) *:?=")
_WHERE: Final = re.compile(r"(?<![\w.])where\((?=[^\n]*,[^\n]*,)")


#: Behind a formula, which entries it is for: ", j = 1, ..., n", "for all j and k", "∀ j".
_LETTER: Final = r"(?:[^\W\d_]|[^\W\d_]_\w)"
_MANY: Final = rf"{_LETTER}(?:\s*(?:,|and)\s*{_LETTER})*"
_UP_TO: Final = (
    r"\s*(?:=|∈|in)\s*(?:\{\s*)?[01]\s*,\s*"
    r"(?:[^\W\d_]\w*\s*,\s*|2\s*,\s*)?(?:\.\.\.|…)\s*,\s*\w+\s*\}?"
)
_NOUN: Final = (
    "(?:entry|index|feature|tap|pixel|sample|unit|neuron|class|component|coordinate|element|weight)"
)
_QUANTIFIED: Final = re.compile(
    rf"(?<=\S)\s*[,;]?[ \t]*(?:(?<![(\[{{,])\()?"
    rf"(?:(?:for )?{_MANY}{_UP_TO}|(?:for (?:all|every|each)|forall|∀)(?: {_NOUN})?\s*"
    rf"{_MANY}(?:{_UP_TO})?)\)?(?=[ \t]*(?:[.;]?[ \t]*(?:\n|$)|,[ \t]+\S|;|and\b))"
)


_NABLA: Final = re.compile(
    r"∇_(?P<by>\{[^{}\n]*\}|\w+) (?P<above>\w+)(?:\([\w, ]+\)(?=\s*=))?"
    r"|∇ ?(?P<loss>\w+)\((?P<of>\w+)\)"
)


def plainly(text: str, words: Words) -> str:
    """The text in characters that the tokens know, every place kept."""
    text = _QUANTIFIED.sub(lambda found: " " * len(found.group()), text)
    text = _squared(text, words)
    text = _NABLA.sub(lambda found: _gradient(found, words), text)
    text = _LIBRARY.sub(lambda found: " " * len(found.group()), text.translate(_SIGNS))
    text = _TURNED.sub("^T", text)
    text = _TOTAL.sub(lambda found: f"^{{{found[1]}{found[2]}}}".ljust(len(found[0])), text)
    text = _numbered(_layered(_DOT.sub("*   (", text), words), words)
    own = {*_OWN.findall(text)}
    text = _ABOVE.sub(lambda found: _marked(found, words, own), text)
    text = _WHERE.sub("which(", text)
    # With d^2 = ..., d^2 y is no second derivative.
    return text if _D_SQUARED.search(text) else doubled(text)


_D_SQUARED: Final = re.compile(r"(?<!\w)d *(?:²|\^ *\(?2\)?) *=")
_OF_BATCH: Final = r"(?:_\{?B\}?|\[B\])?"


def _squared(text: str, words: Words) -> str:
    """σ² and σ_B² as v, where print calls sqrt(v) so; and μ_B, of a batch B that is none here."""
    if "B" in words.known:
        return text
    for name, said in words.names.items():
        sign = "|".join({name, *(one for one in "μσγβ" if plain(one)[0].strip() == name)})
        root = re.fullmatch(r"sqrt\((\w+)\)", said)
        if root is not None:
            square = re.compile(rf"(?<![^\W_d])(?:{sign}){_OF_BATCH}(?:²|\^(?:2|\(2\)|\{{2\}}))")
            text = square.sub(partial(_put, root[1]), text)
        text = re.sub(rf"(?<![^\W_d])({sign})(?:_\{{?B\}}?|\[B\])", partial(_put, ""), text)
    return text


def _put(name: str, found: re.Match[str]) -> str:
    """A name, or the first group, in the place of what was found."""
    return (name or found[1]).ljust(len(found[0]))


def _gradient(found: re.Match[str], words: Words) -> str:
    """∇_x L and ∇L(x) as dL/dx, of a loss or of what is given."""
    by, of = (found["by"] or found["of"]).strip("{}"), found["above"] or found["loss"]
    known = of in (*LOSSES, *words.arities) or words.is_loss(of)
    return f"d{of}/d{by}".ljust(len(found[0])) if known else found[0]


def rows(text: str, words: Words) -> list[list[Token]]:
    """The lines of an answer."""
    said = plainly(text, words)
    tokens = _sliced(_apart(tokenize(said), said, words), words)
    lines = split(_differentiated(_expected(_events(tokens, words), words), words))
    lines = [undotted(_named_behind(row), words) for row in lines if not _restates(row, words)]
    lines = _of_functions(_with_numbers(_squares_named(lines, words), words), words)
    lines = [_upright(row, words) for row in lines]
    columns = dict(one for one in map(_column, lines) if one)
    lines.sort(key=lambda row: _column(row) is None)  # whoever speaks of w_k means this one
    return [_by_columns(_at_column(row, columns)) for row in lines]


def _squares_named(lines: list[list[Token]], words: Words) -> list[list[Token]]:
    """d^2 = ... as d2 = ..., a name, wherever d stands squared."""

    def squared(row: list[Token], at: int) -> bool:
        return [one.text for one in row[at + 1 : at + 3]] == ["^", "2"] and row[at].kind == "name"

    bare = [row[row[0].kind == "word" :] for row in lines]
    names = {row[0].text for row in bare if len(row) > 4 and squared(row, 0) and row[3].text == "="}
    names = {name for name in names if words.canonical(name) is None}
    if not names:
        return lines
    found: list[list[Token]] = []
    for row in lines:
        put: list[Token] = []
        for at, token in enumerate(row):
            if token.text in names and squared(row, at):
                put.append(replace(token, text=f"{token.text}2"))
            elif not any(
                squared(row, one) and row[one].text in names for one in (at - 1, at - 2) if one >= 0
            ):
                put.append(token)
        found.append(put)
    return found


def _upright(row: list[Token], words: Words) -> list[Token]:
    """u^T = p^T A, of a name of the learner's, as u = (p^T A)^T."""
    start = int(row[0].kind == "word")
    texts = [one.text for one in row[start:]]
    if texts[1:4] != ["^", "T", "="] or words.canonical(texts[0]) or "T" in words.known:
        return row
    signs = [at for at, token in enumerate(row) if token.text == "=" and not _depth(row, at)]
    found = row[: start + 1]
    for at, end in pairwise([*signs, len(row) - 1]):
        opened = replace(row[at + 1], kind="op", text="(")
        close, power = (replace(row[end - 1], kind="op", text=a, spaced=False) for a in ")^")
        found += [row[at], opened, *row[at + 1 : end], close, power]
        found.append(replace(close, kind="name", text="T"))
    return [*found, row[-1]]


def _with_numbers(lines: list[list[Token]], words: Words) -> list[list[Token]]:
    """n_1 = ... and n[1] = ... as n1, a name, where no array is called n."""

    def numbered(row: list[Token], at: int) -> tuple[str, int]:
        """The name that stands at a place, and how many tokens it has; "" where none does."""
        name, number = row[at].text.split("_") if row[at].text.count("_") == 1 else ("", "")
        if name and number.isdigit():
            return name + number, 1
        texts = [one.text for one in row[at + 1 : at + 4]]
        is_entry = len(texts) == 3 and texts[::2] == ["[", "]"] and texts[1].isdigit()
        return (row[at].text + texts[1], 4) if row[at].kind == "name" and is_entry else ("", 1)

    names = set[str]()
    for row in lines:
        start = int(row[0].kind == "word")
        name, size = numbered(row, start) if len(row) > start + 2 else ("", 1)
        is_array = words.canonical(name.rstrip("0123456789")) in (*words.arrays, "delta")
        sign = row[min(start + size, len(row) - 1)].text
        names |= {name} if name and sign in ("=", ":=") and not is_array else set()
    return [_renamed(row, names, numbered) for row in lines] if names else lines


def _renamed(
    row: list[Token], names: set[str], named: Callable[[list[Token], int], tuple[str, int]]
) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(row):
        name, size = named(row, at)
        found.append(replace(row[at], text=name) if name in names else row[at])
        at += size if name in names else 1
    return found


def _of_functions(lines: list[list[Token]], words: Words) -> list[list[Token]]:
    """dσ/da = σ (1 - σ), of a function that stands without what it is of, as σ'(a) = ..."""
    found: list[list[Token]] = []
    for row in lines:
        if row[0].text == "d" and row[1].text in DERIVATIVES:  # d tanh
            row = [replace(row[1], text=f"d{row[1].text}"), *row[2:]]
        texts = [one.text for one in row]
        name = texts[0].removeprefix("d")
        known = name != texts[0] and name not in words.arities
        known = known and (words.canonical(name) in DERIVATIVES or name in words.functions)
        if not known or len(row) < 5 or texts[1] != "/" or texts[2][:1] != "d" or texts[3] != "=":
            found.append(row)
            continue
        by = replace(row[2], text=texts[2][1:])
        of = [replace(by, kind="op", text="(", spaced=False), by, replace(by, kind="op", text=")")]
        put = [replace(row[0], text=f"{name}'"), *of, row[3]]
        for at in range(4, len(row)):
            alone = row[at].text in (name, f"{name}'") and texts[at + 1 : at + 4] != [
                "(",
                by.text,
                ")",
            ]
            put += [row[at], *(replace(one, at=row[at].at) for one in of)] if alone else [row[at]]
        found.append(put)
    return found


def _column(row: list[Token]) -> tuple[str, str] | None:
    """The names of w_k = W[:,k], as slices have become (W^T)[k]."""
    row = row[row[0].kind == "word" :]
    texts = [part for one in row[:-1] for part in one.text.rstrip("'").split()]
    match [text for text in texts if text not in ("[", "]", "^", "T", "_")]:
        case [small, i, "=", "(", large, ")", j] if i == j:
            return small, large
    return None


def _at_column(row: list[Token], columns: Mapping[str, str]) -> list[Token]:
    """dL/dw[k] with w_k = W[:,k] as dL/dW[:,k]."""
    end = next((at for at, one in enumerate(row) if one.text == "="), 0)
    for at in range(end):
        small, behind = row[at].text.removeprefix("d"), row[at + 1 : end]
        if small != row[at].text and small in columns and behind:
            index = next((one for one in behind if one.text not in ("[", "_", "{")), row[at])
            put = [replace(index, kind="op", text=text) for text in ("[", ":", ",", "]")]
            name = replace(row[at], text=f"d{columns[small]}")
            letter = replace(index, kind="name", spaced=False)
            return [*row[:at], name, *put[:3], letter, put[3], *row[end:]]
    return row


def _restates(row: list[Token], words: Words) -> bool:
    """x_i = x[i,:]^T, which says what x_i is read as anyway: a row of x, or of X."""
    texts = [part for one in row[:-1] for part in one.text.split()]
    match [text for text in texts if text not in ("[", "]", "^", "T", "_")]:
        case [small, i, "=", large, j] if i == j:
            return words.arities.get(large) == 2 and large in (small, words.matrix(small))
    return False


def _events(tokens: list[Token], words: Words) -> list[Token]:
    """P(+ | D), P(D, +): the probability of an event is one name."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        is_event = token.text in ("P", "Pr") and token.text not in words.arities
        end = _past(tokens, at + 1) if is_event and tokens[at + 1].text == "(" else at
        inside = tokens[at + 2 : end - 1] if end > at else []
        spelt = " ".join({":": "|"}.get(one.text, one.text) for one in inside)
        spelt = re.sub(r"not (\w+)", r"\1bar", spelt).replace(" ", "")
        plain = bool(inside) and all(
            one.kind in ("name", "op") or one.text == "not" for one in inside
        )
        plain = plain and not any(one.text in ("(", "=", "<", ">") for one in inside)
        if plain and not any(one.text.split("_")[0] in words.arrays for one in inside):
            found.append(replace(token, text=f"{token.text}({spelt})"))
            at = end
        else:
            found.append(token)
            at += 1
    return _complements(found)


def _complements(tokens: list[Token]) -> list[Token]:
    """1 - P(D | T) for P(not D | T), where that one alone is said to be something."""
    begun = ("\n", ",", ";", "=", ":=", *LEADING)
    three = zip([None, *tokens], tokens, tokens[1:], strict=False)
    said = {
        one.text
        for before, one, sign in three
        if sign.text in ("=", ":=") and (before is None or before.text in begun)
    }
    found: list[Token] = []
    for token in tokens:
        event = re.fullmatch(r"(Pr?\(\w+?)(bar)?(\)|\|.*)", token.text)
        other = f"{event[1]}{'' if event[2] else 'bar'}{event[3]}" if event else ""
        if token.text in said or other not in said:
            found.append(token)
            continue
        put: list[tuple[Kind, str]] = [("op", "("), ("number", "1"), ("op", "-"), ("name", other)]
        put.append(("op", ")"))
        found += [replace(token, kind=kind, text=text) for kind, text in put]
    return found


def _expected(tokens: list[Token], words: Words) -> list[Token]:
    """E[X^2], the sum of p_k x_k^2, and Var[X]; X is x where nothing else is called so."""
    if not words.weights or {"E", "Var"} & {*words.arities}:
        return tokens
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        opens = tokens[min(at + 1, len(tokens) - 1)].text in ("[", "(", "{")
        if token.text not in ("E", "Var") or not opens:
            found.append(token)
            at += 1
            continue
        end = _past(tokens, at + 1)
        inner = _expected([_small(one, words) for one in tokens[at + 2 : end - 1]], words)

        def put(*texts: str, token: Token = token) -> list[Token]:
            kinds: dict[str, Kind] = {"dot": "name", words.weights: "name", "2": "number"}
            return [replace(token, kind=kinds.get(one, "op"), text=one) for one in texts]

        mean = [*put("dot", "(", words.weights, ",", "("), *inner, *put(")", ")")]
        if token.text == "Var":
            off = [*put("(", "("), *inner, *put(")", "-"), *mean, *put(")", "^", "2")]
            mean = [*put("dot", "(", words.weights, ","), *off, *put(")")]
        found += mean
        at = end
    return found


def _small(token: Token, words: Words) -> Token:
    small = token.text.lower()
    is_name = token.kind == "name" and token.text not in words.arities and small in words.arrays
    return replace(token, text=small) if is_name else token


def _apart(tokens: list[Token], text: str, words: Words) -> list[Token]:
    """δx on a right side as δ times x, unless it is a name that a line of the answer gives; and
    Wx as W times x."""
    lines = {
        one.text
        for one, before in zip(tokens, [None, *tokens], strict=False)
        if before is None or before.kind == "newline"
    }
    found: list[Token] = []
    for token, behind in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        if token.text not in lines and behind.text != "(" and _is_product(token, words):
            parts = enumerate(token.text)
            found += [replace(token, text=one, at=token.at + n) for n, one in parts]
            continue
        greek = plain(text[token.at : token.at + 1])[0].strip()
        rest = token.text.removeprefix(greek)
        glued = len(greek) > 1 and rest != token.text and rest in words.arrays
        right = bool(found) and found[-1].kind in ("op", "number", "name") and found[-1].text != ","
        if glued and right and token.text not in lines and f"d{rest}" not in words.local:
            found += [replace(token, text=greek), replace(token, text=rest, at=token.at + 1)]
        else:
            found.append(token)
    return found


def _named_behind(row: list[Token]) -> list[Token]:
    """a = b =: c as a = c = b: a name for what stands before it."""
    signs = [at for at, token in enumerate(row) if token.text == "=" and not _depth(row, at)]
    last = signs[-1] if signs else 0
    if not last or row[last + 1].text != ":":
        return row
    before = signs[-2] + 1 if len(signs) > 1 else 0
    return [*row[:before], *row[last + 2 : -1], row[last], *row[before:last], row[-1]]


def _is_product(token: Token, words: Words) -> bool:
    """Whether a name that has no meaning is made of the letters of arrays."""
    unknown = token.kind == "name" and len(token.text) > 1 and words.canonical(token.text) is None
    return unknown and {*token.text} <= words.arrays


def _by_columns(row: list[Token]) -> list[Token]:
    """dW[:,k] = v, a column, as dW[j,k] = (v)[j]."""
    signs = [at for at, token in enumerate(row) if token.text == "=" and not _depth(row, at)]
    ahead = row[: signs[0]] if signs else []
    at = next((n for n, token in enumerate(ahead) if token.text == ":"), 0)
    if not at or row[at - 1].text not in ("[", "{") or row[at + 1].text != ",":
        return row
    letter = next(a for a in "ijklmnpq" if all(a not in {*one.text.split()} for one in row))
    index = replace(row[at], kind="name", text=letter)
    found = [*ahead[:at], index, *ahead[at + 1 :]]
    for start, end in pairwise([*signs, len(row) - 1]):
        put = [replace(row[start], text=text, spaced=False) for text in ("(", ")", "[", "]")]
        found += [row[start], put[0], *row[start + 1 : end], put[1], put[2], index, put[3]]
    return [*found, row[-1]]


def _depth(row: list[Token], end: int) -> int:
    return sum(map(turn, row[:end]))


def _sliced(tokens: list[Token], words: Words) -> list[Token]:
    """W[i,:] as W[i], a row, and W[:,j] as (W^T)[j], a column."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        opens = at + 1 + (tokens[min(at + 1, len(tokens) - 1)].text == "_")
        end = next((n for n in range(opens, len(tokens)) if tokens[n].text in ("]", "}")), 0)
        inside = [one for one in tokens[opens + 1 : end] if one.text != ","]
        colons = [one.text for one in inside].count(":")
        name = tokens[at]
        is_column = bool(inside) and inside[0].text == ":"
        # d / dW[:,j]: no column is asked for
        is_left = is_column and at > 0 and tokens[at - 1].text == "/" and name.text[:1] == "d"
        # ( ... )[n,:] is a row, too; of a column nothing is known that could be turned
        is_name = name.kind == "name" or (name.text == ")" and not is_column)
        is_slice = is_name and tokens[opens].text in ("[", "{") and len(inside) == 2
        if is_left or not is_slice or colons != 1:
            found.append(name)
            at += 1
            continue
        if is_column:
            close = replace(name, spaced=False)
            turned = [close, replace(close, kind="op", text="^"), replace(close, text="T")]
            if "T" in words.known:
                turned = [replace(close, text=f"{name.text}'")]
            found += [replace(name, kind="op", text="("), *turned]
            found.append(replace(close, kind="op", text=")"))
        else:
            found.append(name)
        index = next(one for one in inside if one.text != ":")
        found += [
            replace(tokens[opens], text="[", spaced=False),
            index,
            replace(tokens[end], text="]"),
        ]
        at = end + 1
    return found


#: What ends the product that a derivative stands before.
_AFTER: Final = ("+", "-", "=", ":=", "<=", ">=", "~", ",", ";")


def _differentiated(tokens: list[Token], words: Words) -> list[Token]:
    """d(a b)/dx[j] and d/dx[j] a b as ∂(a b, x[j]); the derivative of a name stays as it is."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken = None if "d" in words.arities else _derivative_at(tokens, at, words)
        second = _second_at(tokens, at, words) if taken is None else None
        if second is not None:
            inner, by, end = second
            put = [replace(tokens[at], kind="op", text=text) for text in (SLOPE, "(", ",", ")")]
            found += [*put[:2], *inner, put[2], *by, put[3]]
            at = end
            continue
        if taken is None:
            found.append(tokens[at])
            at += 1
            continue
        body, by, end = taken
        first = tokens[at]
        put = [replace(first, kind="op", text=text) for text in (SLOPE, "(", "(", ")", ",", ")")]
        inner = _differentiated(body, words)
        found += [*put[:3], *inner, *put[3:5], *by, put[5]]
        at = end
    return found


def _second_at(
    tokens: list[Token], at: int, words: Words
) -> tuple[list[Token], list[Token], int] | None:
    """Of d2L/da_n^2 or d2L/(da_n db_m) on a right side dL/da_n, what it is once more by, and where
    it ends; None where no second derivative stands."""
    first, before = tokens[at], tokens[at - 1] if at else tokens[at]
    above = first.text.partition("_")[0].removeprefix("d2")
    known = first.text[:2] == "d2" and (above in words.arities or words.is_loss(above))
    if not known or not at or before.kind == "newline" or before.text == ";":
        return None
    slash = next((n for n in range(at + 1, _product(tokens, at)) if _divides(tokens, at, n)), 0)
    opened = int(bool(slash) and tokens[slash + 1].text in ("(", "{"))
    one = _below(tokens, slash + opened, words) if slash else None
    if one is None:
        return None
    by, end = one
    first = replace(first, text=first.text.replace("d2", "d", 1))
    below = [replace(by[0], text=f"d{by[0].text}"), *by[1:]]
    inner = [first, *tokens[at + 1 : slash + 1], *below]
    if tokens[end].text == "^":
        return inner, by, _past(tokens, end + 1) + opened
    other = _below(tokens, end - 1, words)
    return (inner, other[0], other[1] + opened) if other is not None else None


def _derivative_at(
    tokens: list[Token], at: int, words: Words
) -> tuple[list[Token], list[Token], int] | None:
    """What is differentiated here, by what, and where it ends; None where nothing is."""
    first = tokens[at]
    if first.kind != "name" or first.text[:1] != "d" or first.text in words.arities:
        return None
    if first.text == "d" and tokens[at + 1].text == "/":
        below = _below(tokens, at + 1, words)
        if below is None:
            return None
        by, start = below
        # On a left side all of it is differentiated, elsewhere what the next brackets hold.
        is_left = at == 0 or tokens[at - 1].kind == "newline" or tokens[at - 1].text == ";"
        opens = tokens[start].text in ("(", "[", "{") and not is_left
        end = _past(tokens, start) if opens else _product(tokens, start)
        return (tokens[start:end], by, end) if end > start else None
    slash = next((n for n in range(at + 1, _product(tokens, at)) if _divides(tokens, at, n)), 0)
    below = _below(tokens, slash, words) if slash else None
    if below is None:
        return None
    inner = tokens[at + 1 : slash]
    if first.text == "d":
        return (inner, *below) if inner else None
    base = first.text[1:].split("_")[0]
    has_power = any(token.text == "^" for token in inner) and base in words.arities
    inner = [replace(first, text=first.text[1:]), *inner]
    return (inner, *below) if has_power and inner[-1].text != "T" else None


def _divides(tokens: list[Token], start: int, at: int) -> bool:
    """Whether the fraction bar of what begins at `start` stands here."""
    return tokens[at].text == "/" and sum(map(turn, tokens[start:at])) == 0


def _below(tokens: list[Token], slash: int, words: Words) -> tuple[list[Token], int] | None:
    """The array that stands with a d behind a fraction bar, with its indices, and its end."""
    opened = int(tokens[slash + 1].text in ("(", "{"))
    name = tokens[slash + 1 + opened]
    array = name.text[1:].split("_")[0]
    known = array in words.arities or name.text[1:] in words.arities
    if name.kind != "name" or name.text[:1] != "d" or not known:
        return None
    end = slash + 2 + opened
    while tokens[end].kind == "subs" or tokens[end].text in ("_", "["):
        end = _past(tokens, end) if tokens[end].text == "[" else end + 1
        if tokens[end - 1].text == "_":
            end = _past(tokens, end)
    by = [replace(name, text=name.text[1:]), *tokens[slash + 2 + opened : end]]
    return by, end + opened


def _past(tokens: list[Token], at: int) -> int:
    """Where the bracket that opens here has ended."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += turn(tokens[place])
        if depth == 0:
            return place + 1
    return len(tokens)


def _product(tokens: list[Token], at: int) -> int:
    """Where the product that begins here ends."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += turn(tokens[place])
        ends = tokens[place].kind in ("newline", "end", "word") or tokens[place].text in _AFTER
        if depth < 0 or (depth == 0 and ends and place > at):
            return place
    return len(tokens)


def _layered(text: str, words: Words) -> str:
    """Without the numbers of layers: of δ^(ℓ-1) and δ^(ℓ), or δ^ℓ and δ^(ℓ+1), the higher one is
    the message from above and the lower one, where one alone is asked, the message asked for.
    """
    marks = [(one["name"], one["mark"].strip("(){}")) for one in _LAYER.finditer(text)]
    deltas = {mark for name, mark in marks if name in ("delta", "δ")}
    letters = {mark[0] for mark in deltas}
    levels = sorted({int(mark[1:] or 0) for mark in deltas})
    if len(letters) != 1 or len(levels) > 2 or letters & {*_OWN.findall(text), *words.arities}:
        return text
    asked = [name for name in words.asked if "/" not in name]
    lower = asked[0] if len(levels) == 2 and len(asked) == 1 else "delta"

    def named(one: re.Match[str]) -> str:
        name, mark = one["name"], one["mark"].strip("(){}")
        if name in ("delta", "δ"):
            name = "delta" if int(mark[1:] or 0) == levels[-1] else lower
        elif mark[0] not in letters or name not in words.arrays:
            return one[0]
        return name.rjust(len(one[0]))

    return _LAYER.sub(named, text)


def _numbered(text: str, words: Words) -> str:
    """W^[2] as W2, and as W where the card has one W; δ^(2) as a name that a line defines."""
    every = [(one["name"], *_number_of(one)) for one in _NTH.finditer(text)]
    defined = {
        _number_of(one)[0]
        for one in _NTH.finditer(text)
        if re.match(r" *:?=", text[one.end() :]) and _BEGUN.search(text[: one.start()])
    }

    def named(one: re.Match[str]) -> str:
        name, (number, certain) = one["name"], _number_of(one)
        own = f"{name}{number}"
        if name == "δ":
            known = number in defined
        elif own not in words.arities:
            numbers = {n for other, n, _ in every if other == name}
            several = any(f"{name}{n}" in words.arities for n in "0123456789")
            own, known = name, certain and name in words.arities and len(numbers) == 1
            known = known and not several
        else:
            known = certain
        below = one[3] or one[8] or ""
        return (one["d"] + own + below).ljust(len(one[0])) if known else one[0]

    return _NTH.sub(named, text)


def _number_of(one: re.Match[str]) -> tuple[str, bool]:
    """The number that stands above, and whether it can be no power."""
    return one["a"] or one["b"] or one["c"] or one["e"], not one["e"]


def _marked(found: re.Match[str], words: Words, own: set[str]) -> str:
    """δ^(s)_k of textbooks, the message at s, and p^(i), entry i: what stands above as an index."""
    name, low, *above, lower = found.groups()
    mark, below = "".join(filter(None, above)), (low or lower or "").strip("_{}[]")
    message = name in ("delta", "δ") and mark in words.arrays
    entry = not below and words.arities.get(name) == 1 and mark not in (*words.known, "T")
    order = _order(words.matrix(name) or name, mark, below, words)
    if not (message or ((entry or order) and mark.isalpha() and mark not in own)):
        return found[0]
    if order and not message:
        return f"{name}_{order}".ljust(len(found[0]))
    index = f"{{{mark},{below}}}" if "," in below else mark + below
    return f"{name}_{index}".ljust(len(found[0]))


def _order(name: str, mark: str, below: str, words: Words) -> str:
    """nj of x^(n)_j, where a letter of the two tells which range it runs over; else ""."""
    ranges = [dim.partition("#")[0].partition(":")[0] for dim in words.dims.get(name, ())]
    if len(ranges) != 2 or len(below) != 1 or mark in (*words.known, "T") or mark == below:
        return ""
    if ranges[0] == mark or (ranges[1] == below and ranges[1] != mark):
        return mark + below
    return below + mark if mark == ranges[1] or below == ranges[0] else ""


# -- What an answer calls the message from above.


def _barred(text: str, words: Words) -> bool:
    """Whether what is asked is called by bars alone: ubar = ... where nothing is dL/du."""
    names = [one.removeprefix("d") for one in words.asked if "/" not in one]
    begun = any(re.search(rf"(?m)^\s*{re.escape(one)}_?bar[^\n=]*=", text) for one in names)
    return begun and not any(re.search(rf"(?<!\w)d{re.escape(one)}\b", text) for one in names)


def spoken_so(text: str, words: Words) -> Words:
    """The words of an answer by what it calls the message from above: a bar then marks messages,
    and where it is no delta, a delta with two indices is Kronecker's."""
    if not words.output:
        return replace(words, bars=_barred(plain(plainly(text, words))[0], words))
    said, output = plain(plainly(text, words))[0], re.escape(words.output)
    bars = re.search(rf"(?<![^\W_]){output}_?bar(?![^\W_])", said)
    at = r"(?:\[[^]]*\]|_\w+|_\{[^}]*\})?"  # dY[n,k]/dX[i,d] is no name of it
    program = rf"(?<![^\W/])d{output}(?![^\W_])(?!{at}\s*/)"
    named = re.search(rf"/\s*d{output}(?![^\W_])|{program}", said)
    kronecker = bool(bars or named) and not re.search(r"delta_?\w?(?![\w\[_{])", said)
    return replace(words, bars=bool(bars), kronecker=kronecker)
