"""Tables of cards and of items, as CSV: a header, and one row each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from cards.model import Card
from deck.exchange.export.facts import due_of, local, recall_of, state_name, utc
from deck.exchange.export.report import Report
from deck.exchange.export.source import Past, Progress, Source
from deck.exchange.export.texts import options
from deck.exchange.known import digest_of
from deck.replay import New, Review

CARD_COLUMNS = (
    *("id", "path", "course", "type", "status", "difficulty", "points", "tags", "question"),
    *("options", "correct", "tolerance", "solution", "related", "items"),
    "digest",
)
ITEM_COLUMNS = (
    *("item", "card", "path", "course", "type", "tags", "state", "suspended", "buried_until"),
    *("due", "interval", "stability", "difficulty", "retrievability", "repetitions", "lapses"),
    *("last_answer", "last_rating", "answers", "prompt", "answer"),
)
#: Between several values in one cell.
_BETWEEN = " "


def write_cards(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """One row a card."""
    rows = (_card_row(source, card, report) for card in source.cards(report, progress))
    write_csv(file, CARD_COLUMNS, rows)


def write_items(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """One row an item, with its schedule; of the items that were chosen."""
    chosen = None if source.chosen is None else set(source.chosen)

    def rows() -> Iterator[Mapping[str, Any]]:
        for card in source.cards(report, progress):
            report.count("cards")
            for past in source.pasts(card):
                if chosen is None or past.item.id in chosen:
                    report.count("items")
                    yield _item_row(source, card, past)

    write_csv(file, ITEM_COLUMNS, rows())


def write_csv(file: IO[bytes], columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """UTF-8 with a header; None is an empty cell, true and false are words."""
    names = list(columns)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
        if text.tell() > 2**16:
            _flush(text, file)
    _flush(text, file)


def _flush(text: io.StringIO, file: IO[bytes]) -> None:
    file.write(text.getvalue().encode("utf-8", "backslashreplace"))
    text.seek(0)
    text.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _card_row(source: Source, card: Card, report: Report) -> dict[str, Any]:
    report.count("cards")
    if card.exercise is not None:
        report.without("The exercise of a derivation is in no column.", card.id)
    return {"path": source.place(card.path) if card.path else "", **text_row(card)}


def text_row(card: Card) -> dict[str, Any]:
    """What a card's file says."""
    return {
        "id": card.id,
        "course": card.course,
        "type": card.type,
        "status": card.status,
        "difficulty": card.difficulty,
        "points": None if card.points is None else f"{card.points:g}",
        "tags": _BETWEEN.join(card.tags),
        "question": card.question,
        "options": "\n".join(f"{letter}) {text}" for letter, text in options(card)),
        "correct": card.correct,
        "tolerance": card.tolerance,
        "solution": card.solution,
        "related": "\n".join(card.related),
        "items": _BETWEEN.join(item.id for item in card.items),
        "digest": digest_of(card.source),
    }


def _item_row(source: Source, card: Card, past: Past) -> dict[str, Any]:
    state, config, now = past.state, source.collection.config, source.now
    learnt = None if isinstance(state, New) else state
    due, answers = due_of(state, now, config), past.answers
    return {
        "item": past.item.id,
        "card": card.id,
        "path": source.place(card.path) if card.path else "",
        "course": card.course,
        "type": card.type,
        "tags": _BETWEEN.join(card.tags),
        "state": state_name(state),
        "suspended": past.suspended,
        "buried_until": past.buried.isoformat() if past.buried else None,
        "due": local(due, now) if due else None,
        "interval": state.interval if isinstance(state, Review) else None,
        "stability": learnt.memory.stability if learnt else None,
        "difficulty": learnt.memory.difficulty if learnt else None,
        "retrievability": recall_of(state, now, config),
        "repetitions": learnt.repetitions if learnt else 0,
        "lapses": learnt.lapses if learnt else 0,
        "last_answer": utc(answers[-1].event.at) if answers else None,
        "last_rating": int(answers[-1].event.rating or 0) if answers else None,
        "answers": len(answers),
        "prompt": past.item.prompt,
        "answer": past.item.answer,
    }
