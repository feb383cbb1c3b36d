"""hashcards: Markdown decks, and the answers in the SQLite database beside them.

parse.py     a deck's text -> its cards
history.py   the database -> answers, by hash
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cards.model import Value
from cards.spans import in_math, math_spans
from deck.exchange import clozes
from deck.exchange.bundle import (
    Bundle,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    Lost,
)
from deck.exchange.draft import Draft, finished, is_too_large
from deck.exchange.hashcards import history, parse
from deck.exchange.naming import Keys
from deck.exchange.peek import holds_marked
from deck.exchange.pictures import Pictures
from deck.exchange.source import Source

_MARKS = re.compile(rb"^[QC]:(?!:)", re.MULTILINE)  # `Q::A` is Obsidian's
_MACRO = re.compile(r"\\[A-Za-z]+")
#: Files that are looked into to tell what a folder is.
_LOOKS = 200


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with its database or with a deck, or a deck."""
    if path.is_dir():
        if (path / history.NAME).is_file():
            return True
        is_vault = (path / ".obsidian").is_dir()
        return not is_vault and holds_marked(path, ".md", _MARKS, _LOOKS)
    if path.name == history.NAME:
        return True
    return path.suffix.lower() in (".md", ".markdown", "") and _MARKS.search(head) is not None


def read(path: Path) -> Bundle:
    """The decks of a folder with their answers, or one deck.  Raises ExchangeError."""
    if path.name == history.NAME and not path.is_dir():
        raise ExchangeError(
            f"{path}: it holds answers, but no cards. Import the folder it lies in, {path.parent}."
        )
    lost: list[Lost] = []
    source = Source(path, lost)
    reading = _Reading(source, lost)
    cards = list(reading.cards())
    if not cards and not lost:
        raise ExchangeError(
            f"{path}: no card was found. A card begins with a line `Q: ...` or `C: ...`."
        )
    reading.report_unknown()
    return Bundle(
        "hashcards", str(path), len(cards), lambda: iter(cards), reading.pictures.media, lost
    )


class _Reading:
    """One import: what was seen, and where."""

    def __init__(self, source: Source, lost: list[Lost]) -> None:
        self.source, self.lost = source, lost
        self.pictures = Pictures(source)
        self.answers = history.answers(source.root / history.NAME, lost)
        self.macros = self._macros()
        self._seen: dict[str, str] = {}
        self._keys = Keys()

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".md"):
            text = self.source.text(path)
            if text is None or not parse.is_deck(text):
                continue
            where = self.source.name(path)
            name, first = parse.front(text, where, self.lost)
            folders = self.source.folders(path)
            name = name or path.stem
            folder = folders if folders and folders[-1] == name else (*folders, name)
            for found in parse.cards(text, first, where, self.lost):
                card = self._card(found, path, folder, f"{where}:{found.line}")
                if card is not None:
                    yield card

    def report_unknown(self) -> None:
        """Says how many answers belong to no card."""
        if self.source.only is not None:
            return  # of one deck, the others' answers are no loss
        left = {name: each for name, each in self.answers.items() if name not in self._seen}
        if left:
            count = sum(map(len, left.values()))
            what = f"{count} answers are to {len(left)} cards that no file has any more: a card's"
            what += " answers are lost in hashcards when its text is edited."
            self.lost.append(Lost(history.NAME, what))

    def _card(
        self, found: parse.Basic | parse.Cloze, path: Path, folder: tuple[str, ...], where: str
    ) -> ForeignCard | None:
        texts = (found.question, found.answer) if isinstance(found, parse.Basic) else (found.text,)
        if is_too_large(where, "".join(texts), self.lost):
            return None
        if isinstance(found, parse.Cloze) and len(found.hidden) > clozes.MOST:
            what = f"It hides {len(found.hidden)} texts; a card has at most {clozes.MOST}."
            self.lost.append(Lost(where, what))
            return None
        if isinstance(found, parse.Basic):
            hashes, key, kind = [found.hash], found.hash, "basic"
            question, answer = found.question, found.answer
        else:
            hashes = [found.hash(number) for number in range(len(found.hidden))]
            key, kind, question, answer = found.family, "cloze", _written(found), ""
        if first := self._again(hashes, where):
            self.lost.append(Lost(where, f"This is the card of {first} again: it was read once."))
            return None
        draft = Draft(self._keys.unique(key), where, kind, question, answer, folder=folder)
        draft.items = self._items(kind, hashes)
        self.pictures.put(draft, path)
        draft.fields = self._used_macros(question + answer)
        return finished(draft, self.lost)

    def _again(self, hashes: list[str], where: str) -> str:
        """Where all these were read before, or ""; they count as read now."""
        before = [self._seen.get(each, "") for each in hashes]
        for each in hashes:
            self._seen.setdefault(each, where)
        return before[0] if all(before) else ""

    def _items(self, kind: str, hashes: list[str]) -> list[ForeignItem]:
        items = []
        for number, each in enumerate(hashes, 1):
            reviews: list[ForeignReview] = self.answers.get(each, [])
            if reviews:
                suffix = f"/c{number}" if kind == "cloze" else ""
                items.append(ForeignItem(suffix, tuple(reviews)))
        return items

    def _macros(self) -> dict[str, str]:
        path = self.source.root / "macros.tex"
        text = self.source.text(path) if path.is_file() and self.source.inside(path) else None
        found = {}
        for line in (text or "").split("\n"):
            name, _, body = line.strip().partition(" ")
            if body and _MACRO.fullmatch(name):
                found[name] = body.strip()
        return found

    def _used_macros(self, text: str) -> dict[str, Value]:
        used: dict[str, Value] = {}
        waiting = [text]
        while waiting:
            for name in set(_MACRO.findall(waiting.pop())):
                if name in self.macros and name[1:] not in used:
                    used[name[1:]] = self.macros[name]
                    waiting.append(self.macros[name])
        return {"macros": dict(sorted(used.items()))} if used else {}


def _written(found: parse.Cloze) -> str:
    """The text with its hidden parts in the notation of cards."""
    spans, parts, at = math_spans(found.text), [], 0
    for number, (start, end) in enumerate(found.hidden, 1):
        parts.append(clozes.plain(found.text[at:start]))
        math = in_math(spans, start) and in_math(spans, end)
        parts.append(clozes.hidden(number, found.text[start:end], math=math))
        at = end
    return "".join([*parts, clozes.plain(found.text[at:])])
