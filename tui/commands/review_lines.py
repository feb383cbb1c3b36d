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
from tui.commands.review import as_dict, given_of, is_rating, seconds_of, sentence

if TYPE_CHECKING:
    from deck.collection import Collection, Given

#: Bytes that are read at once.
_READ = 1 << 16
#: So many characters of a line are said of it.
_LONGEST = 60


def rate_lines(collection: Collection, handle: int, as_json: bool) -> None:
    """Records the answers that come from a file handle; prints each once it is on the disk.

    Raises:
        UsageError: a line is no answer; those before it are recorded.
        JournalError: the disk refuses; it says how many answers were recorded of those read.
    """
    from deck.errors import JournalError, counted

    first, done = 1, 0
    for lines in _arriving(handle):
        answers, wrong = _read(collection, lines, first)
        now, total = clock(), done + len(answers)
        try:
            for event in collection.rate_each(answers, now):
                done += 1
                said = json.dumps(as_dict(event, collection, now)) if as_json else None
                print(said or sentence(event, collection, now))
        except JournalError as error:
            raise counted(error, done, total) from error
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
        if number == 1:  # a mark of UTF-8, as Windows and spreadsheets put it in front
            text = text.removeprefix("\ufeff").strip()
        try:
            if text:
                answers.append(_answer(collection, text))
        except UsageError as error:
            return answers, UsageError(f"Line {number} of standard input: {error}")
    return answers, None


def _answer(collection: Collection, text: str) -> Given:
    """Read from its end, as an id may have blanks; tabs part what may be read in two ways.

    Raises:
        UsageError: it is no answer, or two.
    """
    if "\t" in text:
        parts = [part.strip() for part in text.split("\t")]
        if len(parts) not in (2, 3):
            raise _no_answer(text)
        return _given(collection, parts)
    readings = _readings(text)
    if len(readings) > 1:
        readings = [parts for parts in readings if _is_named(collection, parts[0])]
    if len(readings) > 1:
        (longer, one), (shorter, other, seconds) = readings
        raise UsageError(
            f"'{_short(text)}' is {one} for '{longer}', or {other} for '{shorter}' in {seconds} "
            "seconds: put tabs between id, rating and seconds."
        )
    return _given(collection, readings[0] if readings else _likeliest(text))


def _readings(text: str) -> list[list[str]]:
    """ID RATING and ID RATING SECONDS, where the last words can be that."""
    short, long = text.rsplit(None, 1), text.rsplit(None, 2)
    found = [short] if len(short) == 2 and is_rating(short[1]) else []
    if len(long) == 3 and is_rating(long[1]) and _is_time(long[2]):
        found.append(long)
    return found


def _likeliest(text: str) -> list[str]:
    """Of a line that names no item or is no answer: what is best said of it.  Raises UsageError."""
    short, long = text.rsplit(None, 1), text.rsplit(None, 2)
    if len(short) < 2:
        raise _no_answer(text)
    timed = len(long) == 3 and is_rating(long[1]) and (_is_time(long[2]) or not is_rating(long[2]))
    return long if timed else short


def _given(collection: Collection, parts: list[str]) -> Given:
    try:
        seconds = seconds_of(parts[2]) if len(parts) == 3 else 0.0
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{error}.") from error
    return given_of(collection, parts[0], parts[1], seconds)


def _is_named(collection: Collection, name: str) -> bool:
    return collection.has_item(name) or name in collection.cards


def _is_time(text: str) -> bool:
    try:
        seconds_of(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def _no_answer(text: str) -> UsageError:
    way_out = "Write ID RATING, or ID RATING SECONDS."
    return UsageError(f"'{_short(text)}' is no answer. {way_out}")


def _short(text: str) -> str:
    from tui.text import one_line, shortened

    return shortened(one_line(text), _LONGEST)
