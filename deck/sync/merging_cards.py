"""Cards of both sides to one each: the text, and the place, of each as either side changed it.

Every card that a side has and the other did not delete is in the merge, once; one whose file name
another card has gets the next that is free.
"""

from __future__ import annotations

from collections.abc import Iterable

from deck.sync.card_merge import Scheduled, merge_cards, with_agreed_status
from deck.sync.matching import Place, Sides, Versions
from deck.sync.merged import Draft
from deck.sync.naming import Names, named
from deck.sync.trees import Entry


def merge_matched(
    draft: Draft, cards: list[Versions], files: Iterable[str], scheduled: Scheduled
) -> set[str]:
    """Puts the cards into the draft; the paths that are settled by it.

    `files`: all paths of git's own merge.
    """
    before = {place.path for card in cards for place in card.places()}
    draft.put.update(dict.fromkeys(before))
    names = Names(path for path in files if path not in before)
    for path, wanted, card in named(cards, names):
        relative = draft.repository.relative(path) or path
        if path != wanted:
            draft.merged.beside.append(relative)
        if card.base and not (card.ours and card.theirs):
            draft.merged.kept.append(relative)
        _settle(draft, path, card, scheduled)
    return before


def _settle(draft: Draft, path: str, card: Versions, scheduled: Scheduled) -> None:
    sides = Sides(_entry(card.base), _entry(card.ours), _entry(card.theirs))
    if sides.ours is None or sides.theirs is None or sides.ours == sides.theirs:
        draft.put[path] = sides.ours or sides.theirs
    elif sides.base in (sides.ours, sides.theirs):
        draft.put[path] = sides.ours if sides.base == sides.theirs else sides.theirs
    else:
        texts = draft.texts(sides)
        merged = merge_cards(*texts, draft.lines, scheduled)
        if merged is None:
            draft.keep_ours(path, sides, card.theirs.path if card.theirs else None)
            merged = with_agreed_status(*texts, scheduled)
        draft.write(path, sides.ours, merged)


def _entry(place: Place | None) -> Entry | None:
    return place.entry if place else None
