"""Pictures and sounds that notes show: found beside the note or in the folder, and named anew.

A card names a medium by its bare name; two files of one name in two folders get two names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from cards.links import Definition, Found, definitions, edited, embeds, written_name
from deck.exchange.bundle import Lost
from deck.exchange.draft import Draft
from deck.exchange.source import MAX_MEDIA, Source, opened

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOTES = {"", ".md", ".canvas", ".base"}


def renamed(
    text: str,
    name_of: Callable[[Found], str | None],
    known: Mapping[str, Definition] | None = None,
) -> tuple[str, list[str]]:
    """The text with its embeds under other names, and these; code and formulas stay.

    `name_of` is given an embed; None leaves it as it is.  `known` are definitions for references
    beside the text's own.
    """
    used: list[str] = []
    edits: list[tuple[int, int, str]] = []
    for found in embeds(text, known):
        if (name := name_of(found)) is None:
            continue
        used.append(name)
        label = "" if found.label.replace("x", "").isdigit() else found.label  # a size
        edits.append((found.start, found.end, f"![{label}]({written_name(name)})"))
    return edited(text, edits), used


class Pictures:
    """The media of a folder; `media` grows as texts are taken."""

    def __init__(self, source: Source, roots: Iterable[Path] = ()) -> None:
        self.source = source
        self.media: dict[str, Callable[[], IO[bytes]]] = {}
        self._roots = tuple(roots) or (source.root,)
        self._names: dict[Path, str] = {}
        self._by_name: dict[str, Path] | None = None

    def put(self, draft: Draft, note: Path, known: Mapping[str, Definition] | None = None) -> None:
        """Takes the pictures of a card's two sides; `note` is the file that it stands in, and
        `known` what that defines for references."""
        known = {**(known or {}), **definitions(f"{draft.question}\n\n{draft.solution}")}

        def name_of(found: Found) -> str | None:
            return self.take(found, note, draft.where)

        draft.question, shown = renamed(draft.question, name_of, known)
        draft.solution, more = renamed(draft.solution, name_of, known)
        draft.media = [*draft.media, *shown, *more]

    def take(self, found: Found, note: Path, where: str) -> str | None:
        """The name of an embed's file; None where it has none, which is said."""
        path, why = self._file(found, note)
        if why:
            self.source.lost.append(Lost(where, why))
        return self._named(path.resolve()) if path else None

    def _file(self, found: Found, note: Path) -> tuple[Path | None, str]:
        """The file of an embed, or why there is none; "" where it is on the web."""
        target = found.name.partition("#")[0].strip() if found.kind == "wiki" else found.name
        if found.kind == "unread":
            what = f"The picture {target!r} is not written as Markdown reads one; it was left out."
            return None, f"{what} Write ![words](<its name>)."
        if _ADDRESS.match(target):
            what = f"The picture {target[:80]!r} is shown by HTML, which stays there as text."
            return None, what if found.kind == "html" else ""
        if found.kind == "wiki" and Path(target).suffix.lower() in _NOTES:
            what = f"It shows the note {target!r} inside itself; only the link to it was kept."
            return None, what
        path = self._find(target, note) or self._find(unquote(target), note)
        if path is None:
            return None, f"The picture {target!r} is not in the folder; its place stays empty."
        if path.stat().st_size > MAX_MEDIA:
            most = f"{MAX_MEDIA // 1_000_000} MB"
            return None, f"{target!r} is larger than {most}; it was not copied."
        return path, ""

    def _find(self, target: str, note: Path) -> Path | None:
        if "\0" in target or len(target) > 1000:
            return None
        tried = [note.parent / target, *(root / target.lstrip("/@") for root in self._roots)]
        for path in tried:
            if self.source.inside(path):
                return path
        if self._by_name is None:
            self._by_name = {}
            for path in self.source.files():
                self._by_name.setdefault(path.name.casefold(), path)
        found = self._by_name.get(target.rpartition("/")[2].casefold())
        return found if found and self.source.inside(found) else None

    def _named(self, path: Path) -> str:
        if path not in self._names:
            name, count = path.name, 1
            while name in self.media:
                count += 1
                name = f"{path.stem}-{count}{path.suffix}"
            self._names[path] = name
            self.media[name] = partial(opened, path)
        return self._names[path]
