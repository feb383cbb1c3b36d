"""What each environment is: its columns, its delimiters, and the name of what it means."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    columns: str
    """Of a row: "c" for as many as there are, "rl" repeated, "ll" as it is; "?" is an argument."""
    left: str = ""
    right: str = ""
    joined: bool = False
    small: bool = False
    plain: bool = False
    """True where one row with one cell is no more than its content."""


_ALIGNED = Kind("rl", joined=True, plain=True)
_GATHERED = Kind("c", plain=True)
_FENCES = {
    "": ("", ""), "p": ("(", ")"), "b": ("[", "]"), "B": ("{", "}"), "v": ("|", "|"),
    "V": ("‖", "‖"),
}  # fmt: skip

KINDS: dict[str, Kind] = {
    **{f"{name}matrix": Kind("c", *fences) for name, fences in _FENCES.items()},
    **{f"{name}smallmatrix": Kind("c", *fences, small=True) for name, fences in _FENCES.items()},
    **{f"{name}NiceMatrix": Kind("c", *fences) for name, fences in _FENCES.items()},
    **{f"{name}NiceArray": Kind("?", *fences) for name, fences in _FENCES.items()},
    **dict.fromkeys(["array", "darray", "subarray", "tabular", "IEEEeqnarray"], Kind("?")),
    **dict.fromkeys(["cases", "dcases", "numcases"], Kind("ll", "{")),
    **dict.fromkeys(["rcases", "drcases"], Kind("ll", "", "}")),
    **dict.fromkeys(
        ["aligned", "align", "split", "flalign", "eqalign", "eqalignno", "leqalignno"], _ALIGNED
    ),
    **dict.fromkeys(["alignat", "alignedat", "xalignat", "xxalignat"], _ALIGNED),
    "eqnarray": Kind("rcl", plain=True),
    **dict.fromkeys(["gathered", "gather", "multline", "multlined"], _GATHERED),
    **dict.fromkeys(["lgathered", "rgathered"], _GATHERED),
    **dict.fromkeys(["equation", "displaymath", "math", "subequations", "center"], _GATHERED),
    "CD": Kind("c"),
}
KINDS["subarray"] = Kind("?", small=True)
#: Named by what they mean, so that the same thing is the same node.
CANONICAL = {
    **dict.fromkeys(["align", "flalign", "eqalign", "eqalignno", "leqalignno"], "aligned"),
    **dict.fromkeys(["xalignat", "xxalignat"], "aligned"),
    **dict.fromkeys(["darray", "tabular", "IEEEeqnarray"], "array"),
    "alignedat": "alignat",
    "gather": "gathered",
    "subarray": "substack",
    "multlined": "multline",
}
COUNTED = frozenset({"alignat", "alignedat", "xalignat", "xxalignat"})


def fitting(columns: str, width: int, name: str) -> str:
    """A letter for each of `width` columns."""
    if columns in ("c", "l", "r", "rl"):
        return (columns * max(width, 1))[: max(width, 1)]
    if name == "eqnarray":
        return "rcl"[: max(width, 1)]
    letters = sum(letter in "lcr" for letter in columns)
    return columns + "l" * (width - letters)
