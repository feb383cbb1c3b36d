"""The terminal: its driver and background, its themes and clipboard, and what a crash leaves on it.

The driver is Textual's, but for three things. It asks whether the background is dark or light:
Textual takes the answer for keys, so the thread that reads is our own, does what Textual's does,
and looks at the bytes first; nothing waits for an answer. It gives the terminal up for the shell
only between two steps of the loop. And it writes each frame whole.

The background is asked by OSC 11 (xterm, "Change VT100 text background color", with `?`), and the
terminal tells of a change by itself where mode 2031 is set (the "dark and light mode detection" of
contour's VT extensions, which kitty, ghostty, foot and others took up).
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
import traceback
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from platformdirs import user_log_path
from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import on
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Mount
from textual.filter import LineFilter
from textual.message import Message
from textual.theme import Theme

from tui.repaint import RepaintingApp
from tui.text import visible
from tui.theme import DARK, Themes, shades, sixteen

if TYPE_CHECKING:
    from textual.color import Color
    from textual.driver import Driver

#: Seconds until the thread looks whether it is to end; until half an answer is none; and in which
#: an answer is expected.
_LOOK, _HALF, _EARLY = 0.1, 0.03, 1.0
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
#: Seconds until a program that does not answer is left alone.
_PATIENCE = 1.0
_WAYLAND = (("wl-copy",), ("wl-paste", "--no-newline"))
_X11 = (
    (("xclip", "-selection", "clipboard", "-in"), ("xclip", "-selection", "clipboard", "-out")),
    (("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output")),
)
_MAC = (("pbcopy",), ("pbpaste",))
_SHEET = Path(__file__).with_name("sixteen.tcss")


# The background.


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


# The driver.


class TerminalDriver(LinuxDriver):
    """Posts a `Background` to the app when the terminal tells one."""

    _asked = False
    _answers = Answers()
    _since = 0.0
    _frame = ""
    """What was written since a frame began: handed on whole, it is written at once."""
    _stops = False
    """Whether SIGTSTP came, and no SIGCONT behind it."""

    def start_application_mode(self) -> None:
        self._asked = self.input_tty and asks(os.environ)
        self._answers, self._since = Answers(), time.monotonic()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # the toolkit's
        if self._asked and self._writer_thread is not None:
            self.write(ASK + TELL)
            self.flush()

    def stop_application_mode(self) -> None:
        if self._asked and self._writer_thread is not None:
            self.write(TELL_NO_MORE)
        super().stop_application_mode()

    def _sigtstp_application(self, *_: object) -> None:
        """Python calls this between any two steps of the main thread: in the middle of a frame,
        the codes that give the terminal up would become a part of it, and in the middle of a write
        the queue is locked.  The loop gives it up when nothing is half done."""
        if self._auto_restart and self._loop.is_running():
            self._stops = True
            self._loop.call_soon_threadsafe(self._stop)
        else:  # The terminal is another program's, for which the loop waits.
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        self._stops = False
        if self._loop.is_running():
            self._loop.call_soon_threadsafe(self._take_again)

    def _stop(self) -> None:
        if not self._stops:
            return  # a second SIGTSTP, or SIGCONT was faster
        if not self._must_signal_resume:
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._stops:
            self._stops = False
            os.kill(os.getpid(), signal.SIGSTOP)
        self._take_again()

    def _take_again(self) -> None:
        """Take the terminal, if it was given up.  The kernel sends SIGCONT behind the SIGHUP of a
        terminal that is closed, and anyone may send one: a second reader and writer would never
        end.  A program in the background is stopped here, and tries again at the next SIGCONT."""
        if self._must_signal_resume:  # the toolkit unsets it
            self.resume_application_mode()

    def write(self, data: str) -> None:
        if self._frame or data == SYNC_START:
            self._frame += data
            if data != SYNC_END:
                return
            data, self._frame = self._frame, ""
        super().write(data)

    def run_input_thread(self) -> None:
        """Read, until the app ends."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")().decode

        def read(patience: float, final: bool = False) -> None:
            if selector.select(patience):
                text = self._without_answers(decode(os.read(self.fileno, 4096), final=final))
            else:
                text = self._answers.release()
            # An empty text would end the parser.
            for message in parser.feed(text) if text else ():
                self.process_message(message)
            for message in parser.tick():
                self.process_message(message)

        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                read(_HALF if self._answers.holds else _LOOK)
            read(_LOOK, final=True)

    def _without_answers(self, text: str) -> str:
        before = self._answers.light
        early = self._asked and before is None and time.monotonic() - self._since < _EARLY
        left = self._answers.strip(text, early)
        after = self._answers.light
        if after is not None and after != before:
            self.send_message(Background(after))
        return left


# The system's clipboard, by the programs that are there for it.  OSC 52, which Textual writes,
# reaches the clipboard of the terminal that one sits at, also from another machine; but some
# terminals refuse it, and none of ours gives a clipboard back.


@dataclass(frozen=True, slots=True)
class Clipboard:
    """Two commands: one takes a text on its standard input, the other prints it."""

    put: tuple[str, ...]
    get: tuple[str, ...]

    def copy(self, text: str) -> None:
        """Waits for the system, for a thread."""
        # Who keeps a clipboard stays behind, and would hold a pipe open.
        _run(self.put, input=text.encode("utf-8", "replace"), stdout=subprocess.DEVNULL)

    def paste(self) -> str:
        """The text that the system holds; empty where it holds none."""
        done = _run(self.get, input=b"", stdout=subprocess.PIPE)
        return done.stdout.decode("utf-8", "replace") if done and not done.returncode else ""


