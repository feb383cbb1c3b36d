"""Words around a pasted formula."""

from __future__ import annotations

import re
from typing import Final

from engine.exercise import language_of
from engine.formula.tokens import MAX_LENGTH
from engine.formula.tree import FormulaError, OffsetError, located

# -- Words that say nothing about the formula that they lead up to; whatever is not here may.
#
# An allowlist: "half of", "minus" and "the square of" change what follows, and nobody can list
# all the words that do.


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
#: What a formula may be about, said of it before a colon.
_SUBJECTS: Final = frozenset(
    (
        *("input", "inputs", "output", "outputs", "weight", "weights", "bias", "biases", "kernel"),
        *("parameter", "parameters", "forward", "gate", "forget", "candidate", "cell", "state"),
        *("query", "queries", "key", "keys", "value", "values", "score", "scores", "logits"),
        *("hidden", "previous", "batch", "whole", "for", "with", "respect", "w", "r", "t", "mean"),
        *("variance", "scale", "shift", "embedding", "features", "kernels", "filter", "activation"),
        *("vstup", "vstupy", "váhy", "eingang", "gewichte"),
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


#: Words by which a sentence says when an equation holds, or that it does not.
_HOLDING: Final = re.compile(
    r"=|\b(?:if|when|whenever|unless|except|without|instead|no|never|wrong|false|suppose|assum\w*"
    r"|pretend\w*|forget\w*|ignor\w*|neglect\w*|approx\w*|almost|otherwise|else|minus|plus|only"
    r"|log\w*|exp\w*|abs\w*|wenn|falls|kdyz|pokud|nicht|kein|není)\b",
    re.IGNORECASE,
)
#: A derivative on a left side, behind the words that end a sentence or lead up to it.
_STATED: Final = re.compile(
    r"(?:(?<=[,:;.] )|(?<=\b[Ss]o )|(?<=\b[Hh]ence )|(?<=\b[Tt]hus )"
    r"|(?<=\bget ))"
    r"(?=(?:[d∂]\w*[^=\s]{0,12} */ *[d∂]\S*|∇\S*(?: \w+)?(?:\(\w+\))?|d[a-zA-Z]\w*|δ_\w+)"
    r"\s*(?:=|is\b))"
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


def labels(text: str) -> bool:
    """Whether words say what the formula behind their colon is about: "Backward (input):"."""
    words = _WORD.findall(text.lower().replace("w.r.t.", ""))
    return bool(words) and all(word in _EMPTY or word in _SUBJECTS for word in words)


def narrates(text: str) -> bool:
    """Whether words tell a story that leaves the equation behind them as it is.

    That is for equations with a derivative on the left side alone: what is before it is no factor.
    """
    return bool(text.strip()) and not (changes(text) or _HOLDING.search(text))


def leads(text: str) -> bool:
    """Whether a formula may follow directly: words that are empty, "we get", "thus", "so that:"."""
    bare = text.rstrip()
    if not empty(bare):
        return False
    return bare[-1] in ":,.;" or _WORD.findall(bare.lower())[-1] in _ENDS


def changes(reason: str) -> bool:
    """Whether a reason speaks of a factor, a sign, or the like: the formula may lack it."""
    return _CHANGING.search(reason) is not None


# -- Words around a formula, as an answer is copied out of notes: made blanks, every place kept.
#
# Left out is only what certainly says nothing about the formula (engine/prose.py).  All else
# stays where it is, and is then read or refused.


_WORDS: Final = re.compile(rf"{WORD}(?:,?[ \t]+{WORD})*")
#: Between two formulas these also say that another one follows, or a definition.
_JOINING: Final = re.compile(r"\b(?:where|with|since|because|kde|a|mit)\b", re.IGNORECASE)
_NUMBERED: Final = re.compile(
    r"[ \t]*(?:(?P<dot>•)|\(?(?P<number>\d+)[.)]|\(?(?P<letter>[a-h]|i{1,3}|iv)\))[ \t]+"
)
#: Words and their punctuation alone.
_SENTENCE: Final = re.compile(
    rf"[\s\d.,;:!?()–—-]*{WORD}(?:[\s\d.,;:!?()'’–—-]+{WORD})*[\s.,;:!?)]*"
)
_ROMAN: Final = ("i", "ii", "iii", "iv")
#: What a formula behind words begins with: a message, a derivative, a gradient.
_ASKED: Final = re.compile(
    r"\(?(?:∂|∇|δ|d[A-Z]?[a-z]*\s*[/_\[(=]|delta_|Delta_|grad_|dx\b|J\b)[^=\n]*="
)
_BECAUSE: Final = r"(?:because|since|as only|this is because|that is because|denn|weil|protože)\b"
#: A line, or the end of one behind a full stop or a comma, that tells why.
_WHY: Final = re.compile(
    rf"(?:(?<=\n)|[.,;][ \t]+|(?<![ \t])[ \t]+(?=\())\(?{_BECAUSE}[^\n=\[\]{{}}$\\]*(?=\n|$)",
    re.IGNORECASE,
)
_REASON: Final = re.compile(rf"[\s.,;(]*{_BECAUSE}", re.IGNORECASE)
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
_LEAVE: Final = "leave the words away, and write what they mean as a formula"
#: One word behind a formula that is no name's misspelling.
_CHANGED: Final = ("squared", "cubed", "halved", "doubled", "negated", "transposed", "inverted")


def without(answer: str) -> str:
    """The answer without the words that lead up to its formula or tell why, every place kept.

    Several formulas between dollars, words that may be conditions, and whatever else is not
    certainly said beside the formula stay as they are.
    """
    if len(answer) > MAX_LENGTH or language_of(answer) == "function":
        return answer
    answer = _joined(_in_dollars(told(answer)))
    if "$" in answer:
        return answer
    answer = _FENCE.sub(_blank, answer)
    text = _WHY.sub(
        lambda found: found.group() if changes(found.group()) else _blank(found),
        _ITS_WINDOW.sub(_blank, answer),
    )
    lines = text.split("\n")
    numbers = _numbers(lines)
    text = "\n".join(bare(line, end) for line, end in zip(lines, numbers, strict=True))
    return text if text.strip() else answer


def tells_why(text: str) -> bool:
    """Whether words behind a formula give its reason: "because only the maximum counts"."""
    return _REASON.match(text) is not None and not changes(text)


def blamed(answer: str, trouble: FormulaError) -> FormulaError:
    """The error, or where it is words that could not be read, one that says so."""
    lines = answer.split("\n")
    if not 1 <= trouble.line <= len(lines) or trouble.echo:
        return trouble
    line = lines[trouble.line - 1]
    start = sum(map(len, lines[: trouble.line - 1])) + trouble.line - 1
    found = _before(line, trouble.column - 1) or _behind(line, trouble.column - 1)
    if found is None:
        return trouble
    at, words, where = found
    shown = " ".join(words.split())
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    said = f"The words '{shown}' stand {where} the formula, and may change what it says."
    return located(OffsetError(said, _LEAVE, start + at), answer)


def _before(line: str, column: int) -> tuple[int, str, str] | None:
    """Words before a colon or a left side, up to which the error stands."""
    at = len(line) - len(line.lstrip())
    found = _WORDS.match(line, at)
    if found is None:
        return None
    end = found.end()
    label = re.match(r"[ \t]*:(?!=)", line[end:])
    words = found.group()
    if label is None and line[end : end + 1] not in (" ", "\t"):
        words = words[: words.rfind(" ") + 1].rstrip()
        end = at + len(words)
    behind = len(line) - len(line[end:].lstrip())
    if label is None and not _ASKED.match(line, behind):
        return None
    strange = stranger(words)
    if not words or strange is None or column > end + (label.end() if label else 1):
        return None
    return at + strange, words, "before"


def _behind(line: str, column: int) -> tuple[int, str, str] | None:
    """Words up to the end of the line, of which the first could not be read."""
    rest = line[column:].rstrip(" .;,")
    words = rest.lower().split()
    if not column or not re.fullmatch(rf"{WORD}(?:,?[ \t]+{WORD})*", rest):
        return None
    if len(words) < 2 and rest.lower() not in _CHANGED:
        return None
    return column, rest, "behind"


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _numbers(lines: list[str]) -> list[int]:
    """Where each line's number in a list ends; a list counts from 1, or from a, on."""
    ends, following = [], 1
    for line in lines:
        found = _NUMBERED.match(line)
        number = 0
        if found is not None and found["number"]:
            number = int(found["number"]) if len(found["number"]) < 3 else 0
        elif found is not None and found["letter"]:
            letter = found["letter"]
            number = 1 + (_ROMAN.index(letter) if letter in _ROMAN else "abcdefgh".index(letter))
        counts = found is not None and (bool(found["dot"]) or number == following)
        following += counts and number > 0
        ends.append(found.end() if found is not None and counts and found.end() < len(line) else 0)
    return ends


def bare(line: str, number: int = 0) -> str:
    """One line without its number and the words before its formula; blank if it is words alone."""
    start = _first(line, number)
    return " " * start + line[start:] if start else line


#: x_j takes part in y_i exactly when j = i + a, said of indices: a line with words before "when".
_WHEN: Final = re.compile(
    rf"[^=<>≤≥:]*\b{WORD}\s[^=<>≤≥:]*{WORD}\s+(?:when|whenever|iff?|unless)\s+[a-z]\s*[=<>≤≥][^:;]*$"
)


def is_sentence(line: str) -> bool:
    """Whether a line is text alone: words, and more than a name or two."""
    if _WHEN.match(line.rstrip()):
        return True
    words = _WORD.findall(line)
    told = len(words) > 2 or any(word.lower() in _EMPTY for word in words)
    return told and "=" not in line and _SENTENCE.fullmatch(line) is not None


def _first(line: str, start: int) -> int:
    """Where the formula of a line begins, at or behind `start`."""
    found = _WORDS.match(line, len(line) - len(line[start:].lstrip()))
    if found is None:
        return start
    stated = _STATED.search(line, start)
    if stated is not None and narrates(line[start : stated.start()]):
        return stated.start()
    end = found.end()
    rest = line[end:]
    if not rest.strip(" \t.:;,!"):
        return len(line) if empty(found.group()) else start
    label = re.match(r"[ \t]*[:,](?!=)[ \t]*", rest)
    if label is not None:
        named = ":" in label.group() and labels(found.group())
        return end + label.end() if empty(found.group()) or named else start
    if not rest[:1].isspace():
        # The last of the words is the formula's own: dx[i,j], delta_x.
        end = found.start() + found.group().rfind(" ") + 1
    return _directly(line, found.start(), end) or start


def _directly(line: str, start: int, end: int) -> int:
    """Where a formula begins with nothing but empty words before it; 0 where none does."""
    words = list(re.finditer(WORD, line[start:end]))
    behind = len(line) - len(line[end:].lstrip())
    for count in range(len(words), 0, -1):
        text = line[start : start + words[count - 1].end()]
        if leads(text) or (
            empty(text) and not text.lower().endswith("of") and _ASKED.match(line, behind)
        ):
            return behind
        behind = start + words[count - 1].start()
    return 0


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
    return stranger(_JOINING.sub(_blank, text)) is None


def _in_dollars(answer: str) -> str:
    """The one formula between dollars, without the words before it."""
    found = _DOLLARS.fullmatch(answer)
    if found is None or not empty(found["before"]):
        return answer
    start, end = found.span("formula")
    blank = re.sub(r"[^\n]", " ", answer)
    return blank[:start] + answer[start:end] + blank[end:]


# -- Sentences that say what a letter of the formula is: blank where it is read so anyway, else a
# definition.  They are looked for in the text without dollars, fonts and the like.


_DRESS: Final = re.compile(
    r"\\(?:text|textrm|mbox)\{(?P<words>[^{}]*)\}|\$|~|\\[,;:! ]|\\q?quad(?![a-z])"
    r"|\\(?:mathbf|boldsymbol|bm|vec|mathrm|textstyle) *\{?(?P<letter>[A-Za-z]?)\}?"
)
_ENTRY: Final = r"(?<![A-Za-z\\])[A-Za-zδ] *_ *(?:[a-z]|\{ *[a-z] *\})"
_ROWS: Final = re.compile(
    rf"(?:(?:where|with|here)\s+)?(?P<names>{_ENTRY}(?:\s*(?:,|and)\s*{_ENTRY})*)\s+"
    r"(?:(?:is|are|denotes?)\s+)?the\s+(?:[a-z]\s*-?\s*(?:th|st|nd|rd)\s+)?"
    r"(?P<kind>row|column)s?\s+of\s+(?P<of>[A-Zδ](?:\s*(?:,|and)\s*[A-Zδ])*)(?!\w)"
)
#: What says no more than that a formula is read as it is read anyway.
_USUAL: Final = (
    r"for (?:all|every|each|any) +[a-z](?: *, *[a-z])* *(?=\.?\s*$)",
    r"by the (?:chain|product|quotient|sum) rule,?",
    r"\((?:the|that is,|i\.e\.,?) (?:[a-z]+ )*[^\W\d_]+\)(?=[.\s]*$)",
    r",?\s*\(?(?:(?:the )?(?:rows|vectors)\s+)?(?:are )?(?:(?:written|taken|seen|read)\s+)?as"
    r"\s+columns?(?:\s+vectors?)?\)?",
    r"(?:where|with)?\s*\be *_ *\{?(\w)\}?\s+(?:is\s+)?(?:the\s+)?(?:\1\s*-?\s*th\s+)?"
    r"(?:standard\s+)?(?:(?:basis|unit)\s+vector|one-hot)(?:\s+of\s+\1(?![\w^*]))?",
    r"\s+the\s+unit\s+vector\s+of(?=\s+\w\^?\S*\s*=)",
    r"\(\s*(?:as|since|because)\s[^()\n]*\)(?=\s*(?:$|\n|\\\\))",
    r"\(\s*(?:with\s+|where\s+)?\\?\w+ *_?[^()=\n]{0,12}= *0 +"
    r"(?:outside|beyond) +(?:its|the) +\w+ *\)",
    r",?\s*(?:where\s+)?\w\s+(?:is\s+|being\s+)?the\s+number\s+of\s+[a-z]+"
    r"(?=\s*[.)]?\s*(?:$|\n))",
)
_SAID_USUALLY: Final = tuple(re.compile(one) for one in _USUAL)
#: (x_k = X_{:,k}), what a letter is, behind the formula that speaks of it.
_BESIDE: Final = re.compile(
    rf"\s\s*\(\s*(?P<line>{_ENTRY} *= *[A-Zδ] *_ *\{{[^{{}}\n]*:[^{{}}\n]*\}})\s*\)"
)
_MEAN: Final = re.compile(
    r"(?P<name>\S+) is the (?P<kind>mean|average|sum) of (?:the |all )?"
    r"(?P<of>[a-z])_(?P<at>[a-z])(?!\w)"
)
#: F = A for C and F = B for D, the second F being said already.
_AGAIN: Final = re.compile(
    r"(?P<left>[A-Za-z]\w*'?\(\w\)|[A-Za-z]\w*) = "
    r"(?P<rest>[^=\n]{1,60}(?:for|if|when) [^=\n]{1,40}(?:,|and|, and)\s+)"
    r"(?P<same>(?P=left) = )(?=[^=\n]{1,60}(?:for|if|when|otherwise))"
)


_TEX: Final = re.compile(r"\\(?!\s)")
#: Words between formulas of LaTeX that stand there as they are; and those that begin a sentence.
_BARE: Final = re.compile(
    r"(?<![\\A-Za-z{_^])(?P<let>Let) "
    r"|[.,]? (?:Then|Hence|Thus|So|Therefore|so that|so|where|and)(?=,? )"
)
#: The same in plain notation, before a left side; and a sentence that tells what a letter is of.
_SO: Final = re.compile(r"(?<==)([^;]{1,300}?),? (?:so|hence|thus)(?: that)? (?=[^\s=]{1,24} *=)")
_MEANS: Final = re.compile(
    r"(?:,|(?<=\s)) *(?:where|with|here) +\w{1,8} +(?:means|denotes|stands for)"
    r"(?: +(?:the|a|an|being))?(?: +[a-z]{3,})+ *,?(?=\s|$)"
)


def _sentences(answer: str) -> str:
    """The answer without such words, where no dollars say what is a formula."""
    if "$" in answer:
        return answer
    if "\\begin" in answer:
        return _spoken_in_tex(answer)
    return "\n".join(
        _spoken_in_tex(line) if _TEX.search(line) else _MEANS.sub(_parted, _SO.sub(_parted, line))
        for line in answer.split("\n")
    )


def _parted(found: re.Match[str]) -> str:
    kept = found[1] if found.re is _SO else ""
    return kept + " ;".ljust(len(found[0]) - len(kept))


def _spoken_in_tex(text: str) -> str:
    spans = [found.span() for found in _DRESS.finditer(text) if found["words"] is not None]

    def put(found: re.Match[str]) -> str:
        if any(start <= found.start() < end for start, end in spans):
            return found.group()
        return ("" if found["let"] else " \\\\").ljust(len(found.group()))

    return _BARE.sub(put, text)


def told(answer: str) -> str:
    """The answer with such sentences as definitions, or blank, every place kept."""
    if len(answer) > MAX_LENGTH or language_of(answer) == "function":
        return answer
    answer = _sentences(answer)
    bare = _DRESS.sub(_undressed, answer)
    for pattern in _SAID_USUALLY:
        for found in pattern.finditer(bare):
            answer = _put(answer, found.span(), "")
    for found in _ROWS.finditer(bare):
        answer = _with_rows(answer, found)
    for found in _BESIDE.finditer(bare):
        put = "\\\\ " if _TEX.search(answer) else " ; "
        answer = (
            _put(answer, found.span(), put + found["line"])
            if len(found[0]) > len(put + found["line"])
            else answer
        )
    for found in _MEAN.finditer(bare):
        kind = {"average": "mean"}.get(found["kind"], found["kind"])
        answer = _put(
            answer,
            found.span(),
            f"{found['name']} = {kind}({found['of']}_{found['at']} for {found['at']})",
        )
    for found in _AGAIN.finditer(bare):
        start, end = found.span("same")
        answer = answer[:start] + " " * (end - start) + answer[end:]
    return answer


def _with_rows(answer: str, found: re.Match[str]) -> str:
    """With w_k = W_{:,k} for each name, and nothing where small letters are rows of capitals."""
    arrays = re.findall(r"[A-Zδ]", found["of"])
    names = [*re.finditer(_ENTRY, found["names"])][-len(arrays) :]
    if len(names) != len(arrays):
        return answer
    start = found.start("names") + names[0].start() if len(found["names"]) > 1 else found.start()
    start = min(start, found.start()) if names[0].start() == 0 else start
    rows = found["kind"] == "row"
    pairs = [
        (one[0][0], one[0].strip(" {}")[-1], of) for one, of in zip(names, arrays, strict=True)
    ]
    if rows and all(of in (small, small.upper()) for small, _, of in pairs):
        return _put(answer, (start, found.end()), "")
    lines = [
        f"{a}_{i} = {b}_{{{i},:}}" if rows else f"{a}_{i} = {b}_{{:,{i}}}" for a, i, b in pairs
    ]
    sign = " \\\\ " if _TEX.search(answer) else "; "
    put = sign + sign.join(lines)
    return _put(answer, (start, found.end()), put) if len(put) <= found.end() - start else answer


def _put(answer: str, span: tuple[int, int], by: str) -> str:
    """The answer with `by` in place of a sentence, and of the braces of its words.

    As it is where there are other words in the same braces.
    """
    start, end = span
    for group in _DRESS.finditer(answer):
        if group["words"] is not None and group.start() < end and start < group.end():
            rest = answer[group.start("words") : max(start, group.start("words"))]
            rest += answer[min(end, group.end("words")) : group.end("words")]
            if not re.fullmatch(r"[\s.,;]*(?:where|with|here|so|and)?[\s.,;]*", rest):
                return answer
            start, end = min(start, group.start()), max(end, group.end())
    kept = re.sub(r"[^\n]", " ", answer[start + len(by) : end])
    return answer[:start] + by + kept + answer[end:]


def _undressed(found: re.Match[str]) -> str:
    """The words of a \\text, the letter of a font, each in its place."""
    group = "words" if found["words"] is not None else "letter"
    start, end = found.span(group) if found[group] else (found.end(), found.end())
    before, behind = start - found.start(), found.end() - end
    return " " * before + (found[group] or "") + " " * behind
