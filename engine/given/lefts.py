"""The lines of an answer by their left sides: what each defines, and which is the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from engine.formula import statements
from engine.formula.heads import Left
from engine.formula.problem import OffsetError
from engine.formula.statements import Line, Meaning
from engine.formula.tokens import Token
from engine.given.heads import Derivative, definition, derivative
from engine.given.target import Target
from engine.given.vocabulary import Words


def lines_of(
    rows: list[list[Token]], words: Words, targets: tuple[Target, ...], step: int | None = None
) -> list[Line]:
    """The lines; two of dy[k]/ds[k] = f'(s[k]) = ..., which says what both are."""

    def means(name: str) -> Meaning:
        if name in words.arities or name == "delta":
            return "value"
        derived = name[0] == "d" and ("/" in name or name[1:] in words.arities)
        return "both" if derived else "name"

    def compared(before: list[Token], last: list[Token]) -> bool:
        # dy_k/dx_j = k = j is 1 where the indices agree.
        texts = [token.text for token in (*before, *last[:-1])]
        return len(texts) == 2 and all(len(t) == 1 and t not in words.arities for t in texts)

    read = partial(_left, words=words, targets=targets)
    return statements.lines_of(rows, step, read, means, compared)


def _left(tokens: list[Token], words: Words, targets: tuple[Target, ...]) -> Left | None:
    found = derivative(tokens, words)
    if found is None:
        return definition(tokens, words)
    asked = [
        target
        for target in targets
        if target.below == found.below
        and (found.above == target.above if target.jacobian else not found.above)
    ]
    if asked:
        return _asked(asked, found, words)
    if not found.above and found.below == words.output:
        return Left("definition", ("delta",), found.lower or (), found.at)
    parameters = tuple(dict.fromkeys(found.indices or ()))
    return Left("definition", (found.name,), parameters, found.at)


def _asked(targets: list[Target], found: Derivative, words: Words) -> Left:
    """The left side of an answer to one of these targets, which differ in equal indices only.

    Its parameters are the indices as they are written; () where none are.
    """
    first = targets[0]
    if found.indices is None or not first.indices:
        return Left(first.key, tuple(dict.fromkeys(first.indices)), (), found.at)
    taken = [i for i in found.indices if words.arities.get(i) == 0 and i not in first.indices]
    if taken:
        raise OffsetError(
            f"{taken[0]} is given, it cannot be an index.", "choose another letter", found.at
        )
    if len(found.indices) != len(first.indices):
        raise OffsetError(
            f"{first.written()} is asked for, with {len(first.indices)} of the letters; here are "
            f"{len(found.indices)}.",
            f"write {first.written()} = ...",
            found.at,
        )
    own = tuple(dict.fromkeys(found.indices))
    pattern = _pattern(found.indices)
    if len(own) < len(pattern) and pattern not in [_pattern(t.indices) for t in targets]:
        raise OffsetError(
            "This speaks of equal indices only.", f"write {first.written()} = ...", found.at
        )
    return Left(first.key, own, own, found.at)


def _pattern(indices: tuple[str, ...]) -> tuple[int, ...]:
    """Which indices are equal: each by the first place of its letter."""
    return tuple(indices.index(letter) for letter in indices)


def final_of(lines: list[Line]) -> Line:
    """The line that is the answer: the one without a left side, or the last that is asked for."""
    bare = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    whole = [line for line in asked if line.left is not None and "/" not in line.left.kind]
    if len(bare) > 1:
        at = bare[1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if bare or asked:
        return (bare or whole or asked)[-1]
    for left in (line.left for line in lines):
        if left is not None and left.names == ("delta",):
            said = "delta is the message from above, it is given."
            raise OffsetError(said, "begin with what is asked for, as in dL/dx[j] =", left.at)
    raise OffsetError(
        "These lines only define names; none is the answer.",
        "add a line that begins with what is asked for",
        lines[-1].right[-1].at,
    )


def readings(
    targets: Sequence[Target], left: Left | None, spoken: Iterable[str]
) -> Iterator[tuple[Target, tuple[str, ...], bool]]:
    """What an answer may be the answer to, with its indices; True of those that may not fit.

    Without a left side, y[k] (1 - y[k]) speaks of one place only: where every other entry is 0,
    it is dy[k]/dx[k], by the indices of y or else by those of x.  A message with one index may be
    given at any of the letters that are `spoken`, where it is the only one that is asked for.
    """
    for target in targets if left is None else ():
        own = tuple(dict.fromkeys(target.indices))
        whole = next((t for t in targets if t.key == target.key and not t.diagonal), None)
        if target.diagonal and whole is not None and len(own) == whole.above_count:
            for letters in (whole.indices[: len(own)], whole.indices[len(own) :]):
                if len(letters) == len(own):
                    yield target, letters, True
    for target in targets:
        yield target, left.names if left else tuple(dict.fromkeys(target.indices)), False
    messages = [target for target in targets if not target.jacobian]
    if left is None and len(messages) == len(messages[0].indices if messages else ()) == 1:
        for letter in sorted(spoken):
            yield messages[0], (letter,), True
