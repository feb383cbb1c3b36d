"""The index-formula language: what a learner types, to a tree, to numbers.  No eval, no exec.

read(text) -> Formula              raises FormulaError(message, hint, line, column)
evaluate(formula, batch) -> array  of a dx: (B,H,W); of a J: (B,Ho,Wo,H,W); undefined cells are NaN
"""

from engine.formula.evaluator import evaluate
from engine.formula.problem import FormulaError
from engine.formula.reader import read
from engine.formula.tree import Formula

__all__ = ["Formula", "FormulaError", "evaluate", "read"]
