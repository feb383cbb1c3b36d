r"""Symbols: each command or character to what it draws and its class.

A table is words in pairs: a command (with its other names after `=`) and the character it draws;
named functions are names alone, drawn as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from cards.math.latex.parser import Entry, Items, Parser, Reader
from cards.math.tree import Class, Operator, Row, Space, Styled, Symbol, Text, Unknown

# Letters and ordinary signs: Greek, Hebrew, arithmetic constants, cards, currencies

LETTERS = """
alpha α  beta β  gamma γ  delta δ  epsilon ϵ  varepsilon ε  zeta ζ  eta η  theta θ
vartheta=thetasym ϑ  iota ι  kappa κ  varkappa ϰ  lambda λ  mu μ  nu ν  xi ξ  omicron ο  pi π
varpi ϖ  rho ρ  varrho ϱ  sigma σ  varsigma ς  tau τ  upsilon υ  phi ϕ  varphi φ  chi χ  psi ψ
omega ω  digamma ϝ  Digamma Ϝ  stigma ϛ  Stigma Ϛ  koppa ϟ  coppa=varcoppa ϙ  sampi ϡ
upalpha α  upbeta β  upgamma γ  updelta δ  upepsilon ϵ  upvarepsilon ε  upzeta ζ  upeta η
uptheta θ  upvartheta ϑ  upiota ι  upkappa κ  uplambda λ  upmu μ  upnu ν  upxi ξ  upomicron ο
uppi π  upvarpi ϖ  uprho ρ  upvarrho ϱ  upsigma σ  upvarsigma ς  uptau τ  upupsilon υ  upphi ϕ
upvarphi φ  upchi χ  uppsi ψ  upomega ω
Gamma=varGamma=upGamma=Upgamma Γ  Delta=varDelta=upDelta=Updelta Δ
Theta=varTheta=upTheta=Uptheta Θ  Lambda=varLambda=upLambda=Uplambda Λ  Xi=varXi=upXi=Upxi Ξ
Pi=varPi=upPi=Uppi Π  Sigma=varSigma=upSigma=Upsigma Σ
Upsilon=varUpsilon=upUpsilon=Upupsilon Υ  Phi=varPhi=upPhi=Upphi Φ  Psi=varPsi=upPsi=Uppsi Ψ
Omega=varOmega=upOmega=Upomega Ω
Alpha A  Beta B  Epsilon E  Zeta Z  Eta H  Iota I  Kappa K  Mu M  Nu N  Omicron O  Rho P  Tau T
Chi X
aleph=alef=alefsym ℵ  beth ℶ  gimel ℷ  daleth ℸ
hbar=hslash ℏ  imath ı  jmath ȷ  ell ℓ  wp=weierp ℘  Re=real ℜ  Im=image ℑ  eth ð
Finv Ⅎ  Game ⅁  mho ℧  partial ∂  nabla ∇  infty=infin ∞
AA Å  aa å  AE Æ  ae æ  OE Œ  oe œ  O Ø  o ø  L Ł  l ł  ss ß  i ı  j ȷ  DH Ð  dh ð  TH Þ
"""

SIGNS = """
forall ∀  exists=exist ∃  nexists ∄  neg=lnot=textlnot ¬  top ⊤  bot ⊥
emptyset=empty ∅  varnothing ∅  complement ∁  surd=textsurd √  angle ∠  measuredangle ∡
sphericalangle ∢  rightangle ∟  prime ′  backprime ‵  dprime ″  trprime ‴
flat ♭  natural ♮  sharp ♯  clubsuit=clubs ♣  diamondsuit=diamonds ♢  heartsuit=hearts ♡
spadesuit=spades ♠  varclubsuit ♧  vardiamondsuit ♦  varheartsuit ♥  varspadesuit ♤
triangle △  triangledown ▽  blacktriangle ▲  blacktriangledown ▼
square=Box □  blacksquare=qedsymbol ■  lozenge=Diamond ◊  blacklozenge ⧫  bigstar ★
circledS Ⓢ  circledR=textregistered=registeredtrademark ®  copyright=textcopyright ©
texttrademark ™  diagup ╱  diagdown ╲  checkmark ✓  maltese ✠
degree=textdegree °  textcelsius ℃  ohm=textohm Ω  textmu=micro μ
pounds=mathsterling=textsterling £  yen=textyen ¥  euro=text €  textcent ¢
textcurrency ¤
S=sect=textsection §  P=textparagraph ¶  dag=textdagger †  ddag=textdaggerdbl ‡
# #  % %  & &  $=textdollar $  _=textunderscore _
vdots=varvdots=Vdots ⋮  backslash=textbackslash \\  Vert=|=textbardbl ‖  vert=textbar |
textasteriskcentered *  textasciitilde ~  textasciicircum ^  textbullet •  textperiodcentered ·
textordfeminine ª  textordmasculine º  textonesuperior ¹  texttwosuperior ²  textthreesuperior ³
textonehalf ½  textonequarter ¼  textthreequarters ¾  textperthousand ‰  textpertenthousand ‱
textnumero №  textvisiblespace ␣  textexclamdown ¡  textquestiondown ¿  textbrokenbar ¦
textinterrobang ‽  textreferencemark ※  textmusicalnote ♪  textmho ℧  textestimated ℮
textless <  textgreater >  textbraceleft {  textbraceright }  textquotesingle '
textquoteleft=lq ‘  textquoteright=rq ’  textquotedblleft “  textquotedblright ”
quotedblbase „  quotesinglbase ‚  guillemotleft=guillemetleft «  guillemotright=guillemetright »
guilsinglleft ‹  guilsinglright ›  textendash –  textemdash —  smiley ☺  frownie ☹  sun ☼
female ♀  male ♂
"""

#: Typed as they are; of the class that TeX gives them.
_TYPED: dict[Class, str] = {
    "ord": '. . / / @ @ " " ` ‘ | |',
    "bin": "+ + - − * *",
    "rel": "= = < < > > : :",
    "open": "( ( [ [",
    "close": ") ) ] ] ! ! ? ?",
    "punct": ", , ; ;",
}

#: Greek capitals that TeX takes from the Latin alphabet.
_LATIN_LIKE = {
    "Α": "Alpha", "Β": "Beta", "Ε": "Epsilon", "Ζ": "Zeta", "Η": "Eta", "Ι": "Iota",
    "Κ": "Kappa", "Μ": "Mu", "Ν": "Nu", "Ο": "Omicron", "Ρ": "Rho", "Τ": "Tau", "Χ": "Chi",
}  # fmt: skip


# Binary operators, large operators, named functions, dots and delimiters

_BINARY = """
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
_LARGE = """
sum ∑  prod ∏  coprod ∐  bigcap ⋂  bigcup ⋃  bigvee ⋁  bigwedge ⋀  bigoplus ⨁  bigotimes ⨂
bigodot ⨀  biguplus ⨄  bigsqcup ⨆  bigsqcap ⨅  bigtimes ⨉  intop ∫  ointop ∮
"""