def _run(command: tuple[str, ...], **streams: Any) -> subprocess.CompletedProcess[bytes] | None:
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(
            command, stderr=subprocess.DEVNULL, timeout=_PATIENCE, check=False, **streams
        )
    return None


def system_clipboard(environment: Mapping[str, str]) -> Clipboard | None:
    """Of the desk that one sits at; None where there is none, as from another machine."""
    if not environment or "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return None
    wayland = [_WAYLAND] if environment.get("WAYLAND_DISPLAY") else []
    x11 = _X11 if environment.get("DISPLAY") else ()
    pairs = [_MAC] if sys.platform == "darwin" else [*wayland, *x11]
    path = environment.get("PATH")
    there = (each for each in pairs if all(shutil.which(command[0], path=path) for command in each))
    return next((Clipboard(put, get) for put, get in there), None)


# The app.


# What is written stands out from its ground, in whichever theme.


#: The least contrast of words and numbers, by WCAG 2.1 (1.4.3).
CONTRAST: Final = 4.5
_STEPS: Final = 20
#: Anything but blanks, dots, lines, blocks and Braille patterns.
_WORDS: Final = re.compile(r"[^\s·─-◿⠀-⣿]")


class Readable(LineFilter):
    """Moves the colour of words towards white or black until it stands out from its ground.

    Lines, blocks and other signs keep theirs.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [_readable(segment) for segment in segments]


@lru_cache(maxsize=8192)
def _readable(segment: Segment) -> Segment:
    text, style, control = segment
    if control or style is None or not _WORDS.search(text):
        return segment
    colours = [each.triplet for each in (style.color, style.bgcolor) if each is not None]
    if len(colours) < 2 or colours[0] is None or colours[1] is None:
        return segment  # the terminal's own colours, which nobody else knows
    letters = _standing_out(colours[0], colours[1])
    return Segment(text, style + Style(color=RichColor.from_triplet(letters)))


@lru_cache(maxsize=1024)
def _standing_out(letters: ColorTriplet, ground: ColorTriplet) -> ColorTriplet:
    """The nearest colour of so much contrast."""
    ends = (ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255))
    end = max(ends, key=lambda each: contrast(each, ground))
    for step in range(_STEPS + 1):
        shares = zip(letters, end, strict=True)
        mixed = ColorTriplet(*(round(a + (b - a) * step / _STEPS) for a, b in shares))
        if contrast(mixed, ground) >= CONTRAST:
            return mixed
    return end


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast of two colours, 1 to 21, as WCAG 2.1 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: ColorTriplet) -> float:
    parts = (each / 255 for each in colour)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class TerminalApp(RepaintingApp):
    """An app that follows its terminal: its background, how many colours it has, its clipboard.

    `themes` keeps what is chosen; without it, `theme` is shown, or the dark one.
    """

    environment: Mapping[str, str] = MappingProxyType({})
    """Of the desk that one sits at; empty where that is another machine's."""

    def __init__(self, theme: str, themes: Themes | None, driver: type[Driver] | None) -> None:
        super().__init__(driver, True if themes and themes.few else None)
        self.themes = themes
        self._readable = Readable()
        self._before = ""
        """The theme before the one that is previewed."""
        for each in sixteen():
            self.register_theme(each)
        self.theme = known.name if (known := self.get_theme(theme)) else DARK

    def say(self, sentence: str, *, error: bool = False) -> None:
        """Tell the learner something that needs no answer; said again, it is still shown once."""
        words = visible(sentence)
        for said in [note for note in self._notifications if note.message == words]:
            self._unnotify(said, refresh=False)
        self.notify(
            words,
            severity="error" if error else "information",
            markup=False,
            timeout=12 if error else 5,
        )

    @on(Mount)
    def _follow(self) -> None:
        self.theme_changed_signal.subscribe(self, self._theme_taken)

    # Themes.

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._readable]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return shades(self.current_theme)

    def watch_theme(self) -> None:
        """The sheet for few colours is read when it is needed: it would hold up every start."""
        if self.native_ansi_color and not self.stylesheet.has_source(str(_SHEET)):
            self.stylesheet.read(_SHEET)

    def preview_theme(self, name: str) -> None:
        """Show a theme without keeping it; "" goes back to the one before."""
        before = self._before or self.theme
        self.theme = name or before
        self._before = before if name else ""

    def keep_theme(self) -> None:
        """The theme that is previewed is chosen."""
        previewed, self._before = self._before, ""
        if previewed:
            self._theme_taken(self.current_theme)

    def _theme_taken(self, theme: Theme) -> None:
        if self._before:
            return
        if self.themes is not None and (trouble := self.themes.taken(theme.name)):
            self.say(trouble, error=True)

    @on(Background)
    def _background_seen(self, seen: Background) -> None:
        if self.themes is not None and (suits := self.themes.seen(seen.light)):
            self.theme = suits

    # The clipboard is the system's too, where the system has one.

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        if self._system is not None:
            self.run_worker(partial(self._system.copy, text), thread=True, name="copy")

    @property
    def clipboard(self) -> str:
        return (self._system.paste() if self._system is not None else "") or super().clipboard

    @cached_property
    def _system(self) -> Clipboard | None:
        return system_clipboard(self.environment)


# What is left on the terminal when the app stops on a fault.


def plain(sentence: str) -> Text:
    """For the terminal after the app has gone: brackets in a path are not markup."""
    return Text(visible(sentence))


def note_crash() -> str:
    try:
        log = user_log_path("deltadeck", ensure_exists=True) / "crash.log"
        log.write_text(traceback.format_exc(), encoding="utf-8")
        where = f"What happened is written in {log}."
    except OSError:
        where = f"It was: {sys.exc_info()[1]!r}."
    return f"deltadeck stopped because of a fault of its own; your reviews are safe. {where}"
