"""Scripts: small letters or rows of their own, at what they belong to and off what they do not."""

from __future__ import annotations

import pytest

from cards.math import layout, typeset


def line(tex: str) -> str:
    return typeset(tex, mode="line")


def inline(tex: str) -> str:
    return typeset(tex, display=False)


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        ("x_{ij}", "xᵢⱼ"),
        ("x_{i}^{2}", "xᵢ²"),
        ("x^2_i", "xᵢ²"),
        ("i^*", "i*"),
        (r"A^\top", "Aᵀ"),
        ("x_{i'j'}", "xᵢ′ⱼ′"),
        (r"90^\circ", "90°"),
        (r"x^\dagger", "x†"),
        ("x_Q", "x\n Q"),
        ("x^Q", " Q\nx"),
        ("x_Q^2", "x²\n Q"),
        ("x_i^Q", " Q\nxᵢ"),
        ("x_Q^R+1", "xᴿ + 1\n Q"),
        ("x_A^Q", " Q\nx\n A"),
    ],
)
def test_scripts_are_small_letters_only_where_all_are(tex: str, picture: str) -> None:
    assert typeset(tex) == picture


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        (r"\sqrt{x}^2", "(√x)²"),
        (r"\sqrt{x+1}_i", "(√(x + 1))ᵢ"),
        ("{x^2}^3", "(x²)³"),
        ("{x_i}_j", "(xᵢ)ⱼ"),
        ("{x_i}^2", "xᵢ²"),
        ("{ax^2}^3", "(ax²)³"),
        ("{ax_i}^3", "axᵢ³"),
        (r"\cancel{x^2}^3", "(x̸²̸)³"),
        (r"\overline{x^2}^3", "(x̅²̅)³"),
        ("{f'}^2", "f′²"),
        (r"\cancel{\frac{a}{b}}^2", "(a̸/̸b̸)²"),
        (r"\overline{\frac{a}{b}}_i", "(a̅/̅b̅)ᵢ"),
        (r"\hat{x}^2", "x̂²"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"\phantom{x}^2", " ²"),
    ],
)
def test_a_script_stands_at_all_of_its_base(tex: str, picture: str) -> None:
    assert inline(tex) == picture


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{a}{b}",
        r"{\frac{a}{b}}",
        r"{\color{red}\dfrac{a}{b}}",
        r"{a \atop b}",
        r"\begin{matrix} a \\ b \end{matrix}",
        r"\sqrt{\frac{a}{b}}",
        r"{\sum_{i=1}^n x}",
        r"\cancel{\frac{a}{b}}",
        r"\left.\frac{a}{b}\right.",
    ],
)
@pytest.mark.parametrize("script", ["^2", "_i", "^Q", "_Q", "'"])
def test_a_tall_base_without_brackets_gets_them_for_its_scripts(tex: str, script: str) -> None:
    rows = layout(tex + script).rows
    assert any(row.startswith("⎛") for row in rows)
    assert any("⎠" in row for row in rows)


@pytest.mark.parametrize(
    ("tex", "picture"),
    [
        (r"x^2\sqrt[3]{y}", "x² ³√y"),
        (r"2\sqrt[3]{y}", "2 ³√y"),
        (r"x\sqrt[3]{y}", "x ³√y"),
        (r"(x)\sqrt[3]{y}", "(x) ³√y"),
        (r"(\sqrt[3]{y})", "(³√y)"),
        (r"-\sqrt[3]{y}", "−³√y"),
        (r"2\sqrt{y}", "2√y"),
        ("a_1{}_2F_1", "a₁ ₂F₁"),
        ("a^1{}^2F", "a¹ ²F"),
        ("2{}_2F_1", "2 ₂F₁"),
        ("{}_2F_1", "₂F₁"),
        (r"T^a{}_i", "Tᵃᵢ"),
        (r"2\sqrt[Q]{x}", "2√[Q](x)"),
    ],
)
def test_a_root_index_or_a_script_before_its_base_joins_nothing_before_it(
    tex: str, picture: str
) -> None:
    assert line(tex) == picture


@pytest.mark.parametrize("left", ["K_d", "K_Q", "x^Q", r"\sum_{i=1}^n", r"\lim_{n\to\infty}"])
def test_what_hangs_from_one_part_stays_off_the_fraction_beside_it(left: str) -> None:
    rows = layout(left + r"\frac{aa}{bb}").rows
    assert all("  aa" in row for row in rows if "aa" in row)
    assert all("  bb" in row for row in rows if "bb" in row)


@pytest.mark.parametrize(
    "operator",
    [
        r"\mathop{\mathbb{E}}",
        r"\operatorname*{\mathbb{E}}",
        r"\mathop{E}",
        r"\mathop{\sum\sum}",
        r"\mathop{\arg\min}",
        r"\mathop{\mathrm{Res}}",
        r"\varinjlim",
        r"\sideset{}{'}\sum",
    ],
)
@pytest.mark.parametrize("limit", ["x", r"x \sim p"])
def test_what_is_made_an_operator_has_its_limits_under_it(operator: str, limit: str) -> None:
    rows = layout(rf"{operator}_{{{limit}}} f").rows
    alone = layout(operator).rows
    width = max(len(alone[0]), len(rows[-1].strip()))
    assert rows[0].rstrip().endswith("f")
    assert len(rows) == len(alone) + 1
    assert len(rows[-1].rstrip()) <= width
