"""The one row of Anki's table `col`: settings, decks and their options, types of notes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime
from hashlib import blake2b
from typing import Any

from deck.config import Config
from deck.exchange.export.apkg.notetypes import BASIC, notetypes
from deck.exchange.export.apkg.schema import VERSION
from deck.study_day import day_start, offset_minutes

_DEFAULT = 1
#: Ids are times in milliseconds there; ours are from the year 2025 on.
_IDS = 1763000000000
_TAKEN = 10**9


def stable_id(name: str) -> int:
    """The same number for the same name, always."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return _IDS + 1000 + int.from_bytes(digest) % _TAKEN


def deck_name(path: Iterable[str]) -> str:
    """The name of a deck with those above it: `::` parts them, so no name may hold it."""
    return "::".join(_part(name) for name in path)


def _part(name: str) -> str:
    plain = "".join(char if char.isprintable() else " " for char in name.replace('"', "'"))
    return plain.replace("::", "-").strip(" :") or "deck"


def col_row(
    config: Config, now: datetime, first: date, decks: dict[str, str], positions: int
) -> tuple[Any, ...]:
    """The row.  `first`: the study day from which days are counted; `decks`: each name with the
    course that it is of; `positions`: how many new cards there are."""
    stamp = int(now.timestamp() * 1000)
    named = _with_parents(decks)
    courses = {course for course in named.values() if config.of_course(course) is not config}
    rows = {str(_DEFAULT): _deck(_DEFAULT, "Default", _DEFAULT, stamp)}
    for name, course in named.items():
        options = _options_id(course) if course in courses else _options_id("")
        number = stable_id(f"deck {name}")
        rows[str(number)] = _deck(number, name, options, stamp)
    settings = [_options(_DEFAULT, "Default", Config(), stamp)]
    for course in ("", *sorted(courses)):
        name = f"deltadeck: {course}" if course else "deltadeck"
        settings.append(_options(_options_id(course), name, config.of_course(course), stamp))
    values = (_conf(config, now, positions), notetypes(_DEFAULT), rows)
    texts = [json.dumps(value) for value in (*values, {str(s["id"]): s for s in settings})]
    made = int(day_start(first, config.rollover, now).timestamp())
    return (1, made, stamp, stamp, VERSION, 0, 0, 0, *texts, "{}")


def _with_parents(decks: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, course in decks.items():
        parts = name.split("::")
        for depth in range(1, len(parts) + 1):
            found.setdefault("::".join(parts[:depth]), course)
    return found


def _options_id(course: str) -> int:
    return stable_id(f"options {course}")


def _conf(config: Config, now: datetime, positions: int) -> dict[str, Any]:
    return {
        "activeDecks": [_DEFAULT],
        "curDeck": _DEFAULT,
        "curModel": BASIC,
        "newSpread": 0,
        "collapseTime": 1200,
        "timeLim": 0,
        "estTimes": True,
        "dueCounts": True,
        "nextPos": positions + 1,
        "sortType": "noteFld",
        "sortBackwards": False,
        "addToCur": True,
        "schedVer": 2,
        "creationOffset": -offset_minutes(now),
        "rollover": config.rollover.hour,
    }


def _deck(number: int, name: str, options: int, stamp: int) -> dict[str, Any]:
    nothing = {f"{what}Today": [0, 0] for what in ("new", "rev", "lrn", "time")}
    rest = {"collapsed": False, "browserCollapsed": False, "extendNew": 0, "extendRev": 0}
    return {
        "id": number,
        "name": name,
        "conf": options,
        "mod": stamp // 1000,
        "usn": -1,
        "desc": "",
        "dyn": 0,
        **nothing,
        **rest,
    }


def _options(number: int, name: str, config: Config, stamp: int) -> dict[str, Any]:
    """The options of decks: limits, steps and the model's parameters, for whom asks for them."""
    minutes = [[step.total_seconds() / 60 for step in steps] for steps in _steps(config)]
    new = {"delays": minutes[0], "ints": [1, 4, 0], "initialFactor": 2500, "order": 1}
    lapse = {"delays": minutes[1], "mult": 0.0, "minInt": 1, "leechFails": config.leech_lapses or 8}
    limits = {"maxIvl": config.maximum_interval, "ease4": 1.3, "ivlFct": 1.0, "hardFactor": 1.2}
    bury = config.bury_siblings
    return {
        "id": number,
        "name": name,
        "mod": stamp // 1000,
        "usn": -1,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "dyn": False,
        "new": new | {"bury": bury, "perDay": config.new_per_day},
        "rev": limits | {"bury": bury, "perDay": config.reviews_per_day},
        "lapse": lapse | {"leechAction": 0 if config.leech_action == "suspend" else 1},
        "desiredRetention": config.desired_retention,
        "fsrsParams6": list(config.parameters),
    }


def _steps(config: Config) -> tuple[Any, Any]:
    return config.learning_steps, config.relearning_steps
