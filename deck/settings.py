"""Settings as they are shown, typed and written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from deck.config import EXAM, LIMITS, READERS, WEEKDAYS, Config, UnusableError
from deck.errors import reason, refusal
from deck.files import write_whole

# == Changes one setting in `config.toml`, and leaves every other line as the learner wrote it.


Value = bool | int | float | str | date | time | Sequence[float | str] | Mapping[str, float]


def write_setting(
    path: Path, key: str, value: Value | None, table: tuple[str, ...] = ()
) -> tuple[str, str]:
    """Sets `key`, at the top or in a table such as ("courses", "Algebra"); None takes it away.

    A file that is missing is made.  Returns the file's text before and after.

    Raises:
        CollectionError: it cannot be read or written; it is as it was.
    """
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
        after = set_value(text, key, value, table)
        put_settings(path, after)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        message = f"The setting {key} cannot be written: {why}."
        raise refusal(path, message, "Correct the file, or make it writable.") from error
    return text, after


def put_settings(path: Path, text: str) -> None:
    """Puts the file's whole text in place: all of it, or none.  Raises OSError."""
    write_whole(path, text.encode("utf-8"), parents=False)


def set_value(text: str, key: str, value: Value | None, table: tuple[str, ...] = ()) -> str:
    """`text` with `key = value`: in place of what says it, or at the end of its table.

    Raises:
        ValueError: `text` is not TOML, or a part of `table` is no table.
    """
    import tomlkit  # 25 ms: only who changes a setting pays for it

    tomllib.loads(text)
    document = tomlkit.parse(text)
    place: MutableMapping[str, Any] = document
    for name in table:
        if name not in place:
            if value is None:
                return text
            place[name] = tomlkit.table(is_super_table=name != table[-1])
        place = place[name]
        if not isinstance(place, MutableMapping):
            raise ValueError(f"{name} is not a table")
    if value is None:
        place.pop(key, None)
    else:
        place[key] = value if isinstance(value, date | time) else _plain(value)
    after = tomlkit.dumps(document)
    tomllib.loads(after)
    return after


