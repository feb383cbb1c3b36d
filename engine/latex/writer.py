"""The transcription as it grows: text, and for each character the place in the LaTeX."""

from __future__ import annotations

from engine.formula.problem import OffsetError


class Writer:
    def __init__(self) -> None:
        self._text: list[str] = []
        self.offsets: list[int] = []
        self._glued = False

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def last(self) -> str:
        """The last character that is no blank; "" at the start."""
        for piece in reversed(self._text):
            if stripped := piece.rstrip(" "):
                return stripped[-1]
        return ""

    def put(self, text: str, at: int) -> None:
        self._text.append(text)
        self.offsets.extend([at] * len(text))

    def operand(self, text: str, at: int) -> None:
        """A name or a number, kept apart from the one before it: their product."""
        before = self._text[-1][-1:] if self._text else ""
        if (before.isalnum() or before in ("'", "*")) and not self._glued:
            self.put(" ", at)
        self._glued = False
        self.put(text, at)

    def glue(self) -> None:
        """Put the next operand directly behind what is written: `d` and `x` make `dx`."""
        self._glued = True

    def new_line(self, at: int) -> None:
        """End a statement, without the comma or full stop that a sentence put behind it."""
        self.trim()
        if self._text:
            self.put("\n", at)

    def trim(self) -> None:
        while self._text and self._text[-1].strip(" ,.;") == "":
            piece = self._text.pop()
            del self.offsets[len(self.offsets) - len(piece) :]


def refuse(message: str, hint: str, at: int) -> OffsetError:
    return OffsetError(message, hint, at)
