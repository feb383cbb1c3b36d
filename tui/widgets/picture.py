"""The lab's random input: the current window drawn on x, the maxima lit, δ and the messages."""

from __future__ import annotations

from textual.content import Content

from tui.lab_input import Picture
from tui.verdict_text import window_at
from tui.widgets import grids


def drawn(picture: Picture, at: int, width: int) -> Content:
    """`at` counts windows, round and round."""
    windows = list(picture.maxima)
    here = windows[at % len(windows)]
    window = window_at(*here, picture.kernel, picture.stride, picture.padding)
    lit = dict.fromkeys(picture.maxima.values(), grids.MAXIMUM)
    columns = [
        ("x", grids.rows(picture.x, lit, window)),
        ("δ", grids.rows(picture.delta, {here: grids.MAXIMUM})),
        ("dx, engine", grids.rows(picture.dx)),
    ]
    if picture.yours is not None:
        columns.append(("dx, yours", grids.rows(picture.yours, _off(picture))))
    elif picture.yours_of is not None:
        columns.append((f"df[{here[0]},{here[1]}]/dx, yours", grids.rows(picture.yours_of[here])))
    i, j = picture.maxima[here]
    caption = f" window ({here[0]},{here[1]}) of {len(windows)}: its maximum is x[{i},{j}]"
    return Content("\n").join([grids.beside(columns, width), Content.styled(caption, "dim")])


def _off(picture: Picture) -> dict[grids.Cell, str]:
    """Cells at which the learner's message differs from the engine's by more than rounding."""
    if picture.yours_valid:
        return {}
    yours = picture.yours or []
    return {
        (i, j): grids.OFF
        for i, (mine, right) in enumerate(zip(yours, picture.dx, strict=True))
        for j, (a, b) in enumerate(zip(mine, right, strict=True))
        if not abs(a - b) <= 1e-9 * (1 + abs(b))
    }
