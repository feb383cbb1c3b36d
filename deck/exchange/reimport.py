"""Cards that come back: of our own exports, and of Anki's text exports.

What an export of the card says today is read as the file was; where the two differ, the file was
edited since, or the card.  The digest in the file tells which: of a card that is as it was exported
what was changed there is written into its file, and all else of the file stays.  Of a note of
Anki's each field has a digest; what it holds now is HTML, and is written into the card only where
an export of that would be the same HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from cards.edit import with_field
from cards.frontmatter import read_header
from cards.model import Card, CardError, Diagnostics, Value
from cards.outline import outline_of, parts_of, trimmed
from cards.parse import parse_card
from deck.collection import Collection
from deck.exchange.anki.html import is_said, to_markdown, words
from deck.exchange.export.anki_notes import FieldMaker, digest, plain, signature, tags_of
from deck.exchange.export.json import text_record
from deck.exchange.export.source import ExportReport as Exported
from deck.exchange.export.source import Pictures
from deck.exchange.export.tables import text_row
from deck.exchange.json import drafted_record
from deck.exchange.model import ExchangeError, ForeignCard, Losses, OwnCard
from deck.exchange.table import drafted_row

#: It follows the answers, and the id is how the card is known.
_FIXED = ("id", "status")


def is_same(program: str, own: OwnCard, card: Card, deck: Collection) -> bool:
    """Whether the file says of a card what an export of it would say today."""
    if program == "anki":
        mine = _html(card, deck)
        if not own.html:  # a text export without HTML
            texts = own.question, own.solution
            told = [words(to_markdown(html).text) for html in mine] == [*map(words, texts)]
        else:
            told = [*map(plain, own.html)] == [*map(plain, mine)]
        return told and _tags(own, card) == tags_of(card.tags)
    return _compared(own) == _today(program, own, card)


def edited(program: str, own: OwnCard, card: Card, deck: Collection) -> str:
    """The card's file with what was changed in the export.

    Raises:
        ExchangeError: that cannot be written into this file.
    """
    theirs, mine, text = _compared(own), _today(program, own, card), card.source
    try:
        text = _with_fields(text, theirs, mine)
        if theirs.question != mine.question:
            text = _with_part(text, "question", theirs.question)
        if theirs.solution != mine.solution:
            added = mine.solution.removesuffix(_plain(card.solution))
            text = _with_part(text, "solution", theirs.solution.removeprefix(added))
        after = parse_card(text, card.path)
    except CardError as error:
        raise ExchangeError(f"{_REFUSED} ({error.problem.message})") from error
    if not is_same(program, own, after, deck):
        raise ExchangeError(_REFUSED)
    return text


_REFUSED = "What was changed in the export does not fit its file: change it there."


def _compared(own: OwnCard) -> OwnCard:
    """What a file or a card says, and nothing else."""
    fields = {name: value for name, value in own.fields.items() if name not in _FIXED}
    return OwnCard("", own.type, _plain(own.question), _plain(own.solution), fields)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _today(program: str, own: OwnCard, card: Card) -> OwnCard:
    if program == "json":
        return _compared(drafted_record(text_record(card)[0], "", "", Losses()))
    row = {name: "" if value is None else str(value) for name, value in text_row(card).items()}
    told = {name: row[name] for name in own.names if name in row}
    return _compared(drafted_row(told, "", Losses()))


def _with_fields(text: str, theirs: OwnCard, mine: OwnCard) -> str:
    if theirs.type != mine.type:
        text = with_field(text, "type", theirs.type)
    header = read_header(Diagnostics(text, None))
    for key in dict.fromkeys([*mine.fields, *theirs.fields]):
        name = "answer" if key == "correct" and "answer" in header.fields else key
        if key not in theirs.fields:
            text = _without_field(text, name)
        elif theirs.fields[key] != mine.fields.get(key):
            text = with_field(text, name, theirs.fields[key])
    return text


def _without_field(text: str, name: str) -> str:
    header = read_header(Diagnostics(text, None))
    found = header.fields.get(name)
    if found is None:
        return text
    following = [each.key_at for each in header.fields.values() if each.key_at > found.key_at]
    return text[: found.key_at] + text[min(following, default=header.closing) :]


def _with_part(text: str, name: str, new: str) -> str:
    """The text with the words of its question or its solution replaced."""
    place = _place(text, name)
    if place is None:
        return f"{text.rstrip()}\n\n---\n\n# {name.capitalize()}\n{new}\n"
    start, end = place
    new = f"\n{new}" if start == end else new
    ending = "\r\n" if "\r\n" in text else "\n"
    return text[:start] + new.replace("\n", ending) + text[end:]


def _place(text: str, name: str) -> tuple[int, int] | None:
    """Where the words of a card's question or solution are; None where it has no such part."""
    report = Diagnostics(text, None)
    outline = outline_of(report, read_header(report).body)
    parts = parts_of(outline)
    part = parts.question if name == "question" else parts.solution
    if part is None:
        return None
    if words := trimmed(outline, part):
        return outline.lines[words.start].start, outline.lines[words.stop - 1].end
    return (outline.lines[part.start - 1].end,) * 2


