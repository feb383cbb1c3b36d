"""Built-in layers as forward messages, as a card could give them."""

from __future__ import annotations

from engine.given.layer import Layer, linear, unit

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
