"""An objective, its variables and conditions, and where it is best on a batch of inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from engine.exercise import ExerciseError
from engine.formula.axes import Array, Mask
from engine.formula.tokens import Token, plain, tokenize, turn
from engine.formula.tree import OffsetError
from engine.messages.dual import DualArray
from engine.messages.forward import HELD, Forward, loose_indices, scan
from engine.messages.inputs import SIMPLEX, SQUARE
from engine.messages.kinds import kind_said
from engine.messages.model import LargeMessageError, Model
from engine.messages.shapes import Lengths
from engine.messages.solver import (
    InteriorPoint,
    Solved,
    least,
)
from engine.messages.targets import (
    SPARE,
    in_brackets,
)

# -- The keys of a card: maximise or minimise, over, subject_to.


#: What each key of a card asks for: the most or the least.
AIMS: Final = {"maximise": -1.0, "maximize": -1.0, "minimise": 1.0, "minimize": 1.0}
KEYS: Final = (*AIMS, "over", "subject_to")
_RELATIONS: Final = {"=": "=", "==": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}
_AND: Final = re.compile(r"\band\b")
#: So a line that holds a condition is called while it is read; then HELD.
_HELD: Final = "constraint"
#: What the kind of a variable says of each of its entries.
_OF_KIND: Final = {
    "positive": ("{} >= 0",),
    "unit": ("{} >= 0", "{} <= 1"),
    "distribution": ("{} >= 0",),
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One condition: `left op right`."""

    said: str
    """As the card has it."""
    left: str
    op: str
    right: str

    @property
    def body(self) -> str:
        """What is 0, or at least 0."""
        first, second = self.left, self.right
        if self.op[0] == "<":
            first, second = second, first
        return f"({first}) - ({second})"


@dataclass(frozen=True, slots=True)
class Aim:
    """What a card asks for by its keys."""

    sign: float
    """1 for the least, -1 for the most."""
    objective: str
    over: tuple[str, ...]
    """The variables, as they are written."""
    conditions: tuple[Constraint, ...]
    key: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(re.split(r"_[{a-z]|[\[({\s]", one, maxsplit=1)[0] for one in self.over)

    def held(self, kinds: Mapping[str, str], arities: Mapping[str, int]) -> tuple[Constraint, ...]:
        """The conditions, and those that the kinds of the variables say."""
        found = list(self.conditions)
        for written, name in zip(self.over, self.names, strict=True):
            spare = name + in_brackets(tuple(SPARE[: arities.get(name, 0)]))
            cell = spare if written == name else written
            texts = (one.format(cell) for one in _OF_KIND.get(kinds.get(name, ""), ()))
            found += [one for text in texts for one in _conditions(text, text)]
            if kinds.get(name) == "distribution":
                total = f"sum({spare} for {SPARE[arities[name] - 1]}) = 1"
                found += _conditions(total, total)
        same = {re.sub(r"\s", "", one.body): one for one in reversed(found)}
        return tuple(reversed(same.values()))

    def added(
        self, given: str, sizes: Sequence[str], names: Collection[str], card: Mapping[str, object]
    ) -> tuple[Aim, str]:
        """With what kinds say, and the lines of the message with one for each condition.

        Raises OffsetError.
        """
        said = card.get("inputs")
        told = said.items() if isinstance(said, Mapping) else ()
        kinds = {plain(str(name))[0]: kind_said(kind)[0] for name, kind in told}
        arities = scan(given, (name for name in sizes if len(name) == 1)).arities
        every = self.held(kinds, arities)
        bodies = [f"{_HELD}{n} = {one.body}" for n, one in enumerate(every)]
        whole = "\n".join([given, *bodies])
        letters = [*loose_indices(whole, sizes, names)][-len(bodies) :] if bodies else []
        lines = (
            f"{_HELD}{n}{in_brackets(own)} = {one.body}"
            for n, (one, own) in enumerate(zip(every, letters, strict=True))
        )
        return replace(self, conditions=every), "\n".join([given, *lines])

    def problem(self, model: Model) -> OptimumProblem:
        """The model whose variables are where the objective is best.  Raises ExerciseError."""
        forward = model.forward
        known = [d.names[0] for d in forward.arrays if not d.parameters]
        known = [name for name in known if not name.startswith(_HELD)]
        if self.objective not in known:
            said = (
                f"{self.objective!r} is no number that given defines: {', '.join(known) or 'none'}"
            )
            raise ExerciseError(f"exercise: {self.key}: {said}.")
        for name in self.names:
            if name not in forward.inputs:
                said = ", ".join(forward.inputs)
                raise ExerciseError(f"exercise: over: {name} is no input of given: {said} are.")
        arrays = tuple(replace(d, names=(d.names[0].replace(_HELD, HELD),)) for d in forward.arrays)
        held = tuple((f"{HELD}{n}", one) for n, one in enumerate(self.conditions))
        forward = replace(forward, arrays=arrays, asides=frozenset(name for name, _ in held))
        own = {one.name: getattr(model, one.name) for one in fields(model)}
        return OptimumProblem(
            **{**own, "forward": forward},
            sign=self.sign,
            objective=self.objective,
            over=self.names,
            conditions=held,
        )


