"""Words that say nothing about the formula that they lead up to; whatever is not here may.

An allowlist: "half of", "minus" and "the square of" change what follows, and nobody can list all
the words that do.
"""

from __future__ import annotations

import re
from typing import Final

#: One word, of letters alone.
WORD: Final = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_EMPTY: Final = frozenset(
    (
        *("the", "this", "that", "it", "its", "we", "our", "my", "one", "here", "now", "in"),
        *("so", "thus", "hence", "therefore", "then", "finally", "consequently", "also", "and"),
        *("as", "by", "from", "using", "via", "of", "to", "which", "let", "us", "can", "will"),
        *("is", "are", "be", "becomes", "get", "gets", "have", "has", "obtain", "obtains", "find"),
        *("gives", "give", "yields", "yield", "follows", "follow", "reads", "write", "define"),
        *("denote", "derive", "compute", "calculate", "recall", "note", "know", "see", "say"),
        *("conclude", "looking", "asked", "wanted", "short", "summary", "conclusion", "words"),
        *("answer", "solution", "result", "formula", "equation", "expression", "derivation"),
        *("gradient", "gradients", "derivative", "derivatives", "jacobian", "slope", "message"),
        *("backward", "backpropagation", "backpropagated", "backprop", "pass", "chain", "rule"),
        *("definition", "proof", "step", "steps", "final", "full", "complete", "overall"),
        *("vector", "matrix", "index", "form", "notation", "latex", "softmax", "relu", "sigmoid"),
        *("layer", "layer's", "pooling", "max-pooling", "hello", "ok", "yes", "well"),
        # Czech and German
        *("odpověď", "řešení", "výsledek", "vzorec", "gradient", "derivace", "kde", "pak"),
        *("potom", "tedy", "tudíž", "takže", "proto", "je", "podle", "pravidla", "řetězového"),
        *("dostaneme", "máme", "platí", "že", "pro", "zpětná", "zpráva"),
        *("lösung", "antwort", "ergebnis", "formel", "gradienten", "ableitung", "der", "die"),
        *("das", "ist", "wir", "nach", "dann", "und", "sei", "folgt", "erhalten", "damit"),
        *("daher", "somit", "kettenregel", "mit"),
    )
)
#: Words that may stand directly before the formula, with no sign between.
_ENDS: Final = frozenset(
    (
        *("is", "are", "be", "becomes", "get", "gets", "have", "has", "obtain", "obtains", "find"),
        *("gives", "give", "yields", "yield", "follows", "reads", "write", "that"),
        *("so", "thus", "hence", "therefore", "then", "finally", "consequently"),
        *("je", "tedy", "pak", "potom", "takže", "proto", "dostaneme", "máme", "platí", "že"),
        *("ist", "dann", "folgt", "erhalten", "wir", "also", "daher", "somit"),
    )
)
#: What is differentiated and by what: only with the word that says which of the two it is.
_OF_WHAT: Final = re.compile(
    r"\b(?:of|to|by|for|through|at) (?:the |this |its |a )?(?:loss|cost|error|layer|input|inputs"
    r"|output|weights|weight|bias|logits|activation|function|parameters|max-pooling|pooling)\b"
)
_BY_WHAT: Final = re.compile(
    r"\bwith respect to (?:the |its )?(?:[a-z]\b|input|inputs|weights|bias|logits|parameters)"
)
_WORD: Final = re.compile(WORD)
#: Of a reason: what it says of the size or the sign of the formula.
_CHANGING: Final = re.compile(
    r"\b(?:half|halves|halved|halving|twice|double\w*|times|minus|negat\w*|sign|signs|factor\w*"
    r"|squar\w*|divid\w*|multipl\w*|opposite|flip\w*|up to|transpos\w*|scaled?|root|two|three"
    r"|average\w*|mean|zwei|dva|krát|mal|invers\w*|not)\b|\d",
    re.IGNORECASE,
)


def stranger(text: str) -> int | None:
    """Where the first word, digit or sign stands that may say something; None where none does."""
    blank = text.lower()
    for some in (_BY_WHAT, _OF_WHAT):
        blank = some.sub(lambda found: " " * len(found.group()), blank)
    at = 0
    while at < len(blank):
        if blank[at].isspace() or blank[at] in ".,;:!":
            at += 1
            continue
        found = _WORD.match(blank, at)
        if found is None or found.group() not in _EMPTY:
            return at
        at = found.end()
    return None


def empty(text: str) -> bool:
    """Whether there are words, and all of them lead up to a formula and no more."""
    return stranger(text) is None and _WORD.search(text) is not None


def leads(text: str) -> bool:
    """Whether a formula may follow directly: words that are empty, "we get", "thus", "so that:"."""
    bare = text.rstrip()
    if not empty(bare):
        return False
    return bare[-1] in ":,.;" or _WORD.findall(bare.lower())[-1] in _ENDS


def changes(reason: str) -> bool:
    """Whether a reason speaks of a factor, a sign, or the like: the formula may lack it."""
    return _CHANGING.search(reason) is not None
