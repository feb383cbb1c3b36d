"""Foreign values made into cards: safe and checked, and what does not fit said in a sentence.

A row of a table and an object of a JSON file are the same named values (`named`): the same names
mean the same in both, in any case, with any gaps (`ROLES`).  A column of any other name is kept in
the card's frontmatter.  What every reader makes of a card (`CardDraft`) is finished here, and
written as a card's file (`card_text`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cards.cloze import find, items_of
from cards.edit import write_value
from cards.files import MAX_BYTES
from cards.frontmatter import unsafe_id
from cards.links import retargeted
from cards.model import TYPES, CardError, Option, Value
from cards.outline import title_name
from cards.parse import correct_letters, parse_card
from cards.spans import spans
from cards.text import first_control, fold, printable, printable_line
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ForeignItem,
    Losses,
    Say,
    content_key,
    id_from,
)

#: What a card's texts have at most, in bytes: a file has room for its frontmatter as well.
LARGEST = MAX_BYTES - 50_000
#: A field of the frontmatter may be this long.
_LONGEST_FIELD = 20_000


@dataclass(slots=True)
class CardDraft:
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


def finished(draft: CardDraft, lost: Losses) -> ForeignCard | None:
    """The card, or None where it can be none; what is left out goes to `lost`."""
    where = draft.where
    if is_too_large(where, draft.question + draft.solution, lost):
        return None
    if any(first_control(text) is not None for text in (draft.question, draft.solution)):
        lost.say(where, "It holds control characters; they were left out.")
    question = printable(draft.question).strip()
    if not question:
        lost.say(where, "It has no question; write one to have it imported.")
        return None
    fields = {name: value for name, value in draft.fields.items() if value not in ("", [], {})}
    for name, value in draft.fields.items():
        if isinstance(value, str) and len(value) > _LONGEST_FIELD:
            lost.say(where, f"Its {name} is longer than 20,000 characters; left out.")
            del fields[name]
    return ForeignCard(
        key=draft.key,
        wanted_id=draft.wanted_id or id_from(question, f"card_{draft.key[:8]}"),
        folder=tuple(printable(name).strip() for name in draft.folder if name.strip()),
        type=draft.type,
        question=question,
        solution=printable(draft.solution).strip(),
        fields=fields,
        items=tuple(draft.items),
        media=tuple(dict.fromkeys(draft.media)),
    )


def is_too_large(where: str, text: str, lost: Losses) -> bool:
    """Whether a text is more than a card holds, which is said: before anything dear is done."""
    if len(text) < LARGEST // 4:
        return False
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        what = f"It has {size / 1e6:.1f} MB of text; a card has at most {MAX_BYTES / 1e6:.0f} MB."
        lost.say(where, f"{what} Split it into several cards.")
    return size > LARGEST


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
_ALIASES = {
    "basic": "qa q&a flashcard basic_(type_in_the_answer)",
    "reversed": "basic_(and_reversed_card) basic_(optional_reversed_card) reverse double both",
    "cloze": "cloze_deletion",
    "multiple_choice": "multiple choice mc mcq",
    "numeric": "number",
}
_TYPE_OF = {alias: kind for kind, aliases in _ALIASES.items() for alias in aliases.split()}
_TYPE_OF |= {kind: kind for kind in TYPES}
_FOLDERS = re.compile(r"::|/|\\| › |\x1f")
_POINTED = re.compile(r"\s*\(\s*\d[\d.,]*\s*p")
_CORRECT = re.compile(r"correct\s+answers?\s*[*_]*\s*:", re.IGNORECASE)
_FIELD_NAME = re.compile(r"[^\w-]+")


def role_of(name: str) -> str:
    """What a column means, or ""."""
    return _ROLE_OF.get(fold(name.lstrip("\ufeff").strip().strip("*:#")), "")


def joined(value: Value) -> str:
    """A value as text: of several, a line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = [f"{name}) {joined(each)}" for name, each in value.items()]
    return "\n".join(joined(part) for part in value)


