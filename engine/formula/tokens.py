"""From text to tokens: characters, phrases, the stream and what it looks ahead to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from engine.formula.tree import OffsetError, unknown_hint

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
    **dict.fromkeys("⇒⟹∴⇔⟺", ";"),
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
    "ᵀ": "^T ",
    "⊤": "T ",
    "⊺": "T ",
    "‖": "||",
    **dict.fromkeys("∝∼", "~"),
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
_SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))
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
        if joined or (not character.isascii() and _opens_name(text, at)):
            # ∂δ and ∂γ are one word, as ∂x is, and so are dγ and δ_γ.
            new = new.lstrip()
        joined = character == "∂"
        if character in _SUBSCRIPTS:
            new = _SUBSCRIPTS[character] if lowered else "_" + _SUBSCRIPTS[character]
        lowered = character in _SUBSCRIPTS
        new = _raised(text, at) or new
        out.append(new)
        offsets.extend([at] * len(new))
    offsets.append(len(text))
    return "".join(out), offsets


def _raised(text: str, at: int) -> str:
    """⁻¹ as ^(-1), a number that stands above; "" of any other character."""
    if text[at] not in _SUPERSCRIPTS:
        return ""
    before, behind = (
        at > 0 and text[at - 1] in _SUPERSCRIPTS,
        text[at + 1 : at + 2] in {*_SUPERSCRIPTS},
    )
    if not before and not behind:
        return f"^{_SUPERSCRIPTS[text[at]]}"
    return "^(" * (not before) + _SUPERSCRIPTS[text[at]] + ")" * (not behind)


def _opens_name(text: str, at: int) -> bool:
    """Whether a _ stands directly before, or a d that begins a word."""
    before = text[at - 1] if at else ""
    within = at > 1 and (text[at - 2].isalnum() or text[at - 2] == "_")
    return before == "_" or (before == "d" and not within)


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
    if "⁄" in form:  # ½
        return f"({form.replace('⁄', '/')})"
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
#: Words that may stand before the indices that they speak of.
NOUNS: Final = (
    *("windows", "window", "outputs", "output", "inputs", "input", "places", "pixels", "pairs"),
    *("positions", "indices", "entries", "coordinates", "elements", "possible", "other"),
)
#: Words behind which a condition stands; as they were typed, each pair of them is one word.
SUCH_THAT: Final = ("such that", "for which")
_LARGEST: Final = "maximum|maximal|largest|greatest|biggest|highest"
_SMALLEST: Final = "minimum|minimal|smallest|least|lowest"
_PLACES: Final = "position|place|location|index|indices|coordinates|coordinate"
_THING: Final = "(?: (?:value|element|entry|input|number|one|pixel|activation))?"
_OF: Final = " (?:of|in|within|over|inside|from|among)"
_KIND: Final = "(?:pooling|receptive|corresponding|respective|own) "
_WINDOW: Final = ("window", "field", "region", "patch", "block")
_HERE: Final = rf"(?:(?:its|the|that) (?:{_KIND})?|{_KIND})(?:{'|'.join(_WINDOW)})"

#: What several words say: the words of the grammar, and a pattern; the first line that fits.
_PHRASES: Final = (
    (
        ("over",),
        "(?:, )?(?:where|with) (?:the )?(?:sum|summation) "
        "(?:(?:is|runs|goes|ranges|extends) )?(?:taken )?over",
    ),
    (("forall",), "for (?:all|any|each)"),
    (("not", "exists"), "there (?:is|exists) no"),
    (("exists",), "for some|there (?:is|exists|are)(?: (?:a|an|some|any))?"),
    (("is",), "is equal to"),
    (("if",), "(?:if )?and only if"),
    (("in",), "belongs to|lies in|are in"),
    (("otherwise",), "in (?:all other cases|any other case)"),
    (("where",), "(?:and )?where we define|and where"),
    (("containing",), "(?:that|which) (?:contain|contains|cover|covers)"),
    *(((said,), said) for said in SUCH_THAT),
    (
        ("then",),
        "then (?::|(?:we|one|it|this) "
        "(?:get|gets|have|has|obtain|obtains|follows|gives)(?: that)?)",
    ),
    ((), f"(?=its|that){_HERE}"),
    (
        (),
        rf"(?P<most>(?:(?:the|a) )?(?P<place>(?:{_PLACES}) of (?:the )?)?(?:first )?"
        rf"(?:(?:maximum|minimum){_THING}(?:{_OF})?|(?:{_LARGEST}|{_SMALLEST}){_THING}{_OF}"
        rf"|(?(place)(?:max|min){_THING}{_OF}|(?!))))(?: {_HERE})?",
    ),
)
_PHRASE: Final = re.compile(
    rf"(?<![^ ])(?:{'|'.join(f'({said})' for _, said in _PHRASES)})(?![^ ])"
)


def phrased(tokens: list[Token]) -> list[Token]:
    """The tokens with the phrases among them in the words of the grammar."""
    texts = [token.text.lower().replace(" ", "") for token in tokens]
    found: list[Token] = []
    done = 0
    said = " ".join(texts)
    for phrase in _PHRASE.finditer(said):
        assert phrase.lastindex is not None
        put, _ = _PHRASES[phrase.lastindex - 1]
        at = said.count(" ", 0, phrase.start())
        found += tokens[done:at]
        here, done = tokens[at], at + phrase.group().count(" ") + 1
        found += [replace(here, kind="word", text=word) for word in put]
        if phrase["most"]:
            # x_ij is the largest of Omega(k,l): then it is also in it.
            is_it = at > 0 and tokens[at - 1].text == "is"
            found += [replace(here, kind="word", text="the")] * is_it
            found.append(replace(here, kind="name", text=_extremum(phrase["most"])))
        if texts[done - 1] in _WINDOW:
            found += _window(tokens[done - 1], texts[done])
    return found + tokens[done:]


def _extremum(said: str) -> str:
    """ "the position of the maximum of" as argmax, "the smallest value in" as min."""
    words = {*said.split()}
    kind = "min" if words & {*_SMALLEST.split("|"), "min"} else "max"
    return f"arg{kind}" if words & {*_PLACES.split("|")} else kind


def _window(here: Token, following: str) -> list[Token]:
    """its window, the pooling window (k,l): the window that is spoken of, which is (k,l)'s."""
    if following.startswith("omega"):
        return []  # its window Ω(k,l)
    name = replace(here, kind="name", text="window")
    signs = "" if following == "(" else "(k,l)"
    return [
        name,
        *(replace(here, kind="name" if sign in "kl" else "op", text=sign) for sign in signs),
    ]


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
        *("arg", "argmax", "argmin"),
        *re.findall(r"[a-z]+", re.sub(r"\?P<\w+>|\(\?\(place\)", "", _PHRASE.pattern)),
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
    |(?P<subs>_\{{(?![^{{}}]*\bin\b)\s*(?:{_ONE}\s*)+\}})
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)
    |(?P<pair>[A-Za-z]+_[A-Za-z]'*\^?\*[A-Za-z]'*\^?\*{_ENDS})
    |(?P<primed>[A-Za-z]+_[A-Za-z]'+[A-Za-z]'*)
    |(?P<star>[A-Za-z]'*(?:\^\*|\*(?!\*){_ENDS}))
    |(?P<such>s\.\s?t\.)
    |(?P<name>{_NAME})
    |(?P<under>_+[A-Za-z0-9]\w*'*)
    |(?P<op>_\+|:=|==|!=|<=|>=|\+=|\*\*|//|&&|\|\||\.\.\.?|_(?=\s*[{{(])|\\(?=\s)|[-+*/%^·=<>()\[\]{{}},;:|&!\#?∋~])
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
            norm = clean[:position].endswith("||")
            if found.lastgroup == "under" and behind not in (")", "}", "*") and not norm:
                said, hint = found.group(), unknown_hint(found.group().strip("_"))
                raise OffsetError(f"I do not know '{said}'.", hint, offsets[position])
            tokens.append(_token(found, offsets[position], spaced))
            if found.group() == "!" and not spaced and _ends_operand(tokens[:-1]):
                tokens[-1] = Token("op", "!", offsets[position])  # n!, and no "not"
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


def _ends_operand(tokens: list[Token]) -> bool:
    """Whether an operand ends with the last of the tokens."""
    last = tokens[-1] if tokens else Token("end", "", 0)
    return last.kind in ("name", "number", "subs") or last.text in _CLOSING


#: a = b => c = d, two lines in one; x => 0 may be meant for >=.
_THUS: Final = re.compile(
    r"(?:(?<==)(?P<before>[^=\n]*[ \t])|^(?P<start>[ \t]*))(?P<sign><?=+>)(?=[ \t][^=\n]*=)",
    re.MULTILINE,
)

#: What is done to both sides of an equation, behind it: a = b | * 2.
_DONE: Final = re.compile(r"^([^|\n]*=[^|\n]*[ \t])(\|[ \t]*[-+*/:·][^|\n]*)$", re.MULTILINE)


def _ended(found: re.Match[str]) -> str:
    """A sign between two equations as the end of the first."""
    return (found["before"] or found["start"] or "") + ";".ljust(len(found["sign"]))


def _undressed(text: str) -> str:
    """The text with the dollars of a formula in Markdown blanked out, all places kept.

    Within a larger formula they are brackets: 1/2 * $a - b$ is half of all that they hold.
    """
    text = _THUS.sub(_ended, text)
    text = _DONE.sub(lambda found: found[1] + " " * len(found[2]), text)
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
            "write it plainly: x_n, sum(... for n), max(... for n), [condition]",
            at,
        )
    if first == "$":
        return OffsetError(
            "A formula needs no dollar signs.", "leave them out, and write one formula a line", at
        )
    if first in "'\"" and re.search(r"\beinsum\s*\(\s*$", before):
        return OffsetError(
            "A formula has no einsum.",
            "write the sum out, as in sum(a[n] * b[n] for n); or a function: def backward(...)",
            at,
        )
    if first in "'\"":
        return OffsetError("Text in quotes is not part of a formula.", "leave the quotes out", at)
    if first == ".":
        return OffsetError(
            "A dot does not belong here: there are no attributes in a formula.",
            "write max(... for n) or sum(... for n) without a library's name before it",
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


_USUAL: Final = "write x[n], [condition], sum(... for n), A if C else B"
_WAYS: Final = {
    "for": "put what runs inside a sum: sum(... for n if ...); a case is A if C else B",
    "forall": "write [a[n] > 0 for all n]",
    "where": "write the condition behind the sum's indices: sum(... for n if ...)",
    "with": "write the condition behind the sum's indices: sum(... for n if ...)",
    "over": "write sum(... for n if ...)",
    **dict.fromkeys(("such", *SUCH_THAT), "write sum(... for n if ...)"),
    "otherwise": "write A if C else B, or { A if C; B otherwise }",
    "else": "write A if C else B; behind 'for n if C' there is no 'else': the rest is not summed",
    "then": "write if C then A else B",
    "the": "leave the words out, and write the formula alone",
    ",": "one formula a line: put what follows on a line of its own, or in brackets",
    ":": "a label before a formula is left out; conditions stand in sum(... for n if C)",
    "<": "for a condition that counts as 1 or 0 write [a < b]",
    ">": "for a condition that counts as 1 or 0 write [a > b]",
    "|": "for an absolute value write abs(...), for a condition sum(... for n if C)",
    "=": "for a condition that counts as 1 or 0 write [a == b]",
    "==": "for a condition that counts as 1 or 0 write [a == b]",
    "in": "for a condition that counts as 1 or 0 write [... in ...]",
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
            return OffsetError(
                f"The formula stops here: {wanted}.", "write the rest of it", token.at
            )
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

    def comes_again(self, *words: str) -> bool:
        """Whether one of the words comes behind the next token, within the same bracket."""
        depth = 0
        for token in self._tokens[self._next + 1 :]:
            depth += turn(token)
            if depth < 0:
                break
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

    def binds(self) -> bool:
        """Whether the bracket that opens here says what runs: (e for k,l), (e : C)."""
        return self.sees("(") and any(
            token.text in ("for", "forall", "over", ":", ",") for token in self.inside(0)
        )

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
