"""Layers in a row as one layer: what one puts out, the next takes in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from engine.exercise import ExerciseError
from engine.given.layer import Layer
from engine.given.layers import LAYERS

#: What stands between the names of layers in a row: "linear + relu".
AND = " + "
#: Words of the notation, which name nothing of a layer's own.
_NOTATION = {*"sum mean max exp log sqrt erf tanh pi for in range if else".split()}  # noqa: SIM905
_INPUT = re.compile(r"\bx\b(?:\[([a-z](?:,[a-z])*)\])?(?!\[)")


@lru_cache(maxsize=64)
def layer_of(name: str, first: int = 0) -> Layer:
    """A layer by its name, or several in a row by theirs; indices begin at `first`.

    Raises ExerciseError.
    """
    row = [LAYERS[one] for one in name.split(AND)]
    if first:
        said = [one.from_one if one.from_one[0] else (one.given, one.answer) for one in row]
        row = [replace(a, given=b, answer=c) for a, (b, c) in zip(row, said, strict=True)]
    return row[0] if len(row) == 1 else _joined(row)


def merged(row: Sequence[str]) -> str:
    """The name of a row of layers; one that is the join of two, or holds one, stands for both."""
    found: list[str] = []
    for name in row:
        pair = (*found[-1:], name)
        name = next((whole for whole, one in LAYERS.items() if one.joins == pair), name)
        held = (*LAYERS[name].joins, *(LAYERS[name].beyond if LAYERS[name].loss else ()))
        found = [*(found[:-1] if found and found[-1] in held else found), name]
    return AND.join(found)


def _joined(row: Sequence[Layer]) -> Layer:
    """The row as one layer; what an earlier one has a name or an index for gets a free one."""
    used = {*"xyL", *(name for layer in row for name in _names(layer))}
    taken: set[str] = set()
    lines: list[str] = []
    below: list[str] = []
    sizes: dict[str, object] = {}
    constants: dict[str, float] = {}
    inputs: dict[str, str] = {}
    names: dict[str, str] = {}
    cell = array = at = ""
    mixed = len({one.of_examples for one in row if _letters(one) != {"k"}}) > 1
    for layer, after in zip(row, (*row[1:], None), strict=True):
        by: dict[str, str] = {}
        each = _letters(layer) == {"k"}
        layer = _spread(layer, at) if lines and each else layer
        own = _INPUT.search(layer.given)
        if lines:
            if not own or mixed or array == "L" or len(own[1] or "") != len(at):
                raise ExerciseError(
                    f"exercise: layers: {layer.title} cannot take in what comes before it:"
                    " write the forward message under given."
                )
            by = {"x": array, **dict(zip(own[1] or "", at, strict=True))}
        shown = after is None or (after.loss and "\n" not in after.given)
        out = layer.given.splitlines()[-1].split(" = ")[0].split("[")[0]
        by[out] = out if layer.loss else "y" if shown else _free("szhuvo", used)
        for name in sorted(_names(layer) - by.keys()):
            spare = "mnijkuvc" if name in _letters(layer) else "cuvgh" if name.islower() else "VUQR"
            shared = layer.constants.get(name, "") == constants.get(name)
            clash = name in taken | {*by.values()} and not shared
            by[name] = _free(spare, used) if clash else name
        taken |= {*by.values()}
        rows = [_named(line, by) for line in layer.given.splitlines()]
        left, _, rule = rows[-1].partition(" = ")
        cell = _named(own[0], by) if own else ""
        rule = re.sub(rf"\b{re.escape(cell)}(?!\w)", "t", rule)
        if each and "[" not in rule and not layer.loss:
            # As a function, so that answers may speak of its slope, f'.
            name = _free("fgho", used)
            rows[-1:] = [f"{name}(t) = {rule}", f"{left} = {name}({cell})"]
        below += [by.get(name, name) for name in layer.below if name != "x" or not lines]
        lines += rows
        array, _, at = left.rstrip("]").partition("[")
        sizes = {**{by[key]: by.get(str(n), n) for key, n in layer.sizes.items()}, **sizes}
        constants |= {by[name]: value for name, value in layer.constants.items()}
        inputs |= {by[name]: kind for name, kind in layer.inputs.items()}
        names = {**{key: _named(said, by) for key, said in layer.names.items()}, **names}
    asked = [f"d{above}/d{name}" for above in dict.fromkeys(("L", array)) for name in below]
    title = f"{row[0].title} followed by {', then '.join(layer.title for layer in row[1:])}"
    return Layer(
        title, "\n".join(lines), "", (), tuple(asked), sizes, constants, inputs, names=names
    )


def _spread(layer: Layer, at: str) -> Layer:
    """One that goes by each number alone, for an input with other indices, or with none."""
    text = layer.given.replace("[k]", f"[{at}]" if at else "")
    text = re.sub(r"sum\((.*) for k\)", rf"sum(\1 for {at})" if at else r"(\1)", text)
    return replace(layer, given=text, sizes={})


def _letters(layer: Layer) -> set[str]:
    """Its index letters."""
    places = re.findall(r"\[(.*?)\]|\bfor ([a-z](?:,[a-z])*)\b", layer.given)
    return {*re.findall(r"[a-z]", str(places))} - {*layer.constants}


def _names(layer: Layer) -> set[str]:
    words = f"{layer.given} {' '.join(map(str, (*layer.sizes, *layer.sizes.values())))}"
    arguments = {*re.findall(r"\((\w)\) = ", layer.given)}
    return {*re.findall(r"[A-Za-z]\w*", words)} - _NOTATION - arguments


def _named(text: str, by: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z]\w*", lambda found: by.get(found[0], found[0]), text)


def _free(spare: str, used: set[str]) -> str:
    name = next((one for one in spare if one not in used), "")
    if not name:
        raise ExerciseError("exercise: layers: there are too many for the letters that are free.")
    used.add(name)
    return name
