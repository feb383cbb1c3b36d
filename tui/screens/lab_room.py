"""What a short screen leaves out for a verdict's details: no more than has to go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.screen import Screen

from tui.widgets.answer_editor import AnswerEditor
from tui.widgets.lab_board import Board
from tui.widgets.sliders import Sliders
from tui.widgets.typeset import Typeset
from tui.widgets.verdict_pane import VerdictPane

#: Rows of details that are enough to read them by scrolling: a case's sizes, names and two rows.
ENOUGH = 4
#: As in lab.tcss: the rows of the answer, of a function, and of a formula below the answer.
_ANSWER, _FUNCTION, _FORMULA = 5, 10, 6
#: The top line, the headline and the footer.
_FIXED = 3


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows each part asks for."""

    board: int
    answer: int
    formula: int
    """0 where none is shown."""
    details: int
    other: int
    stacked: bool
    """Whether the formula stands below the answer, not beside it."""

    def left(self, board: bool = True, formula: bool = True) -> int:
        """Of so many rows of the screen, how many are taken when some parts are left out."""
        set_ = self.formula if formula else 0
        written = self.answer + set_ if self.stacked else max(self.answer, set_)
        return self.other + written + (self.board if board else 0)


def left_out(rows: Rows, height: int, asked_for: bool) -> tuple[bool, bool]:
    """Whether the board, and whether the formula, must go for the details.

    The formula goes first: it stands in the answer as well.  Details that were `asked_for` have
    to fit as a whole beside the board.
    """
    for wanted in (rows.details, *(() if asked_for else (min(rows.details, ENOUGH),))):
        for formula in (True, False):
            if rows.left(formula=formula) + wanted <= height:
                return False, not formula
    return True, False


def make_room(screen: Screen[Any], telling: bool, asked_for: bool) -> None:
    """Leave out parts by the screen's classes; `telling` says that the details matter most."""
    board, formula = False, False
    if telling and screen.has_class("-short"):
        board, formula = left_out(_rows(screen), screen.size.height, asked_for)
    screen.set_class(board, "-unboarded")
    screen.set_class(formula, "-unset")


def _rows(screen: Screen[Any]) -> Rows:
    width = screen.size.width
    editor, typeset = screen.query_one(AnswerEditor), screen.query_one(Typeset)
    python, narrow = screen.has_class("-function"), screen.has_class("-narrow")
    ask = screen.query_one("#ask")
    other = _FIXED + len(screen.query(Sliders)) + (ask.size.height if ask.display else 0)
    answer = editor.wrapped_document.height
    formula = 0 if python else typeset.rows_in(width)
    board = screen.query_one(Board).rows_in(width - 1)
    return Rows(
        # It has half of the screen at most.
        min(board, screen.size.height // 2),
        max(2, min(answer, _FUNCTION if python else _ANSWER)),
        min(formula, _FORMULA) if narrow else formula,
        screen.query_one(VerdictPane).rows_in(width - 2),
        other,
        narrow,
    )
