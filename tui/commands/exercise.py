"""`deltadeck exercise`: a card's exercise, or one proposed; and the solutions that `lint` tries."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cards.edit import save_card
from cards.files import refuse_leaving
from cards.model import Card, Problem
from cards.text import printable
from deck.collection import Collection
from engine.exercise import ExerciseError
from engine.registry import may_ask
from engine.verdict import Proposal, Verdict
from tui.commands.common import print_error, tell
from tui.commands.lookup import chosen_cards, is_one, open_collection
from tui.exercises import exercise_lines, with_exercise
from tui.lab.client import shared_process, tried_solution
from tui.lab.text import verdict_text


def run_exercise(args: argparse.Namespace) -> int:
    """0 where the solution is right under each, 1 where one is not, 2 where none can be made."""
    shared_process().start()  # while the cards are read
    collection, now = open_collection(args.folder)
    code, told = 0, list[dict[str, Any]]()
    cards = chosen_cards(args, collection, now)
    for number, card in enumerate(cards):
        written = False
        try:
            found: Proposal | ExerciseError = tried_solution(card, proposing=True)
        except ExerciseError as error:
            found = error
        if isinstance(found, ExerciseError):
            code = 2
        else:
            code = max(code, 0 if found.verdict.verdict == "correct" else 1)
            written = args.write and card.exercise is None
        if written and isinstance(found, Proposal):
            _write(card, found, collection)
        told.append(_as_dict(card, found, written))
        if args.json:
            continue
        if isinstance(found, ExerciseError):
            print_error(printable(f"deltadeck: {card.id}: {found}"))
        else:
            print("\n".join([""] * (number > 0) + [*_rows(card, found, written, len(cards))]))
    if args.json:
        tell(args, told[0] if is_one(args) else told)
    return code


def _as_dict(card: Card, found: Proposal | ExerciseError, written: bool) -> dict[str, Any]:
    made = found if isinstance(found, Proposal) else None
    return {
        "id": card.id,
        "path": str(card.path),
        "exercise": dict(made.keys) if made else None,
        "message": None if made else str(found),
        "proposed": made is not None and card.exercise is None,
        "written": written,
        "remarks": list(made.remarks) if made else [],
        "verdict": made.verdict.as_dict() if made else None,
    }


def _rows(card: Card, found: Proposal, written: bool, count: int) -> Iterator[str]:
    if count > 1:
        yield printable(f"{card.id}:")
    yield printable(exercise_lines(found.keys).rstrip("\n"))
    yield ""
    yield from (printable(row) for row in found.remarks)
    yield "The card's own solution:"
    yield from (f"  {row}" for row in verdict_text(found.verdict, card.solution).splitlines())
    if written:
        yield printable(f"Written to {card.path}.")
    elif card.exercise is None:
        yield "Proposed: paste it into the card's frontmatter, or let --write do so."


def _write(card: Card, found: Proposal, collection: Collection) -> None:
    """Put the exercise into the card's frontmatter.  Raises CardError."""
    assert card.path is not None
    refuse_leaving(card.path, collection.root)
    text = with_exercise(card.source, found.keys, card.path)
    save_card(card.path, text, card.source, collection.root)


# What `lint --solutions` says.


def solution_problem(card: Card, path: Path | None) -> Problem | None:
    """What is wrong with a card's own solution; None where it is right, or nothing asks for it."""
    if not may_ask(card.exercise, card.tags, card.type):
        return None
    try:
        verdict = tried_solution(card).verdict
    except ExerciseError:
        return None  # an exercise that cannot be is said of itself
    if verdict.verdict == "correct":
        return None
    line, column = _place(card, verdict)
    said, hint = _said(verdict)
    wrong = verdict.verdict in ("wrong", "wrong-step", "only-without-overlap", "correct-but-slow")
    severity = "warning" if wrong else "hint"
    return Problem(path, line, column, f"solution: {said}", hint, severity)  # type: ignore[arg-type]


def _said(verdict: Verdict) -> tuple[str, str]:
    """What is wrong, and what to do about it."""
    hint = "`deltadeck exercise` shows the numbers."
    if verdict.verdict == "unreadable":
        message = verdict.message or "It is not read."
        # A place is said of the reader, not of the card: its author may write as he likes.
        if verdict.line is not None and not message.startswith("The solution"):
            message = f"It was not tried, for the reader stops here: {message}"
        return message, _sentence(verdict.hint or "")
    if verdict.verdict == "incomplete":
        return f"It does not give {', '.join(verdict.open)}.", "Give all that `find` lists."
    if verdict.verdict == "correct-except-ties":
        return "It is right, but where the derivative does not exist.", hint
    step = f": {verdict.step}" if verdict.step else ""
    said = f"{'This step is' if verdict.step else 'It is'} wrong{step}."
    if verdict.misconception:
        said += f" Likely mistake: {verdict.misconception}."
    return said, verdict.teaching or hint


def _sentence(hint: str) -> str:
    return f"{hint[:1].upper()}{hint[1:]}{'' if hint.endswith('.') or not hint else '.'}"


def _place(card: Card, verdict: Verdict) -> tuple[int, int]:
    """Where in the card's file the verdict's place is; the solution's heading where it has none."""
    heading = next((each.line for each in card.sections if each.title == "Solution"), 1)
    rows = card.source.splitlines()
    wanted = card.solution.split("\n")
    if verdict.line and verdict.line <= len(wanted):
        first = next((n for n in range(heading, len(rows)) if rows[n].strip()), heading)
        return first + verdict.line, verdict.column or 1
    return heading, 1