#: Scripts stand beside them.
_INTEGRALS = """
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

_DOTS = """
ldots=Ldots=dotsc=dotso=mathellipsis=textellipsis=dotsx …  cdots=Cdots=dotsb=dotsm=dotsi ⋯
ddots=Ddots ⋱  iddots=adots=Iddots ⋰
"""

_PUNCTUATION = """
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


# Relations: order, equality, sets, proof

RELATIONS = """
leq=le ≤  geq=ge ≥  lt <  gt >  neq=ne ≠  ll ≪  gg ≫  lll=llless ⋘  ggg=gggtr ⋙
leqq ≦  geqq ≧  leqslant ⩽  geqslant ⩾  eqslantless ⪕  eqslantgtr ⪖
lesssim ≲  gtrsim ≳  lessapprox ⪅  gtrapprox ⪆  lessgtr ≶  gtrless ≷  lesseqgtr ⋚  gtreqless ⋛
lesseqqgtr ⪋  gtreqqless ⪌  nless ≮  ngtr ≯  nleq=nleqq=nleqslant ≰  ngeq=ngeqq=ngeqslant ≱
lneq ⪇  gneq ⪈  lneqq=lvertneqq ≨  gneqq=gvertneqq ≩  lnsim ⋦  gnsim ⋧  lnapprox ⪉  gnapprox ⪊
prec ≺  succ ≻  preceq ⪯  succeq ⪰  preccurlyeq ≼  succcurlyeq ≽  curlyeqprec ⋞  curlyeqsucc ⋟
precsim ≾  succsim ≿  precapprox ⪷  succapprox ⪸  nprec ⊀  nsucc ⊁  npreceq ⋠  nsucceq ⋡
precneqq ⪵  succneqq ⪶  precnsim ⋨  succnsim ⋩  precnapprox ⪹  succnapprox ⪺
equiv ≡  nequiv ≢  sim=thicksim ∼  nsim ≁  simeq ≃  nsimeq ≄  backsim ∽  backsimeq ⋍  eqsim ≂
approx=thickapprox ≈  napprox ≉  approxeq ≊  cong ≅  ncong ≇  asymp ≍  bumpeq ≏  Bumpeq ≎
doteq ≐  doteqdot=Doteq ≑  risingdotseq ≓  fallingdotseq ≒  eqcirc ≖  circeq ≗  triangleq ≜
stareq ≛  questeq ≟  wedgeq=hateq ≙  veeeq ≚  measeq ≞  arceq ≘  defeq=eqdef ≝  coloneqq ≔
colonequals ≔  coloneq=colonminus :−  eqqcolon=equalscolon ≕  eqcolon=minuscolon ∹
Coloneqq=coloncolonequals ⩴  Coloneq=coloncolonminus ∷−  Eqqcolon=equalscoloncolon =∷
Eqcolon=minuscoloncolon −∷  dblcolon=coloncolon ∷  vcentcolon=ratio=ordinarycolon :
colonsim :∼  colonapprox :≈  Colonsim=coloncolonsim ∷∼  Colonapprox=coloncolonapprox ∷≈
simcolon ∼:  approxcolon ≈:  simcoloncolon ∼∷  approxcoloncolon ≈∷
propto=varpropto ∝  mid ∣  shortmid ∣  nmid=nshortmid ∤  parallel ∥  shortparallel ∥
nparallel=nshortparallel ∦  perp ⊥  between ≬  pitchfork ⋔  bowtie=Join ⋈
in=isin ∈  notin ∉  ni=owns ∋  notni ∌  backepsilon ∍
subset=sub ⊂  supset ⊃  subseteq=sube ⊆  supseteq=supe ⊇  nsubset ⊄  nsupset ⊅
nsubseteq=nsubseteqq ⊈  nsupseteq=nsupseteqq ⊉  subsetneq=varsubsetneq ⊊
supsetneq=varsupsetneq ⊋  subseteqq ⫅  supseteqq ⫆  subsetneqq=varsubsetneqq ⫋
supsetneqq=varsupsetneqq ⫌  Subset ⋐  Supset ⋑
sqsubset ⊏  sqsupset ⊐  sqsubseteq ⊑  sqsupseteq ⊒  nsqsubseteq ⋢  nsqsupseteq ⋣
sqsubsetneq ⋤  sqsupsetneq ⋥
vdash ⊢  dashv ⊣  models ⊨  vDash ⊨  Vdash ⊩  Vvdash ⊪  VDash ⊫  nvdash ⊬  nvDash ⊭  nVdash ⊮
nVDash ⊯  Dashv ⫤  assert ⊦  prurel ⊰  origof ⊶  imageof ⊷  multimap ⊸
smile=smallsmile ⌣  frown=smallfrown ⌢  therefore ∴  because ∵
vartriangle △  vartriangleleft ⊲  vartriangleright ⊳  trianglelefteq ⊴  trianglerighteq ⊵
ntriangleleft ⋪  ntriangleright ⋫  ntrianglelefteq ⋬  ntrianglerighteq ⋭
blacktriangleleft ◀  blacktriangleright ▶
"""


