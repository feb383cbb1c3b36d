"""StatisticsScreen: a list of figures, and one of them drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from deck.config import Config
from tui.collection_service import LatestOnly
from tui.keymap import key_for
from tui.plots.catalogue import ENTRIES, Entry, Need, makers
from tui.plots.figure import REACHES, Reach, Ways
from tui.screens.base import DeckScreen
from tui.widgets.figure import FigureView
from tui.widgets.frame import Footer, KeyedList, TopLine

if TYPE_CHECKING:
    from deck.collection import Collection
    from tui.keymap import KeyOf
    from tui.plots.figure import Figure, Given


# == The data of the statistics screen: what was asked for, and what is known of it.


def ways(key: KeyOf) -> Ways:
    """What to do where a figure has nothing to show; `key` says which key an action has."""
    return Ways(
        study=f"Press {key('statistics.back')}, then {key('list.enter')} on a deck, "
        "and rate the first cards.",
        longer=f"Press {key('statistics.all')} for all that was ever done.",
        check=f"Press {key('study.check')} on a card with an exercise, and write what you derived.",
        add=f"Press {key('app.add', 'app.add-f3')} to write one.",
        exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into '
        ".deltadeck/config.toml.",
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the figures are about."""

    reach: Reach = REACHES[1]
    search: str = ""
    course: str | None = None

    def longer(self, step: int) -> Asked:
        """A longer span, or with -1 a shorter one; at the end it stays."""
        at = min(max(REACHES.index(self.reach) + step, 0), len(REACHES) - 1)
        return replace(self, reach=REACHES[at])

    def next_course(self, courses: list[str], step: int) -> Asked:
        """Round and round through the courses and all of them together."""
        known: list[str | None] = [None, *courses]
        at = known.index(self.course) if self.course in known else 0
        return replace(self, course=known[(at + step) % len(known)])

    @property
    def words(self) -> str:
        """What is chosen, for the top line."""
        chosen = [self.course or "", f"/{self.search}" if self.search else ""]
        return " ".join(filter(None, chosen))


def reach_words(reach: Reach) -> str:
    """The spans in a row, the chosen one marked."""
    names = (f"‹{each.name}›" if each == reach else each.name for each in REACHES)
    return "  ".join(names)


# == The list of figures: each with its number, so that the list itself says how things stand.


#: Columns: a gap, a title, its number, and a gap.
_WIDTH = 20


class FigureList(KeyedList):
    """What is highlighted is drawn beside it; enter says what it means."""

    DEFAULT_CSS = f"FigureList {{ width: {_WIDTH}; height: 1fr; margin: 1 0 0 0; }}"

    def __init__(self, *, id: str | None = None) -> None:
        # The screen's own key for it stands in the footer.
        super().__init__("What it means", id=id, show=False)


def row_of(title: str, key: str) -> Content:
    """A title at the left, its number at the right."""
    room = _WIDTH - 2 - len(key)
    return Content.assemble(f"{title:{room}.{room}}", (key, "$text-primary bold"))


# == The line in which the statistics are narrowed to what a search means; there while it is used.


