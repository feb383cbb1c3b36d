"""Reads `config.toml` into a `Config`; what it cannot use is refused with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cards.files import open_regular
from cards.model import Problem
from deck.config import Config
from deck.errors import odd, reason, refusal
from deck.fsrs import MODEL
from deck.macros import MACROS_HINT, read_macros
from deck.models import MODELS
from deck.setting_tables import TABLES
from deck.setting_values import READERS, UnusableError, fitting, written


def read_config(path: Path) -> tuple[Config, tuple[Problem, ...]]:
    """The settings at `path` (the defaults where there is no file) and warnings about them.

    Raises:
        CollectionError: the file cannot be read, or holds a value that no setting takes.
    """
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Config(), ()
    except OSError as error:
        message = f"The settings cannot be read: {reason(error)}."
        raise refusal(path, message, "Check that it is a file, and its permissions.") from error
    except UnicodeDecodeError as error:
        hint = "Save the file as UTF-8, or delete it to use the defaults."
        raise refusal(path, "The settings are not UTF-8 text.", hint) from error
    return parse_config(text, path)


def parse_config(text: str, path: Path | None = None) -> tuple[Config, tuple[Problem, ...]]:
    """`read_config` of a text; `path` only names it."""
    import tomllib  # not where there are no settings

    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        hint = "Correct the line, or delete the file to use the defaults."
        line = int(found[1]) if found else text.count("\n") + 1
        raise refusal(path, f"The settings are not TOML: {error}.", hint, line) from error
    values: dict[str, Any] = {}
    for key in table.keys() & READERS.keys():
        try:
            values[key] = READERS[key](table[key])
        except UnusableError as error:
            message = f"The setting {key} cannot be {written(table[key])}."
            raise refusal(path, message, f"{error}.", _line(text, key)) from error
    _check_parameters(values, path, text)
    rest = {key: value for key, value in table.items() if key not in READERS}
    extra = {key: value for key, value in rest.items() if isinstance(value, dict)}
    problems = [_unknown(key, path, text) for key in rest.keys() - extra.keys()]
    for key in TABLES.keys() & rest.keys():
        values[key], found_odd = _table(key, rest[key], path, text)
        problems += found_odd
    macros, sentences = read_macros(extra.get("math", {}))
    problems += [odd(path, said, MACROS_HINT, _line_of_table(text, "math")) for said in sentences]
    problems.sort(key=lambda problem: problem.line)
    return Config(**values, macros=macros, extra=MappingProxyType(extra)), tuple(problems)


def _check_parameters(values: dict[str, Any], path: Path | None, text: str) -> None:
    """Puts the model's own parameters where there are none.

    Raises:
        CollectionError: `parameters` are none of the model's.
    """
    model = values.get("model", MODEL)
    parameters = values.setdefault("parameters", MODELS[model].defaults)
    try:
        fitting(model, parameters)
    except UnusableError as error:
        message = f"The setting parameters cannot be {written(list(parameters))}."
        raise refusal(path, message, f"{error}.", _line(text, "parameters")) from error


def _table(
    key: str, table: Any, path: Path | None, text: str
) -> tuple[Mapping[str, Any], list[Problem]]:
    """The value of a table, and a warning for each name in it that means nothing."""
    try:
        value, odd_names = TABLES[key](table)
    except UnusableError as error:
        place = _line(text, error.name) if error.name else _line_of_table(text, key)
        raise refusal(path, f"In [{key}], {error.what}.", f"{error}.", place) from error
    return value, [odd(path, said, hint, _line(text, name)) for name, said, hint in odd_names]


def _unknown(key: str, path: Path | None, text: str) -> Problem:
    from difflib import get_close_matches

    close = get_close_matches(key, READERS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Settings are {', '.join(sorted(READERS))}."
    return odd(path, f"There is no setting {key!a}.", hint, _line(text, key))


def _line(text: str, key: str) -> int:
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), 1)


def _line_of_table(text: str, key: str) -> int:
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.lstrip().startswith(f"[{key}")), 1)
