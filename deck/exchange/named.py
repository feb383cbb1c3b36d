"""A card out of named values: a row of a table, an object of a JSON file.

The same names mean the same in both, in any case, with any gaps: `ROLES`.  A column of any other
name is kept in the card's frontmatter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cards.cloze import find, items_of
from cards.frontmatter import unsafe_id
from cards.model import TYPES, Value
from cards.text import fold, one_line
from deck.exchange.bundle import ForeignItem, Lost
from deck.exchange.choices import joined, letter_of, lettered
from deck.exchange.draft import LARGEST, Draft
from deck.exchange.naming import content_key

ROLES = {
    "question": "question front prompt term word text problem",
    "answer": "answer back solution definition response meaning translation explanation extra "
    "back_extra",
    "id": "id wanted_id card_id",
    "key": "key guid uuid",
    "deck": "deck folder decks",
    "path": "path file",
    "course": "course subject",
    "tags": "tags tag labels keywords",
    "type": "type kind notetype note_type card_type",
    "difficulty": "difficulty level",
    "points": "points score marks",
    "options": "options choices alternatives",
    "correct": "correct correct_answer correct_option right",
    "tolerance": "tolerance",
    "status": "status",
    "suspended": "suspended",
    "hint": "hint",
}
_ROLE_OF = {alias: role for role, aliases in ROLES.items() for alias in aliases.split()}
#: What our own table says beside, and follows from the rest.
_DERIVED = frozenset({"items", "related"})
_TYPE_OF = {
    "qa": "basic",
    "q&a": "basic",
    "flashcard": "basic",
    "basic_(type_in_the_answer)": "basic",
    "basic_(and_reversed_card)": "reversed",
    "basic_(optional_reversed_card)": "reversed",
    "reverse": "reversed",
    "double": "reversed",
    "both": "reversed",
    "cloze_deletion": "cloze",
    "multiple": "multiple_choice",
    "choice": "multiple_choice",
    "mc": "multiple_choice",
    "mcq": "multiple_choice",
    "number": "numeric",
}
_FOLDERS = re.compile(r"::|/|\\| › |\x1f")
_POINTED = re.compile(r"\s*\(\s*\d[\d.,]*\s*p")
_CORRECT = re.compile(r"correct\s+answers?\s*[*_]*\s*:", re.IGNORECASE)
_FIELD_NAME = re.compile(r"[^\w-]+")


def role_of(name: str) -> str:
    """What a column means, or ""."""
    return _ROLE_OF.get(fold(name.lstrip("\ufeff").strip().strip("*:#")), "")


def named(values: Mapping[str, Value], file: str, where: str, lost: list[Lost]) -> Draft:
    """The card of some values; what cannot be read of them goes to `lost`.

    Its key is the one given, or its id, or made of its question: an edited answer is then still the
    same card's, an edited question makes another.  A question, and an id that is only a number,
    are known within one `file` (a name), which also is the deck where none is named.
    """
    found, fields = _sorted(values, where, lost)
    if len(_text(found, "question")) > LARGEST:  # `finished` refuses it; nothing dear before
        return Draft("", where, "basic", _text(found, "question"), "")
    question, answer = _text(found, "question").strip(), _text(found, "answer").strip()
    hint = _text(found, "hint").strip()
    kind = _type(found, question, where, lost)
    identity = one_line(_text(found, "id"))
    own = f"{file}:{identity}" if identity.isdigit() else identity
    key = one_line(_text(found, "key")) or own or content_key(file, question)
    if "options" in found:
        lines, is_lettered = lettered(found["options"])
        question = f"{question}\n\n## Options\n" + "\n".join(lines)
    correct = _text(found, "correct").strip()
    if correct and not _CORRECT.search(answer):
        if "options" in found and not is_lettered:
            correct = letter_of(correct, lines, where, lost)
        answer = f"**Correct Answer:** {correct}\n\n{answer}".strip()
    points = _text(found, "points").strip().replace(",", ".")
    if points and not _POINTED.match(question):
        if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", points):
            question = f"({points}p) {question}"
        else:
            lost.append(Lost(where, f"The points {points[:20]!r} are no number; left out."))
    question = f"{question}\n\n*{hint}*" if hint and question else question
    draft = Draft(key, where, kind, question, answer)
    if identity and unsafe_id(identity):
        lost.append(Lost(where, f"The id {identity[:40]!r} {unsafe_id(identity)}; it has another."))
    elif identity:
        draft.wanted_id = identity
    said = {role_of(name) for name in values} & {"deck", "path"}
    draft.folder = _folder(found) if said else (file,)
    draft.fields = {**_frontmatter(found, where, lost), **fields}
    if _is_suspended(found):
        suffixes = [item.id.removeprefix("x") for item in items_of("x", kind, question, answer)]
        draft.items = [ForeignItem(suffix, suspended=True) for suffix in suffixes]
    return draft


def _sorted(
    values: Mapping[str, Value], where: str, lost: list[Lost]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The values by their roles, and the others by their names."""
    found: dict[str, Value] = {}
    fields: dict[str, Value] = {}
    for name, value in values.items():
        role = role_of(name)
        if value in ("", [], {}) or fold(name) in _DERIVED:
            continue
        if role and role not in found:
            found[role] = value
        elif role in ("question", "answer"):
            found["answer"] = "\n\n".join(filter(None, (_text(found, "answer"), joined(value))))
        elif field := _FIELD_NAME.sub("_", one_line(name)).strip("_")[:60]:
            fields[field if not role else f"{field}_2"] = value
        else:
            lost.append(Lost(where, "A value has no name; it was left out."))
    return found, fields


