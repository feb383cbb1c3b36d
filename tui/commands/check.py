"""`deltadeck check` and `layers`: derivations checked, and the layers there are."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any, cast

from cards.model import Card
from cards.text import printable
from engine.exercise import Exercise, ExerciseError
from engine.registry import exercise_for, layers
from engine.sandbox.worker import UnconfinedError, WorkerError
from engine.verdict import Verdict
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.commands.common import columns, is_terminal, print_error, read_text, tell
from tui.lab.client import GoneError, TooLongError, given_up, shared_process
from tui.lab.requests import CheckRequest
from tui.lab.text import verdict_line, verdict_text

#: The lab's limit of time is for this many inputs; more of them may take longer.
_USUAL_TRIALS = 300


def run_check(args: argparse.Namespace) -> int:
    """0 correct, 1 readable but not correct, 2 unreadable; of several, the worst of them."""
    shared_process().start()  # while the collection is imported and the cards are read
    from tui.commands.lookup import chosen_cards, is_one, open_collection

    collection, now = open_collection(args.folder)
    cards = chosen_cards(args, collection, now)
    for card in cards:
        _verdict(card, None, args)
    if args.file is not None and args.file != STDIN and Path(args.file).is_dir():
        if len(cards) > 1:
            raise UsageError("A folder of answers is for one card: name only that one.")
        return _check_folder(Path(args.file), cards[0], args)
    answer = args.answer
    if answer is None:
        answer = read_text(args.file).removeprefix("\ufeff")
    if not is_one(args):
        verdicts = (_verdict(card, answer, args) for card in cards)
        return _print_each("card", [card.id for card in cards], verdicts, args)
    verdict = _verdict(cards[0], answer, args)
    tell(args, verdict.as_dict(), verdict_text(verdict, answer))
    return _exit_code(verdict)


def _exit_code(verdict: Verdict) -> int:
    return {"correct": 0, "unreadable": 2}.get(verdict.verdict, 1)


def _verdict(
    card: Card, answer: str | None, args: argparse.Namespace, path: Path | None = None
) -> Verdict:
    """The verdict, from the lab's helper process, which is ended where it takes too long."""
    path = path or Path(args.file or "")
    plain = replace(card, macros={}, extra={})  # read-only mappings cannot be sent
    request = CheckRequest(
        plain, answer, path, args.language, args.seed, args.trials, args.unconfined
    )
    patience = max(1.0, args.trials / _USUAL_TRIALS)
    try:
        found = shared_process().ask(request, times=patience)
        if isinstance(found, UnconfinedError):
            _ask_to_run(path.name or "This function", str(found), args)
            found = shared_process().ask(replace(request, unconfined=True), times=patience)
    except (TooLongError, GoneError) as error:
        return replace(given_up(error), seed=args.seed)
    if isinstance(found, WorkerError):
        raise UsageError(f"{found} Write the answer as a formula.")
    if isinstance(found, ExerciseError):
        raise found
    return cast("Verdict", found)  # None where only the exercise was asked for


def _ask_to_run(name: str, open_to_it: str, args: argparse.Namespace) -> None:
    """Raises UsageError where nobody can be asked, or says no."""
    if args.json or not is_terminal():
        way_out = "In a terminal, without --json, you are asked; --unconfined runs it unasked."
        raise UsageError(f"The function was not run. {open_to_it} {way_out}")
    said = f"{printable(name)}: {open_to_it}"
    print(fill(said, columns() or len(said), break_on_hyphens=False))
    print("Run it all the same? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("The function was not run. Write the answer as a formula.")


def _check_folder(folder: Path, card: Card, args: argparse.Namespace) -> int:
    """One line an answer, by the names of their files."""
    there = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    paths = [path for path in there if path.is_file()]
    for path in there:
        if not path.is_file():
            print_error(f"deltadeck: {printable(str(path))} is left out: {_why_left_out(path)}.")
    if not paths:
        raise UsageError(f"There are no answers in {folder}. Put each into a file of its own.")
    verdicts = (_file_verdict(path, card, args) for path in paths)
    return _print_each("file", [path.name for path in paths], verdicts, args)


def _why_left_out(path: Path) -> str:
    if path.is_dir():
        return "it is a folder, and has a --file of its own"
    return "it is a link to nothing" if path.is_symlink() else "it is no file"


def _file_verdict(path: Path, card: Card, args: argparse.Namespace) -> Verdict:
    """One of many answers; a file that is no text is an answer that cannot be read."""
    try:
        return _verdict(card, read_text(str(path)).removeprefix("\ufeff"), args, path)
    except UsageError as error:
        said = str(error).removeprefix(f"{path.parent}{os.sep}")
        return Verdict("unreadable", "", args.seed, tried=0, message=said)


def _print_each(
    what: str, names: Sequence[str], verdicts: Iterable[Verdict], args: argparse.Namespace
) -> int:
    """Print a verdict for each name, as soon as it is there; the highest of the exit codes."""
    worst, width = 0, min(40, max(map(len, names)))
    for name, verdict in zip(names, verdicts, strict=True):
        worst = max(worst, _exit_code(verdict))
        if args.json:
            print(json.dumps({what: name, **verdict.as_dict()}, ensure_ascii=False), flush=True)
        else:
            print(verdict_line(name, verdict, width), flush=True)
    return worst


# layers


def run_layers(args: argparse.Namespace) -> int:
    """Always 0."""
    names = [args.layer] if args.layer else list(layers())
    found = [exercise_for({"layer": name}, (), "derivation") for name in names]
    exercises = [exercise for exercise in found if exercise is not None]
    rows = [f"{each.layer:22} {each.answer.splitlines()[-1]}" for each in exercises] + [
        "\n`deltadeck layers NAME` tells what an answer may use; docs/answers.md, how a card",
        "asks for one, or brings its own forward message.",
    ]
    values = [_layer_dict(each) for each in exercises]
    tell(args, values, *(_layer_lines(exercises[0]) if args.layer else rows))
    return 0


def _layer_lines(exercise: Exercise) -> list[str]:
    width = max(len(symbol) for symbol, _ in exercise.symbols)
    return [
        exercise.description,
        "",
        *(f"  {symbol:{width}}  {meaning}" for symbol, meaning in exercise.symbols),
        "",
        "indices",
        *(f"  {letter:{width}}  {meaning}" for letter, meaning in exercise.indices),
        "",
        "for example",
        *(f"  {row}" for row in exercise.answer.splitlines()),
    ]


def _layer_dict(exercise: Exercise) -> dict[str, Any]:
    return {
        "layer": exercise.layer,
        "description": exercise.description,
        "symbols": dict(exercise.symbols),
        "indices": dict(exercise.indices),
        "example": exercise.answer,
    }
