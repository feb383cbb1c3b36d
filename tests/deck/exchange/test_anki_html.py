"""HTML of Anki's fields as Markdown."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deck.collection import Collection
from deck.exchange.anki.html import to_markdown
from deck.exchange.apply import take
from deck.exchange.plan import Summary, plan
from deck.exchange.readers import reader_of
from deck.fsrs import Rating
from tests.deck.exchange.exporting import PNG, exported, make
from tests.deck.exchange.foreign import tree
from tests.deck.exchange.packages import (
    CLOZE,
    NOW,
    OPTIONAL,
    REVERSED,
    TYPES,
    Given,
    Made,
    altered,
    package,
)

_LINES = [
    ("a b", "a b"),
    ("<b>Bold </b>text <i>it</i>", "**Bold** text *it*"),
    ("x<br>y<br><br>z", "x\\\ny\n\nz"),
    ("<div>a</div><div>b</div><p>c</p><p>d</p>", "a\\\nb\n\nc\n\nd"),
    ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
    ("a&nbsp;&amp; b &lt; c", "a & b < c"),
    ("<ul><li>one<ul><li>sub</li></ul></li><li>two</li></ul>", "- one\n  - sub\n- two"),
    ("<ol start=3><li>a<li>b<br>c</ol>", "3. a\n4. b\\\n   c"),
    ("<blockquote>q<br>r</blockquote>", "> q\\\n> r"),
    ("<table><tr><th>a|b<th>c<tr><td>1<td>2</table>", "| a\\|b | c |\n| --- | --- |\n| 1 | 2 |"),
    ("<pre>a\n  b&lt;</pre>", "```\na\n  b<\n```"),
    ("<code>x*y`</code>", "`` x*y` ``"),
    ("H<sub>2</sub>O, e<sup>x+y</sup>", "H₂O, e^(x+y)"),
    ("<s>no</s> <span style='font-weight: 700'>so</span>", "~~no~~ **so**"),
    ("<h1>Title</h1>text", "### Title\n\ntext"),
    ("<a href='https://a.b/c?d=e'>w</a> <a href='javascript:x'>l</a>", "[w](https://a.b/c?d=e) l"),
    ("<a href='https://a.b/c d'>w</a>", "[w](https://a.b/c%20d)"),
    (
        "x<h2>Solution</h2>y<h3><b>Options:</b></h3>A) z",
        "x\n\n**Solution**\n\ny\n\n**Options:**\n\nA) z",
    ),
    ("<b>end.</b>next <i>so?!</i>x <b>.</b>y", "**end**.next *so*?!x .y"),
    ("{{c1::<b>x</b>::hint}} is", "{{c1::**x**::hint}} is"),
    ("<b><div>a</div><div>b</div></b>", "**a**\\\n**b**"),
]
_WORDS = [
    ("2*3*4 and _x_ and a_b", r"2\*3\*4 and \_x\_ and a_b"),
    ("# no heading", r"\# no heading"),
    ("- no list", r"\- no list"),
    ("1. no list", r"1\. no list"),
    ("---", r"\---"),
    ("$5 and $6", r"\$5 and \$6"),
    ("[x](y) and [[z]] and f[i]", r"\[x](y) and \[\[z]] and f[i]"),
    ("&lt;b&gt; `c`", r"&lt;b> \`c\`"),
    (r"C:\temp \* \alpha", r"C:\temp \\\* \alpha"),
]
_FORMULAS = [
    (r"\(x &lt; 1\)", "$x < 1$"),
    (r"\[ \frac{a}{b} \]", r"$$\frac{a}{b}$$"),
    (r"a 5\(x\)6 b", "a 5 $x$ 6 b"),
    ("[$]x^2[/$] [$$]y[/$$]", "$x^2$\n\n$$y$$"),
    (r"[latex]\begin{align}a&amp;=b\end{align}[/latex]", r"$$\begin{align}a&=b\end{align}$$"),
    (r"[latex]$\alpha$[/latex]", r"$\alpha$"),
    (r"[latex]The $x_1$ &amp; $y$[/latex]", "The $x_1$ & $y$"),
    ('<anki-mathjax block="true">x</anki-mathjax>', "$$x$$"),
    (r"\(a<br>b_1\)", "$a b_1$"),
    (r"{{c2::\(\frac{a}{b} \)}} \({{c1::x*y*z}}\)", r"{{c2::$\frac{a}{b}$}} ${{c1::x*y*z}}$"),
    ("$x^2$ costs $3", r"$x^2$ costs \$3"),
]
_DISPLAYED = [
    (r"<div>\[a\]</div><div>\[b\]</div>", "$$a$$\n\n$$b$$"),
    (r"x<br>\[z=1\]<br>y", "x\n\n$$z=1$$\n\ny"),
    (r"\[a\] and \[b\].", "$$a$$\n\nand\n\n$$b$$."),
    (r"<b>so \[a\] is</b>", "**so**\n\n$$a$$\n\n**is**"),
    (r"<ul><li>x \[a\]<li>\[b\]</ul>", "- x\n\n  $$a$$\n- $$b$$"),
    (r"<table><td>x \[a\]<td>y</table>", "| x $$a$$ | y |\n| --- | --- |"),
    (r"<div>{{c1::\[a\]::what}}</div><div>b</div>", "{{c1::$$a$$::what}}\n\nb"),
    (r"{{c1::x \[a\] y}} \[b\]", "{{c1::x $$a$$ y}}\n\n$$b$$"),
    (r"<a href='https://x.y'>w \[a\]</a>", "[w $$a$$](https://x.y)"),
    (
        "<a href='https://x.y'>[1]</a><a href='https://x.z'>see [2] and [b]</a>",
        r"[\[1\]](https://x.y)[see \[2\] and \[b\]](https://x.z)",
    ),
    ("<a href='https://x.y'><img src=a.png> [1]</a>", r"[![](a.png) \[1\]](https://x.y)"),
]
_DOLLARS = [
    (r"\(\text{cost \$5 or $6}\)", r"$\text{cost \$5 or \$6}$"),
    (r"\(\text{costs \$5}\)", r"$\text{costs \$5}$"),
    (r"\(\text{\$}\)", r"$\text{\$}$"),
    (r"\(\text{if $x$, \$5, $y$}\)", r"$\text{if \(x\), \$5, \(y\)}$"),
    (r"\(a \\$ b\)", r"$a \\\$ b$"),
    (r"\(5\$\)", r"$5\$$"),
]


@pytest.mark.parametrize(
    ("html", "markdown"), [*_LINES, *_WORDS, *_FORMULAS, *_DISPLAYED, *_DOLLARS]
)
def test_a_field_becomes_the_markdown_that_shows_the_same(html: str, markdown: str) -> None:
    assert to_markdown(html).text == markdown


def test_pictures_and_sounds_are_links_by_their_names() -> None:
    made = to_markdown('<img src="a%20b.png" alt="x]y" onerror="z">[sound:c d.mp3]')
    assert made.text == "![xy](a%20b.png) [c d.mp3](c%20d.mp3)"
    assert list(made.media) == ["a b.png", "c d.mp3"]


def test_what_is_written_into_the_text_is_left_out_and_said() -> None:
    made = to_markdown('a<img src="data:image/png;base64,xyz">')
    assert (made.text, list(made.media), len(made.lost)) == ("a", [], 1)


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>x",
        "<style>p {}</style>x<SCRIPT src=//e.vil></SCRIPT >",
        "<scr<script>ipt>alert(1)</script>",
        "<img src=x onerror=alert(1)><svg/onload=alert(1)>",
        "<iframe srcdoc='<script>'></iframe><object data=x></object>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        r"\(<script>alert(1)</script>\) \(a<script\)",
        "<a href='java\nscript:alert(1)'>x</a>",
    ],
)
def test_no_script_survives(html: str) -> None:
    text = to_markdown(html).text
    assert not re.search(r"<(script|img|svg|iframe|object|style)|javascript:", text, re.I)
    assert "onerror" not in text


#: One that takes HTML, as other programs do.
_READER = MarkdownIt("commonmark", {"html": True}).enable("table")
_PIECES = st.sampled_from(
    [
        *("<b>", "</b>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "</tr>"),
        *("<br>", "<script>", "</script>", "<pre>", "</pre>", "<a href='https://x'>", "</a>"),
        *("<sub>", "<!--", "-->", "\\(", "\\)", "$", "[latex]", "[/latex]", "[sound:a]", "&lt;"),
        *("&#0;", "<img src=q>", "\ue000", "\ue0101\ue001", "{{c1::", "}}", "<", ">", "'", '"'),
        *("\n", " ", "word", "*", "`"),
    ]
)


@given(st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join))
@example("<ul><li><table><td><li></table></ul>")
@example("<b><i></b></i>")
def test_any_text_is_converted_and_none_of_it_is_html(html: str) -> None:
    text = to_markdown(html).text
    tokens = [inner for token in _READER.parse(text) for inner in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type.startswith("html")]
    assert not re.search("[\ue000-\ue0ff]", text)


def test_deep_nesting_costs_no_stack() -> None:
    assert to_markdown("<ul><li>" * 5000 + "x").text.endswith("x")
    assert to_markdown("<blockquote>" * 5000 + "x").text.endswith("x")


@pytest.mark.parametrize(
    "part",
    [
        *("\\(", "\\[", "[$]", "[$$]", "[latex]", "<anki-mathjax", "<anki-mathjax>", "$x ", "$$x"),
        *("<b>x</i>", "<b>x</b> ", "<i><b>x</i>", "<sub>x</sup>", "<span><b></span>", "<a href=x>"),
        *("[", "[x", "_", "*", "a_", "<svg>", "<style>", "<!--", "<!", "<a ", "<", "&", "{{c1::"),
        *("<img src=%d>", "\\(\\text{$", "[latex]$[/latex]", "\\[x\\]", "[sound:", "<ul><li>"),
        *("<h1>x", "<table><td>", "`", "<code>", "<a '", '<a "', "[$]<!--", "<svg></sv", "\\", "~"),
        *("<math>", "<math><annotation x-tex>", "<math><mfrac>", "<p hidden>", "<b hidden></b>"),
        *("<b hidden", "<b style='display : ", "</annotation><annotation encoding=x-tex></math>"),
    ],
)
def test_much_of_anything_is_read_once(part: str) -> None:
    """At the square of its length most of these would take minutes, and a field of 4 MB hours."""
    times = 200_000 // len(part)
    many = "".join(map(part.__mod__, range(times))) if "%" in part else part * times
    to_markdown(f"a{many}b")
    to_markdown(f"{many}-->\\)>b</anki-mathjax>[/$]\\][/latex]]</b>")


_HEAD = "#separator:tab\n#html:{html}\n#guid column:1\n#notetype column:2\n#deck column:3\n"
NOTES = (
    Made("basic", ("why <b>so</b>", "a<br>b &amp; \\(x_1\\)"), tags="t", answers={0: [Given(3)]}),
    Made("turned", ("there", "back"), REVERSED, cards={0: {"flags": 1}, 1: {}}),
    Made("optional", ("house", "Haus", "y"), OPTIONAL, cards={0: {}, 1: {}}),
    Made("gaps", ("The {{c1::one}} and {{c2::two::2}}", "More"), CLOZE, cards={0: {}, 1: {}}),
    Made("shown", ('<img src="p.png">', "picture"), cards={0: {"queue": -1}}),
)


def text(
    path: Path, notes: tuple[Made, ...], html: bool = True, names: Mapping[int, str] | None = None
) -> Path:
    """What Anki's "Notes in Plain Text" writes of these notes."""
    width = max(len(note.fields) for note in notes)
    lines = [_HEAD.format(html=str(html).lower()) + f"#tags column:{width + 4}\n"]
    for note in notes:
        kind = (names or {}).get(note.type, TYPES[note.type][0])
        cells = [*note.fields, *[""] * (width - len(note.fields))]
        row = [note.guid, kind, note.deck, *cells, note.tags]
        lines.append("\t".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n")
    path.write_text("".join(lines), "utf-8")
    return path


def take_in(root: Path, path: Path) -> Summary:
    return take(plan(reader_of(path).load().read(path), Collection.open(root, NOW, "desk"), NOW))


def changed(guid: str, *fields: str) -> tuple[Made, ...]:
    return tuple(
        Made(n.guid, fields, n.type, n.deck, n.tags, n.answers, n.cards) if n.guid == guid else n
        for n in NOTES
    )


@pytest.mark.parametrize("names", [{}, {n: f"Grundlagen {n}" for n in TYPES}])
def test_a_text_export_after_the_package_changes_nothing_that_is_the_same(
    root: Path, tmp_path: Path, names: dict[int, str]
) -> None:
    take_in(root, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    before = tree(root)
    done = take_in(root, text(tmp_path / "a.txt", NOTES, names=names))
    assert (done.new, done.changed, done.unchanged, done.lost) == (0, 0, len(NOTES), [])
    assert tree(root) == before


@pytest.mark.parametrize("names", [{}, {n: f"Grundlagen {n}" for n in TYPES}])
@pytest.mark.parametrize(
    ("guid", "fields", "says"),
    [
        ("basic", ("why <b>now</b>", "a<br>b &amp; \\(x_1\\)"), "why **now**"),
        ("basic", ("why <b>so</b>", "<i>other</i>"), "*other*"),
        ("basic", ("all", "new"), "new"),
        ("turned", ("there", "forth"), "forth"),
        ("gaps", ("The {{c1::one}} and {{c2::six::2}}", "More"), "{{c2::six::2}}"),
        ("shown", ('<img src="p.png">', "drawing"), "drawing"),
    ],
)
def test_what_changed_in_a_text_export_updates_the_card(
    root: Path, tmp_path: Path, guid: str, fields: tuple[str, ...], says: str, names: dict[int, str]
) -> None:
    take_in(root, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    old = Collection.open(root, NOW)
    cards, states = len(old.cards), {item: old.state(item) for item in old.search("", NOW)}
    kept = {card.id: (card.type, card.tags, card.course) for card in old.cards.values()}
    done = take_in(root, text(tmp_path / "a.txt", changed(guid, *fields), names=names))
    assert (done.new, done.changed, done.kept, done.lost) == (0, 1, 0, [])
    deck = Collection.open(root, NOW)
    assert len(deck.cards) == cards
    assert any(says in card.question + card.solution for card in deck.cards.values())
    assert {card.id: (card.type, card.tags, card.course) for card in deck.cards.values()} == kept
    assert {item: deck.state(item) for item in deck.search("", NOW)} == states
    assert [deck.is_suspended(item) for item in states] == [old.is_suspended(i) for i in states]
    again = take_in(root, package(tmp_path / "b.apkg", changed(guid, *fields), {"p.png": PNG}))
    assert (again.new, again.changed, again.kept) == (0, 0, 0), "the package says the same"


def test_a_package_after_the_text_export_updates_and_brings_the_answers(
    root: Path, tmp_path: Path
) -> None:
    assert take_in(root, text(tmp_path / "a.txt", NOTES)).new == len(NOTES)
    done = take_in(root, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    assert (done.new, done.kept, done.reviews) == (0, 0, 1)
    assert len(Collection.open(root, NOW).cards) == len(NOTES)
    other = tmp_path / "other"
    Collection.init(other)
    take_in(other, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    texts = {p.name: p.read_text("utf-8") for p in root.rglob("*.md")}
    assert texts == {p.name: p.read_text("utf-8") for p in other.rglob("*.md")}


def test_what_a_text_export_cannot_tell_is_named_and_the_card_stays(
    root: Path, tmp_path: Path
) -> None:
    take_in(root, package(tmp_path / "a.apkg", NOTES, {"p.png": PNG}))
    before = {p: p.read_bytes() for p in root.rglob("*.md")}
    plain = text(tmp_path / "a.txt", NOTES[:2], html=False)
    plain.write_text(plain.read_text().replace("back", "forth").replace("<br>", " "), "utf-8")
    done = take_in(root, plain)
    assert (done.new, done.changed, len(done.lost)) == (0, 0, 2)
    assert "as a package" in done.lost[0].what
    assert {p: p.read_bytes() for p in root.rglob("*.md")} == before


def test_a_card_that_shows_its_note_s_fields_in_another_way_is_counted_and_stays(
    root: Path, tmp_path: Path
) -> None:
    notes = [Made(f"n{n}", (f"why {n}", "so")) for n in range(3)]
    path = package(tmp_path / "a.apkg", notes)
    altered(path, "UPDATE col SET models = replace(models, '{{Back}}', '{{Back}} {{Front}}')")
    take_in(root, path)
    before = {p: p.read_bytes() for p in root.rglob("*.md")}
    notes[1] = Made("n1", ("why 1 other", "so"))
    done = take_in(root, text(tmp_path / "a.txt", tuple(notes)))
    assert (done.new, done.changed, done.unchanged) == (0, 0, 3)
    assert [lost.where for lost in done.lost] == ["why_1", "a.txt"]
    assert "Of 2 notes" in done.lost[1].what
    assert {p: p.read_bytes() for p in root.rglob("*.md")} == before


@pytest.mark.parametrize("hidden", ['<p style="display:none">{}</p>', "<details>{}</details>"])
def test_a_text_export_brings_what_is_hidden_in_a_field(
    root: Path, tmp_path: Path, hidden: str
) -> None:
    fields = "why " + hidden.format("unseen"), hidden.format("<b>secret</b>") + "so"
    take_in(root, text(tmp_path / "a.txt", (Made("a", fields),)))
    deck = Collection.open(root, NOW)
    (card,) = deck.cards.values()
    assert "unseen" in card.question
    assert card.solution.replace("\\", "").split() == ["**secret**", "so"]


def test_a_row_of_a_text_export_with_too_many_cells_is_named(root: Path, tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt", NOTES[1::-1])
    path.write_text(path.read_text("utf-8").replace("why ", 'why"\t"'), "utf-8")
    done = take_in(root, path)
    assert (done.new, [lost.where for lost in done.lost]) == (1, ["a.txt:8"])


def test_a_card_that_is_a_table_s_from_before_is_found_by_its_guid(
    root: Path, tmp_path: Path
) -> None:
    card = "---\nid: old\ntype: basic\nsource: table:basic\n---\n\n# Question\nq\n"
    (root / "old.md").write_text(card, "utf-8")
    for path in (text(tmp_path / "a.txt", NOTES[:1]), package(tmp_path / "a.apkg", NOTES[:1])):
        assert take_in(root, path).new == 0


def test_a_note_type_renamed_between_two_packages_is_the_same(root: Path, tmp_path: Path) -> None:
    take_in(root, package(tmp_path / "a.apkg", NOTES[:2]))
    path = package(tmp_path / "b.apkg", changed("turned", "there", "forth")[:2])
    altered(path, "UPDATE col SET models = replace(replace(models, 'Basic', 'Grund'), 'Card', 'K')")
    done = take_in(root, path)
    assert (done.new, done.changed, done.unchanged) == (0, 1, 1)


_TEXT_WORDS = st.lists(
    st.sampled_from(["one", "<b>two</b>", "$3$", "&lt;", "x<br>", "*", "?"]), min_size=1, max_size=4
)


@given(st.lists(st.tuples(_TEXT_WORDS, _TEXT_WORDS), min_size=2, max_size=2))
@settings(max_examples=30)
def test_a_basic_note_is_the_same_card_by_either_way_or_named(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[list[str], list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("either")
    first, second = (Made("g", ("q " + " ".join(f), " ".join(b))) for f, b in drawn)
    texts, named = [], list[bool]()
    for name, path in (
        ("a", text(folder / "a.txt", (second,))),
        ("b", package(folder / "b.apkg", [second])),
    ):
        root = folder / name
        Collection.init(root)
        take_in(root, package(folder / "first.apkg", [first]))
        done = take_in(root, path)
        assert done.new == 0
        texts.append([p.read_text("utf-8") for p in root.rglob("*.md")])
        named.append(bool(done.lost))
    assert texts[0] == texts[1] or named[0]


def test_our_own_notes_in_a_text_export_without_html_are_the_same_or_named(
    root: Path, tmp_path: Path
) -> None:
    make(root)
    own = (Made("deltadeck:pair", ("there", "back")), Made("deltadeck:count", ("HOW", "many")))
    done = take_in(root, text(tmp_path / "a.txt", own, html=False))
    assert (done.unchanged, done.listed) == (1, {"kept": ["count"]})
    assert [lost.where for lost in done.lost] == ["count"]
    assert "as a package" in done.lost[0].what


_EDIT = """
import json, sys
from anki.collection import (Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest)
from anki.collection import (ExportAnkiPackageOptions)
col = Collection("c.anki2")
options = ImportAnkiPackageOptions(merge_notetypes=True, with_scheduling=True)
col.import_anki_package(ImportAnkiPackageRequest(package_path="a.apkg", options=options))
for guid, at, old, new in json.loads(sys.argv[1]):
    note = col.get_note(col.db.scalar("SELECT id FROM notes WHERE guid = ?", guid))
    note.fields[at] = note.fields[at].replace(old, new)
    col.update_note(note)
col.export_note_csv(out_path="b.txt", limit=None, with_html=True, with_tags=True, with_deck=True,
                    with_notetype=True, with_guid=True)
options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True)
col.export_anki_package(out_path="b.apkg", options=options, limit=None)
col.close()
"""


@pytest.mark.skipif("ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki")
@pytest.mark.parametrize("name", ["b.txt", "b.apkg"])
def test_what_anki_itself_exports_of_our_edited_notes_is_taken(
    root: Path, tmp_path: Path, name: str
) -> None:
    exported(make(root), tmp_path / "a.apkg")
    edits = [
        ("deltadeck:pair", 1, "back", "back <b>again</b>"),
        ("deltadeck:chain", 0, "give", "find"),
        ("deltadeck:count", 1, "0.03", "0.04"),
    ]
    command = [os.environ["ANKI_PYTHON"], "-c", _EDIT, json.dumps(edits)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    done = take_in(root, tmp_path / name)
    assert done.listed == {"changed": ["chain", "pair"], "kept": ["count"]}
    assert [lost.where for lost in done.lost] == ["count"]
    deck = Collection.open(root, NOW, "desk")
    assert deck.cards["pair"].solution == "back **again**"
    assert deck.cards["chain"].question.startswith("For $x \\in \\R$ find $\\n{x} < 1$ of ![[figs")
    deck.rate("pair", Rating.GOOD, NOW, 900)
    assert take_in(root, tmp_path / name).changed == 0
