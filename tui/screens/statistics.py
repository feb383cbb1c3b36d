"""StatisticsScreen: the figures with their numbers in a list, and one of them drawn beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from deck.search.match import read_search
from deck.search.query import SearchError
from tui.latest import LatestOnly
from tui.plots.catalogue import ENTRIES, Entry, Need, makers
from tui.plots.figure import REACHES, Hints, TimeSpan, gather, with_exam, with_workload
from tui.screens.base import DeckScreen
from tui.text import under_caret
from tui.widgets.figure import FigureView
from tui.widgets.frame import Footer, KeyedList, TopLine, hidden

if TYPE_CHECKING:
    from tui.plots.figure import Figure, StatsInput

WIDE = 76
"""From this many columns on, the list stands beside the figure."""
#: Seconds between two looks at how far the counting is.
_SECONDS = 0.1
_COUNTING = "Counting the answers"
#: Columns of the list: a gap, a title, its number, and a gap.
_WIDTH = 20

_LONGER = "A longer span: month, quarter, year, all"
_INFO = "What the figure means"
_SPANS = [
    hidden(str(n), f"span({n - 1})", f"Span: {reach.name}", id=f"statistics.{reach.name}")
    for n, reach in enumerate(REACHES, 1)
]


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """What the figures are about."""

    reach: TimeSpan = REACHES[1]
    search: str = ""
    course: str | None = None


class SearchField(Input):
    """The line in which a search is written; hidden until one is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            *("escape", "screen.leave_search", "Cancel"),
            id="statistics.search-cancel",
            key_display="esc",
        ),
    ]