def named(values: Mapping[str, Value], file: str, where: str, lost: Losses) -> CardDraft:
    """The card of some values; what cannot be read of them goes to `lost`.

    Its key is the one given, or its id, or made of its question: an edited answer is then still the
    same card's, an edited question makes another.  A question, and an id that is only a number,
    are known within one `file` (a name), which also is the deck where none is named.
    """
    say = lost.at(where)
    found, fields = _by_role(values, say)
    texts = {role: joined(found.get(role, "")) for role in ROLES}
    question, answer, hint = (texts[role].strip() for role in ("question", "answer", "hint"))
    if len(question) > LARGEST:  # `finished` refuses it; nothing dear before
        return CardDraft("", where, "basic", question, "")
    kind = _type(texts["type"], question, found, say)
    identity = printable_line(texts["id"])
    own = f"{file}:{identity}" if identity.isdigit() else identity
    key = printable_line(texts["key"]) or own or content_key(file, question)
    lines, is_lettered = lettered(found.get("options", []))
    if "options" in found:
        question = f"{question}\n\n## Options\n" + "\n".join(lines)
    correct = texts["correct"].strip()
    if correct and not _CORRECT.search(answer):
        if "options" in found and not is_lettered:
            correct = letter_of(correct, lines, say)
        answer = f"**Correct Answer:** {correct}\n\n{answer}".strip()
    points = texts["points"].strip().replace(",", ".")
    if points and not _POINTED.match(question):
        if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", points):
            question = f"({points}p) {question}"
        else:
            say(f"The points {points[:20]!r} are no number; left out.")
    question = f"{question}\n\n*{hint}*" if hint and question else question
    draft = CardDraft(key, where, kind, question, answer)
    if wrong := unsafe_id(identity) if identity else "":
        say(f"The id {identity[:40]!r} {wrong}; it has another.")
    else:
        draft.wanted_id = identity
    says_folder = any(role_of(name) in ("deck", "path") for name in values)
    draft.folder = _folder(found) if says_folder else (file,)
    draft.fields = {**_frontmatter(texts, found.get("tags", ""), say), **fields}
    says_yes = texts["suspended"].strip().casefold() in {"true", "1", "yes", "y", "x"}
    if says_yes or fold(texts["status"]) == "suspended":
        suffixes = [item.id.removeprefix("x") for item in items_of("x", kind, question, answer)]
        draft.items = [ForeignItem(suffix, suspended=True) for suffix in suffixes]
    return draft


def _by_role(values: Mapping[str, Value], say: Say) -> tuple[dict[str, Value], dict[str, Value]]:
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
            before = joined(found.get("answer", ""))
            found["answer"] = "\n\n".join(filter(None, (before, joined(value))))
        elif field := _FIELD_NAME.sub("_", printable_line(name)).strip("_")[:60]:
            fields[field if not role else f"{field}_2"] = value
        else:
            say("A value has no name; it was left out.")
    return found, fields


def _type(said: str, question: str, found: Mapping[str, Value], say: Say) -> str:
    said = fold(said)
    kind = _TYPE_OF.get(said) or ("cloze" if "cloze" in said else "")
    if said and not kind:
        what = f"I do not know the type {said[:40]!r}; it is read as basic. Known are "
        say(f"{what}{', '.join(TYPES)}.")
        kind = "basic"
    has_cloze = "{{c" in question and bool(find(question).found)
    if kind == "cloze" and not has_cloze:
        say("It hides nothing ({{c1::text}}): it is read as a basic card.")
        return "basic"
    if kind or has_cloze:
        return kind or "cloze"
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


def _frontmatter(texts: Mapping[str, str], tags: Value, say: Say) -> dict[str, Value]:
    fields: dict[str, Value] = {"course": printable_line(texts["course"])}
    if isinstance(tags, str):
        tags = list(tags.split(next((sign for sign in (";", ",") if sign in tags), None)))
    names = (printable_line(joined(tag)).lstrip("#").strip() for tag in tags)
    fields["tags"] = [name for name in dict.fromkeys(names) if name]
    difficulty = texts["difficulty"].strip().removesuffix(".0")
    if difficulty in {"1", "2", "3", "4", "5"}:
        fields["difficulty"] = difficulty
    elif difficulty:
        say(f"The difficulty {difficulty[:20]!r} is no number from 1 to 5; left out.")
    fields["tolerance"] = printable_line(texts["tolerance"])
    return {name: value for name, value in fields.items() if value}


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


def letter_of(correct: str, lines: list[str], say: Say) -> str:
    """What is right, of options to which only `lettered` gave their letters: of a text of one of
    them that would be read as the letters of others, its letter, and that is said."""
    options = tuple(Option(line[0], line[3:], False) for line in lines)
    same = [o.letter for o in options if o.text.casefold() == correct.casefold()]
    read = correct_letters(correct, options)
    if len(same) != 1 or read in ((), (same[0],)):
        return correct
    if set(read) <= {option.letter for option in options}:
        what = f"The correct answer {correct[:40]!r} is the text of option {same[0]}, and would "
        what += f"name option {' and '.join(read)} as a letter: it is read as the text. Write a "
        say(f"{what}letter before each option, such as 'A) ...', where that is wrong.")
    return same[0]


def _option(value: Value) -> str:
    if isinstance(value, dict) and {"letter", "text"} <= value.keys():
        return f"{joined(value['letter'])}) {joined(value['text'])}"
    return joined(value)


# Hidden texts of other programs in the notation of cards: `{{c1::text::hint}}`.  What is hidden may
# hold what means something there: `std::vector`, or a brace that nothing closes.

