"""The catalogue of layers, and layers in a row joined to one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.exercise import ExerciseError, word

# -- A built-in layer: its forward message, and what belongs to an exercise about it.


@dataclass(frozen=True, slots=True)
class Layer:
    title: str
    given: str
    answer: str
    """A right answer to what is asked first."""
    tags: tuple[str, ...]
    """Tags that name it, without hyphens."""
    find: tuple[str, ...] = ("any",)
    sizes: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()
    """Layers that this is a kind of or holds: beside a tag of theirs, a tag of this one counts."""
    joins: tuple[str, ...] = ()
    """Layers that this is the join of: their tags together mean this one."""
    from_one: tuple[str, str] = ("", "")
    """The message and the answer with indices from 1, where they read otherwise then."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What print calls a given name, or a formula of them: {"mu": "m", "sigma": "sqrt(v)"}."""
    of_examples: bool = False
    """Whether its index runs over the examples of a batch, not over the numbers of one."""

    @property
    def loss(self) -> bool:
        return self.given.splitlines()[-1].startswith("L = ")

    @property
    def below(self) -> tuple[str, ...]:
        """What it is differentiated by: its input and its parameters."""
        return tuple(dict.fromkeys(re.findall(r"/d([A-Za-z]+)", " ".join(self.find)))) or ("x",)


def unit(
    name: str,
    title: str,
    rule: str,
    slope: str,
    *tags: str,
    beyond: tuple[str, ...] = (),
    above: str = "",
    **constants: float,
) -> Layer:
    """A function of each number by itself."""
    return Layer(
        title,
        f"{above}y[k] = {rule}",
        f"dL/dx[k] = delta[k] * {slope}",
        (word(name), *tags),
        sizes={"k": 3},
        constants=constants,
        beyond=beyond,
        names={"alpha": "a"} if "a" in constants else {},
    )


def linear(title: str, y: str, weight: str, bias: str, *tags: str) -> Layer:
    """A weighted sum of the inputs for each output; `bias` is "" where there is none."""
    terms = [f"sum({weight} * x[j] for j)", *filter(None, (bias,))]
    asked = ["x[j]", weight, *terms[1:]]
    right = f"delta * {weight}" if y == "y" else f"sum(delta[k] * {weight} for k)"
    lower = [cell.replace("k", "m") for cell in asked]
    return Layer(
        title,
        f"{y} = {' + '.join(terms)}",
        f"dL/dx[j] = {right}",
        tags,
        find=(*(f"dL/d{cell}" for cell in asked), *(f"d{y}/d{cell}" for cell in lower)),
        sizes={"j": 3} if y == "y" else {"j": 3, "k": 2},
    )


# -- Built-in layers as forward messages, as a card could give them.


