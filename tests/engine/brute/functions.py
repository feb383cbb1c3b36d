"""Functions as learners write them, in loops and in whole arrays, each with a formula like it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.verdict import Outcome

_WINDOWS: Final = """def backward(x, delta):
    H, W = x.shape
    Ho, Wo = delta.shape
    dx = np.zeros_like(x)
    for h in range(Ho):
        for w in range(Wo):
            best, at = -np.inf, (0, 0)
            for a in range(kh):
                for b in range(kw):
                    i = h * sh - ph + a
                    j = w * sw - pw + b
                    if 0 <= i < H and 0 <= j < W and x[i, j] > best:
                        best, at = x[i, j], (i, j)
            dx[at] += delta[h, w]
    return dx
"""
_PADDED: Final = """def backward(x, delta):
    padded = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)
    d = np.zeros_like(padded)
    for k in range(delta.shape[0]):
        for l in range(delta.shape[1]):
            largest = padded[k*sh:k*sh+kh, l*sw:l*sw+kw].max()
            for a in range(kh):
                for b in range(kw):
                    if padded[k*sh+a, l*sw+b] == largest:
                        d[k*sh+a, l*sw+b] += delta[k, l]
    return d[ph:ph+x.shape[0], pw:pw+x.shape[1]]
"""
_INPUTS: Final = """def backward(x, delta):
    dx = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(delta.shape[0]):
                for l in range(delta.shape[1]):
                    top, left = k*sh - ph, l*sw - pw
                    if top <= i < top + kh and left <= j < left + kw:
                        window = x[max(top, 0):top+kh, max(left, 0):left+kw]
                        if x[i, j] == window.max():
                            dx[i, j] += delta[k, l]
    return dx
"""
_VIEWS: Final = """def backward(x, delta):
    padded = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)
    v = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw))[::sh, ::sw]
    Ho, Wo = delta.shape
    at = v.reshape(*v.shape[:2], -1).argmax(-1)[:Ho, :Wo]
    d = np.zeros_like(padded)
    rows = np.arange(Ho)[:, None] * sh + at // kw
    columns = np.arange(Wo)[None, :] * sw + at % kw
    np.add.at(d, (rows, columns), delta)
    return d[ph:ph+x.shape[0], pw:pw+x.shape[1]]
"""
_FIRST: Final = "sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
_EVERY: Final = "sum(delta[k,l] * [x[i,j] == f[k,l]] for k,l if (i,j) in Omega(k,l))"


@dataclass(frozen=True, slots=True)
class Written:
    name: str
    source: str
    verdict: Outcome
    formula: str = ""
    """One that gives the same numbers, where there is one."""


def _but(source: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


WRITTEN: Final = (
    Written("windows", _WINDOWS, "correct", _FIRST),
    Written("windows, the last maximum", _but(_WINDOWS, ("> best", ">= best")), "correct"),
    Written("windows, assigned", _but(_WINDOWS, ("+=", "=")), "wrong"),
    Written(
        "windows, no padding",
        _but(_WINDOWS, (" - ph", ""), (" - pw", "")),
        "wrong",
    ),
    Written(
        "windows, times x",
        _but(_WINDOWS, ("+= delta[h, w]", "+= delta[h, w] * best")),
        "wrong",
        f"x[i,j] * {_FIRST}",
    ),
    Written("windows, sign", _but(_WINDOWS, ("+=", "-=")), "wrong", f"-{_FIRST}"),
    Written("windows, from 0", _but(_WINDOWS, ("-np.inf", "0.0")), "wrong"),
    Written(
        "windows, minimum",
        _but(_WINDOWS, ("-np.inf", "np.inf"), ("> best", "< best")),
        "wrong",
    ),
    Written(
        "windows, no message",
        _but(_WINDOWS, ("+= delta[h, w]", "+= 1")),
        "wrong",
        _FIRST.replace("delta[k,l] * ", ""),
    ),
    Written(
        "windows, shared out",
        _but(
            _WINDOWS,
            (" and x[i, j] > best", ""),
            ("best, at = x[i, j], (i, j)", "dx[i, j] += delta[h, w] / (kh * kw)"),
            ("            dx[at] += delta[h, w]\n", ""),
        ),
        "wrong",
        "sum(delta[k,l] / (kh*kw) for k,l if (i,j) in Omega(k,l))",
    ),
    Written("padded", _PADDED, "correct-except-ties", _EVERY),
    Written("padded with 0", _but(_PADDED, ("-np.inf", "0")), "wrong"),
    Written("inputs", _INPUTS, "correct-except-ties", _EVERY),
    Written("inputs, assigned", _but(_INPUTS, ("+=", "=")), "wrong"),
    Written(
        "inputs, global maximum",
        _but(_INPUTS, ("window.max()", "x.max()")),
        "wrong",
        _EVERY.replace("f[k,l]", "max(x)"),
    ),
    Written("views", _VIEWS, "correct", _FIRST),
    Written("views, sign", _but(_VIEWS, ("columns), delta", "columns), -delta")), "wrong"),
)
