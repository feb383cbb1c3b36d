"""Box-drawing characters by what meets in them."""

from __future__ import annotations

#: No line, a light one, a heavy one.
NONE, LIGHT, HEAVY = 0, 1, 2

# By up, right, down and left, each of three weights, read as a number to the base 3.
_JUNCTIONS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"


def junction(up: int, right: int, down: int, left: int) -> str:
    """The character in which lines of these weights meet."""
    return _JUNCTIONS[((up * 3 + right) * 3 + down) * 3 + left]
