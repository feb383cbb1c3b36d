"""What a place of a card's source can be completed to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Final

from cards.model import STATUSES, TYPES
from tui.writing.place import Place, place_at
from tui.writing.snippets import KEYS, SNIPPETS

_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Completion:
    label: str
    about: str
    text: str
    """Goes in for what is written; the cursor goes where `‸` stands, else behind it."""


@dataclass(frozen=True, slots=True)
class Offer:
    place: Place
    completions: tuple[Completion, ...]
    complete: bool = False
    """Whether what is written is one of the words already, and others only hold it."""

    def follows(self, written: str, chosen: Completion) -> bool:
        """Whether a new line is less likely than `chosen`, with `written` before the cursor."""
        if self.place.kind == "link":
            return written == self.place.written
        if self.place.kind in ("key", "snippet") or not written:
            return False
        begun = chosen.label.casefold().startswith(written.casefold())
        complete = self.complete and written == self.place.written
        # The list may be a key behind what is written.
        return begun and not complete and all(one.label != written for one in self.completions)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a collection already uses.  Each is asked only when it is needed."""

    tags: Callable[[], Iterable[str]]
    courses: Callable[[], Iterable[str]]
    layers: Callable[[], Iterable[tuple[str, str]]]
    links: Callable[[str], Iterable[tuple[str, str]]]
    """Card ids and their first words, for what is written of a link."""


def offer(lines: Sequence[str], row: int, column: int, vocabulary: Vocabulary) -> Offer | None:
    """What to offer at a place; None where there is nothing, or it is written already."""
    place = place_at(lines, row, column)
    if place is None:
        return None
    after = lines[row][column:].strip("]} ,")
    found = _unique(islice(_completions(place, lines, vocabulary), 4 * _MOST))
    complete = any(one.label == place.written for one in found)
    found = [one for one in found if one.label != place.written][:_MOST]
    if not found or (after and place.kind in ("course", "type", "status", "exercise", "key")):
        return None
    # Nothing is begun: a list of all that could be would be in the way.
    if not place.written and place.kind in ("tag", "key"):
        return None
    return Offer(place, tuple(found), complete)


def _completions(
    place: Place, lines: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Completion]:
    match place.kind:
        case "key":
            present = {line.partition(":")[0] for line in lines if ":" in line}
            for name, about, text in KEYS:
                if name not in present and name.startswith(place.written):
                    yield Completion(name, about, text)
        case "snippet":
            for name, about, text in SNIPPETS:
                if name.startswith(place.written):
                    yield Completion(f":{name}", about, text)
        case "type":
            yield from _words(place, TYPES)
        case "status":
            yield from _words(place, STATUSES)
        case "course":
            yield from _words(place, vocabulary.courses())
        case "tag":
            yield from _words(place, vocabulary.tags())
        case "exercise":
            layers = list(vocabulary.layers())
            yield from _words(place, (name for name, _ in layers), (told for _, told in layers))
        case "link":
            for card_id, title in vocabulary.links(place.written):
                yield Completion(card_id, title, f"{card_id}]]")


def _words(
    place: Place, words: Iterable[str], about: Iterable[str] | None = None
) -> Iterator[Completion]:
    """Those that begin so, then those that hold it."""
    wanted = place.written.casefold()
    pairs = list(zip(words, about or repeat(""), strict=False))
    for begins in (True, False):
        for word, told in pairs:
            folded = word.casefold()
            if folded.startswith(wanted) if begins else wanted in folded[1:]:
                yield Completion(word, told, word)


def _unique(found: Iterable[Completion]) -> list[Completion]:
    return list({one.label: one for one in found}.values())
