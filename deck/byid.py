"""A mapping whose values are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

_V = TypeVar("_V")


class ById(Mapping[str, _V]):
    """What the index names, read when it is asked for, in the order of the files' paths."""

    def __init__(
        self,
        ids: Callable[[], list[str]],
        has: Callable[[str], bool],
        read: Callable[[str], _V],
    ) -> None:
        self._ids, self._has, self._read = ids, has, read

    def __getitem__(self, key: str) -> _V:
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._has(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids())

    def __len__(self) -> int:
        return len(self._ids())
