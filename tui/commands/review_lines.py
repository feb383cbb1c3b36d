"""`deltadeck review -`: answers from standard input, a line each, as they come.

What is there is recorded with one write and waits for nothing more, so that a script that gives one
line and waits for its answer is served like one that sends a file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.clock import now as clock
from tui.commands.common import UsageError
from tui.commands.review import as_dict, given_of, seconds_of, sentence

if TYPE_CHECKING:
    from deck import Collection
    from deck.answering import Given

#: Bytes that are read at once.
_READ = 1 << 16


def rate_lines(collection: Collection, handle: int, as_json: bool) -> None:
    """Records the answers that come from a file handle; prints each once it is on the disk.

    Raises:
        UsageError: a line is no answer; those before it are recorded.
    """
    first = 1
    for lines in _arriving(handle):
        answers, wrong = _read(collection, lines, first)
        now = clock()
        for event in collection.rate_each(answers, now):
            print(json.dumps(as_dict(event, collection, now)) if as_json else sentence(event))
        sys.stdout.flush()
        if wrong:
            raise wrong
        first += len(lines)


def _arriving(handle: int) -> Iterator[list[bytes]]:
    """The whole lines that are there, as soon as there is one."""
    rest = b""
    while data := os.read(handle, _READ):
        *lines, rest = (rest + data).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _read(
    collection: Collection, lines: list[bytes], first: int
) -> tuple[list[Given], UsageError | None]:
    """The answers up to the first line that is none, and what is wrong with that."""
    answers: list[Given] = []
    for number, line in enumerate(lines, first):
        text = line.decode("utf-8", "replace").strip()
        try:
            if text:
                answers.append(_answer(collection, text))
        except UsageError as error:
            return answers, UsageError(f"Line {number} of standard input: {error}")
    return answers, None


def _answer(collection: Collection, text: str) -> Given:
    parts = [part.strip() for part in (text.split("\t") if "\t" in text else text.split())]
    if len(parts) not in (2, 3):
        way_out = (
            "Write ID RATING, or ID RATING SECONDS; put tabs between them where an id has blanks."
        )
        raise UsageError(f"{text!a} is no answer. {way_out}")
    try:
        seconds = seconds_of(parts[2]) if len(parts) == 3 else 0.0
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{error}.") from error
    return given_of(collection, parts[0], parts[1], seconds)
