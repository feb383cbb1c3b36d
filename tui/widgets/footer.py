"""The keys that matter here, on the last line.

One widget that draws a line: the toolkit's mounts a widget for each key, and all of them anew
whenever a key comes or goes; that took longer than anything else that a key press does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.content import Content
from textual.events import Click
from textual.reactive import reactive
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen


class Shown(NamedTuple):
    """A key, where it stands."""

    start: int
    end: int
    key: str


class Footer(Widget):
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
        self._shown: list[Shown] = []
        self._opens = ""
        """The palette's key."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.refresh()

    def render(self) -> Content:
        """As many keys as there is room for, whole; at the right the palette's, behind them all."""
        width, self._shown = self.size.width, []
        bindings = self.screen.active_bindings.values()
        palette, last = self._palette(bindings), 0
        parts: list[Content] = []
        for active, part in self._fitting(bindings, width):
            self._shown.append(Shown(last, last + part.cell_length, active.binding.key))
            last += part.cell_length
            parts.append(part)
        if palette and last + palette.cell_length <= width:
            parts += [Content(" " * (width - last - palette.cell_length)), palette]
            self._shown.append(Shown(width - palette.cell_length, width, self._opens))
        return Content("").join(parts)

    def _fitting(
        self, bindings: Iterable[ActiveBinding], width: int
    ) -> list[tuple[ActiveBinding, Content]]:
        """Keys and how they are drawn; where not all fit, the last but the ways out go."""
        found = [(each, self._drawn(each)) for each in _for_footer(bindings)]
        room = width - sum(part.cell_length for each, part in found if _leads_out(each))
        fitting = []
        for active, part in found:
            if not _leads_out(active):
                room -= part.cell_length
                if room < 0:
                    continue
            fitting.append((active, part))
        return fitting

    def _drawn(self, active: ActiveBinding) -> Content:
        display = self.app.get_key_display(active.binding)
        return _part(display, active.binding.description, active.enabled)

    def _palette(self, bindings: Iterable[ActiveBinding]) -> Content | None:
        found = next((each for each in bindings if each.binding.action == "command_palette"), None)
        if found is None or not self.show_command_palette:
            return None
        self._opens = found.binding.key
        display = self.app.get_key_display(found.binding)
        return Content.assemble(
            ("▏", "$foreground 20%"),
            (display, "bold $footer-key-foreground"),
            (f" {found.binding.description} ", "$footer-description-foreground"),
        )

    async def on_click(self, event: Click) -> None:
        for shown in self._shown:
            if shown.start <= event.x < shown.end:
                self.app.simulate_key(shown.key)


def _leads_out(active: ActiveBinding) -> bool:
    """Whether it is the key that whoever does not know what to do looks for: back, or help."""
    return active.binding.action.rpartition(".")[2] in ("back", "help")


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
