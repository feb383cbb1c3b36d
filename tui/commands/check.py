"""`deltadeck check ID... --answer TEXT`: check a derivation against random inputs."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_folder,
    add_json,
    open_collection,
    print_json,
    read_text,
    whole_number,
)
from tui.commands.items import add_cards, chosen_cards, is_one

if TYPE_CHECKING:
    from cards import Card
    from engine import Exercise, Verdict
    from engine.languages import Language

#: What a file's name says of the language in it.
_BY_SUFFIX: dict[str, Language] = {".py": "function", ".tex": "latex"}
#: So many inputs the lab's limit of time is for; more of them may take longer.
_USUAL = 300


@dataclass(frozen=True, slots=True)
class CheckAsked:
    """An answer to a card, for the lab's helper process."""

    card: Card
    answer: str | None
    """None where only the card's exercise is asked for."""
    path: Path
    said: Language | None
    seed: int
    trials: int
    unconfined: bool


_EPILOG = """\
exit codes: 0 correct; 1 read, and not correct; 2 not read, or a card or an option that there is
not. A verdict, "not read" among them, is on standard output; what is wrong with the command itself
is a sentence on standard error, and standard output stays empty. Of several cards or answers, the
highest. What takes longer than 10 s (more where --trials asks for more inputs) is not read either:
it gets its sentence, and the others go on.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_cards(parser)
    answer = parser.add_mutually_exclusive_group(required=True)
    answer.add_argument("--answer", metavar="TEXT", help="the backward message you derived")
    answer.add_argument(
        "--file",
        metavar="FILE",
        help="a file that holds it, - for standard input, or a folder: a line for each answer",
    )
    language = parser.add_mutually_exclusive_group()
    for name, what in (
        ("formula", "an index formula"),
        ("latex", "LaTeX"),
        ("numpy", "a NumPy function"),
    ):
        language.add_argument(
            f"--{name}",
            dest="language",
            action="store_const",
            const="function" if name == "numpy" else name,
            help=f"the answer is {what} (default: told by its looks)",
        )
    parser.add_argument(
        "--seed",
        type=whole_number(0, 10**18 - 1),
        default=0,
        metavar="N",
        help="of the random inputs (default: 0)",
    )
    parser.add_argument(
        "--trials",
        type=whole_number(1, 100_000),
        default=300,
        metavar="N",
        help="how many inputs to try (default: 300)",
    )
    parser.add_argument(
        "--unconfined",
        action="store_true",
        help="run a function without asking, even where nothing keeps it from your files",
    )
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 correct, 1 readable but not correct, 2 unreadable; of several, the worst of them."""
    from tui.lab_checker import shared_checker

    shared_checker().start()  # while the cards are read
    whole_folder = args.file is not None and args.file != "-" and Path(args.file).is_dir()
    collection = open_collection(args.folder)
    cards = [collection.cards[name] for name in chosen_cards(args, collection)]
    for card in cards:
        _asked(card, None, args)
    if whole_folder:
        if len(cards) > 1:
            raise UsageError("A folder of answers is for one card: name only that one.")
        return _folder(Path(args.file), cards[0], args)
    answer = args.answer
    if answer is None:
        answer = read_text(args.file).removeprefix("\ufeff")
    if not is_one(args):
        verdicts = (_asked(card, answer, args) for card in cards)
        return _each("card", [card.id for card in cards], verdicts, args)
    verdict = _asked(cards[0], answer, args)
    if args.json:
        print_json(verdict.as_dict())
    else:
        from tui.report import verdict_text

        print(verdict_text(verdict, answer))
    return _exit_code(verdict)


def _each(
    what: str, names: Sequence[str], verdicts: Iterable[Verdict], args: argparse.Namespace
) -> int:
    """Print a verdict for each name, as soon as it is there; the highest of the exit codes."""
    from tui.report import verdict_line

    worst, width = 0, min(40, max(map(len, names)))
    for name, verdict in zip(names, verdicts, strict=True):
        worst = max(worst, _exit_code(verdict))
        if args.json:
            print(json.dumps({what: name, **verdict.as_dict()}, ensure_ascii=False), flush=True)
        else:
            print(verdict_line(name, verdict, width), flush=True)
    return worst


