"""A process that reads card files or journal files, or folds, for the one that started it.

`python -m deck.index.worker`: pickled requests on its input, pickled answers on its output.  Not
multiprocessing: that imports the caller's main module again, and forks programs that have threads.
"""

from __future__ import annotations

import gc
import pickle
import sys
from pathlib import Path
from typing import BinaryIO

from deck.index.lines import Piece, read_piece
from deck.index.reading import read_file
from deck.index.stretch import Stretch, answer_elsewhere

Files = list[tuple[str, bytes]]
"""Paths, each with the digest that is known."""


def answer(request: Files | Piece | Stretch) -> object:
    """Of files: a FileRow or None each.  Of a piece of a journal file: its Lines.  Of a stretch of
    items: where they stand, or what their answers met."""
    if isinstance(request, Piece):
        return read_piece(request)
    if isinstance(request, Stretch):
        return answer_elsewhere(request)
    return [read_file(Path(path), known) for path, known in request]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    gc.set_threshold(100_000, 50, 100)  # what is read lives until it is sent: little to collect
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(request), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
