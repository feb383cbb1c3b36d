"""Words around a formula, as an answer is copied out of notes: made blanks, every place kept.

Left out is only what says nothing about the formula.  A word that a condition may begin with, if,
where, only, not, and the like, stays where it is, and what is written is then read or refused.
"""

from __future__ import annotations

import re
from typing import Final

from engine.languages import language_of

#: Words that a condition, or another answer, may begin with: what they say is not left out.
_SAYING: Final = re.compile(
    r"\b(if|iff|when|where|with|only|otherwise|else|unless|not|no|never|except|for|minus|times|let"
    r"|sum|max|min|argmax|over|falls|wenn|sonst|pokud|jinak|kde|mit|wrong|false|negative|maximum|largest|attains)\b",
    re.IGNORECASE,
)
_WORD: Final = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_WORDS: Final = re.compile(rf"{_WORD}(?:,?[ \t]+{_WORD})*")
#: Single words that lead up to a formula.
_LEADING: Final = frozenset(
    (
        *("answer", "solution", "result", "formula", "gradient", "derivative", "jacobian", "then"),
        *("backward", "backpropagation", "thus", "hence", "therefore", "so", "finally", "softmax"),
        *("proof", "odpověď", "řešení", "výsledek", "lösung", "antwort", "ergebnis", "also"),
    )
)
#: Between two formulas these say that another one follows, or that what follows is a definition.
_JOINING: Final = frozenset(
    (
        *("let", "where", "with", "then", "and", "so", "thus", "hence", "therefore", "finally"),
        *("we", "get", "have", "obtain", "define", "denote", "write", "be", "is", "the", "by"),
        *("chain", "rule", "using", "gradient", "derivative", "message", "jacobian", "backward"),
        *("of", "this", "it", "gives", "yields", "follows", "that", "from", "to", "which", "also"),
        *("kde", "pak", "potom", "tedy", "je", "a", "dann", "mit", "und", "sei", "ist", "also"),
    )
)
#: A line of words alone has one of these, or it may be a product of names.
_FUNCTION: Final = frozenset(
    (
        *("the", "is", "are", "we", "by", "of", "and", "it", "this", "that", "from", "using", "to"),
        *(
            "get",
            "obtain",
            "as",
            "follows",
            "der",
            "die",
            "das",
            "ist",
            "wir",
            "nach",
            "je",
            "podle",
        ),
    )
)
_NUMBERED: Final = re.compile(r"[ \t]*(?:(?:•|\d+[.)]|[a-h]\))[ \t]+(?=\S))?")
#: What a formula behind words begins with: a message, a derivative, a gradient.
_ASKED: Final = re.compile(
    r"\(?(?:∂|∇|δ|d[A-Z]?[a-z]*\s*[/_\[(=]|delta_|Delta_|grad_|dx\b|J\b)[^=\n]*="
)
#: A line, or the end of one behind a full stop or a comma, that tells why.
_WHY: Final = re.compile(
    r"(?:(?<=\n)|[.,;][ \t]+|(?<![ \t])[ \t]+(?=\())\(?(?:because|since|as only|this is because"
    r"|that is because|denn|weil|protože)\b[^\n=\[\]{}$\\]*(?=\n|$)",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"[\s.,;(]*(?:because|since|as only|this is because|that is because|denn|weil|protože)\b",
    re.IGNORECASE,
)
#: What free k and l mean anyway.
_ITS_WINDOW: Final = re.compile(
    r"(?:,[ \t]*|(?<![ \t])[ \t]+)(?:where|with) \(k, ?l\) is the (?:one |only |pooling )?window "
    r"(?:of|containing|that contains|covering|that covers|around) (?:\(i, ?j\)|x_ij|x\[i, ?j\])",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_DOLLARS: Final = re.compile(
    r"""(?P<before>[^$\\=]*)
        (?P<open>\$\$?)(?P<formula>[^$]+)(?P=open)
        [\s.,;!]*""",
    re.VERBOSE,
)


def without(answer: str) -> str:
    """The answer without the words that lead up to its formula or tell why, every place kept.

    Several formulas between dollars, words that may be conditions, and whatever else is not
    certainly said beside the formula stay as they are.
    """
    if language_of(answer) == "function":
        return answer
    answer = _joined(_in_dollars(answer))
    if "$" in answer:
        return answer
    answer = _FENCE.sub(_blank, answer)
    bare = _WHY.sub(_blank, _ITS_WINDOW.sub(_blank, answer))
    bare = "\n".join(map(_line, bare.split("\n")))
    return bare if bare.strip() else answer


def says_nothing(text: str) -> bool:
    """Whether words before a formula lead up to it and no more: "By the chain rule, we get"."""
    bare = text.strip().rstrip(".:,;!")
    return _WORDS.fullmatch(bare) is not None and not _SAYING.search(bare)


def tells_why(text: str) -> bool:
    """Whether words behind a formula give its reason: "because only the maximum counts"."""
    return _REASON.match(text) is not None


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _line(line: str) -> str:
    """One line without its number and the words before its formula; blank if it is words alone."""
    start = _first(line)
    return " " * start + line[start:] if start else line


def _first(line: str) -> int:
    """Where the formula of a line begins."""
    numbered = _NUMBERED.match(line)
    start = numbered.end() if numbered and numbered.group().strip() else 0
    found = _WORDS.match(line, len(line) - len(line[start:].lstrip()))
    if found is None or _SAYING.search(found.group()):
        return start
    words, end = found.group().split(), found.end()
    rest = line[end:]
    if not rest.strip(" \t.:;,!"):
        return len(line) if _FUNCTION & {word.rstrip(",").lower() for word in words} else start
    label = re.match(r"[ \t]*:(?!=)[ \t]*", rest)
    if label is None and rest[0] not in " \t":
        # The last of the words is the formula's own: dx[i,j], delta_x.
        end -= len(words.pop())
    if len(words) < 2 and words[:1] and words[0].rstrip(",").lower() not in _LEADING:
        return start
    if label is not None:
        return end + label.end()
    behind = len(line) - len(line[end:].lstrip())
    return behind if words and _ASKED.match(line, behind) else start


def _joined(answer: str) -> str:
    """Several formulas between dollars as lines, where the words between them only join them."""
    parts = re.split(r"(\$\$?)", answer)
    words, signs, formulas = parts[::4], parts[1::2], parts[2::4]
    balanced = len(parts) % 4 == 1 and signs[::2] == signs[1::2]
    if not balanced or len(formulas) < 2 or not all(map(_joins, words)):
        return answer
    # Between two formulas stand two dollars at least: room for the end of a line.
    ends = "\\\\" if any("\\" in formula for formula in formulas) else "\n"
    out = " " * len(words[0] + signs[0]) + formulas[0]
    for at in range(1, len(formulas)):
        between = re.sub(r"[^\n]", " ", signs[2 * at - 1] + words[at] + signs[2 * at])
        out += ends + between[len(ends) :] + formulas[at]
    return out.ljust(len(answer))


def _joins(text: str) -> bool:
    """Whether text between two formulas says no more than that another one follows."""
    return all(word.lower() in _JOINING for word in re.findall(_WORD, text)) and not re.search(
        r"[^\W_][\d=]|[=<>()\[\]{}\\]", text
    )


def _in_dollars(answer: str) -> str:
    """The one formula between dollars, without the words before it."""
    found = _DOLLARS.fullmatch(answer)
    if found is None or not re.search(r"[^\W\d_]{2}", found["before"]):
        return answer
    if _SAYING.search(found["before"]):
        return answer
    start, end = found.span("formula")
    blank = re.sub(r"[^\n]", " ", answer)
    return blank[:start] + answer[start:end] + blank[end:]
