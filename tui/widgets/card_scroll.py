"""What card views scroll in, and the keys for their links, headings and wide formulas."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.widgets.card_view import CardView


class CardScroll(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Its card views are one page: the keys go from the links of one on to those of the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "stop(1)", "Next link or heading", show=False, id="card.next"),
        Binding("shift+tab", "stop(-1)", "Link or heading before", show=False, id="card.before"),
        Binding("l", "link", "Next link", show=False, id="card.link"),
        Binding("enter", "follow", "Open", show=False, id="card.follow"),
        Binding("escape", "unpick", "Leave the link", show=False, id="card.unpick"),
        Binding("z", "fold", "Fold or unfold the section", show=False, id="card.fold"),
        Binding("Z", "fold_all", "Fold or unfold all", show=False, id="card.fold-all"),
        Binding("left", "sideways(-1)", "Wide formulas left", show=False, id="card.left"),
        Binding("right", "sideways(1)", "Wide formulas right", show=False, id="card.right"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.letters: frozenset[str] = frozenset()
        """Upper-case letters whose keys mean something else now: options to pick."""

    @property
    def _views(self) -> list[CardView]:
        return [view for view in self.query(CardView) if view.display]

    @property
    def _at(self) -> int | None:
        """Which view the picked link or heading is in."""
        picked = (n for n, view in enumerate(self._views) if view.picked is not None)
        return next(picked, None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action in ("follow", "unpick"):
            return self._at is not None
        if action in ("fold", "fold_all"):
            return any(view.has_folds for view in self._views)
        if action == "sideways":
            return any(view.is_wide for view in self._views)
        return action != "link" or "L" not in self.letters

    def action_stop(self, step: int, links: bool = False) -> None:
        """Round and round through all views."""
        views, at = self._views, self._at
        if not views:
            return
        begin = at if at is not None else (0 if step > 0 else len(views) - 1)
        for turn in range(len(views) + 1):
            view = views[(begin + turn * step) % len(views)]
            if turn:
                view.unpick()
            if view.pick(step, links):
                for other in views:
                    if other is not view:
                        other.unpick()
                break
        self.refresh_bindings()

    def action_link(self) -> None:
        self.action_stop(1, links=True)

    def action_follow(self) -> None:
        if (at := self._at) is not None:
            self._views[at].follow()

    def action_unpick(self) -> None:
        for view in self._views:
            view.unpick()

    def action_fold(self) -> None:
        """The section of the picked heading, else the one that the top of the screen is in."""
        views = self._views
        if not views:
            return
        top = self.scroll_offset.y
        under = [view for view in views if view.virtual_region.bottom > top] or views[-1:]
        view = views[at] if (at := self._at) is not None else under[0]
        view.fold(top - view.virtual_region.y)

    def action_fold_all(self) -> None:
        for view in self._views:
            view.fold_all()

    def action_sideways(self, step: int) -> None:
        for view in self._views:
            view.sideways(step)
