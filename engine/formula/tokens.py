"""From text to tokens: characters, phrases, the stream and what it looks ahead to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from engine.formula.names import unknown_hint
from engine.formula.tree import OffsetError

# -- Look-alikes and symbols to plain characters, each still knowing its place in the text.


_WORDS: Final = {
    "δ": " delta",
    "Σ": " sum",
    "∑": " sum",
    "Ω": " Omega",
    "ω": " Omega",
    "∇": " grad_",
    "∂": " d",
    "∈": " in ",
    "∉": " not in ",
    "∧": " and ",
    "∨": " or ",
    "¬": " not ",
    "∀": " forall ",
    "∃": " exists ",
    "∄": " not exists ",
    "∏": " prod",
    "Π": " prod",
    "⇒": "\n",
    "⟹": "\n",
    "∴": "\n",
    "→": " to ",
    "∖": "-",
    "⌈": " ceil(",
    "⌉": ")",
    "⌊": " floor(",
    "⌋": ")",
    "…": "...",
    "√": " sqrt ",
    "≤": "<=",
    "⩽": "<=",
    "≥": ">=",
    "⩾": ">=",
    "≠": "!=",
    "≡": "==",
    "←": ":=",
    "≔": ":=",
    "∣": "|",
    "⟦": "[",
    "⟧": "]",
    "〚": "[",
    "〛": "]",
    "÷": "/",
    "²": "^2",
    "³": "^3",
    "ᵀ": "^T ",
    "⊤": "T ",
    "⊺": "T ",
    "‖": "||",
    "ŷ": "yhat",
    "\u0302": "hat",
    "\u0304": "bar",
}
_GREEK: Final = {
    **{"α": "alpha", "β": "beta", "γ": "gamma", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta"},
    **{"η": "eta", "θ": "theta", "λ": "lambda", "µ": "mu", "μ": "mu", "ν": "nu", "ξ": "xi"},
    **{"π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi"},
    **{"ψ": "psi", "Γ": "Gamma", "Θ": "Theta", "Λ": "Lambda", "Φ": "Phi", "Ψ": "Psi"},
}
_ALIKE: Final = {
    **dict.fromkeys("−–—‐‑", "-"),
    **dict.fromkeys("×⋅∙•⊙∘", "·"),
    **dict.fromkeys("⋆∗", "*"),
    **dict.fromkeys("′’‘´`ʹ", "'"),
    **dict.fromkeys("“”", '"'),
    # The letters of the words that phrases.py knows in Czech and German.
    **dict(zip("áčďéěíňóřšťúůýžäöü", "acdeeinorstuuyzaou", strict=True)),
    **dict.fromkeys("\u00a0\u2009\u202f\r\t\ufeff\u200b", " "),
}
_SUBSCRIPTS: Final = dict(
    zip("ᵢⱼₖₗₘₙₚₐₑₓᵣₛₜᵤᵥ₀₁₂₃₄₅₆₇₈₉", "ijklmnpaexrstuv0123456789", strict=True)
)


def plain(text: str) -> tuple[str, list[int]]:
    """`text` in plain characters, and for each of them its offset in `text` (and one for the end).

    A symbol may become several characters: all have the symbol's offset.
    """
    out: list[str] = []
    offsets: list[int] = []
    lowered = False
    joined = False
    for at, character in enumerate(text):
        if joined and character.isspace():
            continue
        new = _plain(character)
        if joined:
            # ∂δ and ∂γ are one word, as ∂x is.
            new = new.lstrip()
        joined = character == "∂"
        if character in _SUBSCRIPTS:
            new = _SUBSCRIPTS[character] if lowered else "_" + _SUBSCRIPTS[character]
        lowered = character in _SUBSCRIPTS
        out.append(new)
        offsets.extend([at] * len(new))
    offsets.append(len(text))
    return "".join(out), offsets


def _plain(character: str) -> str:
    if character.isascii():
        return " " if character in "\r\t" else character
    for form in (character, unicodedata.normalize("NFKC", character)):
        if form in _GREEK:
            return " " + _GREEK[form]
        if form in _WORDS:
            return _WORDS[form]
        if form in _ALIKE:
            return _ALIKE[form]
    return "".join(_WORDS.get(c, _ALIKE.get(c, c)) for c in form)


# -- Words that stand for a sign, a name or one another: told among the tokens, before parsing.
#
# "for all" is one quantifier, "the largest value of" is max, "where the sum runs over" is over;
# and the short words of a condition are known in Czech and German as well.


#: What a word says that is no English one, or another English one.
SAME: Final = {
    **dict.fromkeys(("iff", "whenever", "provided", "pokud", "kdyz", "falls", "wenn"), "if"),
    **dict.fromkeys(("elsewhere", "jinak", "sonst", "ansonsten"), "otherwise"),
    **dict.fromkeys(("wobei", "kde"), "where"),
    **dict.fromkeys(("thus", "hence", "therefore", "tedy", "dann", "also", "pak"), "then"),
    **dict.fromkeys(("so", "finally", "consequently"), "then"),
    **dict.fromkeys(("und", "zaroven"), "and"),
    **dict.fromkeys(("oder", "nebo"), "or"),
    **dict.fromkeys(("pro", "fur"), "for"),
    "mit": "with",
    **dict.fromkeys(("equals", "was", "were", "attains", "achieves", "reaches", "je", "ist"), "is"),
    **dict.fromkeys(("define", "denote"), "let"),
    **dict.fromkeys(("covering", "including", "holding"), "containing"),
    "every": "all",
    "each": "all",
    "any": "any",
    "forall": "forall",
    "exists": "exists",
}
_LARGEST: Final = ("maximum", "maximal", "largest", "greatest", "biggest", "highest", "max")
_SMALLEST: Final = ("minimum", "minimal", "smallest", "least", "lowest", "min")
_THINGS: Final = ("value", "element", "entry", "input", "number", "one", "pixel", "activation")
_PLACES: Final = ("position", "place", "location", "index", "indices", "coordinates", "coordinate")
_OF: Final = ("of", "in", "within", "over", "inside", "from", "among")
_WINDOW: Final = ("window", "field", "region", "patch", "block")
_KINDS: Final = ("pooling", "receptive", "corresponding", "respective", "own")
#: Words that may stand before the indices that they speak of.
NOUNS: Final = (
    *("windows", "window", "outputs", "output", "inputs", "input", "places", "pixels", "pairs"),
    *("positions", "indices", "entries", "coordinates", "elements", "possible", "other"),
)
#: Words behind which a condition stands; as they were typed, each pair of them is one word.
SUCH_THAT: Final = ("such that", "for which")

#: What several words say in the words of the grammar; the longer ones first.
_PHRASES: Final = {
    tuple(said.split()): tuple(put.split())
    for put, phrases in {
        "forall": ("for all", "for any", "for each"),
        "exists": (
            "for some",
            *(
                f"there {verb}{some}"
                for verb in ("is", "exists", "are")
                for some in (" a", " an", " some", " any", "")
            ),
        ),
        "not exists": ("there is no", "there exists no"),
        "is": ("is equal to",),
        "if": ("if and only if", "and only if"),
        "in": ("belongs to", "lies in", "are in"),
        "containing": tuple(
            f"{which} {verb}"
            for which in ("that", "which")
            for verb in ("contain", "contains", "cover", "covers")
        ),
        "otherwise": ("in all other cases", "in any other case"),
        "where": ("where we define", "and where we define", "and where"),
    }.items()
    for said in phrases
} | {tuple(said.split()): (said,) for said in SUCH_THAT}
_LONGEST: Final = sorted({len(said) for said in _PHRASES}, reverse=True)
#: Behind "thus" these say no more.
_GET: Final = re.compile(
    r"(we|one|it|this) (get|gets|have|has|obtain|obtains|follows|gives)( that)?"
)


def phrased(tokens: list[Token]) -> list[Token]:
    """The tokens with the phrases among them in the words of the grammar."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken, put = _phrase(tokens, at)
        found.extend(put)
        at += taken
    return found


