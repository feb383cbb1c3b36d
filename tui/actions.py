"""What can be done on a screen now: its actions, each with its keys and its words.

The help page and the command palette show the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.dom import DOMNode
    from textual.screen import Screen


class Deed(NamedTuple):
    binding: Binding
    """The first of its keys."""
    node: DOMNode
    """Whose action it is."""
    keys: tuple[str, ...]
    """As the footer shows them."""
    ids: tuple[str, ...]
    """Its names in config.toml; several where letters do the same to something else."""

    @property
    def words(self) -> str:
        """What it does."""
        return self.binding.tooltip or self.binding.description

    @property
    def matters(self) -> bool:
        """Whether it does something; the others move about."""
        return self.binding.show or bool(self.binding.tooltip)


def deeds(screen: Screen[Any], soon: bool = False) -> list[Deed]:
    """Those that can be done now, the focused widget's first; nothing twice.  With `soon` also
    what is disabled, as a rating is before the reveal."""
    found: dict[str, Deed] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        # Ours have ids; the toolkit's own (scroll left, copy) would bury them.
        if not (active.enabled or soon) or not binding.description or not binding.id:
            continue
        deed = Deed(binding, active.node, (screen.app.get_key_display(binding),), (binding.id,))
        found[deed.words] = _joined(found[deed.words], deed) if deed.words in found else deed
    return list(found.values())


def _joined(first: Deed, other: Deed) -> Deed:
    keys = list(dict.fromkeys((*first.keys, *other.keys)))
    if all(len(key) == 1 and key.isalpha() for key in keys):
        keys.sort()
    ids = dict.fromkeys((*first.ids, *other.ids))
    return first._replace(keys=tuple(keys), ids=tuple(ids))
