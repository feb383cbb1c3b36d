"""Embeds and links are found as the parser reads them, in every form."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it.token import Token

from cards import lint_card
from cards.links import embeds, find, retargeted, written_name
from cards.markdown import parser

_PIECES = (
    "!·[·]·(·)·![·](·[[·]]·<·>·a·b.png·\"t\"·'t'·\\· `c` · $x$ ·![a](b.png)·[l](c.png)·![[w.png|l]]"
    "·![r][r]·![r]·é·|·%20·&amp;·![x [y] z](p(1).png 't')·](<s p.png>)· ·\n·\n\n"
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("![](x.png) ![a](<sp ace.png>)", ["x.png", "sp ace.png"]),
        ("![](Screenshot%20(1).png) ![](a_(b(c)).png)", ["Screenshot%20(1).png", "a_(b(c)).png"]),
        ("![a](x.png 'one') ![a](y.png \"two\") ![a](z.png (three))", ["x.png", "y.png", "z.png"]),
        ("![a [b] c](br.png) ![a\nb](nl.png)", ["br.png", "nl.png"]),
        ("![r][ref] ![Ref][] ![ref]\n\n[REF]: <r s.png> 'title'\n", ["r s.png"] * 3),
        ("![[w.png|300]] ![[a b.png]]", ["w.png", "a b.png"]),
        (r"![](a_\(1\).png) ![](a&amp;b.png)", ["a_(1).png", "a&b.png"]),
        ("[![a](in.png)](out.html) ![a ![b](no.png)](yes.png)", ["in.png", "yes.png"]),
        ("<img src=a.png> <IMG alt='x' src=\"b c.png\"/> <img>", ["a.png", "b c.png"]),
        (r"`![](x.png)` $![](x.png)$ \![](x.png) \![r]", []),
        ("```\n![](x.png)\n<img src=x.png>\n```\n", []),
        ("![a\n\nb](x.png) ![]() ! [a](x.png)", []),
        ("![](data:image/png;base64," + "A" * 9000 + ")", ["data:image/png;base64," + "A" * 9000]),
    ],
)
def test_every_form_is_found(text: str, names: list[str]) -> None:
    assert [each.name for each in embeds(text)] == names


@pytest.mark.parametrize("text", ["![](two words.png)", "![a](b(.png)", "![words][nowhere]"])
def test_what_was_meant_for_a_picture_is_told_apart(text: str) -> None:
    assert not _shown(text)
    assert [each.kind for each in find(text) if each.embed] in (["unread"], [])
    assert not [each for each in embeds(text) if each.kind != "unread"]


@given(st.lists(st.sampled_from(_PIECES.split("·")), max_size=14).map("".join), st.booleans())
def test_they_are_what_the_parser_reads(text: str, defined: bool) -> None:
    assume(not re.search(r"\]\[[^\]]*\[", text))  # the parser takes brackets for a label
    text = f"x{text}x" + ("\n\n[r]: ref.png" if defined else "")
    found = [each for each in embeds(text) if each.kind in ("wiki", "inline", "reference")]
    assert [unquote(each.name) for each in found] == _shown(text)
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from(" ()"), min_size=1))
def test_a_name_that_is_written_is_read(name: str) -> None:
    name = re.sub(r"[&$`]", "", name.strip()).strip() or "x"
    text = retargeted("See ![a [b]](old.png 'title') and [s](old.png).", {"old.png": name})
    assert [each.name for each in find(text)] == [name, name]
    assert _shown(f"![a]({written_name(name)})") == [unquote(name)]


@pytest.mark.parametrize("piece", ["![", "[](a", "![a](", "<img '", "[a]: b (", "](", '![](a "'])
def test_a_flood_is_read_in_no_time(piece: str) -> None:
    find(piece * 10_000)


def test_a_link_that_leaves_is_named_whole() -> None:
    body = "![](<../a b.png>) [x [y]](../c(1).png)\n\n[r]: ../d.png\n"
    text = f"---\nid: a\n---\n\n# Question\n{body}\n---\n\n# Solution\nx\n"
    said = " ".join(problem.message for problem in lint_card(text))
    assert all(name in said for name in ("../a b.png", "../c(1).png", "../d.png"))


def _shown(text: str) -> list[str]:
    """What the page shows."""

    def walked(tokens: list[Token]) -> list[str]:
        names: list[str] = []
        for token in tokens:
            if token.type == "embed":
                names.append(token.content)
            elif token.type == "image":
                names += [src] if (src := str(token.attrs["src"])) else []
            else:
                names += walked(token.children or [])
        return names

    return list(map(unquote, walked(parser().parse(text))))
