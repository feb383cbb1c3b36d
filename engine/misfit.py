"""An answer that was read and has no meaning, such as W δ for W^T δ: wrong, not unreadable."""

from __future__ import annotations

from engine.formula.problem import FormulaError


class MisfitError(FormulaError):
    """`misconception` names what is wrong, `teaching` says why and what would fit.

    `echo` is the answer in plain notation: there are no numbers to compare.
    """

    def __init__(
        self, misconception: str, teaching: str, trouble: FormulaError, echo: str = ""
    ) -> None:
        super().__init__(trouble.message, trouble.hint, trouble.line, trouble.column, echo)
        self.misconception = misconception
        self.teaching = teaching