def _plain(value: Any) -> Any:
    """Lists and tables as TOML's library takes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        import tomlkit

        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    return list(value) if isinstance(value, Sequence) else value


# == Every setting that the settings screen shows, in its order.


Kind = Literal["number", "share", "spans", "clock", "switch", "choice", "day", "days", "amount"]


@dataclass(frozen=True, slots=True)
class Setting:
    key: str
    label: str
    help: str
    kind: Kind
    choices: tuple[str, ...] = ()
    scope: Literal["all", "course", "both"] = "all"
    """Whether it is the collection's, a course's, or a course may have its own."""

    @property
    def turns(self) -> bool:
        """Whether its values follow each other and none is written."""
        return self.kind in ("choice", "switch")

    @property
    def offered(self) -> tuple[str, ...]:
        """Of what turns, the values; the theme's are the app's."""
        return self.choices or (("yes", "no") if self.kind == "switch" else ())


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    settings: tuple[Setting, ...]


#: Not in config.toml: it belongs to the screen that one sits at.
THEME: Final = "theme"

_REVIEW_ORDERS = ("retrievability", "due", "difficulty", "interval", "points", "random")

GROUPS: Final = (
    Group(
        "A day",
        (
            Setting(
                "new_per_day", "New items a day", "How many new items a study day brings at most.",
                "number", scope="both",
            ),
            Setting(
                "reviews_per_day", "Reviews a day", "How many reviews a study day brings at most.",
                "number", scope="both",
            ),
            Setting(
                "rollover", "A day begins at",
                "Local time. What you study before it counts for the day before.", "clock",
            ),
            Setting(
                "easy_days", "Easy days",
                "The share of reviews that a weekday takes, such as sat 0.5 sun 0.", "days",
            ),
        ),
    ),
    Group(
        "Memory",
        (
            Setting(
                "desired_retention", "Wanted recall",
                "The chance of recall at which a review falls due: more means more reviews.",
                "share", scope="both",
            ),
            Setting(
                "learning_steps", "Learning steps", "Waits between the first answers: 1m 10m 1d.",
                "spans", scope="both",
            ),
            Setting(
                "relearning_steps", "Relearning steps", "The same, after a review was forgotten.",
                "spans", scope="both",
            ),
            Setting(
                "maximum_interval", "Longest interval",
                "In days: no review is put off for longer.", "number", scope="both",
            ),
            Setting(
                "fuzz", "Spread reviews",
                "Items learnt together fall due on different days, where that evens the load.",
                "switch",
            ),
        ),
    ),
    Group(
        "Order",
        (
            Setting(
                "review_order", "Reviews",
                "What comes first; retrievability: what is nearest to being forgotten.",
                "choice", _REVIEW_ORDERS,
            ),
            Setting(
                "new_order", "New items", "easy: by difficulty; path: as the files lie.",
                "choice", ("easy", "path", "random"),
            ),
            Setting(
                "new_mix", "New among reviews", "Where new items stand among the reviews.",
                "choice", ("mix", "before", "after"),
            ),
            Setting("interleave", "Mix courses", "The reviews of all courses alternate.", "switch"),
            Setting(
                "bury_siblings", "One item of a card",
                "A study day asks only one item of each card.", "switch",
            ),
        ),
    ),
    Group(
        "Leeches",
        (
            Setting(
                "leech_lapses", "Lapses of a leech",
                "So often forgotten, an item is a leech (is:leech finds it); 0 for never.",
                "number",
            ),
            Setting(
                "leech_action", "A leech is", "mark: only found; suspend: put aside, too.",
                "choice", ("mark", "suspend"),
            ),
        ),
    ),
    Group(
        "Exam",
        (
            Setting("exam", "Day of the exam", "Such as 2027-01-20.", "day", scope="course"),
            Setting(
                "target", "Points wanted", "On that day; home says whether they can be reached.",
                "amount", scope="course",
            ),
            Setting(
                "minutes_per_day", "Minutes a day", "What the plan for the exam may take.",
                "amount", scope="both",
            ),
        ),
    ),
    Group(
        "Files",
        (
            Setting(
                "write_status", "Write status",
                "The line `status:` in the card files follows the schedule.", "switch",
            ),
            Setting(
                "line_breaks", "Keep line breaks",
                "Those of a card's text stay on its page, as in Obsidian.", "switch", scope="both",
            ),
        ),
    ),
    Group(
        "Looks",
        (
            Setting(
                THEME, "Theme", "Your own, on this machine; the others travel with the cards.",
                "choice",
            ),
        ),
    ),
)  # fmt: skip


# == A setting's value as it is shown and typed: `1m 10m`, `90 %`, `sat 0.5 sun 0`.


_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS: Final = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))


class RefusedError(Exception):
    """What was typed is none of the setting's values; its text is the way out."""


def shown(setting: Setting, value: Any) -> str:
    """A value of `deck.Config`, as a person writes it; what is not set is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, Mapping):
        return " ".join(f"{_WEEKDAYS[day]} {share:g}" for day, share in sorted(value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(span_text, value)) or "none"
    if setting.kind == "share":
        return f"{100 * value:g} %"
    return f"{value:g}" if isinstance(value, float) else str(value)


def span_text(span: timedelta) -> str:
    """`10m`, `2h`: in the largest unit that leaves nothing over."""
    seconds = round(span.total_seconds())
    size, unit = next(one for one in _UNITS if seconds % one[0] == 0)
    return f"{seconds // size}{unit}"


def typed(setting: Setting, text: str) -> Value:
    """What config.toml gets for what was typed.

    Raises:
        RefusedError: it is none of the setting's values.
    """
    from deck.config import EXAM, READERS, UnusableError

    value: Value = _read(setting, text.strip())
    try:
        (EXAM | READERS)[setting.key](value)
    except UnusableError as error:
        raise RefusedError(_said(setting, str(error))) from error
    return value


def _said(setting: Setting, sentence: str) -> str:
    """The reader's hint, with the values as they are typed here and not as TOML has them."""
    hints = {
        "share": "Give a share from 70 to 99 %",
        "spans": "Give times such as 30s 10m 2h 1d, or none",
        "clock": "Give a time of day such as 04:00",
        "days": "Give weekdays and shares from 0 to 1, such as sat 0.5 sun 0",
        "day": "Give a day such as 2027-01-20",
    }
    return f"{hints.get(setting.kind, sentence)}."


