"""One-token mutants of an answer, in its own notation, and mutants of its tree written out again.

A text mutant swaps one operator, index, name, constant or command; a tree mutant drops or doubles
a factor, swaps branches or sides.  Those that cannot be read are dropped, those that read alike
are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from typing import Any, Final

from engine.formula import tree
from engine.formula.tree import FormulaError
from engine.messages.answer import Read
from engine.pooling.reader import read
from tests.engine.brute.answers import FORMULAS, LATEX
from tests.engine.cases import read_latex, table
from tests.engine.cases import written as in_our_notation

_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]+|==|!=|<=|>=|//|\*\*|\S")
#: Each token may become any other of its group.
_GROUPS: Final[list[str]] = table("right")["groups"]["max-pool"]


@dataclass(frozen=True, slots=True)
class Mutant:
    text: str
    latex: bool
    read: Read
    echo: str
    origin: str


def mutants(every: int = 1) -> list[Mutant]:
    """The readable mutants of all answers, themselves among them; no two with the same tree.

    `every`: only each nth text is read, to be quick.
    """
    found: dict[str, Mutant] = {}
    for texts, is_latex in ((FORMULAS, False), (LATEX, True)):
        for text in texts:
            around = islice(chain(swapped(text), written(text, is_latex)), 0, None, every)
            for one in (text, *around):
                known = _read(one, is_latex and "\\" in one, text)
                if known is not None:
                    found.setdefault(known.echo, known)
    return list(found.values())


def _read(text: str, latex: bool, origin: str) -> Mutant | None:
    try:
        formula = read_latex(text) if latex else read(text)
    except FormulaError:
        return None
    return Mutant(text, latex, formula, formula.echo, origin)


def swapped(text: str, kinds: Sequence[str] = _GROUPS) -> Iterator[str]:
    """The text with one token in another's place, of the same kind."""
    for token in _TOKEN.finditer(text):
        word = token.group()
        groups = [group.split() for group in kinds if word in group.split()]
        others = dict.fromkeys(other for group in groups for other in group if other != word)
        before, after = text[: token.start()], text[token.end() :]
        for other in others:
            yield f"{before}{other}{after}"
        if word.isalpha() and 1 < len(word) <= 4 and not groups:
            # Indices run together, as in x_ij and \delta_{f, kl}.
            for n, letter in enumerate(word):
                for other in "ijklpq".replace(letter, "") if letter in "ijklpq" else "":
                    yield f"{before}{word[:n]}{other}{word[n + 1 :]}{after}"
        if word in ("not", "-", "if", "["):
            yield f"{before}{after}"


def written(text: str, latex: bool) -> Iterator[str]:
    """Trees a step from the answer's, in our own notation."""
    answer = read_latex(text) if latex else read(text)
    for body in changed(answer.body):
        yield in_our_notation(replace(answer, body=body))
    for n, definition in enumerate(answer.definitions):
        for body in changed(definition.body):
            parts = (*answer.definitions[:n], replace(definition, body=body))
            yield in_our_notation(
                replace(answer, definitions=(*parts, *answer.definitions[n + 1 :]))
            )


def changed(node: Any, here: Callable[[Any], Iterator[Any]] | None = None) -> Iterator[Any]:
    """The node with one place of it changed: as `here` says, or otherwise as usual."""
    yield from (here or _here)(node)
    for field in fields(node):
        value = getattr(node, field.name)
        if hasattr(value, "at"):
            for part in changed(value, here):
                yield replace(node, **{field.name: part})
        elif isinstance(value, tuple) and value and hasattr(value[0], "at"):
            for n, item in enumerate(value):
                for part in changed(item, here):
                    yield replace(node, **{field.name: (*value[:n], part, *value[n + 1 :])})


def _here(node: Any) -> Iterator[Any]:
    match node:
        case tree.Arithmetic(op, left, right):
            yield from (left, right)
            yield replace(node, left=right, right=left)
            if op == "*":
                yield tree.Arithmetic("*", tree.Arithmetic("*", left, right), left)
                yield tree.Arithmetic("*", tree.Arithmetic("*", left, right), right)
        case tree.Choice(_, then, otherwise):
            yield replace(node, then=otherwise, otherwise=then)
            yield from (then, otherwise)
        case tree.Logic(_, operands):
            yield from operands
        case tree.Comparison(ops, operands) if len(ops) == 1:
            yield tree.Not(node)
        case tree.Comparison(ops, operands):
            yield replace(node, ops=ops[1:], operands=operands[1:])
            yield replace(node, ops=ops[:-1], operands=operands[:-1])
        case tree.Indicator(condition):
            yield replace(node, condition=tree.Not(condition))
            yield tree.Number(1.0)
            yield tree.Negative(node)
        case tree.Cell(_, (one, two)) | tree.Window((one, two)) | tree.Windows((one, two)):
            yield replace(node, indices=(two, one))
        case tree.Pair((one, two)):
            yield replace(node, items=(two, one))
        case tree.Reduce(_, body, binders, condition):
            if condition is not None:
                yield replace(node, condition=None)
                yield replace(node, condition=tree.Not(condition))
            if len(binders) > 1:
                yield replace(node, binders=(binders[1], binders[0], *binders[2:]))
            for n, binder in enumerate(binders):
                bare = replace(binder, domain=None)
                yield replace(node, binders=(*binders[:n], bare, *binders[n + 1 :]))
                turned = replace(binder, names=binder.names[::-1])
                yield replace(node, binders=(*binders[:n], turned, *binders[n + 1 :]))
            yield replace(node, body=tree.Arithmetic("*", body, tree.Number(2.0)))
        case tree.Range(start, stop):
            yield replace(node, stop=tree.Arithmetic("-", stop, tree.Number(1.0)))
            yield replace(node, stop=tree.Arithmetic("+", stop, tree.Number(1.0)))
            yield replace(node, start=tree.Arithmetic("+", start, tree.Number(1.0)))
            yield replace(node, start=tree.Arithmetic("-", start, tree.Number(1.0)))
        case tree.Over("max" | "argmax" | "min" | "argmin" as kind, region):
            other = {"max": "min", "argmax": "argmin", "min": "max", "argmin": "argmax"}[kind]
            yield replace(node, kind=other)
            if isinstance(region, tree.Window):
                yield replace(node, region=tree.Name("x"))
