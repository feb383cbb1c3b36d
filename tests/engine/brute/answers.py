"""Right answers to max pooling in many notations: what the mutants are made of."""

from __future__ import annotations

from typing import Final

FORMULAS: Final = (
    "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))",
    "∂L/∂x_ij = Σ_{k,l: (i,j) ∈ Ω(k,l)} δ_kl · 𝟙[(i,j) = argmax(k,l)]",
    "(i*,j*) = argmax(k,l)\ndf_kl/dx_ij = { 1 if (i,j) = (i*,j*); 0 otherwise }",
    "J[k,l,i,j] = [(i,j) in Omega(k,l) and x[i,j]==f[k,l]]"
    " / count(x[p,q]==f[k,l] for p,q in Omega(k,l))",
    "dx[i,j] = sum(delta[k,l] * [x[i,j] == max(window(k,l))] / count(x[p,q] == f[k,l]"
    " for p,q in Omega(k,l)) for k,l in windows(i,j))",
    "sum(delta[k,l] * [k*sh - ph + a == i and l*sw - pw + b == j]"
    " * [(k*sh - ph + a, l*sw - pw + b) == argmax(k,l)]"
    " for k,l for a in range(kh) for b in range(kw))",
    "J_klij = 1 if (i,j) == argmax(x[p,q] for p,q in Omega(k,l)) else 0",
    "dx[i,j] = sum(delta[k,l] * (1 if (i,j) == argmax(k,l) else 0)"
    " for k in range(Ho) for l in range(Wo))",
    "m[k,l] = argmax(x[p,q] for p in range(k*sh-ph, k*sh-ph+kh)"
    " for q in range(l*sw-pw, l*sw-pw+kw) if (p,q) in Omega(k,l))\n"
    "dx[i,j] = Σ_{k=0}^{Ho-1} Σ_{l=0}^{Wo-1} δ_kl [(i,j) = m[k,l]]",
    "J_klij = [x_ij = f_kl] [(i,j) ∈ Ω(k,l)]"
    " [count(x_pq = f_kl and (p < i or p = i and q < j) for p,q in Ω(k,l)) = 0]",
    "dx[i,j] = sum(delta[k,l] * [0 <= i - k*sh + ph < kh] * [0 <= j - l*sw + pw < kw]"
    " * [(i,j) in argmax(k,l)] / sum(1 for p,q in argmax(k,l)) for k,l)",
    "n[k,l] = count(x[p,q] >= f[k,l] for p,q in Omega(k,l))\n"
    "dx[i,j] = sum(delta[k,l] * (1 - [x[i,j] < f[k,l]]) / n[k,l] for k,l if (i,j) in Omega(k,l))",
    "J_klij = kron(i, a) * kron(j, b); (a, b) = argmax(k,l)",
)

LATEX: Final = (
    r"\delta_{x, ij} = \sum_{(k, l) : (i, j) \in \Omega(k, l)} \delta_{f, kl} \cdot"
    r" \mathbb{I}[(i, j) = \arg\max_{(p,q) \in \Omega(k, l)} x_{pq}]",
    r"(i^*, j^*) = \arg\max_{(i, j) \in \Omega(k, l)} x_{ij} \\ \frac{\partial f_{kl}}"
    r"{\partial x_{ij}} = \begin{cases} 1 & \text{if } (i, j) = (i^*, j^*) \\"
    r" 0 & \text{otherwise} \end{cases}",
    r"\frac{\partial L}{\partial x_{ij}} = \sum_{k=0}^{H_o-1} \sum_{l=0}^{W_o-1}"
    r" \delta_{kl} \mathbf{1}_{(i,j) = \arg\max \Omega(k,l)}",
    r"\delta^x_{ij} = \sum_{k,l} \delta_{kl} \frac{\mathbb{1}[(i,j) \in \Omega(k,l) \land"
    r" x_{ij} = f_{kl}]}{\sum_{(p,q)\in\Omega(k,l)} \mathbb{1}[x_{pq} = f_{kl}]}",
    r"\frac{\partial y_{kl}}{\partial x_{ij}} = \mathbb{1}\left\{ (i,j) ="
    r" \arg\max_{(m,n) \in \Omega(k,l)} x_{mn} \right\}",
)

FUNCTIONS: Final = (
    """def backward(x, delta):
    dx = np.zeros_like(x)
    for k in range(delta.shape[0]):
        for l in range(delta.shape[1]):
            top, left = max(k * sh - ph, 0), max(l * sw - pw, 0)
            w = x[top:k * sh - ph + kh, left:l * sw - pw + kw]
            p, q = np.unravel_index(np.argmax(w), w.shape)
            dx[top + p, left + q] += delta[k, l]
    return dx
""",
    """def backward(x, delta):
    H, W = x.shape
    padded = np.full((H + 2 * ph, W + 2 * pw), -np.inf)
    padded[ph:ph + H, pw:pw + W] = x
    out = np.zeros_like(padded)
    for k, l in np.ndindex(*delta.shape):
        w = padded[k * sh:k * sh + kh, l * sw:l * sw + kw]
        best = w == w.max()
        out[k * sh:k * sh + kh, l * sw:l * sw + kw] += delta[k, l] * best / best.sum()
    return out[ph:ph + H, pw:pw + W]
""",
    """def jacobian(x, delta):
    J = np.zeros((*delta.shape, *x.shape))
    for k, l in np.ndindex(*delta.shape):
        best, at = -np.inf, None
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                inside = 0 <= i - k * sh + ph < kh and 0 <= j - l * sw + pw < kw
                if inside and x[i, j] >= best:
                    best, at = x[i, j], (i, j)
        J[(k, l, *at)] = 1
    return J
""",
)
