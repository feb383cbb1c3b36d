"""The terminal's driver: it asks whether the background is dark or light, and stops for the shell.

The toolkit's takes the answer for keys, so that the thread that reads is our own: it does what the
toolkit's does, and looks at the bytes first.  Nothing waits for an answer.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from codecs import getincrementaldecoder

from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from tui.background import ASK, TELL, TELL_NO_MORE, Answers, Background, asks

#: Seconds until the thread looks whether it is to end; until half an answer is none; and in which
#: an answer is expected.
_LOOK, _HALF, _EARLY = 0.1, 0.03, 1.0


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
