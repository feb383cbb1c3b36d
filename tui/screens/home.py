"""The decks with what they hold for today, and the way into everything else.

The first screen that is painted: the others are imported when they are gone to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize, ScreenResume
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tui.screens.base import DeckScreen
from tui.text import counted, one_line
from tui.today import back_again, bar, estimate
from tui.widgets.lists import KeyedList
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from deck import Collection

WIDE = 76
"""From this many columns on, the day stands beside the decks."""
BESIDE = 30
NUMBERS = 15
"""Columns of the three counts."""
WATCH_SECONDS = 2


class HomeScreen(DeckScreen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add", id="home.add", tooltip="Write a new card"),
        Binding("p", "problems", "Problems", id="home.problems", tooltip="What cannot be read"),
        Binding("r", "reload", "Reload", id="home.reload", show=False, tooltip="Read the disk"),
        Binding("q", "app.quit", "Quit", id="home.quit"),
    ]

    def compose(self) -> ComposeResult:
        yield TopLine("deltadeck")
        with Horizontal(id="home"):
            with Vertical(id="decks"):
                yield Static(id="columns")
                yield KeyedList("Study", id="tree")
                yield Static(id="empty", markup=False)
            yield Static(id="today")
        yield Static(id="troubles", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._keys: list[str | None] = []
        self.query_one("#empty", Static).update(f"Reading the cards in {self.deltadeck.folder} …")
        self.query_one("#tree").display = False
        self._gone = False
        self.set_interval(WATCH_SECONDS, self.watch_folder)

    def watch_folder(self) -> None:
        """Say it when the folder goes away under the program, and take it up when it is back."""
        collection = self.deltadeck.collection
        if collection is None or self.app.screen is not self:
            return
        if self._gone != (not collection.root.is_dir()):
            self.action_reload()

    @on(ScreenResume)
    @on(Resize)
    def show_counts(self) -> None:
        """Show the collection as it is now; nothing while it is still being opened."""
        collection = self.deltadeck.collection
        if collection is None:
            return
        now = self.deltadeck.clock()
        top = self.query_one(TopLine)
        top.left = f"deltadeck · {collection.root.name}"
        top.right = f"{now:%a} {now.day} {now:%b}"
        self._show_decks(collection)
        self.query_one("#today", Static).update(self._today(collection))
        self._show_troubles(collection)
        self.refresh_bindings()

    def _show_decks(self, collection: Collection) -> None:
        tree = self.query_one("#tree", KeyedList)
        decks = collection.decks(self.deltadeck.clock())
        rows = [(deck.name, deck.depth, (deck.new, deck.learning, deck.due)) for deck in decks]
        self._keys = [deck.key for deck in decks]
        if sum(depth == 0 for _, depth, _ in rows) > 1:
            counts = collection.queue(self.deltadeck.clock()).counts
            rows.insert(0, ("All decks", 0, (counts.new, counts.learning, counts.due)))
            self._keys.insert(0, None)
        width = self._columns
        self.query_one("#columns", Static).update(
            Content.styled(f"{'Decks':{width - NUMBERS}}  new learn  due", "dim")
        )
        at = tree.highlighted or 0
        tree.clear_options()
        tree.add_options([Option(_row(*row, width)) for row in rows])
        self._show_emptiness(bool(rows), bool(collection.problems))
        if rows:
            tree.highlighted = min(at, len(rows) - 1)
            tree.focus()

    @property
    def _columns(self) -> int:
        """Of a row of the tree: what the panel beside it leaves."""
        wide = self.size.width >= WIDE
        return max(30, min(70, self.size.width - (BESIDE if wide else 0) - 2))

    def _show_emptiness(self, any_deck: bool, any_problem: bool) -> None:
        self.query_one("#tree").display = any_deck
        self.query_one("#columns").display = any_deck
        empty = self.query_one("#empty", Static)
        empty.display = not any_deck
        broken = " Press p to see what cannot be read." if any_problem else ""
        empty.update(f"There are no cards here yet. Press a to write the first one.{broken}")

    def _today(self, collection: Collection) -> Content:
        now = self.deltadeck.clock()
        queue, done = collection.queue(now), collection.today(now)
        left = len(queue.entries)
        head = Content.styled("Today", "bold")
        if not collection.cards:
            return Content("")
        if left:
            minutes = estimate(left, done.reviewed, done.minutes)
            words = f"{counted(left, 'card')}, about {minutes} min"
        else:
            words = f"Nothing is left. {back_again(queue.next_due, now)}"
        lines = [head, Content(words)]
        if done.reviewed:
            full, rest = bar(done.reviewed, done.reviewed + left, 16)
            total = f"  {done.reviewed} of {done.reviewed + left}"
            lines.append(Content.assemble((full, "$success"), (rest, "dim"), total))
            if done.minutes >= 1:
                lines.append(Content.styled(f"{done.minutes:.0f} min studied", "dim"))
        return Content("\n").join(lines)

    def _show_troubles(self, collection: Collection) -> None:
        troubles = self.query_one("#troubles", Static)
        self._gone = not collection.root.is_dir()
        if self._gone:
            troubles.display = True
            troubles.update(
                f"The folder {one_line(str(collection.root.absolute()))} is gone, with the cards "
                "in it. Bring it back and press r; until then no answer can be recorded."
            )
            return
        errors = sum(problem.severity == "error" for problem in collection.problems)
        odd = len(collection.problems) - errors
        said = [f"{counted(errors, 'problem')} found"] if errors else []
        said += [counted(odd, "warning")] if odd else []
        troubles.display = bool(said)
        troubles.update(f"{' and '.join(said)}: p shows where, and what to do.")

    @on(OptionList.OptionSelected, "#tree")
    def _study(self, event: OptionList.OptionSelected) -> None:
        from tui.screens.study import StudyScreen

        self.app.push_screen(StudyScreen(self._keys[event.option_index]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "problems":
            return bool(self.deltadeck.collection and self.deltadeck.collection.problems)
        if action in ("add", "reload"):
            return self.deltadeck.collection is not None
        return True

    def action_add(self) -> None:
        from tui.screens.add import AddScreen

        tree = self.query_one("#tree", KeyedList)
        at = tree.highlighted
        chosen = self._keys[at] if at is not None and at < len(self._keys) else None
        self.app.push_screen(AddScreen(chosen))

    def action_problems(self) -> None:
        from tui.screens.problems import ProblemsScreen

        self.app.push_screen(ProblemsScreen())

    def action_reload(self) -> None:
        if self.deltadeck.open_collection.root.is_dir():
            self.deltadeck.reread()
        self.show_counts()


def _row(name: str, depth: int, counts: tuple[int, int, int], width: int) -> Content:
    indent = "  " * depth
    label = Content(indent + one_line(name)).truncate(width - NUMBERS, ellipsis=True)
    label = label.pad_right(width - NUMBERS - label.cell_length)
    numbers: list[tuple[str, str]] = []
    styles = ("$text-primary", "$text-warning", "$text-success")
    for count, style in zip(counts, styles, strict=True):
        numbers.append((f"{count or '–':>5}", style if count else "dim"))
    return Content.assemble(label.stylize("bold") if depth == 0 else label, *numbers)
