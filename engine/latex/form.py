"""LaTeX's tree in one form: what says the same looks the same, however it was written.

Groups, fonts, colours, boxes and braces leave their content in the row that they stand in, a word
is one symbol, `\\left(` and `\\right)` are brackets like others, and square brackets around a
number are round.  So nobody who looks along a row must ask how a thing came there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from cards.math import tree
from engine.formula.tree import OffsetError

# -- The form of a row.


OPENING: Final = {"(": ")", "[": "]", "{": "}", "⟦": "⟧", "⟨": "⟩"}
_CLOSING: Final = frozenset(OPENING.values())
CLOSING: Final = _CLOSING | {"⌋", "⌉"}
#: The name of a symbol that is a whole word, or a roman d; of a letter that joins no others.
WORD: Final = "word"
_APART: Final = "apart"
#: The name of a bracket that \\left opened; its span is that of all up to \\right).
_STRETCHED: Final = "left"
_BARS: Final = {"|": ("lvert", "rvert"), "∣": ("lvert", "rvert"), "‖": ("lVert", "rVert")}
_ROUNDING: Final = {"⌊": "⌋", "⌈": "⌉"}
_CLOSED_BY: Final = {**OPENING, **_ROUNDING, **{bar: bar for bar in _BARS}}
_INDICATORS: Final = {"1": "𝟙", "I": "𝕀"}


def formed(items: Sequence[tree.Node]) -> tuple[tree.Node, ...]:
    """A row in the form that all of this package looks at."""
    return _paired([one for node in items for one in _form(node)])


def _paired(items: list[tree.Node]) -> tuple[tree.Node, ...]:
    """With round brackets for square ones around a number, and bars that open or close.

    Bars of absolute values come in pairs: of an odd number, the first means "such that".
    """
    left = sum(is_symbol(base_of(node), "|", "∣") for node in items)
    bars = norms = 0
    for at, node in enumerate(items):
        bar = base_of(node)
        if not isinstance(bar, tree.Symbol) or bar.char not in _BARS:
            continue
        kind: tree.Class = "open"
        if bar.char == "‖":
            if bar.name == "rVert" or (bar.name != "lVert" and norms):
                kind = "close"
            norms += 1 if kind == "open" else -1
        else:
            behind = isinstance(node, tree.Scripts) or _ends_operand(items, at)
            if bar.name != "lvert" and behind and bars:
                kind = "close"
            elif bar.name in ("mid", "rvert") or (bar.name != "lvert" and behind and left % 2):
                kind = "punct"
            bars += {"open": 1, "close": -1, "punct": 0}[kind]
            left -= 1
        items[at] = _changed(node, kind=kind)
    for at, node in enumerate(items):
        if is_symbol(node, "["):
            with suppress(OffsetError):  # never closed: said when it is written
                if _holds_together(items, at):
                    end = closing(items, at)
                    items[at], items[end] = _changed(node, char="("), _changed(items[end], char=")")
    return tuple(items)


def _form(node: tree.Node) -> Sequence[tree.Node]:
    match node:
        case tree.Symbol() | tree.Operator() | tree.Space():
            return [node]
        case tree.Row():
            return _group(_flat(node), node.span)
        case (
            tree.Classed(body=body)
            | tree.Brace(base=body)
            | tree.Boxed(how="box" | "lap" | "smash", body=body)
            | tree.Choice(display=body)
        ):
            return _group(_flat(body), node.span)
        case tree.Tag() | tree.Boxed(how="phantom" | "hphantom" | "vphantom"):
            return ()
        case tree.Styled():
            return _styled(node)
        case tree.Accent():
            inner = _flat(node.base)
            lone = word_of(inner[0]) if len(inner) == 1 else None
            said = lone or "".join(index_name(one) or "?" for one in inner)
            named = node.over and said.isalnum()
            word = said + node.name.removeprefix("wide").replace("overline", "bar")
            return [tree.Symbol(word, "ord", WORD, node.span)] if named else [node]
        case tree.Stack(over=None) if (limited := _with_limits(node)) is not None:
            return limited
        case tree.Stack(kind="rel"):
            return _group(_flat(node.base), node.span)
        case tree.Delimited():
            return _loose(node)
        case tree.Scripts():
            return _scripted(node)
        case tree.Fraction():
            return [node._replace(above=_row(node.above), below=_row(node.below))]
        case tree.Root():
            return [node._replace(body=_row(node.body))]
        case tree.Environment():
            return [node._replace(rows=tuple(tuple(map(_row, row)) for row in node.rows))]
        case tree.Text():
            parts = (
                one if isinstance(one, str) else _row_of([one], one.span) for one in node.parts
            )
            return [node._replace(parts=tuple(parts))]
    return [node]


def _flat(row: tree.Row) -> list[tree.Node]:
    return [one for node in row.items for one in _form(node)]


def _row(row: tree.Row) -> tree.Row:
    return _row_of(row.items, row.span)


def _row_of(items: Sequence[tree.Node], span: tree.Span) -> tree.Row:
    return tree.Row(formed(items), span)


def _group(inner: list[tree.Node], span: tree.Span) -> list[tree.Node]:
    """What one group holds, kept apart from what stands beside it, unless it is lines."""
    lone = inner[0] if len(inner) == 1 else None
    if isinstance(lone, tree.Symbol) and lone.kind == "ord":
        return [lone._replace(name=_APART) if lone.name == lone.char else lone]
    dissolved = (lone is not None and not isinstance(lone, tree.Symbol)) or any(
        isinstance(one, tree.Break | tree.Environment) for one in inner
    )
    return inner if dissolved else [tree.Row(_paired(inner), span)]


def _styled(node: tree.Styled) -> list[tree.Node]:
    inner = _flat(node.body)
    bare: list[tree.Node] = [one for one in inner if not isinstance(one, tree.Space)]
    lone = bare[0] if len(bare) == 1 else None
    if not node.style.startswith(("color", "background")) and letter(lone) in _INDICATORS:
        sign = _INDICATORS[letter(lone)]
        return [tree.Symbol(sign, "ord", _APART, node.span)]
    said = all(isinstance(one, tree.Symbol) and one.name not in (WORD, _APART) for one in inner)
    word = "".join(map(letter, inner)) if said else ""
    if word == "d" or (len(word) > 1 and word.isalnum()):
        return [tree.Symbol(word, "ord", WORD, node.span)]
    if node.style in ("frak", "bb"):
        return [tree.Symbol(letter(lone), "ord", node.style, node.span)]
    return _group(bare if lone else inner, node.span)


def _with_limits(node: tree.Stack) -> list[tree.Node] | None:
    r"""\underset{C}{\arg\max} as \arg\max_{C}; None where it stands under something else."""
    inner = solid(_flat(node.base))
    if not inner or not isinstance(inner[-1], tree.Operator):
        return None
    under = None if node.under is None else _row(node.under)
    return [*inner[:-1], tree.Scripts(inner[-1], under, None, None, node.span)]


def _loose(node: tree.Delimited) -> list[tree.Node]:
    r"""\left( ... \right) as ( ... ); those that do not match stay as they are."""
    end = node.span[1]
    inner = _flat(node.parts[0])
    if node.left == "{" and node.right == "" and len(node.parts) == 1:
        bare = solid(inner)
        if len(bare) == 1 and isinstance(bare[0], tree.Environment):
            return [bare[0]._replace(left="{", right="")]
    right = _CLOSED_BY.get(node.left, "")
    if not right or node.right not in (OPENING.get(node.left, ")"), *_BARS, *_ROUNDING.values()):
        return [node]
    for part in node.parts[1:]:
        inner += [tree.Symbol(":", "rel", ":", part.span), *_flat(part)]
    inner = [tree.Space(0, n.span) if isinstance(n, tree.Break) else n for n in inner]
    before, behind = _BARS.get(node.left, (_STRETCHED, right))
    opens = tree.Symbol(node.left, "open", before, node.span)
    return [opens, *inner, tree.Symbol(right, "close", behind, (end - 1, end))]


def _scripted(node: tree.Scripts) -> Sequence[tree.Node]:
    """Scripts of a bracket are those of its closing sign; those of a brace explain it."""
    if isinstance(node.base, tree.Brace):
        return _form(node.base)
    sub, sup = (None if row is None else _row(row) for row in (node.sub, node.sup))
    inner = [] if node.base is None else list(_form(node.base))
    if isinstance(node.base, tree.Operator) and sub is not None:
        sub = tree.Row(tuple(_below(sub.items)), sub.span)
    if isinstance(node.base, tree.Delimited) and len(inner) > 1:
        last = inner.pop()
        span = (last.span[0], node.span[1])
        return [*inner, tree.Scripts(last, sub, sup, node.limits, span)]
    base = _row_of(inner, node.span) if len(inner) > 1 else inner[0] if inner else None
    return [node._replace(base=base, sub=sub, sup=sup)]


def _below(items: Sequence[tree.Node]) -> list[tree.Node]:
    r"""A condition without a set's brackets, or the lines of a \substack as one condition."""
    inner = solid(items)
    if (bound := _comprehension(inner)) is not None:
        return bound
    if len(inner) != 1 or not isinstance(inner[0], tree.Environment):
        return inner
    out: list[tree.Node] = []
    tested = False
    for number, row in enumerate(inner[0].rows):
        cell = solid([node for part in row for node in part.items])
        if number and out and not is_symbol(out[-1], ":", ",", "|", "∣"):
            tested = tested or not _ranges(cell, out)
            sign = "," if not tested else "∧" if any(is_symbol(n, ":") for n in out) else ":"
            out.append(tree.Symbol(sign, "rel", sign, inner[0].span))
        out += cell
    return out


