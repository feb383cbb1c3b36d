"""Which ratings were given, by what the item was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.plots.bars import fill
from tui.plots.figure import Figure, legend
from tui.plots.given import Given
from tui.plots.grid import Grid
from tui.plots.ink import Ink
from tui.plots.rows import Row
from tui.plots.words import percent, plural

NOTE = (
    "The shares of Again, Hard, Good and Easy (keys 1 to 4) among the answers to items that were "
    "new, being learnt, learnt again after a lapse, young or mature. Hard is for what was recalled "
    "with effort: as a milder Again it makes intervals too long."
)
RATINGS = ("Again", "Hard", "Good", "Easy")
_ROLES = ("again", "hard", "good", "easy")
#: Narrower names, where the groups stand close.
_SHORT = {"relearning": "relearn", "learning": "learn"}
_WIDEST = 5


def buttons(given: Given) -> Figure:
    """Shares of the four ratings, a group for each kind of item that was answered."""
    counts = {str(kind): tuple(n) for kind, n in given.stats.ratings.items() if sum(n)}
    total = sum(sum(each) for each in counts.values())
    title = "Answer buttons"
    if not total:
        what = "how often you press each of the four buttons will stand here."
        return Figure(title, given.nothing(what), note=NOTE)
    sums = [sum(each[rating] for each in counts.values()) for rating in range(4)]
    most = max(range(4), key=lambda rating: sums[rating])
    said = f"Of {plural(total, 'answer')} {given.last_span}, {percent(sums[most] / total)} were "
    said += f"{RATINGS[most]} and {percent(sums[0] / total)} Again."
    table: list[tuple[str, ...]] = [("", *RATINGS, "answers")]
    for kind, each in counts.items():
        shares = (percent(n / sum(each)) if n else "–" for n in each)
        table.append((kind, *shares, f"{sum(each):,}"))
    return Figure(
        title,
        said,
        percent(sums[2] / total),
        lambda width, height, ink: _draw(counts, width, height, ink),
        most=18,
        table=tuple(table),
        note=NOTE,
    )


def _draw(counts: Mapping[str, Sequence[int]], width: int, height: int, ink: Ink) -> list[Row]:
    """Groups of four bars, each as high as its share of the group; the share stands on it."""
    rows = max(height - 4, 1)
    grid = Grid(width, height - 1)
    groups = list(counts.items())
    sums = [sum(each[rating] for each in counts.values()) for rating in range(4)]
    across = width // max(len(groups), 1)
    step = min(max((across - 2) // 4, 1), _WIDEST)
    for number, (kind, each) in enumerate(groups):
        x = number * min(across, 4 * step + 4)
        _group(grid, x, step, rows, kind, each, ink)
    items = [
        (str(n + 1), role, f"{name} {percent(sums[n] / max(sum(sums), 1))}")
        for n, (role, name) in enumerate(zip(_ROLES, RATINGS, strict=True))
    ]
    return [*grid.rows(), legend(items, width)][:height]


def _group(
    grid: Grid, left: int, step: int, rows: int, kind: str, counts: Sequence[int], ink: Ink
) -> None:
    total = sum(counts)
    wide = step - 1 if step > 1 else step
    for rating, count in enumerate(counts):
        x, role = left + rating * step, _ROLES[rating]
        full, rest = divmod(fill(count, total, (rows - 1) * ink.levels), ink.levels)
        for row in range(full):
            grid.put(x, rows - 1 - row, ink.rises[-1] * wide, role)
        if rest:
            grid.put(x, rows - 1 - full, ink.rises[rest] * wide, role)
        words = percent(count / total).removesuffix(" %") if count else ""
        high = full + bool(rest)
        if len(words) <= step:
            grid.put(x + max(wide - len(words), 0) // 2, rows - 1 - high, words, "value")
        grid.put(x + (wide - 1) // 2, rows + 1, str(rating + 1), role)
    grid.put(left, rows, ink.line * (4 * step - (step - wide)), "axis")
    name = _SHORT.get(kind, kind) if 4 * step < 10 else kind
    grid.put(left, rows + 2, name[: 4 * step + 1], "dim")
