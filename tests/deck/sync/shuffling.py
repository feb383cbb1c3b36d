"""What a learner does to the files of cards: writes, renames, exchanges, deletes and replaces them.

Each text that is written holds a word that no other one holds.  Until somebody writes over it, or
deletes it, it must be on every computer: in a card, or in a version to choose from.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from cards import read_card
from cards.edit import replace_section
from tests.deck.given import write_card

#: Few enough that they are in use again and again.
NAMES = ("a", "b", "c", "new", "new-2", "sub/a", "sub/new", "sub/deeper/b")
#: Cards with answers, which are never deleted.
STAY = {"a", "b", "c"}
_WORD = re.compile(rb"word\d+z")


def card_files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.md") if ".deltadeck" not in path.parts)


class Shuffle:
    def __init__(self, chance: random.Random) -> None:
        self._chance, self._written = chance, 0
        self._over: set[bytes] = set()
        """Words that were written over or deleted somewhere."""

    def act(self, root: Path) -> None:
        chance, files = self._chance, card_files(root)
        path, to = chance.choice(files), root / f"{chance.choice(NAMES)}.md"
        deed = chance.choice(("new", *("edit",) * 3, "move", "exchange", "delete", "replace"))
        if deed == "edit":
            self._edit(chance.choice(files[:2]))  # of a few, so that two sides meet
        elif deed == "exchange":
            self._exchange(chance.sample(files, chance.choice((2, 3))))
        elif deed == "delete" and read_card(path).id not in STAY:
            self._delete(path, chance.choice((None, *files)))
        elif deed == "replace" and (read_card(path).id not in STAY or not to.exists()):
            self._replace(path, to)
        elif deed == "move" and not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            path.rename(to)
        elif deed == "new" and not to.exists():
            self._new(to)

    def check(self, root: Path) -> None:
        """What holds on a computer that has all that the others have."""
        files = card_files(root)
        ids = [read_card(path).id for path in files]
        assert len(set(ids)) == len(ids), f"a card is there twice: {sorted(ids)}"
        assert set(ids) >= STAY
        texts = [path.read_bytes() for path in files]
        assert not any(b"<<<<<<<" in text for text in texts)
        others = (root / ".deltadeck/conflicts").rglob("*.md")
        here = {word for text in texts for word in _WORD.findall(text)}
        here |= {word for path in others for word in _WORD.findall(path.read_bytes())}
        every = {b"word%dz" % number for number in range(1, self._written + 1)}
        assert every - self._over <= here, "what somebody wrote is gone"

    def _word(self) -> str:
        self._written += 1
        return f"{{{{c1::x}}}} {{{{c2::word{self._written}z}}}}"

    def _goes(self, text: bytes) -> None:
        self._over.update(_WORD.findall(text))

    def _new(self, path: Path) -> None:
        write_card(path.parent, path.stem, self._word(), id=f"new-{self._written}")

    def _edit(self, path: Path) -> None:
        card, section = read_card(path), self._chance.choice(("Question", "Solution"))
        self._goes((card.question if section == "Question" else card.solution).encode())
        replace_section(path, section, self._word(), card.source)

    def _exchange(self, files: list[Path]) -> None:
        texts = [path.read_bytes() for path in files]
        for path, text in zip(files, texts[1:] + texts[:1], strict=True):
            path.write_bytes(text)

    def _delete(self, path: Path, other: Path | None) -> None:
        """And another card may get the name that is free then."""
        self._goes(path.read_bytes())
        path.unlink()
        if other is not None and other != path:
            other.rename(path)

    def _replace(self, path: Path, to: Path) -> None:
        """A new card in the file of another one, which goes elsewhere or is deleted."""
        if to.exists():
            self._goes(path.read_bytes())
        else:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())
        self._new(path)
