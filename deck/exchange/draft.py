"""A card on its way in: made safe and checked, and what does not fit said in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cards.files import MAX_BYTES
from cards.model import Value
from cards.text import first_control, printable
from deck.exchange.bundle import ForeignCard, ForeignItem, Lost
from deck.exchange.naming import id_from

#: Room for the frontmatter of a card file.
_FRONTMATTER = 50_000
#: What a card's texts have at most, in bytes.
LARGEST = MAX_BYTES - _FRONTMATTER
#: A field of the frontmatter may be this long.
_LONGEST_FIELD = 20_000


@dataclass(slots=True)
class Draft:
    """What a reader knows of a card; see `ForeignCard`."""

    key: str
    where: str
    """As in `Lost`."""
    type: str
    question: str
    solution: str
    wanted_id: str = ""
    folder: tuple[str, ...] = ()
    fields: Mapping[str, Value] = field(default_factory=dict)
    items: Sequence[ForeignItem] = ()
    media: Sequence[str] = ()


def finished(draft: Draft, lost: list[Lost]) -> ForeignCard | None:
    """The card, or None where it can be none; what is left out goes to `lost`."""
    where = draft.where
    if is_too_large(where, draft.question + draft.solution, lost):
        return None
    if any(first_control(text) is not None for text in (draft.question, draft.solution)):
        lost.append(Lost(where, "It holds control characters; they were left out."))
    question = printable(draft.question).strip()
    solution = printable(draft.solution).strip()
    if not question:
        lost.append(Lost(where, "It has no question; write one to have it imported."))
        return None
    return ForeignCard(
        key=draft.key,
        wanted_id=draft.wanted_id or id_from(question, f"card_{draft.key[:8]}"),
        folder=tuple(printable(name).strip() for name in draft.folder if name.strip()),
        type=draft.type,
        question=question,
        solution=solution,
        fields=_fields(draft.fields, where, lost),
        items=tuple(draft.items),
        media=tuple(dict.fromkeys(draft.media)),
    )


def is_too_large(where: str, text: str, lost: list[Lost]) -> bool:
    """Whether a text is more than a card holds, which is said: before anything dear is done."""
    if len(text) < LARGEST // 4:
        return False
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        what = f"It has {size / 1e6:.1f} MB of text; a card has at most {MAX_BYTES / 1e6:.0f} MB."
        lost.append(Lost(where, f"{what} Split it into several cards."))
    return size > LARGEST


def _fields(fields: Mapping[str, Value], where: str, lost: list[Lost]) -> dict[str, Value]:
    kept: dict[str, Value] = {}
    for name, value in fields.items():
        if value in ("", [], {}):
            continue
        if isinstance(value, str) and len(value) > _LONGEST_FIELD:
            lost.append(Lost(where, f"Its {name} is longer than 20,000 characters; left out."))
            continue
        kept[name] = value
    return kept
