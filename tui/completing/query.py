"""A search as it is typed: the names of its fields, and what each may hold here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tui.completing.known import Known
from tui.completing.offer import NOTHING, Offer

#: The last term: what stands before it, its field, and the value so far, perhaps in quotes.
_FIELD = re.compile(r'(?P<head>(?:.*[\s(])?-?)(?P<field>\w+):(?P<value>"[^"]*|[^\s"()]*)\Z', re.S)
_WORD = re.compile(r"(?P<head>(?:.*[\s(])?-?)(?P<word>[@\w]*)\Z", re.S)


def term(known: Known, current: str) -> Offer:
    """How the last term of the search `current` may go on; the words hold the whole search."""
    from deck.search.fields import EVENTS, NUMBERS, TEXTS

    if found := _FIELD.match(current):
        field, value = found["field"].lower(), found["value"]
        head = f"{found['head']}{found['field']}:"
        return _among(head, value, _values(known, field))
    found = _WORD.match(current)
    if found is None:
        return NOTHING
    if found["word"].startswith("@"):
        saved = ((f"@{name}", "a saved search") for name in known.searches())
        return _among(found["head"], found["word"], saved)
    fields = {"is": "a state: is:due", **TEXTS, **EVENTS}
    names = [(f"{name}:", said) for name, said in fields.items()]
    if len(found["word"]) > 1:  # `r` alone is no beginning of much
        names += [(f"{name}>", said) for name, said in NUMBERS.items()]
    words = _among(found["head"], found["word"], names).words
    return Offer("more", words)


def _values(known: Known, field: str) -> Iterable[tuple[str, str]]:
    from cards.model import STATUSES, TYPES
    from deck.search.fields import ALIASES, HAS, STATES

    match ALIASES.get(field, field):
        case "is":
            return STATES.items()
        case "tag":
            return ((tag, "") for tag in known.tags())
        case "course":
            return ((course, "") for course in known.courses())
        case "deck":
            return ((name, "") for name in known.deck_names())
        case "type":
            return ((name, "") for name in TYPES)
        case "status":
            return ((name, "") for name in STATUSES)
        case "has":
            return ((name, "") for name in HAS)
    return ()


def _among(head: str, start: str, values: Iterable[tuple[str, str]]) -> Offer:
    """Values with blanks get the quotes of a search."""
    quoted, bare = start.startswith('"'), start.removeprefix('"').casefold()
    found = []
    for value, said in values:
        if value.casefold().startswith(bare) and '"' not in value:
            needs = quoted or re.search(r"[\s()]", value) is not None
            found.append((f'{head}"{value}"' if needs else f"{head}{value}", said))
    return Offer("words", tuple(found))
