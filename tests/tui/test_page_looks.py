"""What cards look like.  After a wanted change: pytest tests/tui --snapshot-update, and look at
each picture: limits centred under their operator, `=` on the axis of its fraction, the point of a
brace on the axis.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from cards import Card, read_card
from tests.paths import ROOT, SEED
from tui.page.page import RenderContext
from tui.page.read import Context
from tui.widgets.card_page import CardPage

Snap = Callable[..., bool]

#: A page with one of everything.
ALL = r"""
# Everything on a page

Text with **bold**, *italic*, ~~struck~~ words, `code`, a formula $\frac{a}{b} \le x_i^2$, a card
[[pool]], one that is [[missing]] and a [link](https://a.example).

## Lists

1. one
   - inner
     - deeper
2. two $\sum_{i=1}^n x_i$ in a line
- [ ] to do
- [x] done

> A quote
> > within a quote

> [!note] A callout with **a title**
> and its text \(x^2\)[^1]

### Table

| layer | message | n |
|:------|:-------:|--:|
| max pooling | $\delta_x$ | 12 |
| ELU | $\frac{\partial L}{\partial x}$ | 3 |

#### Code

```python
def backward(delta, x):  # the whole of it
    return delta * (x > 0) + 1.5
```

##### A wide one

$$ \begin{pmatrix} a_{11}+b_{11} & a_{12}+b_{12} & a_{13}+b_{13} & a_{14}+b_{14} & a_{15}+b_{15} & a_{16}+b_{16} & a_{17}+b_{17} \\ 1 & 2 & 3 & 4 & 5 & 6 & 7 \end{pmatrix} $$

![Figure 1](figure.png)

---

The end, with \unknown and $\foo$ and $\color{red}{red}$, and $\frac{1}{2$.

[^1]: A footnote.
"""  # noqa: E501

QUIZ = ROOT / "tests" / "material" / "cards" / "quiz_observer.md"
READING = RenderContext(Context(resolve={"pool": "pool", "cnn": "cnn"}.get), None)


class Cards(App[None]):
    """One card, or one text, and nothing else."""

    CSS = "CardPage { padding: 1 2; } #solution { margin: 1 0; }"

    def __init__(self, card: Card | None, text: str = "") -> None:
        super().__init__()
        self.theme = "textual-dark"
        self._card = card
        self._text = text

    def compose(self) -> ComposeResult:
        yield CardPage()

    def on_mount(self) -> None:
        page = self.query_one(CardPage)
        if (card := self._card) is not None:
            page.show(card, card.question, card.solution, READING)
            page.mark(frozenset("A"), card.correct_letters or None)
        else:
            page.show(None, self._text, "", READING)
            page.reveal(False)


@pytest.mark.parametrize("path", [SEED, QUIZ], ids=lambda path: path.stem)
def test_cards(snap_compare: Snap, path: Path) -> None:
    card = read_card(path)
    assert snap_compare(Cards(card), terminal_size=(100, 86 if card.type == "derivation" else 48))


def test_one_of_everything(snap_compare: Snap) -> None:
    assert snap_compare(Cards(None, ALL), terminal_size=(80, 56))
