"""Arrows, all of them relations.  The format is that of `symbol_letters`."""

ARROWS = """
leftarrow=gets=larr ←  rightarrow=to=rarr →  leftrightarrow=harr=lrarr ↔
uparrow=uarr=textuparrow ↑  downarrow=darr=textdownarrow ↓  updownarrow=varr ↕
textleftarrow ←  textrightarrow →
Leftarrow=lArr=Larr ⇐  Rightarrow=rArr=Rarr ⇒  Leftrightarrow=hArr=Harr=lrArr=Lrarr ⇔
Uparrow=uArr=Uarr ⇑  Downarrow=dArr=Darr ⇓  Updownarrow=vArr ⇕
longleftarrow ⟵  longrightarrow ⟶  longleftrightarrow ⟷
Longleftarrow=impliedby ⟸  Longrightarrow=implies ⟹  Longleftrightarrow=iff ⟺
mapsto=map ↦  longmapsto ⟼  mapsfrom ↤  longmapsfrom ⟻  Mapsto ⤇  Mapsfrom ⤆
nearrow ↗  searrow ↘  swarrow ↙  nwarrow ↖  Nearrow ⇗  Searrow ⇘  Swarrow ⇙  Nwarrow ⇖
hookleftarrow ↩  hookrightarrow ↪  leftharpoonup ↼  leftharpoondown ↽  rightharpoonup ⇀
rightharpoondown ⇁  upharpoonleft ↿  upharpoonright=restriction ↾  downharpoonleft ⇃
downharpoonright ⇂  rightleftharpoons ⇌  leftrightharpoons ⇋
nleftarrow ↚  nrightarrow ↛  nleftrightarrow ↮  nLeftarrow ⇍  nRightarrow ⇏  nLeftrightarrow ⇎
leftleftarrows ⇇  rightrightarrows ⇉  upuparrows ⇈  downdownarrows ⇊  leftrightarrows ⇆
rightleftarrows ⇄  Lleftarrow ⇚  Rrightarrow ⇛  dashleftarrow ⇠  dashrightarrow=dasharrow ⇢
twoheadleftarrow ↞  twoheadrightarrow ↠  leftarrowtail ↢  rightarrowtail ↣
looparrowleft ↫  looparrowright ↬  curvearrowleft ↶  curvearrowright ↷  circlearrowleft ↺
circlearrowright ↻  Lsh ↰  Rsh ↱  leftrightsquigarrow ↭  rightsquigarrow=leadsto ⇝
leftsquigarrow ⇜  leftarrowtriangle ⇽  rightarrowtriangle ⇾  leftrightarrowtriangle ⇿
nuparrow ↑̸  ndownarrow ↓̸  lightning=downzigzagarrow ↯
"""

#: \\xrightarrow and its like: an arrow that stretches, with its labels.
STRETCHED = """
xleftarrow ←  xrightarrow →  xLeftarrow ⇐  xRightarrow ⇒  xleftrightarrow ↔  xLeftrightarrow ⇔
xhookleftarrow ↩  xhookrightarrow ↪  xmapsto ↦  xmapsfrom ↤  xrightharpoonup ⇀
xrightharpoondown ⇁  xleftharpoonup ↼  xleftharpoondown ↽  xrightleftharpoons ⇌
xleftrightharpoons ⇋  xlongequal =  xtwoheadrightarrow ↠  xtwoheadleftarrow ↞  xtofrom ⇄
xrightleftarrows ⇄  xrightequilibrium ⇌  xleftequilibrium ⇋  xleftrightarrows ⇆
xlongrightarrow →  xlongleftarrow ←  xLongrightarrow ⇒  xLongleftarrow ⇐
xLongleftrightarrow ⇔  xlongleftrightarrow ↔  xrightsquigarrow ⇝  xleadsto ⇝
"""