# Notes that were edited in Anki.


def edited_in_anki(own: OwnCard, card: Card, deck: Collection) -> tuple[str, list[str]]:
    """The card's file with the fields of its note that were edited in Anki, and sentences about
    those that stay as they are here: nothing is written that would not be exported as it came."""
    if not own.html:
        return card.source, [_BARE]
    fields, signs = signature(own.html)
    mine, text, wrong = _html(card, deck), card.source, []
    for at, name in enumerate(("question", "solution")):
        theirs = fields[at] if at < len(fields) else ""
        if plain(theirs) == plain(mine[at]) or (signs and digest(theirs) == signs[at]):
            continue
        field = repr(dict(zip(own.html, own.names, strict=False)).get(theirs, name))
        if signs is None and to_markdown(theirs).text == to_markdown(mine[at]).text:
            continue
        if signs is None:
            wrong.append(f"{_KEPT.format(field)}: an older version exported it. Export it again.")
        elif digest(mine[at]) != signs[at]:
            wrong.append(f"{_KEPT.format(field)}: the card was edited here as well.")
        elif (new := _mapped(text, name, mine[at], theirs, card, deck)) is None:
            wrong.append(f"{_KEPT.format(field)}: it has no equal in the card. Change it here.")
        else:
            text = new
    for extra, field in zip(own.html, own.names, strict=False):
        if extra not in fields[:2] and plain(extra):
            wrong.append(f"Its field {field!r} is none that was exported; it was left out.")
    tags, here = _tags(own, card), tags_of(card.tags)
    if tags != here and (signs is None or digest(tags) != signs[2]):
        if signs is None or digest(here) != signs[2]:
            wrong.append("Its tags are others there, and were changed here as well: yours stay.")
        else:
            told = own.fields["tags"]
            spelt = {tags_of([name]): name for name in card.tags}  # as the card has them
            names = [spelt.get(tags_of([str(t)]), t) for t in told]
            text = with_field(text, "tags", names) if names else _without_field(text, "tags")
    return text, wrong


def _tags(own: OwnCard, card: Card) -> str:
    """A note's tags; the card's, where the file does not say them."""
    told = own.fields.get("tags", card.tags)
    return tags_of(map(str, told)) if isinstance(told, list | tuple) else ""


_BARE = (
    "The note says something else than the card, which stays as it is: a text export without HTML "
    "does not say enough. Export the note as a package (.apkg)."
)
_KEPT = "Its field {} is not as it was exported, and the card stays as it is"
_TOKEN = re.compile(r"\w+[ \t]*|[^\w\s][ \t]*|\s+")
#: Longer texts take too long to be compared.
_MOST_TOKENS = 3000