def _ranges(cell: list[tree.Node], before: list[tree.Node]) -> bool:
    """0 <= l < W_o, of an l that is not spoken of before: one more index that runs."""
    at = next((n for n, node in enumerate(cell) if is_symbol(node, "<", "≤", "⩽")), 0)
    if not at or at + 2 >= len(cell) or not is_symbol(cell[at + 2], "<", "≤", "⩽"):
        return False
    name = _shown(cell[at + 1])
    numbers = all(isinstance(node, tree.Symbol) and node.char.isdigit() for node in cell[:at])
    return numbers and name is not None and name not in map(_shown, before)


def _comprehension(items: list[tree.Node]) -> list[tree.Node] | None:
    r"""(k,l) : C of (k,l) \in \{(k,l) : C\}."""
    at = next((n for n, node in enumerate(items) if is_symbol(node, "∈")), 0)
    found = group(items, at + 1) if at else None
    if found is None or found[1] != len(items) or not is_symbol(items[at + 1], "{"):
        return None
    inner = solid(found[0])
    same = [_shown(node) for node in inner[:at]] == [_shown(node) for node in items[:at]]
    return inner if same else None


def _shown(node: tree.Node) -> str | None:
    return node.char if isinstance(node, tree.Symbol) else index_name(node)


def _ends_operand(items: Sequence[tree.Node], end: int) -> bool:
    """Whether what stands before `end` is a number, a name or a closed bracket."""
    at = end - 1
    while at >= 0 and (isinstance(items[at], tree.Space) or is_symbol(items[at], ",", ".", ";")):
        at -= 1
    if at < 0 or isinstance(items[at], tree.Operator | tree.Text):
        return False
    last = items[at]
    return not isinstance(last, tree.Symbol) or last.kind in ("ord", "close", "inner")


