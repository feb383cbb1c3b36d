"""What a terminal says about its background, in the midst of what is typed.

It is asked by OSC 11 (xterm, "Change VT100 text background color", with `?`), and tells of a
change by itself where mode 2031 is set (the "dark and light mode detection" of contour's VT
extensions, which kitty, ghostty, foot and others took up).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from textual.message import Message

ASK = "\x1b]11;?\x07"
TELL, TELL_NO_MORE = "\x1b[?2031h", "\x1b[?2031l"
_PART = r"([0-9a-fA-F]{1,4})"
_ANSWER = re.compile(
    rf"\x1b\]11;rgba?:{_PART}/{_PART}/{_PART}(?:/{_PART})?(?:\x07|\x1b\\|\x9c)"
    r"|\x1b\[\?997;(?P<mode>[12])n"
)
# The beginning of an answer at the end of what was read, the escape alone among them.
_BEGUN = re.compile(
    r"\x1b(?:\](?:1(?:1(?:;[rgba:/0-9a-fA-F]{0,25}\x1b?)?)?)?|\[(?:\?(?:9(?:9(?:7(?:;[12]?)?)?)?)?)?)?\Z"
)


class Background(Message):
    """The terminal told what it is drawn on."""

    def __init__(self, light: bool) -> None:
        super().__init__()
        self.light = light


def asks(environment: Mapping[str, str]) -> bool:
    """Whether to ask: the terminals that would show the question, or cannot answer, are left."""
    term = environment.get("TERM", "")
    return not term.startswith(("dumb", "linux", "vt", "cons")) and not (
        term.startswith("screen") and "TMUX" not in environment
    )


class Answers:
    """Takes the terminal's answers out of what is read from it."""

    def __init__(self) -> None:
        self._held = ""
        self.light: bool | None = None
        """What the last answer said; None before the first."""

    @property
    def holds(self) -> bool:
        """Whether something is kept back that may be the beginning of an answer."""
        return bool(self._held)

    def strip(self, text: str, early: bool = True) -> str:
        """`text` without answers; an unfinished one at its end waits for the next call.

        `early` says that an answer is still to come, so that even an escape may be its beginning;
        later that is the key, which nothing must hold up.
        """
        text, self._held = self._held + text, ""
        if "\x1b" not in text:
            return text
        text = _ANSWER.sub(self._heard, text)
        begun = _BEGUN.search(text)
        if begun is not None and (early or len(begun.group()) > 1):
            text, self._held = text[: begun.start()], begun.group()
        return text

    def release(self) -> str:
        """What was kept back: it was no answer, as nothing followed."""
        text, self._held = self._held, ""
        return text

    def _heard(self, found: re.Match[str]) -> str:
        if mode := found["mode"]:
            self.light = mode == "2"
        else:
            red, green, blue = (
                int(part, 16) / (16 ** len(part) - 1) for part in found.groups()[:3]
            )
            # The luma of Rec. 709, which is near enough to tell paper from slate.
            self.light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
        return ""
