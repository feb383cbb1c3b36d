"""What frames every screen: top line, footer, lists and scrolling with vim's keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import OptionList, Static

from tui.text import visible_line

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen


class Footer(Widget):
    """The keys that matter here, on the last line.

    One widget that draws a line: the toolkit's mounts a widget for each key, and all of them anew
    whenever a key comes or goes; that took longer than anything else that a key press does.
    """

    DEFAULT_CSS = """
    Footer {
        dock: bottom; height: 1; width: 1fr;
        background: $footer-background; color: $footer-foreground;
    }
    """
    ALLOW_SELECT: ClassVar[bool] = False

    show_command_palette: reactive[bool] = reactive(True)
    """Whether the palette's key stands at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[tuple[range, str]] = []
        """The columns of each key."""
        self._drawn: dict[str, tuple[Content, Strip]] = {}
        """Lines as they were drawn, by their text: a screen has a few."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.refresh()

    def render(self) -> Content:
        """As many keys as there is room for, whole; at the right the palette's, behind them all."""
        width, last = self.size.width, 0
        self._shown = []
        bindings = list(self.screen.active_bindings.values())
        parts: list[Content] = []
        for key, part in self._fitting(bindings, width):
            self._shown.append((range(last, last + part.cell_length), key))
            last += part.cell_length
            parts.append(part)
        palette = (each for each in bindings if each.binding.action == "command_palette")
        if self.show_command_palette and (opens := next(palette, None)) is not None:
            part = Content.assemble(
                ("▏", "$foreground 20%"),
                (self.app.get_key_display(opens.binding), "bold $footer-key-foreground"),
                (f" {opens.binding.description} ", "$footer-description-foreground"),
            )
            if last + part.cell_length <= width:
                parts += [Content(" " * (width - last - part.cell_length)), part]
                self._shown.append((range(width - part.cell_length, width), opens.binding.key))
        return Content("").join(parts)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        content, width = self.render(), self.size.width
        drawn = self._drawn.get(content.plain)
        if drawn is None or drawn[1].cell_length != width or not drawn[0].is_same(content):
            ground = self.visual_style
            strips = Visual.to_strips(self, content, width, 1, ground) or [Strip([])]
            strip = strips[0].adjust_cell_length(width, ground.rich_style)
            drawn = self._drawn[content.plain] = content, strip
        return drawn[1]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()

    def _fitting(
        self, bindings: Iterable[ActiveBinding], width: int
    ) -> Iterator[tuple[str, Content]]:
        """Keys and how they are drawn; where not all fit, the last but the ways out go."""
        found = []
        for active in _for_footer(bindings):
            binding = active.binding
            # What whoever does not know what to do looks for: back, or help.
            leads_out = binding.action.rpartition(".")[2] in ("back", "help")
            display = self.app.get_key_display(binding)
            part = _part(display, binding.description, active.enabled)
            found.append((leads_out, binding.key, part))
        room = width - sum(part.cell_length for leads_out, _, part in found if leads_out)
        for leads_out, key, part in found:
            room -= 0 if leads_out else part.cell_length
            if leads_out or room >= 0:
                yield key, part

    async def on_click(self, event: Click) -> None:
        for columns, key in self._shown:
            if event.x in columns:
                self.app.simulate_key(key)


def _for_footer(bindings: Iterable[ActiveBinding]) -> Iterator[ActiveBinding]:
    """Those that a footer shows: one for each action, and one of those of a widget named alike."""
    seen: set[object] = set()
    for active in bindings:
        binding = active.binding
        names = {binding.action, (active.node, binding.description)}
        if binding.show and binding.description and not names & seen:
            seen |= names
            yield active


@lru_cache(maxsize=256)
def _part(display: str, description: str, enabled: bool) -> Content:
    dim = "" if enabled else "dim "
    return Content.assemble(
        (f" {display} ", f"{dim}bold $footer-key-foreground"),
        (f"{description} ", f"{dim}$footer-description-foreground"),
    )


