"""Words that stand for a sign, a name or one another: told among the tokens, before they are read.

"for all" is one quantifier, "the largest value of" is max, "where the sum runs over" is over; and
the short words of a condition are known in Czech and German as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.formula.tokens import Token

#: What a word says that is no English one, or another English one.
SAME: Final = {
    **dict.fromkeys(("iff", "whenever", "provided", "pokud", "kdyz", "falls", "wenn"), "if"),
    **dict.fromkeys(("elsewhere", "jinak", "sonst", "ansonsten"), "otherwise"),
    **dict.fromkeys(("wobei", "kde"), "where"),
    **dict.fromkeys(("thus", "hence", "therefore", "tedy", "dann", "also"), "then"),
    **dict.fromkeys(("und", "zaroven"), "and"),
    **dict.fromkeys(("oder", "nebo"), "or"),
    **dict.fromkeys(("pro", "fur"), "for"),
    "mit": "with",
    **dict.fromkeys(("equals", "was", "were", "attains", "achieves", "reaches", "je", "ist"), "is"),
    **dict.fromkeys(("define", "denote"), "let"),
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
    if texts[:2] in (["for", "all"], ["for", "any"]):
        return 2, [replace(here, kind="word", text="forall")]
    if texts[:3] == ["there", "is", "no"] or texts[:3] == ["there", "exists", "no"]:
        words = ("not", "exists")
        return 3, [replace(here, kind="word", text=word) for word in words]
    if texts[0] == "there" and texts[1:2] in (["is"], ["exists"], ["are"]):
        size = 2 + (texts[2:3] in (["a"], ["an"], ["some"], ["any"]))
        return size, [replace(here, kind="word", text="exists")]
    if texts[:3] == ["is", "equal", "to"]:
        return 3, [replace(here, kind="word", text="is")]
    if texts[:2] == ["for", "some"]:
        return 2, [replace(here, kind="word", text="exists")]
    if texts[0] in ("where", "with") and (size := _summed(texts)):
        return size, [replace(here, kind="word", text="over")]
    if texts[:2] in (["if", "and"], ["only", "if"]) and texts[2:4] == ["only", "if"]:
        return 4, [replace(here, kind="word", text="if")]
    if here.kind not in ("word", "name"):
        return 1, [here]
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
    """How long "where the sum runs over" is, without its "all"."""
    size = 1 + (texts[1:2] == ["the"])
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
    here = tokens[at + size]
    name = replace(here, kind="name", text="window")
    if texts[size + 1 : size + 2] == ["("]:
        return size + 1, [name]
    signs = (replace(here, kind="name" if sign in "kl" else "op", text=sign) for sign in "(k,l)")
    return size + 1, [name, *signs]
