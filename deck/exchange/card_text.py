"""A foreign card as the text of a card file, which reads back as what was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cards.cloze import find
from cards.edit import write_value
from cards.links import retargeted
from cards.model import CardError, Value
from cards.outline import title_name
from cards.parse import parse_card
from cards.text import printable
from deck.exchange.bundle import ExchangeError, ForeignCard

#: A line that could be taken for a part of the card's own: a heading, a separator, an open block.
_RISKY = re.compile(
    r"^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?:#|=|--|```|~~~|\$\$|\\\[|\\begin)", re.MULTILINE
)
_HEADING = re.compile(r"^( {0,3})(#{1,6}[ \t]*)(.*)$", re.MULTILINE)
_UNDERLINE = re.compile(r"^( {0,3})(=+|-+)([ \t]*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_OWN = ("question", "solution", "options")
_BARE = "-*_ \t\n"


def card_text(
    card: ForeignCard, card_id: str, source: str, status: str, places: Mapping[str, str]
) -> str:
    """The card's file.  `source` names it in its program, "" where its id does; `places` are its
    media's paths.  A `source` of the card's own fields stays beside it.

    Raises:
        ExchangeError: no card can be made of it; a sentence without its place.
    """
    question = retargeted(printable(card.question).strip(), places)
    solution = retargeted(printable(card.solution).strip(), places)
    header = _header(card, card_id, source, status)
    text = _text(header, question, solution)
    if card.type == "cloze" and not find(question).found:
        raise ExchangeError("It is a cloze card without a cloze.")
    if not question:
        raise ExchangeError("It has no question.")
    if not _RISKY.search(question) and not _RISKY.search(solution) and len(text) < 200_000:
        return text
    wrong = _wrong(text, solution)
    if not wrong:
        return text
    question, solution = _neutral(question), _neutral(solution)
    text = _text(header, question, solution)
    wrong = _wrong(text, solution)
    if wrong:
        raise ExchangeError(wrong)
    return text


def _header(card: ForeignCard, card_id: str, source: str, status: str) -> str:
    fields: dict[str, Value] = {"id": card_id}
    fields |= {name: value for name, value in card.fields.items() if value not in ("", [], {})}
    said = fields.pop("source", "")
    fields["type"] = card.type
    fields |= {"source": said} if said else {}
    if source:
        fields["imported" if said else "source"] = source
    fields.pop("status", None)
    fields["status"] = status
    return "\n".join(f"{write_value(name)}: {write_value(value)}" for name, value in fields.items())


def _text(header: str, question: str, solution: str) -> str:
    answer = f"\n\n---\n\n# Solution\n{solution}\n" if solution else "\n\n---\n\n# Solution\n"
    if not solution and "\ntype: cloze\n" in header:
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
        escaped = title_name(found[3]) in _OWN
        return f"{found[1]}\\{found[2]}{found[3]}" if escaped else found[0]

    text = _UNDERLINE.sub(r"\1\\\2\3", _HEADING.sub(heading, text))
    fences = _FENCE.findall(text)
    return f"{text}\n{fences[-1]}" if len(fences) % 2 else text
