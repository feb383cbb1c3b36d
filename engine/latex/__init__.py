r"""Answers in LaTeX, as on paper, read into the same tree as those in plain notation.

`read(tex)` transcribes the typesetter's tree (`cards.math.parse`) into the notation of
engine/formula, every character of it knowing its place in the LaTeX, and has that read.  So one
grammar decides what a formula means; what is here only knows how LaTeX says it.
"""

from engine.latex.reader import looks_like_latex, read

__all__ = ["looks_like_latex", "read"]
