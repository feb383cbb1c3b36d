"""plots: figures about studying, as rows of styled text; no Textual in here.

ENTRIES                         every figure: its name, its title, and what makes it of a `Given`
Figure, compose(figure, ...)    the sentence, the plot, its facts, as rows of a given size
Bars, Plane, Canvas, Grid       what plots are drawn with: eighths of blocks, braille, cells
ink_of(environment, encoding)   blocks and braille, or ASCII
"""