def aim_of(card: Mapping[str, object], plainly: Callable[[str, str], str]) -> Aim | None:
    """What the keys of a card say; None of another kind.  Raises ExerciseError.

    `plainly` makes index notation of the text under a key.
    """
    found = [key for key in AIMS if key in card]
    if not found:
        for key in ("over", "subject_to"):
            if key in card:
                raise ExerciseError(f"exercise: {key} needs maximise or minimise: what is best?")
        return None
    if len(found) > 1:
        raise ExerciseError(f"exercise: {found[0]} and {found[1]} are there: keep one.")
    if "find" in card:
        raise ExerciseError(
            f"exercise: {found[0]} asks for what stands under over: leave out find."
        )
    over = [plainly("over", one).strip() for one in _listed(card.get("over"))]
    if not over:
        raise ExerciseError("exercise: over is missing: write over: p[k], what is to be found.")
    try:
        conditions = [
            condition
            for text in _listed(card.get("subject_to"))
            for condition in _conditions(plainly("subject_to", text), text)
        ]
    except OffsetError as trouble:
        said = f"{trouble.message} ({trouble.hint})"
        raise ExerciseError(f"exercise: subject_to: {said}") from None
    objective = plainly(found[0], str(card[found[0]])).strip()
    return Aim(AIMS[found[0]], objective, tuple(over), tuple(conditions), found[0])


def _listed(value: object) -> list[str]:
    texts = list(value) if isinstance(value, list | tuple) else [value or ""]
    return [
        part.strip() for text in texts for part in re.split(r"[\n;]", str(text)) if part.strip()
    ]


def _conditions(text: str, said: str) -> Iterator[Constraint]:
    for part in _AND.split(re.sub(r"(\bfor all\b|\bforall\b|∀).*", "", text)):
        sides, ops = _sides(part.strip().rstrip(","))
        if not ops or not all(sides):
            hint = "write sum(p[k] for k) = 1, or p[k] >= 0"
            raise ExerciseError(f"exercise: subject_to: {said!r} is no condition: {hint}.")
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            yield Constraint(said if len(ops) == 1 else f"{left} {op} {right}", left, op, right)


def _sides(text: str) -> tuple[list[str], list[str]]:
    """The sides of a chain of comparisons outside of brackets, and what stands between them."""
    tokens: list[Token] = tokenize(text)
    cuts, depth = [], 0
    for token in tokens:
        depth += turn(token)
        if depth == 0 and token.kind == "op" and token.text in _RELATIONS:
            cuts.append(token)
    ends = [0, *(text.index(_typed(text, cut), cut.at) + len(_typed(text, cut)) for cut in cuts)]
    stops = [*(cut.at for cut in cuts), len(text)]
    sides = [text[one:other].strip() for one, other in zip(ends, stops, strict=True)]
    return sides, [_RELATIONS[cut.text] for cut in cuts]


def _typed(text: str, cut: Token) -> str:
    """A relation as it was typed: ≤ is one character."""
    at = text[cut.at : cut.at + 2]
    return at if at in ("<=", ">=", "==") else at[:1]


