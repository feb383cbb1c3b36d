"""`deltadeck study --plain`: a session in lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from tui.study.session import (
    FixedQueue,
    LiveQueue,
    StudySession,
    Suggestion,
    from_check,
    from_choice,
    is_live,
)
from tui.study.text import NAMES, summary
from tui.text import Clock, back_again, counted, interval, one_line, visible

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from deck.queue import Session as Asked


# == Cards as running text: formulas on one line, nothing drawn; for ears, and for pipes.


def spoken(markdown: str, macros: Mapping[str, str] | None = None) -> str:
    """`markdown` with each formula as a line of text in its place."""
    from cards.math import typeset
    from cards.spans import math_spans

    parts, at = [], 0
    for start, end in math_spans(markdown):
        tex = _inside(markdown[start:end])
        parts += [markdown[at:start], typeset(tex, display=False, macros=macros, mode="line")]
        at = end
    return visible("".join([*parts, markdown[at:]]).strip())


def _inside(formula: str) -> str:
    """A formula without its delimiters."""
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)")):
        if formula.startswith(opening) and formula.endswith(closing):
            return formula[len(opening) : len(formula) - len(closing)]
    return formula


def options_text(card: Card, macros: Mapping[str, str] | None = None) -> str:
    """The options of a card, a line each."""
    shown = (option for option in card.options if not option.placeholder)
    return "\n".join(f"{option.letter}) {spoken(option.text, macros)}" for option in shown)


# == A sitting in lines of text: for screen readers, braille displays, pipes and scripts.
#
# It draws nothing and moves no cursor: a line is asked for, and what it leads to is printed
# below.


HELP = """\
enter            show the answer
1 2 3 4          rate: again, hard, good, easy
a letter         pick an option, before the answer is shown (it goes before r, u, b, s)
c ANSWER         check a derivation
r, read          the card again
u, undo          take the last rating back
b, bury          not today: set the card aside until tomorrow
s, suspend       set the card aside for good
q, quit          leave; so does the end of the input"""


class PlainStudy:
    """Reads commands from `given` and writes to `out` until nothing is left to study."""

    def __init__(
        self, collection: Collection, asked: Asked, clock: Clock, given: TextIO, out: TextIO
    ) -> None:
        waiting = (
            LiveQueue(collection, asked.deck)
            if is_live(asked)
            else FixedQueue.of(collection, asked, clock())
        )
        self._session = StudySession(collection, asked, clock, waiting)
        self._clock, self._given, self._out = clock, given, out
        self._check: Mapping[str, Any] | None = None
        self._suggestion: Suggestion | None = None
        self._slips = 0
        self._commands: dict[str, Callable[[], bool]] = {
            **dict.fromkeys(("r", "read"), self._again),
            **dict.fromkeys(("u", "undo"), self._undo),
            **dict.fromkeys(("b", "bury"), self._bury),
            **dict.fromkeys(("s", "suspend"), self._suspend),
            **dict.fromkeys(("?", "help"), self._help),
        }

    def run(self) -> None:
        """Until `q`, the end of the input, or the end of what there is to study."""
        self._session.advance()
        self._say(f"{counted(self._session.left, 'card')} to study. ? lists what can be typed.")
        self._ask()
        while self._session.card is not None or self._takes_back():
            line = self._given.readline()
            if not line or line.strip() in ("q", "quit"):
                break
            if self._does(line.strip()):
                self._ask()
        self._finish()

    def _takes_back(self) -> bool:
        """At the end: whether the last rating is taken back after all."""
        if not self._session.done:
            return False
        self._say("", "That was all of it. u takes the last rating back; enter leaves.")
        return self._given.readline().strip() in ("u", "undo") and self._undo_and_ask()

    def _undo_and_ask(self) -> bool:
        if self._undo():
            self._ask()
        return self._session.card is not None

    # What is typed.  Each says whether there is a card to ask anew.

    def _does(self, line: str) -> bool:
        word, _, rest = line.partition(" ")
        if word == "c" and rest:
            return self._derive(rest)
        if word.upper() in self._session.letters and not rest:
            return self._pick(word.upper())
        if not rest and word.lower() in self._commands:
            return self._commands[word.lower()]()
        if not line or word == "space":
            return self._reveal()
        if word in ("1", "2", "3", "4") and not rest:
            return self._rate(int(word))
        self._say(f"{one_line(line)!a} is none of what can be typed here: ? lists it.")
        return False

    def _reveal(self) -> bool:
        card, session = self._card, self._session
        if not session.revealed:
            session.revealed = True
            solution = session.item.answer if session.item else card.solution
            self._say("", spoken(solution, self._macros) or "There is no solution.")
            if card.is_choice:
                right = ", ".join(card.correct_letters)
                self._say(f"Right: {right}." if right else "The card does not say which is right.")
                self._suggestion = from_choice(session.picked, card.correct_letters)
        self._ask_rating()
        return False

    def _ask_rating(self) -> None:
        if self._session.practice:
            rows = [f"{rating} {name}" for rating, name in NAMES.items()]
        else:
            preview = sorted(self._session.preview().items())
            rows = [f"{n} {NAMES[n]}, {interval(each.interval)}" for n, each in preview]
        self._say("", "How well did you know it? " + "; ".join(rows) + ".")
        if self._suggestion:
            self._say(f"Suggested: {self._suggestion.rating}, {self._suggestion.reason}.")

    def _rate(self, rating: int) -> bool:
        if not self._session.revealed:
            self._say("Show the answer first: press enter.")
            return False
        from deck import errors

        done = self._session.done
        try:
            given = self._session.rate(rating, self._check)
        except errors.JournalError as error:  # the next lines of a script are about later cards
            raise errors.counted(error, done, done + 1) from error
        if given and given.leech:
            self._say(f"{one_line(given.item_id)} is a leech: rewrite it, or set it aside with s.")
        self._session.advance()
        return True

    def _pick(self, letter: str) -> bool:
        self._session.pick(letter)
        picked = ", ".join(sorted(self._session.picked)) or "nothing"
        self._say(f"Picked: {picked}. Enter shows the answer.")
        return False

    def _derive(self, answer: str) -> bool:
        from engine.checking import check
        from engine.exercise import Exercise, ExerciseError, why_none
        from engine.sandbox.worker import WorkerError
        from tui.lab.text import verdict_text

        card = self._card
        try:
            exercise = Exercise.from_card(card)
        except ExerciseError as error:
            self._say(str(error))
            return False
        if exercise is None:
            self._say(f"This card has no exercise to check. {why_none(card)}".rstrip())
            return False
        try:
            verdict = check(answer, exercise)
        except WorkerError as error:
            self._say(f"{error} Write a formula, or try it with `deltadeck check`, which asks.")
            return False
        self._say(verdict_text(verdict, answer))
        if verdict.verdict != "unreadable":
            seconds = self._session.seconds
            self._suggestion = from_check(verdict.verdict, seconds, self._slips)
            self._slips += verdict.verdict not in ("correct", "incomplete")
            self._check = {"answer": answer, "verdict": verdict.verdict, "seed": verdict.seed}
        return False

    def _again(self) -> bool:
        return True

    def _undo(self) -> bool:
        if not self._session.undo():
            self._say("There is no rating to take back.")
            return False
        self._say("Taken back.")
        return True

    def _bury(self) -> bool:
        self._say(f"{one_line(self._session.bury())} comes again tomorrow.")
        self._session.advance()
        return True

    def _suspend(self) -> bool:
        self._say(f"{one_line(self._session.suspend())} is set aside.")
        self._session.advance()
        return True

    def _help(self) -> bool:
        self._say(HELP)
        return False

    # What is said.

    def _ask(self) -> None:
        session = self._session
        self._check, self._suggestion, self._slips = None, None, 0
        if session.card is None or session.item is None:
            return
        card = session.card
        kind = card.type.replace("_", " ")
        place = f"Card {session.number} of {session.total}"
        self._say("", f"{place}: {one_line(session.item.id)}, {kind}, {one_line(card.course)}.")
        self._say("", spoken(session.item.prompt or card.question, self._macros))
        if card.options:
            self._say("", options_text(card, self._macros))

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
