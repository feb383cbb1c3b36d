"""ExamScreen: an exam's forecast and plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from deck.errors import CollectionError
from deck.exam import Exam
from deck.queue import SessionRequest
from tui.home_state import coming
from tui.latest import LatestOnly
from tui.screens.base import DeckScreen
from tui.screens.study import StudyScreen
from tui.text import labelled, plural, visible_line
from tui.widgets.frame import Fitted, Footer, KeyedScroll, TopLine

if TYPE_CHECKING:
    from deck.exam import Gain, Outlook, PlanDay

#: So many of the best next items are named.
_NAMED = 8
#: So many days of the plan are drawn.
_DAYS = 42
#: Columns beside their bars.
_BESIDE = 28
_BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class ExamPage:
    """What is known of one exam."""

    course: str
    head: str
    """The day, and how far it is."""
    rows: tuple[tuple[str, str], ...]
    days: tuple[float, ...]
    """The minutes of each day of the plan, from today on."""
    gains: tuple[Gain, ...]
    today: tuple[str, ...]
    """The items to study now."""

    @classmethod
    def of(cls, exam: Exam) -> ExamPage:
        """In a thread: a plan of thousands of items takes seconds."""
        left, days = exam.days_left, exam.plan.days
        when = "today" if left == 0 else f"in {plural(left, 'day')}"
        head = f"{exam.day:%a} {exam.day.day} {exam.day:%b %Y} · {when}"
        gains = exam.next() if left > 0 else []
        today = tuple(gain.item_id for gain in gains)
        if days and len(days) == left and days[0].items:  # one far ahead begins later
            today = days[0].items
        minutes = tuple(day.minutes for day in days[:_DAYS])
        rows = tuple(_rows(exam, days))
        return cls(exam.course, head, rows, minutes, tuple(gains[:_NAMED]), today)

    def drawn(self, width: int) -> Content:
        rows = list(self.rows)
        # A bar for each day, of as many as there is room for.
        if days := self.days[: max(7, width - _BESIDE)]:
            most = max(days) or 1.0
            bars = "".join(_BLOCKS[ceil(8 * each / most)] for each in days)
            rows.append(("Days", f"{bars}  up to {most:.0f} min"))
        lines = [labelled(rows, width)]
        if self.gains:
            lines += [Content(""), Content.styled("Most points a minute", "bold")]
            wide = min(40, max(len(gain.item_id) for gain in self.gains))
        for gain in self.gains:
            earns = f"+{gain.points:.2f} p in {gain.minutes:.1f} min"
            lines.append(Content(f"{visible_line(gain.item_id):{wide}}  {earns}"))
        return Content("\n").join(lines)


def _rows(exam: Exam, days: Sequence[PlanDay]) -> Iterator[tuple[str, str]]:
    yield "Now", f"{_points(exam.if_stopped())} if you stop"
    yield "Planned", f"{_points(exam.plan.outlook)}, {exam.plan.minutes / 60:.1f} h in all"
    if exam.reach is not None:
        yield "Target", exam.reach.sentence
    if days:
        first = days[0]
        new = f", {first.new} new" if first.new else ""
        label = "Today" if len(days) == exam.days_left else f"{first.day:%b %Y}"
        yield label, f"{plural(len(first.items), 'card')}{new}, about {first.minutes:.0f} min"


def _points(found: Outlook) -> str:
    low, high = f"{found.low:.0f}", f"{found.high:.0f}"
    likely = low if low == high else f"{low} to {high}"
    return f"{found.expected:.1f} of {found.points:g} p, {likely} likely"


class ExamScreen(DeckScreen[None]):
    """`courses` have exams to come; the one of `first` is shown, or the nearest."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "study", "Study for it", id="exam.study", tooltip="Study today's plan"),
        Binding("tab,right,l", "turn(1)", "Next exam", id="exam.next", key_display="tab"),
        Binding("shift+tab,left,h", "turn(-1)", "Previous exam", id="exam.before", show=False),
        Binding("escape,q", "back", "Back", id="exam.back", key_display="esc"),
    ]

    def __init__(self, courses: Sequence[str], first: str = "") -> None:
        super().__init__()
        self._courses = list(courses)
        self._at = self._courses.index(first) if first in self._courses else 0
        self._page: ExamPage | None = None
        self._planning = LatestOnly(self, self._plan, self._show)

    def place(self) -> str:
        return self._courses[self._at]

    def compose(self) -> ComposeResult:
        yield TopLine("Exam")
        with KeyedScroll(id="finished"):
            yield Fitted(id="exam")
        yield Footer()

    def on_mount(self) -> None:
        self._ask()

    def on_screen_resume(self) -> None:
        if self._page is not None:
            self.collection_changed()

    def collection_changed(self) -> None:
        """The settings may name other exams now; without any, there is nothing to show."""
        courses = coming(self.collection, self.deltadeck.clock())
        if not courses:
            self.dismiss(None)
            return
        course = self.place()
        self._courses = courses
        self._at = courses.index(course) if course in courses else 0
        self._ask()

    def _ask(self) -> None:
        course = self.place()
        self.query_one(TopLine).left = f"Exam · {course}"
        if self._page is None or self._page.course != course:
            self._page = None
            self.query_one("#exam", Fitted).lay(lambda _: Content("Planning …"))
        self._planning.ask(course)
        self.refresh_bindings()

    def _plan(self, course: str) -> ExamPage | None:
        try:
            return ExamPage.of(self.collection.exam(course, self.deltadeck.clock()))
        except CollectionError:  # just taken out of the settings: `collection_changed` follows
            return None

    def _show(self, page: ExamPage | None) -> None:
        if page is None:
            return
        self._page = page
        self.query_one(TopLine).right = page.head
        self.query_one("#exam", Fitted).lay(page.drawn)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "study":
            return bool(self._page and self._page.today)
        return action != "turn" or len(self._courses) > 1

    def action_turn(self, step: int) -> None:
        self._at = (self._at + step) % len(self._courses)
        self._ask()

    def action_study(self) -> None:
        if self._page is not None:
            self.app.push_screen(StudyScreen(SessionRequest(), self._page.today))