def _text(found: Mapping[str, Value], role: str) -> str:
    return joined(found.get(role, ""))


def _type(found: Mapping[str, Value], question: str, where: str, lost: list[Lost]) -> str:
    said = fold(_text(found, "type"))
    kind = said if said in TYPES else _TYPE_OF.get(said, "")
    kind = kind or ("cloze" if "cloze" in said else "")
    if said and not kind:
        what = f"I do not know the type {said[:40]!r}; it is read as basic. Known are "
        lost.append(Lost(where, f"{what}{', '.join(TYPES)}."))
        kind = "basic"
    has_cloze = "{{c" in question and bool(find(question).found)
    if kind == "cloze" and not has_cloze:
        lost.append(Lost(where, "It hides nothing ({{c1::text}}): it is read as a basic card."))
        return "basic"
    if kind:
        return kind
    if has_cloze:
        return "cloze"
    if "options" in found:
        return "multiple_choice"
    return "numeric" if "tolerance" in found else "basic"


def _folder(found: Mapping[str, Value]) -> tuple[str, ...]:
    deck, path = found.get("deck"), found.get("path")
    if isinstance(deck, list):
        return tuple(joined(each) for each in deck)
    if deck:
        return tuple(part.strip() for part in _FOLDERS.split(joined(deck)) if part.strip())
    return tuple(part for part in joined(path).split("/")[:-1] if part) if path else ()


def _frontmatter(found: Mapping[str, Value], where: str, lost: list[Lost]) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    if course := one_line(_text(found, "course")):
        fields["course"] = course
    if tags := _tags(found.get("tags", "")):
        fields["tags"] = list(tags)
    if difficulty := _text(found, "difficulty").strip().removesuffix(".0"):
        if difficulty in {"1", "2", "3", "4", "5"}:
            fields["difficulty"] = difficulty
        else:
            what = f"The difficulty {difficulty[:20]!r} is no number from 1 to 5; left out."
            lost.append(Lost(where, what))
    if tolerance := one_line(_text(found, "tolerance")):
        fields["tolerance"] = tolerance
    return fields


def _tags(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        separator = next((sign for sign in (";", ",") if sign in value), None)
        parts = value.split(separator)
    else:
        parts = [joined(each) for each in value]
    return tuple(
        dict.fromkeys(tag for part in parts if (tag := one_line(part).lstrip("#").strip()))
    )


def _is_suspended(found: Mapping[str, Value]) -> bool:
    said = _text(found, "suspended").strip().casefold()
    return said in {"true", "1", "yes", "y", "x"} or fold(_text(found, "status")) == "suspended"
