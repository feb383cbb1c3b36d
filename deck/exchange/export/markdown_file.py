"""All cards in one Markdown file, which any reader shows well, and which `split` takes apart again.

Before each card stands a comment with its place and how many lines it has.  The frontmatter is a
block of YAML code there, since `---` means it only at the beginning of a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from cards.model import Card
from deck.exchange.bundle import ExchangeError
from deck.exchange.export.media import linked
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source

_HEAD = "<!-- deltadeck cards: each comment says how many lines the card below it has -->\n"
_MARK = re.compile(r'<!-- card (?P<facts>\{"path": .*\}) -->\n')
_FRONT = re.compile(r"---\n(?P<yaml>(?:(?!---[ \t]*\n).*\n)*?)---\n")
_FENCE = re.compile(r"(?P<sign>`{3,})yaml\n")


class CardFile(NamedTuple):
    path: str
    """Below the collection, its parts joined by "/"."""
    text: str


def write_markdown(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """Every card as it is written, one after another."""
    file.write(_HEAD.encode())
    for card in source.cards(report, progress):
        report.count("cards")
        file.write(joined(CardFile(_path(source, card), card.source)).encode("utf-8", "replace"))
        if "![" in card.source or linked(card.source):
            report.without("Pictures and sounds stay in their own files.", card.id)
    report.without("Reviews and schedules are not in it.")


def _path(source: Source, card: Card) -> str:
    return card.path.relative_to(source.root).as_posix() if card.path else f"{card.id}.md"


def joined(card: CardFile) -> str:
    """A card as it stands in the file."""
    text, fenced = card.text, False
    if found := _FRONT.match(text):
        runs = re.findall(r"`+", found["yaml"])
        sign = "`" * max(3, 1 + max(map(len, runs), default=0))
        text = f"{sign}yaml\n{found['yaml']}{sign}\n{text[found.end() :]}"
        fenced = True
    ended = text.endswith("\n")
    body = text if ended else text + "\n"
    facts = {"path": card.path, "lines": body.count("\n")}
    facts |= {} if ended else {"ended": False}
    facts |= {} if fenced else {"fenced": False}
    # In ASCII and without a ">": a path must not end the comment.
    written = json.dumps(facts).replace(">", "\\u003e")
    return f"\n<!-- card {written} -->\n\n{body}"


def split(text: str) -> Iterator[CardFile]:
    """The cards of such a file, each as it was.

    Raises:
        ExchangeError: the file was cut, or its comments were changed.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = _MARK.fullmatch(lines[at] + "\n")
        at += 1
        if found is None:
            continue
        try:
            facts = json.loads(found["facts"])
            path, count = str(facts["path"]), int(facts["lines"])
        except (ValueError, KeyError, TypeError) as error:
            raise ExchangeError(f"Line {at}: this comment about a card was changed.") from error
        at += 1
        if at + count > len(lines):
            raise ExchangeError(f"Line {at}: {path} should have {count} lines; the file was cut.")
        body = "\n".join(lines[at : at + count]) + "\n"
        at += count
        yield CardFile(path, _restored(body, facts.get("ended", True), facts.get("fenced", True)))


def _restored(body: str, ended: bool, fenced: bool) -> str:
    if fenced and (found := _FENCE.match(body)):
        close = f"\n{found['sign']}\n"
        end = body.index(close, found.end() - 1) if close in body[found.end() - 1 :] else None
        if end is not None:
            yaml = body[found.end() : end + 1]
            body = f"---\n{yaml}---\n{body[end + len(close) :]}"
    return body if ended else body[:-1]
