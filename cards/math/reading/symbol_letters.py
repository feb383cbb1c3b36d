"""Letters and ordinary signs: Greek, Hebrew, arithmetic constants, cards, currencies.

A table is words in pairs: a command (with its other names after `=`) and the character it draws.
"""

from cards.math.tree import Class

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
TYPED: dict[Class, str] = {
    "ord": '. . / / @ @ " " ` ‘ | |',
    "bin": "+ + - − * *",
    "rel": "= = < < > > : :",
    "open": "( ( [ [",
    "close": ") ) ] ] ! ! ? ?",
    "punct": ", , ; ;",
}

#: Greek capitals that TeX takes from the Latin alphabet.
LATIN_LIKE = {
    "Α": "Alpha", "Β": "Beta", "Ε": "Epsilon", "Ζ": "Zeta", "Η": "Eta", "Ι": "Iota",
    "Κ": "Kappa", "Μ": "Mu", "Ν": "Nu", "Ο": "Omicron", "Ρ": "Rho", "Τ": "Tau", "Χ": "Chi",
}  # fmt: skip
