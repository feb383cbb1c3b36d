"""Look-alikes and symbols to plain characters, each still knowing its place in the text."""

from __future__ import annotations

import unicodedata
from typing import Final

_WORDS: Final = {
    "δ": " delta",
    "Σ": " sum",
    "∑": " sum",
    "Ω": " Omega",
    "ω": " Omega",
    "∇": " grad_",
    "∂": " d",
    "∈": " in ",
    "∉": " not in ",
    "∧": " and ",
    "∨": " or ",
    "¬": " not ",
    "∀": " forall ",
    "∃": " exists ",
    "∄": " not exists ",
    "∏": " prod",
    "Π": " prod",
    "⇒": "\n",
    "⟹": "\n",
    "∴": "\n",
    "→": " to ",
    "∖": "-",
    "⌈": " ceil(",
    "⌉": ")",
    "⌊": " floor(",
    "⌋": ")",
    "…": "...",
    "≤": "<=",
    "⩽": "<=",
    "≥": ">=",
    "⩾": ">=",
    "≠": "!=",
    "≡": "==",
    "←": ":=",
    "≔": ":=",
    "∣": "|",
    "⟦": "[",
    "⟧": "]",
    "〚": "[",
    "〛": "]",
    "÷": "/",
    "²": "^2",
    "³": "^3",
    "ᵀ": "^T ",
    "⊤": "T ",
    "⊺": "T ",
    "‖": "||",
    "ŷ": "yhat",
    "\u0302": "hat",
    "\u0304": "bar",
}
_GREEK: Final = {
    **{"α": "alpha", "β": "beta", "γ": "gamma", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta"},
    **{"η": "eta", "θ": "theta", "λ": "lambda", "µ": "mu", "μ": "mu", "ν": "nu", "ξ": "xi"},
    **{"π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi"},
    **{"ψ": "psi", "Γ": "Gamma", "Θ": "Theta", "Λ": "Lambda", "Φ": "Phi", "Ψ": "Psi"},
}
_ALIKE: Final = {
    **dict.fromkeys("−–—‐‑", "-"),
    **dict.fromkeys("×⋅∙•⊙∘", "·"),
    **dict.fromkeys("⋆∗", "*"),
    **dict.fromkeys("′’‘´`ʹ", "'"),
    **dict.fromkeys("“”", '"'),
    # The letters of the words that phrases.py knows in Czech and German.
    **dict(zip("áčďéěíňóřšťúůýžäöü", "acdeeinorstuuyzaou", strict=True)),
    **dict.fromkeys("\u00a0\u2009\u202f\r\t\ufeff\u200b", " "),
}
_SUBSCRIPTS: Final = dict(
    zip("ᵢⱼₖₗₘₙₚₐₑₓᵣₛₜᵤᵥ₀₁₂₃₄₅₆₇₈₉", "ijklmnpaexrstuv0123456789", strict=True)
)


def plain(text: str) -> tuple[str, list[int]]:
    """`text` in plain characters, and for each of them its offset in `text` (and one for the end).

    A symbol may become several characters: all have the symbol's offset.
    """
    out: list[str] = []
    offsets: list[int] = []
    lowered = False
    joined = False
    for at, character in enumerate(text):
        if joined and character.isspace():
            continue
        new = _plain(character)
        if joined:
            # ∂δ and ∂γ are one word, as ∂x is.
            new = new.lstrip()
        joined = character == "∂"
        if character in _SUBSCRIPTS:
            new = _SUBSCRIPTS[character] if lowered else "_" + _SUBSCRIPTS[character]
        lowered = character in _SUBSCRIPTS
        out.append(new)
        offsets.extend([at] * len(new))
    offsets.append(len(text))
    return "".join(out), offsets


def _plain(character: str) -> str:
    if character.isascii():
        return " " if character in "\r\t" else character
    for form in (character, unicodedata.normalize("NFKC", character)):
        if form in _GREEK:
            return " " + _GREEK[form]
        if form in _WORDS:
            return _WORDS[form]
        if form in _ALIKE:
            return _ALIKE[form]
    return "".join(_WORDS.get(c, _ALIKE.get(c, c)) for c in form)
