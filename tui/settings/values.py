"""A setting's value as it is shown and typed: `1m 10m`, `90 %`, `sat 0.5 sun 0`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any, Final

from deck.setting_edit import Value
from tui.settings.known import Setting

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
    from deck.setting_values import EXAM, READERS, UnusableError

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