# Arrows, all of them relations

_ARROWS = """
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


# The tables, read once

Limits = Literal["display", "always", "never"]


def pairs(table: str) -> Iterator[tuple[list[str], str]]:
    """The lines of a table: the names of a command, and its character."""
    words = iter(table.split())
    for names in words:
        yield names.split("=") if names != "=" else [names], next(words)


def symbols() -> dict[str, Entry]:
    """Every symbol and named function: commands with their backslash, and typed characters.

    Commands of one look and class are one symbol, named after the first of them, and so is the
    character typed as it is.
    """
    found: dict[str, Entry] = {}
    typed: dict[str, Entry] = {char: (char, "ord", char) for char in _LETTERS}
    for kind, table in _TYPED.items():
        for names, char in pairs(table):
            typed[names[0]] = (char, kind, names[0])
    for kind, table in _TABLES:
        for names, char in pairs(table):
            own = (char, kind, names[0] if len(names[0]) > 1 else char)  # \P is no letter P
            entry = typed.setdefault(char, own)
            if not isinstance(entry, tuple) or entry[1] != kind:
                entry = own
            for name in names:
                found["\\" + name] = entry
    typed["−"] = typed["-"]
    for char, same in zip("·µ〈〉∕⁄Ω⟂", "⋅μ⟨⟩//Ω⊥", strict=True):
        typed[char] = typed[same]
    typed["△"] = found["\\triangle"]
    for char in "{}&$#%_^~'\\":  # these have a meaning of their own
        typed.pop(char, None)
    for char in _LATIN_LIKE:
        typed[char] = typed.get(char) or found["\\" + _LATIN_LIKE[char]]
    typed["∆"] = ("∆", "ord", "Delta")
    typed["ϒ"] = ("ϒ", "ord", "Upsilon")
    found.update(_operators(typed))
    return typed | found


def _operators(typed: dict[str, Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    tables: tuple[tuple[str, Limits], ...] = ((_INTEGRALS, "never"), (_LARGE, "display"))
    for table, limits in tables:
        for names, char in pairs(table):
            for name in names:
                found["\\" + name] = operator(char, names[0], limits, large=True)
            typed.setdefault(char, found["\\" + names[0]])
    tables = ((FUNCTIONS, "never"), (LIMITS, "display"))
    for table, limits in tables:
        for word in table.split():
            name, _, text = word.partition(":")
            drawn = (text or name).replace("_", " ")
            found["\\" + name] = operator(drawn, name, limits, large=False)
    return found


def operator(text: str, name: str, limits: Limits, *, large: bool) -> Reader:
    def read(parser: Parser, items: Items, start: int) -> None:
        items.append(Operator(text, name, limits, large, parser.since(start)))

    return read


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TABLES: tuple[tuple[Class, str], ...] = (
    ("ord", LETTERS),
    ("rel", RELATIONS),
    ("rel", _ARROWS),
    ("bin", _BINARY),
    ("inner", _DOTS),
    ("punct", _PUNCTUATION),
    ("ord", SIGNS),
    ("open", OPEN),
    ("close", CLOSE),
)


# Characters and commands that no table holds: styled letters of Unicode, blanks, the unknown

_SPACES = {
    "\u00a0": 1 / 3, "\u2002": 0.5, "\u2003": 1.0, "\u2004": 1 / 3, "\u2005": 0.25,
    "\u2006": 1 / 6, "\u2007": 0.5, "\u2008": 1 / 6, "\u2009": 1 / 6, "\u200a": 0.1,
    "\u202f": 1 / 6, "\u205f": 2 / 9, "\u3000": 1.0,
}  # fmt: skip

#: The names of Unicode's mathematical alphabets, by the word that tells them apart.
_ALPHABETS = (
    ("DOUBLE-STRUCK", "bb"),
    ("SCRIPT", "cal"),
    ("FRAKTUR", "frak"),
    ("BLACK-LETTER", "frak"),
    ("SANS-SERIF", "sans"),
    ("MONOSPACE", "typewriter"),
    ("BOLD ITALIC", "bold-italic"),
    ("BOLD", "bold"),
    ("ITALIC", "italic"),
)
_CLASSES: dict[str, Class] = {"Sm": "rel", "Ps": "open", "Pe": "close", "Pi": "open", "Pf": "close"}


def other(parser: Parser, token: str, items: Items, start: int) -> None:
    """Reads a token that is in no table onto `items`."""
    first, span = token[0], parser.since(start)
    if token.startswith("\\verb") and not token[5:6].isalpha() and len(token) > 6:
        words = token.removeprefix("\\verb")  # the whole of \verb|...| is one token
        shown = " " if words[0] != "*" else "␣"
        words = words.removeprefix("*")[1:-1].replace(" ", shown)
        items.append(Text((words,), "typewriter", span))
    elif first in "\\#":
        unknown(parser, token, items, start)
    elif first in _SPACES:
        items.append(Space(_SPACES[first], span))
    elif first not in " \t\n\r\f\v%" and (char := drawable(parser, token, start)):
        font = _alphabet(char)
        entry = parser.entries.get(unicodedata.normalize("NFKC", char) if font else char)
        if isinstance(entry, tuple):
            symbol = Symbol(*entry, span)
            items.append(Styled(font, Row((symbol,), span), span) if font else symbol)
        else:
            kind = _CLASSES.get(unicodedata.category(char[0]), "ord")
            items.append(Symbol(char, kind, char, span))


def _alphabet(char: str) -> str:
    """The font of a letter of Unicode's mathematical alphabets; "" for any other character."""
    point = ord(char[0])
    if not (0x1D400 <= point <= 0x1D7FF or 0x2100 <= point <= 0x214F):
        return ""
    name = unicodedata.name(char[0], "")
    if "DOTLESS" in name or (point < 0x2150 and name.startswith("SCRIPT SMALL")):
        return ""
    return next((font for word, font in _ALPHABETS if word in name), "")


