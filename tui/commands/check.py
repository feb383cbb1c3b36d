"""`deltadeck check ID --answer TEXT`: check a derivation against random inputs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    find_card,
    open_collection,
    print_json,
    read_text,
)

if TYPE_CHECKING:
    from cards import Card
    from engine import Exercise, Verdict


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the card's id")
    answer = parser.add_mutually_exclusive_group(required=True)
    answer.add_argument("--answer", metavar="TEXT", help="the backward message you derived")
    answer.add_argument("--file", metavar="F", help="a file that holds it, or - for standard input")
    parser.add_argument(
        "--seed", type=_natural, default=0, help="of the random inputs (default: 0)"
    )
    parser.add_argument(
        "--trials", type=_positive, default=300, help="how many inputs to try (default: 300)"
    )
    add_folder(parser)
    add_json(parser)


def _natural(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 10^18 - 1")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 100000")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """0 correct, 1 readable but not correct, 2 unreadable."""
    answer = args.answer if args.answer is not None else read_text(args.file).removeprefix("\ufeff")
    card = find_card(open_collection(args.folder), args.id)
    exercise = _exercise(card)
    from engine import check

    verdict = check(answer, exercise, seed=args.seed, trials=args.trials)
    if args.json:
        print_json(verdict.as_dict())
    else:
        from tui.report import verdict_text

        print(verdict_text(verdict, answer))
    return _exit_code(verdict)


def _exit_code(verdict: Verdict) -> int:
    return {"correct": 0, "unreadable": 2}.get(verdict.verdict, 1)


def _exercise(card: Card) -> Exercise:
    from engine import ExerciseError, exercise_for

    try:
        exercise = exercise_for(card.exercise, card.tags, card.type)
    except ExerciseError as error:
        raise UsageError(f"{card.path}: {error}") from error
    if exercise is None:
        raise UsageError(
            f"The card '{card.id}' has no exercise: nothing says which layer to check. "
            "Add `exercise: max-pool` to its frontmatter, or tag a derivation with "
            "`max-pooling` and `backpropagation`."
        )
    return exercise
