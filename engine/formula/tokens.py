"""Text to tokens.  A token keeps its offset in the text as typed, for the caret of an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from engine.formula.characters import plain
from engine.formula.names import unknown_hint
from engine.formula.phrases import SAME, phrased
from engine.formula.problem import OffsetError

MAX_LENGTH: Final = 4_000
MAX_TOKENS: Final = 800
#: Brackets inside brackets; far below Python's own recursion limit.
MAX_NESTING: Final = 24

Kind = Literal["number", "name", "word", "subs", "op", "newline", "end"]
WORDS: Final = frozenset(
    (
        *("if", "else", "otherwise", "for", "in", "not", "and", "or", "is", "where", "with"),
        *("let", "when", "then", "over", "all", "such", "that", "of", "the", "cases"),
        *("any", "forall", "exists", "except", "without"),
    )
)
_NAME: Final = r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*'*"
_ONE: Final = r"[A-Za-z]'*(?:\^?\*)?"
#: A star is part of a name (i*) where no operand follows it; a pair (k,l) is none.
_ENDS: Final = (
    r"(?=\s*(?:[,)\]}=<>!;:|^/%·&]|\*(?!\*)|$|\n)|_|[(\[]\s*[A-Za-z]\s*,\s*[A-Za-z]\s*[)\]]|\s+[-+]"
    r"|\s+(?:and|or|if|else|otherwise|for|in|not|is|where|with|when)\b)"
)
_TOKEN: Final = re.compile(
    rf"""(?P<space>[ ]+|\b(?:np|numpy|torch)\.(?=[A-Za-z])  # np.where, as it stands in programs
     |\#(?![{{(])[^\n]*)  # a comment runs to the end of its line
    |(?P<newline>\n|\.(?=\s))  # so does a sentence
    |(?P<subs>_\{{\s*(?:{_ONE}\s*)+\}})
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)
    |(?P<pair>[A-Za-z]+_[A-Za-z]'*\^?\*[A-Za-z]'*\^?\*{_ENDS})
    |(?P<primed>[A-Za-z]+_[A-Za-z]'+[A-Za-z]'*)
    |(?P<star>[A-Za-z]'*(?:\^\*|\*(?!\*){_ENDS}))
    |(?P<such>s\.\s?t\.)
    |(?P<name>{_NAME})
    |(?P<under>_+[A-Za-z0-9]\w*'*)
    |(?P<op>:=|==|!=|<=|>=|\+=|\*\*|//|&&|\|\||\.\.\.?|_(?=\s*[{{(])|\\(?=\s)|[-+*/%^·=<>()\[\]{{}},;:|&!\#?∋])
    """,
    re.VERBOSE,
)
_SYNONYMS: Final = {"&": "and", "&&": "and", "||": "or", "!": "not"}
_CLOSING: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    at: int
    """Offset of its first character in the text as typed."""
    spaced: bool = False
    """White space stands before it."""


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, "end" last, brackets balanced.  Raises OffsetError."""
    if len(text) > MAX_LENGTH:
        raise OffsetError(
            f"The answer has {len(text)} characters; at most {MAX_LENGTH} are read.",
            "write it shorter, with a line that defines what occurs often",
            MAX_LENGTH,
        )
    clean, offsets = plain(_undressed(text))
    tokens: list[Token] = []
    position = 0
    spaced = False
    while position < len(clean):
        found = _TOKEN.match(clean, position)
        if found is None and clean[position:].strip() == ".":
            break
        if found is None:
            raise _stranger(clean[:position], clean[position:], offsets[position])
        if found.lastgroup == "space":
            spaced = True
        else:
            behind = tokens[-1].text[-1:] if tokens else ""
            if found.lastgroup == "under" and behind not in (")", "}", "*"):
                raise _unknown(found.group(), offsets[position])
            tokens.append(_token(found, offsets[position], spaced))
            if len(tokens) > MAX_TOKENS:
                raise OffsetError(
                    f"Only {MAX_TOKENS} words and signs are read.",
                    "write it shorter",
                    tokens[-1].at,
                )
            spaced = False
        position = found.end()
    tokens.append(Token("end", "", len(text), spaced))
    return _balanced(phrased(tokens))


def _undressed(text: str) -> str:
    """The text with the dollars of a formula in Markdown blanked out, all places kept.

    Within a larger formula they are brackets: 1/2 * $a - b$ is half of all that they hold.
    """
    parts = re.split(r"(\$+)", text)
    if len(parts) != 5 or parts[1] != parts[3] or len(parts[1]) > 2:
        return text
    before, sign, inner, _, behind = parts
    alone = re.search(r"(^|[=:,;\n])[ \t]*$", before) and re.match(r"[ \t]*($|[=.,;:\n])", behind)
    opens, closes = (" ", " ") if alone else ("(", ")")
    return f"{before}{opens * len(sign)}{inner}{closes * len(sign)}{behind}"


def _token(found: re.Match[str], at: int, spaced: bool) -> Token:
    text = found.group()
    match found.lastgroup:
        case "newline":
            return Token("newline", "\n", at, spaced)
        case "number":
            return Token("number", text, at, spaced)
        case "subs":
            return Token("subs", " ".join(re.findall(_ONE, text)).replace("^", ""), at, spaced)
        case "under":
            return Token("subs", " ".join(text.lstrip("_")), at, spaced)
        case "pair" | "primed" | "star":
            return Token("name", text.replace("^", ""), at, spaced)
        case "such":
            return Token("op", ":", at, spaced)
        case "name" if (word := SAME.get(text.lower(), text.lower())) in WORDS:
            return Token("word", word, at, spaced)
        case "name":
            return Token("name", text, at, spaced)
    if text in _SYNONYMS:
        return Token("word", _SYNONYMS[text], at, spaced)
    return Token("op", {"·": "*", "**": "^", "\\": "-"}.get(text, text), at, spaced)


def _unknown(name: str, at: int) -> OffsetError:
    return OffsetError(f"I do not know '{name}'.", unknown_hint(name.strip("_")), at)


def _stranger(before: str, rest: str, at: int) -> OffsetError:
    first = rest[0]
    if first == "\\":
        return OffsetError(
            "LaTeX stands where an index formula belongs.",
            "write it plainly: x_ij, delta_kl, sum(... for k,l), argmax(k,l), [condition]",
            at,
        )
    if first == "$":
        return OffsetError(
            "A formula needs no dollar signs.", "leave them out, and write one formula a line", at
        )
    if first in "'\"" and re.search(r"\beinsum\s*\(\s*$", before):
        return OffsetError(
            "A formula has no einsum.",
            "write the sum out: sum(W[k,j] * delta[k] for k); or a function: def backward(...)",
            at,
        )
    if first in "'\"":
        return OffsetError("Text in quotes is not part of a formula.", "leave the quotes out", at)
    if first == ".":
        return OffsetError(
            "A dot does not belong here: there are no attributes in a formula.",
            "write argmax(k,l) or sum(... for k,l) without a library's name before it",
            at,
        )
    shown = first if first.isprintable() else f"U+{ord(first):04X}"
    return OffsetError(
        f"I do not know the character '{shown}'.", "leave it out, or write the word for it", at
    )


def _balanced(tokens: list[Token]) -> list[Token]:
    """The same tokens without line breaks inside brackets; inside braces they separate cases."""
    out: list[Token] = []
    opened: list[Token] = []
    for token in tokens:
        if token.kind == "newline" and opened:
            if opened[-1].text != "{":
                continue
            token = Token("op", ";", token.at, token.spaced)
        elif token.kind == "op" and token.text in ("(", "[", "{"):
            opened.append(token)
        elif token.kind == "op" and token.text in _CLOSING:
            if not opened or opened[-1].text != _CLOSING[token.text]:
                raise _unmatched(token, opened)
            opened.pop()
        if len(opened) > MAX_NESTING:
            raise OffsetError(
                f"Brackets are nested more than {MAX_NESTING} deep here.",
                "take the inner part out into a line that defines it",
                token.at,
            )
        out.append(token)
    if opened:
        raise OffsetError(
            f"This '{opened[-1].text}' is never closed.", "close the bracket", opened[-1].at
        )
    return out


def _unmatched(token: Token, opened: list[Token]) -> OffsetError:
    if not opened:
        return OffsetError(
            f"This '{token.text}' closes nothing.", "leave it out, or open the bracket", token.at
        )
    return OffsetError(
        f"This '{token.text}' meets an open '{opened[-1].text}'.", "close that one first", token.at
    )
