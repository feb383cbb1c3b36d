r"""Scripts, primes, \limits: what stands low and high at the atom before."""

from __future__ import annotations

from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.flat import row_of
from cards.math.tree import Break, Node, Row, Scripts, Space, Symbol, Tag

#: Unicode's own raised and lowered characters, and what they stand for.
_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞᵟᵠᵡᶿ",
        "0123456789+-=()ABDEGHIJKLMNOPRTUVWabcdefghijklmnoprstuvwxyzβγδϕχθ",
        strict=True,
    )
)
_LOWERED = dict(
    zip(
        "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        "0123456789+-=()aehijklmnoprstuvxβγρϕχ",
        strict=True,
    )
)
_PRIMES = {"'": 1, "′": 1, "″": 2, "‴": 3, "⁗": 4}
_LIMITS = {"\\limits": True, "\\nolimits": False, "\\displaylimits": None}


def scripts(parser: Parser, items: Items, start: int) -> None:
    """Reads all the scripts here and hangs them on the last of `items`."""
    parser.i -= 1
    base: Node | None = None
    if items and type(items[-1]) not in _BARE:
        base = items.pop()
        start = base.span[0]
    low: Items = []
    high: Items = []
    limits: bool | None = None
    while (token := parser.peek()) in READERS:
        if token in _LIMITS:
            limits = _LIMITS[token]
            parser.i += 1
        else:
            _read(parser, token, low, high)
    if type(base) is Row and not base.items:
        base = None
    if low or high:
        span = (start, max(item.span[1] for item in (*low[-1:], *high[-1:])))
        below = row_of(low, start) if low else None
        items.append(Scripts(base, below, row_of(high, start) if high else None, limits, span))
    elif base is not None:
        items.append(base)


def _read(parser: Parser, token: str, low: Items, high: Items) -> None:
    """Reads one script, which `token` begins or is, onto its side."""
    at = parser.starts[parser.i]
    if token in _PRIMES:
        high.extend([Symbol("′", "ord", "prime", parser.here())] * _PRIMES[token])
        parser.i += 1
        return
    side = low if token == "_" or token in _LOWERED else high
    if token not in ("_", "^"):
        meaning = parser.entries[_RAISED.get(token) or _LOWERED[token]]
        if isinstance(meaning, tuple):
            side.append(Symbol(*meaning, parser.here()))
        parser.i += 1
        return
    parser.i += 1
    found = _script(parser, token)
    if side and not _only_primes(side):
        parser.problem(
            f"Two {'sub' if token == '_' else 'super'}scripts stand at one place.",
            "Put braces around one of them and what it belongs to.",
            parser.since(at),
        )
    side.extend(found.items)


_BARE = frozenset({Space, Break, Tag})


def _script(parser: Parser, token: str) -> Row:
    """What follows ^ or _: a group, one token, or `*`."""
    if parser.peek() in _PRIMES:
        span = parser.here()
        parser.i += 1
        return Row((Symbol("′", "ord", "prime", span),), span)
    if parser.peek() in ("_", "^"):
        parser.missing(token)
        start = parser.starts[parser.i]
        return Row((), (start, start))
    return parser.argument(token)


def _only_primes(items: Items) -> bool:
    return all(type(item) is Symbol and item.name == "prime" for item in items)


READERS: dict[str, Reader] = dict.fromkeys(
    ["^", "_", *_PRIMES, *_LIMITS, *_RAISED, *_LOWERED], scripts
)
