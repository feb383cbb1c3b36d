"""The names of colours: those of CSS (which xcolor's svgnames are) and of xcolor's dvipsnames."""

from __future__ import annotations

from functools import cache

_CSS = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue
darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange
darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise
darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen
fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred
indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrod lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
lightseagreen lightskyblue lightslateblue lightslategray lightslategrey lightsteelblue lightyellow
lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue
mintcream mistyrose moccasin navajowhite navy navyblue oldlace olive olivedrab orange orangered
orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
thistle tomato transparent turquoise violet violetred wheat white whitesmoke yellow yellowgreen
"""
_DVIPS = """
apricot bittersweet bluegreen brickred burntorange carnationpink cerulean dandelion emerald
junglegreen mahogany melon mulberry peach periwinkle pinegreen processblue rawsienna redorange
redviolet rhodamine royalpurple rubinered sepia tealblue wildstrawberry yelloworange
"""


@cache
def colour_names() -> frozenset[str]:
    """In small letters."""
    return frozenset((_CSS + _DVIPS).split())
