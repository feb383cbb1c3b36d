"""Vector notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from cards import read_card
from engine.checking import check
from engine.exercise import Exercise, ExerciseError, exercise_for
from tests.paths import OWN

LINEAR = {
    "given": "f(t) = tanh(t)\ns[k] = sum(W[k,j] * x[j] for j) + b[k]\ny[k] = f(s[k])",
    "find": ["dL/dx[j]", "dL/dW[k,j]", "dL/db[k]", "dy[k]/dx[j]"],
    "sizes": {"j": "3", "k": "2"},
}
LOGISTIC = {
    "given": "p[k] = 1 / (1 + exp(-sum(W[k,j] * x[j] for j)))\n"
    "L = -sum(t[k] * log(p[k]) + (1 - t[k]) * log(1 - p[k]) for k)",
    "find": "dL/dW[k,j]",
    "inputs": {"t": "binary"},
}
SOFTMAX = {"given": "y[k] = exp(x[k]) / sum(exp(x[m]) for m)", "find": "any"}
RIDGE = {"given": "L = sum(w[j]^2 for j) * c / 2", "find": "dL/dw[j]", "constants": {"c": "0.5"}}
NORM = {"given": "L = sqrt(sum(w[j]^2 for j))", "find": "dL/dw[j]"}
MEAN = {"given": "y = sum(x[j] * w[j] for j)\nL = (y - t)^2", "find": "dL/dw[j]"}


def made(keys: Mapping[str, object]) -> Exercise:
    exercise = exercise_for(keys, [], "derivation")
    assert exercise is not None
    return exercise


RIGHT = [
    (LINEAR, "dx = W^T (delta ⊙ f'(s))"),
    (LINEAR, "dx = W.T @ (delta * f'(s))"),
    (LINEAR, "dL/dx = W' @ (delta * (1 - y^2))"),
    (LINEAR, "∂L/∂x = Wᵀ(δ ⊙ (1 − y ⊙ y))"),
    (LINEAR, "dx = (delta * (1 - y^2))^T W"),
    (LINEAR, "dx = (delta * (1 - y**2)) @ W"),
    (LINEAR, "dx = W^T diag(f'(s)) delta"),
    (LINEAR, "dx_j = (W^T (delta ⊙ tanh'(s)))_j"),
    (LINEAR, "dx[j] = (W^T (delta ⊙ f'(s)))[j]"),
    (LINEAR, "ds = delta * f'(s)\ndx = W^T ds"),
    (LINEAR, "ds[k] = delta[k] * f'(s[k])\ndx = W^T ds"),
    (LINEAR, "dx = (dy/ds W)^T δ"),
    (LINEAR, "dW = (delta ⊙ f'(s)) x^T"),
    (LINEAR, "dW = outer(delta * f'(s), x)"),
    (LINEAR, "db = delta * (1 - y ⊙ y)"),
    (LINEAR, "db = delta"),
    (LINEAR, r"\delta_x = W^T (\delta_y \odot f'(s))"),
    (LINEAR, r"\frac{\partial L}{\partial x} = W^\top\left(\delta_y \circ f'(Wx + b)\right)"),
    (LINEAR, r"\nabla_{W} L = (\delta \odot f'(s))\, x^{\mathsf{T}}"),
    (LINEAR, r"\delta_W = \operatorname{diag}(f'(s))\, \delta_y x^{\intercal}"),
    (LINEAR, r"\frac{\partial y}{\partial x} = \operatorname{diag}(f'(s)) W"),
    (LINEAR, r"\frac{\partial L}{\partial \mathbf{x}} = \mathbf{W}^{\top} (\boldsymbol{\delta}"
     r" \odot (\mathbf{1} - \mathbf{y} \odot \mathbf{y}))"),
    (LOGISTIC, r"\frac{\partial L}{\partial W} = (p - t) x^T"),
    (LOGISTIC, "dW = (p - t) x^T"),
    (SOFTMAX, r"\frac{\partial y}{\partial x} = \operatorname{diag}(y) - y y^T"),
    (SOFTMAX, r"\partial y / \partial x = \operatorname{diag}(y)(\mathbf{I} - \mathbf{1} y^T)"),
    (SOFTMAX, r"\delta_x = y \odot (\delta - (\delta^\top y) \mathbf{1})"),
    (SOFTMAX, "dx = y ⊙ (δ - δ^T y)"),
    (SOFTMAX, "dx = (diag(y) - y y^T) δ"),
    (RIDGE, "c w"),
    (NORM, r"\frac{w}{\|w\|}"),
    (NORM, r"\frac{w}{\left\lVert w \right\rVert_2}"),
    (NORM, "w / ||w||"),
    (NORM, "w / norm(w)"),
    (MEAN, "2 (x^T w - t) x"),
    (MEAN, "2 (dot(w, x) - t) x"),
    (MEAN, r"2 (x^\top w - t)\, x"),
    ({"layer": "sigmoid"}, r"\delta \odot \sigma(x)(1-\sigma(x))"),
    ({"layer": "sigmoid"}, r"\delta_x = \delta_y \odot y \odot (1 - y)"),
    ({"layer": "sigmoid"}, "dx = delta * sigma'(x)"),
    ({"layer": "relu"}, r"\delta_x = \delta_y \odot \mathbf{1}[x > 0]"),
    ({"layer": "relu"}, r"\delta_x = \delta_y \odot \mathbb{I}(x > 0)"),
    ({"layer": "attention"}, r"\frac{\partial L}{\partial v} = a^T \delta"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "answer"), RIGHT)
def test_a_right_answer_in_vectors_is_correct_and_reads_back(
    keys: Mapping[str, object], answer: str
) -> None:
    verdict = check(answer, made(keys))
    if answer == "db = delta":
        assert verdict.verdict == "wrong"
        return
    assert verdict.verdict in ("correct", "incomplete"), (
        verdict.message,
        verdict.hint,
        verdict.read,
    )
    again = check(verdict.read, made(keys))
    assert (again.verdict, again.read) == (verdict.verdict, verdict.read)


def test_the_echo_is_the_index_formula_with_the_derivative_worked_out() -> None:
    verdict = check(r"\delta_x = W^T (\delta_y \odot f'(s))", made(LINEAR))
    assert verdict.read == (
        "f'(t) = 1 - tanh(t)^2\ndL/dx[j] = sum(W[k,j] * delta[k] * f'(s[k]) for k)"
    )


@pytest.mark.parametrize(
    ("keys", "answer", "column", "message", "hint"),
    [
        (LINEAR, "dx = W^T delta f'(s)", 16, "a column of j times a column of k", "⊙"),
        (LINEAR, "dx = W^T * (delta * f'(s))", 10, "entry by entry", "@"),
        (LINEAR, "db = delta f'(s)", 12, "two things", "⊙"),
        (LINEAR, "db = delta · f'(s)", 12, "two things", "⊙"),
        (LINEAR, "dx = W^T delta ⊙ f'(s)", 16, "without brackets", "brackets"),
        (LINEAR, "dx = (delta ⊙ f'(s)) W", 22, "a column of k times k×j", "transpose"),
        (LINEAR, "dW = delta x", 12, "a column of k times a column of j", "outer"),
        (LINEAR, "dx[j] = sum(delta * W[:,j])", 23, "':'", "example"),
        (LINEAR, "dx[j] = W^T delta", 13, "one entry", "leave the index out"),
        (LINEAR, "db = W^2", 7, "power of a matrix", "W ⊙ W"),
        (LINEAR, "db = g'(s)", 6, "I do not know 'g''", "define"),
        (LINEAR, r"\delta_x = \|x\|_1", 18, "Euclidean", "sum"),
        (LINEAR, "dy/dx = dy/dx", 9, "not given", "work it out"),
        ({"layer": "linear-elu"}, "dy[k]/ds[k] = f'(s[k])", 15, "worked out", "given"),
        ({"layer": "linear-elu"}, "dL/ds = delta ⊙ dy/ds", 15, "a column of k", "matrix"),
        ({"layer": "linear-elu"}, "dL/ds[k] = delta[k] * dy[k]/ds[k]", 21, "worked out", "given"),
        ({"layer": "convolution"}, r"\delta_x = W^T \delta", 0, "", ""),
    ],
)
def test_a_shape_that_does_not_fit_is_refused_at_its_place(
    keys: Mapping[str, object], answer: str, column: int, message: str, hint: str
) -> None:
    verdict = check(answer, made(keys))
    assert verdict.verdict == "unreadable", verdict.read
    assert verdict.hint
    if column:
        assert message.lower() in (verdict.message or "").lower()
        assert hint in verdict.hint
        assert abs((verdict.column or 0) - column) <= 2, verdict.column


UNFIT = "shapes that do not fit"


@pytest.mark.parametrize(
    ("answer", "column", "name", "teaching"),
    [
        ("dx = W (delta ⊙ f'(s))", 8, "transposed weight: W in place of W^T", "W is k×j"),
        ("dx = (delta ⊙ f'(s))^T W^T", 24, "transposed weight: W^T in place of W", "j×k"),
        ("dx = f'(s) ⊙ (W^T delta)", 12, "f'(s) on the wrong side of W^T", "W^T (f'(s) ⊙ delta)"),
        ("dx = W^T (delta ⊙ f'(x))", 17, "the derivative at x in place of s", "f'(s)"),
        ("dx = W ⊙ (delta ⊙ f'(s))", 9, "entry by entry in place of the matrix product", "W^T"),
        ("dW = x (delta ⊙ f'(s))^T", 8, "transposed", "This is j×k"),
        ("dW = (delta ⊙ f'(s))^T x", 24, "transposed", "x^T does"),
        ("dW = (delta ⊙ f'(s)) ⊙ x", 22, "entry by entry in place of the outer product", "x^T"),
        ("dx = diag(f'(s)) W", 18, "the Jacobian in place of the message", "multiplied"),
        ("dx = W^T (delta ⊙ f'(s)) + b", 26, "the term b does not belong here", "added"),
        ("dx_j = Σ_j δ_k f'(s_k) W_kj", 12, "summed over j in place of k", "which entry"),
        ("db = delta^T f'(s)", 14, UNFIT, "This is one number; dL/db[k] has k entries."),
        ("dx = delta + x", 12, UNFIT, "a column of k meets a column of j"),
        ("dW = W (delta ⊙ f'(s))", 8, UNFIT, "W is k×j"),
        ("dx = delta ⊙ f'(s)", 12, UNFIT, "This is a column of k; dL/dx[j] has j entries."),
    ],
)
def test_a_shape_that_does_not_fit_is_wrong_where_it_is_clear_what_was_written(
    answer: str, column: int, name: str, teaching: str
) -> None:
    verdict = check(answer, made(LINEAR))
    assert (verdict.verdict, verdict.misconception) == ("wrong", name)
    assert teaching in (verdict.teaching or "")
    assert (verdict.read, verdict.line, verdict.tried) == (answer, 1, 0)
    assert abs((verdict.column or 0) - column) <= 2, verdict.column


@pytest.mark.parametrize(
    "answer",
    [
        "dx = W^T delta",
        "dx = W^T (delta ⊙ f'(y))",
        "dx = W^T f'(s)",
        "dW = delta x^T",
        "dx = -W^T (delta ⊙ f'(s))",
        "dx = W^T (delta ⊙ (1 - y))",
    ],
)
def test_a_wrong_answer_in_vectors_is_wrong(answer: str) -> None:
    assert check(answer, made(LINEAR)).verdict == "wrong"


CARD_LINES = [
    r"\frac{\partial y_k}{\partial s_k} = f'(s_k) = \begin{cases} 2 s_k & \text{if } s_k > 0"
    r" \\ 0 & \text{if } s_k \le 0 \end{cases}",
    r"\frac{\partial L}{\partial x_j} = \sum_{k=1}^K \frac{\partial L}{\partial y_k}"
    r" \frac{\partial y_k}{\partial s_k} \frac{\partial s_k}{\partial x_j}",
    r"\delta_{x, j} = \sum_{k=1}^K \delta_{y, k} \cdot f'(s_k) \cdot W_{kj}",
    r"\delta_x = W^T (\delta_y \odot f'(s))",
    r"\frac{\partial L}{\partial W_{kj}} = \frac{\partial L}{\partial y_k}"
    r" \frac{\partial y_k}{\partial s_k} \frac{\partial s_k}{\partial W_{kj}}",
    r"\delta_{W, kj} = \delta_{y, k} \cdot f'(s_k) \cdot x_j",
]


@pytest.mark.parametrize("line", CARD_LINES)
@pytest.mark.parametrize("wrap", ["%s", "$%s$", "$$ %s $$"])
def test_a_line_of_the_cards_own_solution_is_correct(line: str, wrap: str) -> None:
    card = read_card(OWN.cards / "linear_squared_relu.md")
    exercise = Exercise.from_card(card)
    assert exercise is not None
    assert check(wrap % line, exercise).verdict in ("correct", "incomplete")


INNER = "s = sum(w[j] * x[j] for j){}\ny = s^2"
WRITTEN = ["w^T x", "w^{T} x", "w^⊤ x", "w^⊤x", "wᵀx", "w.T x", "w' x", r"\mathbf{w}^T x"]
WRITTEN += [r"w^\top x", r"w^{\top} x", r"w^\intercal x", r"w^{\mathrm{T}} x", r"w^{\mathsf{T}} x"]


def answer(form: str, product: str) -> str:
    """In LaTeX where the product is."""
    if "\\" not in product:
        return f"dw = {form.format(product)}"
    right = form.replace("delta", r"\delta").replace("*", " ")
    return rf"\frac{{\partial L}}{{\partial w}} = {right.format(product)}"


@pytest.mark.parametrize("product", [*WRITTEN, "w^(T) x"])
@pytest.mark.parametrize("rest", [" + b", "", " - t"])
def test_a_forward_message_never_reads_it_as_a_power(product: str, rest: str) -> None:
    for given in (f"s = {product}{rest}", f"s = {product}{rest}\ny[k] = s * v[k]"):
        with pytest.raises(ExerciseError, match="given, line 1, column"):
            exercise_for({"given": given, "find": "any"}, (), "derivation")


@pytest.mark.parametrize("product", [one for one in WRITTEN if "." not in one and "'" not in one])
@pytest.mark.parametrize("constants", [{}, {"T": 2}])
def test_the_refusal_says_how_to_write_it(product: str, constants: dict[str, int]) -> None:
    card = {"given": f"s = {product}" + " / T" * bool(constants), "find": "any"}
    with pytest.raises(
        ExerciseError, match=r"a power or a transpose.*sum\(w\[j\] \* x\[j\] for j\)"
    ):
        exercise_for({**card, "constants": constants}, (), "derivation")


@pytest.mark.parametrize("power", ["x[k]^T", "(2 * x[k])^T / 4", "x[k]^(T)", "2^T * x[k]"])
def test_a_declared_exponent_of_an_entry_stays_a_power(power: str) -> None:
    card = {"given": f"y[k] = {power}", "find": "dL/dx[k]", "constants": {"T": 2}}
    exercise = exercise_for(card, (), "derivation")
    assert exercise is not None
    right = "4 * delta[k]" if power.startswith("2^") else "2 * delta[k] * x[k]"
    assert check(right, exercise).verdict == "correct"


@pytest.mark.parametrize("product", [*WRITTEN, "w^(T) x"])
@pytest.mark.parametrize("form", ["2*delta*({})*x", "2*delta*x*({})", "2 delta ({}) x"])
def test_an_answer_reads_it_as_a_transpose(product: str, form: str) -> None:
    given = INNER.format("")
    exercise = exercise_for({"given": given, "find": "dL/dw[j]"}, (), "derivation")
    assert exercise is not None
    assert check(answer(form, product), exercise).verdict == "correct"


@pytest.mark.parametrize("product", WRITTEN)
def test_where_t_is_given_an_answer_is_read_as_what_is_certain_or_refused(product: str) -> None:
    card = {"given": INNER.format(" / T"), "find": "dL/dw[j]", "constants": {"T": 3}}
    exercise = exercise_for(card, (), "derivation")
    assert exercise is not None
    found = check(answer("2*delta*({})*x/T^2", product), exercise)
    if "T}" in product or "^T" in product:
        assert found.message == "T is given here: ^T could be a power or a transpose."
        assert found.hint == "write w' or w^(T)"
    else:
        assert found.verdict == "correct"


#: Wrong by their shapes: with an unknown name in them, nobody can say so.
UNFIT_NAMES = [
    "dx = W (delta ⊙ f'(s))",
    "dx = (delta ⊙ f'(s))^T W^T",
    "dx = W ⊙ (delta ⊙ y)",
    "dW = x (delta ⊙ f'(s))^T",
    "dW = delta ⊙ x",
    "dx = W^T (delta ⊙ y) + b",
    "db = delta^T y",
    "dx = delta ⊙ y",
    "u = W delta\ndx = u ⊙ x",
    "u = delta ⊙ y\ndx = W u",
    "W^T (delta ⊙ y) x^T",
    "dx = norm(delta) W y",
    "dx_j = Σ_j δ_k W_kj y_k",
]

_NAMES = re.compile(r"(?<![\\\w])(delta|[δWxsytpXw])(?![\w'(])")


def changed(answer: str, strange: str) -> Iterator[str]:
    """The answer with one name after the other replaced, right of every left side."""
    start = answer.find("=") + 1
    for found in _NAMES.finditer(answer, start):
        if answer[found.end() :].lstrip()[:1] != "=":
            yield answer[: found.start()] + strange + answer[found.end() :]


def strangers() -> Iterator[object]:
    for keys, answer in [*RIGHT, *((LINEAR, answer) for answer in UNFIT_NAMES)]:
        for strange in ("err", "q", "zeta", "W2"):
            latex = "\\" in answer and len(strange) > 1
            for text in changed(answer, rf"\mathrm{{{strange}}}" if latex else strange):
                yield pytest.param(keys, text, id=text)


@pytest.mark.parametrize(("keys", "answer"), strangers())
def test_an_unknown_name_is_refused_by_its_name(keys: Mapping[str, object], answer: str) -> None:
    found = check(answer, made(keys))
    assert found.verdict == "unreadable", (found.verdict, found.read, found.teaching)
    assert found.hint


@pytest.mark.parametrize("name", ["dout", "grad_output", "upstream", "grad", "g", "d"])
@pytest.mark.parametrize(
    ("layer", "answer"),
    [
        ("linear", "dx = W.T @ {0}"),
        ("linear", "dW = np.outer({0}, x)"),
        ("linear", "dx[j] = sum({0}[k] * W[k,j] for k)"),
        ("linear", "dx_j = Σ_k {0}_k W_kj"),
        ("linear", r"\delta_x = W^\top \mathrm{{{0}}}"),
        ("softmax", "u = {0} * y\ndx = u - y * sum(u)"),
        ("conv2d", "sum({0}[i-a,j-b] * W[a,b] for a,b)"),
        ("max-pool", "sum({0}[k,l] * [(i,j) == argmax(k,l)] for k,l)"),
        ("max-pool", r"\sum_{{k,l}} \mathrm{{{0}}}_{{kl}} [(i,j) = \arg\max(k,l)]"),
    ],
)
def test_the_usual_names_of_the_message_from_above_are_delta(
    name: str, layer: str, answer: str
) -> None:
    exercise = exercise_for(layer, [], "derivation")
    assert exercise is not None
    spelt = name.replace("_", "") if "\\" in answer else name
    found = check(answer.format(spelt), exercise)
    assert found.verdict == "correct", (found.message, found.hint, found.read)
    assert "delta" in found.read
    assert found.read == check(answer.format("delta"), exercise).read


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("g[k] = 1 - y[k]^2\ndx[j] = sum(delta[k]*g[k]*W[k,j] for k)", "g[k] = 1"),
        ("grad = delta * (1 - y^2)\ndx = W.T @ grad", "grad[k] = delta"),
        ("dout = 1 - y^2\ndx = W.T @ (delta * dout)", "dout[k] = 1"),
    ],
)
def test_a_name_that_the_answer_defines_is_its_own(answer: str, read: str) -> None:
    exercise = exercise_for({**LINEAR, "find": "dL/dx[j]"}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "correct", found.message
    assert found.read.startswith(read)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("dx = W.T @ detla", "'delta'"),
        ("dx[j] = sum(detla[k] * W[k,j] for k)", "'delta'"),
        ("dx = w.T @ delta", "'W'"),
        ("dW = delta X^T", "'x'"),
        (r"\delta_x = W^\top \hat\delta", "'delta'"),
        ("u = detla * y\ndx = W.T @ u", "'delta'"),
        ("dx = W.T @ (delta * tahn(s))", "'tanh'"),
        (r"\delta_x = W^\top (\delta \odot tanh(s))", "tanh"),
        (r"\delta_x = W^\top (\delta \odot sigmiod(s))", "sigmoid"),
        ("dx = W.T @ (delta * g(s))", "the names are"),
        ("dx[j] = sum(delta[k] * g[k] * W[k,j] for k)", "the names are"),
        ("dx = W.T @ e", "exp(1)"),
        ("dx = W.T @ δ₂", "entry"),
    ],
)
def test_the_nearest_known_name_is_the_hint(answer: str, hint: str) -> None:
    found = check(answer, made(LINEAR))
    assert found.verdict == "unreadable", (found.verdict, found.read)
    assert hint in (found.hint or ""), (found.message, found.hint)
    assert found.column


@pytest.mark.parametrize(
    ("layer", "answer", "read"),
    [
        ("linear", "delta[k]", "dL/db[k]"),
        ("linear", "delta", "dL/db[k]"),
        ("linear", "sum(delta[k] * W[k,j] for k)", "dL/dx[j]"),
        ("linear", "delta[k] * x[j]", "dL/dW[k,j]"),
        ("linear", "W[k,j]", "dy[k]/dx[j]"),
        ("linear", "[k == m]", "dy[k]/db[m]"),
        ("linear", "s = delta[k]\ns * x[j]", "dL/dW[k,j]"),
        ("batch-norm", "sum(delta[i] * h[i] for i)", "dL/dg"),
        ("convolution", "sum(delta[i] for i)", "dL/db"),
        ("attention", "sum(delta[i,c] * a[i,j] for i)", "dL/dv[j,c]"),
    ],
)
def test_the_indices_tell_what_is_answered(layer: str, answer: str, read: str) -> None:
    exercise = exercise_for({"layer": layer}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "correct"
    assert found.read.splitlines()[-1].startswith(f"{read} =")


@pytest.mark.parametrize(
    ("layer", "answer", "names"),
    [
        ("layer-norm", "delta[j]", ("dL/dx[j]", "dL/dg[j]", "dL/db[j]")),
        ("layer-norm", "delta", ("dL/dx[j]", "dL/dg[j]", "dL/db[j]")),
        ("batch-norm", "sum(delta[i] for i)", ("dL/dg", "dL/db")),
        ("batch-norm", "g * sum(delta[i] for i)", ("dL/dg", "dL/db")),
    ],
)
def test_where_several_fit_it_is_not_guessed(
    layer: str, answer: str, names: tuple[str, ...]
) -> None:
    exercise = exercise_for({"layer": layer}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert found.verdict == "unreadable"
    assert found.message is not None
    assert all(name in found.message for name in names)
    assert found.hint == f"say which: begin with {names[0]} ="
    left = names[-1] if "[" in answer else names[-1].partition("[")[0]
    assert check(f"{left} = {answer}", exercise).verdict in ("correct", "wrong")


@pytest.mark.parametrize(
    "lines",
    [
        "dL/dx[j] = sum(delta[k] * f'(s[k]) * W[k,j] for k)\nf'(s) = 1 if s > 0 else exp(s)",
        "dL/dx[j] = sum(delta[k] * g(s[k]) * W[k,j] for k)\ng(x) = 1 if x > 0 else exp(x)",
        "dL/dx[j] = sum(delta[k] * dy[k]/ds[k] * W[k,j] for k)"
        "\ndy[k]/ds[k] = 1 if s[k] > 0 else exp(s[k])",
        "dL/dx_j = sum_k dL/dy_k * dy_k/dx_j where dy_k/dx_j = min(1, y_k + 1) * W_kj",
        r"\frac{\partial L}{\partial x_j} = \sum_k \delta_k f'(s_k) W_{kj}, \quad"
        r" f'(s) = \begin{cases} 1 & s > 0 \\ e^{s} & \text{otherwise} \end{cases}",
    ],
)
def test_what_an_answer_defines_by_given_names_is_read(lines: str) -> None:
    exercise = exercise_for({"layer": "linear-elu", "find": "dL/dx[j]"}, [], "derivation")
    assert exercise is not None
    assert check(lines, exercise).verdict == "correct"


@pytest.mark.parametrize(
    "answer",
    [
        r"\frac{\gamma}{m\sqrt{\sigma^2+\epsilon}}\left(m\delta_i-\sum_k\delta_k"
        r"-\hat x_i\sum_k\delta_k\hat x_k\right)",
        "n = m\n"
        "g / (n * sqrt(v + eps))"
        " * (n * delta[i] - sum(delta[k] for k) - h[i] * sum(delta[k] * h[k] for k))",
    ],
)
def test_a_mean_that_is_used_as_the_number_is_refused(answer: str) -> None:
    exercise = exercise_for({"layer": "batch-norm", "find": "dL/dx[i]"}, [], "derivation")
    assert exercise is not None
    found = check(answer, exercise)
    assert (found.verdict, found.hint) == ("unreadable", "write N for the number")
    assert check(answer.replace("n = m", "n = N").replace("m\\", "N\\"), exercise).ok


def test_a_mean_that_is_used_as_one_is_not() -> None:
    exercise = exercise_for({"layer": "batch-norm", "find": "dL/dg"}, [], "derivation")
    assert exercise is not None
    assert check("sum(delta[i] * (x[i] - m) for i) / sqrt(v + eps)", exercise).verdict == "correct"
    assert check("m * sum(delta[i] * h[i] for i)", exercise).verdict == "wrong"
