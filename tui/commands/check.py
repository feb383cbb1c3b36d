"""`deltadeck check ID --answer TEXT`: check a derivation against random inputs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
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
    from engine.languages import Language

#: What a file's name says of the language in it.
_BY_SUFFIX: dict[str, Language] = {".py": "function", ".tex": "latex"}


_EPILOG = """\
exit codes: 0 correct; 1 read, and not correct; 2 not read, or a card or an option that there is
not. A verdict, "not read" among them, is on standard output; what is wrong with the command itself
is a sentence on standard error, and standard output stays empty. Of a folder, the highest.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("id", help="the card's id")
    answer = parser.add_mutually_exclusive_group(required=True)
    answer.add_argument("--answer", metavar="TEXT", help="the backward message you derived")
    answer.add_argument(
        "--file",
        metavar="F",
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
    """0 correct, 1 readable but not correct, 2 unreadable; of a folder, the worst of them."""
    answer = args.answer
    whole_folder = args.file is not None and args.file != "-" and Path(args.file).is_dir()
    if answer is None and not whole_folder:
        answer = read_text(args.file).removeprefix("\ufeff")
    exercise = _exercise(find_card(open_collection(args.folder), args.id))
    if answer is None:
        return _folder(Path(args.file), exercise, args)
    verdict = _checked(answer, exercise, args, Path(args.file or ""))
    if args.json:
        print_json(verdict.as_dict())
    else:
        from tui.report import verdict_text

        print(verdict_text(verdict, answer))
    return _exit_code(verdict)


def _checked(answer: str, exercise: Exercise, args: argparse.Namespace, path: Path) -> Verdict:
    from engine import check
    from engine.sandbox import WorkerError
    from tui.lab_mixed import plainly

    language = args.language or _BY_SUFFIX.get(path.suffix)
    try:
        verdict = check(answer, exercise, args.seed, args.trials, language)
        return plainly(verdict, answer, args.language)
    except WorkerError as error:
        raise UsageError(f"{error} Write the answer as a formula.") from error


def _folder(folder: Path, exercise: Exercise, args: argparse.Namespace) -> int:
    """One line an answer, by the names of their files."""
    from cards.text import printable
    from tui.report import verdict_line

    there = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    paths = [path for path in there if path.is_file()]
    for path in there:
        if not path.is_file():
            said = f"{printable(str(path))} is left out: {_instead(path)}."
            print(f"deltadeck: {said}", file=sys.stderr)
    if not paths:
        raise UsageError(f"There are no answers in {folder}. Put each into a file of its own.")
    width = min(40, max(len(path.name) for path in paths))
    worst = 0
    for path in paths:
        verdict = _of_file(path, exercise, args)
        worst = max(worst, _exit_code(verdict))
        if args.json:
            # An object a line, each as soon as it is there: a class has many answers.
            found = {"file": path.name, **verdict.as_dict()}
            print(json.dumps(found, ensure_ascii=False), flush=True)
        else:
            print(verdict_line(path.name, verdict, width), flush=True)
    return worst


def _instead(path: Path) -> str:
    """What stands in a folder of answers and is none."""
    if path.is_dir():
        return "it is a folder, and has a --file of its own"
    return "it is a link to nothing" if path.is_symlink() else "it is no file"


def _of_file(path: Path, exercise: Exercise, args: argparse.Namespace) -> Verdict:
    """One of many answers; a file that is no text is an answer that cannot be read."""
    from engine import Verdict

    try:
        answer = read_text(str(path)).removeprefix("\ufeff")
    except UsageError as error:
        said = str(error).removeprefix(f"{path.parent}{os.sep}")
        return Verdict("unreadable", "", args.seed, tried=0, message=said)
    return _checked(answer, exercise, args, path)


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
