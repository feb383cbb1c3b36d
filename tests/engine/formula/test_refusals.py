"""What is not read: each with a sentence, a hint, and the place in the text as typed."""

from __future__ import annotations

import random

import pytest

from engine.formula.evaluate import evaluate
from engine.formula.reader import read
from engine.formula.tree import FormulaError
from tests.engine.formula.batches import APART, OVERLAPPING
from tests.engine.formula.test_readings import READINGS

REFUSALS = [
    ("sum(detla[k,l]*[(i,j)==argmax(k,l)] for k,l)", "detla", "delta", 1, 5),
    ("delta[k,l]*[x[i,j]==f[k,l]", "never closed", "close", 1, 12),
    ("1 if (i,j)==argmax(k,l)", "no 'else'", "else 0", 1, 3),
    ("x[i]==f[k,l]", "2 indices", "x[i,j]", 1, 1),
    ("argmax(k,l)", "pair of coordinates", "[(i,j) == argmax(k,l)]", 1, 1),
    ("__import__('os').system('id')", "__import__", "names", 1, 1),
    ("H(x_ij - f_kl)", "not a function", "H * (", 1, 1),
    ("step(x_ij - f_kl)", "step", "names", 1, 1),
    ("x_ij.max()", "attributes", "argmax(k,l)", 1, 5),
    ("[(i,j) = (i*,j*)]", "i*", "(i*,j*) = argmax(k,l)", 1, 11),
    ("[x[p,q] == f[k,l]]", "index p", "p,q in Omega(k,l)", 1, 4),
    ("J[k,l,i,j] = [x[a,j] == f[k,l]]", "index a", "bind it", 1, 17),
    ("(i,j) == argmax(k,l)", "a condition", "[condition]", 1, 1),
    ("", "no formula", "dx[i,j]", 1, 1),
    (" \n ; ", "no formula", "dx[i,j]", 1, 1),
    ("\\frac{1}{2}", "LaTeX", "plainly", 1, 1),
    ("dx[i,j] =\n  sum(δ_kl + open('x') for k,l)", "quotes", "quotes", 2, 19),
    ("δ_kl · dleta_kl", "dleta_kl", "delta", 1, 8),
    ("dx[i,j] += delta[k,l]", "step of a program", "sum", 1, 9),
    ("dx[i*,j*] = delta[k,l]", "one place only", "[(i,j) == (i*,j*)]", 1, 4),
    ("x_ij = f_kl", "x is given", "[ ]", 1, 1),
    ("sum(delta[k,l])", "runs over", "for k,l", 1, 1),
    ("sum(delta[k,l] for p,q)", "what p runs over", "range(Ho)", 1, 1),
    ("max(k,l)", "numbers k and l", "max(window(k,l))", 1, 1),
    ("[i in Omega(k,l)]", "places", "(i,j) in Omega(k,l)", 1, 2),
    ("[x_ij == argmax(k,l)]", "a number with a pair", "a place with a place", 1, 10),
    ("delta", "whole array", "delta[", 1, 1),
    ("dx[i,j] = 1\n2 * delta[k,l]", "two answers", "one", 1, 11),
    ("m = max(window(k,l))", "only define", "dx[i,j]", 1, 21),
    ("a = b\nb = a\na", "by itself", "other names", 2, 5),
    ("{ 1 if i = j }", "every other case", "otherwise", 1, 1),
    ("k = 1; J[k,l,i,j] = [i == k]", "index of the answer", "another letter", 1, 1),
    ("dx[i,j] = 2 * dx[i,j]", "asked for", "delta", 1, 15),
    ("x_ij)", "closes nothing", "open the bracket", 1, 5),
    ("exp(x_ij, 2)", "1 argument", "exp(", 1, 1),
    ("1 2", "does not fit", "bracket it", 1, 3),
    ("sum(1 for x,q in Omega(k,l))", "'x' has a meaning", "another letter", 1, 11),
    ("max(windows(i,j))", "not values", "max(window(k,l))", 1, 5),
    ("sum(δ_kl δ_ip for k,l for p,q in argmax(k,l))", "two rows", "[i == p]", 1, 10),
    ("δ((i,j) = argmax(k,l))", "upstream message", "[condition]", 1, 1),
    ("δ_kl H_ij", "'H' takes no indices", "without", 1, 6),
    ("flour(x_ij)", "flour", "'floor'", 1, 1),
    ("rho(x_ij)", "rho", "the names are", 1, 1),
    ("fleet(x_ij)", "fleet", "the names are", 1, 1),
    ("dx_ij = $δ_kl", "dollar", "leave them out", 1, 9),
    ("δ_kl when i = j", "'when' has no 'else'", "else 0", 1, 6),
    ("dx_ij = Σ_kl δ_kl x_ij = f_kl", "a condition", "[condition]", 1, 9),
    ("Σ_kl δ_kl for (i,j) in Omega(k,l)", "'for' does not fit", "inside a sum", 1, 11),
    ("δ_kl, δ_kl", "',' does not fit", "a line of its own", 1, 5),
    ("Σ_{k,l} prod(x_pq for p,q in Omega(k,l))", "conditions alone", "prod([", 1, 9),
    ("A = {(k,l) : i = j}; dx_ij = A", "a set, not a number", "in S", 1, 30),
    ("A = {(p,q) in A : i = j}; dx_ij = |A|", "defined by itself", "others", 1, 12),
    ("softmax(δ)[i,j]", "of which inputs", "softmax(window(k,l))", 1, 1),
    ("sum([δ_kl for k,l]", "never closed", "close", 1, 4),
    ("[exists (p,q) in Omega(k,l)]", "what holds", "for all", 1, 28),
]