def _html(card: Card, deck: Collection) -> tuple[str, str]:
    """The fields of the note that an export of the card has today."""
    return FieldMaker(deck.config, Pictures(deck.root), Exported("apkg")).fields(card)[1]


def _mapped(
    text: str, name: str, mine: str, theirs: str, card: Card, deck: Collection
) -> str | None:
    """The card's file with what a field holds now, if an export of it would be that field."""
    old, new = (_plain(to_markdown(html).text) for html in (mine, theirs))
    place = _place(text, name)
    written = _plain(text[slice(*place)]) if place else ""
    other = _html(parse_card(text, card.path), deck)[name == "question"]
    for part in (_patched(written, old, new), new):
        if part is None:
            continue
        try:
            made = _with_part(text, name, part)
            fields = _html(parse_card(made, card.path), deck)
        except CardError:
            continue
        if set(map(plain, fields)) == {plain(theirs), plain(other)}:
            return made
    return None


def _patched(written: str, old: str, new: str) -> str | None:
    """What is written, changed as `old` was changed to `new`; it says the same as `old` in other
    signs.  None where the change touches what is said in other signs."""
    source, before, after = (_TOKEN.findall(text) for text in (written, old, new))
    if max(map(len, (source, before, after))) > _MOST_TOKENS:
        return None
    same = SequenceMatcher(None, before, source, autojunk=False).get_matching_blocks()
    there = {block.a + n: block.b + n for block in same for n in range(block.size)}
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for kind, a, b, c, d in reversed(changes):
        if kind == "equal":
            continue
        start = there.get(a, there.get(a - 1, -2) + 1)
        if start < 0 or any(there.get(n) != start + n - a for n in range(a, b)):
            return None
        source[start : start + b - a] = after[c:d]
    return "".join(source)


# Notes of Anki's text exports.

_FOLDERS = re.compile(r"\]\([^()\s]*/")


def fitted(card: ForeignCard, here: Sequence[Card]) -> ForeignCard | None:
    """A note of Anki's text export as the card that an import made of it, which has its type,
    course and flags; None where it is not known how the card, or the first of several, shows the
    fields, but all their words are there.

    Raises:
        ExchangeError: words of a field are not there, and their place in the cards is not known.
    """
    told = [_named(text) for mine in here for text in (mine.question, mine.solution)]
    parts, mine = [_named(part) for part in card.parts], here[0]
    news = [not is_said(part, told) for part in parts]
    solution = card.solution
    if mine.type == "reversed":  # a third field decides whether it asks both ways
        parts, news, solution = parts[:2], news[:2], "".join(card.parts[1:2])
    layout = ((parts[:1], news[:1], told[0]), (parts[1:], news[1:], told[1]))
    if card.bare or len(here) > 1 or not all(_is_drawn(*side) for side in layout):
        if not any(news):
            return None
        raise ExchangeError(
            "The card says something else than its note's fields, and a text export does not say "
            "how it shows them; it stays as it is. Export the note as a package (.apkg)."
        )
    flags = [tag for tag in mine.tags if tag.startswith("flag::")]
    tags = card.fields.get("tags", [])
    kept = [*(tags if isinstance(tags, list) else []), *flags]
    fields: dict[str, Value] = {"course": mine.course} if mine.course else {}
    fields |= {"tags": kept} if kept else {}
    return replace(card, type=mine.type, solution=solution, fields=fields)


def _named(text: str) -> str:
    """A text with the names of its pictures alone, wherever they lie."""
    return _FOLDERS.sub("](", text)


def _is_drawn(parts: Sequence[str], news: Sequence[bool], text: str) -> bool:
    """Whether a side is the fields one below the other, but for what is new in them."""
    pattern = r"\s*".join(
        r"[\s\S]*" if new else re.escape(words(part).strip())
        for part, new in zip(parts, news, strict=True)
    )
    return re.fullmatch(rf"\s*{pattern}\s*", words(text)) is not None
