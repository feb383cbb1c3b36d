"""`deltadeck layers`: the layers that a card can ask about, with the symbols of an answer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.commands.common import UsageError, add_json, print_json

if TYPE_CHECKING:
    from engine import Exercise


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "layer", nargs="?", metavar="LAYER", help="only this one, with all that an answer may use"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Always 0: an unknown layer is a usage error."""
    from engine import ExerciseError, exercise_for
    from engine.exercise import layers

    names = [args.layer] if args.layer else list(layers())
    try:
        found = [exercise_for({"layer": name}, (), "derivation") for name in names]
    except ExerciseError as error:
        raise UsageError(str(error)) from error
    exercises = [exercise for exercise in found if exercise is not None]
    if args.json:
        print_json([_plain(exercise) for exercise in exercises])
    elif args.layer:
        print("\n".join(_whole(exercises[0])))
    else:
        print("\n".join(_row(exercise) for exercise in exercises))
        print("\n`deltadeck layers NAME` tells what an answer may use; docs/answers.md, how a card")
        print("asks for one, or brings its own forward message.")
    return 0


def _row(exercise: Exercise) -> str:
    return f"{exercise.layer:22} {exercise.answer.splitlines()[-1]}"


def _whole(exercise: Exercise) -> list[str]:
    lines = [exercise.description, ""]
    width = max(len(symbol) for symbol, _ in exercise.symbols)
    lines += [f"  {symbol:{width}}  {meaning}" for symbol, meaning in exercise.symbols]
    lines += ["", "indices"]
    lines += [f"  {letter:{width}}  {meaning}" for letter, meaning in exercise.indices]
    lines += ["", "for example", *(f"  {row}" for row in exercise.answer.splitlines())]
    return lines


def _plain(exercise: Exercise) -> dict[str, Any]:
    return {
        "layer": exercise.layer,
        "description": exercise.description,
        "symbols": dict(exercise.symbols),
        "indices": dict(exercise.indices),
        "example": exercise.answer,
    }