def _changed(node: tree.Node, **what: Any) -> tree.Node:
    """A symbol, or that below scripts, as another."""
    base = base_of(node)
    assert isinstance(base, tree.Symbol)
    base = base._replace(**what)
    return node._replace(base=base) if isinstance(node, tree.Scripts) else base


def _holds_together(items: Sequence[tree.Node], at: int) -> bool:
    """Whether the square brackets at `at` hold a number: no condition, and no list of indices."""
    before = next((one for one in reversed(items[:at]) if not isinstance(one, tree.Space)), None)
    if isinstance(before, tree.Scripts) and before.sub is None:
        return False
    if isinstance(before, tree.Symbol) and (before.char.isalpha() or indicator(before)):
        return False  # an index behind the name of an array
    inner = solid(items[at + 1 : closing(items, at)])
    if len(inner) < 2 or tests(inner) or len(between_commas(inner)) != 1:
        return False
    return not all(isinstance(one, tree.Symbol) and one.kind in ("ord", "bin") for one in inner)


# -- What a row holds: brackets, parts between commas, symbols of a kind.


_STARS: Final = frozenset("*∗⋆★")


def base_of(node: tree.Node | None) -> tree.Node | None:
    """What stands there without its scripts."""
    return node.base if isinstance(node, tree.Scripts) else node


def is_symbol(node: tree.Node | None, *chars: str) -> bool:
    return isinstance(node, tree.Symbol) and node.char in chars


def solid(items: Sequence[tree.Node]) -> list[tree.Node]:
    """The nodes without spaces, and without the punctuation that ends a sentence."""
    found: list[tree.Node] = [node for node in items if not isinstance(node, tree.Space)]
    while found and is_symbol(found[-1], ",", ".", ";"):
        found.pop()
    return found