#: By the name that a card writes after `layer:`.
LAYERS: dict[str, Layer] = {
    "linear": linear(
        "a linear layer with bias",
        *("y[k]", "W[k,j]", "b[k]"),
        *("linear", "linearlayer", "fullyconnected", "dense", "linearni", "linearnivrstva"),
    ),
    "relu": unit("relu", "ReLU", "max(x[k], 0)", "[x[k] > 0]", "rectifiedlinearunit"),
    "leaky-relu": unit(
        "leaky-relu",
        "leaky ReLU",
        "x[k] if x[k] > 0 else a * x[k]",
        "(1 if x[k] > 0 else a)",
        a=0.01,
        beyond=("relu",),
    ),
    "prelu": Layer(
        "PReLU with one learned slope",
        "y[k] = x[k] if x[k] > 0 else a * x[k]",
        "dL/dx[k] = delta[k] * (1 if x[k] > 0 else a)",
        ("prelu", "parametricrelu", "parametricrectifiedlinearunit"),
        find=("dL/dx[k]", "dL/da", "dy[k]/dx[j]", "dy[k]/da"),
        sizes={"k": 3},
        beyond=("relu", "leaky-relu"),
        names={"alpha": "a"},
    ),
    "elu": unit(
        "elu",
        "ELU",
        "x[k] if x[k] > 0 else a * (exp(x[k]) - 1)",
        "(1 if x[k] > 0 else a * exp(x[k]))",
        "exponentiallinearunit",
        a=1.0,
    ),
    "linear-elu": Layer(
        "a linear layer followed by ELU",
        "f(t) = t if t > 0 else exp(t) - 1\ns[k] = sum(W[k,j] * x[j] for j)\ny[k] = f(s[k])",
        "dL/dx[j] = sum(delta[k] * (1 if s[k] > 0 else exp(s[k])) * W[k,j] for k)",
        ("linearelu",),
        find=("dL/dx[j]", "dL/dW[k,j]", "dL/ds[k]", "dy[k]/dx[j]", "dy[k]/dW[m,j]", "dy[k]/ds[m]"),
        sizes={"j": 3, "k": 2},
        beyond=("linear", "elu"),
        joins=("linear-without-bias", "elu"),
    ),
    "sigmoid": unit(
        "sigmoid",
        "the sigmoid",
        "1 / (1 + exp(-x[k]))",
        "y[k] * (1 - y[k])",
        "logistic",
        "sigmoida",
    ),
    "tanh": unit("tanh", "tanh", "tanh(x[k])", "(1 - y[k]^2)"),
    "gelu": unit(
        "gelu",
        "GELU",
        "x[k] * Phi(x[k])",
        "(Phi(x[k]) + x[k] * phi(x[k]))",
        above="Phi(t) = (1 + erf(t / sqrt(2))) / 2\nphi(t) = exp(-t^2 / 2) / sqrt(2 * pi)\n",
    ),
    "softmax": Layer(
        "softmax",
        "y[k] = exp(x[k]) / sum(exp(x[m]) for m)",
        "dL/dx[k] = y[k] * (delta[k] - sum(delta[m] * y[m] for m))",
        ("softmax",),
        sizes={"k": 3},
    ),
    "log-softmax": Layer(
        "log-softmax",
        "y[k] = x[k] - log(sum(exp(x[m]) for m))",
        "dL/dx[k] = delta[k] - exp(y[k]) * sum(delta[m] for m)",
        ("logsoftmax",),
        sizes={"k": 3},
        beyond=("softmax",),
    ),
    "squared-error": Layer(
        "the squared error",
        "L = sum((x[k] - t[k])^2 for k) / 2",
        "dL/dx[k] = x[k] - t[k]",
        ("squarederror", "mse", "meansquarederror", "l2loss", "kvadratickachyba"),
        find=("dL/dx[k]",),
        sizes={"k": 3},
    ),
    "cross-entropy": Layer(
        "softmax with cross-entropy",
        "p[k] = exp(x[k]) / sum(exp(x[m]) for m)\nL = -sum(t[k] * log(p[k]) for k)",
        "dL/dx[k] = p[k] - t[k]",
        (
            *("crossentropy", "softmaxcrossentropy", "categoricalcrossentropy"),
            *("nll", "nllloss", "negativeloglikelihood"),
        ),
        find=("dL/dx[k]",),
        sizes={"k": 3},
        beyond=("softmax", "log-softmax"),
    ),
    "binary-cross-entropy": Layer(
        "the sigmoid with binary cross-entropy",
        "p[k] = 1 / (1 + exp(-x[k]))\n"
        "L = -sum(t[k] * log(p[k]) + (1 - t[k]) * log(1 - p[k]) for k)",
        "dL/dx[k] = p[k] - t[k]",
        ("binarycrossentropy", "bce", "logisticloss", "logisticregression"),
        find=("dL/dx[k]",),
        sizes={"k": 3},
        inputs={"t": "binary"},
        beyond=("sigmoid", "cross-entropy"),
        joins=("sigmoid", "cross-entropy"),
    ),
    "average-pool": Layer(
        "average pooling in one dimension, with kernel r and stride s",
        "y[k] = sum(x[k*s+a] for a in range(r)) / r",
        "dL/dx[i] = sum(delta[k] * [k*s <= i < k*s + r] for k) / r",
        ("averagepool", "averagepooling", "avgpool", "avgpooling"),
        find=("dL/dx[i]", "dy[k]/dx[i]"),
        sizes={"k": 3, "r": 2},
        constants={"s": 2},
        from_one=(
            "y[k] = sum(x[(k-1)*s+a] for a in range(1, r+1)) / r",
            "dL/dx[i] = sum(delta[k] * [(k-1)*s < i <= (k-1)*s + r] for k) / r",
        ),
    ),
    "global-average-pool": Layer(
        "global average pooling of channels",
        "y[c] = mean(x[c,i,j] for i,j)",
        "dL/dx[c,i,j] = delta[c] / (H * W)",
        ("globalaveragepool", "globalaveragepooling", "globalavgpool", "globalavgpooling"),
        find=("dL/dx[c,i,j]", "dy[c]/dx[d,i,j]"),
        sizes={"c": 2, "i": "H", "j": "W", "H": 2, "W": 3},
        beyond=("average-pool",),
    ),
    "convolution": Layer(
        "a convolution in one dimension with stride s",
        "y[i] = sum(W[a] * x[i*s+a] for a) + b",
        "dL/dx[j] = sum(delta[i] * W[a] * [j == i*s + a] for i,a)",
        ("convolution", "conv", "conv1d", "convolutionallayer", "konvoluce"),
        find=("dL/dx[j]", "dL/dW[a]", "dL/db", "dy[i]/dx[j]", "dy[i]/dW[a]"),
        sizes={"i": 3, "a": 2},
        constants={"s": 2},
        from_one=(
            "y[i] = sum(W[a] * x[(i-1)*s+a] for a) + b",
            "dL/dx[j] = sum(delta[i] * W[a] * [j == (i-1)*s + a] for i,a)",
        ),
    ),
    "convolution-2d": Layer(
        "a convolution in two dimensions",
        "y[k,l] = sum(W[a,b] * x[k+a,l+b] for a,b)",
        "dL/dx[i,j] = sum(delta[k,l] * W[a,b] * [i == k+a and j == l+b] for k,l,a,b)",
        ("conv2d", "convolution2d"),
        find=("dL/dx[i,j]", "dL/dW[a,b]", "dy[k,l]/dx[i,j]"),
        sizes={"k": 2, "l": 3, "a": 2, "b": 2},
        beyond=("convolution",),
        from_one=(
            "y[k,l] = sum(W[a,b] * x[k+a-1,l+b-1] for a,b)",
            "dL/dx[i,j] = sum(delta[k,l] * W[a,b] * [i == k+a-1 and j == l+b-1] for k,l,a,b)",
        ),
    ),
    "layer-norm": Layer(
        "layer normalisation",
        "m = mean(x[j] for j)\n"
        "v = mean((x[j] - m)^2 for j)\n"
        "h[j] = (x[j] - m) / sqrt(v + eps)\n"
        "y[j] = g[j] * h[j] + b[j]",
        "dh[j] = delta[j] * g[j]\n"
        "dL/dx[j] = (dh[j] - mean(dh[k] for k) - h[j] * mean(dh[k] * h[k] for k)) / sqrt(v + eps)",
        ("layernorm", "layernormalization", "layernormalisation"),
        find=("dL/dx[j]", "dL/dg[j]", "dL/db[j]"),
        sizes={"j": 3},
        constants={"eps": 1e-5},
        names={"mu": "m", "xhat": "h", "gamma": "g", "beta": "b", "sigma": "sqrt(v)"},
    ),
    "batch-norm": Layer(
        "batch normalisation of one feature",
        "m = mean(x[i] for i)\n"
        "v = mean((x[i] - m)^2 for i)\n"
        "h[i] = (x[i] - m) / sqrt(v + eps)\n"
        "y[i] = g * h[i] + b",
        "dL/dx[i] = g / sqrt(v + eps)"
        " * (delta[i] - mean(delta[k] for k) - h[i] * mean(delta[k] * h[k] for k))",
        ("batchnorm", "batchnormalization", "batchnormalisation"),
        find=("dL/dx[i]", "dL/dg", "dL/db"),
        sizes={"i": 4},
        of_examples=True,
        constants={"eps": 1e-5},
        names={"mu": "m", "xhat": "h", "gamma": "g", "beta": "b", "sigma": "sqrt(v)"},
    ),
    "dropout": Layer(
        "dropout with a given mask and keep probability q",
        "y[k] = x[k] * r[k] / q",
        "dL/dx[k] = delta[k] * r[k] / q",
        ("dropout",),
        find=("dL/dx[k]", "dy[k]/dx[j]"),
        sizes={"k": 3},
        # Not 1/2, of which 1 - q is the same.
        constants={"q": 0.8},
        inputs={"r": "binary"},
    ),
    "attention": Layer(
        "scaled dot-product attention",
        "s[i,j] = sum(q[i,d] * k[j,d] for d) / sqrt(D)\n"
        "a[i,j] = exp(s[i,j]) / sum(exp(s[i,m]) for m)\n"
        "y[i,c] = sum(a[i,j] * v[j,c] for j)",
        "da[i,j] = sum(delta[i,c] * v[j,c] for c)\n"
        "ds[i,j] = a[i,j] * (da[i,j] - sum(a[i,m] * da[i,m] for m))\n"
        "dL/dq[i,d] = sum(ds[i,j] * k[j,d] for j) / sqrt(D)",
        ("attention", "selfattention", "scaleddotproductattention"),
        find=("dL/dq[i,d]", "dL/dk[j,d]", "dL/dv[j,c]"),
        sizes={"i": 2, "j": 3, "d": "D", "D": 2, "c": 2},
        beyond=("softmax", "linear"),
    ),
    "linear-without-bias": linear("a linear layer", "y[k]", "W[k,j]", ""),
    "linear-unit": linear("a linear unit with bias", "y", "w[j]", "b", "linearunit"),
    "linear-unit-without-bias": linear("a linear unit", "y", "w[j]", ""),
}


