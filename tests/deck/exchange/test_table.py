"""Tables: CSV, TSV, Anki's text export; options among their values."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.exchange import table
from deck.exchange.model import ExchangeError, Losses
from deck.exchange.source import NotTextError, encoding_of
from deck.exchange.table import columns_of, dialect_of
from tests.deck.exchange.foreign import imported, read, saved


def test_columns_are_known_by_their_names(root: Path) -> None:
    text = (
        "ID;Front;Back;Deck;Tags;Difficulty;Points;Chapter\n"
        'relu;"Give $f\'$; now";$[x>0]$;ML::Networks;nets, layers;2;1,5;3\n'
    )
    (card,), found = read(saved(root, "table", text))
    assert (card.key, card.wanted_id, card.type) == ("relu", "relu", "basic")
    assert (card.question, card.solution) == ("(1.5p) Give $f'$; now", "$[x>0]$")
    assert card.folder == ("ML", "Networks")
    assert card.fields == {"tags": ["nets", "layers"], "difficulty": "2", "Chapter": "3"}
    assert not found.lost


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("question,answer\nkůň ∂,1\n", ("kůň ∂", "1")),
        ("question;answer\nkůň ∂;1\n", ("kůň ∂", "1")),
        ("question\tanswer\nkůň ∂\t1\n", ("kůň ∂", "1")),
        ("question|answer\nkůň ∂|1\n", ("kůň ∂", "1")),
        ("sep=;\r\nquestion;answer\r\na,b;c\r\n", ("a,b", "c")),  # Excel's own first line
        ('question,answer\n"He said \\"no\\", twice","b"\n', ('He said "no", twice', "b")),
    ],
)
def test_the_way_it_is_written_is_found(
    root: Path, encoding: str, text: str, sides: tuple[str, str]
) -> None:
    (card,), found = read(saved(root, "table", text.encode(encoding)))
    assert (card.question, card.solution) == sides
    assert not found.lost


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Příliš žluťoučký kůň", "cp1250"),
        ("L’été à Besançon, où l'œuvre naît", "cp1252"),
        ("日本語", "shift-jis"),
        ("Příliš žluťoučký", "utf-16-le"),
        ("Příliš žluťoučký", "utf-16-be"),
        ("Příliš žluťoučký", "utf-32"),
    ],
)
def test_another_encoding_is_refused_with_the_way_out(root: Path, text: str, encoding: str) -> None:
    data = f"question;answer\nA;B\n{text};1\n".encode(encoding)
    for name in ("cards.csv", "cards.txt"):
        path = saved(root, "", data, name)
        with pytest.raises(ExchangeError, match="Save the file as UTF-8 and import it") as error:
            read(path)
        assert str(error.value).startswith(f"{path}: ")


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]))),
    st.sampled_from([b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]),
    st.integers(2, 9),
)
def test_the_line_that_is_no_text_is_named(lines: list[str], mark: bytes, size: int) -> None:
    """However the file comes in pieces."""
    wide = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(mark)
    bad = "\ud800x".encode(wide, "surrogatepass") if wide else b"\xe9 "
    data = mark + "".join(f"{line}\n" for line in lines).encode(wide or "utf-8") + bad
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    with pytest.raises(NotTextError, match=f"Line {len(lines) + 1} is no text in UTF-"):
        encoding_of(chunks)


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_what_has_an_encoding_can_be_decoded(chunks: list[bytes]) -> None:
    try:
        encoding = encoding_of(chunks)
    except NotTextError:
        return
    b"".join(chunks).decode(encoding)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("question,answer\nThe {{c1::sun}},\n", "cloze"),
        ("question,answer,type\nA,B,Basic (and reversed card)\n", "reversed"),
        ("question,answer,options,correct\nWhich?,It is.,one|two,B\n", "multiple_choice"),
        ("question,answer,tolerance\nHow much?,3.1,5%\n", "numeric"),
        ("question,answer,type\nDerive,$x$,Derivation\n", "derivation"),
    ],
)
def test_types_are_said_or_seen(root: Path, text: str, kind: str) -> None:
    (card,), found = read(saved(root, "table", text))
    assert (card.type, found.lost) == (kind, [])


def test_ankis_text_export_says_what_its_columns_are(root: Path) -> None:
    text = (
        "#separator:tab\n#html:false\n#guid column:1\n#notetype column:2\n#deck column:3\n"
        "#tags column:6\n"
        'aB1\tBasic\tMaths::Real\tWhat is "e"?\t"2.718\nabout"\tnumbers exam\n'
        "aB2\tCloze\tMaths\tIt is {{c1::pi}}\tMore\t\n"
    )
    (first, second), found = read(saved(root, "", text, "Selected Notes.txt"))
    assert (first.key, first.folder) == ("aB1", ("Maths", "Real"))
    assert (first.question, first.solution) == ('What is "e"?', "2.718\nabout")
    assert first.fields["tags"] == ["numbers", "exam"]
    assert (second.type, second.question, second.solution) == ("cloze", "It is {{c1::pi}}", "More")
    assert not found.lost
    text = (
        "#separator:tab\n#html:true\n#columns:Text\tBack Extra\n"
        'The <b>{{c1::sun}}</b> &amp; \\(x^2\\)\t"<script>x</script>one<br>two"\n'
    )
    (card,), _ = read(saved(root, "", text, "notes.txt"))
    assert (card.type, card.question) == ("cloze", "The **{{c1::sun}}** & $x^2$")
    assert "one" in card.solution
    assert "script" not in card.solution


def test_keys_are_of_a_file_and_a_question(root: Path) -> None:
    (french,), _ = read(saved(root, "", "front,back\ncat,chat\n", "french.csv"))
    (spanish,), _ = read(saved(root, "", "front,back\ncat,gato\n", "spanish.csv"))
    assert (french.folder, spanish.folder) == (("french",), ("spanish",))
    assert french.key != spanish.key
    (first,), _ = read(saved(root, "", "id,front\n1,cat\n", "french.csv"))
    assert first.key == "french:1"
    before, after = (
        {card.key for card in read(saved(root, "table", f"question,answer\n{rows}"))[0]}
        for rows in ("A,1\nB,2\nA,3\n", "B,5\nA,7\nA,3\n")
    )
    assert len(before) == 3
    assert before == after


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text == text.strip() and text and not text.startswith("\ufeff")
)


def table_of(rows: list[list[str]], sign: str, quoting: Literal[0, 1] = csv.QUOTE_ALL) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sign, quoting=quoting).writerows(rows)
    return text.getvalue()


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    sign: str,
    quoting: Literal[0, 1],
) -> None:
    text = table_of([["question", "answer"], *rows], sign, quoting)
    path = saved(tmp_path_factory.getbasetemp() / "round", "table", text)
    dialect, lost = dialect_of(path), Losses()
    assert dialect.delimiter == sign
    assert [row for _, row in table.rows(path, dialect, lost)] == rows
    assert not lost


PLAIN_CELLS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn")), max_size=12).map(
    lambda text: " ".join(text.split())
)


@given(
    names=st.permutations(["front", "back", "-", "_", ""]),
    rows=st.lists(st.lists(PLAIN_CELLS, min_size=5, max_size=5), min_size=1, max_size=5),
    sign=st.sampled_from(",;\t|"),
    anki=st.booleans(),
)
def test_columns_without_a_header_are_what_they_are_called(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    rows: list[list[str]],
    sign: str,
    anki: bool,
) -> None:
    front, back = names.index("front"), names.index("back")
    rows = [[*row[:front], f"q{number} {row[front]}", *row[front + 1 :]]
            for number, row in enumerate(rows)]  # fmt: skip
    named = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}[sign]
    head = f"#separator:{named}\n#html:false\n#tags column:2\n" if anki else ""
    text = head + table_of(rows, sign)
    path = saved(tmp_path_factory.getbasetemp() / "rows", "table", text)
    bundle = table.read(path, columns_of(",".join(names)))
    cards = [(card.question, card.solution, dict(card.fields)) for card in bundle.cards()]
    assert cards == [(row[front].strip(), row[back], {}) for row in rows]
    assert not bundle.lost


def test_columns_that_are_not_named_are_what_anki_calls_them_or_said(root: Path) -> None:
    text = "#separator:;\n#html:true\n#deck:Words\n#guid column:4\na<br>b;c;d;g1\n"
    bundle = table.read(saved(root, "", text, "a.txt"), columns_of("front,back"))
    (card,) = bundle.cards()
    assert (card.key, card.folder, card.solution) == ("g1", ("Words",), "c")
    assert card.question == "a\\\nb"
    assert [lost.where for lost in bundle.lost] == ["a.txt:5"]
    bundle = table.read(saved(root, "table", "a;b;c\nd;e;\n"), columns_of("front,back"))
    assert [card.question for card in bundle.cards()] == ["d"]
    assert ["2 columns" in lost.what for lost in bundle.lost] == [True]
    path = saved(root, "table", "question,answer,tags\nWhat is 2+2?,4,maths\n")
    with pytest.raises(ExchangeError, match=r"a\.csv:1: .*leave out --columns"):
        table.read(path, columns_of("front,back,tags"))


@pytest.mark.parametrize(
    ("options", "correct", "read_as", "is_said"),
    [
        ("one|two", "B", "B", False),
        ("B;C;D", "C", "B", True),
        ("B;C;D", "D", "C", False),  # no option has this letter
        ("A;B;C", "B", "B", False),
        ("AC;B;C", "AC", "AC", False),  # more than a letter: the text of an option comes first
        ("x;c;C;y", "C", "C", False),  # two have this text: only as a letter it is clear
        ("A) C;B) D;C) E", "C", "C", False),  # the letters are the writer's
        ("one;two", "two", "two", False),
        ("2;3;4", "3", "3", False),
        ("C;D", "E", "E", False),
    ],
)
def test_a_text_or_a_letter(
    root: Path, options: str, correct: str, read_as: str, is_said: bool
) -> None:
    text = f"id,question,options,correct\nwhich,Which?,{options},{correct}\n"
    (card,), found = read(saved(root, "table", text))
    assert card.question.startswith("Which?\n\n## Options\nA) ")
    assert card.solution == f"**Correct Answer:** {read_as}"
    assert ["as the text" in lost.what for lost in found.lost] == [True] * is_said
    if is_said:
        deck, _ = imported(root / "a.csv", root / "cards")
        assert deck.cards["which"].correct == "B"
