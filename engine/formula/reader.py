"""read(text): tokens, lines, trees, checks; what comes out is ready to be shown and evaluated."""

from __future__ import annotations

from dataclasses import replace

from engine.formula import kronecker, sets
from engine.formula.check import check
from engine.formula.echo import echo
from engine.formula.names import SCALARS, canonical
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError, located
from engine.formula.scopes import FREE
from engine.formula.statements import (
    Line,
    as_definition,
    definition,
    lines_of,
    names_defined,
    split,
)
from engine.formula.tokens import tokenize
from engine.formula.tree import Answer, Cell, Chains, Formula, Node, children
from engine.formula.vocabulary import Pooling, with_message
from engine.given.paper import bound_in, whole


def read(text: str, first: int = 0, step: int | None = None) -> Formula:
    """What `text` says, indices beginning at `first`.

    With `step`, the side of a chain at this offset stands in the place of its last side.

    Raises FormulaError with a hint and a place; never guesses.
    """
    try:
        answer, chains = with_message(
            lambda name: _answer(text, Pooling(message=name), step), text, canonical
        )
    except OffsetError as trouble:
        raise located(trouble, text) from None
    if not first:
        answer = _from_zero(answer)
    return Formula(answer.target, echo(answer), answer, text, chains=chains)


def _from_zero(answer: Answer) -> Answer:
    """Sums from 1 to Ho, as print has them, as sums over all windows."""
    defined = {name for one in answer.definitions for name in one.names}

    def put(node: Node) -> Node:
        known = {*SCALARS, *FREE, *answer.indices, *defined, *bound_in(node)}
        return whole(node, known, SCALARS, numbers={*SCALARS, *defined})

    definitions = tuple(replace(one, body=put(one.body)) for one in answer.definitions)
    return replace(answer, definitions=definitions, body=put(answer.body))


def _answer(text: str, vocabulary: Pooling, step: int | None) -> tuple[Answer, Chains]:
    split_lines = split(tokenize(text))
    if not split_lines:
        raise OffsetError(
            "There is no formula yet.",
            "write dx[i,j] = sum(delta[k,l] * [...] for k,l if (i,j) in Omega(k,l))",
            0,
        )
    lines = lines_of(split_lines, step)
    final = _final(lines)
    # A Jacobian on a line before the full message defines what the message may use.
    others = [as_definition(line, ("k", "l", "i", "j")) for line in lines if line is not final]
    defined = names_defined(others)
    pairs = {
        name: line.left.parameters
        for line in others
        if line.left is not None and len(line.left.names) == 2
        for name in line.left.names
    }

    def parsed(line: Line) -> Node:
        parser = Parser(line.right, defined, vocabulary)
        parser.parameters = pairs
        return parser.whole()

    found = [definition(line, parsed(line)) for line in others]
    body = parsed(final)
    bodies = (body, *(one.body for one in found if one is not None))
    if step is not None and "J" not in defined and any(map(_links, bodies)):
        # A step may leave df_kl/dx_ij as it is.
        (link,) = lines_of(split(tokenize("J[k,l,i,j] = [(i,j) = argmax(k,l)]")))
        found.append(definition(as_definition(link), parsed(link)))
    definitions, body = sets.expanded([one for one in found if one is not None], body)
    names = final.left.names if final.left is not None else ()
    body = kronecker.put(names, definitions, body)
    definitions = [
        replace(one, body=kronecker.put((), definitions, one.body)) for one in definitions
    ]
    chains = (*(line.chain for line in others), final.chain)
    return check(final, definitions, body), chains


def _links(node: Node) -> bool:
    """Whether a formula speaks of the Jacobian."""
    return (isinstance(node, Cell) and node.array == "J") or any(map(_links, children(node)))


def _final(lines: list[Line]) -> Line:
    """The line that is the answer."""
    answers = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    if len(answers) + len([a for a in asked if a.left and a.left.kind == "dx"]) > 1:
        at = (answers + asked)[1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if answers:
        return answers[0]
    if not asked:
        for left in (line.left for line in lines):
            if left is not None and left.names == ("delta",):
                said = "delta is the message from above: delta[k,l] = dL/df[k,l] is given."
                raise OffsetError(said, "write dx[i,j] = ... for the answer", left.at)
        last = lines[-1]
        raise OffsetError(
            "These lines only define names; none is the answer.",
            "add a line dx[i,j] = ... or df_kl/dx_ij = ...",
            last.right[-1].at,
        )
    whole = [line for line in asked if line.left is not None and line.left.kind == "dx"]
    return whole[0] if whole else asked[-1]