def after_spaces(items: Sequence[tree.Node], at: int) -> int:
    while at < len(items) and isinstance(items[at], tree.Space):
        at += 1
    return at


def nesting(node: tree.Node) -> int:
    """1 at a bracket that opens, -1 at one that closes."""
    base = base_of(node)
    if not isinstance(base, tree.Symbol):
        return 0
    return (base is node and base.char in OPENING) - (base.char in _CLOSING)


def closing(items: Sequence[tree.Node], at: int) -> int:
    """The place of what closes the bracket at `items[at]`.  Raises OffsetError."""
    node = items[at]
    assert isinstance(node, tree.Symbol)
    depth = 0
    for end, other in enumerate(items[at:], at):
        depth += nesting(other)
        # A stretched one ends with its other half, whatever stands between.
        half = (base_of(other) or other).span[1] == node.span[1] and end > at
        if half if node.name == _STRETCHED else depth == 0:
            return end
    raise OffsetError(f"This '{node.char}' is never closed.", "close the bracket", node.span[0])


def group(items: Sequence[tree.Node], at: int) -> tuple[list[tree.Node], int] | None:
    """What the brackets that open at `items[at]` hold, and the place behind them.

    None where none open, and where the whole group has a script.
    """
    if at >= len(items) or not is_symbol(items[at], *OPENING):
        return None
    end = closing(items, at)
    return None if isinstance(items[end], tree.Scripts) else (list(items[at + 1 : end]), end + 1)


def is_region(items: Sequence[tree.Node]) -> bool:
    """Whether these are an Omega with its indices, and nothing more."""
    inner = solid(items)
    if not inner or not is_symbol(base_of(inner[0]), "Ω", "ω"):
        return False
    found = group(inner, 1)
    return (found[1] if found else 1) == len(inner)


def between_commas(items: Sequence[tree.Node]) -> list[list[tree.Node]]:
    """The parts between the commas that stand in no brackets."""
    parts: list[list[tree.Node]] = [[]]
    depth = 0
    for node in items:
        depth += nesting(node)
        if is_symbol(node, ",") and depth == 0:
            parts.append([])
        elif not isinstance(node, tree.Space):
            parts[-1].append(node)
    return [part for part in parts if part]


def letter(node: tree.Node | None) -> str:
    r"""The character of a symbol, also of the 1 and the I that indicators are made of."""
    if not isinstance(node, tree.Symbol):
        return ""
    return {"𝟙": "1", "𝟏": "1", "𝕀": "I"}.get(node.char, node.char)


def index_name(node: tree.Node) -> str | None:
    """The text of one index: a letter or a digit, with primes or a star; None for anything else."""
    if len(letter(node)) == 1 and letter(node).isalnum():
        return letter(node)
    if isinstance(node, tree.Scripts) and node.sub is None and len(letter(node.base)) == 1:
        marks = marks_of(node.sup)
        if marks is not None and letter(node.base).isalpha():
            return letter(node.base) + marks
    return None


def marks_of(sup: tree.Row | None) -> str | None:
    """Primes and stars of a superscript that holds nothing else."""
    text = ""
    for node in sup.items if sup else ():
        if not isinstance(node, tree.Symbol):
            return None
        if node.name == "prime":
            text += "'"
        elif node.char in _STARS:
            text += "*"
        else:
            return None
    return text


def word_of(node: tree.Node | None) -> str | None:
    r"""The letters of a word: \text{out}, \mathrm{out}, an accented letter as yhat."""
    if isinstance(node, tree.Text) and all(isinstance(part, str) for part in node.parts):
        text = "".join(part for part in node.parts if isinstance(part, str)).strip()
        return text if text.isalnum() else None
    return node.char if isinstance(node, tree.Symbol) and node.name == WORD else None


def indicator(node: tree.Node | None) -> bool:
    r"""\mathbb{1}, \mathbf{1}, \mathbb{I}, ...: what makes 1 or 0 of the condition behind it."""
    return is_symbol(node, "𝟙", "𝟏", "𝕀")


def tests(items: Sequence[tree.Node]) -> bool:
    """Whether brackets hold a condition: a comparison, or words."""
    relations = [n for n in items if isinstance(n, tree.Symbol) and n.kind == "rel"]
    return bool(relations) or any(isinstance(n, tree.Text) for n in items)


