"""Right derivations written in other ways: the same lines, which follow as before.

Terms and factors change places, brackets are multiplied out, sums are split, indices renamed, the
two sides of a line turned round, chains taken apart; as formulas or LaTeX.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.checking import check
from engine.exercise import Exercise
from engine.formula import tree as t
from engine.formula.rewrite import bound_in, free_names, inside, mapped, names_in, rebound
from engine.formula.unparse import tex, unparse
from engine.messages.side import Side, printed
from tests.engine.brute.steps import anywhere
from tests.engine.cases import made

#: Of all places at which a formula may be rewritten, this share is.
_SHARE: Final = 0.25
_SIGNS: Final = {"~": "∝", "<=": "<=", ">=": ">="}
_TEX: Final = {"~": r"\propto", "<=": r"\le", ">=": r"\ge"}


@dataclass(frozen=True, slots=True)
class Trials:
    """What right derivations got, in all the ways they were written."""

    derivations: int = 0
    sides: int = 0
    unread: int = 0
    """Of the sides."""
    tried: int = 0
    """Inputs on which a side was judged."""
    rejected: tuple[str, ...] = ()
    """The sides, or derivations, that were called wrong."""

    def __add__(self, other: Trials) -> Trials:
        return Trials(
            self.derivations + other.derivations,
            self.sides + other.sides,
            self.unread + other.unread,
            self.tried + other.tried,
            self.rejected + other.rejected,
        )


def trials(rows: Sequence[Mapping[str, Any]], seed: int, inputs: int = 300) -> Trials:
    """Each right derivation as it stands, and in one other way, on inputs of that seed."""
    rng = random.Random(seed)
    found = Trials()
    for row in rows:
        exercise = made(row["exercise"])
        for text in row["right"]:
            sides = [side for side in exercise.grader().steps(text) if isinstance(side, Side)]
            found += _tried(row["name"], exercise, text, seed, inputs)
            if written := rewritten(sides, rng):
                found += _tried(row["name"], exercise, written, seed, inputs)
    return found


def _tried(name: str, exercise: Exercise, text: str, seed: int, inputs: int) -> Trials:
    verdict = check(text, exercise, seed, inputs).verdict
    off = [] if verdict not in ("wrong", "wrong-step") else [f"{name}: {verdict}: {text}"]
    sides = [side for side in exercise.grader().steps(text) if isinstance(side, Side)]
    tried = 0
    for side in sides:
        if side.mark in ("wrong", "carried"):
            off.append(f"{name}: {side.mark}: {side.read or side.message}: {text}")
        if side.mark not in ("follows", "again") or side.reading is None:
            continue
        own = anywhere(side).verdict(seed, inputs)
        tried += own.tried
        if own.verdict in ("wrong", "wrong-step"):
            off.append(f"{name}: seed {seed}: {side.read}: {own.verdict}")
    unread = sum(side.mark == "unread" for side in sides)
    return Trials(1, len(sides), unread, tried, tuple(off))


def rewritten(sides: list[Side], rng: random.Random) -> str:
    """The lines of a derivation that follow or define, in another way; "" where there are none."""
    is_latex = rng.random() < 0.5
    lines: list[str] = []
    head: t.Node | None = None
    for side in sides:
        if side.head is not None:
            head = side.head
        if side.reading is None or side.exercise is None or head is None or side.condition:
            continue
        if side.mark not in ("follows", "again", "defines"):
            continue
        is_called = isinstance(head, t.Cell) and head.array in _called(side)
        if is_called:
            return ""  # f(u): its letters are no indices
        body = printed(side.reading.formula.body, side.exercise)
        if side.mark != "defines":
            known = side.exercise.task.words.arities
            body = _changed(body, {*known, *side.reading.target.letters}, rng)
        lines.append(_line(head, body, side, rng, is_latex))
    if not is_latex or not lines:
        return "\n".join(lines)
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _called(side: Side) -> set[str]:
    assert side.exercise is not None
    return {name for one in side.exercise.task.model.forward.functions for name in one.names}


def _line(head: t.Node, body: t.Node, side: Side, rng: random.Random, is_latex: bool) -> str:
    say = tex if is_latex else unparse
    sign = (_TEX if is_latex else _SIGNS).get(side.relation, "=")
    constant = (r" + \text{const}" if is_latex else " + const") if side.relation == "+" else ""
    left, right = say(head), say(body) + constant
    turned = side.mark != "defines" and sign == "=" and not constant and rng.random() < 0.3
    left, right = (right, left) if turned else (left, right)
    return f"{left} &{sign} {right}" if is_latex else f"{left} {sign} {right}"


def _changed(body: t.Node, known: set[str], rng: random.Random) -> t.Node:
    """A formula of the same value, changed at some of its places; `known` names are no indices."""
    taken = {*known, *names_in(body), *(n for one in inside(body) for n in bound_in(one))}

    def change(node: t.Node) -> t.Node:
        if isinstance(node, t.Apply) and node.function == "∂":
            return node
        node = mapped(node, change)
        ways = list(_ways(node, taken, rng)) if rng.random() < _SHARE else []
        return rng.choice(ways) if ways else node

    return change(body)


def _ways(node: t.Node, taken: set[str], rng: random.Random) -> Iterator[t.Node]:
    """Other ways to write a formula at its top."""
    match node:
        case t.Arithmetic("+" | "*" as op, left, right):
            yield t.Arithmetic(op, right, left)
            if isinstance(left, t.Arithmetic) and left.op == op:
                yield t.Arithmetic(op, left.left, t.Arithmetic(op, left.right, right))
            if op == "*":
                for one, two in ((left, right), (right, left)):
                    if isinstance(two, t.Arithmetic) and two.op in "+-":
                        first, last = (t.Arithmetic("*", one, p) for p in (two.left, two.right))
                        yield t.Arithmetic(two.op, first, last)
        case t.Arithmetic("-", left, right):
            yield t.Arithmetic("+", t.Negative(right), left)
            yield t.Negative(t.Arithmetic("-", right, left))
        case t.Arithmetic("/", left, right):
            yield t.Arithmetic("*", left, t.Arithmetic("/", t.Number(1.0), right))
            if isinstance(left, t.Arithmetic) and left.op in "+-":
                first, last = (t.Arithmetic("/", p, right) for p in (left.left, left.right))
                yield t.Arithmetic(left.op, first, last)
        case t.Arithmetic("^", left, t.Number(2.0)):
            yield t.Arithmetic("*", left, left)
        case t.Negative(operand):
            yield t.Arithmetic("*", t.Number(-1.0), operand)
        case t.Reduce("sum", body, binders, condition):
            free = [x for x in string.ascii_lowercase if x not in taken and x not in "eidlo"]
            if free and binders[0].domain is None:
                yield rebound(node, {binders[0].names[0]: rng.choice(free)})
            if isinstance(body, t.Arithmetic) and body.op in "+-":
                yield t.Arithmetic(
                    body.op, replace(node, body=body.left), replace(node, body=body.right)
                )
            if isinstance(body, t.Arithmetic) and body.op == "*" and condition is None:
                for one, two in ((body.left, body.right), (body.right, body.left)):
                    apart = {*node.names}.isdisjoint(free_names(one))
                    if apart and not apart & {*node.names}.isdisjoint(free_names(two)):
                        yield t.Arithmetic("*", one, replace(node, body=two))
