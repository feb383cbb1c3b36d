"""Foreign values made into cards: safe and checked, and what does not fit said in a sentence.

A row of a table and an object of a JSON file are the same named values (`named`): the same names
mean the same in both, in any case, with any gaps (`ROLES`).  A column of any other name is kept in
the card's frontmatter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cards import cloze
from cards.cloze import find, items_of
from cards.files import MAX_BYTES
from cards.frontmatter import unsafe_id
from cards.model import TYPES, Option, Value
from cards.parse import correct_letters
from cards.spans import spans
from cards.text import first_control, fold, one_line, printable
from deck.exchange.model import ForeignCard, ForeignItem, Lost, content_key, id_from

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


# A card out of named values.

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


# The options of a choice among named values, and which of them is right.

_LETTERED = re.compile(r"\s*\(?[A-Za-z][.)]\s")


def lettered(options: Value) -> tuple[list[str], bool]:
    """A line for each option, "A) text", and whether any had its letter already."""
    if isinstance(options, str):
        parts = re.split(r"\n|\s*\|\s*", options.strip())
        parts = parts if len(parts) > 1 else re.split(r"\s*;\s*", options.strip())
    elif isinstance(options, list):
        parts = [_option(each) for each in options]
    else:
        parts = joined(options).split("\n")
    parts = [part for part in parts[:26] if part.strip()]
    lines = [
        part.strip() if _LETTERED.match(part) else f"{chr(ord('A') + at)}) {part.strip()}"
        for at, part in enumerate(parts)
    ]
    return lines, any(map(_LETTERED.match, parts))


def letter_of(correct: str, lines: list[str], where: str, lost: list[Lost]) -> str:
    """What is right, of options to which only `lettered` gave their letters: of a text of one of
    them that would be read as the letters of others, its letter, and that is said."""
    options = tuple(Option(line[0], line[3:], False) for line in lines)
    same = [o.letter for o in options if o.text.casefold() == correct.casefold()]
    read = correct_letters(correct, options)
    if len(same) != 1 or read in ((), (same[0],)):
        return correct
    if not set(read) <= {option.letter for option in options}:
        return same[0]
    what = f"The correct answer {correct[:40]!r} is the text of option {same[0]}, and would name "
    what += f"option {' and '.join(read)} as a letter: it is read as the text. Write a letter "
    lost.append(Lost(where, f"{what}before each option, such as 'A) ...', where that is wrong."))
    return same[0]


def _option(value: Value) -> str:
    if isinstance(value, dict) and {"letter", "text"} <= value.keys():
        return f"{joined(value['letter'])}) {joined(value['text'])}"
    return joined(value)


def joined(value: Value) -> str:
    """A value as text: of several, a line each."""
    if isinstance(value, str):
        return value
    parts = (
        value
        if isinstance(value, list)
        else [f"{name}) {joined(each)}" for name, each in value.items()]
    )
    return "\n".join(joined(part) for part in parts)


# Hidden texts of other programs in the notation of cards: `{{c1::text::hint}}`.  What is hidden may
# hold what means something there: `std::vector`, or a brace that nothing closes.

_OPENING = re.compile(r"\{\{(?=c\d+::)")
#: More numbers a card does not have (`cards.cloze`).
MAX_CLOZES = 999


def cloze_of(number: int, text: str, hint: str = "", math: bool = False) -> str:
    """A cloze that reads back as these; `math` says that it stands within a formula."""
    text = protected(text, math)
    hint = re.sub(r"[{}]", "", protected(hint, math)).strip()
    written = f"{{{{c{number}::{text}{f'::{hint}' if hint else ''}}}}}"
    if reads_back(written, number):
        return written
    # A brace that nothing closes: an entity shows the same, and is no brace.
    text = text.replace("{", "&#123;").replace("}", "&#125;")
    return f"{{{{c{number}::{text}{f'::{hint}' if hint else ''}}}}}"


def reads_back(written: str, number: int) -> bool:
    """Whether a text is one whole cloze of this number."""
    found = cloze.find(written)
    whole = found.found[0] if len(found.found) == 1 and not found.unclosed else None
    return whole is not None and whole.number == number and whole.end == len(written)


def protected(text: str, math: bool = False) -> str:
    r"""`text` without a `::` that would end it: in words `:\:`, in a formula `:{}:`.

    In code there is no such way: the one sign U+2237 stands for it.
    """
    if "::" not in text:
        return text
    if math:
        return text.replace("::", ":{}:")
    parts, at = [], 0
    for span in spans(text):
        inner = ":{}:" if span.math else "∷"
        parts += [text[at : span.start].replace("::", r":\:")]
        parts += [text[span.start : span.end].replace("::", inner)]
        at = span.end
    return "".join([*parts, text[at:].replace("::", r":\:")])


def without_clozes(text: str) -> str:
    """A text that hides nothing here: `{{c1::` in it is shown as it is."""
    return _OPENING.sub(r"{\\{", text)