def drawable(parser: Parser, token: str, start: int) -> str:
    """`token` as a terminal can show it; what it cannot show is replaced or left out."""
    char = token
    if len(token) > 1:
        char = unicodedata.normalize("NFC", token)
        char = "".join(mark for mark in char if not "\ufe00" <= mark <= "\ufe0f")
    category = unicodedata.category(char[0]) if char else "Cf"
    if category[0] == "M":
        return "◌" + char
    if category == "Cf" or category in ("Zl", "Zp"):
        return ""
    if category == "Zs":
        return " "
    if category in ("Cc", "Cs"):
        parser.problem(
            f"The character U+{ord(char[0]):04X} cannot be shown.",
            "Take it away, or write it anew.",
            parser.since(start),
        )
        return "\ufffd" if category == "Cs" else ""
    return char


def unknown(parser: Parser, token: str, items: Items, start: int) -> None:
    """A command that no table has: its name stays in the tree, and a problem says so once."""
    span = parser.since(start)
    name = token.removeprefix("\\")
    if not name:
        parser.problem("A backslash stands alone.", "Write \\backslash for the sign itself.", span)
        return
    items.append(Unknown(name, span))
    if name in parser.unknown:
        return
    parser.unknown.add(name)
    message, hint = f"The command {token} is not known.", ""
    if token[0] == "#":
        message = f"{token} stands for an argument outside a macro."
        hint = "Write \\# for the sign."
    elif len(parser.unknown) <= 3 and (near := _near(token, (*parser.macros, *parser.entries))):
        hint = f"Did you mean {near}?"
    parser.problem(
        message, hint or "Check its spelling, or define it as a macro of the card.", span
    )


@lru_cache(256)
def _near(token: str, known: tuple[str, ...]) -> str:
    """A command that is written much like `token`, or ""."""
    alike = [name for name in known if name[:2].lower() == token[:2].lower()]
    return closest(token, [name for name in alike if abs(len(name) - len(token)) <= 2])


def closest(word: str, known: Sequence[str]) -> str:
    """The known word that is written most like this one, or ""."""
    from difflib import get_close_matches  # 2 ms, for whoever misspells one

    return next(iter(get_close_matches(word, known, 1, 0.7)), "")