class StatisticsScreen(DeckScreen[None]):
    """Opens at once; the numbers come from a thread.

    An exam's plan and the simulated workload take seconds: they wait until they are needed.
    """

    DEFAULT_CSS = f"""
    SearchField, SearchField:focus {{ border: none; height: 1; margin: 0 1; padding: 0 1; }}
    SearchField:focus {{ background: $panel; }}
    StatisticsScreen #fault {{ height: auto; padding: 0 2; color: $text-warning; }}
    StatisticsScreen #figures {{ height: 1fr; }}
    StatisticsScreen #names {{
        width: {_WIDTH}; height: 1fr; margin: 1 0 0 0; display: none;
    }}
    StatisticsScreen.-wide #names {{ display: block; }}
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="statistics.back", key_display="esc"),
        hidden("j,down", "step(1)", "The next figure", id="statistics.next"),
        hidden("k,up", "step(-1)", "The figure before", id="statistics.before"),
        hidden("g,home", "edge(0)", "The first figure", id="statistics.first"),
        hidden("G,end", "edge(-1)", "The last figure", id="statistics.last"),
        Binding(
            "right,l", "longer(1)", "Span", id="statistics.longer", key_display="→", tooltip=_LONGER
        ),
        hidden("left,h", "longer(-1)", "A shorter span", id="statistics.shorter"),
        *_SPANS,
        Binding("slash", "search", "Filter", id="statistics.search", key_display="/"),
        Binding("c", "course(1)", "Course", id="statistics.course", tooltip="The next course"),
        hidden("C", "course(-1)", "The course before", id="statistics.course-before"),
        Binding("i,enter", "explain", "Info", id="statistics.explain", tooltip=_INFO),
    ]

    def __init__(self, figure: str = "") -> None:
        """`figure` names the one to begin with (`tui.plots.catalogue`)."""
        super().__init__()
        names = [entry.name for entry in ENTRIES]
        self._at = names.index(figure) if figure in names else 0
        self._explain = False
        self._asked = FigureRequest()
        self._given: StatsInput | None = None
        self._figures: dict[str, Figure] = {}
        """By the name of their entry: those of what was asked last, as soon as it is counted."""
        self._waiting: dict[Need, str] = {"": f"{_COUNTING} …"}
        """What is being computed, in words; "" stands for all that needs nothing more."""
        self._counting = LatestOnly(self, self._count, self._counted)
        self._slow: dict[Need, LatestOnly[StatsInput, StatsInput]] = {
            "exam": LatestOnly(self, self._plan, partial(self._found, "exam")),
            "workload": LatestOnly(self, self._simulate, partial(self._found, "workload")),
        }
        """What takes seconds, and so waits until it is gone to."""

    def compose(self) -> ComposeResult:
        yield TopLine("Statistics")
        hint = "tag:cnn -is:suspended   (docs/search.md)"
        yield SearchField(id="search", placeholder=hint, select_on_focus=False)
        yield Static(id="fault", markup=False)
        with Horizontal(id="figures"):
            # The screen's own key for it stands in the footer.
            yield KeyedList("What it means", id="names", show=False)
            yield FigureView(id="figure")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(SearchField).display = self.query_one("#fault").display = False
        self._names.add_options([_row_of(entry, None) for entry in ENTRIES])
        self._names.highlighted = self._at
        self._names.focus()
        self.set_interval(_SECONDS, lambda: self._show() if self.is_waiting else None)
        self._show()
        # The thread that counts would only hold up the first picture.
        self.call_after_refresh(self._ask, self._asked)

    @property
    def _names(self) -> KeyedList:
        return self.query_one("#names", KeyedList)

    @property
    def _entry(self) -> Entry:
        return ENTRIES[self._at]

    def place(self) -> str | None:
        return self._asked.course

    @property
    def is_waiting(self) -> bool:
        """Whether something is being computed."""
        return bool(self._waiting)

    # What is shown.

    def _show(self) -> None:
        """The figure, what it is about, and how far it is."""
        entry, asked, top = self._entry, self._asked, self.query_one(TopLine)
        search = f"/{asked.search}" if asked.search else ""
        top.middle = " ".join(filter(None, (asked.course, search)))
        spans = (f"‹{each.name}›" if each == asked.reach else each.name for each in REACHES)
        top.right = "  ".join(spans)
        waiting = self._waiting.get("") or self._waiting.get(entry.need, "")
        place = ""
        if self.size.width < WIDE:  # no list says which one of how many it is
            before, after = (self.key(f"statistics.{id}") for id in ("before", "next"))
            place = f"{before} ‹ {self._at + 1} of {len(ENTRIES)} › {after}"
        figure = self._figures.get(entry.name)
        self.query_one(FigureView).show(figure, place, waiting, self._explain)
        self.refresh_bindings()

    def on_resize(self) -> None:
        self._show()

    # Counting: in threads, and only the newest counts.

    def _ask(self, asked: FigureRequest) -> None:
        """Count anew; until that is done, the figures stay as they were."""
        self._asked = asked
        for slow in self._slow.values():
            slow.forget()
        self._waiting = {"": f"{_COUNTING} …"}
        self._counting.ask((asked, self._hints()))
        self._show()

    def _hints(self) -> Hints:
        """What to do where a figure has nothing to show."""
        back, enter, ever, check = map(
            self.key, ("statistics.back", "list.enter", "statistics.all", "study.check")
        )
        return Hints(
            study=f"Press {back}, then {enter} on a deck, and rate the first cards.",
            longer=f"Press {ever} for all that was ever done.",
            check=f"Press {check} on a card with an exercise, and write what you derived.",
            add=f"Press {self.key('app.add', 'app.add-f3')} to write one.",
            exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into '
            ".deltadeck/config.toml.",
        )

    def _count(self, job: tuple[FigureRequest, Hints]) -> StatsInput | str:
        makers()  # here loading them holds up no key
        app, (asked, hints) = self.deltadeck, job
        about = (app.open_collection, app.clock(), asked.reach, asked.search, asked.course, hints)
        try:
            return gather(*about)
        except SearchError as error:
            # It could be read when it was typed; a saved search may have changed since.
            return str(error)

    def _counted(self, found: StatsInput | str) -> None:
        if isinstance(found, str):
            self.deltadeck.say(found, error=True)
            self._take("", None)
        else:
            self._take("", found)

    def _need(self) -> None:
        """Compute what the figure needs beside the rest, where it is not known yet."""
        given, need = self._given, self._entry.need
        if "" in self._waiting or need in self._waiting or given is None:
            return
        if need in self._slow and not getattr(given, need):
            self._waiting[need] = "Planning …" if need == "exam" else "Simulating …"
            self._slow[need].ask(given)

    def _plan(self, given: StatsInput) -> StatsInput:
        return with_exam(self.collection, given, self.deltadeck.clock(), self._asked.course)

    def _simulate(self, given: StatsInput) -> StatsInput:
        def heard(what: str, share: float) -> None:
            self._say("workload", what.capitalize(), share)

        return with_workload(self.collection, given, heard)

    def _found(self, need: Need, found: StatsInput) -> None:
        if self._given is not None:
            self._take(need, replace(self._given, **{need: getattr(found, need)}))

    def _say(self, need: Need, what: str, share: float) -> None:
        """In a thread; the screen looks at this while something is waited for."""
        if need in self._waiting:
            self._waiting[need] = f"{what}: {100 * share:.0f} %"

    def _take(self, need: Need, given: StatsInput | None) -> None:
        """There are other figures: their numbers into the list."""
        self._waiting.pop(need, None)
        if given is not None:
            self._given = given
            self._figures = {
                entry.name: entry.make(given)
                for entry in ENTRIES
                if entry.need not in self._slow or getattr(given, entry.need)
            }
        for number, entry in enumerate(ENTRIES):
            row = _row_of(entry, self._figures.get(entry.name))
            self._names.replace_option_prompt_at_index(number, row.prompt)
        self._need()
        self._show()

    # Which figure.

    @on(OptionList.OptionHighlighted, "#names")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index != self._at:
            self._at = event.option_index
            self._need()
            self._show()

    @on(OptionList.OptionSelected, "#names")
    def action_explain(self) -> None:
        self._explain = not self._explain
        self._show()

    def action_step(self, step: int) -> None:
        self.action_edge(self._at + step)

    def action_edge(self, at: int) -> None:
        self._names.highlighted = at % len(ENTRIES)

    # What the figures are about.

    def _ask_other(self, asked: FigureRequest) -> None:
        if asked != self._asked:
            self._ask(asked)

    def action_longer(self, step: int) -> None:
        """A longer span, or with -1 a shorter one; at the end it stays."""
        at = REACHES.index(self._asked.reach) + step
        self.action_span(min(max(at, 0), len(REACHES) - 1))

    def action_span(self, number: int) -> None:
        self._ask_other(replace(self._asked, reach=REACHES[number]))

    def action_course(self, step: int) -> None:
        """Round and round through the courses and all of them together."""
        decks = self.collection.decks(self.deltadeck.clock())
        known: list[str | None] = [None, *sorted({deck.name for deck in decks if not deck.depth})]
        at = known.index(self._asked.course) if self._asked.course in known else 0
        self._ask_other(replace(self._asked, course=known[(at + step) % len(known)]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "explain":
            # Where nothing is drawn, what the figure means stands there already.
            figure = self._figures.get(self._entry.name)
            return figure is not None and figure.draw is not None
        return action != "search" or not self.query_one(SearchField).display

    # The search: what cannot be read of it is said while one types.

    def action_search(self) -> None:
        field = self.query_one(SearchField)
        field.value, field.display = self._asked.search, True
        field.cursor_position = len(field.value)
        field.focus()
        self.refresh_bindings()

    def _fault(self, text: str) -> str:
        """What is wrong with a search: a caret under its place, and the way out; or ""."""
        try:
            read_search(text, self.collection.config.searches)
        except SearchError as error:
            said = f"{error.message} {error.hint}".strip()
            if error.text.strip() == text.strip():
                return f"{under_caret(text, error.column)[1]}\n{said}"
            return said
        return ""

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.put("#fault", self._fault(event.value))

    @on(Input.Submitted, "#search")
    def _submitted(self, event: Input.Submitted) -> None:
        if not self._fault(event.value):
            self.action_leave_search()
            self._ask_other(replace(self._asked, search=event.value.strip()))

    def action_leave_search(self) -> None:
        """Back to the figures, which are about what they were."""
        self.query_one(SearchField).display = False
        self.put("#fault", "")
        if self._names.display:
            self._names.focus()
        else:
            self.set_focus(None)
        self.refresh_bindings()


def _row_of(entry: Entry, figure: Figure | None) -> Option:
    """Its title at the left, its number at the right."""
    key = figure.key if figure else ""
    room = _WIDTH - 2 - len(key)
    return Option(Content.assemble(f"{entry.title:{room}.{room}}", (key, "$text-primary bold")))
