"""The verdict in a line, and below it all that is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from tui import lab_text
from tui.widgets.steady import Steady

if TYPE_CHECKING:
    from engine import Verdict
    from tui.lab_brief import Brief
    from tui.lab_hints import Hint


class VerdictPane(Vertical):
    def compose(self) -> ComposeResult:
        yield Steady(id="headline")
        with VerticalScroll(id="details"):
            yield Steady(id="said")

    def show(
        self, verdict: Verdict | None, answer: str, hints: Sequence[Hint], brief: Brief
    ) -> None:
        if verdict is None:
            # Where nothing is written, there is room to say what may be.
            said = lab_text.notation(brief).stylize("$foreground-muted")
        else:
            said = lab_text.said(verdict, answer, max(20, self.size.width - 4), hints)
        self._put(lab_text.headline(verdict, self.size.width - 2), said)

    def show_notation(self, brief: Brief) -> None:
        head = Content.styled("How an answer is written", "bold")
        self._put(head, lab_text.notation(brief))

    def still_at_it(self) -> None:
        self.query_one("#headline", Steady).put(lab_text.STILL_AT_IT)

    def rows_in(self, width: int) -> int:
        """How many rows stand below the headline."""
        return self.query_one("#said", Steady).rows_in(width)

    def to_top(self) -> None:
        self.query_one("#details").scroll_home(animate=False)

    def _put(self, headline: Content, said: Content) -> None:
        self.query_one("#headline", Steady).put(headline)
        self.query_one("#said", Steady).put(said)
