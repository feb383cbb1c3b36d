"""The grammar: which rule reads what a token or a name begins, or means between two operands.

A new notation is one function, in the form of its table, and one line here.  Where several rules
stand behind a token, they are asked in this order.
"""

from __future__ import annotations

from typing import Final

from engine.formula import binders, notation, parser
from engine.formula import tree as t
from engine.formula.parser import Begin, Infix, Named, Parser, Rules
from engine.formula.tokens import COMPARISONS
from engine.formula.tree import (
    CALLED,
    CALLED_SO,
    FUNCTIONS,
    INDICATORS,
    MORE_FUNCTIONS,
    REDUCERS,
    OffsetError,
)

#: What begins an expression: by the sign or word, or by the kind of token.
BEGINS: Final[dict[str, tuple[Begin, ...]]] = {
    "number": (notation.number,),
    "name": (notation.named,),
    "[": (notation.square,),
    "(": (notation.angles, notation.brackets),
    "{": (binders.braces,),
    "|": (notation.absolute,),
    "or": (notation.norm,),
    "#": (notation.size,),
    "∂": (notation.slope,),
    "-": (parser.signed,),
    "+": (parser.signed,),
    "not": (parser.negation,),
    "if": (parser.if_then,),
    "when": (parser.if_then,),
    "the": (parser.the_largest,),
    "where": (notation.where_called,),
    "cases": (parser.cases_word,),
    "all": (binders.called,),
    "any": (binders.called,),
    "forall": (binders.ahead,),
    "exists": (binders.ahead,),
    "otherwise": (parser.stray_else,),
    "else": (parser.stray_else,),
}

_BESIDE: Final = Infix(parser.MULTIPLY, parser.beside)
_PICKED: Final = Infix(parser.ENTRY, notation.picked, notation.picks)
_QUANTIFIED: Final = Infix(parser.FOR_ALL, binders.quantified, binders.is_quantified)

#: What stands between two operands, or behind one, with its binding power.
BETWEEN: Final[dict[str, tuple[Infix, ...]]] = {
    "if": (Infix(parser.IF, parser.choice, parser.is_choice),),
    "when": (Infix(parser.IF, parser.choice, parser.is_choice),),
    "?": (Infix(parser.IF, parser.question),),
    "forall": (_QUANTIFIED,),
    "exists": (_QUANTIFIED,),
    ",": (_QUANTIFIED,),
    "or": (
        Infix(parser.MULTIPLY, parser.beside, notation.opens_norm),
        Infix(parser.OR, parser.logic),
    ),
    "and": (Infix(parser.AND, parser.logic, parser.joins),),
    **dict.fromkeys(COMPARISONS, (Infix(parser.COMPARE, parser.comparison),)),
    "+": (Infix(parser.ADD, parser.added),),
    "-": (Infix(parser.ADD, parser.added),),
    "*": (
        Infix(parser.ENTRY, notation.dot_method, notation.is_method),
        Infix(parser.MULTIPLY, parser.multiplied),
    ),
    "/": (Infix(parser.MULTIPLY, parser.divided),),
    "//": (Infix(parser.MULTIPLY, parser.divided),),
    "%": (Infix(parser.MULTIPLY, parser.divided),),
    "^": (
        Infix(parser.POWER, notation.transposed, notation.transposes),
        Infix(parser.ENTRY, notation.sum_method, notation.is_method),
        Infix(parser.POWER, parser.power),
    ),
    "!": (Infix(parser.ENTRY, notation.factorial),),
    "name": (_BESIDE,),
    "(": (_BESIDE,),
    "[": (_PICKED, _BESIDE),
    "{": (_BESIDE,),
    "∂": (_BESIDE,),
    "number": (Infix(parser.MULTIPLY, parser.beside, parser.one_for_condition),),
    "subs": (_PICKED,),
    "_": (_PICKED,),
    "_+": (Infix(parser.ENTRY, notation.positive),),
}

#: What a name begins that is no array and nothing of the learner's.
NAMES: Final[dict[str, tuple[Named, ...]]] = {
    **dict.fromkeys(REDUCERS, (binders.reducer,)),
    **dict.fromkeys((*FUNCTIONS, *MORE_FUNCTIONS), (notation.function,)),
    "range": (notation.integers,),
    "which": (notation.where,),
    "number": (binders.number_of,),
    **dict.fromkeys((*CALLED, *CALLED_SO), (notation.called,)),
    **dict.fromkeys(INDICATORS, (notation.indicator_named,)),
}
#: The same where arrays may stand whole.
WHOLE_ARRAYS: Final[dict[str, tuple[Named, ...]]] = {
    **dict.fromkeys(notation.ARRAY_FUNCTIONS, (notation.array_function,)),
    **dict.fromkeys(t.OF_MATRICES, (binders.determinant, notation.array_function)),
    **dict.fromkeys(notation.INVERSE, (binders.inverse,)),
    "logsumexp": (binders.log_of_sum, notation.array_function),
    **dict.fromkeys(("sum", "mean", "prod"), (notation.over_everything, binders.reducer)),
    "ones": (notation.constant_array,),
    "I": (notation.constant_array, notation.indicator_named),
}
RULES: Final = Rules(BEGINS, BETWEEN, {**NAMES, **WHOLE_ARRAYS})

#: Parts of what is read inside one another; a sum of n terms has n, as of a + b + c.
MAX_HEIGHT: Final = 120


def whole(line: Parser) -> t.Node:
    """The expression up to the end of the line, or a value and its condition in turns."""
    opened = line.peek()
    node = line.expression()
    if line.peek().kind != "end":
        said = line.unexpected("the formula is complete before it")
        if not (line.sees(",", "for", "and", "if", "when") and line.more_cases()):
            raise said
        line.rewind()
        node = binders.cases(line, opened, "")
    _no_higher(node)
    return node


def _no_higher(node: t.Node) -> None:
    """Refuse what is too high: whoever walks through it goes into each part from the one above."""
    level = [node]
    for _ in range(MAX_HEIGHT):
        level = [part for one in level for part in t.children(one)]
    if level:
        raise OffsetError(
            f"This formula has more than {MAX_HEIGHT} terms, factors or functions in a row.",
            "take a part of it out into a line that defines it",
            level[0].at,
        )