# -- Layers in a row as one layer: what one puts out, the next takes in.


#: What stands between the names of layers in a row: "linear + relu".
AND = " + "
#: Words of the notation, which name nothing of a layer's own.
_NOTATION = {*"sum mean max exp log sqrt erf tanh pi for in range if else".split()}  # noqa: SIM905
_INPUT = re.compile(r"\bx\b(?:\[([a-z](?:,[a-z])*)\])?(?!\[)")


@lru_cache(maxsize=64)
def layer_of(name: str, first: int = 0) -> Layer:
    """A layer by its name, or several in a row by theirs; indices begin at `first`.

    Raises ExerciseError.
    """
    row = [LAYERS[one] for one in name.split(AND)]
    if first:
        said = [one.from_one if one.from_one[0] else (one.given, one.answer) for one in row]
        row = [replace(a, given=b, answer=c) for a, (b, c) in zip(row, said, strict=True)]
    return row[0] if len(row) == 1 else _joined(row)


def merged(row: Sequence[str]) -> str:
    """The name of a row of layers; one that is the join of two, or holds one, stands for both."""
    found: list[str] = []
    for name in row:
        pair = (*found[-1:], name)
        name = next((whole for whole, one in LAYERS.items() if one.joins == pair), name)
        held = (*LAYERS[name].joins, *(LAYERS[name].beyond if LAYERS[name].loss else ()))
        found = [*(found[:-1] if found and found[-1] in held else found), name]
    return AND.join(found)


