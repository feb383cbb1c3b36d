"""Spellings of print and of NumPy, in characters and tokens that the grammar knows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from engine.formula.statements import split
from engine.formula.tokens import Kind, Token, plain, tokenize, turn
from engine.messages.vocabulary import Words

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
_QUANTIFIED: Final = re.compile(
    rf"(?<=\S)[ \t]*[,;]?[ \t]*(?:(?<![(\[{{,])\()?"
    rf"(?:(?:for )?{_MANY}{_UP_TO}|(?:for (?:all|every|each)|forall|∀)(?: (?:entry|index))?\s*"
    rf"{_MANY}(?:{_UP_TO})?)\)?(?=[ \t]*(?:[.;]?[ \t]*(?:\n|$)|,[ \t]+\S|;|and\b))"
)


def plainly(text: str, words: Words) -> str:
    """The text in characters that the tokens know, every place kept."""
    text = _QUANTIFIED.sub(lambda found: " " * len(found.group()), text)
    text = _LIBRARY.sub(lambda found: " " * len(found.group()), text.translate(_SIGNS))
    text = _TURNED.sub("^T", text)
    text = _TOTAL.sub(lambda found: f"^{{{found[1]}{found[2]}}}".ljust(len(found[0])), text)
    text = _layered(_DOT.sub("*   (", text), words)
    own = {*_OWN.findall(text)}
    text = _ABOVE.sub(lambda found: _marked(found, words, own), text)
    return _WHERE.sub("which(", text)


def rows(text: str, words: Words) -> list[list[Token]]:
    """The lines of an answer."""
    said = plainly(text, words)
    tokens = _expected(_events(_sliced(_apart(tokenize(said), said, words)), words), words)
    return split(_differentiated(tokens, words))


def _events(tokens: list[Token], words: Words) -> list[Token]:
    """P(+ | D), P(D, +): the probability of an event is one name."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        is_event = token.text in ("P", "Pr") and token.text not in words.arities
        end = _past(tokens, at + 1) if is_event and tokens[at + 1].text == "(" else at
        inside = tokens[at + 2 : end - 1] if end > at else []
        spelt = "".join({":": "|"}.get(one.text, one.text) for one in inside)
        plain = bool(inside) and all(one.kind in ("name", "op") for one in inside)
        plain = plain and not any(one.text in ("(", "=", "<", ">") for one in inside)
        if plain and not any(one.text.split("_")[0] in words.arrays for one in inside):
            found.append(replace(token, text=f"{token.text}({spelt})"))
            at = end
        else:
            found.append(token)
            at += 1
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
    """δx on a right side as δ times x, unless it is a name that a line of the answer gives."""
    lines = {
        one.text
        for one, before in zip(tokens, [None, *tokens], strict=False)
        if before is None or before.kind == "newline"
    }
    found: list[Token] = []
    for token in tokens:
        rest = token.text[5:]
        glued = (
            token.text[:5] == "delta"
            and text[token.at : token.at + 1] == "δ"
            and rest in words.arrays
        )
        right = bool(found) and found[-1].kind in ("op", "number", "name") and found[-1].text != ","
        if glued and right and token.text not in lines and f"d{rest}" not in words.local:
            found += [replace(token, text="delta"), replace(token, text=rest, at=token.at + 1)]
        else:
            found.append(token)
    return found


def _sliced(tokens: list[Token]) -> list[Token]:
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
        is_slice = name.kind == "name" and tokens[opens].text in ("[", "{") and len(inside) == 2
        if is_left or not is_slice or colons != 1:
            found.append(name)
            at += 1
            continue
        if is_column:
            found += [replace(name, kind="op", text="("), replace(name, spaced=False)]
            found += [replace(name, kind="op", text="^", spaced=False)]
            found += [replace(name, text="T", spaced=False)]
            found += [replace(name, kind="op", text=")", spaced=False)]
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


#: The derivative of a formula, which a line of a derivation may leave to be worked out.
SLOPE: Final = "∂"
#: What ends the product that a derivative stands before.
_AFTER: Final = ("+", "-", "=", ":=", "<=", ">=", "~", ",", ";")


def _differentiated(tokens: list[Token], words: Words) -> list[Token]:
    """d(a b)/dx[j] and d/dx[j] a b as ∂(a b, x[j]); the derivative of a name stays as it is."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken = None if "d" in words.arities else _derivative_at(tokens, at, words)
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
        opens = tokens[start].text in ("(", "[", "{")
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


def _marked(found: re.Match[str], words: Words, own: set[str]) -> str:
    """δ^(s)_k of textbooks, the message at s, and p^(i), entry i: what stands above as an index."""
    name, low, *above, lower = found.groups()
    mark, below = "".join(filter(None, above)), (low or lower or "").strip("_{}[]")
    message = name in ("delta", "δ") and mark in words.arrays
    entry = not below and words.arities.get(name) == 1 and mark not in (*words.known, "T")
    if not (message or (entry and mark.isalpha() and mark not in own)):
        return found[0]
    index = f"{{{mark},{below}}}" if "," in below else mark + below
    return f"{name}_{index}".ljust(len(found[0]))


# -- What an answer calls the message from above.


def spoken_so(text: str, words: Words) -> Words:
    """The words of an answer by what it calls the message from above: a bar then marks messages,
    and where it is no delta, a delta with two indices is Kronecker's."""
    if not words.output:
        return words
    said, output = plain(plainly(text, words))[0], re.escape(words.output)
    bars = re.search(rf"(?<![^\W_]){output}_?bar(?![^\W_])", said)
    named = re.search(rf"/\s*d{output}(?![^\W_])|(?<![^\W/])d{output}(?![^\W_])", said)
    kronecker = bool(bars or named) and not re.search(r"delta_?\w?(?![\w\[_{])", said)
    return replace(words, bars=bool(bars), kronecker=kronecker)
