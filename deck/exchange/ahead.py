"""The cards of a large bundle, read by a process of its own while this one writes the last ones.

`python -m deck.exchange.ahead MODULE PATH`: pickled messages on its output.  What it reads is what
`read(path)` gives here, so that whatever keeps it from working costs its time and nothing else.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, Lost
from deck.exchange.readers import Reader

#: From so many cards on, another process is worth its start.
_MANY = 3000
_TOGETHER = 200

Message = tuple[list[ForeignCard], list[Lost], str | None]
"""Cards, what was lost meanwhile, and: None while there is more, "" at the end, or the error."""


def read_ahead(reader: Reader, path: Path) -> Bundle:
    """`read` of the reader's module, whose cards come from another process where they are many.

    Raises:
        ExchangeError: as `read` does.
    """
    bundle = reader.load().read(path)
    if bundle.total < _MANY or (os.cpu_count() or 1) < 2:
        return bundle
    return replace(bundle, cards=lambda: _cards(reader, path, bundle))


def _cards(reader: Reader, path: Path, bundle: Bundle) -> Iterator[ForeignCard]:
    # What the other process leaves, however it ends, lies here: this one takes it away.
    with TemporaryDirectory(prefix="deltadeck-", ignore_cleanup_errors=True) as folder:
        done = yield from _read_there(_started(reader, path, folder), bundle)
    if done is not None:
        yield from islice(bundle.cards(), done, None)


def _read_there(
    process: subprocess.Popen[bytes] | None, bundle: Bundle
) -> Generator[ForeignCard, None, int | None]:
    """What the process sends; then, where it was stopped before its end, how many that was."""
    done = 0
    try:
        while process is not None and process.stdout is not None:
            cards, lost, error = pickle.load(process.stdout)
            bundle.lost.extend(lost)
            done += len(cards)
            yield from cards
            if error:
                raise ExchangeError(error)
            if error is not None:
                return None
    except (OSError, EOFError, pickle.UnpicklingError):
        pass  # it was stopped: the rest is read here
    finally:
        if process is not None:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    return done


def _started(reader: Reader, path: Path, temporary: str) -> subprocess.Popen[bytes] | None:
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([home, *filter(None, sys.path)])
    with suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-m", __name__, reader.module, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths, "TMPDIR": temporary},
        )
    return None


def serve(module: str, path: Path, out: BinaryIO) -> None:
    """Reads a bundle's cards, and writes them as messages."""
    gc.set_threshold(100_000, 50, 100)  # what is read lives until it is sent: little to collect
    end = ""
    lost: list[Lost] = []
    cards: list[ForeignCard] = []
    try:
        bundle = Reader("", module, "").load().read(path)
        lost = bundle.lost
        for card in bundle.cards():
            cards.append(card)
            if len(cards) == _TOGETHER:
                _send((cards, lost, None), out)
                cards.clear()
                lost.clear()
    except ExchangeError as error:
        end = str(error)
    _send((cards, lost, end), out)


def _send(message: Message, out: BinaryIO) -> None:
    pickle.dump(message, out, pickle.HIGHEST_PROTOCOL)
    out.flush()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # whoever asked is gone
        serve(sys.argv[1], Path(sys.argv[2]), sys.stdout.buffer)
