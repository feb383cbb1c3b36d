"""`deltadeck study --plain`: a session in lines of text, for screen readers, pipes and scripts.

It draws nothing and moves no cursor: a line is asked for, and what it leads to is printed below.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cards.math import typeset
from cards.spans import spans
from deck.collection import Collection
from deck.errors import JournalError, with_count
from deck.queue import SessionRequest
from deck.search.match import read_search
from engine.exercise import ExerciseError
from engine.registry import exercise_of, why_none
from engine.sandbox.worker import WorkerError
from tui.commands.lookup import open_collection, session_request
from tui.lab.text import verdict_text
from tui.study.answers import Suggestion, from_check, from_choice
from tui.study.session import StudyQueue, StudySession
from tui.study.text import NAMES, compared, summary
from tui.text import Clock, back_again, interval, now, plural, visible, visible_line

if TYPE_CHECKING:
    from cards.model import Card

HELP = """\
enter            show the answer
1 2 3 4          rate: again, hard, good, easy
a letter         pick an option, before the answer is shown (it goes before r, u, b, s)
a number         answer a card that asks for one, and show whether it is right; so do
                 words, where the setting type_answers has them typed
c ANSWER         check a derivation
r, read          the card again
u, undo          undo the last rating
b, bury          bury the card until tomorrow
s, suspend       suspend the card
q, quit          quit, as does the end of the input"""


def checked_request(args: argparse.Namespace, folder: Path) -> SessionRequest:
    """The session that is asked for.  Raises UsageError or SearchError where it cannot be."""
    collection, moment = open_collection(folder)
    asked = session_request(args, collection, moment)
    read_search(asked.search, collection.config.searches)
    collection.close()
    return asked


def study_plainly(folder: Path, asked: SessionRequest | None) -> int:
    """What is due, where nothing else is asked."""
    collection, _ = open_collection(folder)
    try:
        PlainStudy(collection, asked or SessionRequest(), now, sys.stdin, sys.stdout).run()
    finally:
        collection.close()
    return 0


class PlainStudy:
    """Reads commands from `given` and writes to `out` until nothing is left to study."""

    def __init__(
        self,
        collection: Collection,
        asked: SessionRequest,
        clock: Clock,
        given: TextIO,
        out: TextIO,
    ) -> None:
        waiting = StudyQueue.of(collection, asked, clock())
        self._session = StudySession(collection, asked, clock, waiting)
        self._clock, self._given, self._out = clock, given, out
        self._check: Mapping[str, Any] | None = None
        self._suggestion: Suggestion | None = None
        self._slips = 0
        self._commands: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("r", "read"), self._ask),
            **dict.fromkeys(("u", "undo"), self._undo),
            **dict.fromkeys(("b", "bury"), self._bury),
            **dict.fromkeys(("s", "suspend"), self._suspend),
            **dict.fromkeys(("?", "help"), lambda: self._say(HELP)),
            **dict.fromkeys(("", "space"), self._reveal),
        }

    def run(self) -> None:
        """Until `q`, the end of the input, or the end of what there is to study."""
        self._session.advance()
        self._say(f"{plural(self._session.left, 'card')} to study. ? lists the commands.")
        self._ask()
        while self._session.card is not None or self._takes_back():
            line = self._given.readline()
            if not line or line.strip() in ("q", "quit"):
                break
            self._do(line.strip())
        self._finish()

    def _takes_back(self) -> bool:
        """At the end: whether the last rating is taken back after all."""
        if not self._session.done:
            return False
        self._say("", "That was the last card. u undoes the last rating; enter quits.")
        if self._given.readline().strip() in ("u", "undo"):
            self._undo()
        return self._session.card is not None

    # What is typed.

    def _do(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "c" and rest:
            self._derive(rest)
        elif line.upper() in self._session.letters:
            self._session.pick(line.upper())
            picked = ", ".join(sorted(self._session.picked)) or "nothing"
            self._say(f"Picked: {picked}. Enter shows the answer.")
        elif self._answers(line):
            self._session.typed = line
            self._reveal()
        elif line.lower() in self._commands:
            self._commands[line.lower()]()
        elif line in ("1", "2", "3", "4"):
            self._rate(int(line))
        else:
            self._say(f"Unknown command {visible_line(line)!a}: ? lists the commands.")

    def _answers(self, line: str) -> bool:
        """Whether it is the number or the words that the card asks for."""
        asked = None if self._session.revealed else self._session.asks_for
        known = line.lower() in self._commands
        return asked is not None and not known and asked.read(line) is not None

    def _reveal(self) -> None:
        card, session = self._card, self._session
        if not session.revealed:
            session.revealed = True
            solution = session.item.answer if session.item else card.solution
            self._say("", spoken(solution, self._macros) or "There is no solution.")
            if card.is_choice:
                right = ", ".join(card.correct_letters)
                self._say(f"Right: {right}." if right else "The card does not say which is right.")
                self._suggestion = from_choice(session.picked, card.correct_letters)
            if session.asks_for is not None:
                if said := compared(session, 0).plain:
                    self._say(said)
                self._suggestion = session.asks_for.judged(session.typed)
        if session.practice:
            rows = [f"{rating} {name}" for rating, name in NAMES.items()]
        else:
            preview = sorted(session.preview().items())
            rows = [f"{n} {NAMES[n]}, {interval(each.interval)}" for n, each in preview]
        self._say("", "How well did you know it? " + "; ".join(rows) + ".")
        if self._suggestion:
            self._say(f"Suggested: {self._suggestion.rating}, {self._suggestion.reason}.")

    def _rate(self, rating: int) -> None:
        if not self._session.revealed:
            self._say("Show the answer first: press enter.")
            return
        done = self._session.done
        try:
            given = self._session.rate(rating, self._check)
        except JournalError as error:  # the next lines of a script are about later cards
            raise with_count(error, done, done + 1) from error
        if given and given.leech:
            self._say(
                f"{visible_line(given.item_id)} is a leech: rewrite it, or suspend it with s."
            )
        self._advance()

    def _derive(self, answer: str) -> None:
        from engine.checking import check  # and NumPy

        card = self._card
        try:
            exercise = exercise_of(card)
            if exercise is None:
                self._say(f"This card has no exercise to check. {why_none(card)}".rstrip())
                return
            verdict = check(answer, exercise)
        except ExerciseError as error:
            self._say(str(error))
            return
        except WorkerError as error:
            self._say(f"{error} Write a formula, or try it with `deltadeck check`, which asks.")
            return
        self._say(verdict_text(verdict, answer))
        if verdict.verdict != "unreadable":
            seconds = self._session.seconds
            self._suggestion = from_check(verdict.verdict, seconds, self._slips)
            self._slips += verdict.verdict not in ("correct", "incomplete")
            self._check = {"answer": answer, "verdict": verdict.verdict, "seed": verdict.seed}

    def _undo(self) -> None:
        if self._session.undo():
            self._say("Undone.")
            self._ask()
        else:
            self._say("There is nothing to undo.")

    def _bury(self) -> None:
        self._say(f"{visible_line(self._session.bury())} comes again tomorrow.")
        self._advance()

    def _suspend(self) -> None:
        self._say(f"{visible_line(self._session.suspend())} is suspended.")
        self._advance()

    def _advance(self) -> None:
        self._session.advance()
        self._ask()

    # What is said.

    def _ask(self) -> None:
        session = self._session
        self._check, self._suggestion, self._slips = None, None, 0
        if session.card is None or session.item is None:
            return
        card = session.card
        kind = card.type.replace("_", " ")
        place = f"Card {session.number} of {session.total}"
        self._say(
            "", f"{place}: {visible_line(session.item.id)}, {kind}, {visible_line(card.course)}."
        )
        self._say("", spoken(session.item.prompt or card.question, self._macros))
        options = (option for option in card.options if not option.placeholder)
        rows = [f"{option.letter}) {spoken(option.text, self._macros)}" for option in options]
        if card.options:
            self._say("", "\n".join(rows))

    def _finish(self) -> None:
        session = self._session
        config = session.collection.config
        if session.card is None and not session.done:
            self._say("", "Nothing is left to study here.")
        for about, said in summary(session.answers, config.desired_retention):
            self._say(f"{about}: {said}.")
        if session.card is None and session.next_due:
            self._say(back_again(session.next_due, self._clock()))

    @property
    def _card(self) -> Card:
        assert self._session.card is not None
        return self._session.card

    @property
    def _macros(self) -> Mapping[str, str]:
        return {**self._session.collection.config.macros, **self._card.macros}

    def _say(self, *texts: str) -> None:
        for text in texts:
            self._out.write(f"{text}\n")
        self._out.flush()


def spoken(markdown: str, macros: Mapping[str, str] | None = None) -> str:
    """`markdown` as running text, each formula on one line: for ears, and for pipes."""
    parts, at = [], 0
    for span in spans(markdown):
        if span.math:
            tex = markdown[slice(*span.tex)]
            parts += [markdown[at : span.start]]
            parts += [typeset(tex, display=False, macros=macros, mode="line")]
            at = span.end
    return visible("".join([*parts, markdown[at:]]).strip())
