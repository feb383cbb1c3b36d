"""`deltadeck check`, `layers` and `math`: derivations checked, the layers there are, and LaTeX as
text."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

from tui.commands import UsageError
from tui.commands.common import (
    STDIN,
    add_cards,
    add_folder,
    add_json,
    chosen_cards,
    is_one,
    is_styled,
    open_collection,
    print_error,
    print_json,
    read_text,
    whole_number,
)

if TYPE_CHECKING:
    from cards.math import Box
    from cards.math.tree import Formula, Row, Span
    from cards.math.typesetter.rows import Mode
    from cards.model import Card
    from engine.exercise import Exercise, Language
    from engine.verdict import Verdict

#: What a file's name says of the language in it.
_BY_SUFFIX: dict[str, Language] = {".py": "function", ".tex": "latex"}
#: The lab's limit of time is for this many inputs; more of them may take longer.
_USUAL_TRIALS = 300
#: Problems of a formula that are told one by one.
_MOST_PROBLEMS = 5

_EPILOG = """\
exit codes: 0 correct; 1 read, and not correct; 2 not read, or a card or an option that there is
not. A verdict, "not read" among them, is on standard output; what is wrong with the command itself
is a sentence on standard error, and standard output stays empty. Of several cards or answers, the
highest. What takes longer than 10 s (more where --trials asks for more inputs) is not read either:
it gets its sentence, and the others go on.
"""


# check


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """An answer to a card, for the lab's helper process."""

    card: Card
    answer: str | None
    """None where only the card's exercise is asked for."""
    path: Path
    said: Language | None
    seed: int
    trials: int
    unconfined: bool

    def evaluate(self) -> Verdict | Exception | None:
        return verdict_of(self)


def configure_check(parser: argparse.ArgumentParser) -> None:
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
    for name, const, what in (
        ("formula", "formula", "an index formula"),
        ("latex", "latex", "LaTeX"),
        ("numpy", "function", "a NumPy function"),
    ):
        language.add_argument(
            f"--{name}",
            dest="language",
            action="store_const",
            const=const,
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


def run_check(args: argparse.Namespace) -> int:
    """0 correct, 1 readable but not correct, 2 unreadable; of several, the worst of them."""
    from tui.lab.client import shared_process
    from tui.lab.text import verdict_text

    shared_process().start()  # while the cards are read
    collection, now = open_collection(args.folder)
    cards = [collection.cards[name] for name in chosen_cards(args, collection, now)]
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
    if args.json:
        print_json(verdict.as_dict())
    else:
        print(verdict_text(verdict, answer))
    return _exit_code(verdict)


def _exit_code(verdict: Verdict) -> int:
    return {"correct": 0, "unreadable": 2}.get(verdict.verdict, 1)


def _verdict(
    card: Card, answer: str | None, args: argparse.Namespace, path: Path | None = None
) -> Verdict:
    """The verdict, from the lab's helper process, which is ended where it takes too long."""
    from engine.sandbox.worker import UnconfinedError, WorkerError
    from tui.lab.client import GoneError, TooLongError, given_up, shared_process

    path = path or Path(args.file or "")
    plain = replace(card, macros={}, extra={})  # read-only mappings cannot be sent
    options = (args.language, args.seed, args.trials, args.unconfined)
    try:
        found = shared_process().ask(
            CheckRequest(plain, answer, path, *options), times=max(1.0, args.trials / _USUAL_TRIALS)
        )
    except (TooLongError, GoneError) as error:
        return replace(given_up(error), seed=args.seed)
    if isinstance(found, UnconfinedError):
        _ask_to_run(path.name or "This function", str(found), args)
        allowed = argparse.Namespace(**vars(args) | {"unconfined": True})
        return _verdict(card, answer, allowed, path)
    if isinstance(found, WorkerError):
        raise UsageError(f"{found} Write the answer as a formula.")
    if isinstance(found, UsageError):
        raise found
    return cast("Verdict", found)  # None where only the exercise was asked for


def verdict_of(asked: CheckRequest) -> Verdict | Exception | None:
    """What the helper process makes of it; an error that must be raised here is returned."""
    from engine.checking import check
    from engine.sandbox.worker import WorkerError
    from tui.lab.text import plainly

    language = asked.said or _BY_SUFFIX.get(asked.path.suffix)
    options = (asked.seed, asked.trials, language, asked.unconfined)
    try:
        exercise = _exercise(asked.card)
        if asked.answer is None:
            return None
        return plainly(check(asked.answer, exercise, *options), asked.answer, asked.said)
    except (UsageError, WorkerError) as error:
        return error


def _exercise(card: Card) -> Exercise:
    from engine.exercise import Exercise, ExerciseError, why_none

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


def _check_folder(folder: Path, card: Card, args: argparse.Namespace) -> int:
    """One line an answer, by the names of their files."""
    from cards.text import printable

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
    from engine.verdict import Verdict

    try:
        return _verdict(card, read_text(str(path)).removeprefix("\ufeff"), args, path)
    except UsageError as error:
        said = str(error).removeprefix(f"{path.parent}{os.sep}")
        return Verdict("unreadable", "", args.seed, tried=0, message=said)


def _print_each(
    what: str, names: Sequence[str], verdicts: Iterable[Verdict], args: argparse.Namespace
) -> int:
    """Print a verdict for each name, as soon as it is there; the highest of the exit codes."""
    from tui.lab.text import verdict_line

    worst, width = 0, min(40, max(map(len, names)))
    for name, verdict in zip(names, verdicts, strict=True):
        worst = max(worst, _exit_code(verdict))
        if args.json:
            print(json.dumps({what: name, **verdict.as_dict()}, ensure_ascii=False), flush=True)
        else:
            print(verdict_line(name, verdict, width), flush=True)
    return worst


# layers


def configure_layers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "layer", nargs="?", metavar="LAYER", help="only this one, with all that an answer may use"
    )
    add_json(parser)


