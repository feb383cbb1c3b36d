"""Relations: order, equality, sets, proof.  The format is that of `symbol_letters`."""

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
