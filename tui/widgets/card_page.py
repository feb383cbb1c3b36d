"""CardPage: a whole card that scrolls, with its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.scrollbar import ScrollBar
from textual.widget import Widget
from textual.widgets import Rule

from cards import told
from cards.model import Card
from tui.page.model import Fold, Link, SpanTarget
from tui.page.page import PLAIN, CardPages, FocusStop, Page, RenderContext, options_page, pages_of
from tui.page.read import OPTIONS
from tui.widgets.card_view import PAGE_CLASSES, PAGE_CSS, CardView
from tui.widgets.frame import StepScroll

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.layout import DockArrangeResult


class At(NamedTuple):
    """A link or a heading, and its row in all that scrolls."""

    view: CardView
    stop: FocusStop
    row: int


Anchor = tuple[tuple[SpanTarget, int], ...]
"""Headings that a place stands under, the nearest first, with their rows on the screen."""


class CardScroll(StepScroll, can_focus=True, inherit_bindings=False):
    """Its card views are one page: the keys go from the links of one on to those of the next."""

    COMPONENT_CLASSES: ClassVar[set[str]] = PAGE_CLASSES
    DEFAULT_CSS = PAGE_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "stop(1)", "Next link or heading", show=False, id="card.next"),
        Binding("shift+tab", "stop(-1)", "Previous link or heading", show=False, id="card.before"),
        Binding("l", "link", "Next link", show=False, id="card.link"),
        Binding("enter", "follow", "Open", show=False, id="card.follow"),
        Binding("escape", "unpick", "Deselect the link", show=False, id="card.unpick"),
        Binding("n", "hit(1)", "Next match", show=False, id="card.hit"),
        Binding("N", "hit(-1)", "Previous match", show=False, id="card.hit-before"),
        Binding("z", "fold", "Fold or unfold the section", show=False, id="card.fold"),
        Binding("Z", "fold_all", "Fold or unfold all", show=False, id="card.fold-all"),
        Binding("left", "sideways(-1)", "Wide formulas left", show=False, id="card.left"),
        Binding("right", "sideways(1)", "Wide formulas right", show=False, id="card.right"),
        Binding("home", "edge(-1)", "To the top", show=False, id="card.top"),
        Binding("g", "to_top", "To the top", show=False, id="card.top-g"),
        Binding("end,G", "edge(1)", "To the bottom", show=False, id="card.bottom"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.letters: frozenset[str] = frozenset()
        """Upper-case letters whose keys mean something else now: options to pick."""
        self._left: tuple[Anchor, float] | None = None
        """Where everything was folded, and how far the page was scrolled when it was."""

    @property
    def _views(self) -> list[CardView]:
        return [view for view in self.children if isinstance(view, CardView) and view.display]

    @property
    def _stops(self) -> list[At]:
        return [
            At(view, stop, view.virtual_region.y + stop.row)
            for view in self._views
            for stop in view.stops
        ]

    @property
    def _picked(self) -> At | None:
        return next((at for at in self._stops if at.stop.thing is at.view.picked), None)

    @property
    def _seen(self) -> range:
        """The rows on the screen."""
        top = self.scroll_offset.y
        return range(top, top + self.scrollable_content_region.height)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if {"link": "L", "to_top": "G", "hit": "N"}.get(action) in self.letters:
            return False
        if action in ("follow", "unpick"):  # most often, nothing is: no stop is looked at
            return any(view.picked for view in self._views) and self._picked is not None
        if action in ("fold", "fold_all"):
            return any(view.has_folds for view in self._views)
        if action == "sideways":
            return any(view.is_wide for view in self._views)
        if action == "hit":
            return bool(self._hits_beyond)
        if action in ("stop", "link"):
            return any(view.stops for view in self._views)
        return action not in ("edge", "to_top") or self.scrolls

    # Links and headings.

    def action_stop(self, step: int, links: bool = False) -> None:
        """Round and round through all views, from what is picked or else from what is seen."""
        stops, seen, picked = self._stops, self._seen, self._picked
        here = stops.index(picked) if picked and picked.row in seen else None
        for number in ahead([at.row for at in stops], here, step, seen):
            at = stops[number]
            if not links or isinstance(at.stop.thing, Link):
                self.action_unpick()
                at.view.pick(at.stop)
                break
        self.refresh_bindings()

    def action_link(self) -> None:
        self.action_stop(1, links=True)

    def action_follow(self) -> None:
        if (at := self._picked) is not None:
            at.view.follow()

    def action_unpick(self) -> None:
        for view in self._views:
            view.unpick()

    # What a search found.

    @property
    def _hits_beyond(self) -> list[int]:
        """Rows of all that scrolls where something is lit up that is not on the screen."""
        rows = (view.virtual_region.y + row for view in self._views for row in view.hits)
        return [row for row in rows if row not in self._seen]

    def action_hit(self, step: int) -> None:
        """Round and round, to the next that is not on the screen."""
        rows, seen = self._hits_beyond, self._seen
        ahead = [row for row in rows if (row >= seen.stop if step > 0 else row < seen.start)]
        if chosen := ahead or rows:
            row = chosen[0 if step > 0 else -1]
            self.scroll_to(y=row - len(seen) // 4, animate=False, force=True)
        self.refresh_bindings()

    # Sections.

    def action_fold(self) -> None:
        """The section of the picked heading, else the one that the top of the screen is in."""
        top, picked, anchor = self._seen.start, self._picked, self._anchor()
        if picked is not None and picked.row in self._seen:
            picked.view.fold(picked.stop.row)
        elif views := [view for view in self._views if view.has_folds]:
            under = [view for view in views if view.virtual_region.bottom > top]
            view = (under or views[-1:])[0]
            self.action_unpick()
            view.fold(top - view.virtual_region.y)
        self._keep(anchor)

    def action_fold_all(self) -> None:
        """Fold every section; where all are folded, unfold them and go back to the place."""
        views = [view for view in self._views if view.has_folds]
        fold = not all(view.all_folded for view in views)
        anchor, left = self._anchor(), self._left
        self._left = None
        if not fold and left is not None and left[1] == self.scroll_y:
            anchor = left[0]
        for view in views:
            view.fold_all(fold)

        def remember() -> None:
            self._left = (anchor, self.scroll_y)

        self._keep(anchor, remember if fold else None)

    def _anchor(self) -> Anchor:
        """The headings that the top of the screen stands under."""
        top = self._seen.start
        folds = [at for at in self._stops if isinstance(at.stop.thing, Fold) and at.row <= top]
        return tuple((at.stop.thing, at.row - top) for at in reversed(folds))

    def _keep(self, anchor: Anchor, then: Callable[[], None] | None = None) -> None:
        """After the next layout, put the anchor back where it was."""

        def scroll() -> None:
            found = {id(at.stop.thing): at for at in self._stops}
            for thing, offset in anchor:
                if (at := found.get(id(thing))) is not None:
                    # Of a folded section the text is gone: its heading is the place.
                    shift = 0 if at.view.is_folded(thing) else offset
                    self.scroll_to(y=at.row - shift, animate=False, force=True)
                    break
            if then is not None:
                self.call_after_refresh(then)

        self.call_after_refresh(scroll)

    # Scrolling.

    def action_sideways(self, step: int) -> None:
        for view in self._views:
            view.sideways(step)

    def action_to_top(self) -> None:
        self.action_edge(-1)

    def action_edge(self, side: int) -> None:
        """To the top, to the bottom."""
        scroll = self.scroll_home if side < 0 else self.scroll_end
        scroll(animate=False, force=True)


def ahead(rows: Sequence[int], here: int | None, step: int, seen: range) -> list[int]:
    """The stops at `rows` in the order in which a key goes to them, round to where it began.

    It goes on from stop `here` (backwards: `step` is -1); where that is None, from the rows that
    are seen, with their first stop or their last.
    """
    count = len(rows)
    if here is not None:
        first = here + step
    elif step > 0:
        first = next((n for n, row in enumerate(rows) if row >= seen.start), 0)
    else:
        first = next((n for n in reversed(range(count)) if rows[n] < seen.stop), -1)
    return [(first + step * turn) % count for turn in range(count)]


class CardPage(CardScroll):
    """A card: its question, its options, a rule, its solution."""

    DEFAULT_CSS = "CardPage #options { margin: 1 0 0 0; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pages = CardPages(None, None, None, PLAIN)
        self._stands: tuple[Widget, float, float] | None = None
        """How far down in a part is the row that is to stand how far down in the window."""

    def compose(self) -> ComposeResult:
        yield CardView(id="question")
        yield OptionsView(id="options")
        yield Rule()
        yield CardView(id="solution")

    def show_card(self, card: Card, reading: RenderContext, focus: bool = True) -> None:
        """Replace what is shown by a card with its solution and the right options."""
        self.show_pages(pages_of(card, *told(card), reading), focus)
        self.mark(frozenset(), card.correct_letters or None)
        self.reveal(bool(card.solution))

    def show_pages(self, pages: CardPages, focus: bool = True) -> None:
        """Replace what is shown, from its beginning."""
        self._pages, painter = pages, pages.reading.painter
        self.query_one("#question", CardView).show(pages.question, painter)
        self.query_one("#solution", CardView).show(pages.solution, painter)
        self.mark(frozenset(), None)
        self.rows_ahead = 0  # what is shown now is not what those rows were asked for
        self.scroll_home(animate=False, immediate=True)
        if focus:
            self.focus()

    def clear(self) -> None:
        """Show nothing."""
        self.show_pages(CardPages(None, None, None, PLAIN), focus=False)
        self.reveal(False)

    def mark(self, picked: frozenset[str], correct: tuple[str, ...] | None) -> None:
        """Show which options are picked, and which are right unless `correct` is None."""
        options = self.query_one("#options", CardView)
        card, reading = self._pages.card, self._pages.reading
        options.display = card is not None and card.is_choice
        if card is not None and options.display:
            choices = card.options
            document = options_page(choices, picked, correct, reading.context, OPTIONS)
            options.show(Page(document, reading.look), reading.painter)

    @property
    def text_width(self) -> int:
        """The cells that its texts have; 0 before it was laid out."""
        return self.query_one("#question").content_size.width

    def reveal(self, revealed: bool) -> None:
        """Show the solution and fill a cloze in where it stands; or hide both."""
        question, pages = self.query_one("#question", CardView), self._pages
        if pages.filled is not None:
            question.become(pages.filled if revealed else pages.question)
        told = revealed and (pages.filled is None or pages.solution is not None)
        self.query_one("#solution").display = self.query_one(Rule).display = told

    def draw_ahead(self) -> None:
        """The solution as it is to be revealed, as much of it as fits."""
        self.query_one("#solution", CardView).draw_ahead(self.text_width, self.size.height)

    def bring_solution_up(self) -> None:
        """Only as far as need be, when it is laid out; marked options stay in sight, and a cloze
        that was filled in stays where it is."""
        if self._pages.filled is not None:
            return
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
        if not optimal:
            self._settle(found, size)
        return found

    def _settle(self, found: DockArrangeResult, size: Size) -> None:
        """Within a layout, which must call for no other."""
        whole, row = size.region.union(found.total_region).size, self.scroll_y
        if self._stands is not None:
            (part, down, above), self._stands = self._stands, None
            for region in (each.region for each in found.placements if each.widget is part):
                row = region.y + int(down * region.height) - int(above * size.height)
        elif self.styles.overflow_y == "auto":
            return
        row = max(0, min(row, whole.height - size.height))
        self.set_reactive(Widget.scroll_y, row)
        self.set_reactive(Widget.scroll_target_y, row)
        self.vertical_scrollbar.set_reactive(ScrollBar.position, row)
        if self.styles.overflow_y == "scroll":
            # Its bar has a column of its own: to show it, and where there is no need to hide it,
            # moves nothing.  The toolkit does so behind a paint, with a layout and a paint more.
            self.set_reactive(Widget.virtual_size, whole)
            shown = "visible" if whole.height > size.height else "hidden"
            self.styles.set_rule("scrollbar_visibility", shown)


class BarePage(CardPage):
    """Without a border, so that one blank row, drawn once, stands for all that its parts leave."""

    BLANK = True


#: As `options_page` writes the beginning of one.
_OPTION = re.compile(r"[▸✓✗\s]*([A-T])\)")


class OptionsView(CardView):
    """The options of a card: a click picks one as its key does."""

    @dataclass
    class Picked(Message):
        letter: str

    def on_click(self, event: Click) -> None:
        """Pick the option that the row belongs to; not where a link was meant."""
        at, sheet = event.get_content_offset(self), self._sheet
        if at is None or sheet is None or self._pressed != event.screen_offset:
            return
        if isinstance(self._thing_at(at), Link):
            return
        for row in reversed(sheet.rows[: at.y + 1]):
            if found := _OPTION.match("".join(span.text for span in row.spans)):
                self.post_message(self.Picked(found[1]))
                return
