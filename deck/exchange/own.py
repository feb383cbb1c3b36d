"""Cards of our own exports that come back: what was changed in the file, and only that.

What an export of the card says today is read as the file was; where the two differ, the file was
edited since, or the card.  The digest in the file tells which: of a card that is as it was exported
what was changed there is written into its file, and all else of the file stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cards.edit import with_field
from cards.frontmatter import read_header
from cards.model import Card, CardError, Value
from cards.parse import parse_card
from cards.parts import outline_of, parts_of, trimmed
from cards.report import Report
from deck.collection import Collection
from deck.exchange.bundle import ExchangeError, Own

#: It follows the answers, and the id is how the card is known.
_FIXED = ("id", "status")


@dataclass(frozen=True, slots=True)
class _Read:
    type: str
    question: str
    solution: str
    fields: Mapping[str, Value]


def is_same(program: str, own: Own, card: Card, deck: Collection) -> bool:
    """Whether the file says of a card what an export of it would say today."""
    theirs, mine = _compared(own), _today(program, own, card, deck)
    if program == "anki":  # a note has no more than two sides
        return (theirs.question, theirs.solution) == (mine.question, mine.solution)
    return theirs == mine


def edited(program: str, own: Own, card: Card, deck: Collection) -> str:
    """The card's file with what was changed in the export.

    Raises:
        ExchangeError: that cannot be written into this file.
    """
    theirs, mine, text = _compared(own), _today(program, own, card, deck), card.source
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


def _compared(own: Own) -> _Read:
    fields = {name: value for name, value in own.fields.items() if name not in _FIXED}
    return _Read(own.type, _plain(own.question), _plain(own.solution), fields)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _today(program: str, own: Own, card: Card, deck: Collection) -> _Read:
    if program == "anki":
        from deck.exchange.anki.html import to_markdown
        from deck.exchange.export.apkg.fields import Maker
        from deck.exchange.export.media import Pictures
        from deck.exchange.export.report import Report as Exported

        maker = Maker(deck.config, Pictures(deck.root), Exported("apkg"))
        front, back = (_plain(to_markdown(html).text) for html in maker.fields(card)[1])
        return _Read(own.type, front, back, {})
    if program == "json":
        from deck.exchange.export.json_file import text_record
        from deck.exchange.json_cards import drafted

        return _compared(drafted(text_record(card), "", "", []))
    from deck.exchange.export.tables import text_row
    from deck.exchange.table.own import drafted as row_drafted

    row = {name: "" if value is None else str(value) for name, value in text_row(card).items()}
    return _compared(row_drafted({name: row[name] for name in own.names if name in row}, "", []))


def _with_fields(text: str, theirs: _Read, mine: _Read) -> str:
    if theirs.type != mine.type:
        text = with_field(text, "type", theirs.type)
    header = read_header(Report(text, None))
    for key in dict.fromkeys([*mine.fields, *theirs.fields]):
        name = "answer" if key == "correct" and "answer" in header.fields else key
        if key not in theirs.fields:
            text = _without_field(text, name)
        elif theirs.fields[key] != mine.fields.get(key):
            text = with_field(text, name, theirs.fields[key])
    return text


def _without_field(text: str, name: str) -> str:
    header = read_header(Report(text, None))
    found = header.fields.get(name)
    if found is None:
        return text
    following = [each.key_at for each in header.fields.values() if each.key_at > found.key_at]
    return text[: found.key_at] + text[min(following, default=header.closing) :]


def _with_part(text: str, name: str, new: str) -> str:
    """The text with the words of its question or its solution replaced."""
    report = Report(text, None)
    outline = outline_of(report, read_header(report).body)
    parts = parts_of(outline)
    part = parts.question if name == "question" else parts.solution
    if part is None:
        return f"{text.rstrip()}\n\n---\n\n# {name.capitalize()}\n{new}\n"
    if words := trimmed(outline, part):
        start, end = outline.lines[words.start].start, outline.lines[words.stop - 1].end
    else:
        start = end = outline.lines[part.start - 1].end
        new = f"\n{new}"
    ending = "\r\n" if "\r\n" in text else "\n"
    return text[:start] + new.replace("\n", ending) + text[end:]
