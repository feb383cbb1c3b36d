"""The index-formula language: what a learner types, to a tree, to numbers.  No eval, no exec.

reader.read(text) -> Formula     raises FormulaError(message, hint, line, column)
evaluator.evaluate(formula, batch) -> array
                                 of a dx: (B,H,W); of a J: (B,Ho,Wo,H,W); undefined cells are NaN"""

from __future__ import annotations
