"""Which file names the cards of a merge get: no two the same, and none twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from deck.sync.matching import Place, Versions


class Names:
    """The paths of a tree: no file where another file or a folder is."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in taken:
            self.take(path)

    def take(self, path: str) -> None:
        self._files.add(path)
        while (path := path.rpartition("/")[0]) and path not in self._folders:
            self._folders.add(path)

    def is_free(self, path: str) -> bool:
        if path in self._files or path in self._folders:
            return False
        return not any(str(folder) in self._files for folder in PurePosixPath(path).parents)

    def free(self, path: str) -> str:
        """The path, or one like it with a number: behind the file's name, or behind that of a
        folder which is a file here."""
        for folder in reversed(PurePosixPath(path).parents):
            if str(folder) in self._files:
                return self.free(f"{self._numbered(str(folder))}{path[len(str(folder)) :]}")
        return path if self.is_free(path) else self._numbered(path)

    def _numbered(self, path: str) -> str:
        plain, number = PurePosixPath(path), 2
        while not self.is_free(found := str(plain.with_stem(f"{plain.stem}-{number}"))):
            number += 1
        return found


def named(cards: Iterable[Versions], names: Names) -> Iterator[tuple[str, str, Versions]]:
    """Each card that is left, with the path that it gets, and the one that it would have.

    Of several that would have one path, that one gets it which has it here: as few files as can
    be get another name on the computer that merges.
    """
    wanted = [(path, card) for card in cards if (path := card.path()) is not None]
    for path, card in sorted(wanted, key=_rank):
        got = names.free(path)
        names.take(got)
        yield got, path, card


def _rank(wanted: tuple[str, Versions]) -> tuple[object, ...]:
    path, card = wanted
    is_here, is_there = _is_at(card.ours, path), _is_at(card.theirs, path)
    return not is_here, not is_there, path, [place.entry.oid for place in card.places()]


def _is_at(place: Place | None, path: str) -> bool:
    return place is not None and place.path == path