def _phrase(tokens: list[Token], at: int) -> tuple[int, list[Token]]:
    """How many tokens the phrase at `at` has, and what stands for them."""
    here = tokens[at]
    texts = [token.text.lower() for token in tokens[at : at + 9]]
    if size := _summed(texts):
        return size, [replace(here, kind="word", text="over")]
    if here.kind not in ("word", "name"):
        return 1, [here]
    for size in _LONGEST:
        if (said := _PHRASES.get(tuple(texts[:size]))) is not None:
            return size, [replace(here, kind="word", text=word) for word in said]
    if texts[:2] == ["then", ":"]:
        return 2, [here]
    if texts[0] == "then" and (get := _GET.match(" ".join(texts[1:4]))):
        return 1 + len(get[0].split()), [here]
    if texts[0] in ("its", "that") and (rest := _window(tokens, at)) is not None:
        return rest
    if (found := _extremum(texts)) is not None:
        name, size = found
        is_it = at > 0 and tokens[at - 1].text == "is"
        word = replace(here, kind="name", text=name)
        rest = _window(tokens, at + size)
        # x_ij is the largest of Omega(k,l): then it is also in it.
        put = [replace(here, kind="word", text="the")] * is_it + [word]
        return (size + rest[0], [*put, *rest[1]]) if rest else (size, put)
    return 1, [here]