def run_layers(args: argparse.Namespace) -> int:
    """Always 0: an unknown layer is a usage error."""
    from engine.exercise import ExerciseError, exercise_for, layers

    names = [args.layer] if args.layer else list(layers())
    try:
        found = [exercise_for({"layer": name}, (), "derivation") for name in names]
    except ExerciseError as error:
        raise UsageError(str(error)) from error
    exercises = [exercise for exercise in found if exercise is not None]
    if args.json:
        print_json([_layer_dict(exercise) for exercise in exercises])
    elif args.layer:
        print("\n".join(_layer_lines(exercises[0])))
    else:
        for exercise in exercises:
            print(f"{exercise.layer:22} {exercise.answer.splitlines()[-1]}")
        print("\n`deltadeck layers NAME` tells what an answer may use; docs/answers.md, how a card")
        print("asks for one, or brings its own forward message.")
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


# math


def configure_math(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tex",
        nargs="?",
        default=STDIN,
        metavar="TEX",
        help="the LaTeX, quoted for the shell; - or nothing for standard input "
        "(put -- before a formula that begins with a minus)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--inline", action="store_true", help="as within a line of text: a/b")
    how.add_argument("--line", action="store_true", help="everything on one row")
    parser.add_argument(
        "--width",
        type=whole_number(1, 10_000),
        metavar="N",
        help="break lines at N cells (default: the terminal's)",
    )
    add_json(parser)


def run_math(args: argparse.Namespace) -> int:
    """0 read whole, 1 read but for commands that are not known, 2 not read whole."""
    from cards.math import layout, parse

    formula = parse(_tex(args.tex))
    mode: Mode = "inline" if args.inline else "line" if args.line else "display"
    # A file or a pipe has no width.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    box = layout(formula.source, mode=mode, width=args.width or width)
    if args.json:
        print_json(_formula_dict(formula, box))
    else:
        print(_picture(box))
        _report_problems(formula)
    unknown = set(_unknown_commands(formula.body))
    if any(problem.span not in unknown for problem in formula.problems):
        return 2
    return 1 if formula.problems else 0


def _tex(name: str) -> str:
    if name != STDIN:
        return name
    if sys.stdin.isatty():
        raise UsageError(
            "There is no formula: write it as an argument, '\\frac{a}{b}', or pipe it."
        )
    return read_text(STDIN).removeprefix("\ufeff").strip("\n")


def _picture(box: Box) -> str:
    """The rows; on a terminal with bold, colours and warnings."""
    if not is_styled() or not box.marks:
        return "\n".join(row.rstrip(" ") for row in box.rows)
    from tui.page.model import Source, rows_of
    from tui.page.output import painted

    return "\n".join(painted(row).rstrip(" ") for row in rows_of(box, "", Source("")))


def _unknown_commands(node: Row | tuple[Any, ...]) -> Iterator[Span]:
    """The places of the commands that are not known."""
    from cards.math.tree import Row, Unknown

    if isinstance(node, Unknown):
        yield node.span
    for part in node.items if isinstance(node, Row) else node:
        if isinstance(part, Row | tuple):
            yield from _unknown_commands(part)


def _report_problems(formula: Formula) -> None:
    """Each problem on standard error: the sentence, the source with a caret, the way out."""
    from cards.text import place, printable
    from tui.text import under_caret

    for problem in formula.problems[:_MOST_PROBLEMS]:
        line, column = place(formula.source, problem.span[0])
        rows = formula.source.splitlines() or [""]
        row = rows[min(line, len(rows)) - 1]
        shown = [problem.message, *under_caret(row, column), problem.hint]
        print_error(printable("\n  ".join(shown)))
    more = len(formula.problems) - _MOST_PROBLEMS
    if more > 0:
        print_error(f"and {more} more.")


def _formula_dict(formula: Formula, box: Box) -> dict[str, Any]:
    """The picture as plain data; the keys are stable."""
    return {
        "source": formula.source,
        "rows": list(box.rows),
        "width": box.width,
        "baseline": box.baseline,
        "marks": [mark._asdict() for mark in box.marks],
        "problems": [
            {"message": each.message, "hint": each.hint, "start": each.span[0], "end": each.span[1]}
            for each in formula.problems
        ],
    }