def _joined(row: Sequence[Layer]) -> Layer:
    """The row as one layer; what an earlier one has a name or an index for gets a free one."""
    used = {*"xyL", *(name for layer in row for name in _names(layer))}
    taken: set[str] = set()
    lines: list[str] = []
    below: list[str] = []
    sizes: dict[str, object] = {}
    constants: dict[str, float] = {}
    inputs: dict[str, str] = {}
    names: dict[str, str] = {}
    cell = array = at = ""
    mixed = len({one.of_examples for one in row if _letters(one) != {"k"}}) > 1
    for layer, after in zip(row, (*row[1:], None), strict=True):
        by: dict[str, str] = {}
        each = _letters(layer) == {"k"}
        layer = _spread(layer, at) if lines and each else layer
        own = _INPUT.search(layer.given)
        if lines:
            if not own or mixed or array == "L" or len(own[1] or "") != len(at):
                raise ExerciseError(
                    f"exercise: layers: {layer.title} cannot take in what comes before it:"
                    " write the forward message under given."
                )
            by = {"x": array, **dict(zip(own[1] or "", at, strict=True))}
        shown = after is None or (after.loss and "\n" not in after.given)
        out = layer.given.splitlines()[-1].split(" = ")[0].split("[")[0]
        by[out] = out if layer.loss else "y" if shown else _free("szhuvo", used)
        for name in sorted(_names(layer) - by.keys()):
            spare = "mnijkuvc" if name in _letters(layer) else "cuvgh" if name.islower() else "VUQR"
            shared = layer.constants.get(name, "") == constants.get(name)
            clash = name in taken | {*by.values()} and not shared
            by[name] = _free(spare, used) if clash else name
        taken |= {*by.values()}
        rows = [_named(line, by) for line in layer.given.splitlines()]
        left, _, rule = rows[-1].partition(" = ")
        cell = _named(own[0], by) if own else ""
        rule = re.sub(rf"\b{re.escape(cell)}(?!\w)", "t", rule)
        if each and "[" not in rule and not layer.loss:
            # As a function, so that answers may speak of its slope, f'.
            name = _free("fgho", used)
            rows[-1:] = [f"{name}(t) = {rule}", f"{left} = {name}({cell})"]
        below += [by.get(name, name) for name in layer.below if name != "x" or not lines]
        lines += rows
        array, _, at = left.rstrip("]").partition("[")
        sizes = {**{by[key]: by.get(str(n), n) for key, n in layer.sizes.items()}, **sizes}
        constants |= {by[name]: value for name, value in layer.constants.items()}
        inputs |= {by[name]: kind for name, kind in layer.inputs.items()}
        names = {**{key: _named(said, by) for key, said in layer.names.items()}, **names}
    asked = [f"d{above}/d{name}" for above in dict.fromkeys(("L", array)) for name in below]
    title = f"{row[0].title} followed by {', then '.join(layer.title for layer in row[1:])}"
    return Layer(
        title, "\n".join(lines), "", (), tuple(asked), sizes, constants, inputs, names=names
    )