def _summed(texts: list[str]) -> int:
    """How long ", where the sum runs over" is, without its "all"; 0 where it is something else."""
    size = int(texts[0] == ",")
    if texts[size : size + 1] not in (["where"], ["with"]):
        return 0
    size += 1 + (texts[size + 1 : size + 2] == ["the"])
    if texts[size : size + 1] not in (["sum"], ["summation"]):
        return 0
    size += 1
    if texts[size : size + 1] in (["is"], ["runs"], ["goes"], ["ranges"], ["extends"]):
        size += 1
    size += texts[size : size + 1] == ["taken"]
    return size + 1 if texts[size : size + 1] == ["over"] else 0


def _extremum(texts: list[str]) -> tuple[str, int] | None:
    """ "the position of the maximum of" as argmax, "the largest value in" as max; with its size."""
    size = int(texts[0] in ("the", "a"))
    place = False
    if texts[size : size + 1] and texts[size] in _PLACES and texts[size + 1 : size + 2] == ["of"]:
        place, size = True, size + 2
        size += texts[size : size + 1] == ["the"]
    size += texts[size : size + 1] == ["first"]  # argmax is the first one of several
    word = texts[size] if size < len(texts) else ""
    kind = "max" if word in _LARGEST else "min" if word in _SMALLEST else ""
    if not kind or (word in ("max", "min") and not place):
        return None
    size += 1
    size += size < len(texts) and texts[size] in _THINGS
    if size >= len(texts) or texts[size] not in _OF:
        return (("arg" if place else "") + kind, size) if word in ("maximum", "minimum") else None
    return ("arg" if place else "") + kind, size + 1


def _window(tokens: list[Token], at: int) -> tuple[int, list[Token]] | None:
    """its window, the pooling window (k,l): the window that is spoken of, which is (k,l)'s."""
    texts = [token.text.lower() for token in tokens[at : at + 5]]
    size = int(texts[:1] in (["its"], ["the"], ["that"]))
    size += size < len(texts) and texts[size] in _KINDS
    if size == 0 or texts[size : size + 1] == [] or texts[size] not in _WINDOW:
        return None
    if texts[size + 1 : size + 2] and texts[size + 1].startswith("omega"):
        return size + 1, []  # its window Ω(k,l)
    here = tokens[at + size]
    name = replace(here, kind="name", text="window")
    if texts[size + 1 : size + 2] == ["("]:
        return size + 1, [name]
    signs = (replace(here, kind="name" if sign in "kl" else "op", text=sign) for sign in "(k,l)")
    return size + 1, [name, *signs]


