"""What a search can ask about, by name."""

from __future__ import annotations

from types import MappingProxyType

from deck.search.text import HAS as HAS

#: Fields with texts: name to what they hold.
TEXTS = MappingProxyType(
    {
        "tag": "a tag of the card, or one above it: tag:nn finds nn::cnn too",
        "course": "the course",
        "deck": "the deck, or a deck above it: a course or a folder",
        "type": "derivation, open, multiple_choice, basic, cloze, reversed or numeric",
        "status": "the card file's own status: line",
        "id": "the card's or the item's id",
        "path": "the file, from the collection's folder",
        "link": "a card or a concept named under Related Concepts",
        "question": "words of the question",
        "solution": "words of the solution",
        "has": "exercise, points, options, difficulty or link: the card gives one",
    }
)
STATES = MappingProxyType(
    {
        "new": "never answered",
        "learning": "in learning or relearning steps",
        "relearning": "in steps after a lapse",
        "review": "in review",
        "young": "in review with a stability below 21 days",
        "mature": "in review with a stability of 21 days or more",
        "due": "a step or a review is due, and the item is neither suspended nor buried",
        "overdue": "a review was due on an earlier study day",
        "suspended": "put aside",
        "buried": "put off to another day",
        "leech": "forgotten again and again",
    }
)
#: Numbers, with the unit that they are in.
NUMBERS = MappingProxyType(
    {
        "difficulty": "the card's own, 1 to 5",
        "points": 'the "(5p)" in front of the question',
        "r": "the chance of recall now, 0 to 1 or with %",
        "s": "stability, days",
        "d": "the memory's difficulty, 1 to 10",
        "interval": "days between the last answer and the due day",
        "due": "study days until it is due, below 0 when overdue",
        "reps": "answers so far",
        "lapses": "how often it was forgotten in review",
    }
)
#: Other names of the same.
ALIASES = MappingProxyType(
    {
        "retrievability": "r",
        "recall": "r",
        "stability": "s",
        "ivl": "interval",
        "repetitions": "reps",
        "tags": "tag",
        "links": "link",
    }
)
EVENTS = MappingProxyType(
    {
        "added": "the card was written",
        "edited": "the card's file changed",
        "rated": "it was answered; rated:7:1 only with Again",
        "introduced": "it was answered for the first time",
    }
)
NAMES = (*TEXTS, "is", *NUMBERS, *ALIASES, *EVENTS)
