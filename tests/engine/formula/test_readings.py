"""What formulas mean: readings and words."""

from __future__ import annotations

import pytest

from engine.formula.reader import read
from engine.formula.tree import FormulaError

FULL = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
EVERYWHERE = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"
NESTED = "dx[i,j] = sum(sum(delta[k,l] * [(i,j) == argmax(k,l)] for l) for k)"
CASES = "J[k,l,i,j] = 1 if (i,j) == argmax(k,l) else 0"
INDICATOR = "J[k,l,i,j] = [(i,j) == argmax(k,l)]"
STARRED = "(i*, j*) = argmax(k,l)\n"
ALL = "J[k,l,i,j] = [all(x[i,j] >= x[p,q] for p,q in Omega(k,l))]"
LOCAL = "dx[i,j] = delta[k,l] if x[i,j] == f[k,l] else 0"

READINGS = [
    (FULL, FULL),
    ("sum_{k,l : (i,j) in Omega(k,l)} delta_kl [(i,j) = argmax(k,l)]", FULL),
    ("∂L/∂x_ij = Σ_{k,l: (i,j) ∈ Ω(k,l)} δ_kl · 𝟙[(i,j) = argmax(k,l)]", FULL),
    ("Σ_{(k,l) | (i,j) ∈ Ω(k,l)} δ_{k,l} × 1{(i,j) = argmax(window(k,l))}", FULL),
    ("dL/dx[i,j] = Σ_{(k,l): (i,j) ∈ Ω_kl} dL/df_kl 𝕀[(i,j) = argmax Ω(k,l)]", FULL),
    ("grad_x[i,j] = sum(grad_out[k,l]*((i,j)==argmax((k,l))) for (k,l) if (i,j) in window(k,l))",
     FULL),
    ("δ_{x,ij} = Σ_{k,l s.t. (i,j) ∈ Ω(k,l)} δ_{f,kl} I((i,j) = argmax_{Ω(k,l)} x)", FULL),
    ("dx[i,j] := sum(delta[k,l] * [(i,j) == argmax(k,l)]\n   for k,l if (i,j) in Omega(k,l)).",
     FULL),
    ("dx_ij = Σ_k Σ_l δ_kl [(i,j) = argmax(k,l)]", NESTED),
    ("Σ_{k} Σ_{l} δₖₗ [(i,j) = argmax(k,l)]", NESTED),
    ("(dL/dx)_ij = Σ_kl (dL/df)_kl 1[(i,j) is argmax(k,l)]", EVERYWHERE),
    ("dx = Σ_(k,l) δ_(k,l) [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("sum over k,l of delta[k,l] * [(i,j) == argmax(k,l)]", EVERYWHERE),
    ("Sum(Delta[k,l] * [(i,j) == argMax(k,l)] over k,l)", EVERYWHERE),
    ("1 if (i,j) == argmax(window(k,l)) else 0", CASES),
    ("if (i,j) == argmax(k,l) then 1 else 0", CASES),
    ("df_kl/dx_ij = { 1, if (i,j) = argmax(k,l); 0, otherwise }", CASES),
    ("∂f_kl/∂x_ij = {\n 1 if (i,j) = argmax(k,l)\n 0 otherwise\n}", CASES),
    ("∂y[k,l]/∂x[i,j] = {1 if (i,j) = argmax(k,l), 0 else}", CASES),
    ("J_{kl,ij} = { 1 if (i,j) = argmax(k,l); 0 if (i,j) ≠ argmax(k,l) }", CASES),
    ("J[i,j,k,l] = 1 if (i,j) == argmax(k,l), 0 otherwise", CASES),
    ("df[k,l]/dx[i,j] = 1 if (i,j) == argmax(k,l)\n0 otherwise", CASES),
    ("𝟙_{(i,j) = argmax(k,l)}", INDICATOR),
    ("1((i,j) = argmax_kl)", INDICATOR),
    ("[(i, j) = arg max(k, l)]", INDICATOR),
    ("df_kl/dx_ij = [(i,j) = (i*,j*)]; (i*,j*) = argmax(k,l)",
     STARRED + "J[k,l,i,j] = [(i,j) == (i*,j*)]"),
    ("let (i^*, j^*) = argmax(k,l)\n[i = i* ∧ j = j*]",
     STARRED + "J[k,l,i,j] = [i == i* and j == j*]"),
    ("f_kl = x_{i*j*} where (i*, j*) = argmax(k,l)\n[x_ij = f_kl]",
     "f[k,l] = x[i*,j*]\n" + STARRED + "J[k,l,i,j] = [x[i,j] == f[k,l]]"),
    ("dx_ij = delta_kl if x_ij = f_kl, 0 otherwise", LOCAL),
    ("delta_x[i,j] = { delta[k,l] if x[i,j] = y[k,l]; 0 otherwise }", LOCAL),
    ("Σ_{k=0}^{Ho-1} δ_k0", "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
    ("x_{i'j'} - max_{(p,q) ∈ Ω(k,l)} x_pq; i' = i; j' = j",
     "i' = i\nj' = j\nJ[k,l,i,j] = x[i',j'] - max(x[p,q] for p,q in Omega(k,l))"),
    ("df_kl/dx_ij = [x_ij = f_kl]\ndL/dx_ij = Σ_kl dL/df_kl · df_kl/dx_ij",
     "J[k,l,i,j] = [x[i,j] == f[k,l]]\ndx[i,j] = sum(delta[k,l] * J[k,l,i,j] for k,l)"),
    ("dx[a,b] = sum(delta[m,n] for m,n if (a,b) ∉ Omega(m,n))",
     "dx[a,b] = sum(delta[m,n] for m,n if (a,b) not in Omega(m,n))"),
    ("2 x_ij · |x_ij - f_kl|", "J[k,l,i,j] = 2 * x[i,j] * abs(x[i,j] - f[k,l])"),
    ("-(x_ij + 1)**2 / (kh*kw) - -i", "J[k,l,i,j] = -(x[i,j] + 1)^2/(kh * kw) - -i"),
    ("sum([(i,j) == argmax(k,l)] for k,l)", "dx[i,j] = sum([(i,j) == argmax(k,l)] for k,l)"),
    ("max(x) + min(x_ij, f_kl)", "J[k,l,i,j] = max(x) + min(x[i,j], f[k,l])"),
    ("floor(x_ij) + ceil(x_ij)", "J[k,l,i,j] = floor(x[i,j]) + ceil(x[i,j])"),
    ("dx[i,j] = sum((∂L/∂f_kl) * [(i,j) == argmax(k,l)] for k,l)", EVERYWHERE),
    ("(∂L/∂x_ij) = Σ_kl (dL/df[k,l]) ⟦(i,j) = argmax(k,l)⟧", EVERYWHERE),
    ("dX = sum(dY[k,l] * [(i,j) == argmax(k,l)] for k,l)", EVERYWHERE),
    ("δ_ij^x = Σ_kl δ_kl^f [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("δ^x_ij = Σ_kl δ^f_kl [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("δ^{(x)}_{ij} = Σ_kl δ_{kl}^{(f)} [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("$dx_ij = Σ_kl δ_kl [(i,j) = argmax(k,l)]$", EVERYWHERE),
    ("$$\ndx_ij = Σ_kl δ_kl [(i,j) = argmax(k,l)]\n$$", EVERYWHERE),
    ("# by the chain rule\ndx_ij = Σ_kl δ_kl [(i,j) = argmax(k,l)]  # summed", EVERYWHERE),
    ("∂f_{k,l}(x)/∂x_{i,j} = 1 if (i,j) = argmax(k,l) else 0", CASES),
    ("∂f_kl(x)/∂x_ij = 1 when (i,j) = argmax(k,l), 0 otherwise", CASES),
    ("(∂f_kl/∂x_ij) = 1 if (i,j) = argmax(k,l), 0 else", CASES),
    ("1 when (i,j) = argmax(k,l)\n0 else", CASES),
    ("1((i,j) = argmax(k,l))", INDICATOR),
    ("[x_ij >= x_pq for all (p,q) in Omega(k,l)]", ALL),
    ("[x_ij ≥ x_pq ∀ (p,q) ∈ Ω(k,l)]", ALL),
    ("[for every (p,q) in Omega(k,l): x_ij >= x_pq]", ALL),
    ("prod([x_ij >= x_pq] for p,q in Omega(k,l))", ALL),
    ("[all(x[i,j] >= x[p,q] for p,q in Omega(k,l))]", ALL),
    ("[count(not x_ij >= x_pq for p,q in Omega(k,l)) == 0]", ALL),
    ("[x_ij > x_pq for all (p,q) in Omega(k,l) except (i,j)]",
     "J[k,l,i,j] = [all(x[i,j] > x[p,q] for p,q in Omega(k,l) if (p,q) != (i,j))]"),
    ("[there is no (p,q) in Omega(k,l) with x_pq > x_ij]",
     "J[k,l,i,j] = [not any(x[p,q] > x[i,j] for p,q in Omega(k,l))]"),
    ("sum(delta_kl for k,l if x_ij >= x_pq for all (p,q) in Omega(k,l))",
     "dx[i,j] = sum(delta[k,l] for k,l if all(x[i,j] >= x[p,q] for p,q in Omega(k,l)))"),
    ("S(i,j) = {(k,l) : argmax(k,l) = (i,j)}; dx_ij = sum_{(k,l) in S(i,j)} delta_kl",
     "dx[i,j] = sum(delta[k,l] for k,l if argmax(k,l) == (i,j))"),
    ("T_kl = {(p,q) in Omega(k,l) : x_pq = f_kl}; [(i,j) in T_kl] / |T_kl|",
     "J[k,l,i,j] = [(i,j) in Omega(k,l) and x[i,j] == f[k,l]]"
     "/count(x[p,q] == f[k,l] for p,q in Omega(k,l))"),
    ("A_pq = {(i,j) : x_ij > x_pq}; [(i,j) in A_ij]", "J[k,l,i,j] = [x[i,j] > x[i,j]]"),
    ("dx_ij = Σ_kl δ_kl J_klij = Σ_kl δ_kl [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("dL/dx_ij = δ_{x,ij} = Σ_kl δ_kl [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("dx_ij = Σ δ_kl [(i,j) = argmax(k,l)]", EVERYWHERE),
    ("dx_ij = sum δ_kl [(i,j) = argmax(k,l)] over all (k,l)", EVERYWHERE),
    ("(i*(k,l), j*(k,l)) = argmax(k,l). Then J_klij = [i = i*(k,l) and j = j*(k,l)]",
     "(i*[k,l], j*[k,l]) = argmax(k,l)\nJ[k,l,i,j] = [i == i*[k,l] and j == j*[k,l]]"),
    ("J_klij = δ_{i,m} δ_{j,n}, (m,n) = argmax(k,l)",
     "(m, n) = argmax(k,l)\nJ[k,l,i,j] = [i == m] * [j == n]"),
    ("δ_{(i,j),argmax(k,l)}", INDICATOR),
    ("df_kl/dx_ij is 1 if (i,j) = argmax(k,l) and 0 otherwise", CASES),
    ("df_kl/dx_ij = 1 pokud (i,j) = argmax(k,l), jinak 0", CASES),
    ("df_kl/dx_ij = 1 for (i,j) = argmax(k,l), 0 for (i,j) ≠ argmax(k,l)", CASES),
    ("(i,j) == argmax(k,l) ? 1 : 0", CASES),
    ("np.where((i,j) == argmax(k,l), 1, 0)", CASES),
    ("e^{x_ij} / Σ_{(p,q) ∈ Ω(k,l)} e^{x_pq}",
     "J[k,l,i,j] = exp(x[i,j])/sum(exp(x[p,q]) for p,q in Omega(k,l))"),
    ("Σ_{k=0,...,Ho-1} δ_k0", "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
    ("sum from k = 0 to Ho - 1 of delta[k,0]", "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
    ("Σ_{0 <= k < Ho} δ_k0", "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
    ("Σ_{k ∈ {0,...,Ho-1}} δ_k0", "dx[i,j] = sum(delta[k,0] for k in range(Ho))"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "echo"), READINGS)
def test_an_answer_is_read_in_our_notation(text: str, echo: str) -> None:
    formula = read(text)

    assert formula.echo == echo
    assert formula.target == ("J" if "J[k,l,i,j] =" in echo.splitlines()[-1] else "dx")


@pytest.mark.parametrize("text", [text for text, _ in READINGS])
def test_the_echo_reads_back_to_the_same_tree(text: str) -> None:
    formula = read(text)

    assert read(formula.echo).tree == formula.tree


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("delta[k,l]", "dx"),
        ("x[i,j]", "J"),
        ("J[k,l,i,j] = delta[k,l]", "J"),
        ("dx[i,j] = 1", "dx"),
        ("w = delta[k,l]\nw", "dx"),
        ("[(i,j) == argmax(x)]", "J"),
    ],
)
def test_the_left_side_decides_the_target_and_without_one_delta_does(
    text: str, target: str
) -> None:
    assert read(text).target == target


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (
            "1 if (i,j) is the argmax of Omega(k,l), otherwise 0",
            "J[k,l,i,j] = 1 if (i,j) == argmax(k,l) else 0",
        ),
        (
            "1 if x_ij is the max of window(k,l), otherwise 0",
            "J[k,l,i,j] = 1 if x[i,j] == max(window(k,l)) and (i,j) in Omega(k,l) else 0",
        ),
        (
            "1 if x_ij = max(window(k,l)), otherwise 0",
            "J[k,l,i,j] = 1 if x[i,j] == max(window(k,l)) else 0",
        ),
    ],
)
def test_words_say_what_they_say(answer: str, echo: str) -> None:
    assert read(answer).echo == echo
    assert read(echo).echo == echo


@pytest.mark.parametrize("answer", ["1 if x_ij is the best, else 0", "x_ij is the the max of x"])
def test_other_words_are_refused(answer: str) -> None:
    with pytest.raises(FormulaError):
        read(answer)
