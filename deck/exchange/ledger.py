"""What imports wrote into a collection, and what that says of a text that is now another.

`.deltadeck/imports/<device>.txt` holds a digest (16 hex digits) of every text and picture that an
import ever wrote, below a line for each import, `@ TIME MADE`: when it was done, and when its
package was made (milliseconds since 1970, hex digits).  Behind a digest stands when the note was
changed last in its program (seconds), where the format says so.  Before texts are written, each is
there as an intention, `~` before its digest: an import that is killed wrote some of them, so that
the text which stands here is told from an edited one; only a digest says that it was taken.

`= ID SOURCE`, with a tab between, says under which id a card came: its line `source:` may be
changed.  Where the files are lost, every card that differs counts as edited here, and stays.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from cards.files import open_regular
from deck.errors import reason
from deck.exchange.bundle import ExchangeError
from deck.files import PRIVATE, make_private

Verdict = Literal["changed", "unchanged", "kept", "older"]
"""Take theirs; leave mine; leave mine though theirs is another as well; leave mine, which an import
brought from a later state of the same source."""

_IMPORT = re.compile(rb"^@ ([0-9a-f]{1,16}) ([0-9a-f]{1,16})$", re.MULTILINE)
_MARK = re.compile(rb"^(~?)([0-9a-f]{16})(?: ([0-9a-f]{1,12}))?$", re.MULTILINE)
_NAME = re.compile(rb"^= ([^\t\n]+)\t([^\n]+)$", re.MULTILINE)


class Noted(NamedTuple):
    """What is known of a digest, from the last time that it was written."""

    turn: int
    """A later import has a higher one."""
    made: int
    """Of its package; 0 where that is not known."""
    version: int
    """Of the note; 0 where that is not known."""


class Ledger:
    """The digests of all that was ever imported, on any device; `made` is of this import's
    package, in milliseconds since 1970 (0: not known)."""

    def __init__(self, root: Path, now: datetime, made: int = 0) -> None:
        self.private = root / PRIVATE
        self.folder = self.private / "imports"
        self.made = max(made, 0)
        self._time = max(int(now.timestamp() * 1000), 0)
        self._new: list[bytes] = []
        self._marks: dict[bytes, Noted] = {}
        self._meant: dict[bytes, Noted] = {}
        self.sources: dict[str, str] = {}
        """Of cards by their ids."""
        turn = 0
        for _, made_then, body in sorted(_imports(self.folder), key=lambda each: each[0]):
            turn += 1
            shared: dict[bytes, Noted] = {}
            for card_id, source in _NAME.findall(body):
                self.sources[card_id.decode("utf-8", "replace")] = source.decode("utf-8", "replace")
            for meant, mark, version in _MARK.findall(body):
                if (noted := shared.get(version)) is None:
                    noted = shared[version] = Noted(turn, made_then, int(version or b"0", 16))
                (self._meant if meant else self._marks)[mark] = noted
        self._turn = turn + 1

    def __contains__(self, mark: bytes) -> bool:
        return mark in self._marks or mark in self._meant

    def _here(self, mark: bytes) -> Noted | None:
        """What is known of a text that stands here, if an import wrote it, or was about to."""
        taken, meant = self._marks.get(mark), self._meant.get(mark)
        if taken is None or (meant is not None and meant.turn > taken.turn):
            return meant
        return taken

    def verdict(self, mine: bytes, theirs: bytes, version: int = 0) -> Verdict:
        """What becomes of what stands here (`mine`), where its source says `theirs`; both are
        digests under one key, and `version` is the note's now."""
        if mine == theirs:
            return "unchanged"
        here, there = self._here(mine), self._marks.get(theirs)
        if here is None:  # edited here since
            return "kept" if there is None else "unchanged"
        if there is not None and there.turn > here.turn:  # an earlier text was put back by hand
            return "unchanged"
        if 0 < version < here.version:
            return "older"
        if version == here.version and 0 < self.made < here.made:
            return "older"
        return "changed"

    def write(self, mark: bytes, version: int = 0) -> None:
        """What has this digest is written now."""
        self._marks[mark] = Noted(self._turn, self.made, version)
        self._new.append(_line(mark, version))

    def see(self, mark: bytes, version: int = 0) -> None:
        """What has this digest stands here as its source has it now."""
        noted = self._marks.get(mark)
        if noted is None or noted.version < version:
            self.write(mark, version)

    def name(self, source: str, card_id: str) -> None:
        """The card from this source has this id."""
        if self.sources.get(card_id) != source:
            self.sources[card_id] = source
            self._new.append(f"= {card_id}\t{source}".encode("utf-8", "replace"))

    @property
    def news(self) -> int:
        """How many are not written yet."""
        return len(self._new)

    def mean(self, marks: list[tuple[bytes, int]], device: str) -> None:
        """Notes what is going to be written now, digests and versions.  It does not wait for the
        disk: it is there whatever becomes of the program.  Raises ExchangeError."""
        if marks:
            self._add([b"~" + _line(*each) for each in marks], device, sync=False)

    def save(self, device: str) -> None:
        """Writes what is new behind the rest.  Raises ExchangeError."""
        if self._new:
            self._add(self._new, device, sync=True)
            self._new.clear()

    def _add(self, lines: list[bytes], device: str, sync: bool) -> None:
        path = self.folder / f"{device}.txt"
        try:
            make_private(self.private)
            self.folder.mkdir(exist_ok=True)
            with path.open("ab") as file:
                # A line that a crash left unfinished ends here, and means nothing.
                begin = b"\n" * bool(file.tell())
                head = b"@ %x %x" % (self._time, self.made)
                file.write(begin + b"\n".join([head, *lines]) + b"\n")
                file.flush()
                if sync:
                    os.fsync(file.fileno())
        except OSError as error:
            raise ExchangeError(
                f"{path}: what was imported cannot be noted: {reason(error)}. "
                "Make room, or make the folder writable, and import again: it goes on from here."
            ) from error


def _line(mark: bytes, version: int) -> bytes:
    return b"%s %x" % (mark, version) if version > 0 else mark


def _imports(folder: Path) -> list[tuple[int, int, bytes]]:
    """Each import's time, its package's, and its lines."""
    found = []
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
        try:
            with open_regular(path) as file:
                parts = _IMPORT.split(file.read())
        except OSError:
            continue
        found.append((0, 0, parts[0]))
        for time, made, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            found.append((int(time, 16), int(made, 16), body))
    return found
