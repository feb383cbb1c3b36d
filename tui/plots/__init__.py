"""Figures about studying, as rows of styled text; no Textual in here.

ENTRIES                             every figure: its name, its title, what makes it (catalogue.py)
StatsInput                          what figures are made from (figure.py)
Figure, compose(figure, ...)        the sentence, the plot, its facts, for a given size (figure.py)
Bars, Plane, CellGrid, GlyphSet     what plots are drawn with (bars.py, draw.py)
"""
