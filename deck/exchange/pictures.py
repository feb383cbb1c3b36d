"""Pictures and sounds that notes show: found beside the note or in the folder, and named anew.

A card names a medium by its bare name; two files of one name in two folders get two names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from cards.spans import in_math, spans
from deck.exchange.bundle import Lost
from deck.exchange.draft import Draft
from deck.exchange.source import MAX_MEDIA, Source, opened

_WIKI = (
    r"!\[\[(?P<wiki>[^\[\]\n|#]{1,500})(?P<more>#[^\[\]\n|]*)?"
    r"(?:\|(?P<label>[^\[\]\n]{0,500}))?\]\]"
)
_INLINE = (
    r"!\[(?P<alt>[^\[\]\n]{0,500})\]"
    r"\(\s*(?:<(?P<long>[^<>\n]{1,1000})>|(?P<short>[^()<>\s]{1,1000}))(?:\s+\"[^\"\n]*\")?\s*\)"
)
_EMBED = re.compile(f"{_WIKI}|{_INLINE}")
_SPACED = re.compile(r"[\s()]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOTES = {"", ".md", ".canvas", ".base"}


def renamed(text: str, name_of: Callable[[str, bool], str | None]) -> tuple[str, list[str]]:
    """The text with its embeds under other names, and these; code and formulas stay.

    `name_of` is given an embed's target, and whether it is one of Obsidian's (`![[...]]`); None
    leaves it as it is.
    """
    if "![" not in text:
        return text, []
    code = [(span.start, span.end) for span in spans(text)]
    used: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        if in_math(code, found.start() + 1):
            return found[0]
        target = found["wiki"] or found["long"] or found["short"]
        name = name_of(target.strip(), found["wiki"] is not None)
        if name is None:
            return found[0]
        used.append(name)
        label = found["label"] if found["wiki"] else found["alt"]
        label = "" if (label or "").replace("x", "").isdigit() else label or ""
        return f"![{label}]({f'<{name}>' if _SPACED.search(name) else name})"

    return _EMBED.sub(replaced, text), used


class Pictures:
    """The media of a folder; `media` grows as texts are taken."""

    def __init__(self, source: Source, roots: Iterable[Path] = ()) -> None:
        self.source = source
        self.media: dict[str, Callable[[], IO[bytes]]] = {}
        self._roots = tuple(roots) or (source.root,)
        self._names: dict[Path, str] = {}
        self._by_name: dict[str, Path] | None = None

    def taken(self, text: str, note: Path, where: str) -> tuple[str, list[str]]:
        """The text with its pictures under their new names, and these."""
        return renamed(text, lambda target, wiki: self.take(target, note, where, wiki))

    def put(self, draft: Draft, note: Path) -> None:
        """Takes the pictures of a card's two sides; `note` is the file that it stands in."""
        draft.question, shown = self.taken(draft.question, note, draft.where)
        draft.solution, more = self.taken(draft.solution, note, draft.where)
        draft.media = [*draft.media, *shown, *more]

    def take(self, target: str, note: Path, where: str, wiki: bool) -> str | None:
        """The name of an embed's file; None where it has none, which is said."""
        if _ADDRESS.match(target):
            return None
        if wiki and Path(target).suffix.lower() in _NOTES:
            what = f"It shows the note {target!r} inside itself; only the link to it was kept."
            self.source.lost.append(Lost(where, what))
            return None
        path = self._find(target, note) or self._find(unquote(target), note)
        if path is None:
            what = f"The picture {target!r} is not in the folder; its place stays empty."
            self.source.lost.append(Lost(where, what))
            return None
        if path.stat().st_size > MAX_MEDIA:
            what = f"{target!r} is larger than {MAX_MEDIA // 1_000_000} MB; it was not copied."
            self.source.lost.append(Lost(where, what))
            return None
        return self._named(path.resolve())

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
