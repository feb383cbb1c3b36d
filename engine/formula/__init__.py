"""The index-formula language: what a learner types, to a tree, to numbers.  No eval, no exec.

    text → tokens → parser (notation, binders) → statements → reader (types) → evaluate

reader.read(text) -> Formula     raises FormulaError(message, hint, line, column)
evaluate.evaluate(formula, batch) -> array
                                 of a dx: (B,H,W); of a J: (B,Ho,Wo,H,W); undefined cells are NaN
unparse.unparse(node), tex(node) the tree in our notation, and in LaTeX
"""

from __future__ import annotations
