"""The journal as Parquet, with pyarrow (extra `parquet`)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import IO, Any

from deck.exchange.bundle import ExchangeError
from deck.exchange.export.journal import columns, rows
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source

#: Rows of a group: what is in memory at once.
_ROWS = 50_000


def write_parquet(
    source: Source, file: IO[bytes], report: Report, progress: Progress, states: bool = False
) -> None:
    """Raises ExchangeError where pyarrow is missing."""
    arrow = arrow_library()
    types = {
        "text": arrow.string(),
        "int": arrow.int64(),
        "float": arrow.float64(),
        "bool": arrow.bool_(),
        "day": arrow.date32(),
        "utc": arrow.timestamp("ms", tz="UTC"),
        "local": arrow.timestamp("ms"),
    }
    kinds = columns(states)
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds.items()])
    found = rows(source, report, progress, states)
    with import_module("pyarrow.parquet").ParquetWriter(file, schema) as writer:
        for group in _groups(found):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))


def arrow_library() -> Any:
    """pyarrow.  Raises ExchangeError where it is missing."""
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise ExchangeError(
            "Parquet needs pyarrow: `pip install 'deltadeck[parquet]'`, or export the journal as "
            "CSV, which holds the same."
        ) from error


def _groups(found: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while group := list(islice(found, _ROWS)):
        yield group
