"""Sub- and superscripts as Unicode has them, used only where it has them all."""

from __future__ import annotations

from cards.math.box import Box

_SUBSCRIPTS = dict(
    zip(
        "0123456789+−-=()aehijklmnoprstuvxβγρφχϕ,",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪᵩ,",
        strict=True,
    )
)
_SUPERSCRIPTS = dict(
    zip(
        "0123456789+−-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχϕϵ⊤°∘",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡᵠᵋᵀ°°",
        strict=True,
    )
)
LOWERED_LETTERS = frozenset(_SUBSCRIPTS.values()) - {","}
RAISED_LETTERS = frozenset(_SUPERSCRIPTS.values()) - {"°"}
#: Marks that are raised as they are.
_RAISED = dict.fromkeys("*∗′″‴⁗†‡", "")


def lowered(box: Box) -> Box | None:
    """A box as a subscript on the baseline, or None where a character has no such form."""
    return _mapped(box, _SUBSCRIPTS, raised_first=False)


def raised(box: Box) -> Box | None:
    """A box as a superscript on the baseline, or None where a character has no such form."""
    return _mapped(box, _SUPERSCRIPTS, raised_first=True)


def _mapped(box: Box, table: dict[str, str], raised_first: bool) -> Box | None:
    if len(box.rows) > 1 or not box.width:
        return None
    mapped = []
    for index, char in enumerate(box.rows[0]):
        found = table.get(char)
        if found is None:
            # A star or prime within a script stands high of itself: xᵢ′ⱼ′.
            if char not in _RAISED or not (index or raised_first):
                return None
            found = "*" if char == "∗" else char
        mapped.append(found)
    return Box(("".join(mapped),), box.width, 0, box.marks)
