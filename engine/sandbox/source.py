"""The learner's function: its text, its name, and which value goes to which parameter."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter
from textwrap import dedent
from typing import Final

from engine.formula.tree import UPSTREAM, folded

# -- A function as it was pasted: out of its fence, at the margin, on the lines that it had.


_FENCE: Final = re.compile(r"\s*(?:```+|~~~+)\s*[\w+-]*\s*")
_HEAD: Final = re.compile(r"(?:async\s+)?def\s+(\w+)\s*\(|(\w+)\s*=\s*lambda\b")


def plain(source: str) -> str:
    """The source without fences and what stands outside them, and without a common margin.

    Every line keeps its number.  Spaces that do not break, as web pages have them, are spaces.
    """
    lines = source.replace("\r\n", "\n").replace("\xa0", " ").split("\n")
    fences = [n for n, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if fences and not any(_HEAD.match(line.lstrip()) for line in lines[: fences[0]]):
        inside = False
        for n, line in enumerate(lines):
            if n in fences:
                inside = not inside
            lines[n] = line if inside and n not in fences else ""
    elif len(fences) % 2 and not any(line.strip() for line in lines[fences[-1] + 1 :]):
        lines[fences[-1]] = ""  # the end of one whose beginning was not copied
    return dedent("\n".join(lines))


def heads(source: str) -> dict[str, str]:
    """The line that begins each function at the margin, by the function's name."""
    found = {}
    for line in source.split("\n"):
        if head := _HEAD.match(line):
            found[head[1] or head[2]] = line.strip()
    return found


# -- Which function is the answer, and which value goes to which of its parameters.
#
# Pure values, used beside the learner's code in the child and, for the names, in the app.  A name
# that is known keeps its value, wherever it stands; what is not certain is refused with a
# sentence.


#: What is written before the name of the array that a message is about: dy, dL_dy, delta_y.
_ABOUT: Final = re.compile(r"(?:delta_?|δ_?|grad_?|g_|dl_?d_?|d_?)(\w+)", re.IGNORECASE)
#: The output of the forward message, as long as the exercise has one.
_OUTPUT: Final = frozenset(
    ("out", "output", "outputs", "yhat", "ypred", "pred", "preds", "prediction", "predictions")
)
#: Other words for what an exercise calls by one of these letters.
_WORDS: Final[tuple[tuple[frozenset[str], tuple[str, ...]], ...]] = (
    (frozenset(("input", "inputs", "inp", "xin", "img", "image")), ("x",)),
    (frozenset(("weight", "weights", "kernel", "filter", "filters")), ("W", "w")),
    (frozenset(("bias", "biases")), ("b",)),
    (frozenset(("target", "targets", "label", "labels", "ytrue")), ("t",)),
)
_PLACED: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class UnclearError(Exception):
    """What is asked for cannot be told for certain; a sentence."""


@dataclass(frozen=True, slots=True)
class FunctionInputs:
    """What a function may be given, by name."""

    arrays: Sequence[str]
    """In the exercise's order; the first `given` of them are its inputs and the message."""
    given: int
    scalars: Collection[str] = ()
    output: str = ""
    """The array that the message from above is about; "" where a loss is given."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that the exercise itself knows."""
    numbers: Collection[str] = ()
    """Arrays that are a single number: no answer is about those alone."""


def chosen(names: Sequence[str]) -> str:
    """The name of the answer among those of functions.  Raises UnclearError."""
    if not names:
        raise UnclearError("Define one function `backward`: def backward(x, delta): ...")
    if "backward" in names or len(names) == 1:
        return "backward" if "backward" in names else names[0]
    for pattern in (r"backward|bwd|bprop", r"grad|vjp|jacobian", r"^d[a-zA-Z]$|^d[a-zA-Z]_"):
        found = [name for name in names if re.search(pattern, name)]
        if len(found) == 1:
            return found[0]
        if found:
            names = found
            break
    there = f"{', '.join(f'`{name}`' for name in names[:-1])} and `{names[-1]}`"
    raise UnclearError(f"Which function is the answer? There are {there}: call it `backward`.")


