"""Formulas and their pictures: gallery.txt, each looked at."""

from __future__ import annotations

import pytest

from tests.cards.math.gallery import Entry, drawn, entries


@pytest.mark.parametrize("entry", entries(), ids=lambda e: f"{e.title}-{e.mode}")
def test_a_formula_looks_like_its_picture(entry: Entry) -> None:
    assert drawn(entry) == entry.picture