def _read(setting: Setting, text: str) -> Any:
    """The value that a text means, not yet checked; the text itself where it means none."""
    match setting.kind:
        case "number" | "amount":
            return _number(text)
        case "share":
            number = _number(text.removesuffix("%").strip())
            return (
                round(number / 100, 4) if isinstance(number, int | float) and number > 1 else number
            )
        case "switch":
            return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
        case "spans":
            return [] if text == "none" else text.replace(",", " ").split()
        case "days":
            words = text.replace(",", " ").replace(":", " ").replace("=", " ").split()
            return dict(zip(words[::2], map(_number, words[1::2]), strict=False)) or {}
        case "day":
            return _day(text)
    return text


def _number(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _day(text: str) -> Any:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def next_of(choices: Sequence[str], now: str, step: int) -> str:
    """The choice after (1) or before (-1) another; round at the ends."""
    at = choices.index(now) if now in choices else -step
    return choices[(at + step) % len(choices)]


def default_of(key: str) -> Any:
    """What holds where config.toml says nothing."""
    from deck.config import Config

    return getattr(Config(), key)


# == All settings as plain values, each with where it comes from; and a text as a setting's value.


Source = Literal["default", "collection", "course"]

#: Tables whose names are the learner's own: what stands before the point, and the table in TOML.
TABLES = {"searches": ("searches",), "keys": ("keys",), "math.macros": ("math", "macros")}

_SHOWN = {each.key: each for group in GROUPS for each in group.settings if each.key != THEME}


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for a setting."""

    key: str
    value: Any
    """As TOML and JSON have it; None where it has none."""
    source: Source
    """Whose it is: a course's own, the collection's, or of nobody."""


def keys_of(course: str) -> list[str]:
    """The settings that there are: of the collection, or of a course (not "")."""
    known = [*LIMITS, *EXAM] if course else list(READERS)
    order = [*_SHOWN, *READERS]
    return sorted(known, key=order.index)


def standing(config: Config, written: Mapping[str, Any], course: str) -> list[Standing]:
    """Every setting, with what a course has of its own where one is named."""
    own = _table(written, ("courses", course)) if course else {}
    chosen = config.of_course(course) if course else config
    found = []
    for key in keys_of(course):
        if key in EXAM:
            of_course = config.courses.get(course)
            value = getattr(of_course, key) if of_course else None
        else:
            value = getattr(chosen, key)
        source: Source = "course" if key in own else "collection" if key in written else "default"
        found.append(Standing(key, plain(value), source))
    return found if course else [*found, *_own_names(written)]


def _own_names(written: Mapping[str, Any]) -> Iterator[Standing]:
    """Saved searches, keys and macros."""
    for before, path in TABLES.items():
        for name, value in _flat(_table(written, path)):
            yield Standing(f"{before}.{name}", value, "collection")


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """TOML reads `study.reveal = "x"` as a table in a table."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", plain(value)


def _table(written: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for name in path:
        found = written.get(name, {})
        written = found if isinstance(found, Mapping) else {}
    return written


def place_of(key: str, written: Mapping[str, Any], course: str) -> tuple[str, tuple[str, ...]]:
    """The name and the table in config.toml of a key that `standing` tells."""
    if course:
        return key, ("courses", course)
    for before, path in TABLES.items():
        if key.startswith(f"{before}."):
            name = key.removeprefix(f"{before}.")
            if before == "keys" and name not in _table(written, path) and "." in name:
                *tables, name = name.split(".")
                return name, (*path, *tables)
            return name, path
    return key, ()


def plain(value: Any) -> Any:
    """A value of `deck.Config` as TOML and JSON have it."""
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return span_text(value)
    if isinstance(value, Mapping):
        return {WEEKDAYS[day] if isinstance(day, int) else day: each for day, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def toml_text(value: Any) -> str:
    """A plain value about as it is written; a text without its quotes."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_quoted(each) for each in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else toml_text(value)


def read_value(key: str, text: str) -> Value:
    """What config.toml gets for a text: as TOML has it, or as the settings screen takes it.

    Raises:
        RefusedError: it is none of the setting's values.
    """
    if key.startswith(tuple(f"{before}." for before in TABLES)):
        return text
    setting = _SHOWN.get(key)
    if setting is None:
        return _literal(key, text)
    try:
        return typed(setting, text)
    except RefusedError as refused:
        try:
            return _literal(key, text)
        except RefusedError:
            raise refused from None


def _literal(key: str, text: str) -> Value:
    try:
        value: Any = tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    try:
        (EXAM | READERS)[key](value)
    except UnusableError as error:
        raise RefusedError(f"{error}.") from error
    checked: Value = value
    return checked