# -- What print adds to the name of an optimum, and says nothing: a hat, a star, ML.


_SAID: Final = "MLE?|MAP|OLS|LS|EM|opt|best|new|neu|star|ridge|mean"
_WORD: Final = rf"(?:\\(?:mathrm|mathit|text|textrm|rm)\s*)?\{{?\s*(?:{_SAID})\s*\}}?"
#: Behind the name, with or without indices between.
_BEHIND: Final = (
    rf"[_^]\s*(?:\{{\s*{_WORD}\s*\}}|{_WORD}(?![A-Za-z]))|_?hat(?![A-Za-z])|\u0302"
    r"|\^\s*(?:\*|\\star(?![a-z])|\\ast(?![a-z])|\{\s*(?:\*|\\star|\\ast)\s*\})"
    r"|\*(?=\s*[_=])"
)


def unmarked(answer: str, names: Sequence[str], is_derivation: bool = False) -> str:
    """The answer with blanks in the place of such marks at some names: all places stay.

    In a derivation they stay where a difference says that two are meant, as in X (ŵ - w).
    """
    every = {*names, *("lambda" for one in names if one == "lam")}
    some = "|".join(sorted(map(re.escape, every), key=len, reverse=True))
    name = rf"(?:\\(?:mathbf|boldsymbol|bm|vec)\s*\{{?\s*)?\\?(?:{some})(?![A-Za-z])(?:\s*\}})?"
    name = name.replace("(?![A-Za-z])", "(?![A-Zb-gi-z]|h(?!at)|a)")
    at = r"(?:\s*_\s*(?:\{[^{}]*\}|[a-z])|\[[^\]]*\])?"
    before = rf"\\(?:wide)?hat(?=\s*\{{?\s*{name})"
    behind = rf"(?<![A-Za-z])({name}{at})({_BEHIND})"

    def blank(found: re.Match[str]) -> str:
        kept = found[1] if found.re.groups else ""
        return kept + " " * (len(found[0]) - len(kept))

    found = re.sub(behind, blank, re.sub(before, blank, answer), flags=re.MULTILINE)
    one = rf"\s*\{{?{name}{at}\s*"
    for pair in re.finditer(f"({one})[-−]({one})", found) if is_derivation else ():
        first, second = (answer[slice(*pair.span(n))] != pair[n] for n in (1, 2))
        if first != second:
            return answer
    return found


#: A Lagrangian, with or without what it is a function of.
_LAGRANGIAN: Final = re.compile(r"\\mathcal\s*(?:\{\s*L\s*\}|L)(?P<of>\s*\([^()=]*,[^()=]*\))?")
_MULTIPLIER: Final = re.compile(r"\\(?:lambda|mu|nu|eta|alpha|beta)\b|\bLagrang", re.I)


def in_names(answer: str, problem: OptimumProblem) -> str:
    r"""A derivation with L for L(w), and with \Lambda for \mathcal{L} where that is a Lagrangian.

    All places stay.
    """
    over = "|".join(map(re.escape, problem.over))
    one = rf"\s*(?:\\(?:mathbf|vec|boldsymbol|bm)\s*\{{?\s*)?\\?(?:{over})(?:\s*\}})?\s*"
    before = rf"(?<![A-Za-z\\])({re.escape(problem.objective)}\s*)\("
    whole = rf"{before}{one}(?:,{one})*\)"
    answer = re.sub(whole, lambda found: found[1].ljust(len(found[0])), answer)
    # L(ŵ) is another number than L(w), which no line defines.
    best = rf"{before}\s*\\(?:wide)?hat\s*\{{?{one}\)|{before}{one}(?:{_BEHIND})\s*\)"
    answer = re.sub(best, lambda found: rf"\hat {problem.objective}".ljust(len(found[0])), answer)
    if not _MULTIPLIER.search(answer):
        return answer
    return _LAGRANGIAN.sub(lambda found: r"\Lambda".ljust(len(found[0])), answer)


# -- The message with its conditions, and where it is best.


