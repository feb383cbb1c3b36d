"""Statistics: the figures with their numbers in a list, and one of them drawn beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.key_names import key_for
from tui.plots.catalogue import ENTRIES, Entry
from tui.plots.given import REACHES
from tui.screens.base import DeckScreen
from tui.screens.statistics_data import Asked, reach_words
from tui.screens.statistics_list import FigureList, row_of
from tui.screens.statistics_view import FigureView
from tui.screens.statistics_work import Knowledge
from tui.widgets.footer import Footer
from tui.widgets.top_line import TopLine

WIDE = 76
"""From this many columns on, the list stands beside the figure."""
_SECONDS = 0.1
"""Between two looks at how far the counting is."""

_LONGER = "A longer span: month, quarter, year, all"
_INFO = "What the figure means"
_SPANS = [
    Binding(
        str(n), f"span({n - 1})", f"Span: {reach.name}", id=f"statistics.{reach.name}", show=False
    )
    for n, reach in enumerate(REACHES, 1)
]


class StatisticsScreen(DeckScreen[None]):
    """Opens at once; the numbers come from a thread, and what takes long only when it is shown."""

    DEFAULT_CSS = """
    StatisticsScreen #figures { height: 1fr; }
    StatisticsScreen #names { display: none; }
    StatisticsScreen.-wide #names { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="statistics.back", key_display="esc"),
        Binding("j,down", "step(1)", "The next figure", id="statistics.next", show=False),
        Binding("k,up", "step(-1)", "The figure before", id="statistics.before", show=False),
        Binding("g,home", "edge(0)", "The first figure", id="statistics.first", show=False),
        Binding("G,end", "edge(-1)", "The last figure", id="statistics.last", show=False),
        Binding(
            "right,l", "longer(1)", "Span", id="statistics.longer", key_display="→", tooltip=_LONGER
        ),
        Binding("left,h", "longer(-1)", "A shorter span", id="statistics.shorter", show=False),
        *_SPANS,
        Binding("slash", "search", "Filter", id="statistics.search", key_display="/"),
        Binding("c", "course(1)", "Course", id="statistics.course", tooltip="The next course"),
        Binding("C", "course(-1)", "The course before", id="statistics.course-before", show=False),
        Binding("i,enter", "explain", "Info", id="statistics.explain", tooltip=_INFO),
    ]

    def __init__(self, figure: str = "") -> None:
        """`figure` names the one to begin with (`tui.plots.catalogue`)."""
        super().__init__()
        names = [entry.name for entry in ENTRIES]
        self._at = names.index(figure) if figure in names else 0
        self._explain = False

    def compose(self) -> ComposeResult:
        yield TopLine("Statistics")
        with Horizontal(id="figures"):
            yield FigureList(id="names")
            yield FigureView(id="figure")
        yield Footer()

    def on_mount(self) -> None:
        app = self.deltadeck
        self._known = Knowledge(self, app.open_collection, self._fill, self._refused)
        names = self.query_one(FigureList)
        names.add_options([Option(row_of(entry.title, "")) for entry in ENTRIES])
        names.highlighted = self._at
        names.focus()
        self.set_interval(_SECONDS, self._look)
        self._show()
        # The thread that counts would only hold up the first picture.
        self.call_after_refresh(self._ask, Asked())

    @property
    def _entry(self) -> Entry:
        return ENTRIES[self._at]

    def place(self) -> str | None:
        return self._known.asked.course

    @property
    def is_waiting(self) -> bool:
        """Whether something is being computed."""
        return bool(self._known.waiting)

    # What is shown.

    def _show(self) -> None:
        """The figure, and what it is about."""
        known, entry, top = self._known, self._entry, self.query_one(TopLine)
        top.middle, top.right = known.asked.words, reach_words(known.asked.reach)
        waiting = known.waiting.get("") or known.waiting.get(entry.need, "")
        wide = self.size.width >= WIDE
        place = "" if wide else self._place
        figure = known.figures.get(entry.name)
        self.query_one(FigureView).show(figure, place, waiting, self._explain)
        self.refresh_bindings()

    @property
    def _place(self) -> str:
        """Where no list stands beside the figure: which one of how many, and the keys."""
        before, after = (key_for(self.app, f"statistics.{id}") for id in ("before", "next"))
        return f"{before} ‹ {self._at + 1} of {len(ENTRIES)} › {after}"

    def _look(self) -> None:
        """While something is waited for, say how far it is."""
        if self.is_waiting:
            self._show()

    def _fill(self) -> None:
        """There are other figures: their numbers into the list."""
        names, figures = self.query_one(FigureList), self._known.figures
        for number, entry in enumerate(ENTRIES):
            key = figures[entry.name].key if entry.name in figures else ""
            names.replace_option_prompt_at_index(number, row_of(entry.title, key))
        self._known.need(self._entry, self.deltadeck.clock())
        self._show()

    def _refused(self, sentence: str) -> None:
        self.deltadeck.say(sentence, error=True)

    def on_resize(self) -> None:
        self._show()

    # Which figure.

    def _go(self, at: int) -> None:
        self._at = at
        self._known.need(self._entry, self.deltadeck.clock())
        self._show()

    @on(OptionList.OptionHighlighted, "#names")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index != self._at:
            self._go(event.option_index)

    @on(OptionList.OptionSelected, "#names")
    def _selected(self) -> None:
        self.action_explain()

    def action_step(self, step: int) -> None:
        self.query_one(FigureList).highlighted = (self._at + step) % len(ENTRIES)

    def action_edge(self, at: int) -> None:
        self.query_one(FigureList).highlighted = at % len(ENTRIES)

    def action_explain(self) -> None:
        self._explain = not self._explain
        self._show()

    # What the figures are about.

    def _ask(self, asked: Asked) -> None:
        self._known.ask(asked, self.deltadeck.clock())
        self._show()

    def _ask_other(self, asked: Asked) -> None:
        if asked != self._known.asked:
            self._ask(asked)

    def action_longer(self, step: int) -> None:
        self._ask_other(self._known.asked.longer(step))

    def action_span(self, number: int) -> None:
        self._ask_other(replace(self._known.asked, reach=REACHES[number]))

    def action_course(self, step: int) -> None:
        decks = self.deltadeck.open_collection.decks(self.deltadeck.clock())
        courses = sorted({deck.name for deck in decks if not deck.depth})
        self._ask_other(self._known.asked.next_course(courses, step))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "explain":
            # Where nothing is drawn, what the figure means stands there already.
            figure = self._known.figures.get(self._entry.name)
            return figure is not None and figure.draw is not None
        return action != "search" or not self.query("SearchLine")

    def action_search(self) -> None:
        from tui.screens.statistics_search import SearchLine

        config = self.deltadeck.open_collection.config
        line = SearchLine(self._known.asked.search, config, self._search_left)
        self.mount(line, before="#figures")
        self.refresh_bindings()

    def _search_left(self, text: str | None) -> None:
        """Back to the figures, of what `text` means; None leaves them as they were."""
        names = self.query_one(FigureList)
        names.focus() if names.display else self.set_focus(None)
        self.refresh_bindings()
        if text is not None:
            self._ask_other(replace(self._known.asked, search=text))

    def action_back(self) -> None:
        self.dismiss(None)
