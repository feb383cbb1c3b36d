"""A derivation: its lines, each judged by whether it follows from what stands above it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from engine.formula.rewrite import names_in
from engine.formula.statements import LEADING
from engine.formula.tokens import Token
from engine.formula.tree import FormulaError, OffsetError
from engine.messages.answer import Read, upstream
from engine.messages.evaluation import MessageGrader, evaluate
from engine.messages.line import JudgedLine, Stage, judged_line
from engine.messages.side import FEW, Side
from engine.messages.spelling import plainly, rows, spoken_so
from engine.messages.stationary import CASES, SETTLED, blame
from engine.messages.targets import Target
from engine.verdict import Mark
from engine.written import written


def steps(answer: str, exercise: MessageGrader, names: frozenset[str]) -> list[Side]:
    """Each side of a derivation, in the order of the answer; `names` are those of several letters.

    A line may speak of what a later one defines.
    """
    found = written(answer, names)
    try:
        sides = _marked(_sides(found.text, exercise, SETTLED.search(answer) is not None))
    except OffsetError as trouble:
        sides = [Side(trouble.at, "unread", message=trouble.message, hint=trouble.hint)]
    troubles = dict(found.troubles)
    told: list[Side] = []
    for side in sides:
        at = found.offsets[min(side.at, len(found.offsets) - 1)] if found.offsets else 0
        unread = troubles.get(at)
        if unread is not None:
            side = replace(side, mark="unread", message=unread.message, hint=unread.hint)
        told.append(replace(side, at=at))
    return told


#: What a line may define, by its first name.
_DEFINED: Final = re.compile(
    r"^[ \t]*(?:(?:where|with|let|and)\s+)?([^\W\d_]+)(?=[_\[(\s]|:?=)", re.MULTILINE
)


def _sides(text: str, exercise: MessageGrader, settled: bool) -> list[Side]:
    words = spoken_so(text, exercise.task.words)
    name = upstream(plainly(text, words), words)
    names = ((name, "delta"),) if name else ()
    stage = Stage(exercise, (), (), names, words.bars, words.kronecker, settled)
    taken = {"d", "E", "Var", "P", "Pr", *words.arities}  # what else these may mean
    defined = {one: 1 for one in _DEFINED.findall(text) if one not in taken}
    lines = rows(text, replace(words, arities={**defined, **words.arities}))
    found: dict[int, JudgedLine] = {}
    waiting: list[int] = []
    late = set[int]()  # lines that were read with what one below them defines
    for n in range(len(lines)):
        waiting.append(n)
        again = True
        while again:
            again = False
            for one in [*waiting]:
                late |= {one} if one < max(found, default=one) else set()
                row = found[one] = _row_of(stage, lines[one], text)
                defines = row.stage.own != stage.own
                if all(side.mark != "unread" for side in row.sides):
                    waiting.remove(one)
                elif not defines:
                    continue
                stage = row.stage
                again |= defines and bool(waiting)
    judged = {n: row.sides for n, row in sorted(found.items())}
    if exercise.task.model.aim:
        blame(judged, late, bool(CASES.search(text)))
    doubtful = {_begins(lines[n]) for n in waiting} - {*words.arities}
    told: list[Side] = []
    for n, sides in judged.items():
        # A name that a line defines which cannot be read may be more than another line says.
        spoken = {token.text.split("_")[0] for token in lines[n]}
        for side in sides:
            in_doubt = bool(doubtful & spoken) and side.mark == "wrong"
            in_doubt |= side.unknown and bool(exercise.task.model.aim)
            mark: Mark = "unchecked" if in_doubt else side.mark
            told.append(replace(side, at=lines[n][0].at + side.at, mark=mark))
    return told


def _begins(line: list[Token]) -> str:
    first = next((token for token in line if token.text not in LEADING), line[0])
    return first.text.split("_")[0]


def _marked(sides: list[Side]) -> list[Side]:
    """The sides with what becomes of those behind one that is wrong, and which are answers."""
    found: list[Side] = []
    worked: set[str] = set()
    for side in sides:
        target = side.reading.target if side.reading is not None else None
        before = [one for one in found if one.reading and one.reading.target == target]
        strayed = bool(before) and before[-1].mark in ("wrong", "carried")
        if side.mark == "follows" and strayed:
            side = replace(side, mark="again")
        elif side.mark == "wrong" and strayed and _same(before[-1], side):
            side = replace(side, mark="carried")
        if side.mark in ("follows", "again") and target is not None and side.is_equal:
            assert side.reading is not None
            read: Read = side.reading.formula
            if _is_worked_out(read, target, worked, side):
                worked.add(target.key)
                side = replace(side, part=target.key)
        found.append(side)
    return found


def _is_worked_out(read: Read, target: Target, worked: set[str], side: Side) -> bool:
    """Whether nothing is left to be derived in a side: what it speaks of is, above it."""
    assert side.exercise is not None
    task = side.exercise.task
    given = task.words.local - {f"d{target.above}/d{target.below}"}
    bodies = (read.body, *(one.body for one in read.definitions))
    names = {name for body in bodies for name in names_in(body)}
    itself = not target.below and target.key in names
    if task.model.aim and names & task.model.moved("") - worked:
        return False  # it speaks of what is to be found
    return {*read.steps} <= worked | given and not itself


def _same(one: Side, other: Side) -> bool:
    """Whether two sides have the same numbers, wrong as they are."""
    if one.reading is None or other.reading is None or one.exercise is None:
        return False
    if not (one.is_equal and other.is_equal):
        return False
    with np.errstate(all="ignore"):
        batch = one.exercise.drawn(0, FEW)[0]
        try:
            mine, theirs = (evaluate(r.formula, batch) for r in (one.reading, other.reading))
        except (FormulaError, OffsetError):
            return False
    size = np.abs(np.nan_to_num(mine)).max(initial=0.0)
    known = np.isfinite(mine) & np.isfinite(theirs)
    return mine.shape == theirs.shape and bool((np.abs(mine - theirs) <= 1e-9 * size)[known].all())


def _row_of(stage: Stage, row: list[Token], answer: str) -> JudgedLine:
    start = row[0].at
    near = tuple(replace(token, at=token.at - start) for token in row)
    return judged_line(stage, near, answer[start : row[-1].at])
