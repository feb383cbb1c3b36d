"""An app whose clipboard is the system's too, where the system has one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from tui.themed import ThemedApp

if TYPE_CHECKING:
    from tui.clipboard import Clipboard


class CopyingApp(ThemedApp):
    environment: Mapping[str, str] = MappingProxyType({})
    """Of the desk that one sits at; empty where that is another machine's."""

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        if self._system is not None:
            self.run_worker(partial(self._system.copy, text), thread=True, name="copy")

    @property
    def clipboard(self) -> str:
        return (self._system.paste() if self._system is not None else "") or super().clipboard

    @cached_property
    def _system(self) -> Clipboard | None:
        from tui.clipboard import system_clipboard

        return system_clipboard(self.environment)
