"""The tree of a formula to a box of cells.

rows.py           who draws what, and how a row of atoms is set; every other file is about one kind
lines.py          the whole formula: lines, tags, the width
setting.py        TeX's styles, for cells         spacing.py    the gaps between atoms
boxes.py          boxes beside and above one another
"""
