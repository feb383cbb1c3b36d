"""A card as one page that scrolls: its question, its options, a rule, its solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.scrollbar import ScrollBar
from textual.widget import Widget
from textual.widgets import Rule

from cards.model import Card
from tui.card_pages import CardPages, pages_of
from tui.options_page import options_page
from tui.page.limits import OPTIONS
from tui.reading import PLAIN, Reading
from tui.widgets.card_scroll import CardScroll
from tui.widgets.card_view import CardView
from tui.widgets.clicked import OptionsView

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.layout import DockArrangeResult


class CardPage(CardScroll):
    DEFAULT_CSS = """
    CardPage #options { margin: 1 0 0 0; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._card: Card | None = None
        self._reading: Reading = PLAIN
        self._stands: tuple[Widget, float, float] | None = None
        """How far down in a part is the row that is to stand how far down in the window."""

    def compose(self) -> ComposeResult:
        yield CardView(id="question")
        yield OptionsView(id="options")
        yield Rule()
        yield CardView(id="solution")

    def show(
        self, card: Card | None, prompt: str, answer: str, reading: Reading, focus: bool = True
    ) -> None:
        """Replace what is shown, from its beginning."""
        self.show_pages(pages_of(card, prompt, answer, reading), focus)

    def show_pages(self, pages: CardPages, focus: bool = True) -> None:
        """Replace what is shown by pages that were made already."""
        self._card, self._reading = pages.card, pages.reading
        self.query_one("#question", CardView).show_page(pages.question, pages.reading)
        self.query_one("#solution", CardView).show_page(pages.solution, pages.reading)
        self.mark(frozenset(), None)
        self.forget_steps()
        self.scroll_home(animate=False, immediate=True)
        if focus:
            self.focus()

    def clear(self) -> None:
        """Show nothing."""
        self._card, self._reading = None, PLAIN
        for view in self.query(CardView):
            view.show_document(None)
        self.mark(frozenset(), None)
        self.reveal(False)

    def mark(self, picked: frozenset[str], correct: tuple[str, ...] | None) -> None:
        """Show which options are picked, and which are right unless `correct` is None."""
        options = self.query_one("#options", CardView)
        options.display = self._card is not None and self._card.is_choice
        if self._card is not None and options.display:
            page = options_page(self._card.options, picked, correct, self._reading.context, OPTIONS)
            options.show_document(page, self._reading)

    @property
    def text_width(self) -> int:
        """The cells that its texts have; 0 before it was laid out."""
        return self.query_one("#question").content_size.width

    def reveal(self, revealed: bool) -> None:
        """Show the solution, or hide it."""
        self.query_one("#solution").display = revealed
        self.query_one(Rule).display = revealed

    def bring_solution_up(self) -> None:
        """Only as far as need be, when it is laid out; marked options stay in sight."""
        options = self.query_one("#options")
        self._stands = options if options.display else self.query_one(Rule), 0, 0
        self.refresh(layout=True)

    def centre(self, part: str, share: float) -> None:
        """Bring the row so far down in the question or the solution (0 to 1) to the middle, when
        it is laid out."""
        self._stands = self.query_one(f"#{part}"), share, 0.5
        self.refresh(layout=True)

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        """Where its parts are.  It is scrolled here, so that it is never painted unscrolled."""
        found = super().arrange(size, optimal)
        if self._stands is not None and not optimal:
            (part, down, above), self._stands = self._stands, None
            for region in (each.region for each in found.placements if each.widget is part):
                row = region.y + int(down * region.height) - int(above * size.height)
                self._stand_at(max(0, min(row, found.total_region.bottom - size.height)))
        return found

    def _stand_at(self, row: int) -> None:
        """Scroll within a layout, which calls for no other."""
        self.set_reactive(Widget.scroll_y, row)
        self.set_reactive(Widget.scroll_target_y, row)
        self.vertical_scrollbar.set_reactive(ScrollBar.position, row)


class BarePage(CardPage):
    """Without a border, so that one blank row, drawn once, stands for all that its parts leave."""

    BLANK = True
