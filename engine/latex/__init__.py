"""Answers in LaTeX, as on paper, read into the same tree as those in plain notation.

`transcribe.transcription(tex)` brings the typesetter's tree (`cards.math.parse`) to one form
(`form.py`) and writes it in the notation of engine/formula, every character of it knowing its place
in the LaTeX, and that is what is read.  So one grammar decides what a formula means; what is here
only knows how LaTeX says it.
"""

from __future__ import annotations
