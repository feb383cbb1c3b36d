"""`deltadeck lint --fix`: what is safe to mend is mended, or shown as a diff."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.common import problem_line

if TYPE_CHECKING:
    from cards.lint import Mended
    from deck.collection import Collection


@dataclass(frozen=True, slots=True)
class Fix:
    path: Path
    before: str
    mended: Mended
    root: Path | None  # of the collection

    def as_dict(self) -> dict[str, Any]:
        return {"path": str(self.path), "mended": list(self.mended.done)}


def fixes(paths: Iterable[Path], collection: Collection | None) -> Iterator[Fix]:
    """What can be mended in these files; nothing is written.  No two get the same id, and a file
    is mended once, where it is, however many links lead to it."""
    from cards import CardError
    from cards.files import read_text
    from cards.lint import mend

    taken = set(collection.cards) if collection else set[str]()
    root = collection.root if collection else None
    for path in _targets(paths, root):
        try:
            before = read_text(path, root)
        except CardError:
            continue  # linting says why
        mended = mend(before, path, taken)
        if mended.done:
            taken |= _ids_in(mended.text)
            yield Fix(path, before, mended, root)


def _targets(paths: Iterable[Path], root: Path | None) -> Iterator[Path]:
    from cards.files import leads_out

    seen = set[Path]()
    for path in paths:
        real = path.resolve()
        if real not in seen and not (root and leads_out(path, root)):
            seen.add(real)
            # `patch` refuses a link.
            yield real if path.is_symlink() else path


def _ids_in(text: str) -> set[str]:
    from cards.parse import analyse

    card, _ = analyse(text)
    return {card.id} if card else set()


def apply(found: Iterable[Fix], quiet: bool) -> tuple[list[Fix], bool]:
    """Writes them, each file whole or not at all: those that were, and whether one was refused."""
    from cards import CardError
    from cards.files import write_text
    from cards.text import printable

    done, refused = list[Fix](), False
    for fix in found:
        try:
            write_text(fix.path, fix.mended.text, fix.before, root=fix.root)
        except CardError as error:
            print(problem_line(error.problem), file=sys.stderr)
            refused = True
            continue
        done.append(fix)
        if not quiet:
            print(printable(f"{fix.path}: {', '.join(fix.mended.done)}."))
    return done, refused


def diff_of(fix: Fix) -> str:
    """A unified diff, as `patch` reads it."""
    from difflib import unified_diff

    name = str(fix.path)
    name += "\t" if " " in name else ""  # tells `patch` where the name ends
    before, after = _lines(fix.before), _lines(fix.mended.text)
    rows = [
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, name, name)
    ]
    text = "".join(rows)
    if not sys.stdout.isatty():
        return text
    from cards.text import printable

    return printable(text)


def _lines(text: str) -> Sequence[str]:
    """As `patch` counts them: a line ends with a line feed, and with nothing else."""
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