class TopLine(Widget):
    """Where one is, what is shown, how far along; where these do not fit on the line, the left one
    is cut first."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; background: $panel; color: $foreground; }
    """

    left: reactive[str] = reactive("")
    short: reactive[str] = reactive("")
    """Stands for `left` where that does not fit."""
    middle: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def __init__(self, left: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(TopLine.left, left)

    def render(self) -> Content:
        width = self.size.width
        middle, right = Content(visible_line(self.middle)), Content(visible_line(self.right))
        fixed = right.cell_length + (middle.cell_length + 3 if middle else 0)
        whole = visible_line(self.left)
        if self.short and Content(whole).cell_length > width - fixed - 3:
            whole = visible_line(self.short)
        left = Content.styled(whole, "bold")
        left = left.truncate(max(8, width - fixed - 3), ellipsis=True)
        # Centred where it can be, but never over its neighbours.
        free = width - left.cell_length - middle.cell_length - right.cell_length
        before = max(2, min(free - 2, (width - middle.cell_length) // 2 - left.cell_length))
        after = max(1, free - before)
        return Content.assemble(
            left,
            " " * before,
            (middle.plain, "$foreground-muted"),
            " " * after,
            (right.plain, "dim"),
        )


class KeyedList(OptionList):
    """An option list whose enter key says what it does, with vim's keys beside the arrows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k,up", "cursor_up", "Up", show=False, id="list.up"),
        Binding("pagedown,ctrl+d", "page_down", "Page down", show=False, id="list.page-down"),
        Binding("pageup,ctrl+u", "page_up", "Page up", show=False, id="list.page-up"),
        Binding("g,home", "first", "First", show=False, id="list.first"),
        Binding("G,end", "last", "Last", show=False, id="list.last"),
        Binding("enter", "select", "Choose", id="list.enter"),
    ]

    def __init__(
        self, enter: str, *, id: str | None = None, markup: bool = False, show: bool = True
    ) -> None:
        """`enter` is what that key does; `show`: it stands in the footer."""
        super().__init__(id=id, markup=markup)
        [usual] = self._bindings.key_to_bindings["enter"]
        self._bindings.key_to_bindings["enter"] = [replace(usual, description=enter, show=show)]

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """With reverse video, which the toolkit leaves out; a terminal without colours needs it."""
        style = super().get_visual_style(*component_classes, partial=partial)
        found = (self.get_component_styles(name) for name in component_classes)
        if any(each.text_style.reverse for each in found):
            style += Style(reverse=True)
        return style


class StepScroll(VerticalScroll, inherit_bindings=False):
    """What scrolls by keys, each of which counts: Textual scrolls after the next paint, to where a
    key would lead from the last one, and of two keys before a paint, one was lost."""

    rows_ahead = 0
    """Rows that keys asked for and no paint has shown."""

    @property
    def scrolls(self) -> bool:
        """Whether there is more than is seen."""
        return self.max_scroll_y > 0

    def scroll_lines(self, lines: int) -> None:
        """After the next paint, which may be of what is longer than this."""
        self.rows_ahead += lines
        self.call_after_refresh(self._catch_up)

    def scroll_pages(self, pages: int) -> None:
        """A page less two rows, so that one finds one's place again."""
        self.scroll_lines(pages * max(1, self.size.height - 2))

    def _catch_up(self) -> None:
        ahead, self.rows_ahead = self.rows_ahead, 0
        if ahead:
            self.scroll_to(y=self.scroll_y + ahead, animate=False, immediate=True)


#: A key that the help names, and the footer does not.
hidden = partial(Binding, show=False)


def scrolling(screen: str, page_down: str = "pagedown,ctrl+d", show: bool = False) -> list[Binding]:
    """The keys that scroll, by their names in config.toml those of a `screen`; `show`: one of them
    stands in the footer."""
    return [
        hidden("j,down", "lines(1)", "Down", id=f"{screen}.down"),
        hidden("k,up", "lines(-1)", "Up", id=f"{screen}.up"),
        Binding(page_down, "pages(1)", "Page down", show=show, id=f"{screen}.page-down"),
        hidden("pageup,ctrl+u", "pages(-1)", "Page up", id=f"{screen}.page-up"),
    ]


class KeyedScroll(StepScroll, can_focus=True, inherit_bindings=False):
    """A page that scrolls by vim's keys beside the arrows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *scrolling("page"),
        Binding("g,home", "scroll_home", "To the top", show=False, id="page.top"),
        Binding("G,end", "scroll_end", "To the bottom", show=False, id="page.bottom"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not named: these, while everything is seen."""
        if action in ("lines", "pages", "scroll_home", "scroll_end") and not self.scrolls:
            return False
        return super().check_action(action, parameters)

    def action_lines(self, lines: int) -> None:
        self.scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.scroll_pages(pages)


class Fitted(Static):
    """Text as wide as its container lets it be; what it shows is a function of that width."""

    DEFAULT_CSS = "Fitted { width: 1fr; }"

    _draw: Callable[[int], Content] | None = None

    def lay(self, draw: Callable[[int], Content]) -> None:
        """Show what `draw` makes of a width, now and after each change of it."""
        self._draw = draw
        self._fit()

    def on_resize(self) -> None:
        # Now, the toolkit may still owe a layout of its own, and would forget ours.
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self._draw is not None and self.content_size.width:
            self.update(self._draw(self.content_size.width))