#: Starts of the search that lead somewhere, of those tried, and points that may be better.
_STARTS, _TRIED, _OTHERS = 2, 24, 12
#: Rows of one evaluation; inputs that what was found is kept of.
_ROWS, _FEWEST = 1500, 32
#: So many times what rounding does to a number, an optimum may be off.
_LOST: Final = 1e4
_KEPT: Final = 20_000
#: Where fewer inputs than this share have one optimum alone, any is right.
_ALONE: Final = 0.5

Changes: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class OptimumProblem(Model):
    """A message whose variables `over` are not given: they are where the objective is best.

    `run` gives them these values where no others are among the inputs.
    """

    sign: float = 1.0
    objective: str = ""
    over: tuple[str, ...] = ()
    conditions: tuple[tuple[str, Constraint], ...] = ()
    """Names of arrays, each with the condition that its entries are 0, or at least 0."""
    found: Mapping[str, str] = field(default_factory=dict)
    """The kind of each variable, where it may be anywhere."""
    solved: dict[object, tuple[Array, ...]] = field(default_factory=dict)
    """What was found for each input by its numbers: while an answer is typed they stay the same,
    and so where a derivation defines names of its own."""

    @property
    def drawn(self) -> dict[str, int]:
        inputs = self.forward.inputs
        return {name: count for name, count in inputs.items() if name not in self.over}

    @property
    def unfit(self) -> tuple[str, str]:
        most = "largest" if self.sign < 0 else "least"
        return (
            f"No {most} {self.objective} was found on most of the inputs tried.",
            "say in `subject_to` what bounds it, in `inputs` what is positive; where it has no "
            "slope at its best, as |x| at 0, it is not found",
        )

    @property
    def gentle(self) -> bool:
        return True  # between numbers of unlike sizes an optimum is lost

    @property
    def sums_to_one(self) -> dict[str, int]:
        return {}  # counts stand before logarithms here as well

    @property
    def aim(self) -> str:
        most = "largest" if self.sign < 0 else "least"
        said = dict.fromkeys(condition.said for _, condition in self.conditions)
        under = f" and {', '.join(said)}" if said else ""
        return f"where {self.objective} is {most}{under}"

    def moved(self, below: str) -> frozenset[str]:
        if below:
            return super().moved(below)
        return frozenset().union(*(super(OptimumProblem, self).moved(name) for name in self.over))

    def run(
        self, inputs: Mapping[str, Array], length: Lengths, *args: Any, **more: Any
    ) -> dict[str, DualArray]:
        if not {*self.over} <= {*inputs}:
            values = self.optima(inputs, length).values
            rounding = more.get("rounding")
            if rounding is not None:  # they are known to some digits less
                values = {name: rounding.nudged(one, _LOST) for name, one in values.items()}
            inputs = {**inputs, **values}
        return super().run(inputs, length, *args, **more)

    def standing(self, inputs: Mapping[str, Array], length: Lengths) -> Mapping[str, Array]:
        rows = len(next(iter(inputs.values()), ((),)))
        own = {name: np.ones((rows, *self.shape(name, length))) for name in self.over}
        return {**own, **inputs}

    def extended(self, forward: Forward, name: str) -> OptimumProblem:
        if name != self.objective:
            return replace(self, forward=forward)
        # A Lagrangian by the objective's name: what is at its best is the card's.
        own = replace(self.forward.defined[name], names=(f"{HELD}{name}",))
        arrays, asides = (*forward.arrays, own), forward.asides | {*own.names}
        forward = replace(forward, arrays=arrays, asides=asides)
        return replace(self, forward=forward, objective=own.names[0])

    def shifted(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Other values of the variables, of the same kinds."""
        moved: dict[str, Array] = {}
        for name, kind in self.found.items():
            value = inputs[name]
            share = np.linspace(0.9, 0.6, max(1, value[:1].size)).reshape(value.shape[1:])
            moved[name] = value * (0.7 if kind in SQUARE else share)
            if kind in SIMPLEX:
                moved[name] /= moved[name].sum(axis=-1, keepdims=True)
        return moved

    @property
    def anywhere(self) -> OptimumProblem:
        """The same with the variables among the inputs that are drawn."""
        return replace(self, over=(), kinds={**self.kinds, **self.found})

    def optima(self, inputs: Mapping[str, Array], length: Lengths) -> Optima:
        """The optimum for each of some inputs; kept for as long as others are not many."""
        given = tuple(np.ascontiguousarray(inputs[name]) for name in self.drawn)
        shapes = (*(one.shape[1:] for one in given), *(self.shape(n, length) for n in self.over))
        about = (shapes, tuple(length.numbers.items()))
        count = len(given[0]) if given else 1
        keys = [(about, b"".join(one[n].tobytes() for one in given)) for n in range(count)]
        at = {key: n for n, key in enumerate(keys) if key not in self.solved}
        if at:
            some = {n: one[[*at.values()]] for n, one in zip(self.drawn, given, strict=True)}
            fresh = _solved(Run(self, some, length))
            for n, key in enumerate(at):
                self.solved[key] = tuple(part[n] for part in fresh)
        columns = [*zip(*(self.solved[key] for key in keys), strict=True)]
        if len(self.solved) > _KEPT:
            self.solved.clear()
        return _optima(Run(self, inputs, length), *map(np.stack, columns))


@dataclass(frozen=True, eq=False, slots=True)
class Optima:
    """Where the objective is best, for each of B inputs."""

    found: Solved
    values: dict[str, Array]
    """(B, ...) of each variable; NaN where there is no optimum."""
    known: Mask
    """(B,): where there is one, and it is alone, or others are as right."""
    alone: bool
    """Whether there is one alone."""


class Run:
    """A problem on a batch of inputs as the solver takes it; `changes` are as in `Model.run`."""

    def __init__(
        self,
        problem: OptimumProblem,
        inputs: Mapping[str, Array],
        length: Lengths,
        without: str = "",
        equated: str = "",
        **changes: Any,
    ) -> None:
        """The condition `without` is left out, that of `equated` taken as an equation."""
        self.problem, self.length, self.changes = problem, length, changes
        self.most = _ROWS
        self.inputs = {name: inputs[name] for name in problem.drawn}
        self.count = len(next(iter(self.inputs.values()), ((),)))
        self.shapes = {name: problem.shape(name, length) for name in problem.over}
        held = [one for one in problem.conditions if one[0] != without]
        self.names = [name for name, _ in held]
        sizes = [int(np.prod(problem.shape(name, length))) for name in self.names]
        told = [one.op == "=" or name == equated for name, one in held]
        self.sizes = dict(zip(self.names, sizes, strict=True))
        self.equal = np.repeat(np.array(told, dtype=np.bool_), sizes)
        self.strict = np.repeat(np.array([one.op in "<>" for _, one in held], np.bool_), sizes)
        self.size = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def places(self, name: str) -> slice:
        """Where the entries of a condition stand among all."""
        before = self.names[: self.names.index(name)]
        start = sum(self.sizes[one] for one in before)
        return slice(start, start + self.sizes[name])

    def parted(self, z: Array) -> dict[str, Array]:
        """The variables of z (R, N)."""
        found, at = {}, 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            found[name] = z[:, at : at + size].reshape(len(z), *shape)
            at += size
        return found

    def _tables(self, z: Array, rows: Array, wrt: str | None) -> dict[str, DualArray]:
        given = {name: value[rows] for name, value in self.inputs.items()}
        whole = {**given, **self.parted(z)}
        with np.errstate(all="ignore"):
            return self.problem.run(whole, self.length, wrt, **self.changes)

    def values(self, z: Array, rows: Array) -> tuple[Array, Array]:
        parts = list(self._in_parts(self._values, z, rows))
        return np.concatenate([f for f, _ in parts]), np.concatenate([c for _, c in parts])

    def _in_parts(
        self, found: Callable[[Array, Array], Any], z: Array, rows: Array
    ) -> Iterator[Any]:
        """What is found of z, by as many rows at once as have room."""
        at = 0
        while at < max(1, len(z)):
            cut = slice(at, at + self.most)
            try:
                yield found(z[cut], rows[cut])
                at += self.most
            except LargeMessageError:
                if self.most < _FEWEST:
                    raise
                self.most //= 2

    def _values(self, z: Array, rows: Array) -> tuple[Array, Array]:
        tables = self._tables(z, rows, None)
        return self._f(tables, len(z)), self._c(tables, len(z))

    def _f(self, tables: Mapping[str, DualArray], rows: int) -> Array:
        value = tables[self.problem.objective].value
        return np.asarray(self.problem.sign * np.broadcast_to(value.reshape(-1), (rows,)))

    def _c(self, tables: Mapping[str, DualArray], rows: int) -> Array:
        parts = [tables[name].value.reshape(rows, -1) for name in self.names]
        return np.concatenate([np.zeros((rows, 0)), *parts], axis=1)

    def slopes(self, z: Array, rows: Array) -> InteriorPoint:
        parts = list(self._in_parts(self._slopes, z, rows))
        return InteriorPoint(*(np.concatenate([getattr(p, n) for p in parts]) for n in "fgcj"))

    def _slopes(self, z: Array, rows: Array) -> InteriorPoint:
        count = len(z)
        g, j = [], []
        tables: dict[str, DualArray] = {}
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            tables = self._tables(z, rows, name)
            g.append(self.problem.sign * _slope(tables[self.problem.objective], count, size)[:, 0])
            own = [_slope(tables[one], count, size) for one in self.names]
            j.append(np.concatenate([np.zeros((count, 0, size)), *own], axis=1))
        f, c = self._f(tables, count), self._c(tables, count)
        return InteriorPoint(f, np.concatenate(g, axis=1), c, np.concatenate(j, axis=2))


def _slope(table: DualArray, rows: int, size: int) -> Array:
    """(R, O, P)"""
    outputs = int(np.prod(table.value.shape[1:]))
    if table.slope is None:
        return np.zeros((rows, outputs, size))
    return table.slope.reshape(rows, size, outputs).transpose(0, 2, 1)


def _solved(run: Run) -> tuple[Array, ...]:
    """The fields of what is found for each input."""
    rng = np.random.default_rng(0)
    found = least(run, _starts(run, rng), partial(_challengers, rng))
    return found.z, found.f, found.met, found.flat, found.active


def _optima(run: Run, *parts: Array) -> Optima:
    found = Solved(*parts)
    alone = bool((found.met & ~found.flat).sum() >= _ALONE * found.met.sum())
    known = found.met & ~found.flat if alone else found.met
    z = np.where(known[:, None], found.z, np.nan)
    return Optima(found, run.parted(z), known, alone)


def _starts(run: Run, rng: np.random.Generator) -> Array:
    """(K, B, N): points at which there are values, the best kept first."""
    size = run.size
    plain = [np.full(size, number) for number in (1.0, 0.5, 1 / size, 0.1, 3.0, 0.0, -1.0)]
    spread = [rng.uniform(0.05, 1.0, size) for _ in range(5)]
    spread += [one / one.sum() for one in spread[:2]]
    wide = [rng.normal(size=size) * scale for scale in (1, 1, 1, 3, 3, 10)]
    bold = [rng.uniform(0.5, 20.0, size) for _ in range(4)]
    pool = np.array([*plain, *spread, *wide, *bold])[:_TRIED]
    rows = np.tile(np.arange(run.count), len(pool))
    f, c = run.values(np.repeat(pool, run.count, axis=0), rows)
    off = np.where(run.equal, np.abs(c), np.maximum(-c, 0.0)).sum(axis=1)
    price = np.where(np.isfinite(f) & np.isfinite(off), off, np.inf).reshape(len(pool), -1)
    order = np.argsort(price, axis=0, kind="stable")[:_STARTS]
    return np.asarray(pool[order])


def _challengers(rng: np.random.Generator, z: Array) -> Array:
    """(L, B, N): points about those found, near and far."""
    scales = np.geomspace(1e-2, 1e3, _OTHERS)[:, None, None]
    size = 1e-3 + np.abs(np.nan_to_num(z)).max(axis=1, keepdims=True)
    return np.asarray(np.nan_to_num(z) + scales * size * rng.normal(size=(_OTHERS, *z.shape)))


def active_at(run: Run, z: Array, rows: Array) -> Mask:
    """(R, M): equations, and inequalities that hold with equality."""
    _, c = run.values(z, rows)
    return np.asarray(run.equal | (np.abs(c) <= 1e-7 * np.abs(z).max(axis=1)[:, None]))