def _asked(
    card: Card, answer: str | None, args: argparse.Namespace, path: Path | None = None
) -> Verdict:
    """The verdict, from the lab's helper process, which is ended where it takes too long."""
    from engine.sandbox.worker import UnconfinedError, WorkerError
    from tui.lab_checker import GoneError, TooLongError, shared_checker
    from tui.lab_work import given_up

    path = path or Path(args.file or "")
    plain = replace(card, macros={}, extra={})  # read-only mappings cannot be sent
    options = (args.language, args.seed, args.trials, args.unconfined)
    try:
        found = shared_checker().ask(
            CheckAsked(plain, answer, path, *options), times=max(1.0, args.trials / _USUAL)
        )
    except (TooLongError, GoneError) as error:
        return replace(given_up(error), seed=args.seed)
    if isinstance(found, UnconfinedError):
        _ask_to_run(path.name or "This function", str(found), args)
        allowed = argparse.Namespace(**vars(args) | {"unconfined": True})
        return _asked(card, answer, allowed, path)
    if isinstance(found, WorkerError):
        raise UsageError(f"{found} Write the answer as a formula.")
    if isinstance(found, UsageError):
        raise found
    verdict: Verdict = found
    return verdict


def verdict_of(asked: CheckAsked) -> Verdict | Exception | None:
    """What the helper process makes of it; an error that must be raised here is returned."""
    from engine import check
    from engine.sandbox.worker import WorkerError
    from tui.lab_mixed import plainly

    language = asked.said or _BY_SUFFIX.get(asked.path.suffix)
    options = (asked.seed, asked.trials, language, asked.unconfined)
    try:
        exercise = _exercise(asked.card)
        if asked.answer is None:
            return None
        return plainly(check(asked.answer, exercise, *options), asked.answer, asked.said)
    except (UsageError, WorkerError) as error:
        return error


def _ask_to_run(name: str, open_to_it: str, args: argparse.Namespace) -> None:
    """Raises UsageError where nobody can be asked, or says no."""
    from cards.text import printable

    if args.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        way_out = "In a terminal, without --json, you are asked; --unconfined runs it unasked."
        raise UsageError(f"The function was not run. {open_to_it} {way_out}")
    width = shutil.get_terminal_size().columns
    print(fill(f"{printable(name)}: {open_to_it}", width, break_on_hyphens=False))
    print("Run it all the same? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("The function was not run. Write the answer as a formula.")


def _folder(folder: Path, card: Card, args: argparse.Namespace) -> int:
    """One line an answer, by the names of their files."""
    from cards.text import printable

    there = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    paths = [path for path in there if path.is_file()]
    for path in there:
        if not path.is_file():
            said = f"{printable(str(path))} is left out: {_instead(path)}."
            print(f"deltadeck: {said}", file=sys.stderr)
    if not paths:
        raise UsageError(f"There are no answers in {folder}. Put each into a file of its own.")
    verdicts = (_of_file(path, card, args) for path in paths)
    return _each("file", [path.name for path in paths], verdicts, args)


def _instead(path: Path) -> str:
    """What stands in a folder of answers and is none."""
    if path.is_dir():
        return "it is a folder, and has a --file of its own"
    return "it is a link to nothing" if path.is_symlink() else "it is no file"


def _of_file(path: Path, card: Card, args: argparse.Namespace) -> Verdict:
    """One of many answers; a file that is no text is an answer that cannot be read."""
    from engine import Verdict

    try:
        answer = read_text(str(path)).removeprefix("\ufeff")
        return _asked(card, answer, args, path)
    except UsageError as error:
        said = str(error).removeprefix(f"{path.parent}{os.sep}")
        return Verdict("unreadable", "", args.seed, tried=0, message=said)


def _exit_code(verdict: Verdict) -> int:
    return {"correct": 0, "unreadable": 2}.get(verdict.verdict, 1)


def _exercise(card: Card) -> Exercise:
    from engine import Exercise, ExerciseError
    from engine.exercise import why_none

    try:
        exercise = Exercise.from_card(card)
    except ExerciseError as error:
        raise UsageError(f"{card.path}: {error}") from error
    if exercise is None:
        why = why_none(card) or (
            "Nothing says which layer to check. Add `exercise: max-pool` to its frontmatter, or "
            "tag a derivation with `max-pooling` and `backpropagation`."
        )
        raise UsageError(f"The card '{card.id}' has no exercise. {why}")
    return exercise
