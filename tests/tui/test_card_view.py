"""The card view on a screen: folding, links, scrolling sideways, selecting, resizing, its looks.
After a wanted change of these: pytest tests/tui/test_card_view.py --snapshot-update.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from cards import read_card
from tests.paths import ROOT
from tests.tui.driving import basic, running, write
from tui.page.layout import PageOptions, finder
from tui.page.page import RenderContext, pages_of
from tui.page.read import Context
from tui.painter import fitted, painter
from tui.widgets.card_page import CardPage, CardScroll
from tui.widgets.card_view import CardView

MATRIX = (
    r"$$ \begin{pmatrix}" + "&".join(f"a_{{{n}{n}}}" for n in range(1, 16)) + r"\end{pmatrix} $$"
)
#: A formula that no row can say.
TALL = r"$\begin{array}{c}1\\\hline2\end{array}$"
LINKED = "See [[pool]] and [[none]].\n\n## Part\ntext\n\n## Other\n[web](https://a.example)"


class Page(App[None]):
    """Two card views that scroll together."""

    CSS = "CardView { padding: 0; }"

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self.texts = texts
        self.reading = RenderContext(Context(resolve={"pool": "pool_id"}.get))
        self.followed: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        with CardScroll():
            for number, _ in enumerate(self.texts):
                yield CardView(id=f"v{number}")

    def on_mount(self) -> None:
        for number, text in enumerate(self.texts):
            shown = pages_of(None, text, "", self.reading).question
            self.query_one(f"#v{number}", CardView).show(shown, self.reading.painter)
        self.query_one(CardScroll).focus()

    def on_card_view_followed(self, message: CardView.Followed) -> None:
        self.followed.append((message.link.kind, message.target))

    def shown(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]


@asynccontextmanager
async def page(*texts: str, width: int = 40) -> AsyncIterator[tuple[Page, Pilot[None]]]:
    app = Page(*texts)
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        yield app, pilot


async def until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    """What is scrolled or laid out anew is seen a little later."""
    for _ in range(50):
        if true():
            return
        await pilot.pause()
    assert true()


async def test_sections_fold_by_heading_click_and_key_and_stay_folded_on_resize() -> None:
    async with page("before\n\n# A\none", "# B\ntwo") as (app, pilot):
        await pilot.press("tab", "enter")
        assert "one" not in app.shown()
        assert "two" in app.shown()
        await pilot.resize_terminal(30, 20)
        assert "one" not in app.shown()
        await pilot.press("enter")
        assert "one" in app.shown()
        await pilot.click("#v1", offset=(0, 0))
        assert "two" not in app.shown()
        await pilot.click("#v1", offset=(0, 0))
        await pilot.press("escape", "z")  # the section that is read
        assert "one" not in app.shown()
        await pilot.press("z", "Z")
        assert not {"one", "two"} & set(app.shown())
        await pilot.press("Z")
        assert {"one", "two"} <= set(app.shown())


async def test_keys_go_from_link_to_link_through_all_views_and_follow() -> None:
    async with page(LINKED, "[[pool|again]]") as (app, pilot):
        for _ in range(5):
            await pilot.press("l", "enter")
        assert app.followed == [
            ("card", "pool_id"),
            ("missing", "none"),
            ("web", "https://a.example"),
            ("card", "pool_id"),
            ("card", "pool_id"),
        ]
        assert app.query_one("#v1", CardView).picked is None
        await pilot.press("escape", "shift+tab", "enter")
        assert app.followed[5:] == [("card", "pool_id")]
        await pilot.press("escape", "enter")
        assert len(app.followed) == 6
        await pilot.click("#v0", offset=(5, 0))
        assert app.followed[6:] == [("card", "pool_id")]
        await pilot.click("#v0", offset=(1, 0))
        await pilot.press("l", "l", "l", "Z", "enter")  # what is folded away is not followed
        assert len(app.followed) == 7


# Sideways, and what is selected.

WIDE = "```\n" + "abcdefghij" * 6 + "\n```"


async def test_what_is_too_wide_scrolls_sideways_with_a_sign() -> None:
    async with page(MATRIX, f"{WIDE}\n\n{WIDE}") as (app, pilot):
        assert app.shown()[0].endswith("›")
        assert not app.shown()[0].startswith("‹")
        # The wheel scrolls the part under it.
        await pilot._post_mouse_events([MouseScrollDown], widget="#v1", offset=(3, 2), shift=True)
        await pilot.pause()
        below = app.query_one("#v1").virtual_region.y
        assert [app.shown()[below + row].startswith("‹") for row in (0, 2)] == [False, True]
        await pilot.press("right")
        assert app.shown()[0].startswith("‹")
        await pilot.press(*["right"] * 20)
        assert not app.shown()[0].endswith("›")
        assert app.shown()[0].endswith(")")
        # A wider page shows more of what was scrolled.
        await pilot.resize_terminal(58, 20)
        await until(pilot, lambda: app.shown()[below].endswith("hij"))
        await until(pilot, lambda: app.shown()[below].startswith("‹"))
        await pilot.resize_terminal(80, 20)
        await until(pilot, lambda: app.shown()[below].startswith("  abc"))
        await pilot.press(*["left"] * 20)
        assert app.shown()[0].lstrip().startswith("(")


async def test_what_is_selected_is_copied_as_its_source_and_never_followed() -> None:
    texts = (f"half is {TALL}, say\n\nend", "first text", "second text", LINKED)
    async with page(*texts) as (app, pilot):
        for start, end, copied in (
            (("#v0", (5, 1)), ("#v0", (12, 1)), f"is {TALL}, sa"),
            (("#v1", (6, 0)), ("#v2", (5, 0)), "text\nsecon"),
            (("#v3", (5, 0)), ("#v3", (7, 0)), "ool"),
        ):
            await pilot.mouse_down(start[0], offset=start[1])
            await pilot.hover(end[0], offset=end[1])
            await pilot.mouse_up(end[0], offset=end[1])
            assert app.screen.get_selected_text() == copied
        assert app.followed == []


async def test_a_page_follows_its_width_and_its_theme_and_says_what_is_wrong() -> None:
    texts = ("# Head\n$x$", "so $\\frac{1}{2$", "word " * 60, "")
    async with page(*texts, width=90) as (app, pilot):
        await pilot.hover("#v1", offset=(4, 0))
        assert "never closed" in str(app.query_one("#v1", CardView).tooltip)
        await pilot.hover("#v1", offset=(0, 0))
        assert app.query_one("#v1", CardView).tooltip is None
        drawn = []
        for theme in ("textual-dark", "textual-light"):
            app.theme = theme
            await pilot.pause()
            drawn.append(app.query_one("#v0", CardView).render_line(0))
        assert drawn[0] != drawn[1]
        assert app.query_one("#v3").size.height == 0
        for width in (20, 60, 100):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            longest = max(len(line) for line in app.shown())
            assert width - 6 <= longest <= width


# In the app.


async def test_a_link_opens_the_card_above_and_ctrl_c_copies_the_source_of_formulas(
    folder: Path,
) -> None:
    question = "Let $x \\in \\Reals$. See [[Second Card]]."
    write(folder, "a_first", basic("a_first", question, "And [[nobody]]."))
    write(folder, "second_card", basic("second_card", "The second?", "Yes."))
    (folder / ".deltadeck").mkdir(exist_ok=True)
    (folder / ".deltadeck" / "config.toml").write_text("[math.macros]\nReals = '\\mathbb{R}'\n")
    async with running(folder) as app:
        await app.press("enter")
        assert "Let x ∈ ℝ." in app.shown()
        await app.pilot.mouse_down("#question", offset=(0, 0))
        await app.pilot.hover("#question", offset=(8, 0))
        await app.pilot.mouse_up("#question", offset=(8, 0))
        await app.press("ctrl+c")
        assert app.app.clipboard == "Let $x \\in \\Reals$"
        await app.press("enter")  # reveals while no link is picked
        assert "And nobody" in app.shown()
        await app.press("l", "enter")
        assert app.screen == "CardScreen"
        assert "The second?" in app.shown()
        assert "Yes." in app.shown()
        await app.press("escape")
        assert app.screen == "StudyScreen"
        await app.press("l", "enter")
        assert app.screen == "StudyScreen"
        assert any("nobody" in said for said in app.said())


# Pictures.


class Painted:
    """Stands for a terminal that draws pictures."""

    def cells(self, path: Path, width: int) -> tuple[int, int] | None:
        return (min(width, 12), 3) if path.stat().st_size else None

    def widget(self, path: Path) -> Widget:
        return Static(f"drawn {path.stem}")


async def settled(pilot: Pilot[None]) -> None:
    """Pictures are put up after the page is laid out, and then seen."""
    for _ in range(3):
        await pilot.pause()


async def test_a_picture_hangs_over_the_rows_that_are_free_for_it(tmp_path: Path) -> None:
    (tmp_path / "pool.png").write_bytes(b"something")
    (tmp_path / "empty.png").write_bytes(b"")
    app = Page("# A\n\n![The pool](pool.png)\n\n![Nothing](empty.png)\n\nend")
    find, painted = finder(tmp_path / "card.md", tmp_path), Painted()
    look = PageOptions(folds=True, find=find, measure=painted.cells)
    app.reading = RenderContext(Context(), look, painted)
    async with app.run_test(size=(40, 24)) as pilot:
        await settled(pilot)
        assert app.shown()[2:7] == ["drawn pool", "", "", "The pool", ""]
        assert "Nothing" in app.shown()[8]
        await pilot.press("Z")
        await settled(pilot)
        assert not any("drawn" in line for line in app.shown())
        await pilot.press("Z")
        await settled(pilot)
        assert "drawn pool" in app.shown()


def test_a_picture_keeps_its_shape_and_fits() -> None:
    assert fitted((100, 100), (10, 20), 80) == (10, 5)
    assert fitted((2000, 1000), (10, 20), 80) == (80, 20)
    assert fitted((100, 100_000), (10, 20), 80)[1] == 24
    assert fitted((1, 1), (10, 20), 80) == (1, 1)


def test_only_terminals_that_draw_are_asked() -> None:
    assert painter({}) is None
    assert painter({"TERM": "xterm-256color"}) is None
    assert painter({"TERM": "xterm-kitty", "TMUX": "1"}) is None


# Long cards.

LONG = "\n\n".join(
    f"# Part {part}\n\n"
    + "\n\n".join(f"{part}.{n} words" for n in range(12))
    + f"\n\n[[pool|L{part}]]"
    for part in range(4)
)


async def scrolled(app: Page, pilot: Pilot[None], words: str) -> None:
    """Until the words stand in the first row."""
    scroll = app.query_one(CardScroll)
    for view in app.query(CardView):
        for number, row in enumerate(view._sheet.rows if view._sheet else []):
            if row.text.strip() == words:
                scroll.scroll_to(y=view.virtual_region.y + number, animate=False, force=True)
    await until(pilot, lambda: words in app.shown()[0])


async def test_keys_go_on_from_what_is_seen() -> None:
    async with page("one\n\n" * 3, LONG) as (app, pilot):
        await scrolled(app, pilot, "1.3 words")
        await pilot.press("tab", "enter")
        assert app.followed == [("card", "pool_id")]
        await until(pilot, lambda: "1.3 words" in app.shown()[0])
        await scrolled(app, pilot, "3.0 words")
        await pilot.press("shift+tab")
        await until(pilot, lambda: "Part 3" in app.shown()[0])
        await pilot.press("end")
        await until(pilot, lambda: any("L3" in line for line in app.shown()))
        await pilot.press("home")
        await until(pilot, lambda: "one" in app.shown()[0])
        await scrolled(app, pilot, "0.9 words")
        await pilot.press("l", "enter")
        assert app.followed == [("card", "pool_id")] * 2
        await until(pilot, lambda: "0.9 words" in app.shown()[0])


async def test_folding_keeps_the_place() -> None:
    async with page(LONG, LONG) as (app, pilot):
        await scrolled(app, pilot, "2.5 words")
        await pilot.press("Z")
        await until(pilot, lambda: any("Part 2" in line for line in app.shown()))
        await until(pilot, lambda: not any("words" in line for line in app.shown()))
        await pilot.press("Z")
        await until(pilot, lambda: "2.5 words" in app.shown()[0])
        await pilot.press("z")
        await until(pilot, lambda: app.shown()[0].startswith("Part 2 ▸"))


# What cards look like: limits centred under their operator, `=` on the axis of its fraction, the
# point of a brace on the axis.

EVERYTHING = ROOT / "tests" / "tui" / "page_of_everything.md"
QUIZ = ROOT / "tests" / "material" / "cards" / "quiz_observer.md"
READING = RenderContext(Context(resolve={"pool": "pool", "cnn": "cnn"}.get))
Snap = Callable[..., bool]


class Cards(App[None]):
    """One page, and nothing else."""

    CSS = "CardPage { padding: 1 2; } #solution { margin: 1 0; }"

    def __init__(self, show: Callable[[CardPage], None]) -> None:
        super().__init__()
        self.theme = "textual-dark"
        self._show = show

    def compose(self) -> ComposeResult:
        yield CardPage()

    def on_mount(self) -> None:
        self._show(self.query_one(CardPage))


def test_cards(snap_compare: Snap) -> None:
    card = read_card(QUIZ)

    def show(page: CardPage) -> None:
        page.show_pages(pages_of(card, card.question, card.solution, READING))
        page.mark(frozenset("A"), card.correct_letters or None)

    assert snap_compare(Cards(show), terminal_size=(100, 48))


def test_one_of_everything(snap_compare: Snap) -> None:
    def show(page: CardPage) -> None:
        page.show_pages(pages_of(None, EVERYTHING.read_text("utf-8"), "", READING))
        page.reveal(False)

    assert snap_compare(Cards(show), terminal_size=(80, 56))
