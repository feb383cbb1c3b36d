"""Binary operators, large operators, named functions, dots and delimiters.

The format is that of `symbol_letters`; the functions are names alone, drawn as they are.
"""

BINARY = """
pm=plusmn=textpm ±  mp ∓  times=texttimes ×  div=textdiv ÷  cdot=sdot ⋅  centerdot ⋅  ast ∗
star ⋆  circ ∘  bullet=bull ∙  bigcirc ◯  cap ∩  cup ∪  uplus ⊎  sqcap ⊓  sqcup ⊔  Cap=doublecap ⋒
Cup=doublecup ⋓  wedge=land ∧  vee=lor ∨  barwedge ⊼  veebar ⊻  doublebarwedge ⩞  curlywedge ⋏
curlyvee ⋎  setminus ∖  smallsetminus ∖  wr ≀  amalg ⨿  oplus ⊕  ominus ⊖  otimes ⊗
oslash ⊘  odot ⊙  circledcirc ⊚  circledast ⊛  circleddash ⊝  boxplus ⊞  boxminus ⊟  boxtimes ⊠
boxdot ⊡  boxslash ⧄  boxbslash ⧅  boxast ⧆  boxcircle ⧇  minuso ⦵  dotplus ∔  ltimes ⋉  rtimes ⋊
leftthreetimes ⋋  rightthreetimes ⋌  divideontimes ⋇  intercal ⊺  dagger †  ddagger=Dagger ‡
diamond ⋄  bigtriangleup △  bigtriangledown ▽  triangleleft ◃  triangleright ▹  lhd ⊲  rhd ⊳
unlhd ⊴  unrhd ⊵  lessdot ⋖  gtrdot ⋗  And &  dotminus ∸  oast ⊛  ocirc ⊚  obar ⌽
obslash ⦸  ogreaterthan ⧁  olessthan ⧀  owedge ⧖  merge ⨝  fatsemi ⨟
fatslash ⫽  sslash ⫽  interleave ⫴  llcurly ⪻  varotimes ⊗  varoplus ⊕  varominus ⊖  varodot ⊙
textminus −  textfractionsolidus ⁄  nand ⊼  nor ⊽
"""

#: Scripts stand over and under them in display style.
LARGE = """
sum ∑  prod ∏  coprod ∐  bigcap ⋂  bigcup ⋃  bigvee ⋁  bigwedge ⋀  bigoplus ⨁  bigotimes ⨂
bigodot ⨀  biguplus ⨄  bigsqcup ⨆  bigsqcap ⨅  bigtimes ⨉  intop ∫  ointop ∮
"""

#: Scripts stand beside them.
INTEGRALS = """
int=smallint ∫  iint ∬  iiint ∭  iiiint ⨌  oint ∮  oiint ∯  oiiint ∰  ointctrclockwise ∳
varointclockwise ∲  intclockwise ∱  fint ⨏  sqint ⨖  intlarhk ⨗  intx ⨘
"""

FUNCTIONS = """
arccos arcsin arctan arctg arcctg arg ch cos cosec cosh cot cotg coth csc ctg cth deg dim exp hom
ker lg ln log sec sin sinh sh tan tanh tg th
"""

#: Named functions over whose subscript stands below them; `:` parts a name from what it draws.
LIMITS = """
det gcd inf lim max min Pr sup argmin:arg_min argmax:arg_max limsup:lim_sup liminf:lim_inf
injlim:inj_lim projlim:proj_lim plim
"""

DOTS = """
ldots=Ldots=dotsc=dotso=mathellipsis=textellipsis=dotsx …  cdots=Cdots=dotsb=dotsm=dotsi ⋯
ddots=Ddots ⋱  iddots=adots=Iddots ⋰
"""

PUNCTUATION = """
colon :  ldotp .  cdotp ·
"""

OPEN = """
lparen (  lbrack [  {=lbrace {  langle=lang=textlangle ⟨  lvert |  lVert ‖  lceil ⌈  lfloor ⌊
lgroup ⟮  lmoustache ⎰  ulcorner ⌜  llcorner ⌞  llbracket=lBrack=textlbrackdbl ⟦  lBrace ⦃
llangle=lAngle ⟪  llparenthesis=lParen ⦅  Lbag ⟅
"""

CLOSE = """
rparen )  rbrack ]  }=rbrace }  rangle=rang=textrangle ⟩  rvert |  rVert ‖  rceil ⌉  rfloor ⌋
rgroup ⟯  rmoustache ⎱  urcorner ⌝  lrcorner ⌟  rrbracket=rBrack=textrbrackdbl ⟧  rBrace ⦄
rrangle=rAngle ⟫  rrparenthesis=rParen ⦆  Rbag ⟆
"""

#: What else may follow \\left, \\right, \\middle and \\big.  "<" and ">" are angles there.
FENCES = """
( (  ) )  [ [  ] ]  | |  / /  < ⟨  > ⟩  \\vert |  \\| ‖  \\Vert ‖  \\backslash \\  \\lt ⟨  \\gt ⟩
\\arrowvert |  \\bracevert |  \\Arrowvert ‖
\\uparrow ↑  \\downarrow ↓  \\updownarrow ↕  \\Uparrow ⇑  \\Downarrow ⇓  \\Updownarrow ⇕
\\uarr ↑  \\darr ↓  \\uArr ⇑  \\dArr ⇓  \\Uarr ⇑  \\Darr ⇓  \\mid |  \\parallel ‖
⟨ ⟨  ⟩ ⟩  〈 ⟨  〉 ⟩  ‖ ‖  ∥ ‖  ∣ |  ⌈ ⌈  ⌉ ⌉  ⌊ ⌊  ⌋ ⌋  ⟦ ⟦  ⟧ ⟧  ⟮ ⟮  ⟯ ⟯  ⟪ ⟪  ⟫ ⟫  ⎰ ⎰  ⎱ ⎱
↑ ↑  ↓ ↓  ↕ ↕  ⇑ ⇑  ⇓ ⇓  ⇕ ⇕
"""