class SearchLine(Vertical):
    """Says while typing what cannot be read, with a caret under the place."""

    DEFAULT_CSS = """
    SearchLine { height: auto; padding: 0 1; background: $surface; }
    SearchLine Input { border: none; height: 1; padding: 0 1; background: $surface; }
    SearchLine Input:focus { border: none; background: $panel; }
    SearchLine #fault { height: auto; padding: 0 1; color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="statistics.search-cancel", key_display="esc"),
    ]

    def __init__(self, text: str, config: Config, left: Callable[[str | None], None]) -> None:
        """Begins with `text`; `config` holds the saved searches.

        `left` gets the search when it is entered, empty for everything; None where it is given up.
        """
        super().__init__()
        self._text, self._config, self._left = text, config, left

    def compose(self) -> ComposeResult:
        yield Input(
            self._text,
            placeholder="tag:cnn -is:suspended   (docs/search.md)",
            select_on_focus=False,
        )
        yield Static(id="fault")

    def on_mount(self) -> None:
        field = self.query_one(Input)
        field.cursor_position = len(self._text)
        field.focus()

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        event.stop()
        fault = fault_in(event.value, self._config)
        shown = self.query_one("#fault", Static)
        shown.display = bool(fault)
        shown.update(Content("\n").join(Content(line) for line in fault))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        if not fault_in(event.value, self._config):
            self._leave(event.value.strip())

    def action_leave(self) -> None:
        self._leave(None)

    def _leave(self, text: str | None) -> None:
        self.remove()
        self._left(text)


def fault_in(text: str, config: Config) -> list[str]:
    """What is wrong with a search: a caret under its place, and the way out; empty for nothing."""
    from deck.search.match import read_search
    from deck.search.query import SearchError
    from tui.text import under_caret

    try:
        read_search(text, config.searches)
    except SearchError as error:
        said = f"{error.message} {error.hint}".strip()
        if error.text.strip() == text.strip():
            return [under_caret(text, error.column)[1], said]
        return [said]
    return []


# == What the statistics screen knows, and how it comes to know it: in threads, the newest only.


_COUNTING = "Counting the answers"


class _Job(NamedTuple):
    asked: Asked
    now: datetime
    given: Given | None = None
    """What was counted; None while that is the job."""
    ways: Ways | None = None


class Knowledge:
    """The figures of what was asked last; `changed` is called when there are others.

    An exam's plan and the simulated workload take seconds: they wait until they are needed.
    """

    def __init__(
        self,
        owner: DOMNode,
        collection: Collection,
        changed: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        self.asked = Asked()
        self.figures: dict[str, Figure] = {}
        """By the name of their entry."""
        self.waiting: dict[Need, str] = {"": f"{_COUNTING} …"}
        """What is being computed, in words; "" stands for all that needs nothing more."""
        self._app, self._collection = owner.app, collection
        self._changed = changed
        self._refused = refused
        self._given: Given | None = None
        self._counting = LatestOnly(owner, self._count, self._counted)
        self._planning = LatestOnly(owner, self._plan, self._planned)
        self._simulating = LatestOnly(owner, self._simulate, self._simulated)

    def ask(self, asked: Asked, now: datetime) -> None:
        """Count anew; until that is done, the figures stay as they were."""
        self.asked = asked
        self._planning.forget()
        self._simulating.forget()
        self.waiting = {"": f"{_COUNTING} …"}
        self._counting.ask(_Job(asked, now, ways=ways(partial(key_for, self._app))))

    def need(self, entry: Entry, now: datetime) -> None:
        """Compute what a figure needs beside the rest, where it is not known yet."""
        given = self._given
        if "" in self.waiting or entry.need in self.waiting or given is None:
            return
        job = _Job(self.asked, now, given)
        if entry.need == "exam" and not given.exam:
            self.waiting["exam"] = "Planning …"
            self._planning.ask(job)
        elif entry.need == "workload" and not given.workload:
            self.waiting["workload"] = "Simulating …"
            self._simulating.ask(job)

    # In threads.

    def _count(self, job: _Job) -> Given | str:
        from deck.search.query import SearchError
        from tui.plots.figure import gather

        makers()  # here loading them holds up no key
        asked = job.asked
        try:
            return gather(
                self._collection,
                job.now,
                asked.reach,
                asked.search,
                asked.course,
                job.ways,
                lambda what, share: self._say("", what, share),
            )
        except SearchError as error:
            # It could be read when it was typed; a saved search may have changed since.
            return str(error)

    def _plan(self, job: _Job) -> Given:
        from tui.plots.figure import with_exam

        assert job.given is not None
        return with_exam(self._collection, job.given, job.now, job.asked.course)

    def _simulate(self, job: _Job) -> Given:
        from tui.plots.figure import with_workload

        assert job.given is not None
        return with_workload(
            self._collection,
            job.given,
            lambda what, share: self._say("workload", what.capitalize(), share),
        )

    def _say(self, need: Need, what: str, share: float) -> None:
        """The screen looks at this while something is waited for."""
        if need in self.waiting:
            self.waiting[need] = f"{what}: {100 * share:.0f} %"

    # On the UI thread.

    def _counted(self, found: Given | str) -> None:
        self.waiting.pop("", None)
        if isinstance(found, str):
            self._refused(found)
        else:
            self._take(found)
        self._changed()

    def _planned(self, found: Given) -> None:
        self.waiting.pop("exam", None)
        if self._given is not None:
            self._take(replace(self._given, exam=found.exam))
        self._changed()

    def _simulated(self, found: Given) -> None:
        self.waiting.pop("workload", None)
        if self._given is not None:
            self._take(replace(self._given, workload=found.workload))
        self._changed()

    def _take(self, given: Given) -> None:
        self._given = given
        known: dict[Need, bool] = {
            "exam": bool(given.exam),
            "workload": bool(given.workload),
        }
        self.figures = {
            entry.name: entry.make(given) for entry in ENTRIES if known.get(entry.need, True)
        }


# == Statistics: the figures with their numbers in a list, and one of them drawn beside it.


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