@pytest.mark.parametrize(("text", "message", "hint", "line", "column"), REFUSALS)
def test_a_refusal_names_the_place_and_the_way_out(
    text: str, message: str, hint: str, line: int, column: int
) -> None:
    with pytest.raises(FormulaError) as caught:
        read(text)

    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_900 + "1" + ")" * 1_900,
        "(" * 5_000 + "1" + ")" * 5_000,
        "-" * 700 + "1",
        "not " * 700,
        "2^" * 390 + "2",
        "1+" * 390 + "1",
        "Σ_k " * 300,
        "1 if i=j else " * 100 + "1",
        "{1 if i=j;" * 70,
        "".join(f"a{n}=a{n + 1}+a{n + 1};" for n in range(60)) + "a60=1;a0",
        "1" * 400,
        "\x00\u202e",
    ],
)
def test_depth_and_length_are_bounded(text: str) -> None:
    with pytest.raises(FormulaError):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "sum(1 for a in range(4000) for b in range(4000))",
        "sum(1 for a in range(10^9))",
        "sum(x[a,b]*x[c,d]*x[p,q]*x[m,n] for a,b in Omega(k,l) for c,d in Omega(k,l))"
        " * sum(sum(sum(sum(1 for a,b in Omega(k,l)) for c,d in Omega(a,b)) for p,q in"
        " Omega(c,d)) for m,n in Omega(p,q))",
    ],
)
def test_what_would_take_too_much_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        evaluate(read(text), OVERLAPPING)


WORDS = [
    *(
        "x",
        "delta",
        "f",
        "Omega",
        "argmax",
        "max",
        "sum",
        "count",
        "for",
        "k,l",
        "if",
        "in",
        "else",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "_",
        "ij",
        "i*",
        "=",
        "==",
        ",",
        ";",
        "\n",
        "+",
        "-",
        "*",
        "/",
        "^",
        "1",
        "0",
        "2.5",
        "dx",
        "J",
        "dL",
        "df",
        "'",
        ":",
        "|",
        "where",
        "not",
        "and",
        "Σ",
        "δ",
        "𝟙",
        "∈",
        "range",
        "windows",
        ".",
        "\\",
        "9e9",
        "**",
        "%",
        "é",
        "\x00",
    ),
]


def _mangled(draw: random.Random) -> str:
    if draw.random() < 0.4:
        return "".join(draw.choice(WORDS) for _ in range(draw.randrange(1, 30)))
    text, _ = draw.choice(READINGS)
    for _ in range(draw.randrange(1, 4)):
        start = draw.randrange(len(text) + 1)
        stop = min(len(text), start + draw.randrange(4))
        text = text[:start] + draw.choice([*WORDS, "", text[:20]]) + text[stop:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_a_mangled_answer_is_refused_or_read_and_never_crashes(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(700):
        text = _mangled(draw)
        try:
            formula = read(text)
            values = evaluate(formula, APART)
        except FormulaError as refused:
            _names_a_place(refused, text)
        else:
            assert read(formula.echo).tree == formula.tree
            assert values.shape in (APART.x.shape, (*APART.f.shape, *APART.x.shape[1:]))


def _names_a_place(error: FormulaError, text: str) -> None:
    lines = text.split("\n")
    assert error.message
    assert error.hint
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
