"""Block arithmetic (small matrices) as machine code over the joints of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.kernel import Kernel, compile
from phalanx.mechanism.pose import Array

SCALAR: tuple[int, ...] = ()
# ports that are matrices, also where they have one column
MATRICES = {"D", "L", "S", "N", "W", "W_parent", "Q", "Q_parent", "G", "G_first", "G_second"}
MATRICES |= {"inverse", "A", "B", "A_after", "L_after", "D_left", "L_left"}


def over_joints(kernel: Kernel, *arrays: Array) -> Sequence[Array]:
    """Results of a kernel for arrays (samples, joints, ...), or (samples, 1) for one factor each.

    A kernel is called quickest with one axis over all, on whole arrays.
    """
    count, n = arrays[0].shape[:2]
    flat = [
        np.repeat(x, n // x.shape[1], axis=1).reshape(-1)
        if x.ndim == 2
        else x.reshape(count * n, *x.shape[2:])
        for x in arrays
    ]
    results = kernel.call(*flat)
    several = results if len(kernel.outputs) > 1 else (results,)
    return [x.reshape(count, n, *x.shape[1:]) for x in several]


def compiled(
    name: str, inputs: dict[str, SX], outputs: dict[str, SX], threads: int, *scalars: str
) -> Kernel:
    """A kernel; ``scalars`` are the ports that have no axis of their own."""
    function = ca.Function(
        name,
        list(inputs.values()),
        ca.cse([ca.densify(x) for x in outputs.values()]),
        list(inputs),
        list(outputs),
    )
    shapes: Any = {port: SCALAR for port in scalars}
    shapes |= {n: x.shape for n, x in (inputs | outputs).items() if n in MATRICES}
    return compile(function, shapes=shapes, threads=threads)


@lru_cache(maxsize=64)
@quick_operators()
def assemble_kernel(width: int, threads: int) -> Kernel:
    """The blocks of a joint.

    D = QᵀWQ + GᵀW_parent G + compliance, L = GᵀW_parent Q_parent and
    b = Qᵀ(c - a) + Gᵀa_parent, where W is the inverse of a body's mass matrix and a = W h.
    """
    w = width
    Q, G, Q_parent = SX.sym("Q", 6, w), SX.sym("G", 6, w), SX.sym("Q_parent", 6, w)
    W, W_parent = SX.sym("W", 6, 6), SX.sym("W_parent", 6, 6)
    a, a_parent, c = SX.sym("a", 6), SX.sym("a_parent", 6), SX.sym("c", 6)
    compliance = SX.sym("compliance", w)
    moved = W_parent @ G
    D = Q.T @ W @ Q + G.T @ moved + ca.diag(compliance)
    inputs = {"Q": Q, "G": G, "Q_parent": Q_parent, "W": W, "W_parent": W_parent, "a": a}
    inputs |= {"a_parent": a_parent, "c": c, "compliance": compliance}
    outputs = {
        "D": ca.triu2symm(ca.triu(D)),
        "L": moved.T @ Q_parent,
        "b": Q.T @ (c - a) + G.T @ a_parent,
    }
    return compiled("constraint_blocks", inputs, outputs, threads)


@lru_cache(maxsize=64)
@quick_operators()
def accelerate_kernel(threads: int) -> Kernel:
    """W h."""
    W, h = SX.sym("W", 6, 6), SX.sym("h", 6)
    return compiled("free_acceleration", {"W": W, "h": h}, {"a": W @ h}, threads)


@lru_cache(maxsize=64)
@quick_operators()
def wrench_kernel(width: int, threads: int) -> Kernel:
    """Q f on the body that a joint carries, and G f from the one it stands on."""
    Q, G, f = SX.sym("Q", 6, width), SX.sym("G", 6, width), SX.sym("f", width)
    inputs, outputs = {"Q": Q, "G": G, "f": f}, {"on": Q @ f, "back": -(G @ f)}
    return compiled("constraint_wrench", inputs, outputs, threads)


@lru_cache(maxsize=64)
@quick_operators()
def invert_kernel(width: int, threads: int) -> Kernel:
    """D⁻¹ of a symmetric positive D."""
    D = SX.sym("D", width, width)
    return compiled(
        "invert_block", {"D": D}, {"inverse": factorize(D).solve(SX.eye(width))}, threads
    )


@lru_cache(maxsize=64)
@quick_operators()
def product_kernel(width: int, threads: int) -> Kernel:
    """D x - L x_parent, and what the row of the parent gets: -Lᵀx."""
    D, L = SX.sym("D", width, width), SX.sym("L", width, width)
    x, x_parent = SX.sym("x", width), SX.sym("x_parent", width)
    inputs = {"D": D, "L": L, "x": x, "x_parent": x_parent}
    return compiled("block_row", inputs, {"own": D @ x - L @ x_parent, "up": -(L.T @ x)}, threads)


@lru_cache(maxsize=64)
@quick_operators()
def pair_kernel(width: int, threads: int) -> Kernel:
    """S x_second for the first of two siblings and Sᵀx_first for the second."""
    S = SX.sym("S", width, width)
    first, second = SX.sym("x_first", width), SX.sym("x_second", width)
    inputs = {"S": S, "x_first": first, "x_second": second}
    return compiled(
        "block_pair", inputs, {"of_first": S @ second, "of_second": S.T @ first}, threads
    )


@lru_cache(maxsize=64)
@quick_operators()
def sibling_kernel(width: int, threads: int) -> Kernel:
    """The block of two siblings, G_firstᵀ W_parent G_second."""
    W = SX.sym("W_parent", 6, 6)
    first, second = SX.sym("G_first", 6, width), SX.sym("G_second", 6, width)
    inputs = {"G_first": first, "G_second": second, "W_parent": W}
    return compiled("sibling_block", inputs, {"S": first.T @ W @ second}, threads)


@lru_cache(maxsize=64)
@quick_operators()
def apply_kernel(width: int, threads: int) -> Kernel:
    """N r, and its product with r: z = D⁻¹ r with (z, D z)."""
    N, r = SX.sym("N", width, width), SX.sym("r", width)
    z = N @ r
    return compiled("apply_block", {"N": N, "r": r}, {"z": z, "zr": ca.dot(z, r)}, threads, "zr")


@lru_cache(maxsize=64)
@quick_operators()
def three_term_kernel(width: int, threads: int) -> Kernel:
    """One step of a three-term iteration: the next of f and of r = b - A f, and of z = D⁻¹ r.

    f_next = rho (f + gamma z) + (1 - rho) f_before, and likewise for r with -gamma A z, which
    makes it the residual of f_next. Beside them products for the next step and for stopping.
    """
    names = ("f", "f_before", "r", "r_before", "z", "Az")
    f, f_before, r, r_before, z, Az = (SX.sym(name, width) for name in names)
    N, gamma, rho = SX.sym("N", width, width), SX.sym("gamma"), SX.sym("rho")
    f_next = rho * (f + gamma * z) + (1 - rho) * f_before
    r_next = rho * (r - gamma * Az) + (1 - rho) * r_before
    z_next = N @ r_next
    inputs = dict(zip(names, (f, f_before, r, r_before, z, Az), strict=True))
    inputs |= {"N": N, "gamma": gamma, "rho": rho}
    outputs = {
        "f_next": f_next,
        "r_next": r_next,
        "z_next": z_next,
        "zr": ca.dot(z_next, r_next),
        "change": ca.sumsqr(f_next - f),
        "norm": ca.sumsqr(f_next),
    }
    scalars = ("gamma", "rho", "zr", "change", "norm")
    return compiled("three_term_step", inputs, outputs, threads, *scalars)