# -- Text to tokens.  A token keeps its offset in the text as typed, for the caret of an error.


MAX_LENGTH: Final = 4_000
MAX_TOKENS: Final = 800
#: Brackets inside brackets; far below Python's own recursion limit.
MAX_NESTING: Final = 24

Kind = Literal["number", "name", "word", "subs", "op", "newline", "end"]
WORDS: Final = frozenset(
    (
        *("if", "else", "otherwise", "for", "in", "not", "and", "or", "is", "where", "with"),
        *("let", "when", "then", "over", "all", "such", "that", "of", "the", "cases"),
        *("any", "forall", "exists", "except", "without", "containing"),
    )
)
#: Every word that is read, by itself or in a phrase.
SPOKEN: Final = frozenset(
    (
        *WORDS,
        *SAME,
        *NOUNS,
        *(word for said in _PHRASES for word in said),
        *(*_LARGEST, *_SMALLEST, *_THINGS, *_PLACES, *_OF, *_WINDOW, *_KINDS),
        *("arg", "argmax", "argmin", "its", "a", "first", "sum", "runs", "goes", "ranges", "taken"),
        *("we", "one", "it", "this", "get", "gets", "have", "has", "obtain", "obtains"),
        *("follows", "gives"),
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


def turn(token: Token) -> int:
    """1 where a bracket opens, -1 where one closes, else 0: added up, how deep one is."""
    return (token.text in ("(", "[", "{")) - (token.text in _CLOSING)


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
                said, hint = found.group(), unknown_hint(found.group().strip("_"))
                raise OffsetError(f"I do not know '{said}'.", hint, offsets[position])
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


# -- A cursor over the tokens of one line of an answer, with the refusals that need only a token.


_USUAL: Final = (
    "write x[i,j], delta[k,l], [condition], sum(... for k,l), max(window(k,l)), argmax(k,l)"
)
_WAYS: Final = {
    "for": "put what runs inside a sum: sum(... for k,l if ...); a case is A if C else B",
    "forall": "write [x[i,j] >= x[p,q] for all (p,q) in Omega(k,l)]",
    "where": "write the condition behind the sum's indices: sum(... for k,l if ...)",
    "with": "write the condition behind the sum's indices: sum(... for k,l if ...)",
    "over": "write sum(... for k,l if ...)",
    **dict.fromkeys(("such", *SUCH_THAT), "write sum(... for k,l if ...)"),
    "otherwise": "write A if C else B, or { A if C; B otherwise }",
    "else": "write A if C else B; behind 'for k,l if C' there is no 'else': the rest is not summed",
    "then": "write if C then A else B",
    "the": "leave the words out, and write the formula alone: dx[i,j] = ...",
    ",": "one formula a line: put what follows on a line of its own, or in brackets",
    ":": "a label before a formula is left out; conditions stand in sum(... for k,l if C)",
    "<": "for a condition that counts as 1 or 0 write [a < b]",
    ">": "for a condition that counts as 1 or 0 write [a > b]",
    "|": "for an absolute value write abs(...), for a condition sum(... for k,l if C)",
    "=": "for a condition that counts as 1 or 0 write [a == b]",
    "==": "for a condition that counts as 1 or 0 write [a == b]",
    "in": "for a condition that counts as 1 or 0 write [(i,j) in Omega(k,l)]",
    "^": "write a power as x^2",
    "]": "write what belongs before it, or leave the bracket out",
    ")": "write what belongs before it, or leave the bracket out",
    "}": "write what belongs before it, or leave the brace out",
}


def _ways(token: Token) -> str:
    """How to write what such a token is mostly meant to say; "" where that is open."""
    if token.kind == "number":
        return "put a sign between two numbers, bracket it, or leave it out"
    return _WAYS.get(token.text, "") if token.kind in ("op", "word") else ""


COMPARISONS: Final = ("∋", "==", "=", "!=", "<", "<=", ">", ">=", "in", "not", "is")
_TESTING: Final = frozenset(
    (*COMPARISONS, ",", ";", ":", "|", "and", "or", "all", "any", "forall", "exists")
)


class Stream:
    """Reads forward only; `peek` never moves."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def rewind(self) -> None:
        """Read the line once more."""
        self._next = 0

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def sees(self, *texts: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind in ("op", "word") and token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.sees(*texts) else None

    def expect(self, text: str, where: str) -> Token:
        if self.sees(text):
            return self.take()
        raise self.unexpected(f"'{text}' is expected {where}")

    def unexpected(self, wanted: str, hint: str = "") -> OffsetError:
        """The refusal of the next token: what was expected in its place, and how to write it."""
        token = self.peek()
        if token.kind == "end":
            said = "write the rest of it, as in dx[i,j] = sum(delta[k,l] * [...] for k,l)"
            return OffsetError(f"The formula stops here: {wanted}.", said, token.at)
        message = f"'{token.text}' does not fit here: {wanted}."
        return OffsetError(message, hint or _ways(token) or _USUAL, token.at)

    # What comes, by which the grammar decides what it reads: never moves.

    def comes(self, *words: str) -> bool:
        """Whether one of the words comes before the bracket that we are in closes."""
        depth = 0
        for token in self._tokens[self._next :]:
            depth += turn(token)
            if depth < 0:
                return False
            if depth == 0 and token.kind == "word" and token.text in words:
                return True
        return False

    def coming(self) -> set[str]:
        """The names in what stands behind the next token, up to a word or comma that ends it."""
        depth = 0
        found: set[str] = set()
        for token in self._tokens[self._next + 1 :]:
            depth += turn(token)
            ends = token.text in (",", ";", "and", "or", "if", "else", "otherwise", "for", "forall")
            if depth < 0 or token.kind in ("newline", "end") or (depth == 0 and ends):
                break
            if token.kind == "name":
                head, *tails = token.text.split("_")
                found |= {head, *(letter for tail in tails for letter in tail)}
            elif token.kind == "subs":
                found |= {*token.text.split()}
        return found

    def inside(self, ahead: int) -> list[Token]:
        """The tokens in the bracket that opens `ahead`, without those of brackets in it."""
        return [token for depth, token in self.bracket(ahead) if depth == 1 and token.text != ","]

    def bracket(self, ahead: int) -> Iterator[tuple[int, Token]]:
        """The bracket that opens `ahead` up to its end, each token with its depth."""
        depth = 0
        for token in self._tokens[self._next + ahead : -1]:
            depth += turn(token)
            if depth == 0:
                return
            yield depth, token

    def past(self, ahead: int) -> int:
        """How far ahead the bracket that opens `ahead` is closed, or else the next token is."""
        return ahead + 1 + sum(1 for _ in self.bracket(ahead))

    def lists(self) -> bool:
        """Whether the bracket that opens here holds [e for k,l]."""
        return any(token.kind == "word" and token.text == "for" for token in self.inside(0))

    def tests(self, token: Token) -> bool:
        """Whether a sign or a word shows that what is read is a condition, or another clause."""
        return token.kind in ("op", "word") and token.text in _TESTING

    def more_cases(self) -> bool:
        """Whether the rest of the line says what holds otherwise, or has one more condition."""
        if self.comes("otherwise", "else"):
            return True
        rest = self._tokens[self._next :]
        return sum(token.text in ("for", "if", "when") for token in rest) > self.sees("for")

    def parts_cases(self, within: bool) -> bool:
        """1 if C and 0 otherwise: whether behind this "and" the value of the next case stands.

        `within` cases that are read, the next one may also begin with its condition's "if".
        """
        depth = 0
        rest = self._tokens[self._next + 1 :]
        for token, behind in pairwise(rest):
            depth += turn(token)
            if depth < 0 or token.kind in ("end", "newline") or self.tests(token):
                return False
            if depth == 0 and token.kind == "word":
                ends = behind.kind in ("end", "newline") or behind.text in (";", ",", "}", ")")
                if token.text in ("otherwise", "else"):
                    return ends
                return token.text in ("if", "when", "for") and within
        return False
