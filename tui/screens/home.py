"""HomeScreen: the decks with what they hold for today, and the way into everything else.

The first screen that is painted: the others are imported when they are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Concatenate, Final, ParamSpec

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize, ScreenResume
from textual.geometry import Size
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from deck.errors import CollectionError
from tui.drafts import LeftText, left_in
from tui.garbage import sweep_all
from tui.home_state import (
    Activity,
    DeckRow,
    ExamLine,
    Exams,
    HomeSnapshot,
    HomeState,
    NextCard,
    Unfinished,
    around,
    coming,
    keep,
    overview,
    stamp,
)
from tui.latest import LatestOnly
from tui.screens.base import DeckScreen
from tui.screens.home_panel import (
    BROAD,
    COUNTS,
    NUMBERS,
    WIDE,
    calendar_rows,
    countdown,
    deck_row,
    next_cards,
    next_rows,
    panel,
    reading_panel,
    tree_columns,
    tree_rows,
    troubles_line,
)
from tui.text import plural
from tui.widgets.frame import Footer, KeyedList, TopLine, hidden

if TYPE_CHECKING:
    from datetime import datetime

    from deck.collection import Collection
    from deck.queue import SessionRequest

_OWN = "Choose what to study: a search, a time, an order"
_FOLD = "Hide or show the decks below this one"
_SEARCH = "Search the cards"
_CRAM = "Cram: practise without changing the schedule"
_MORE = "Take more cards today than the limits allow"
_STATISTICS = "What was done, what is remembered, what comes"
_SET = "The settings of the collection"
_BROWSE = "Search the cards, look through them, change them"
_UNFINISHED = "Continue the derivation that is not correct yet"
_PROBLEMS = "What cannot be read, and what is odd about cards"
_EXAM = "The plan for an exam, and what to study for it now"
_DRAFT = "The card that was being written when the program ended"
_STARTER = "Begin with the cards that come with deltadeck"

_KEYS: list[BindingType] = [
    Binding("enter", "starter", "Starter deck", id="home.starter", tooltip=_STARTER),
    Binding("ctrl+o", "left", "Unsaved card", id="home.left", tooltip=_DRAFT),
    Binding("slash", "search", "Search", id="home.search", key_display="/", tooltip=_SEARCH),
    hidden("o", "own('search')", "Custom", id="home.custom", tooltip=_OWN),
    hidden("left,h", "fold(True)", "Fold", id="home.fold", tooltip=_FOLD),
    hidden("right,l", "fold(False)", "Unfold", id="home.unfold", tooltip=_FOLD),
    hidden(
        "t", "own('minutes')", "Timed", id="home.timed", tooltip="Study for a number of minutes"
    ),
    hidden(
        "f", "own('ahead')", "Ahead", id="home.ahead", tooltip="Study reviews before they are due"
    ),
    hidden("c", "own('cram')", "Cram", id="home.cram", tooltip=_CRAM),
    hidden("d", "derive", "Derivation", id="home.derive", tooltip=_UNFINISHED),
    hidden("plus", "more", "More", id="home.more", key_display="+", tooltip=_MORE),
    hidden("x", "exam", "Exam", id="home.exam", tooltip=_EXAM),
    Binding("a", "add", "Add", id="home.add", tooltip="Write a new card"),
    Binding("b", "go('browse')", "Browse", id="home.browse", tooltip=_BROWSE),
    Binding("s", "go('statistics')", "Stats", id="home.statistics", tooltip=_STATISTICS),
    hidden(
        "comma", "go('settings')", "Settings", id="home.settings", key_display=",", tooltip=_SET
    ),
    hidden("p", "go('problems')", "Problems", id="home.problems", tooltip=_PROBLEMS),
    hidden("r", "reload", "Reload", id="home.reload", tooltip="Reload files"),
    Binding("q", "app.quit", "Quit", id="home.quit"),
]

#: Seconds between two looks at whether what is shown still holds, and at how far a first start is.
WATCH_SECONDS = 2
READING_SECONDS = 0.1
#: Seconds since another screen was left, until what it held is swept away.
_REST: Final = 2.0

Arguments = ParamSpec("Arguments")


def _once_open(
    action: Callable[Concatenate[HomeScreen, Arguments], None],
) -> Callable[Concatenate[HomeScreen, Arguments], None]:
    """Do it now, or as soon as the collection is there; of several keys the first one counts."""

    def do(self: HomeScreen, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        if self.deltadeck.collection is None:
            self._wanted = self._wanted or partial(action, self, *args, **kwargs)
        else:
            action(self, *args, **kwargs)

    return do


class HomeScreen(DeckScreen[None]):
    BLANK = True  # what is to be seen are its parts
    AUTO_FOCUS = ""  # nothing can be studied before the decks are there
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (BROAD, "-broad")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = _KEYS

    def __init__(self, first: HomeSnapshot | None = None) -> None:
        """`first` is what it shows until the collection is open."""
        super().__init__()
        self._first = first
        self._seen = first.seen if first else None
        self._exams: tuple[ExamLine, ...] = first.exams if first else ()
        self._around: Activity | None = None
        self._asked: HomeState | None = None
        """What was seen when `around` and exams were last asked for."""
        self._drawn = Size(0, 0)
        self._plans = Exams()
        self._wanted: Callable[[], None] | None = None
        """What was asked for before the collection was open."""
        self._folded = set[str]()
        """Keys of decks whose own decks are hidden."""
        self._rows: tuple[DeckRow, ...] = ()
        """Those that are shown."""
        self._drafts: tuple[LeftText, ...] = ()
        self._opened: list[Path] = []
        """The drafts that were opened here: they stand behind the others."""
        self._told = 0
        """Of how many drafts it was said."""
        # Asked in threads, since a large collection takes a moment.
        self._looking = LatestOnly(self, self._look, self._show_all)
        self._asking = LatestOnly(self, self._ask_around, self._show_around)
        self._planning = LatestOnly(self, self._plan, self._show_exams)
        self._drafts_asking = LatestOnly(self, left_in, self._show_drafts)

    def compose(self) -> ComposeResult:
        yield TopLine("deltadeck")
        with Horizontal(id="home"):
            with Vertical(id="decks"):
                yield Static(id="columns")
                yield KeyedList("Study", id="tree")
                yield Static(id="empty", markup=False)
                yield Static(id="next")
            yield Static(id="beside")
        yield Static(id="calendar")
        yield Static(id="troubles", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._tree.display = False
        self._reading = self.set_interval(READING_SECONDS, self._show_reading)
        if self._seen is not None:
            self._show(self._seen)
        else:
            self._show_reading()
        if self._first is not None and self._first.around is not None:
            # It is drawn with what need not be loaded before the first paint.
            self.app.call_after_refresh(self._show_first, self._first.around)
        self.set_interval(WATCH_SECONDS, self.watch_folder)

    @property
    def _tree(self) -> KeyedList:
        return self.query_one("#tree", KeyedList)

    @property
    def _deck(self) -> str | None:
        """The key of the deck under the cursor; None for all."""
        return self._row.key if self._row else None

    @property
    def _row(self) -> DeckRow | None:
        """The one under the cursor."""
        at, rows = self._tree.highlighted, self._rows
        return rows[at] if at is not None and at < len(rows) else None

    def place(self) -> str | None:
        return self._deck

    def begin(self, seen: HomeState) -> None:
        """The collection is open, and this is what it holds: do what was asked for meanwhile."""
        self._show_all(seen)
        self._look_for_drafts()
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted()

    def _show_reading(self) -> None:
        app = self.deltadeck
        if app.collection is not None:
            self._reading.stop()
        elif self._seen is None:
            width = tree_columns(self.size.width)
            page = reading_panel(app.life.progress, str(app.folder), width)
            self.query_one("#empty", Static).update(page)

    # What there is.

    @on(ScreenResume)
    def show_counts(self) -> None:
        """Show the collection as it is now; nothing while it is still being opened."""
        if self._seen is not None and self.deltadeck.collection is not None:
            self._looking.ask(self.deltadeck.clock())

    def collection_changed(self) -> None:
        self._asked = None  # its files may have been newer than what was read of them
        self.show_counts()

    def watch_folder(self) -> None:
        """Say it when the folder goes away under the program, and take it up when it is back; and
        look again when what is shown holds no longer."""
        collection, seen = self.deltadeck.collection, self._seen
        if collection is None or seen is None or self.app.screen is not self:
            return
        if seen.gone != (not collection.root.is_dir()):
            self.action_reload()
        elif seen.made < seen.until <= self.deltadeck.clock():
            self.show_counts()

    @on(ScreenResume)
    def _resumed(self) -> None:
        if self.deltadeck.collection is not None:
            self.set_timer(_REST, lambda: sweep_all() if self.app.screen is self else None)
        if self._drafts:
            self._look_for_drafts()

    def _look(self, now: datetime) -> HomeState:
        return overview(self.collection, now)

    def _ask_around(self, seen: HomeState) -> Activity:
        collection, now = self.collection, self.deltadeck.clock()
        found = around(collection, now)
        if not any(found.days):
            derivations = len(collection.search("type:derivation", now))
            found = replace(found, cards=len(collection.cards), derivations=derivations)
        found = replace(
            found,
            next=tuple(_next(collection, seen)),
            unfinished=_unfinished(collection, now),
        )
        exams = self._exams if coming(collection, now) else ()
        keep(self.deltadeck.folder, HomeSnapshot(seen, found, exams))
        return found

    def _plan(self, seen: HomeState) -> tuple[ExamLine, ...]:
        exams = self._plans.lines(self.collection, self.deltadeck.clock())
        keep(self.deltadeck.folder, HomeSnapshot(seen, self._around, exams))
        return exams

    # What is shown.

    @on(Resize)
    def _draw_again(self) -> None:
        self.query_one(Footer).show_command_palette = self.size.width >= WIDE
        if self._seen is not None and self._drawn != self.size:
            self._show(self._seen)

    def _show_all(self, seen: HomeState) -> None:
        """The counts at once; what takes longer is asked for where it may be another now."""
        self._show(seen)
        if seen.holds != (self._asked.holds if self._asked else None) and not seen.gone:
            self._asked = seen
            self._asking.ask(seen)

    def _show_first(self, around: Activity) -> None:
        if self._around is None:
            self._around = around
            self._show_beside()

    def _show_around(self, around: Activity) -> None:
        self._around = around
        self._show_beside()
        self.refresh_bindings()
        if self._asked and stamp(self.collection.root) != self._asked.stamp:
            self.show_counts()  # what was asked meanwhile took up a change, which nobody tells
            return
        now = self.deltadeck.clock()
        if self._asked and (self._exams or coming(self.collection, now)):
            self._planning.ask(self._asked)

    def _show_exams(self, exams: tuple[ExamLine, ...]) -> None:
        self._exams = exams
        self._show_top()
        self._show_beside()
        self.refresh_bindings()

    def _show(self, seen: HomeState) -> None:
        deck, self._seen, self._drawn = self._deck, seen, self.size
        self._show_top()
        self._show_decks(seen, deck)
        self.put("#troubles", troubles_line(seen, self.deltadeck.folder, self.key))
        self._show_beside()
        self.refresh_bindings()

    def _show_top(self) -> None:
        now, top = self.deltadeck.clock(), self.query_one(TopLine)
        top.left = f"deltadeck · {self.deltadeck.folder.absolute().name}"
        today, exam = f"{now:%a} {now.day} {now:%b}", countdown(self._exams)
        top.right = f"{exam} · {today}" if exam else today

    def _show_decks(self, seen: HomeState, deck: str | None) -> None:
        """Every deck, the cursor on `deck`; where there is none, what to do."""
        tree, width = self._tree, tree_columns(self.size.width)
        columns = Content.styled(f"{'Decks':{width - NUMBERS}}{COUNTS}", "dim")
        self.put("#columns", columns if seen.rows else "")
        tree.display = bool(seen.rows)
        tree.clear_options()
        self._rows = tuple(self._unfolded(seen.rows))
        signs = {row.key: "▾ " for row in _with_decks(seen.rows)}
        signs |= {key: "▸ " for key in self._folded if key in signs}
        for row in self._rows:
            sign = signs.get(row.key, "  ") if signs else ""
            tree.add_option(Option(deck_row(row, width, sign)))
        if seen.rows:
            self.put("#empty", "")
            keys = [row.key for row in self._rows]
            tree.highlighted = keys.index(deck) if deck in keys else 0
            if self.app.screen is self:
                tree.focus()
            return
        said = f"There are no cards here yet. Press {self.key('home.add')} to write the first one"
        if seen.problems:
            said += f". Press {self.key('home.problems')} to see what cannot be read."
        else:
            said += f", or {self.key('home.starter')} to begin with the starter deck."
            said += " It asks you to derive, and checks what you derived while you write it."
        self.put("#empty", said)

    def _unfolded(self, rows: Sequence[DeckRow]) -> Iterator[DeckRow]:
        """The rows without those below a folded one."""
        folded: int | None = None
        for row in rows:
            if folded is None or row.depth <= folded:
                yield row
                folded = row.depth if row.key in self._folded else None

    def _show_beside(self) -> None:
        """The panel; the cards that come next and the calendar in the room that is left."""
        seen, around, size = self._seen, self._around, self.size
        if seen is None:
            return
        page = panel(seen, around, self._exams, size, self.deltadeck.clock(), self.key)
        self.put("#beside", page)
        tall, decks = page.plain.count("\n") + 1, len(self._rows)
        cards = around.next if around is not None else ()
        shown = next_rows(size, decks, around, tall)
        self.put("#next", next_cards(cards[:shown], tree_columns(size.width)) if shown else "")
        rows, calendar = calendar_rows(size, decks, tall, shown), Content("")
        below = shown + 2 if shown else 0
        most = tree_rows(size.height, below + (rows if size.width >= WIDE else tall))
        self._tree.styles.max_height = most
        if seen.rows and rows and around is not None and any(around.days):
            from tui.widgets.figure import calendar as drawn

            calendar = drawn(around, size.width - 2, rows)
        self.put("#calendar", calendar)

    # Cards that were being written when the program ended.

    def _look_for_drafts(self) -> None:
        self._drafts_asking.ask(self.collection.root)

    def _show_drafts(self, found: tuple[LeftText, ...]) -> None:
        self._drafts = tuple(sorted(found, key=lambda left: left.file in self._opened))
        self.refresh_bindings()
        if self.app.screen is self and len(found) != self._told:
            self._told = len(found)
            if found:
                were, it = ("was", "it") if len(found) == 1 else ("were", "one")
                cards = plural(len(found), "card")
                said = f"{cards} {were} being written when the program ended"
                self.deltadeck.say(f"{said}: {self.key('home.left')} opens {it}.")

    def action_left(self) -> None:
        """A new card as the draft that it was; what was changed in another one is asked about."""
        left, *_ = self._drafts
        self._opened.append(left.file)
        root = self.collection.root
        path = root / left.path.relative_to(root.resolve())
        text = None if path.exists() else left.text
        self.deltadeck.open_screen("edit", path, 1, text)

    # Where the keys lead.

    def action_fold(self, folds: bool) -> None:
        """Fold the deck under the cursor, or the one that it lies in; or unfold it."""
        seen, at = self._seen, self._tree.highlighted
        if seen is None or at is None:
            return
        parents = {row.key for row in _with_decks(seen.rows)}
        row = self._rows[at]
        if folds and row.key not in parents - self._folded:
            row = next((one for one in self._rows[at::-1] if one.depth < row.depth), row)
        key = row.key
        if key is None or key not in parents:
            return
        self._folded = self._folded | {key} if folds else self._folded - {key}
        self._show_decks(seen, key)
        self._show_beside()

    @on(OptionList.OptionSelected, "#tree")
    def _chosen(self) -> None:
        self._study_deck(self._deck)

    @_once_open
    def _study_deck(self, key: str | None) -> None:
        from deck.queue import SessionRequest

        self.study(SessionRequest(deck=key))

    def study(self, asked: SessionRequest | None) -> None:
        """Begin a sitting; None: the learner thought better of it."""
        if asked is not None:
            self.deltadeck.open_screen("study", asked)

    @_once_open
    def action_own(self, field: str) -> None:
        """A session of its own kind, begun at this field of its form."""
        self.deltadeck.open_screen("own", self._deck, field, then=self.study)

    @_once_open
    def action_more(self) -> None:
        self.deltadeck.open_screen("more", self._deck, then=lambda _: self.show_counts())

    @_once_open
    def action_derive(self) -> None:
        if self._around is not None and self._around.unfinished is not None:
            self.app.call_later(self._derive, self._around.unfinished.item)

    async def _derive(self, item: str) -> None:
        """Open the lab of an unfinished derivation, which offers what was tried."""
        from tui.study.prefetch import ExerciseLookup  # home is painted before it is loaded

        try:
            card = self.collection.card_of(item)
        except CollectionError as error:  # it was just deleted
            self.deltadeck.say(str(error), error=True)
            return
        lookup = ExerciseLookup(self, lambda _: None)
        lookup.look_at(card)
        await self.practise(item, card, lookup)

    @_once_open
    def action_exam(self) -> None:
        courses = coming(self.collection, self.deltadeck.clock())
        if courses:
            self.deltadeck.open_screen("exam", courses, (self._deck or "").split(" › ")[0])
        else:
            keys = f"`{self.key('home.settings')}` and `{self.key('settings.course')}`"
            self.deltadeck.say(f"No exam is set. Press {keys} to set a course's exam.")

    @_once_open
    def action_add(self) -> None:
        self.deltadeck.open_screen("add", self._deck)

    @_once_open
    def action_search(self) -> None:
        self.deltadeck.open_screen("browse", "", True)

    @_once_open
    def action_go(self, name: str) -> None:
        self.deltadeck.open_screen(name)

    @_once_open
    def action_starter(self) -> None:
        from cards.edit import copy_starter
        from cards.model import CardError

        try:
            copied = copy_starter(self.deltadeck.folder)
        except CardError as error:
            self.deltadeck.say(f"The starter deck was not copied: {error}", error=True)
            return
        self.deltadeck.reread()
        self.show_counts()
        self.deltadeck.say(f"{plural(copied, 'card')} added; each is a file that you can edit.")

    @_once_open
    def action_reload(self) -> None:
        if self.collection.root.is_dir():
            self.deltadeck.reread()
        self.collection_changed()

    def why_not(self, action: str) -> str:
        empty = f"There are no cards yet. Press {self.key('home.add')} to write the first one."
        known = {
            "derive": "No derivation is unfinished.",
            "left": "Every card is saved.",
        }
        if action == "more" and self._row is not None:
            return self._why_no_more()
        return known.get(action, empty)

    def _why_no_more(self) -> str:
        if self._deck is None and any(row.more for row in self._rows):
            more = self.key("home.more")
            return f"The limits of courses hold cards back: press {more} on a course."
        return "No limit holds cards back here today."

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        seen = self._seen
        if action == "left":
            return bool(self._drafts)
        if action == "starter":
            return bool(seen and not seen.rows and not seen.problems)
        if action == "derive":
            return bool(self._around and self._around.unfinished)
        if action == "fold":
            return bool(seen and [*_with_decks(seen.rows)])
        if action == "more":
            return self._row is not None and self._row.more
        if action in ("own", "exam", "search"):
            return bool(seen and seen.rows)
        return seen is not None or action not in ("add", "reload", "go")


def _with_decks(rows: Sequence[DeckRow]) -> Iterator[DeckRow]:
    """The rows that have others below them."""
    for row, below in pairwise(rows):
        if below.depth > row.depth:
            yield row


def _next(collection: Collection, seen: HomeState) -> Iterator[NextCard]:
    """The beginning of the queue."""
    from cards import CardError, read_card  # home is painted before these are loaded
    from tui.widgets.item_list import title

    kinds = dict(seen.queue)
    for card in collection.outlines([*kinds]):
        assert card.path is not None, "cards of a collection are files"
        kind = next(kinds[item.id] for item in card.items if item.id in kinds)
        with suppress(CardError):  # it was just deleted, or is being written
            yield NextCard(title(read_card(card.path)), card.type.replace("_", " "), kind)


#: So many derivations are looked at for one that is not correct.
_TRIED: Final = 8


def _unfinished(collection: Collection, now: datetime) -> Unfinished | None:
    """The last derivation whose last attempt was neither correct nor rated."""
    for item in collection.unrated(now, _TRIED):
        from engine.registry import may_ask  # which few starts need
        from tui.lab.visit import attempts
        from tui.widgets.item_list import title

        tried = attempts(collection.events(item)).since
        written = [one.outcome for one in tried if not one.by_hand]
        with suppress(CollectionError):  # it was just deleted
            card = collection.card_of(item)
            is_asked = may_ask(card.exercise, card.tags, card.type)
            if is_asked and written and written[-1] != "correct":
                return Unfinished(item, title(card), written[-1])
    return None