def arguments(
    parameters: Sequence[Parameter], table: FunctionInputs
) -> tuple[list[str], dict[str, str]]:
    """The names of the values that go by place, and those that go by a parameter's name.

    Parameters with a default get a value only where they bear its very name, or where they are
    plainly the message from above (dout=1), which no other parameter is.
    Raises UnclearError.
    """
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters) and not any(
        p.kind in _PLACED for p in parameters
    ):
        return list(table.arrays[: table.given]), {}
    found = _resolved(parameters, table)
    placed: list[str] = []
    named: dict[str, str] = {}
    behind = False  # an optional parameter was left out: those behind it go by name
    for one in parameters:
        if one.kind in _PLACED and not behind and one.name in found:
            placed.append(found[one.name])
        elif one.kind is Parameter.POSITIONAL_ONLY or one.name not in found:
            behind = True
        else:
            named[one.name] = found[one.name]
    return placed, named


def _resolved(parameters: Sequence[Parameter], table: FunctionInputs) -> dict[str, str]:
    takes = [p for p in parameters if p.kind in (*_PLACED, Parameter.KEYWORD_ONLY)]
    own = {*table.arrays, *table.scalars}
    found = {p.name: p.name for p in takes if p.name in own}
    needed = [p.name for p in takes if p.default is Parameter.empty]
    plainly = [p.name for p in takes if len(p.name) > 1 and _is_upstream(p.name, table)]
    for name in dict.fromkeys((*needed, *plainly)):
        if name not in found and (value := _meant(name, table)) and value not in found.values():
            found[name] = value
    unknown = [name for name in needed if name not in found]
    if unknown:
        found |= _by_place(needed, unknown, found, table)
    return found


def _by_place(
    needed: list[str], unknown: list[str], found: Mapping[str, str], table: FunctionInputs
) -> dict[str, str]:
    """Values for names that say nothing: all of them in their order, or the only one left."""
    given = list(table.arrays[: table.given])
    silent = not any(_says(name, table) for name in unknown)
    if silent and len(unknown) == len(needed) == len(given):
        return dict(zip(unknown, given, strict=True))
    left = [n for n in table.arrays if n not in found.values() and n not in table.numbers]
    if silent and len(unknown) == len(left) == 1 and left[0] in given:
        return {unknown[0]: left[0]}
    told = ", ".join(unknown)
    are = "is not a name" if len(unknown) == 1 else "are not names"
    raise UnclearError(
        f"The function asks for ({', '.join(needed)}); {told} {are} that I know here: "
        f"name its parameters as they are given, {', '.join(table.arrays)}."
    )


def _meant(name: str, table: FunctionInputs) -> str | None:
    """The array that a name certainly means."""
    if name in table.aliases:
        return table.aliases[name]
    same = [array for array in table.arrays if array.lower() == name.lower()]
    if same:
        return same[0] if len(same) == 1 else None
    word = folded(name)
    if _is_upstream(name, table):
        return "delta" if "delta" in table.arrays else None
    if word in _OUTPUT:
        return table.output if table.output in table.arrays else None
    for words, letters in _WORDS:
        if word in words:
            there = [n for n in letters if n in table.arrays[: table.given]]
            return there[0] if len(there) == 1 else None
    return None


def _says(name: str, table: FunctionInputs) -> bool:
    """Whether a name says what it wants, so that nothing else may be put there."""
    return (
        _is_upstream(name, table)
        or _ABOUT.fullmatch(name) is not None
        or any(array.lower() == name.lower() for array in table.arrays)
        or (folded(name) in _OUTPUT and bool(table.output))
        or name == table.output
    )


def _is_upstream(name: str, table: FunctionInputs) -> bool:
    """dout, grad_output; dy of the output y, or of a y that the exercise does not speak of."""
    if folded(name) in UPSTREAM:
        return True
    about = _ABOUT.fullmatch(name)
    if about is None:
        return False
    of = about[1].lower()
    if of in (table.output.lower(), "out", "output"):
        return True
    # The usual letter of an output, where no other array bears it.  (dz may be that of a step.)
    return of == "y" and of not in {array.lower() for array in table.arrays}
