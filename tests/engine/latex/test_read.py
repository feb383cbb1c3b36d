"""LaTeX answers read, and laws that hold of any."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import reader as formula
from engine.formula.tree import Formula, FormulaError
from engine.latex.transcribe import looks_like_latex, read, transcription
from tests.material import answers, each_corpus

MAX = r"(i,j) = \arg\max_{(p,q)\in\Omega(k,l)} x_{pq}"
FIRST = "(i,j) == argmax(x[p,q] for p,q in Omega(k,l))"
SUM = r"\sum_{(k,l):(i,j)\in\Omega(k,l)}"


def jacobian(right: str) -> str:
    return rf"\frac{{\partial f_{{kl}}}}{{\partial x_{{ij}}}} = {right}"


def message(right: str) -> str:
    return rf"\delta_{{x,ij}} = {right}"


@pytest.mark.parametrize(
    "left",
    [
        r"\frac{\partial f_{kl}}{\partial x_{ij}}",
        r"\dfrac{\partial f_{k,l}}{\partial x_{i,j}}",
        r"\partial f_{kl} / \partial x_{ij}",
        r"\frac{\partial}{\partial x_{ij}} f_{kl}",
        r"\frac{\mathrm{d} y_{kl}}{\mathrm{d} x_{ij}}",
        r"\frac{d f_{kl}}{d x_{ij}}",
        r"{\partial f_{kl} \over \partial x_{ij}}",
        r"\frac{\partial f_{kl}(\boldsymbol{x})}{\partial x_{ij}}",
    ],
)
def test_a_derivative_is_read_in_every_layout(left: str) -> None:
    assert read(f"{left} = 0").echo == "J[k,l,i,j] = 0"


@pytest.mark.parametrize(
    "left",
    [
        r"\delta_{x,ij}",
        r"\delta_{x, i, j}",
        r"\delta_x(i,j)",
        r"\delta^{x}_{ij}",
        r"\delta_{ij}^{(x)}",
        r"\frac{\partial L}{\partial x_{ij}}",
        r"\frac{\partial\mathcal{L}}{\partial x_{ij}}",
        r"\partial L/\partial x_{ij}",
        r"\nabla_{x_{ij}} L",
        r"dx_{ij}",
        r"\mathrm{d}x_{ij}",
    ],
)
@pytest.mark.parametrize(
    "upstream",
    [r"\delta_{f,kl}", r"\delta_{kl}", r"\delta^{(f)}_{kl}", r"\frac{\partial L}{\partial f_{kl}}"],
)
def test_a_message_is_read_in_every_layout(left: str, upstream: str) -> None:
    found = read(rf"{left} = {SUM} {upstream}").echo
    assert found == "dx[i,j] = sum(delta[k,l] for k,l if (i,j) in Omega(k,l))"


@pytest.mark.parametrize(
    "indicator",
    [
        r"\mathbb{I}[%s]",
        r"\mathbb{1}\{%s\}",
        r"\mathbf{1}\left[%s\right]",
        r"\mathbf 1\!\left(%s\right)",
        r"\boldsymbol{1}_{%s}",
        r"\mathbb{1}_{\{%s\}}",
        r"\mathrm{I}\bigl[%s\bigr]",
        r"[%s]",
        r"\left[\,%s\,\right]",
        r"\llbracket %s \rrbracket",
        r"1\{%s\}",
    ],
)
def test_an_indicator_is_read_in_all_brackets(indicator: str) -> None:
    assert read(jacobian(indicator % MAX)).echo == f"J[k,l,i,j] = [{FIRST}]"


@pytest.mark.parametrize(
    "argmax",
    [
        r"\arg\max_{(p,q)\in\Omega(k,l)} x_{pq}",
        r"\arg\max\limits_{(p,q)\in\Omega_{kl}} x_{p,q}",
        r"\arg \, \max_{(p,q) \in \Omega(k,l)} x_{pq}",
        r"\operatorname*{arg\,max}_{(p,q)\in\Omega(k,l)} x_{pq}",
        r"\operatorname{argmax}_{(p,q)\in\Omega(k,l)} x_{pq}",
        r"\argmax_{(p,q)\in\Omega(k,l)} x_{pq}",
        r"\underset{(p,q)\in\Omega(k,l)}{\arg\max}\, x_{pq}",
    ],
)
def test_an_arg_max_is_read_with_its_limits(argmax: str) -> None:
    assert read(jacobian(f"[(i,j) = {argmax}]")).echo == f"J[k,l,i,j] = [{FIRST}]"


@pytest.mark.parametrize("argmax", [r"\arg\max \Omega(k,l)", r"\arg\max_{\Omega(k,l)} x"])
def test_an_arg_max_of_a_window_needs_no_limits(argmax: str) -> None:
    assert read(jacobian(f"[(i,j) = {argmax}]")).echo == "J[k,l,i,j] = [(i,j) == argmax(k,l)]"


@pytest.mark.parametrize(
    "cases",
    [
        r"\begin{cases} 1 & \text{if } (i,j)=\arg\max\Omega(k,l)"
        r" \\ 0 & \text{otherwise} \end{cases}",
        r"\begin{cases} 1, & (i,j)=\arg\max\Omega(k,l), \\ 0, & \text{otherwise.} \end{cases}",
        r"\begin{cases} 1 & \text{for } (i,j)=\arg\max\Omega(k,l) \\ 0 & \text{else} \end{cases}",
        r"\begin{cases} 1 & (i,j)=\arg\max\Omega(k,l) \\ 0 \end{cases}",
        r"\begin{cases} 1 & (i,j)=\arg\max\Omega(k,l)\text{} \\ 0 & \text{} \end{cases}",
        r"\begin{cases} 1 & \mbox{pokud } (i,j)=\arg\max\Omega(k,l)"
        r" \\ 0 & \text{jinak} \end{cases}",
        r"\left\{\begin{array}{ll} 1 & \text{if } (i,j) \text{ is the arg max of its window}"
        r" \\ 0 & \text{otherwise} \end{array}\right.",
        r"1 \text{ if } (i,j)=\arg\max\Omega(k,l) \text{ else } 0",
    ],
)
def test_cases_are_read_with_their_words(cases: str) -> None:
    expected = "J[k,l,i,j] = 1 if (i,j) == argmax(k,l) else 0"
    assert read(jacobian(cases)).echo == expected


@pytest.mark.parametrize(
    "answer",
    [
        rf"(i^*, j^*) = \arg\max\Omega(k,l) \\ {jacobian('[(i,j) = (i^*,j^*)]')}",
        rf"{jacobian('[(i,j) = (i^*,j^*)]')}, \quad (i^*,j^*) = \arg\max\Omega(k,l)",
        rf"{jacobian('[(i,j) = (i^*,j^*)]')} \text{{ where }} (i^*,j^*) = \arg\max\Omega(k,l)",
        rf"\begin{{aligned}} (i^*,j^*) &= \arg\max\Omega(k,l) \\ {jacobian('[(i,j) = (i^*,j^*)]')}"
        r"\end{aligned}",
    ],
)
def test_definitions_stand_before_or_after(answer: str) -> None:
    expected = "(i*, j*) = argmax(k,l)\nJ[k,l,i,j] = [(i,j) == (i*,j*)]"
    assert read(answer).echo == expected


ALL = "all(x[i,j] >= x[p,q] for p,q in Omega(k,l))"


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (r"[x_{ij} \ge x_{pq}\ \forall (p,q) \in \Omega(k,l)]", f"[{ALL}]"),
        (r"[\forall (p,q) \in \Omega(k,l): x_{ij} \ge x_{pq}]", f"[{ALL}]"),
        (r"[x_{ij} \ge x_{pq} \text{ for all } (p,q) \in \Omega(k,l)]", f"[{ALL}]"),
        (r"\prod_{(p,q)\in\Omega(k,l)} \mathbb{1}[x_{ij} \ge x_{pq}]", f"[{ALL}]"),
        (r"[x_{ij} = \max\{x_{pq} : (p,q)\in\Omega(k,l)\}]",
         "[x[i,j] == max(x[p,q] for p,q in Omega(k,l))]"),
        (r"\begin{cases} 1 & (i,j)\in\Omega(k,l),\ x_{ij} = f_{kl} \\ 0 & \text{jinak} \end{cases}",
         "1 if (i,j) in Omega(k,l) and x[i,j] == f[k,l] else 0"),
        (r"x_{ij} \text{ because it is so}", "x[i,j]"),
        (r"\underbrace{x_{ij}}_{\text{the input}}", "x[i,j]"),
        (r"e^{x_{ij}}", "exp(x[i,j])"),
    ],
)  # fmt: skip
def test_what_notes_say_of_an_entry_is_read(answer: str, echo: str) -> None:
    assert read(jacobian(answer)).echo == f"J[k,l,i,j] = {echo}"


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (message(r"\sum_{(k,l)\in\Omega^{-1}(i,j)} \delta_{kl}"),
         "dx[i,j] = sum(delta[k,l] for k,l in windows(i,j))"),
        (message(r"\sum_{k=0}^{H_{out}-1} \delta_{k0}"),
         "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
        (r"\frac{\partial}{\partial x_{ij}} \max_{(p,q)\in\Omega(k,l)} x_{pq} = 0",
         "J[k,l,i,j] = 0"),
        (r"f_{kl} = x_{ij} \Rightarrow \frac{\partial f_{kl}}{\partial x_{ij}} = 1",
         "f[k,l] = x[i,j]\nJ[k,l,i,j] = 1"),
        (r"(i^*_{kl}, j^*_{kl}) = \arg\max\Omega(k,l) \\"
         + message(r"\sum_{m,n} \delta_{mn} \delta_{i i^*_{mn}} \delta_{j j^*_{mn}}"),
         "(i*[k,l], j*[k,l]) = argmax(k,l)\n"
         "dx[i,j] = sum(delta[m,n] * [i == i*[m,n]] * [j == j*[m,n]] for m,n)"),
    ],
)  # fmt: skip
def test_what_notes_say_of_windows_is_read(answer: str, echo: str) -> None:
    assert read(answer).echo == echo


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (r"\frac{1}{4}\sum_{k,l}\delta_{kl}", "1/4 * sum(delta[k,l] for k,l)"),
        (r"\delta_{kl}^2", "delta[k,l]^2"),
        (r"\sqrt{\delta_{kl}}", "sqrt(delta[k,l])"),
        (r"\left|x_{ij}\right| \delta_{kl}", "abs(x[i,j]) * delta[k,l]"),
        (r"|x_{ij}| \delta_{kl}", "abs(x[i,j]) * delta[k,l]"),
        (r"\frac{\delta_{kl}}{k_h k_w}", "delta[k,l]/(kh * kw)"),
        (r"\delta_{kl} \exp(x_{ij})", "delta[k,l] * exp(x[i,j])"),
        (r"\delta_{kl} \tanh x_{ij}", "delta[k,l] * tanh(x[i,j])"),
        (r"\delta_{kl} \tanh^2(x_{ij})", "delta[k,l] * tanh(x[i,j])^2"),
        (r"\exp\left(x_{ij}\right)^2", "exp(x[i,j])^2"),
        (r"\left(\tanh\left(x_{ij}\right)\right)^2", "tanh(x[i,j])^2"),
        (
            r"\sum_{k=0}^{H_o-1}\sum_{l=0}^{W_o-1}\delta_{kl}",
            "sum(sum(delta[k,l] for l in range(Wo)) for k in range(Ho))",
        ),
        (r"\delta_{kl} x_{k s_h + 1,l}", "delta[k,l] * x[k * sh + 1,l]"),
        (r"0.25\,\delta_{kl}", "0.25 * delta[k,l]"),
        (r"10^{-2} \cdot 2.25^3 \delta_{kl}", "10^(-2) * 2.25^3 * delta[k,l]"),
        (
            r"\sum_{\substack{k,l\\(i,j)\in\Omega(k,l)}}\delta_{kl}",
            "sum(delta[k,l] for k,l if (i,j) in Omega(k,l))",
        ),
        (
            r"\sum_{(k,l)\in\{(k,l)\mid(i,j)\in\Omega(k,l)\}}\delta_{kl}",
            "sum(delta[k,l] for k,l if (i,j) in Omega(k,l))",
        ),
    ],
)
def test_the_rest_of_the_notation(answer: str, echo: str) -> None:
    assert read(message(answer)).echo == f"dx[i,j] = {echo}"


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (
            r"\begin{cases} r_k, & |r_k| \le d \\ d & \text{if } |r_k| > d\end{cases}",
            "{r[k] if abs(r[k])≤d; d if abs(r[k])>d}",
        ),
        (r"|x| + |y|", "abs(x)+abs(y)"),
        (r"2|x_k||y_k|", "2 abs(x[k])abs(y[k])"),
        (r"|b - |c||", "abs(b-abs(c))"),
        (r"|x_k|^2", "abs(x[k])^(2)"),
        (r"\sum_{(k,l) | (i,j) \in \Omega(k,l)} 1", "sum_{(k,l):(i,j)∈Ω(k,l)} 1"),
        (r"\sum_{k \mid k > 1} |x_k|", "sum_{k:k>1} abs(x[k])"),
    ],
)
def test_bars_that_pair_up_are_absolute_values(tex: str, plain: str) -> None:
    assert transcription(tex).text == plain


def test_of_a_chain_of_equations_the_last_right_side_is_the_answer() -> None:
    chain = (
        r"\begin{aligned} \delta_{x,ij} &="
        r"\sum_{k,l}\delta_{kl}\frac{\partial f_{kl}}{\partial x_{ij}}"
        r"\\ &= \sum_{k,l}\delta_{kl} \\ &\quad + x_{ij} \tag{2} \end{aligned}"
    )
    assert read(chain).echo == "dx[i,j] = sum(delta[k,l] for k,l) + x[i,j]"


@pytest.mark.parametrize("wrap", ["$%s$", "$$%s$$", r"\[%s\]", r"\(%s\)", r"%s, \quad (2)", "%s."])
def test_dollars_and_numbers_of_equations_are_no_part_of_it(wrap: str) -> None:
    assert read(wrap % message(r"\delta_{kl}")).echo == "dx[i,j] = delta[k,l]"


@pytest.mark.parametrize(
    ("answer", "place", "words"),
    [
        (message(r"H\left(x_{ij}\right)"), "H", "not a function"),
        (message(r"\foo \delta_{kl}"), r"\foo", "not known"),
        (message(r"\frac{1}{4"), "{4", "never closed"),
        (message(r"\detla_{kl}"), r"\detla", "not known"),
        (message(r"\delta_{kl} \text{ when it rains}"), r"\text", "it rains"),
        (message(r"\delta_{i,i^*}\delta_{j,j^*}"), r"i^*", "not defined"),
        (jacobian(r"[(i,j) = (i^*,j^*)]"), "i^*", "not defined"),
        (message(r"\delta_{kl} \cdots \delta_{kl}"), r"\cdots", "dots"),
        (message(r"\begin{pmatrix} 1 & 0 \end{pmatrix}"), r"\begin", "matrices"),
        (message(r"\begin{cases} 1 \\ 0 \end{cases}"), "1", "no condition"),
        (message(r"\exp x_{ij} \delta_{kl}"), r"\exp", "where the argument"),
        (message(r"\tanh^{-1}(x_{ij})"), "{-1}", "two things"),
        (message(r"\tanh(x_{ij})^2"), r"\tanh", "two things"),
        (message(r"\tanh\left(x_{ij}\right)^2"), r"\tanh", "two things"),
        (message(r"\log\left[x_{ij}\right]^2"), r"\log", "two things"),
        (message(r"\binom{2}{1}"), r"\binom", "fraction"),
        (message(r"\sqrt[3]{x_{ij}}"), r"\sqrt", "square roots"),
        (message(r"\mathbb{1} \delta_{kl}"), r"\mathbb{1}", "no condition"),
        (message(r"\cancel{\delta_{kl}}"), r"\cancel", "cannot be part"),
    ],
)
def test_what_is_not_certain_is_refused_at_its_place(answer: str, place: str, words: str) -> None:
    with pytest.raises(FormulaError) as raised:
        read(answer)
    error = raised.value
    assert words.lower() in f"{error.message} {error.hint}".lower()
    assert error.hint
    right = answer.index("=") + 1
    assert answer[error.column - 1 :].startswith(place) or error.column > right, error.column
    assert error.line == 1


@pytest.mark.parametrize("text", ["dx[i,j] = x_ij", "δ_kl · [x = y]", ""])
def test_plain_notation_does_not_look_like_latex(text: str) -> None:
    assert not looks_like_latex(text)
    assert looks_like_latex(rf"{text} \cdot 2")


@pytest.mark.parametrize(
    ("words", "region"),
    [
        (r"\text{ is the maximum of } \Omega(k,l)", "window(k,l)"),
        (r"\text{ was the max in its window}", "window(k,l)"),
        (r"\text{ is the maximum in } \Omega_{kl}", "window(k,l)"),
    ],
)
def test_the_maximum_of_a_window_lies_in_it(words: str, region: str) -> None:
    read_ = read(message(rf"\sum_{{k,l}} \delta_{{kl}} [x_{{ij}} {words}]"))
    said = f"[x[i,j] == max({region}) and (i,j) in Omega(k,l)]"
    assert read_.echo == f"dx[i,j] = sum(delta[k,l] * {said} for k,l)"


@pytest.mark.parametrize("order", ["{0} {1}", "{1} {0}"])
def test_a_one_with_a_condition_below_is_an_indicator(order: str) -> None:
    condition = r"1_{(i,j) = \arg\max \Omega(k,l)}"
    found = read(message(r"\sum_{k,l} " + order.format(condition, r"\delta_{kl}")))
    assert "[(i,j) == argmax(k,l)]" in found.echo
    with pytest.raises(FormulaError, match="subscript"):
        read(message(r"2_{(i,j) = \arg\max \Omega(k,l)} \delta_{kl}"))


ANSWERS = [entry["answer"] for _, entry in answers("latex")]
PIECES = [r"\frac{", r"\sum_{", r"\begin{cases}", r"\end{cases}", "&", r"\\", "^*", "_{kl}", "}"]
PIECES += [r"\text{if }", r"\arg\max", r"\left(", r"\right)", "|", "{", "=", r"\quad", r"\partial"]


def outcome(tex: str) -> Formula | FormulaError:
    try:
        return read(tex)
    except FormulaError as error:
        return error


def refused_or_read(tex: str) -> None:
    found = outcome(tex)
    if isinstance(found, FormulaError):
        lines = tex.split("\n")
        assert 1 <= found.line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1
        assert found.message
        assert found.hint
    else:
        assert formula.read(found.echo).tree == found.tree


@pytest.mark.material
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_mutated_answer_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    tex = data.draw(st.sampled_from(ANSWERS))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(tex)))
        end = data.draw(st.integers(start, min(len(tex), start + 4)))
        tex = tex[:start] + data.draw(st.sampled_from(["", *PIECES])) + tex[end:]
    refused_or_read(tex)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *"ijklx123+-=(,) \n"]), max_size=40).map("".join))
def test_any_pieces_are_read_or_refused_with_a_place(tex: str) -> None:
    refused_or_read(tex)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_place(tex: str) -> None:
    refused_or_read("\\" + tex)


@each_corpus
def test_formulas_that_are_no_answers_are_refused_with_a_place(corpus: list[str]) -> None:
    for tex in corpus:
        refused_or_read(tex)


@pytest.mark.parametrize(
    "tex", ["{" * 3000, r"\frac{" * 600, r"\left(" * 500, "x^" * 1900 + "x"], ids=len
)
def test_deep_nesting_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError):
        read(tex)