def _spread(layer: Layer, at: str) -> Layer:
    """One that goes by each number alone, for an input with other indices, or with none."""
    text = layer.given.replace("[k]", f"[{at}]" if at else "")
    text = re.sub(r"sum\((.*) for k\)", rf"sum(\1 for {at})" if at else r"(\1)", text)
    return replace(layer, given=text, sizes={})


def _letters(layer: Layer) -> set[str]:
    """Its index letters."""
    places = re.findall(r"\[(.*?)\]|\bfor ([a-z](?:,[a-z])*)\b", layer.given)
    return {*re.findall(r"[a-z]", str(places))} - {*layer.constants}


def _names(layer: Layer) -> set[str]:
    words = f"{layer.given} {' '.join(map(str, (*layer.sizes, *layer.sizes.values())))}"
    arguments = {*re.findall(r"\((\w)\) = ", layer.given)}
    return {*re.findall(r"[A-Za-z]\w*", words)} - _NOTATION - arguments


def _named(text: str, by: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z]\w*", lambda found: by.get(found[0], found[0]), text)


def _free(spare: str, used: set[str]) -> str:
    name = next((one for one in spare if one not in used), "")
    if not name:
        raise ExerciseError("exercise: layers: there are too many for the letters that are free.")
    used.add(name)
    return name
