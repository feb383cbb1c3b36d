"""What learners write, and what is understood."""

from __future__ import annotations

import pytest

from engine.formula import read

FULL = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
EVERYWHERE = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"
NESTED = "dx[i,j] = sum(sum(delta[k,l] * [(i,j) == argmax(k,l)] for l) for k)"
CASES = "J[k,l,i,j] = 1 if (i,j) == argmax(k,l) else 0"
INDICATOR = "J[k,l,i,j] = [(i,j) == argmax(k,l)]"
STARRED = "(i*, j*) = argmax(k,l)\n"
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
