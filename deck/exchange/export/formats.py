"""The formats that are written, which one a file name means, and the file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO

from deck.errors import reason
from deck.exchange.export.source import ExportReport, ExportSource, Progress
from deck.exchange.model import ExchangeError
from deck.files import whole

Writer = Callable[[ExportSource, IO[bytes], ExportReport, Progress], None]


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    """As `--format` takes it."""
    title: str
    endings: tuple[str, ...]
    """Of files that are meant so; the first one is its own."""
    writer_name: str
    """Its module, imported when it is asked for, and its function."""
    text: bool = True
    """Whether it may go to a terminal or into a pipe."""

    def writer(self) -> Writer:
        module, _, function = self.writer_name.partition(".")
        found: Writer = getattr(import_module(f"deck.exchange.export.{module}"), function)
        return found


FORMATS = (
    Format("apkg", "a package for Anki", (".apkg",), "anki_package.write_apkg", text=False),
    Format("json", "cards, schedules and reviews as JSON", (".json",), "json.write_json"),
    Format("csv", "a table of cards", (".csv",), "tables.write_cards"),
    Format("items", "a table of items with their schedule", (), "tables.write_items"),
    Format("html", "a page for printing", (".html", ".htm"), "html.write_page"),
    Format("journal", "a table of all that was done", (), "tables.write_journal"),
)


def format_of(path: Path | None, name: str | None = None) -> Format:
    """The format that is named, or that a file's ending means.

    Raises:
        ExchangeError: there is none.
    """
    ending = path.suffix.lower() if path is not None else ""
    for each in FORMATS:
        if each.name == name if name is not None else ending in each.endings:
            return each
    names = ", ".join(each.name for each in FORMATS)
    if name is not None:
        raise ExchangeError(f"There is no format {name!a}: there are {names}.")
    what = f"{path}: its ending means no format" if path else "Nothing says which format"
    raise ExchangeError(f"{what}: name one with --format ({names}).")


def export(
    source: ExportSource, path: Path, format_: Format, progress: Progress, force: bool = False
) -> ExportReport:
    """Writes the file, whole or not at all; `force`: also where there is one.

    Raises:
        ExchangeError: it cannot be made, with the way out.
    """
    report = ExportReport(format_.name)
    try:
        _refuse_taken(path, force)
        if path.suffix.lower() == ".md" and path.resolve().is_relative_to(source.root.resolve()):
            raise ExchangeError(
                f"{path}: below the cards a .md file would be taken for one. Write it elsewhere, "
                "or under another ending."
            )
        with whole(path) as file:
            format_.writer()(source, file, report, progress)
            _refuse_taken(path, force)
    except BrokenPipeError:
        raise
    except OSError as error:
        hint = "Make room on the disk, or name another file."
        raise ExchangeError(f"{path}: it cannot be written: {reason(error)}. {hint}") from error
    return report


def _refuse_taken(path: Path, force: bool) -> None:
    """Raises ExchangeError where the file may not be made."""
    if path.is_dir():
        raise ExchangeError(f"{path}: this is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise ExchangeError(f"{path}: there is no folder {path.parent}. Make it, or name another.")
    if not force and os.path.lexists(path):
        raise ExchangeError(f"{path}: it is there already. Name another, or add --force.")
