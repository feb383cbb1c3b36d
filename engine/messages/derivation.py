"""A derivation: its lines, each judged by whether it follows from what stands above it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from engine.formula import tree as t
from engine.formula.rewrite import names_in
from engine.formula.statements import LEADING
from engine.formula.tokens import Token, plain
from engine.formula.tree import FormulaError, OffsetError
from engine.messages.answer import Read, upstream
from engine.messages.evaluation import MessageGrader, evaluate
from engine.messages.line import JudgedLine, Stage, for_any, judged_line, with_multiplier
from engine.messages.side import FEW, Side, judgement
from engine.messages.spelling import plainly, rows, spoken_so
from engine.messages.stated import extended
from engine.messages.stationary import CASES, SETTLED, blame
from engine.messages.targets import Target
from engine.verdict import Mistake
from engine.written import written


def steps(
    answer: str, exercise: MessageGrader, names: frozenset[str], thorough: bool
) -> list[Side]:
    """Each side of a derivation, in the order of the answer; `names` are those of several letters.

    A line may speak of what a later one defines.  Where it need not be `thorough`, names that no
    line defines are not tried as anything.
    """
    found = written(answer, names)
    try:
        general = frozenset(one[1] for one in _GENERAL.finditer(plain(answer)[0]))
        settled = bool(SETTLED.search(answer))
        sides = _marked(_sides(found.text, exercise, general, settled, thorough))
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


#: What the text says may be anything: every $v$, a small $\\varepsilon$, in direction $v$.
_GENERAL: Final = re.compile(
    r"\b(?:every|all|any|each|arbitrary|small|fixed|direction|vectors?|scalars?|functions?|numbers?)"
    r"[\s$\\{]+(?:var|math(?:bf|rm) *\{?)?([^\W\d_]+)"
)


def _sides(
    text: str,
    exercise: MessageGrader,
    general: frozenset[str],
    settled: bool,
    thorough: bool,
) -> list[Side]:
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

    def read(stage: Stage) -> Stage:
        """Reads what is waiting; what the lines may then speak of."""
        again = True
        while again:
            again = False
            for one in [*waiting]:
                is_late = one < max(found, default=one)
                row = found[one] = judged_line(stage, *_near(lines[one], text))
                defines = row.stage.own != stage.own
                if all(side.mark != "unread" for side in row.sides):
                    waiting.remove(one)
                    late.update({one} if is_late else ())
                elif not defines:
                    continue
                stage = row.stage
                again |= defines and bool(waiting)
        return stage

    for n in range(len(lines)):
        waiting.append(n)
        stage = read(stage)
    ahead = {*late}  # of what equations say, none is to blame
    for n in [*waiting] if exercise.task.model.aim else ():
        strangers = {side.unknown for side in found[n].sides if side.unknown}
        for stranger in strangers if n in waiting and len(strangers) == 1 else ():
            solved = with_multiplier(stage, *_near(lines[n], text), stranger)
            stage = read(solved) if solved is not None else stage
    for n in [*waiting] if thorough else ():
        line = for_any(stage, *_near(lines[n], text), general)
        if line is not None:
            found[n] = line
            waiting.remove(n)
    judged = _turned({n: row.sides for n, row in sorted(found.items())})
    if exercise.task.model.aim:
        blame(judged, ahead, bool(CASES.search(text)))
    doubtful = {_says(lines[n]) for n in waiting} & {*defined}
    told: list[Side] = []
    for n, sides in judged.items():
        # A name that a line defines which cannot be read may be more than another line says.
        in_doubt = bool(doubtful & {token.text.split("_")[0] for token in lines[n]})
        for side in sides:
            is_free = bool(side.unknown and exercise.task.model.aim)
            mark = "unchecked" if is_free or (in_doubt and side.mark == "wrong") else side.mark
            in_doubt |= side.mark == "unread"  # it may have ended what the others are compared with
            told.append(replace(side, at=lines[n][0].at + side.at, mark=mark))
    return told


#: What happens where an inequality is multiplied by a negative number and keeps its sign.
_TURNED: Final = Mistake(
    "an inequality the other way round",
    "Multiplied or divided by a negative number, or inverted, it changes its sign.",
)


def _turned(lines: dict[int, tuple[Side, ...]]) -> dict[int, tuple[Side, ...]]:
    """The sides with inequalities judged by the first: do they hold on the same side of the bound?

    At the bound itself the two sides of each are equal.
    """
    first, found = 0, dict[int, tuple[Side, ...]]()
    for n, sides in lines.items():
        told = []
        for side in sides:
            way = _way(side)
            if way and first:
                side = (
                    _bound(side) if way == first else replace(side, mark="wrong", mistake=_TURNED)
                )
            first = first or way
            told.append(side)
        found[n] = (*told,)
    return found


def _bound(side: Side) -> Side:
    """An inequality that follows; m >= ... is an answer for the smallest m."""
    assert side.reading is not None
    assert side.exercise is not None
    read, target = side.reading.formula, side.reading.target
    worked_out = _is_worked_out(read, target, set(), side)
    part = target.key if target in side.exercise.task.targets and worked_out else ""
    return replace(side, mark="follows", message="", part=part)


@lru_cache(maxsize=256)
def _way(side: Side) -> int:
    """1 where an inequality holds if what is asked for is more than its bound, -1 if it is less.

    0 where neither, or both, and of any other side.
    """
    if side.mark != "unchecked" or side.relation not in ("<=", ">=") or side.exercise is None:
        return 0
    task = side.exercise.task
    for target in task.targets if not task.model.aim else ():
        one = task.model.forward.defined.get(target.above)
        if one is None or target.below:
            continue
        moved = t.Arithmetic("/", t.Apply("abs", (one.body,)), t.Number(100.0))
        with suppress(OffsetError):
            more, less = (
                judgement(replace(side, exercise=extended(side.exercise, replace(one, body=body))))
                for body in (t.Arithmetic(op, one.body, moved) for op in ("+", "-"))
            )
            if (more == "follows") != (less == "follows"):
                return 1 if more == "follows" else -1
    return 0


def _says(line: list[Token]) -> str:
    """The name that a line says what it is; "" of another line."""
    first, *rest = [token for token in line if token.text not in LEADING][:2] or line
    is_said = bool(rest) and (rest[0].kind == "subs" or rest[0].text in ("=", ":=", "[", "("))
    return first.text.split("_")[0] if is_said else ""


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


def _near(row: list[Token], answer: str) -> tuple[tuple[Token, ...], str]:
    """A line with its own text: its places begin with 0."""
    start = row[0].at
    near = tuple(replace(token, at=token.at - start) for token in row)
    return near, answer[start : row[-1].at]