_OPENING = re.compile(r"\{\{(?=c\d+::)")
#: More numbers a card does not have (`cards.cloze`).
MAX_CLOZES = 999


def cloze_of(number: int, text: str, hint: str = "", math: bool = False) -> str:
    """A cloze that reads back as these; `math` says that it stands within a formula."""
    text = _protected(text, math)
    hint = re.sub(r"[{}]", "", _protected(hint, math)).strip()
    hint = f"::{hint}" if hint else ""
    written = f"{{{{c{number}::{text}{hint}}}}}"
    found = find(written)
    whole = found.found[0] if len(found.found) == 1 and not found.unclosed else None
    if whole is not None and whole.number == number and whole.end == len(written):
        return written
    # A brace that nothing closes: an entity shows the same, and is no brace.
    text = text.replace("{", "&#123;").replace("}", "&#125;")
    return f"{{{{c{number}::{text}{hint}}}}}"


def _protected(text: str, math: bool) -> str:
    r"""`text` without a `::` that would end it: in words `:\:`, in a formula `:{}:`.

    In code there is no such way: the one sign U+2237 stands for it.
    """
    if "::" not in text or math:
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


# Code in Markdown.


def code_span(text: str) -> str:
    """A line of code, within more ticks than stand anywhere in it."""
    ticks = "`" * (_longest_run(text) + 1)
    gap = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


def code_block(text: str, language: str = "") -> str:
    """A block of code, whose fence is longer than any in it."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


# A foreign card as the text of a card file, which reads back as what was meant.

#: A line that could be taken for a part of the card's own: a heading, a separator, an open block.
_RISKY = re.compile(
    r"^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?:#|=|--|```|~~~|\$\$|\\\[|\\begin)", re.MULTILINE
)
_HEADING = re.compile(r"^( {0,3})(#{1,6}[ \t]*)(.*)$", re.MULTILINE)
_UNDERLINE = re.compile(r"^( {0,3})(=+|-+)([ \t]*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_BARE = "-*_ \t\n"


def card_text(
    card: ForeignCard, card_id: str, source: str, status: str, places: Mapping[str, str]
) -> str:
    """The card's file.  `source` names it in its program, "" where its id does; `places` are its
    media's paths.  A `source` of the card's own fields stays beside it.

    Raises:
        ExchangeError: no card can be made of it; a sentence without its place.
    """
    question, solution = printable(card.question).strip(), printable(card.solution).strip()
    if places:
        question, solution = retargeted(question, places), retargeted(solution, places)
    header = _header(card, card_id, source, status)
    if card.type == "cloze" and not find(question).found:
        raise ExchangeError("It is a cloze card without a cloze.")
    if not question:
        raise ExchangeError("It has no question.")
    text = _file(card.type, header, question, solution)
    risky = _RISKY.search(question) or _RISKY.search(solution) or len(text) >= 200_000
    if not risky or not _wrong(text, solution):
        return text
    question, solution = _neutral(question), _neutral(solution)
    text = _file(card.type, header, question, solution)
    if wrong := _wrong(text, solution):
        raise ExchangeError(wrong)
    return text


def _header(card: ForeignCard, card_id: str, source: str, status: str) -> str:
    fields: dict[str, Value] = {"id": card_id}
    fields |= {name: value for name, value in card.fields.items() if value not in ("", [], {})}
    said = fields.pop("source", "")
    fields["type"] = card.type
    if said:
        fields["source"] = said
    if source:
        fields["imported" if said else "source"] = source
    fields.pop("status", None)
    fields["status"] = status
    return "\n".join(f"{write_value(name)}: {write_value(value)}" for name, value in fields.items())


def _file(kind: str, header: str, question: str, solution: str) -> str:
    answer = f"\n\n---\n\n# Solution\n{solution}\n" if solution else "\n\n---\n\n# Solution\n"
    if kind == "cloze" and not solution:
        answer = "\n"
    return f"---\n{header}\n---\n\n# Question\n{question}{answer}"


def _wrong(text: str, solution: str) -> str:
    """Why the text is not the card that was meant, or an empty text."""
    try:
        card = parse_card(text)
    except CardError as error:
        return error.problem.message
    same = card.solution.strip(_BARE) == solution.strip(_BARE)
    return "" if same else "Its headings would be taken for those of a card."


def _neutral(text: str) -> str:
    """The text without what only looks like a part of the card."""

    def heading(found: re.Match[str]) -> str:
        is_part = title_name(found[3]) in ("question", "solution", "options")
        return f"{found[1]}\\{found[2]}{found[3]}" if is_part else found[0]

    text = _UNDERLINE.sub(r"\1\\\2\3", _HEADING.sub(heading, text))
    fences = _FENCE.findall(text)
    return f"{text}\n{fences[-1]}" if len(fences) % 2 else text
