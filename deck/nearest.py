"""Which item was meant by an id that none has."""

from __future__ import annotations

from collections.abc import Sequence

#: Of more ids than these, only those that begin alike are looked through for a near one.
_LOOKED_THROUGH = 2000


def nearest(item_id: str, ids: Sequence[str]) -> list[str]:
    """The items of the card that has the id, else up to three ids that are spelt like it."""
    from difflib import get_close_matches

    own = [known for known in ids if known.startswith(f"{item_id}/")]
    if len(ids) > _LOOKED_THROUGH:
        ids = [known for known in ids if known[:3] == item_id[:3]][:_LOOKED_THROUGH]
    return (own or get_close_matches(item_id, ids))[:3]
