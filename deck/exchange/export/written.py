"""A card as it is written: its frontmatter and its two parts, for whoever would write it again."""

from __future__ import annotations

from dataclasses import dataclass

from cards.diagnostics import Report
from cards.frontmatter import read_header
from cards.model import Card, Value
from cards.outline import markdown, outline_of, parts_of


@dataclass(frozen=True, slots=True)
class Written:
    fields: dict[str, Value]
    """The frontmatter without `id` and `type`, every scalar as the text that stands there."""
    question: str
    """With its points and its options, without its heading."""
    solution: str
    before: str
    """What stands above both: deltadeck shows it nowhere."""


def written(card: Card) -> Written:
    """Of a card that was read from a text (`Card.source`)."""
    report = Report(card.source, card.path)
    header = read_header(report)
    outline = outline_of(report, header.body)
    parts = parts_of(outline)
    fields = {f.key: f.value for f in header.fields.values() if f.key not in ("id", "type")}
    starts = [part.start - 1 for part in (parts.question, parts.solution) if part is not None]
    first = min(starts, default=0)
    heading = next((h.first for h in outline.headings if h.last == first), first)
    return Written(
        fields,
        markdown(outline, parts.question) if parts.question is not None else "",
        markdown(outline, parts.solution) if parts.solution is not None else "",
        markdown(outline, range(heading)),
    )
