"""Small pure functions from values to words on the screen."""

from __future__ import annotations

from datetime import timedelta

# A card may come from a stranger: an escape sequence in it must be seen, never obeyed.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_PICTURES |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
# Marks of direction reorder what is read, separators end a line: shown as a replacement mark.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_PICTURES |= dict.fromkeys(_TURNING, 0xFFFD)


def visible(text: str) -> str:
    """`text` with every control character replaced by a visible sign of the same length."""
    return text.translate(_PICTURES)


def one_line(text: str) -> str:
    """`visible` text on a single line."""
    return " ".join(visible(text).split())


def shortened(text: str, longest: int) -> str:
    """`text` in at most `longest` characters, the last of them "…" where some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def interval(span: timedelta) -> str:
    """A waiting time, short: "<1 m", "10 m", "3 h", "5 d", "2.5 mo", "1.2 y"."""
    minutes = span.total_seconds() / 60
    if minutes < 1:
        return "<1 m"
    if round(minutes) < 60:
        return f"{minutes:.0f} m"
    if round(minutes / 60) < 24:
        return f"{minutes / 60:.0f} h"
    days = round(minutes / 1440)
    if days < 31:
        return f"{days} d"
    return f"{days / 30.44:.1f} mo" if days < 365 else f"{days / 365.25:.1f} y"


def stopwatch(seconds: float) -> str:
    """Elapsed time as "2:41"."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def counted(number: int, noun: str) -> str:
    """ "1 card", "2 cards"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def percent(share: float, digits: int = 0) -> str:
    """ "91 %"; never rounded to a certainty that is not there."""
    text = f"{100 * share:.{digits}f}"
    if share < 1 and float(text) >= 100:
        text = f"{100 - 10.0**-digits:.{digits}f}"
    if share > 0 and float(text) <= 0:
        return f"<{10.0**-digits:.{digits}f} %"
    return f"{text} %"


def points(value: float) -> str:
    """Exam points: "5 p", "2.5 p"."""
    return f"{value:g} p"


def dots(difficulty: int) -> str:
    """Difficulty 1..5 as "●●○○○"."""
    level = min(5, max(0, difficulty))
    return "●" * level + "○" * (5 - level)


def initials(name: str) -> str:
    """A long name for a narrow place: "SML", or the first word where it has no capitals."""
    words = name.split()
    capitals = [word[0] for word in words if word[0].isupper()]
    return "".join(capitals) if len(capitals) > 1 else (words or [""])[0]