def transposes(sup: tree.Row | None) -> bool:
    r"""Whether a superscript says transposed: T in any style, \top, \intercal; with - inverse."""
    inner = solid(sup.items) if sup else []
    is_inverse = len(inner) == 2 and letter(inner[0]) in ("-", "−")
    return len(inner) == 1 + is_inverse and letter(inner[-1]) in ("T", "⊤", "⊺")


# -- The statements of an answer: its lines, and what wide spaces part on one line.


_QUAD: Final = 0.99
_ALIGNED: Final = (
    *("aligned", "align", "alignat", "alignedat", "gather", "gathered", "split", "equation"),
    *("multline", "eqnarray", "flalign"),
)
_BINARY: Final = ("+", "-", "−", "⋅", "·", "×")


def statements(items: Sequence[tree.Node]) -> list[tuple[int, list[tree.Node]]]:
    """Each statement with its place; a line that goes on with `=` or a sign belongs to the last."""
    found: list[tuple[int, list[tree.Node]]] = []
    for at, line in _lines(items):
        for statement in _parted(line):
            inner = solid(statement)
            if not inner or _number(inner):
                continue
            if found and is_symbol(inner[0], "=", *_BINARY):
                found[-1][1].extend(inner)
            else:
                found.append((at, list(_paired(statement))))
    return found


def _lines(items: Sequence[tree.Node]) -> list[tuple[int, list[tree.Node]]]:
    flat: list[tuple[int, list[tree.Node]]] = [(0, [])]
    for node in items:
        if isinstance(node, tree.Break):
            flat.append((node.span[0], []))
        elif (
            isinstance(node, tree.Environment)
            and node.left == ""
            and node.name in _ALIGNED
            and not solid(flat[-1][1])
        ):
            flat += [*lines(node), (node.span[1] - 1, [])]
        else:
            flat[-1][1].append(node)
    return [line for line in flat if line[1]]


def lines(node: tree.Environment) -> Iterator[tuple[int, list[tree.Node]]]:
    """The rows of an alignment with their places, each as one row of nodes."""
    for row in node.rows:
        if cells := [item for cell in row for item in cell.items]:
            signed = is_symbol(cells[0], "-", "−") and bool(solid(row[0].items)) and len(row) > 1
            if signed and equation(solid(cells)):
                # -a &= b is a line of its own, and no more of the one before.
                cells.insert(0, tree.Symbol("∴", "rel", "∴", cells[0].span))
            yield cells[0].span[0], list(_paired(cells))


def _parted(line: Sequence[tree.Node]) -> list[list[tree.Node]]:
    r"""At a wide space (\quad) behind which another equation, or an equation's number, stands."""
    parts: list[list[tree.Node]] = [[]]
    depth = 0
    for at, node in enumerate(line):
        depth += nesting(node)
        wide = isinstance(node, tree.Space) and node.em > _QUAD and depth == 0
        rest = solid(line[at + 1 :]) if wide and parts[-1] else []
        # (2) \quad (p - t) could be a product: an equation's number stands before an equation.
        equations = equation(rest) and (_number(parts[-1]) or equation(parts[-1]))
        if equations or _number(rest):
            while parts[-1] and (isinstance(parts[-1][-1], tree.Space) or _again(parts[-1][-1])):
                parts[-1].pop()
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def _again(node: tree.Node) -> bool:
    """Whether words say that an equation is said once more, in another way."""
    said = node.parts[0] if isinstance(node, tree.Text) and len(node.parts) == 1 else ""
    return isinstance(said, str) and said.strip(" .,") in ("that is", "i.e", "or")


def _number(items: Sequence[tree.Node]) -> bool:
    """(2): the number of an equation, and no answer."""
    inner = [n for n in items if not isinstance(n, tree.Space)]
    digits = "".join(map(letter, inner[1:-1])).replace(".", "0")
    return (
        len(digits) == len(inner) - 2 > 0
        and is_symbol(inner[0], "(")
        and is_symbol(inner[-1], ")")
        and digits.isdigit()
    )


def equation(items: Sequence[tree.Node]) -> bool:
    """Whether an equals sign stands outside brackets, and no word leads up to it."""
    depth = 0
    for node in items:
        depth += nesting(node)
        if isinstance(node, tree.Text):
            return False
        if is_symbol(node, "=", "≔") and depth == 0:
            return True
    return False
