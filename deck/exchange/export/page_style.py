"""How the page looks, on the screen and on paper: black on white, cards whole where they fit."""

STYLE = """\
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #000;
  font: 11pt/1.45 "STIX Two Text", "Libertinus Serif", Georgia, "Times New Roman", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
math { font-family: "STIX Two Math", "Latin Modern Math", "Libertinus Math", "Cambria Math",
  "TeX Gyre Termes Math", "DejaVu Math TeX Gyre", "Noto Sans Math", math; }
math[display="block"] { margin: 0.6em 0; overflow-x: auto; overflow-y: hidden; }
h1 { font-size: 1.5em; margin: 0; }
h2 { font-size: 1.2em; margin: 1.6em 0 0.4em; break-after: avoid; }
h3, h4, h5, h6 { font-size: 1em; margin: 0.8em 0 0.3em; break-after: avoid; }
.day, .facts { color: #555; font-size: 0.8em; margin: 0; break-after: avoid; }
article { border-top: 1px solid #999; padding: 0.6em 0 0.8em; break-inside: avoid-page; }
.solution { border-left: 2px solid #bbb; padding-left: 0.8em; margin-top: 0.6em; }
.solution > h3 { margin-top: 0; }
.options { list-style: none; padding-left: 0.5em; }
.options li { display: flex; gap: 0.5em; margin: 0.2em 0; }
.options p { margin: 0; }
.address { font-size: 0.8em; color: #555; overflow-wrap: anywhere; }
.missing { color: #555; font-style: italic; }
.footnotes { font-size: 0.85em; }
p { margin: 0.5em 0; }
pre { background: #f4f4f4; padding: 0.5em; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: 0.85em; }
table { border-collapse: collapse; margin: 0.5em 0; }
th, td { border: 1px solid #999; padding: 0.2em 0.5em; }
img { max-width: 100%; }
blockquote { margin: 0.5em 0 0.5em 1em; }
merror { border: 1px solid #a00; }
@page { margin: 18mm 16mm; }
@media print {
  main { max-width: none; padding: 0; }
  body { font-size: 10pt; }
  h2 { break-before: auto; }
  math[display="block"] { overflow: visible; }
}
"""
